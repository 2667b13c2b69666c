//! A Chroma server: where it is, what it may be sent, and one request with its answer. Knows nothing of collections. Invariants:
//! nothing is sent before the user's yes to this server, nothing is waited for beyond the caller's deadline, and no redirect is
//! followed.
//!
//! Shapes: `/openapi.json` of `chroma run`; `fixtures/chroma` holds recorded ones.

use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use symd_base::state::StateError;
use symd_config::settings::ChromaSettings;
use symd_fetch::{ApiAnswer, ApiMethod, ApiRequest, FetchError};

use crate::consent::SendingConsent;
use crate::store::StoreError;
use crate::waiting_call::call_and_wait;

/// Maximum number of characters of a server's message that an error shows.
const SHOWN: usize = 200;

/// A database of a Chroma server.
#[derive(Clone)]
pub struct ChromaServer {
    /// As the user wrote it.
    url: String,
    /// The URL of the database.
    database: String,
    token: Option<String>,
    consent: SendingConsent,
}

// The token is never shown.
impl std::fmt::Debug for ChromaServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ChromaServer({})", self.database)
    }
}

/// What came back.
pub(super) enum ChromaAnswer<T> {
    Whole(T),
    /// The answer is longer than what is read of one.
    TooLong,
    /// What the path names is not there.
    Missing,
}

/// Chroma's description of an error.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ChromaError {
    error: String,
    message: String,
}

impl ChromaServer {
    /// Returns the server of the settings, if they name one. `directory` is symd's own, and holds the user's yes.
    pub fn of(settings: &ChromaSettings, directory: &Path) -> Option<ChromaServer> {
        let url = settings.url.as_deref()?.trim_end_matches('/').trim_end_matches("/api/v2");
        let ChromaSettings { tenant, database, token, .. } = settings;
        let about = format!("{url}\n{tenant}\n{database}\n");
        Some(ChromaServer {
            url: url.to_owned(),
            database: format!("{url}/api/v2/tenants/{tenant}/databases/{database}"),
            token: token.clone(),
            consent: SendingConsent::new(directory.join("chroma-consent"), about),
        })
    }

    /// Returns the URL that solutions are sent to.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether the user has said yes to this server.
    pub fn has_consent(&self) -> bool {
        self.consent.is_given()
    }

    /// Keeps the user's yes.
    pub fn consent(&self) -> Result<(), StateError> {
        self.consent.give()
    }

    /// Returns the place that errors name.
    pub(super) fn place(&self) -> String {
        format!("Chroma at {}", self.url)
    }

    pub(super) fn useless(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Service { place: self.place(), reason: reason.into() }
    }

    fn unavailable(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Unavailable { place: self.place(), reason: reason.into() }
    }

    /// Fails if the user has not said yes.
    pub(super) fn check_consent(&self) -> Result<(), StoreError> {
        match self.has_consent() {
            true => Ok(()),
            false => Err(self.unavailable(
                "solutions are sent there only with your yes; `symd solutions connect` asks for it, on a terminal",
            )),
        }
    }

    /// Sends a request to a path beneath the database and reads the answer by `until`.
    pub(super) fn send<T: DeserializeOwned>(
        &self,
        method: ApiMethod,
        path: &str,
        until: Instant,
    ) -> Result<ChromaAnswer<T>, StoreError> {
        self.check_consent()?;
        let time_limit = until.saturating_duration_since(Instant::now());
        // Chroma reads one header, proxies the other.
        let token = |token: &String| {
            [("x-chroma-token", token.clone()), ("authorization", format!("Bearer {token}"))]
        };
        let request = ApiRequest {
            url: format!("{}/{path}", self.database),
            headers: self.token.iter().flat_map(token).collect(),
            method,
            time_limit,
        };
        let answer = match time_limit.is_zero() {
            // The model has used all of the time.
            true => Err(FetchError::TimedOut),
            false => call_and_wait(&request),
        };
        let answer = answer.map_err(|error| self.unreachable(path, &error))?;
        match answer.status {
            200 | 201 if answer.is_cut => Ok(ChromaAnswer::TooLong),
            200 | 201 => {
                let read = serde_json::from_slice(&answer.body).map(ChromaAnswer::Whole);
                read.map_err(|error| self.useless(format!("gave an answer that is not Chroma's: {error}")))
            }
            404 if ChromaError::of(&answer).error == "NotFoundError" => Ok(ChromaAnswer::Missing),
            _ => Err(self.useless(refusal(&answer))),
        }
    }

    fn unreachable(&self, path: &str, error: &FetchError) -> StoreError {
        let last = path.rsplit('/').next().unwrap_or(path);
        match error {
            FetchError::TimedOut => StoreError::Late {
                place: self.place(),
                reason: format!(
                    "it gave no answer to `{last}` within the time that the question has; it may be starting or busy: try again"
                ),
            },
            FetchError::Refused => self.unavailable(
                "connection refused; start it (`chroma run --path DIR --port N`), or correct chroma.url in config.toml",
            ),
            FetchError::Unresolved(_) | FetchError::Url(_) => {
                self.unavailable(format!("{error}; correct chroma.url in config.toml"))
            }
            error => self.unavailable(format!("{error}; it may be restarting: try again")),
        }
    }
}

/// Says what a status means, and what to do.
fn refusal(answer: &ApiAnswer) -> String {
    let said = ChromaError::of(answer).said(answer);
    let status = match said.is_empty() {
        true => format!("HTTP {}", answer.status),
        false => format!("HTTP {}: {said}", answer.status),
    };
    match answer.status {
        300..=399 => {
            format!("redirects ({status}), which is not followed; chroma.url must be the final address")
        }
        401 | 403 => format!("refused the request ({status}); set chroma.token in config.toml"),
        404 | 405 | 410 => {
            format!("has no API v2 ({status}); chroma.url must name a Chroma of version 1.0 or later")
        }
        429 => format!("wants fewer requests ({status}); try again in a moment"),
        502..=504 => format!("is not ready ({status}); it may be starting: try again"),
        _ => format!("refused the request ({status})"),
    }
}

impl ChromaError {
    fn of(answer: &ApiAnswer) -> ChromaError {
        serde_json::from_slice(&answer.body).unwrap_or_default()
    }

    /// Returns the message, or of an answer that is none of Chroma's the beginning.
    fn said(self, answer: &ApiAnswer) -> String {
        let text = match self.message.is_empty() {
            true => String::from_utf8_lossy(&answer.body).into_owned(),
            false => self.message,
        };
        text.trim().chars().filter(|c| !c.is_control()).take(SHOWN).collect()
    }
}
