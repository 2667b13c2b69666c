//! The APIs: what is sent to each, and how its answers and refusals are read.

mod algolia;
mod github;
mod google;
mod mdn;
mod refusal;
mod stack_exchange;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use symd_base::Timestamp;
use symd_config::settings::{DocsApi, DocsSearchSettings};
use symd_fetch::{ApiAnswer, ApiMethod, ApiRequest};

use crate::cache::CachedAnswer;

pub(super) use refusal::Refusal;

/// An API. The order is that of equally relevant pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Api {
    StackExchange,
    GithubIssues,
    KotlinDocs,
    AndroidDocs,
    Mdn,
}

/// A page as an API describes it. Its texts are one line each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FoundPage {
    pub(super) title: String,
    pub(super) url: String,
    pub(super) text: String,
    /// Whether the question is answered, the issue closed; of documentation always.
    pub(super) is_settled: bool,
}

/// What an API found.
#[derive(Debug, Default)]
pub(super) struct Pages {
    list: Vec<FoundPage>,
    /// All that there are, where the API says it.
    total: Option<usize>,
}

/// The part of a request that differs between the APIs.
struct ApiQuery {
    path: String,
    parameters: Vec<(&'static str, String)>,
    headers: Vec<(&'static str, String)>,
}

impl Api {
    pub(super) fn name(self) -> &'static str {
        match self {
            Api::StackExchange => "stackoverflow",
            Api::GithubIssues => "github",
            Api::KotlinDocs => "kotlin",
            Api::AndroidDocs => "android",
            Api::Mdn => "mdn",
        }
    }

    pub(super) fn settings(self, all: &DocsSearchSettings) -> &DocsApi {
        match self {
            Api::StackExchange => &all.stackoverflow,
            Api::GithubIssues => &all.github,
            Api::KotlinDocs => &all.kotlin,
            Api::AndroidDocs => &all.android,
            Api::Mdn => &all.mdn,
        }
    }

    fn public_url(self) -> &'static str {
        match self {
            Api::StackExchange => stack_exchange::URL,
            Api::GithubIssues => github::URL,
            Api::KotlinDocs => algolia::URL,
            Api::AndroidDocs => google::URL,
            Api::Mdn => mdn::URL,
        }
    }

    /// Returns which setting is missing, if one is.
    pub(super) fn lacks(self, settings: &DocsApi) -> Option<String> {
        match self {
            Api::KotlinDocs => algolia::lacks(settings),
            Api::AndroidDocs => google::lacks(settings),
            Api::StackExchange | Api::GithubIssues | Api::Mdn => None,
        }
    }

    /// Returns the host that is sent to, with its port where that is unusual.
    pub(super) fn host(self, settings: &DocsApi) -> String {
        let url = settings.url.as_deref().unwrap_or(self.public_url());
        match Url::parse(url) {
            Ok(url) => match (url.host_str(), url.port()) {
                (Some(host), Some(port)) => format!("{host}:{port}"),
                (Some(host), None) => host.to_owned(),
                (None, _) => url.to_string(),
            },
            Err(_) => url.to_owned(),
        }
    }

    /// Returns the request; conditional if an answer is in the cache.
    pub(super) fn request(
        self,
        settings: &DocsApi,
        query: &str,
        cached: Option<&CachedAnswer>,
        time_limit: Duration,
    ) -> ApiRequest {
        let ApiQuery { path, parameters, mut headers } = match self {
            Api::StackExchange => stack_exchange::query(settings, query),
            Api::GithubIssues => github::query(settings, query),
            Api::KotlinDocs => algolia::query(settings, query),
            Api::AndroidDocs => google::query(settings, query),
            Api::Mdn => mdn::query(query),
        };
        let mut encoded = url::form_urlencoded::Serializer::new(String::new());
        parameters.iter().for_each(|(name, value)| {
            encoded.append_pair(name, value);
        });
        let base = settings.url.as_deref().unwrap_or(self.public_url()).trim_end_matches('/');
        let url = format!("{base}{path}?{}", encoded.finish());
        if let Some(etag) = cached.and_then(|cached| cached.etag.clone()) {
            headers.push(("if-none-match", etag));
        }
        if let Some(time) = cached.and_then(|cached| cached.last_modified.clone()) {
            headers.push(("if-modified-since", time));
        }
        if headers.iter().all(|(name, _)| *name != "accept") {
            headers.push(("accept", "application/json".to_owned()));
        }
        ApiRequest { url, headers, method: ApiMethod::Get, time_limit }
    }

    /// Reads an answer: what was found, and for how long the API asks for silence.
    pub(super) fn read(
        self,
        answer: &ApiAnswer,
        cached: Option<&CachedAnswer>,
        now: Timestamp,
    ) -> Result<(CachedAnswer, Option<Duration>), Refusal> {
        let own = |name: &str| answer.header(name).map(str::to_owned);
        if let (304, Some(cached)) = (answer.status, cached) {
            let same = CachedAnswer {
                time: now.seconds(),
                etag: own("etag").or_else(|| cached.etag.clone()),
                ..cached.clone()
            };
            return Ok((same, None));
        }
        let json: Option<Value> = serde_json::from_slice(&answer.body).ok();
        if let Some(refusal) = refusal::read(self, answer, json.as_ref(), now) {
            return Err(refusal);
        }
        let Some(json) = json else { return Err(refusal::not_json(self, answer)) };
        let pages = match self {
            Api::StackExchange => stack_exchange::pages(&json),
            Api::GithubIssues => github::pages(&json),
            Api::KotlinDocs => algolia::pages(&json),
            Api::AndroidDocs => google::pages(&json),
            Api::Mdn => mdn::pages(&json),
        };
        let Some(Pages { list, total }) = pages else { return Err(refusal::other_shape(self)) };
        let list: Vec<FoundPage> =
            list.into_iter().filter(|page| is_link(&page.url)).take(crate::HITS).collect();
        let answer = CachedAnswer {
            total: total.unwrap_or_default().max(list.len()),
            hits: list,
            etag: own("etag"),
            last_modified: own("last-modified"),
            time: now.seconds(),
        };
        let pause = json["backoff"].as_u64().filter(|_| self == Api::StackExchange).map(Duration::from_secs);
        Ok((answer, pause))
    }
}

/// Whether an API's link can be given to people: they may follow it.
fn is_link(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "https" | "http") && url.host_str().is_some())
}

/// Returns the string at a pointer, or an empty one.
fn text_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the number at a pointer.
fn count_at(value: &Value, pointer: &str) -> Option<usize> {
    value.pointer(pointer).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok())
}
