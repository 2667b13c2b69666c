//! How a pattern's matches in a text are found: on this thread, or, where it cannot be told how long that takes, by a process that
//! can be ended. Invariant: whoever finds them, they are the same.

use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::pattern::Pattern;
use super::process::{ProcessMatches, ProcessSearch};
use symd_base::Cancel;
use symd_parse::NoReply;

/// How long one text may take where no deadline is given, and more for each mebibyte.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same for a pattern that comes to an end on every text, be it late.
const PATIENCE_WITH_LINEAR: Duration = Duration::from_secs(30);
const PATIENCE_PER_MEBIBYTE: Duration = Duration::from_secs(1);

/// Texts of a batch, and bytes of each, at most.
const BATCH: usize = 64;
const SMALL: usize = 256 << 10;
/// How long a batch may take.
const AHEAD_PATIENCE: Duration = Duration::from_millis(250);

/// How long a text of `length` bytes may take where no deadline is given.
pub(super) fn patience(length: usize) -> Duration {
    let mebibytes = u32::try_from(length >> 20).unwrap_or(u32::MAX);
    PATIENCE + PATIENCE_PER_MEBIBYTE.saturating_mul(mebibytes)
}

/// Finds one pattern in one text after the other.
#[derive(Debug)]
pub(super) struct Finder<'f> {
    pattern: Pattern,
    deadline: Option<Instant>,
    cancel: &'f Cancel,
    apart: Option<ProcessSearch>,
    /// Those of the text that a process has.
    matches: Option<ProcessMatches>,
    /// When the text must be done.
    until: Instant,
    /// Whether no text so far took long in a batch.
    is_batched: bool,
}

/// All matches of a text, in their order.
pub(super) type KnownMatches = Vec<Range<usize>>;

/// Why a text was not searched to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The deadline has come: what was found by then counts.
    Late,
    /// The pattern takes too long on this text.
    TooLong,
    /// The answer is not wanted any more.
    Cancelled,
    /// The process that searched it ended, for this reason.
    Ended(String),
}

impl<'f> Finder<'f> {
    /// For `pattern`, until `deadline`. `program` is symd itself, for the processes; without it all is found here.
    pub(super) fn new(
        pattern: Pattern,
        program: Option<PathBuf>,
        deadline: Option<Instant>,
        cancel: &'f Cancel,
    ) -> Finder<'f> {
        let apart = program.map(ProcessSearch::new);
        Finder { pattern, deadline, cancel, apart, matches: None, until: Instant::now(), is_batched: true }
    }

    pub(super) fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Whether several texts are better looked at together before they are begun with, one by one.
    pub(super) fn looks_ahead(&self) -> bool {
        self.is_batched && self.apart.is_some() && self.pattern.may_take_long(0)
    }

    /// Finds all matches of texts that are small and have few, for [`Finder::begin`], as far as that takes no time: one
    /// request instead of one for each. `None` of the others.
    pub(super) fn look_ahead(&mut self, texts: &[Option<&[u8]>]) -> Vec<Option<KnownMatches>> {
        let mut known = vec![None; texts.len()];
        let small = |text: &Option<&[u8]>| text.is_some_and(|text| text.len() <= SMALL);
        let chosen: Vec<usize> = (0..texts.len()).filter(|&at| small(&texts[at])).collect();
        let together: Vec<&[u8]> = chosen.iter().filter_map(|&at| texts[at]).collect();
        let Some(apart) = self.apart.as_mut().filter(|_| together.len() > 1 && together.len() <= BATCH)
        else {
            return known;
        };
        let now = Instant::now();
        let patience = match self.deadline {
            Some(deadline) => AHEAD_PATIENCE.min(deadline.saturating_duration_since(now) / 4),
            None => AHEAD_PATIENCE,
        };
        match apart.batch(&self.pattern, &together, now + patience, self.cancel) {
            Ok(found) => chosen.iter().zip(found).for_each(|(&at, found)| known[at] = found),
            // One of them takes long: each gets its own time, and is told by its name.
            Err(_) => self.is_batched = false,
        }
        known
    }

    /// Begins with `text`, of which all matches may be known.
    pub(super) fn begin(&mut self, text: &[u8], known: Option<KnownMatches>) -> Result<(), Stop> {
        let most = Instant::now() + patience(text.len());
        self.until = match (self.pattern.backtracks(), self.deadline) {
            (true, deadline) => deadline.map_or(most, |deadline| deadline.min(most)),
            (false, Some(deadline)) => deadline,
            (false, None) => most + (PATIENCE_WITH_LINEAR - PATIENCE),
        };
        self.matches = None;
        if !self.pattern.may_take_long(text.len()) {
            return Ok(());
        }
        if let Some(known) = known.filter(|_| self.apart.is_some()) {
            self.matches = Some(ProcessMatches::known(known, text.len()));
            return Ok(());
        }
        let Some(apart) = &mut self.apart else { return Ok(()) };
        if let Err(error) = apart.start() {
            // As without processes: within the pattern's budget.
            tracing::warn!(%error, "no process for a search can be started");
            return Ok(());
        }
        let begun = match apart.begin(&self.pattern, text, self.until, self.cancel) {
            // It was ended from outside, or had no memory left: a fresh one may get through.
            Err(NoReply::Ended(_)) => apart.begin(&self.pattern, text, self.until, self.cancel),
            begun => begun,
        };
        self.matches = Some(begun.map_err(|why| self.stopped(why))?);
        Ok(())
    }

    /// The first match at or behind byte `at` of `text`, with which it was begun. See [`Pattern::find_at`].
    pub(super) fn find_at(&mut self, text: &[u8], at: usize) -> Result<Option<Range<usize>>, Stop> {
        let (Some(matches), Some(apart)) = (&mut self.matches, &mut self.apart) else {
            return self.pattern.find_at(text, at).map_err(|_| Stop::TooLong);
        };
        match apart.find_at(matches, &self.pattern, (text, at), self.until, self.cancel) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(Stop::TooLong),
            Err(why) => Err(self.stopped(why)),
        }
    }

    /// Between two matches: whether to go on.
    pub(super) fn check(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::Late);
        }
        Ok(())
    }

    fn stopped(&self, why: NoReply) -> Stop {
        match why {
            NoReply::Cancelled => Stop::Cancelled,
            NoReply::Late if self.deadline.is_some_and(|deadline| deadline <= self.until) => Stop::Late,
            NoReply::Late => Stop::TooLong,
            NoReply::Ended(why) => Stop::Ended(why),
        }
    }
}
