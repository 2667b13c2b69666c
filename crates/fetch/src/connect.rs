//! Sends one request to one URL; does not follow redirects. Invariant: the name is resolved once, its
//! addresses are checked, and the connection is made to those addresses only, so nothing can change between
//! check and connection.

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Once};

use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder, RequestBuilder, Response, header, redirect};
use url::{Host, Url};

use super::address::is_public;
use super::{Approval, FetchError};

/// The value of the User-Agent header.
const USER_AGENT: &str = concat!("symd/", env!("CARGO_PKG_VERSION"));

const ACCEPT: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5";

/// The addresses that a request may connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressPolicy {
    /// Any address.
    Anywhere,
    /// Public addresses.
    Public,
    /// Public addresses, for the target of a redirect.
    PublicAfterRedirect,
}

/// The kind of address that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    Public,
    Private,
}

impl AddressPolicy {
    pub(super) fn of(approval: Approval) -> AddressPolicy {
        match approval {
            Approval::ThisUrl => AddressPolicy::Anywhere,
            Approval::ByRule => AddressPolicy::Public,
        }
    }

    /// Returns the permission for the target of a redirect. The target was not approved, unless it is the
    /// very URL that was. Another page of the same private server is another URL: the approval of one says
    /// nothing about the other.
    pub(super) fn for_redirect(self, reached: Reached, from: &Url, to: &Url) -> AddressPolicy {
        let without_fragment = |url: &Url| {
            let mut url = url.clone();
            url.set_fragment(None);
            url
        };
        match (self, reached) {
            (AddressPolicy::Anywhere, Reached::Private) if without_fragment(from) == without_fragment(to) => {
                AddressPolicy::Anywhere
            }
            _ => AddressPolicy::PublicAfterRedirect,
        }
    }

    fn refusal(self, url: &Url, address: IpAddr) -> FetchError {
        match self {
            AddressPolicy::PublicAfterRedirect => {
                FetchError::RedirectToPrivate { url: url.to_string(), address }
            }
            _ => FetchError::Private { host: url.host_str().unwrap_or_default().to_owned(), address },
        }
    }
}

/// Sends a GET request for `url`.
pub(super) async fn connect(url: &Url, permission: AddressPolicy) -> Result<(Response, Reached), FetchError> {
    connect_with(url, permission, |client| client.get(url.clone())).await
}

/// Sends the request that `request` makes for `url`.
pub(super) async fn connect_with(
    url: &Url,
    permission: AddressPolicy,
    request: impl FnOnce(&Client) -> RequestBuilder,
) -> Result<(Response, Reached), FetchError> {
    let addresses = addresses(url).await?;
    let allowed: Vec<SocketAddr> = match permission {
        AddressPolicy::Anywhere => addresses.clone(),
        _ => addresses.iter().filter(|address| is_public(address.ip())).copied().collect(),
    };
    if allowed.is_empty() {
        return Err(match addresses.first() {
            Some(address) => permission.refusal(url, address.ip()),
            None => FetchError::Unresolved(url.host_str().unwrap_or_default().to_owned()),
        });
    }
    let reached =
        |address: &SocketAddr| if is_public(address.ip()) { Reached::Public } else { Reached::Private };
    // One private address makes the host private: we cannot determine which address the client connects to.
    let worst = allowed.iter().map(reached).find(|reached| *reached == Reached::Private);
    let client = client(url.clone(), allowed).await?;
    let response = request(&client).send().await.map_err(|error| failure(&error))?;
    Ok((response, worst.unwrap_or(Reached::Public)))
}

/// Returns the addresses of `url`'s host. Numbers in any notation are addresses already: `url` reads 0x7f.1
/// and 2130706433 as browsers do.
async fn addresses(url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
    let port = url.port_or_known_default().unwrap_or(80);
    match url.host() {
        Some(Host::Ipv4(address)) => Ok(vec![SocketAddr::from((address, port))]),
        Some(Host::Ipv6(address)) => Ok(vec![SocketAddr::from((address, port))]),
        Some(Host::Domain(name)) => match tokio::net::lookup_host((name, port)).await {
            Ok(found) => Ok(found.collect()),
            Err(_) => Err(FetchError::Unresolved(name.to_owned())),
        },
        None => Ok(Vec::new()),
    }
}

/// Returns a client that connects to `addresses` and to no others. Each request has its own client, so a
/// connection that another request was permitted to make is never reused.
pub(super) async fn client(url: Url, addresses: Vec<SocketAddr>) -> Result<Client, FetchError> {
    // `build` reads the system's certificates, which blocks.
    let built = tokio::task::spawn_blocking(move || {
        choose_cryptography();
        let builder = ClientBuilder::new()
            .user_agent(USER_AGENT)
            .default_headers(
                [(header::ACCEPT, header::HeaderValue::from_static(ACCEPT))].into_iter().collect(),
            )
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .dns_resolver(Arc::new(NoResolver))
            .pool_max_idle_per_host(0)
            .retry(reqwest::retry::never());
        let builder = match url.host() {
            Some(Host::Domain(name)) => builder.resolve_to_addrs(name, &addresses),
            _ => builder,
        };
        // Without TLS no certificates are needed, so http works on a system that has none.
        let builder = if url.scheme() == "https" { builder } else { builder.tls_certs_only([]) };
        builder.build()
    });
    match built.await {
        Ok(client) => client.map_err(|error| failure(&error)),
        Err(_) => Err(FetchError::Connection("cannot set up an HTTP client".to_owned())),
    }
}

/// A resolver that knows no names: all addresses were resolved before.
struct NoResolver;

impl Resolve for NoResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let unknown = format!("{} was not looked up", name.as_str());
        Box::pin(std::future::ready(Err(unknown.into())))
    }
}

/// Sets the process-wide crypto provider, which reqwest uses.
fn choose_cryptography() {
    static CHOSEN: Once = Once::new();
    CHOSEN.call_once(|| {
        // An error means that a provider is already set, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Converts an error of reqwest, with the message of the innermost error: the outer ones repeat the URL.
pub(super) fn failure(error: &reqwest::Error) -> FetchError {
    if error.is_timeout() {
        return FetchError::TimedOut;
    }
    let mut innermost: &dyn Error = error;
    loop {
        if let Some(error) = innermost.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::ConnectionRefused
        {
            return FetchError::Refused;
        }
        match innermost.source() {
            Some(source) => innermost = source,
            None => return FetchError::Connection(innermost.to_string()),
        }
    }
}
