//! Answers on disk, with the validators by which their API tells whether they are still true. Holds what was found and
//! no key; a file that cannot be read counts as missing. Invariant: a bounded number of files.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use symd_base::{Timestamp, state};
use symd_config::settings::DocsApi;

use crate::apis::{Api, FoundPage};

/// Maximum number of answers that are kept.
const MAX_FILES: usize = 400;

/// The end of the names of answers.
const SUFFIX: &str = ".answer";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CachedAnswer {
    pub(super) hits: Vec<FoundPage>,
    pub(super) total: usize,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    /// Seconds since 1970: when the API last said that this is its answer.
    pub(super) time: u64,
}

/// Returns the name of the file with the answer to `query`.
pub(super) fn name(api: Api, settings: &DocsApi, query: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [
        api.name(),
        settings.url.as_deref().unwrap_or_default(),
        settings.engine.as_deref().unwrap_or_default(),
        query,
    ] {
        hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("{}{SUFFIX}", &hasher.finalize().to_hex()[..32])
}

impl CachedAnswer {
    pub(super) fn read(file: &Path) -> Option<CachedAnswer> {
        serde_json::from_slice(&state::read_file(file).ok()??).ok()
    }

    pub(super) fn age(&self, now: Timestamp) -> Duration {
        match now.seconds().checked_sub(self.time) {
            Some(seconds) => Duration::from_secs(seconds),
            // The clock was set back: old enough to be asked about again.
            None => crate::FRESH,
        }
    }

    /// Keeps the answer, and removes the oldest where there are too many. What cannot be written is asked for again.
    pub(super) fn write(&self, directory: &Path, file: &Path) {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        let written = state::private_dir(directory).and_then(|()| state::replace_file(file, &[&bytes]));
        if let Err(error) = written.and_then(|()| remove_oldest(directory)) {
            tracing::warn!(%error, "cannot keep an answer about documentation");
        }
    }
}

fn remove_oldest(directory: &Path) -> Result<(), state::StateError> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Ok(()) };
    let mut files: Vec<_> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(SUFFIX))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    let excess = files.len().saturating_sub(MAX_FILES);
    if excess == 0 {
        return Ok(());
    }
    files.sort();
    // Some more, so that not every answer removes one.
    files.iter().take(excess + MAX_FILES / 10).try_for_each(|(_, file)| state::remove_file(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_and_their_number_is_bounded() {
        let scratch = tempfile::tempdir().expect("a folder");
        let directory = scratch.path().join("docs");
        let answer = CachedAnswer { total: 7, etag: Some("\"a\"".to_owned()), ..CachedAnswer::default() };
        for number in 0..=MAX_FILES {
            let file = directory.join(name(Api::Mdn, &DocsApi::default(), &number.to_string()));
            answer.write(&directory, &file);
            assert_eq!(CachedAnswer::read(&file), Some(answer.clone()));
        }
        let left = std::fs::read_dir(&directory).expect("listed").count();
        assert_eq!(left, MAX_FILES - MAX_FILES / 10);
        let damaged = directory.join("x.answer");
        state::replace_file(&damaged, &[b"{\"hits\":"]).expect("written");
        assert_eq!(CachedAnswer::read(&damaged), None);
    }

    #[test]
    fn names_differ_by_everything_but_the_key() {
        let with = |url: &str, key: &str| DocsApi {
            url: Some(url.to_owned()),
            key: Some(key.to_owned()),
            engine: None,
        };
        let named = |settings: &DocsApi, query: &str| name(Api::Mdn, settings, query);
        assert_eq!(named(&with("http://a", "k"), "q"), named(&with("http://a", "l"), "q"));
        assert_ne!(named(&with("http://a", "k"), "q"), named(&with("http://b", "k"), "q"));
        assert_ne!(named(&with("http://a", "k"), "q"), named(&with("http://a", "k"), "p"));
        assert_ne!(
            name(Api::GithubIssues, &DocsApi::default(), "q"),
            name(Api::Mdn, &DocsApi::default(), "q")
        );
    }
}
