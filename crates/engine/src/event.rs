//! Everything that can happen to the engine. All work starts here.

use std::sync::Arc;

use super::look::{Looked, ToLookAt};
use super::view::View;
use super::{EngineError, OutlinedFile};
use symd_base::RelPath;
use symd_index::Built;
use symd_watch::Notice;

/// What to do with the index once it is fresh, or with the reason why it cannot be.
pub(super) struct Question {
    pub(super) length: Length,
    pub(super) run: Box<dyn FnOnce(Result<Arc<View>, EngineError>) + Send>,
}

/// How long a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// As most do: by the index, or by a few files.
    Short,
    /// By the text of every file, say.
    Long,
}

/// The closed set of events.
pub(super) enum Event {
    /// The watcher has something to say.
    Noticed(Vec<Notice>),
    /// The watcher has ended: nothing will be told any more, no barrier will arrive.
    Unwatched,
    /// Files have been looked at.
    Looked {
        /// The number of the job.
        job: u64,
        /// One answer per path of the job, but for those that are left for later.
        files: Vec<Looked>,
        /// What the same job is to look at when others have been.
        later: Vec<ToLookAt>,
    },
    /// Somebody asks; the question runs as soon as the index shows everything written before now.
    Ask(Question),
    /// Files without a grammar that were outlined elsewhere.
    Outlined(Vec<OutlinedFile>),
    /// A name table has been built.
    Built(Built),
    /// Files that are parsed no more are to be tried again.
    Retry,
    /// It is time to look for changes that give no event.
    Sweep,
    /// The sweep found these files changed.
    Swept(Vec<RelPath>),
    /// New outlines have been written to the cache.
    Stored,
    /// The end: answered when the cache has been written.
    Stop(tokio::sync::oneshot::Sender<()>),
}
