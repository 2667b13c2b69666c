//! Finds a pattern's matches in a text: on this thread or, where it may take long, in a helper process that
//! can be killed. Invariant: both find the same matches.

use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::pattern::Pattern;
use super::process::{ProcessMatches, ProcessSearch};
use symd_base::Cancel;
use symd_parse::NoReply;

/// The time limit of one text where no deadline is given; it grows with each mebibyte.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same limit for a pattern that terminates on every text, if slowly.
const PATIENCE_WITH_LINEAR: Duration = Duration::from_secs(30);
const PATIENCE_PER_MEBIBYTE: Duration = Duration::from_secs(1);

/// The maximum number of texts in a batch, and the maximum length of each in bytes.
const BATCH: usize = 64;
const SMALL: usize = 256 << 10;
/// The time limit of a batch.
const AHEAD_PATIENCE: Duration = Duration::from_millis(250);

/// Returns the time limit of a text of `length` bytes where no deadline is given.
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
    helper: Option<ProcessSearch>,
    /// The matches in the text that the helper process holds.
    matches: Option<ProcessMatches>,
    /// The deadline of the current text.
    until: Instant,
    /// Whether to use batches: true until a batch failed or took too long.
    is_batched: bool,
}

/// All matches of a text, in order.
pub(super) type KnownMatches = Vec<Range<usize>>;

/// Why a text was not searched to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// The deadline has passed: the matches found by then count.
    TimedOut,
    /// The pattern takes too long on this text.
    BudgetSpent,
    /// The request was cancelled.
    Cancelled,
    /// The process that searched the text exited, for this reason.
    Ended(String),
}

impl<'f> Finder<'f> {
    /// Creates a finder for `pattern` with a deadline. `program` is symd's own executable, for helper
    /// processes; without it all texts are searched on this thread.
    pub(super) fn new(
        pattern: Pattern,
        program: Option<PathBuf>,
        deadline: Option<Instant>,
        cancel: &'f Cancel,
    ) -> Finder<'f> {
        let helper = program.map(ProcessSearch::new);
        Finder { pattern, deadline, cancel, helper, matches: None, until: Instant::now(), is_batched: true }
    }

    pub(super) fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Whether several texts are better searched in a batch before they are begun with, one by one.
    pub(super) fn uses_batches(&self) -> bool {
        self.is_batched && self.helper.is_some() && self.pattern.may_take_long(0)
    }

    /// Finds all matches of small texts with few matches, for [`Finder::begin`], in one request instead of
    /// one for each, as far as that is fast. Returns `None` for all other texts.
    pub(super) fn find_batch(&mut self, texts: &[Option<&[u8]>]) -> Vec<Option<KnownMatches>> {
        let mut known = vec![None; texts.len()];
        let small = |text: &Option<&[u8]>| text.is_some_and(|text| text.len() <= SMALL);
        let chosen: Vec<usize> = (0..texts.len()).filter(|&at| small(&texts[at])).collect();
        let together: Vec<&[u8]> = chosen.iter().filter_map(|&at| texts[at]).collect();
        let Some(helper) = self.helper.as_mut().filter(|_| together.len() > 1 && together.len() <= BATCH)
        else {
            return known;
        };
        let now = Instant::now();
        let patience = match self.deadline {
            Some(deadline) => AHEAD_PATIENCE.min(deadline.saturating_duration_since(now) / 4),
            None => AHEAD_PATIENCE,
        };
        match helper.batch(&self.pattern, &together, now + patience, self.cancel) {
            Ok(found) => chosen.iter().zip(found).for_each(|(&at, found)| known[at] = found),
            // One of the texts takes long: each gets its own time limit, and the error names the file.
            Err(_) => self.is_batched = false,
        }
        known
    }

    /// Begins with `text`, all of whose matches may be known.
    pub(super) fn begin(&mut self, text: &[u8], known: Option<KnownMatches>) -> Result<(), StopReason> {
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
        if let Some(known) = known.filter(|_| self.helper.is_some()) {
            self.matches = Some(ProcessMatches::known(known, text.len()));
            return Ok(());
        }
        let Some(helper) = &mut self.helper else { return Ok(()) };
        if let Err(error) = helper.start() {
            // As without helper processes: the pattern's budget limits the search.
            tracing::warn!(%error, "cannot start a search process");
            return Ok(());
        }
        let begun = match helper.begin(&self.pattern, text, self.until, self.cancel) {
            // The process was killed from outside, or ran out of memory: a fresh one may succeed.
            Err(NoReply::Ended(_)) => helper.begin(&self.pattern, text, self.until, self.cancel),
            begun => begun,
        };
        self.matches = Some(begun.map_err(|why| self.stopped(why))?);
        Ok(())
    }

    /// Returns the first match at or behind byte `at` of `text`, which must be the text given to `begin`. See
    /// [`Pattern::find_at`].
    pub(super) fn find_at(&mut self, text: &[u8], at: usize) -> Result<Option<Range<usize>>, StopReason> {
        let (Some(matches), Some(helper)) = (&mut self.matches, &mut self.helper) else {
            return self.pattern.find_at(text, at).map_err(|_| StopReason::BudgetSpent);
        };
        match helper.find_at(matches, &self.pattern, (text, at), self.until, self.cancel) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(StopReason::BudgetSpent),
            Err(why) => Err(self.stopped(why)),
        }
    }

    /// Checks the cancel flag and the deadline; to be called between two matches.
    pub(super) fn check(&self) -> Result<(), StopReason> {
        if self.cancel.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(StopReason::TimedOut);
        }
        Ok(())
    }

    fn stopped(&self, why: NoReply) -> StopReason {
        match why {
            NoReply::Cancelled => StopReason::Cancelled,
            NoReply::Late if self.deadline.is_some_and(|deadline| deadline <= self.until) => {
                StopReason::TimedOut
            }
            NoReply::Late => StopReason::BudgetSpent,
            NoReply::Ended(why) => StopReason::Ended(why),
        }
    }
}
