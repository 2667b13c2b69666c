//! Keeps readers out while files change: from the first change to the last (or to the end of a rollback),
//! when the tree is neither old nor new. Independent of who the readers are and how they are kept out.

use std::fmt;
use std::sync::Arc;

use super::error::EditError;

/// A guard that keeps readers out until it is dropped.
pub type ClosedGate = Box<dyn Send>;

/// A callback after all slow work (journal, staged files, syncing), before the first file is changed.
#[derive(Clone, Default)]
pub struct ReaderGate(Option<Arc<Close>>);

/// Waits for active readers; the error is the reason for giving up.
type Close = dyn Fn() -> Result<ClosedGate, String> + Send + Sync;

impl ReaderGate {
    /// Creates a gate that `close` closes. `close` blocks while there are active readers, and may give up
    /// with a reason.
    pub fn new(close: impl Fn() -> Result<ClosedGate, String> + Send + Sync + 'static) -> ReaderGate {
        ReaderGate(Some(Arc::new(close)))
    }

    pub(super) fn close(&self) -> Result<Option<ClosedGate>, EditError> {
        match &self.0 {
            Some(close) => close().map(Some).map_err(EditError::Busy),
            None => Ok(None),
        }
    }
}

impl fmt::Debug for ReaderGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Gate(set)" } else { "Gate" })
    }
}
