//! Fetches one web page as readable text, under limits of time, size and redirects. Not a browser: no
//! scripts, cookies, caches or proxies (a proxy from the environment would connect in our place, to addresses
//! that are not checked). Invariant: a connection is made only to an address that was checked (`address`),
//! and to a private one only if the user approved this very URL, or named it in the settings (`api`).

mod address;
mod api;
mod body;
mod charset;
mod connect;
mod readable;
#[cfg(test)]
mod tests;
mod url_check;

use std::net::IpAddr;
use std::time::Duration;

use reqwest::{Response, StatusCode, header};
use url::Url;

pub use api::{ApiAnswer, ApiMethod, ApiRequest, call_api};
pub use body::MAX_BODY_BYTES;
pub use readable::readable;
pub use url_check::InvalidUrl;

use body::Body;
use connect::{AddressPolicy, connect};

/// The most redirects that are followed; browsers allow 20.
const MAX_REDIRECTS: usize = 10;

/// A page to fetch.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    /// The URL as the client wrote it.
    pub url: String,
    /// The time from the name look-up to the last byte, redirects included.
    pub time_limit: Duration,
    /// What permitted the fetch.
    pub approval: Approval,
}

/// What permitted the fetch of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// The user, who was shown this very URL: it may be on this machine or in a private network.
    ThisUrl,
    /// A rule or policy that covers more than this URL: only public addresses are allowed.
    ByRule,
}

/// A fetched page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The final URL, if it differs from the requested one.
    pub redirected_to: Option<String>,
    /// HTTP's status code.
    pub status: u16,
    /// The number of bytes received, decompressed; at most [`MAX_BODY_BYTES`].
    pub length: usize,
    /// Whether the body was longer.
    pub is_cut: bool,
    /// The media type in lower case, without parameters; empty if the server sends none.
    pub media_type: String,
    pub content: PageContent,
}

/// The content of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageContent {
    /// Readable text; HTML without its tags.
    Text(String),
    /// Not text.
    Binary,
}

/// Why a page could not be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL is not one that can be fetched.
    #[error(transparent)]
    Url(#[from] InvalidUrl),
    /// The host has a private address, and the user has not approved this very URL.
    #[error("{host} leads to {address}, which is not a public address")]
    Private {
        /// The host as the URL names it.
        host: String,
        /// The host's address.
        address: IpAddr,
    },
    /// A page redirects to a private address, which was not approved.
    #[error("redirected to {url}, which leads to {address}, not a public address")]
    RedirectToPrivate {
        /// The redirect's target.
        url: String,
        /// The address of the target's host.
        address: IpAddr,
    },
    /// The limit of redirects is reached.
    #[error("more than {MAX_REDIRECTS} redirects")]
    Redirects,
    /// A page redirects to something that cannot be fetched.
    #[error("redirected to something that cannot be fetched: {0}")]
    RedirectNowhere(InvalidUrl),
    /// The host's name cannot be resolved.
    #[error("could not resolve host {0}")]
    Unresolved(String),
    /// No program listens at the address.
    #[error("connection refused")]
    Refused,
    /// The connection failed, or closed too early.
    #[error("{0}")]
    Connection(String),
    /// The server used a compression that was not requested.
    #[error("the server sent an unknown content encoding: {0}")]
    Encoding(String),
    /// The server answered with an HTTP error status.
    #[error("HTTP {0}")]
    Status(u16),
    /// The time limit passed.
    #[error("timed out")]
    TimedOut,
}

/// Checks whether a URL, as a client wrote it, can be fetched at all.
pub fn can_be_fetched(url: &str) -> Result<(), InvalidUrl> {
    url_check::parse(url).map(drop)
}

pub async fn fetch(wanted: &FetchRequest) -> Result<Page, FetchError> {
    let url = url_check::parse(&wanted.url)?;
    let fetching = follow(url, wanted.approval);
    tokio::time::timeout(wanted.time_limit, fetching).await.unwrap_or(Err(FetchError::TimedOut))
}

/// Fetches the page, following redirects.
async fn follow(mut url: Url, approval: Approval) -> Result<Page, FetchError> {
    let mut permission = AddressPolicy::of(approval);
    for redirects in 0..=MAX_REDIRECTS {
        let (response, reached) = connect(&url, permission).await?;
        let Some(next) = redirect(&url, &response)? else {
            let redirected_to = (redirects > 0).then(|| url.to_string());
            return Ok(Page { redirected_to, ..page(response).await? });
        };
        permission = permission.for_redirect(reached, &url, &next);
        url = next;
    }
    Err(FetchError::Redirects)
}

/// Returns the URL that `response` redirects to, if it does.
fn redirect(url: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
    const FOLLOWED: [StatusCode; 5] = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    let Some(location) = response.headers().get(header::LOCATION) else { return Ok(None) };
    if !FOLLOWED.contains(&response.status()) {
        return Ok(None);
    }
    let location = String::from_utf8_lossy(location.as_bytes());
    let next = url.join(&location).map_err(|_| InvalidUrl::Malformed);
    next.and_then(url_check::check).map(Some).map_err(FetchError::RedirectNowhere)
}

async fn page(response: Response) -> Result<Page, FetchError> {
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        return Err(FetchError::Status(status.as_u16()));
    }
    let said = |name| {
        let value = response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()));
        value.map_or_else(String::new, |value| value.trim().to_ascii_lowercase())
    };
    let encoding = said(header::CONTENT_ENCODING);
    if !matches!(encoding.as_str(), "" | "identity") {
        return Err(FetchError::Encoding(encoding));
    }
    let content_type = said(header::CONTENT_TYPE);
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_owned();
    let body = Body::read(response).await?;
    let (length, is_cut) = (body.bytes.len(), body.is_cut);
    // Converting a megabyte of HTML takes milliseconds: too long for the threads that serve all clients.
    let read = {
        let media_type = media_type.clone();
        tokio::task::spawn_blocking(move || content(&body, &content_type, &media_type)).await
    };
    let content = read.map_err(|_| FetchError::Connection("the page could not be read".to_owned()))?;
    Ok(Page { redirected_to: None, status: status.as_u16(), length, is_cut, media_type, content })
}

fn content(body: &Body, content_type: &str, media_type: &str) -> PageContent {
    let is_html = match media_type {
        "text/html" | "application/xhtml+xml" => true,
        "" => readable::looks_like_html(&body.bytes),
        _ => false,
    };
    match charset::decode(body, content_type, is_html) {
        Some(text) if is_html => PageContent::Text(readable::readable(&text)),
        Some(text) => PageContent::Text(text),
        None => PageContent::Binary,
    }
}
