//! Searches documentation on the web: Stack Exchange, GitHub issues, MDN, the documentation of Kotlin and Android.
//! Sends exactly the text that it is given; what may leave the machine, and with whose consent, is decided by the
//! caller. Invariants: no more than one attempt per API and question; an API that asked to be left alone is not asked
//! before its time, by no process of this user.

mod apis;
mod cache;
mod relevance;
mod snippet;
#[cfg(test)]
mod tests;
mod wait;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use symd_base::Timestamp;
use symd_config::settings::DocsSearchSettings;
use symd_fetch::call_api;

use apis::{Api, Refusal};
use cache::CachedAnswer;
use wait::Wait;

/// The hits that an API is asked for, whatever the caller's limit: so one cached answer serves all.
const HITS: usize = 10;

/// How long a cached answer is used without asking.
const FRESH: Duration = Duration::from_secs(3_600);

/// How long a cached answer is used if its API does not answer.
const USABLE: Duration = Duration::from_secs(30 * 86_400);

/// A source as the contract names it. `Docs` is several APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocsSource {
    StackOverflow,
    Github,
    Docs,
    Mdn,
}

impl DocsSource {
    pub const ALL: [DocsSource; 4] =
        [DocsSource::StackOverflow, DocsSource::Github, DocsSource::Docs, DocsSource::Mdn];

    /// Returns the contract's word.
    pub fn name(self) -> &'static str {
        match self {
            DocsSource::StackOverflow => "stackoverflow",
            DocsSource::Github => "github",
            DocsSource::Docs => "docs",
            DocsSource::Mdn => "mdn",
        }
    }

    fn apis(self) -> &'static [Api] {
        match self {
            DocsSource::StackOverflow => &[Api::StackExchange],
            DocsSource::Github => &[Api::GithubIssues],
            DocsSource::Docs => &[Api::KotlinDocs, Api::AndroidDocs],
            DocsSource::Mdn => &[Api::Mdn],
        }
    }
}

/// A page that was found. Its texts are one line each, without control characters.
#[derive(Clone, Debug, PartialEq)]
pub struct DocsHit {
    pub title: String,
    pub url: String,
    /// At most 200 characters.
    pub snippet: String,
    pub source: DocsSource,
    /// From 0 to 1: how much of the query is in the title and the text, and where the source ranks it.
    pub relevance: f64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocsFound {
    /// The most relevant first.
    pub hits: Vec<DocsHit>,
    /// The number of hits before the limit.
    pub total: usize,
    /// Which sources are missing, or old, and why.
    pub notices: Vec<String>,
}

/// Why nothing was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocsSearchError {
    /// Every source that failed asked to be left alone for some time.
    #[error("{0}")]
    RateLimited(String),
    /// All sources failed.
    #[error("{0}")]
    Failed(String),
}

/// Searches for one user. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DocsSearch {
    settings: Arc<DocsSearchSettings>,
    directory: PathBuf,
}

impl DocsSearch {
    /// Keeps answers beneath symd's cache directory.
    pub fn new(settings: &DocsSearchSettings, cache: &Path) -> DocsSearch {
        DocsSearch { settings: Arc::new(settings.clone()), directory: cache.join("docs-search") }
    }

    /// Returns the hosts that a search of `source` sends to; none where the source still lacks a setting.
    pub fn hosts(&self, source: DocsSource) -> Vec<String> {
        let configured = source.apis().iter().filter(|api| api.lacks(api.settings(&self.settings)).is_none());
        configured.map(|api| api.host(api.settings(&self.settings))).collect()
    }

    /// Returns what a source lacks before it can be searched; `None` if one of its APIs is usable.
    pub fn lacks(&self, source: DocsSource) -> Option<String> {
        let lacks: Vec<String> =
            source.apis().iter().filter_map(|api| api.lacks(api.settings(&self.settings))).collect();
        (lacks.len() == source.apis().len()).then(|| lacks.join("; "))
    }

    /// Sends `query` to all sources at once and merges what they find. No API is waited for longer than `patience`.
    pub async fn search(
        &self,
        query: &str,
        sources: &[DocsSource],
        limit: usize,
        patience: Duration,
    ) -> Result<DocsFound, DocsSearchError> {
        let mut asked = tokio::task::JoinSet::new();
        for &source in sources {
            for &api in source.apis() {
                // One of a source's APIs may be without a key.
                if source.apis().len() > 1
                    && api.lacks(api.settings(&self.settings)).is_some()
                    && self.lacks(source).is_none()
                {
                    continue;
                }
                let (search, query) = (self.clone(), query.to_owned());
                asked.spawn(async move { (source, api, search.ask(api, &query, patience).await) });
            }
        }
        let mut answers = asked.join_all().await;
        answers.sort_by_key(|(source, api, _)| (*source, *api));
        merged(query, answers, limit)
    }

    /// Asks one API, or answers from the cache.
    async fn ask(&self, api: Api, query: &str, patience: Duration) -> Result<ApiHits, ApiFailure> {
        let settings = api.settings(&self.settings).clone();
        if let Some(lacks) = api.lacks(&settings) {
            return Err(ApiFailure { reason: lacks, is_limit: false });
        }
        let now = Timestamp::now();
        let file = self.directory.join(cache::name(api, &settings, query));
        let wait_file = self.directory.join(format!("wait-{}", api.name()));
        let known = {
            let (file, wait_file) = (file.clone(), wait_file.clone());
            tokio::task::spawn_blocking(move || (CachedAnswer::read(&file), Wait::read(&wait_file))).await
        };
        let (cached, wait) = known.unwrap_or_default();
        if let Some(cached) = cached.as_ref().filter(|cached| cached.age(now) < FRESH) {
            return Ok(ApiHits { answer: cached.clone(), notice: None });
        }
        if let Some(seconds) = wait.remaining(now) {
            let reason =
                format!("{} asked to be left alone; symd asks it again in {}", api.name(), time(seconds));
            return old_or(api, cached, now, ApiFailure { reason, is_limit: wait.is_limit });
        }
        let request = api.request(&settings, query, cached.as_ref(), patience);
        let (refusal, answered) = match call_api(&request).await {
            Ok(answer) => match api.read(&answer, cached.as_ref(), now) {
                Ok(answered) => (None, Some(answered)),
                Err(refusal) => (Some(refusal), None),
            },
            Err(error) => {
                let reason = match error {
                    symd_fetch::FetchError::TimedOut => {
                        format!("{} did not answer within {} ms", api.name(), patience.as_millis())
                    }
                    error => format!("{}: {error}", api.name()),
                };
                (Some(Refusal { reason, wait: None, is_limit: false, counts: false }), None)
            }
        };
        let next = match (&refusal, &answered) {
            (Some(refusal), _) => wait.after_refusal(refusal, now),
            (None, Some((_, asked_to_wait))) => Wait::after_answer(*asked_to_wait, now),
            (None, None) => Wait::default(),
        };
        let stored = answered.as_ref().map(|(answer, _)| answer.clone());
        let directory = self.directory.clone();
        let kept = tokio::task::spawn_blocking(move || {
            next.write(&wait_file, wait);
            if let Some(answer) = stored {
                answer.write(&directory, &file);
            }
        });
        if let Err(error) = kept.await {
            tracing::error!(%error, "an answer about documentation was not kept");
        }
        match (answered, refusal) {
            (Some((answer, _)), _) => Ok(ApiHits { answer, notice: None }),
            (None, Some(refusal)) => {
                let failure = ApiFailure { reason: refusal.reason, is_limit: refusal.is_limit };
                old_or(api, cached, now, failure)
            }
            (None, None) => {
                Err(ApiFailure { reason: format!("{} did not answer", api.name()), is_limit: false })
            }
        }
    }
}

/// What an API found, now or earlier.
struct ApiHits {
    answer: CachedAnswer,
    notice: Option<String>,
}

/// Why an API gave no answer.
#[derive(Debug)]
struct ApiFailure {
    reason: String,
    is_limit: bool,
}

/// Returns an older answer, if there is one that is still of use.
fn old_or(
    api: Api,
    cached: Option<CachedAnswer>,
    now: Timestamp,
    failure: ApiFailure,
) -> Result<ApiHits, ApiFailure> {
    let Some(answer) = cached.filter(|cached| cached.age(now) < USABLE) else { return Err(failure) };
    let age = time(answer.age(now).as_secs());
    let notice = format!("{}; what {} found {age} ago is given", failure.reason, api.name());
    Ok(ApiHits { answer, notice: Some(notice) })
}

fn merged(
    query: &str,
    answers: Vec<(DocsSource, Api, Result<ApiHits, ApiFailure>)>,
    limit: usize,
) -> Result<DocsFound, DocsSearchError> {
    let mut found = DocsFound::default();
    let mut failures = Vec::new();
    let words = relevance::words(query);
    let mut answered = 0;
    for (source, _, answer) in answers {
        match answer {
            Err(failure) => failures.push(failure),
            Ok(ApiHits { answer, notice }) => {
                answered += 1;
                found.total += answer.total;
                found.notices.extend(notice);
                let count = answer.hits.len();
                found.hits.extend(answer.hits.iter().enumerate().map(|(rank, hit)| DocsHit {
                    title: hit.title.clone(),
                    url: hit.url.clone(),
                    snippet: snippet::excerpt(&hit.text, &words),
                    source,
                    relevance: relevance::relevance(hit, &words, rank, count),
                }));
            }
        }
    }
    if answered == 0 && !failures.is_empty() {
        let is_limit = failures.iter().all(|failure| failure.is_limit);
        let reasons: Vec<String> = failures.into_iter().map(|failure| failure.reason).collect();
        let reasons = reasons.join("; ");
        return Err(match is_limit {
            true => DocsSearchError::RateLimited(reasons),
            false => DocsSearchError::Failed(reasons),
        });
    }
    found.notices.extend(failures.into_iter().map(|failure| failure.reason));
    // Stable: equal ones keep the order of the sources, and of each source's hits.
    found.hits.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    found.hits.truncate(limit);
    Ok(found)
}

/// Formats seconds in one unit, rounded up.
fn time(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
}
