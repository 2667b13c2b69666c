//! One request to one URL, redirects not followed. Invariant: the name is looked up once, its addresses are judged, and
//! the connection is made to those and to no other: nothing can change between the judgement and the connection.

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Once};

use reqwest::dns::{Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder, Response, header, redirect};
use url::{Host, Url};

use super::address::is_public;
use super::{Approval, FetchError};

/// How we introduce ourselves.
const USER_AGENT: &str = concat!("symd/", env!("CARGO_PKG_VERSION"));

const ACCEPT: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5";

/// Where a request may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    /// To any address.
    Anywhere,
    /// To public addresses.
    Public,
    /// To public addresses, from a page that we were redirected by.
    PublicAfterRedirect,
}

/// What kind of address was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    Public,
    Private,
}

impl Permission {
    pub(super) fn of(approval: Approval) -> Permission {
        match approval {
            Approval::ThisUrl => Permission::Anywhere,
            Approval::ByRule => Permission::Public,
        }
    }

    /// What a redirect leads to: it was not approved, unless it is the very URL that was. Another page of the same private
    /// server is another URL: the approval of one shows nothing about the other.
    pub(super) fn for_redirect(self, reached: Reached, from: &Url, to: &Url) -> Permission {
        let without_fragment = |url: &Url| {
            let mut url = url.clone();
            url.set_fragment(None);
            url
        };
        match (self, reached) {
            (Permission::Anywhere, Reached::Private) if without_fragment(from) == without_fragment(to) => {
                Permission::Anywhere
            }
            _ => Permission::PublicAfterRedirect,
        }
    }

    fn refusal(self, url: &Url, address: IpAddr) -> FetchError {
        match self {
            Permission::PublicAfterRedirect => {
                FetchError::RedirectToPrivate { url: url.to_string(), address }
            }
            _ => FetchError::Private { host: url.host_str().unwrap_or_default().to_owned(), address },
        }
    }
}

/// Asks for `url`.
pub(super) async fn connect(url: &Url, permission: Permission) -> Result<(Response, Reached), FetchError> {
    let addresses = addresses(url).await?;
    let allowed: Vec<SocketAddr> = match permission {
        Permission::Anywhere => addresses.clone(),
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
    // One private address among several makes the host private: which of them is taken is not ours to say.
    let worst = allowed.iter().map(reached).find(|reached| *reached == Reached::Private);
    let client = client(url.clone(), allowed).await?;
    let response = client.get(url.clone()).send().await.map_err(|error| failure(&error))?;
    Ok((response, worst.unwrap_or(Reached::Public)))
}

/// Where `url` leads. Numbers in any spelling are addresses already: `url` reads 0x7f.1 and 2130706433 as browsers do.
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

/// A client that knows `addresses` as those of the host and no others. Each request has its own: a connection that
/// another request was allowed to make is never taken over.
pub(super) async fn client(url: Url, addresses: Vec<SocketAddr>) -> Result<Client, FetchError> {
    // Reads the system's certificates.
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
            .dns_resolver(Arc::new(Nobody))
            .pool_max_idle_per_host(0)
            .retry(reqwest::retry::never());
        let builder = match url.host() {
            Some(Host::Domain(name)) => builder.resolve_to_addrs(name, &addresses),
            _ => builder,
        };
        // Without TLS no certificates are needed, and a system that has none can still fetch.
        let builder = if url.scheme() == "https" { builder } else { builder.tls_certs_only([]) };
        builder.build()
    });
    match built.await {
        Ok(client) => client.map_err(|error| failure(&error)),
        Err(_) => Err(FetchError::Connection("no connection could be set up".to_owned())),
    }
}

/// Knows no name: what was looked up already is all there is.
struct Nobody;

impl Resolve for Nobody {
    fn resolve(&self, name: Name) -> Resolving {
        let unknown = format!("{} was not looked up", name.as_str());
        Box::pin(std::future::ready(Err(unknown.into())))
    }
}

/// reqwest asks the process which implementation it has chosen.
fn choose_cryptography() {
    static CHOSEN: Once = Once::new();
    CHOSEN.call_once(|| {
        // Fails only where one is chosen already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// What went wrong, in the words of the innermost error: the outer ones repeat the URL.
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
