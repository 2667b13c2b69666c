//! When a server counts as ready: a conjunction of named facts, each with the moment it was told. Pure: it knows no
//! clock, no process and no JSON; whoever drives it gives it facts and asks again at [`Readiness::next`].
//!
//! Ready is: initialized; no progress open, and none for [`Rules::start_grace_ms`] after `initialized` and after the end
//! of the last one (servers load in several steps, with short gaps between them), unless its progress is known to say
//! nothing of the project ([`Rules::ignores_progress`]); `quiescent`, where the server tells it; its own notification or
//! log message, where it has one. For a server that loads nothing before a document is opened all that counts from the
//! first one on ([`Rules::opens_first`]). Once the time for all that is over it counts as ready all the same, and
//! says so. Later progress leaves it ready and says so; a later `quiescent: false` does not. A server that tells nothing
//! at all is doubted for [`SILENT_START`], unless its first answer is known to be whole ([`Rules::whole_from_start`]).
//!
//! A server whose inner process crashes may end its progress as if all were well (typescript-language-server, when
//! tsserver dies). What can be seen of that is a complaint close to the end of progress: an error by
//! `window/showMessage`, or `health: error`. Then it counts as ready, as it may go on working, but as one that may
//! not have everything, until its next progress ends without a complaint.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use symd_config::server::Readiness as Rules;

/// An end of progress and a complaint closer than this belong together.
const SAME_MOMENT: Duration = Duration::from_secs(1);
/// For this long after `initialized` a server that told nothing of its work may still be indexing (pyrefly's first
/// seconds give a fraction of the answer, with no sign of it).
const SILENT_START: Duration = Duration::from_secs(10);
/// Progress open at a time of which the state is kept. More is taken for a leak of tokens, and the oldest by name goes.
const OPEN_MOST: usize = 64;

/// Something a server told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadinessEvent {
    /// `initialize` is answered, `initialized` sent.
    Initialized,
    /// A document was opened, if it can be read.
    Opened,
    /// `$/progress` began.
    Begin { token: String, title: String, percentage: Option<u32> },
    /// `$/progress` goes on.
    Report { token: String, percentage: Option<u32> },
    /// `$/progress` ended.
    End { token: String },
    /// `experimental/serverStatus`.
    Status { quiescent: bool, healthy: bool, message: Option<String> },
    /// The log message that the rules name.
    LoggedSign,
    /// A notification of another method.
    Notification { method: String },
    /// `window/showMessage` of type error.
    Complaint { message: String },
}

/// What is known of one running server.
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
    /// Why the work that ended last is not trusted.
    suspect: Option<String>,
    was_ready: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    title: String,
    percentage: Option<u32>,
}

/// Where a server stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Not ready; what is waited for: "indexing (43 %)".
    Loading(String),
    /// Ready.
    Ready,
    /// Counts as ready and may not know everything yet: why.
    Perhaps(String),
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
            suspect: None,
            was_ready: false,
        }
    }

    /// Takes in a fact.
    pub(super) fn note(&mut self, now: Instant, told: ReadinessEvent) {
        // What time alone has brought about must not be lost: it may have been ready before this.
        let _ = self.standing(now);
        match told {
            ReadinessEvent::Initialized => self.initialized = Some(now),
            ReadinessEvent::Opened => self.opened = self.opened.or(Some(now)),
            ReadinessEvent::Begin { token, title, percentage } => {
                self.begun = true;
                if self.open.len() == OPEN_MOST {
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
                    self.suspect = self.complaint_at(now);
                }
            }
            ReadinessEvent::Status { quiescent, healthy, message } => {
                self.quiescent = Some(quiescent);
                if healthy {
                    self.complaint = None;
                    self.suspect = None;
                } else {
                    self.complain(now, message.unwrap_or_else(|| "it reports an error".to_owned()));
                }
            }
            ReadinessEvent::Notification { method } => {
                self.notified |= self.rules.notification.as_deref() == Some(method.as_str());
            }
            ReadinessEvent::LoggedSign => self.logged = true,
            ReadinessEvent::Complaint { message } => self.complain(now, message),
        }
    }

    fn complain(&mut self, now: Instant, message: String) {
        self.complaint = Some((now, message));
        if self.last_end.is_some_and(|end| now.duration_since(end) <= SAME_MOMENT) {
            self.suspect = self.complaint_at(now);
        }
    }

    fn complaint_at(&self, now: Instant) -> Option<String> {
        let (at, message) = self.complaint.as_ref()?;
        (now.duration_since(*at) <= SAME_MOMENT).then(|| message.clone())
    }

    /// Where it stands.
    pub(super) fn standing(&mut self, now: Instant) -> Standing {
        let Some(initialized) = self.initialized else {
            return Standing::Loading("it is starting".to_owned());
        };
        if self.waits_for_document() {
            return Standing::Perhaps("it loads nothing before a document is opened".to_owned());
        }
        let begun = self.begun_at(initialized);
        let missing = self.missing(now, begun);
        let over = now >= begun + Duration::from_secs(self.rules.timeout);
        self.was_ready |= missing.is_none() || over;
        match missing {
            Some(missing) if !self.was_ready || (self.quiescent == Some(false) && !over) => {
                Standing::Loading(missing)
            }
            Some(missing) => Standing::Perhaps(missing),
            None => match &self.suspect {
                Some(message) => Standing::Perhaps(format!("its work ended with an error: {message}")),
                None if !self.rules.whole_from_start && self.is_silent() && now < begun + SILENT_START => {
                    Standing::Perhaps("it has just been started".to_owned())
                }
                None => Standing::Ready,
            },
        }
    }

    /// The next moment at which it may stand elsewhere without another fact.
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

    /// Whether it is up, and loads nothing as long as no document is opened.
    pub(super) fn waits_for_document(&self) -> bool {
        self.rules.opens_first && self.initialized.is_some() && self.opened.is_none()
    }

    /// When it could first begin to load.
    fn begun_at(&self, initialized: Instant) -> Instant {
        let first = if self.rules.opens_first { self.opened } else { None };
        first.map_or(initialized, |opened| opened.max(initialized))
    }

    /// The first fact that is missing, in the words of [`Standing::Loading`].
    fn missing(&self, now: Instant, begun: Instant) -> Option<String> {
        if let Some(step) = self.open.values().next().filter(|_| !self.rules.ignores_progress) {
            return Some(step.to_string());
        }
        if self.quiescent == Some(false) || (self.rules.server_status && self.quiescent.is_none()) {
            return Some("it says that it is working".to_owned());
        }
        if let Some(method) = self.rules.notification.as_ref().filter(|_| !self.notified) {
            return Some(format!("it has not sent {method}"));
        }
        if let Some(sign) = self.rules.log_message.as_ref().filter(|_| !self.logged) {
            return Some(format!("it has not logged {sign:?}"));
        }
        let quiet_since = self.last_end.map_or(begun, |end| end.max(begun));
        // Later progress does not make a ready server wait again.
        (!self.was_ready && now < quiet_since + self.grace())
            .then(|| "whether it begins to load anything".to_owned())
    }

    /// Whether nothing it told can say that its work is done.
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

    /// A server and a made-up clock, in milliseconds.
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
            self.readiness.note(self.at(ms), told);
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
                Standing::Ready => "ready".to_owned(),
                Standing::Loading(what) => format!("loading: {what}"),
                Standing::Perhaps(what) => format!("perhaps: {what}"),
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
        play.check(100, "loading: whether it begins to load anything");
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
    fn slow_progress_in_steps() {
        let mut play = Play::new("");
        play.tell(0, ReadinessEvent::Initialized);
        play.begin(200, "a", "Fetching");
        play.check(300, "loading: Fetching");
        play.end(5_000, "a");
        play.check(5_000, "loading: whether it begins to load anything");
        play.next(5_000, 5_250);
        play.begin(5_100, "b", "Indexing");
        play.tell(20_000, ReadinessEvent::Report { token: "b".into(), percentage: Some(43) });
        play.check(20_000, "loading: Indexing (43 %)");
        // Ends of what never began, and reports without a percentage, change nothing.
        play.end(21_000, "a");
        play.tell(21_000, ReadinessEvent::Report { token: "b".into(), percentage: None });
        play.check(21_000, "loading: Indexing (43 %)");
        play.end(22_000, "b");
        play.check(22_250, "ready");
        // From now on, progress is work beside questions, or that of a question itself.
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
        play.check(60_000, "loading: whether it begins to load anything");
        play.next(60_000, 60_500);
        play.begin(60_025, "a", "indexing");
        play.check(70_000, "loading: indexing");
        play.end(70_000, "a");
        play.check(70_500, "ready");
        // Without progress it is ready after its grace; the time since it was initialized does not count.
        let mut play = Play::new("start-grace-ms = 500\nopens-first = true");
        play.tell(0, ReadinessEvent::Initialized);
        play.tell(60_000, ReadinessEvent::Opened);
        play.check(60_499, "loading: whether it begins to load anything");
        play.check(60_500, "perhaps: it has just been started");
        play.check(70_000, "ready");
    }

    #[test]
    fn its_own_status_and_its_own_notification() {
        let mut play = Play::new("server-status = true");
        let status = |quiescent| ReadinessEvent::Status { quiescent, healthy: true, message: None };
        play.tell(0, ReadinessEvent::Initialized);
        play.check(60_000, "loading: it says that it is working");
        play.tell(60_000, status(true));
        play.check(60_000, "ready");
        play.tell(61_000, status(false));
        play.check(61_000, "loading: it says that it is working");
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
            // A complaint about something else, long after.
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
