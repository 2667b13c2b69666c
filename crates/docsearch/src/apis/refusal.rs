//! Reads what is no answer: limits, errors, and pages that are not JSON. Sources: RFC 9110 10.2.3 (Retry-After),
//! <https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api>,
//! <https://api.stackexchange.com/docs/throttle> and `/docs/error-handling`.

use std::time::Duration;

use serde_json::Value;

use symd_base::Timestamp;
use symd_fetch::ApiAnswer;

use super::{Api, text_at};
use crate::snippet::one_line;

/// Stack Exchange's `error_id` of a client that sent too much; HTTP's status is 400 then.
const THROTTLED: u64 = 502;

/// Maximum number of characters of an API's own message.
const MAX_MESSAGE: usize = 160;

/// Why an API did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// With the API's name.
    pub(crate) reason: String,
    /// For how long it wants to be left alone, if it says that.
    pub(crate) wait: Option<Duration>,
    /// Whether too many requests are the reason.
    pub(crate) is_limit: bool,
    /// Whether the next question must wait.
    pub(crate) counts: bool,
}

/// Returns the refusal in an answer, if it is one.
pub(super) fn read(api: Api, answer: &ApiAnswer, json: Option<&Value>, now: Timestamp) -> Option<Refusal> {
    let error_id = json.and_then(|json| json["error_id"].as_u64());
    if (200..300).contains(&answer.status) && error_id.is_none() {
        return None;
    }
    let message = message(json);
    let wait = retry_after(answer, now).or_else(|| seconds_in(&message));
    let has_no_more = answer.header("x-ratelimit-remaining") == Some("0");
    let is_limit = answer.status == 429
        || error_id == Some(THROTTLED)
        || answer.status == 403
            && (has_no_more || wait.is_some() || message.to_lowercase().contains("limit"));
    let name = api.name();
    let said = if message.is_empty() { String::new() } else { format!(" ({message})") };
    let reason = match answer.status {
        _ if is_limit => {
            let until = wait.map_or_else(String::new, |wait| {
                format!("; it can be asked again in {}", crate::time(wait.as_secs()))
            });
            format!("{name} allows no more requests now{said}{until}")
        }
        300..=399 => format!(
            "{name} answered HTTP {}, a redirect, which is not followed; correct docs_search.{name}.url",
            answer.status
        ),
        401 | 403 => format!("{name} answered HTTP {}{said}; check docs_search.{name}.key", answer.status),
        status => format!("{name} answered HTTP {status}{said}"),
    };
    let counts = is_limit || answer.status >= 500;
    Some(Refusal { reason, wait, is_limit, counts })
}

/// The refusal for a page where JSON is expected, such as that of a network that wants a login.
pub(super) fn not_json(api: Api, answer: &ApiAnswer) -> Refusal {
    let name = api.name();
    let kind = answer.header("content-type").unwrap_or("no content type");
    let kind = kind.split(';').next().unwrap_or(kind).trim();
    let reason = match answer.is_cut {
        true => format!("{name} sent more than 1 MB, which is not read"),
        false => {
            format!("{name} sent no JSON but {}; is a proxy or a login page in between?", one_line(kind))
        }
    };
    Refusal { reason, wait: None, is_limit: false, counts: false }
}

/// The refusal for JSON of another shape.
pub(super) fn other_shape(api: Api) -> Refusal {
    let name = api.name();
    let reason = format!("{name} answered in a form that symd does not know; check docs_search.{name}.url");
    Refusal { reason, wait: None, is_limit: false, counts: false }
}

/// Returns the API's own message.
fn message(json: Option<&Value>) -> String {
    let Some(json) = json else { return String::new() };
    let texts = ["/error_message", "/message", "/error/message", "/error"].map(|at| text_at(json, at));
    let text = texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    one_line(text).chars().take(MAX_MESSAGE).collect()
}

fn retry_after(answer: &ApiAnswer, now: Timestamp) -> Option<Duration> {
    let until = |seconds: u64| Duration::from_secs(seconds.saturating_sub(now.seconds()));
    if let Some(value) = answer.header("retry-after") {
        if let Ok(seconds) = value.trim().parse() {
            return Some(Duration::from_secs(seconds));
        }
        let time = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value.trim()).ok();
        if let Some(time) = time.and_then(|time| u64::try_from(time.as_second()).ok()) {
            return Some(until(time));
        }
    }
    // GitHub's primary limit: the time at which requests are allowed again.
    let remaining = answer.header("x-ratelimit-remaining");
    let reset = answer.header("x-ratelimit-reset").and_then(|reset| reset.trim().parse().ok());
    (remaining == Some("0")).then(|| reset.map(until)).flatten()
}

/// Returns the seconds in Stack Exchange's "more requests available in 82216 seconds".
fn seconds_in(message: &str) -> Option<Duration> {
    let (_, after) = message.split_once("available in ")?;
    let number: u64 = after.split(' ').next()?.parse().ok()?;
    after.contains("second").then(|| Duration::from_secs(number))
}
