//! Sends a request to an API that the user has configured, and returns the answer as bytes. Follows no redirect:
//! the request may hold a key, which must not reach another host.

use std::time::Duration;

use reqwest::{Response, header};
use url::Url;

use super::body::Body;
use super::connect::{AddressPolicy, connect_with};
use super::{FetchError, url_check};

/// A request to an API.
#[derive(Clone, Debug)]
pub struct ApiRequest {
    /// The whole URL. Its host may be on this machine or in a private network: it is from the user's settings.
    pub url: String,
    /// Header names in lower case, and their values.
    pub headers: Vec<(&'static str, String)>,
    pub method: ApiMethod,
    /// The time from the name look-up to the last byte.
    pub time_limit: Duration,
}

/// An HTTP method, and the JSON that is sent with it.
#[derive(Clone, Debug)]
pub enum ApiMethod {
    Get,
    Post(String),
    Put(String),
}

/// An API's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiAnswer {
    /// HTTP's status code, whatever it is.
    pub status: u16,
    /// The headers that are text: names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// At most [`super::MAX_BODY_BYTES`], decompressed.
    pub body: Vec<u8>,
    /// Whether the body was longer.
    pub is_cut: bool,
}

impl ApiAnswer {
    /// Returns the first header with this name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Sends a request.
pub async fn call_api(request: &ApiRequest) -> Result<ApiAnswer, FetchError> {
    let url = url_check::parse(&request.url)?;
    let answering = async { answer(send(url, request).await?).await };
    tokio::time::timeout(request.time_limit, answering).await.unwrap_or(Err(FetchError::TimedOut))
}

async fn send(url: Url, request: &ApiRequest) -> Result<Response, FetchError> {
    let (response, _) = connect_with(&url, AddressPolicy::Anywhere, |client| {
        let (mut sent, json) = match &request.method {
            ApiMethod::Get => (client.get(url.clone()), None),
            ApiMethod::Post(json) => (client.post(url.clone()), Some(json)),
            ApiMethod::Put(json) => (client.put(url.clone()), Some(json)),
        };
        if let Some(json) = json {
            sent = sent.header(header::CONTENT_TYPE, "application/json").body(json.clone());
        }
        for (name, value) in &request.headers {
            sent = sent.header(*name, value);
        }
        sent
    })
    .await?;
    Ok(response)
}

async fn answer(response: Response) -> Result<ApiAnswer, FetchError> {
    let status = response.status().as_u16();
    let text = |value: &header::HeaderValue| value.to_str().ok().map(str::to_owned);
    let headers: Vec<(String, String)> = response
        .headers()
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), text(value)?)))
        .collect();
    let encoding = headers.iter().find(|(name, _)| name == "content-encoding").map(|(_, value)| value);
    if let Some(encoding) = encoding.filter(|encoding| !matches!(encoding.as_str(), "" | "identity")) {
        return Err(FetchError::Encoding(encoding.clone()));
    }
    let body = Body::read(response).await?;
    Ok(ApiAnswer { status, headers, body: body.bytes, is_cut: body.is_cut })
}
