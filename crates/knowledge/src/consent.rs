//! The user's yes to a service that solutions are sent to, in a file beside the store. Invariant: it is of one text, which names
//! the service; a change of the settings needs a new yes.

use std::path::{Path, PathBuf};

use symd_base::state::{self, StateError};

/// What the user is asked about, and where the yes is kept.
#[derive(Clone, Debug)]
pub(crate) struct SendingConsent {
    file: PathBuf,
    about: String,
}

impl SendingConsent {
    pub(crate) fn new(file: PathBuf, about: String) -> SendingConsent {
        SendingConsent { file, about }
    }

    pub(crate) fn is_given(&self) -> bool {
        matches!(state::read_file(&self.file), Ok(Some(text)) if text == self.about.as_bytes())
    }

    /// Keeps the user's yes.
    pub(crate) fn give(&self) -> Result<(), StateError> {
        state::private_dir(self.file.parent().unwrap_or(Path::new("/")))?;
        state::replace_file(&self.file, &[self.about.as_bytes()])
    }
}
