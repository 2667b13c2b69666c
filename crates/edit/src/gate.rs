//! Keeping readers away while files change: the moment between the first change and the commit (or the way back), in
//! which the tree is neither old nor new. Who reads and how they are kept away is not known here.

use std::fmt;
use std::sync::Arc;

use super::error::EditError;

/// Readers are kept away until this is dropped.
pub type Closed = Box<dyn Send>;

/// Called when everything slow is done (journal, staged files, syncing) and the next step changes the first file.
#[derive(Clone, Default)]
pub struct ReaderGate(Option<Arc<Close>>);

/// Waits for readers under way; why it gave up.
type Close = dyn Fn() -> Result<Closed, String> + Send + Sync;

impl ReaderGate {
    /// A gate that `close` closes. It blocks while readers are inside, and may give up, saying why.
    pub fn new(close: impl Fn() -> Result<Closed, String> + Send + Sync + 'static) -> ReaderGate {
        ReaderGate(Some(Arc::new(close)))
    }

    pub(super) fn close(&self) -> Result<Option<Closed>, EditError> {
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
