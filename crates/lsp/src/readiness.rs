//! Decides when a server is ready: a conjunction of named facts, each with the moment it was reported. Pure:
//! it knows no clock, no process and no JSON; its owner passes facts in and calls it again at
//! [`Readiness::next`].
//!
//! A server is ready when all of these hold: it is initialized; no progress is open, and none was for
//! [`Rules::start_grace_ms`] after `initialized` and after the end of the last one (servers load in several
//! steps with short gaps between them), unless its progress is known to be unrelated to loading
//! ([`Rules::ignores_progress`]); it is `quiescent`, if it reports that; it has sent its own notification or
//! log message, if the rules name one. For a server that loads nothing before a document is opened, all this
//! counts from the first document on ([`Rules::opens_first`]). After the time limit the server counts as
//! ready in any case, with a note that its answers may be incomplete. Later progress leaves it ready with
//! such a note; a later `quiescent: false` makes it not ready. A server that reports nothing at all gets the
//! note for [`SILENT_START`]. A server whose answers are known to wait for its work, so that the first is complete, gets
//! neither note ([`Rules::whole_from_start`]).
//!
//! A server whose inner process crashes may end its progress as if it had succeeded
//! (typescript-language-server, when tsserver dies). The only sign is a complaint close to the end of
//! progress: an error by `window/showMessage`, or `health: error`. The server then counts as ready, because
//! it may go on working, but with a note, until its next progress ends without a complaint.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use symd_config::server::Readiness as Rules;

/// An end of progress and a complaint within this time are related.
const RELATED_WITHIN: Duration = Duration::from_secs(1);
/// For this long after `initialized` a server that reported nothing about its work may still be indexing
/// (pyrefly's first seconds give a fraction of the answer, with no sign of it).
const SILENT_START: Duration = Duration::from_secs(10);
/// The maximum number of open progress tokens whose state is kept. More is a leak of tokens; the first by
/// name is dropped.
const MAX_OPEN_PROGRESS: usize = 64;

/// An event that may change a server's readiness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadinessEvent {
    /// `initialize` was answered and `initialized` sent.
    Initialized,
    /// A document was opened, or could not be read.
    Opened,
    /// `$/progress` began.
    Begin { token: String, title: String, percentage: Option<u32> },
    /// `$/progress` reported.
    Report { token: String, percentage: Option<u32> },
    /// `$/progress` ended.
    End { token: String },
    /// `experimental/serverStatus`.
    Status { quiescent: bool, healthy: bool, message: Option<String> },
    /// The log message of the rules.
    LoggedSign,
    /// A notification of another method.
    Notification { method: String },
    /// `window/showMessage` of type error.
    Complaint { message: String },
}

/// The readiness state of one running server.
#[derive(Clone, Debug)]
pub(super) struct Readiness {
    rules: Rules,
    initialized: Option<Instant>,
    opened: Option<Instant>,
    open: BTreeMap<String, Step>,
    begun: bool,
    last_end: Option<Instant>,
    quiescent: Option<bool>,
    notified: bool,
    logged: bool,
    complaint: Option<(Instant, String)>,
    /// The complaint because of which the work that ended last is not trusted.
    untrusted_reason: Option<String>,
    was_ready: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    title: String,
    percentage: Option<u32>,
}

/// A server's readiness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadinessState {
    /// Not ready; what it waits for: "indexing (43 %)".
    Loading(String),
    Ready,
    /// Ready, but its answers may be incomplete; the reason.
    MaybeIncomplete(String),
}

impl Readiness {
    pub(super) fn new(rules: Rules) -> Readiness {
        Readiness {
            rules,
            initialized: None,
            opened: None,
            open: BTreeMap::new(),
            begun: false,
            last_end: None,
            quiescent: None,
            notified: false,
            logged: false,
            complaint: None,
            untrusted_reason: None,
            was_ready: false,
        }
    }

    /// Processes an event.
    pub(super) fn process_event(&mut self, now: Instant, told: ReadinessEvent) {
        // Evaluated first, because the server may have become ready merely by time before this event.
        let _ = self.standing(now);
        match told {
            ReadinessEvent::Initialized => self.initialized = Some(now),
            ReadinessEvent::Opened => self.opened = self.opened.or(Some(now)),
            ReadinessEvent::Begin { token, title, percentage } => {
                self.begun = true;
                if self.open.len() == MAX_OPEN_PROGRESS {
                    self.open.pop_first();
                }
                self.open.insert(token, Step { title, percentage });
            }
            ReadinessEvent::Report { token, percentage } => {
                if let Some(step) = self.open.get_mut(&token) {
                    step.percentage = percentage.or(step.percentage);
                }
            }
            ReadinessEvent::End { token } => {
                if self.open.remove(&token).is_some() && self.open.is_empty() {
                    self.last_end = Some(now);
                    self.untrusted_reason = self.complaint_at(now);
                }
            }
            ReadinessEvent::Status { quiescent, healthy, message } => {
                self.quiescent = Some(quiescent);
                if healthy {
                    self.complaint = None;
                    self.untrusted_reason = None;
                } else {
                    self.record_complaint(now, message.unwrap_or_else(|| "it reports an error".to_owned()));
                }
            }
            ReadinessEvent::Notification { method } => {
                self.notified |= self.rules.notification.as_deref() == Some(method.as_str());
            }
            ReadinessEvent::LoggedSign => self.logged = true,
            ReadinessEvent::Complaint { message } => self.record_complaint(now, message),
        }
    }

    fn record_complaint(&mut self, now: Instant, message: String) {
        self.complaint = Some((now, message));
        if self.last_end.is_some_and(|end| now.duration_since(end) <= RELATED_WITHIN) {
            self.untrusted_reason = self.complaint_at(now);
        }
    }

    fn complaint_at(&self, now: Instant) -> Option<String> {
        let (at, message) = self.complaint.as_ref()?;
        (now.duration_since(*at) <= RELATED_WITHIN).then(|| message.clone())
    }

    /// Returns the readiness at `now`. Remembers whether the server has ever been ready.
    pub(super) fn standing(&mut self, now: Instant) -> ReadinessState {
        let Some(initialized) = self.initialized else {
            return ReadinessState::Loading("it is starting".to_owned());
        };
        if self.waits_for_document() {
            return ReadinessState::MaybeIncomplete(
                "it loads nothing before a document is opened".to_owned(),
            );
        }
        let begun = self.begun_at(initialized);
        let missing = self.missing(now, begun);
        let over = now >= begun + Duration::from_secs(self.rules.timeout);
        self.was_ready |= missing.is_none() || over;
        match missing {
            Some(missing) if !self.was_ready || (self.quiescent == Some(false) && !over) => {
                ReadinessState::Loading(missing)
            }
            // An answer waits for the work.
            Some(_) if self.rules.whole_from_start && self.quiescent != Some(false) => ReadinessState::Ready,
            Some(missing) => ReadinessState::MaybeIncomplete(missing),
            None => match &self.untrusted_reason {
                Some(message) => {
                    ReadinessState::MaybeIncomplete(format!("its work ended with an error: {message}"))
                }
                None if !self.rules.whole_from_start && self.is_silent() && now < begun + SILENT_START => {
                    ReadinessState::MaybeIncomplete("it has just been started".to_owned())
                }
                None => ReadinessState::Ready,
            },
        }
    }

    /// Returns the next moment at which the readiness may change without an event.
    pub(super) fn next(&self, now: Instant) -> Option<Instant> {
        let begun = self.begun_at(self.initialized?);
        let moments = [
            Some(begun + self.grace()),
            self.last_end.map(|end| end + self.grace()),
            Some(begun + Duration::from_secs(self.rules.timeout)),
            Some(begun + SILENT_START),
        ];
        moments.into_iter().flatten().filter(|moment| *moment > now).min()
    }

    /// Whether the server is initialized and loads nothing until a document is opened.
    pub(super) fn waits_for_document(&self) -> bool {
        self.rules.opens_first && self.initialized.is_some() && self.opened.is_none()
    }

    /// Returns the earliest moment at which loading could begin.
    fn begun_at(&self, initialized: Instant) -> Instant {
        let first = if self.rules.opens_first { self.opened } else { None };
        first.map_or(initialized, |opened| opened.max(initialized))
    }

    /// Returns the first unmet condition, as text for [`ReadinessState::Loading`].
    fn missing(&self, now: Instant, begun: Instant) -> Option<String> {
        if let Some(step) = self.open.values().next().filter(|_| !self.rules.ignores_progress) {
            return Some(step.to_string());
        }
        if self.quiescent == Some(false) || (self.rules.server_status && self.quiescent.is_none()) {
            return Some("it reports that it is busy".to_owned());
        }
        if let Some(method) = self.rules.notification.as_ref().filter(|_| !self.notified) {
            return Some(format!("it has not sent {method}"));
        }
        if let Some(sign) = self.rules.log_message.as_ref().filter(|_| !self.logged) {
            return Some(format!("it has not logged {sign:?}"));
        }
        let quiet_since = self.last_end.map_or(begun, |end| end.max(begun));
        // Later progress does not make a ready server unready.
        (!self.was_ready && now < quiet_since + self.grace())
            .then(|| "waiting to see whether it loads anything".to_owned())
    }

    /// Whether nothing that the server reported can show the end of its work.
    fn is_silent(&self) -> bool {
        !self.begun && !self.notified && !self.logged && self.quiescent.is_none()
    }

    fn grace(&self) -> Duration {
        Duration::from_millis(self.rules.start_grace_ms)
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let title = if self.title.is_empty() { "working" } else { &self.title };
        match self.percentage {
            Some(percentage) => write!(f, "{title} ({percentage} %)"),
            None => f.write_str(title),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server with a simulated clock, in milliseconds.
    struct Play {
        zero: Instant,
        readiness: Readiness,
    }

    impl Play {
        fn new(rules: &str) -> Play {
            Play { zero: Instant::now(), readiness: Readiness::new(toml::from_str(rules).unwrap()) }
        }

        fn at(&self, ms: u64) -> Instant {
            self.zero + Duration::from_millis(ms)
        }

        fn tell(&mut self, ms: u64, told: ReadinessEvent) {
            self.readiness.process_event(self.at(ms), told);
        }

        fn begin(&mut self, ms: u64, token: &str, title: &str) {
            self.tell(
                ms,
                ReadinessEvent::Begin { token: token.into(), title: title.into(), percentage: None },
            );
        }

        fn end(&mut self, ms: u64, token: &str) {
            self.tell(ms, ReadinessEvent::End { token: token.into() });
        }

        #[track_caller]
        fn check(&mut self, ms: u64, expected: &str) {
            let standing = match self.readiness.standing(self.at(ms)) {
                ReadinessState::Ready => "ready".to_owned(),
                ReadinessState::Loading(what) => format!("loading: {what}"),
                ReadinessState::MaybeIncomplete(what) => format!("perhaps: {what}"),
            };
            assert_eq!(standing, expected, "at {ms} ms");
        }

        #[track_caller]
        fn next(&self, ms: u64, expected: u64) {
            assert_eq!(self.readiness.next(self.at(ms)), Some(self.at(expected)), "after {ms} ms");
        }
    }

    #[test]
    fn a_server_that_tells_nothing_is_ready_after_its_grace_and_trusted_later() {
        let mut play = Play::new("");
        play.check(0, "loading: it is starting");
        assert_eq!(play.readiness.next(play.at(0)), None);
        play.tell(100, ReadinessEvent::Initialized);
        play.check(100, "loading: waiting to see whether it loads anything");
        play.next(100, 350);
        play.check(350, "perhaps: it has just been started");
        play.next(350, 10_100);
        play.check(10_100, "ready");
    }

    #[test]
    fn a_silent_server_whose_first_answer_is_whole() {
        let mut play = Play::new("start-grace-ms = 0\nwhole-from-start = true");
        play.check(0, "loading: it is starting");
        play.tell(100, ReadinessEvent::Initialized);
        play.check(100, "ready");
    }

    #[test]
    fn a_server_whose_answers_wait_for_its_work() {
        let mut play = Play::new("start-grace-ms = 0\nwhole-from-start = true");
        play.tell(0, ReadinessEvent::Initialized);
        play.begin(260, "a", "Loading");
        play.check(300, "ready");
        play.end(3_000, "a");
        play.check(3_000, "ready");
    }

    #[test]
    fn slow_progress_in_steps() {
        let mut play = Play::new("");
        play.tell(0, ReadinessEvent::Initialized);
        play.begin(200, "a", "Fetching");
        play.check(300, "loading: Fetching");
        play.end(5_000, "a");
        play.check(5_000, "loading: waiting to see whether it loads anything");
        play.next(5_000, 5_250);
        play.begin(5_100, "b", "Indexing");
        play.tell(20_000, ReadinessEvent::Report { token: "b".into(), percentage: Some(43) });
        play.check(20_000, "loading: Indexing (43 %)");
        // The end of a progress that never began, and a report without a percentage, change nothing.
        play.end(21_000, "a");
        play.tell(21_000, ReadinessEvent::Report { token: "b".into(), percentage: None });
        play.check(21_000, "loading: Indexing (43 %)");
        play.end(22_000, "b");
        play.check(22_250, "ready");
        // From now on, progress is background work or belongs to a request itself.
        play.begin(30_000, "c", "Finding references");
        play.check(30_000, "perhaps: Finding references");
        play.end(31_000, "c");
        play.check(31_000, "ready");
    }

    #[test]
    fn progress_that_ends_and_a_ready_moment_nobody_looked_at() {
        let mut play = Play::new("");
        play.tell(0, ReadinessEvent::Initialized);
        play.begin(5_000, "a", "Checking");
        play.check(5_000, "perhaps: Checking");
    }

    #[test]
    fn its_own_log_message() {
        let mut play = Play::new("start-grace-ms = 0\nlog-message = \"source file\"");
        play.tell(0, ReadinessEvent::Initialized);
        play.check(1_000, "loading: it has not logged \"source file\"");
        play.tell(2_000, ReadinessEvent::LoggedSign);
        play.check(2_000, "ready");
    }

    #[test]
    fn progress_that_says_nothing_of_the_project() {
        let mut play =
            Play::new("start-grace-ms = 0\nlog-message = \"source file\"\nignores-progress = true");
        play.tell(0, ReadinessEvent::Initialized);
        play.begin(10, "a", "3 files to analyze");
        play.check(10, "loading: it has not logged \"source file\"");
        play.tell(20, ReadinessEvent::LoggedSign);
        play.check(20, "ready");
        play.begin(30, "b", "Finding references");
        play.check(30, "ready");
    }

    #[test]
    fn one_that_begins_with_the_first_document() {
        let mut play = Play::new("start-grace-ms = 500\nopens-first = true");
        play.tell(0, ReadinessEvent::Initialized);
        play.check(60_000, "perhaps: it loads nothing before a document is opened");
        assert!(play.readiness.waits_for_document());
        play.tell(60_000, ReadinessEvent::Opened);
        play.check(60_000, "loading: waiting to see whether it loads anything");
        play.next(60_000, 60_500);
        play.begin(60_025, "a", "indexing");
        play.check(70_000, "loading: indexing");
        play.end(70_000, "a");
        play.check(70_500, "ready");
        // Without progress it is ready after its grace; the time between `initialized` and the first document
        // does not count.
        let mut play = Play::new("start-grace-ms = 500\nopens-first = true");
        play.tell(0, ReadinessEvent::Initialized);
        play.tell(60_000, ReadinessEvent::Opened);
        play.check(60_499, "loading: waiting to see whether it loads anything");
        play.check(60_500, "perhaps: it has just been started");
        play.check(70_000, "ready");
    }

    #[test]
    fn its_own_status_and_its_own_notification() {
        let mut play = Play::new("server-status = true");
        let status = |quiescent| ReadinessEvent::Status { quiescent, healthy: true, message: None };
        play.tell(0, ReadinessEvent::Initialized);
        play.check(60_000, "loading: it reports that it is busy");
        play.tell(60_000, status(true));
        play.check(60_000, "ready");
        play.tell(61_000, status(false));
        play.check(61_000, "loading: it reports that it is busy");
        play.tell(62_000, status(true));
        play.check(62_000, "ready");

        let mut play = Play::new("notification = \"intellij/ready-for-test\"");
        play.tell(0, ReadinessEvent::Initialized);
        play.tell(1_000, ReadinessEvent::Notification { method: "other".into() });
        play.check(1_000, "loading: it has not sent intellij/ready-for-test");
        play.tell(2_000, ReadinessEvent::Notification { method: "intellij/ready-for-test".into() });
        play.check(2_000, "ready");
    }

    #[test]
    fn its_time_is_over() {
        let mut play = Play::new("timeout = 20");
        play.tell(0, ReadinessEvent::Initialized);
        play.begin(10, "a", "Indexing");
        play.check(19_999, "loading: Indexing");
        play.next(19_999, 20_000);
        play.check(20_000, "perhaps: Indexing");
        play.end(30_000, "a");
        play.check(30_000, "ready");
    }

    #[test]
    fn progress_that_ends_with_an_error_is_not_trusted() {
        for complaint_first in [true, false] {
            let mut play = Play::new("");
            let crash = ReadinessEvent::Complaint { message: "tsserver exited".into() };
            play.tell(0, ReadinessEvent::Initialized);
            play.begin(10, "a", "Initializing");
            if complaint_first {
                play.tell(3_500, crash.clone());
                play.end(4_000, "a");
            } else {
                play.end(4_000, "a");
                play.tell(4_100, crash.clone());
            }
            play.check(4_500, "perhaps: its work ended with an error: tsserver exited");
            play.begin(6_000, "b", "Initializing");
            play.end(9_000, "b");
            play.check(9_000, "ready");
            // A later complaint about something else.
            play.tell(60_000, crash);
            play.check(60_000, "ready");
        }
        let mut play = Play::new("server-status = true");
        play.tell(0, ReadinessEvent::Initialized);
        play.begin(10, "a", "Loading");
        play.end(1_000, "a");
        play.tell(
            1_010,
            ReadinessEvent::Status { quiescent: true, healthy: false, message: Some("no Cargo.toml".into()) },
        );
        play.check(2_000, "perhaps: its work ended with an error: no Cargo.toml");
    }
}
