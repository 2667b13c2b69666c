//! One web page fetched, under limits of time, size and redirects, as readable text. Not a browser: no scripts, cookies,
//! caches or proxies (a proxy of the environment would connect in our place, to addresses that nobody checks). Invariant:
//! a connection is made only to an address that was judged (`address`), and to no private one unless the user approved
//! this very URL.

mod address;
mod body;
mod charset;
mod connect;
mod place;
mod readable;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::time::Duration;

use reqwest::{Response, StatusCode, header};
use url::Url;

pub use body::MAX_BODY_BYTES;
pub use place::NotAPlace;

use body::Body;
use connect::{Permission, connect};

/// Redirects that are followed; browsers allow 20.
const MAX_REDIRECTS: usize = 10;

/// What is to be fetched.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    /// As it was written.
    pub url: String,
    /// From looking up the name to the last byte, redirects included.
    pub time_limit: Duration,
    /// What let it be fetched.
    pub approval: Approval,
}

/// What let a page be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// The user, who was shown this very URL: it may lie on this machine or in a private network.
    ThisUrl,
    /// A rule or policy that is about more than this URL: only what everybody can reach is.
    ByRule,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it came from, if that was another URL than the one wanted.
    pub redirected_to: Option<String>,
    /// HTTP's status code.
    pub status: u16,
    /// Bytes received, decompressed; [`MAX_BODY_BYTES`] at most.
    pub length: usize,
    /// Whether there were more.
    pub is_cut: bool,
    /// Its media type in lower case, without parameters; empty if the server says nothing.
    pub media_type: String,
    /// What it says.
    pub content: PageContent,
}

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageContent {
    /// Readable text; HTML without its tags.
    Text(String),
    /// It is no text.
    Binary,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL is none that can be fetched.
    #[error(transparent)]
    Url(#[from] NotAPlace),
    /// It leads to an address that not everybody can reach, and the user has not approved it as such.
    #[error("{host} leads to {address}, which is no public address")]
    Private {
        /// As the URL names it.
        host: String,
        /// Where it leads.
        address: IpAddr,
    },
    /// A page redirects to an address that not everybody can reach, and that was not approved.
    #[error("redirected to {url}, which leads to {address}, no public address")]
    RedirectToPrivate {
        /// Where it redirects to.
        url: String,
        /// Where it leads.
        address: IpAddr,
    },
    /// More redirects than are followed.
    #[error("more than {MAX_REDIRECTS} redirects")]
    Redirects,
    /// A redirect to what is no URL.
    #[error("redirected to something that cannot be fetched: {0}")]
    RedirectNowhere(NotAPlace),
    /// The host's name is not known.
    #[error("could not resolve host {0}")]
    Unresolved(String),
    /// Nobody listens there.
    #[error("connection refused")]
    Refused,
    /// The connection failed, or ended too early.
    #[error("{0}")]
    Connection(String),
    /// The server answers in a compression that was not asked for.
    #[error("the server sent an unknown content encoding: {0}")]
    Encoding(String),
    /// The server says that it does not work.
    #[error("HTTP {0}")]
    Status(u16),
    /// The time was up.
    #[error("timed out")]
    TimedOut,
}

/// Whether a URL, as it was written, is one that can be fetched at all.
pub fn can_be_fetched(url: &str) -> Result<(), NotAPlace> {
    place::parse(url).map(drop)
}

/// Fetches a page.
pub async fn fetch(wanted: &FetchRequest) -> Result<Page, FetchError> {
    let url = place::parse(&wanted.url)?;
    let fetching = follow(url, wanted.approval);
    tokio::time::timeout(wanted.time_limit, fetching).await.unwrap_or(Err(FetchError::TimedOut))
}

/// Follows redirects to the page.
async fn follow(mut url: Url, approval: Approval) -> Result<Page, FetchError> {
    let mut permission = Permission::of(approval);
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

/// Where `response` sends us on.
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
    let next = url.join(&location).map_err(|_| NotAPlace::Malformed);
    next.and_then(place::check).map(Some).map_err(FetchError::RedirectNowhere)
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
    // A megabyte of HTML takes milliseconds: too long for the threads that serve everybody.
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
