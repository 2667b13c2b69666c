//! How long a result may be kept: that depends on what a limit or a cycle cut while it was found out.

use std::cell::Cell;

/// Whether a limit or a cycle cut a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultExtent {
    /// Nothing was cut: the result is good for the next question, too.
    Whole,
    /// A kept result was used that is cut: the result is good for as long as that one, for the question.
    OfCutResults,
    /// Something was refused: outside of the cycle, or for another identifier, the result would be whole.
    Refused,
}

/// What was cut so far.
#[derive(Debug, Default)]
pub(super) struct CutCounts {
    refusals: Cell<u64>,
    cut_results_used: Cell<u64>,
}

impl CutCounts {
    /// Notes that a limit or a cycle refused something.
    pub(super) fn note_refusal(&self) {
        self.refusals.set(self.refusals.get() + 1);
    }

    /// Notes that a kept result was used that is not whole.
    pub(super) fn note_cut_result(&self) {
        self.cut_results_used.set(self.cut_results_used.get() + 1);
    }

    /// Returns the result of `find` with its extent.
    pub(super) fn noting<T>(&self, find: impl FnOnce() -> T) -> (T, ResultExtent) {
        let before = (self.refusals.get(), self.cut_results_used.get());
        let found = find();
        let extent = match (self.refusals.get() > before.0, self.cut_results_used.get() > before.1) {
            (true, _) => ResultExtent::Refused,
            (false, true) => ResultExtent::OfCutResults,
            (false, false) => ResultExtent::Whole,
        };
        (found, extent)
    }
}
