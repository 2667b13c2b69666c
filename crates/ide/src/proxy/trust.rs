//! "Trust this project?", asked in the editor: what another layer provides. symd asks once for each root and
//! conversation.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Returns what the user is to be asked about the project at a root: `None` if there is nothing to ask. Blocks.
pub type AskTrust = Arc<dyn Fn(&Path) -> Option<TrustQuestion> + Send + Sync>;

/// The user's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustAnswer {
    Trust,
    /// Not to be asked again as long as the project's files name the same commands.
    Never,
}

/// Records the answer, and returns what the user is told. Blocks.
pub type RecordTrust = Box<dyn FnOnce(TrustAnswer) -> Result<String, String> + Send + Sync>;

/// A question about what trust in a project would allow, as it was when the question was made.
pub struct TrustQuestion {
    pub text: String,
    pub record: RecordTrust,
}

impl fmt::Debug for TrustQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrustQuestion").field("text", &self.text).finish_non_exhaustive()
    }
}

/// The answers that the editor offers; the last one stands for no answer.
pub(super) const ANSWERS: [(&str, Option<TrustAnswer>); 3] =
    [("Trust", Some(TrustAnswer::Trust)), ("Not now", None), ("Never", Some(TrustAnswer::Never))];
