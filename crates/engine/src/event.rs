//! The events of the engine. All work starts here.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::by_need::ByNeed;
use super::run::SummariesByContent;
use super::scan::{ScanResult, ScanTarget};
use super::searches::{FoundWords, ScopedWords};
use super::verification::UnverifiedFile;
use super::view::View;
use super::{EngineError, OutlinedFile};
use symd_base::{ContentHash, RelPath};
use symd_index::stored_index::StoredIndex;
use symd_index::{BuiltSegment, FileEntry, Need};
use symd_watch::Notice;

/// The work to do with the index once it is fresh, or with the reason why it cannot be.
pub(super) struct Question {
    pub(super) length: QuestionLength,
    /// The view on which it runs; a new one if `None`.
    pub(super) on: Option<Arc<View>>,
    pub(super) run: QuestionRun,
    pub(super) moment: QuestionMoment,
}

impl Question {
    /// Returns a question that was not asked yet.
    pub(super) fn new(length: QuestionLength, on: Option<Arc<View>>, run: QuestionRun) -> Question {
        Question { length, on, run, moment: QuestionMoment::default() }
    }
}

/// The moment whose state of the tree a question is about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QuestionMoment {
    /// Number of files that had been removed by then; `None` before its barrier has arrived.
    pub(super) removals: Option<u64>,
    /// How many times the question was asked again because files were removed since.
    pub(super) again: u8,
}

/// A question's work.
pub(super) enum QuestionRun {
    /// Runs once, when every file is known.
    Once(Box<dyn FnOnce(Result<Arc<View>, EngineError>) + Send>),
    /// Runs while files are unread, and again when what it lacked is there.
    ByNeed(ByNeed),
}

impl QuestionRun {
    /// Answers with an error.
    pub(super) fn fail(self, why: Result<Arc<View>, EngineError>) {
        match self {
            QuestionRun::Once(run) => run(why),
            QuestionRun::ByNeed(mut by_need) => drop((by_need.run)(why)),
        }
    }

    pub(super) fn by_need(&mut self) -> Option<&mut ByNeed> {
        match self {
            QuestionRun::Once(_) => None,
            QuestionRun::ByNeed(by_need) => Some(by_need),
        }
    }
}

/// The expected duration of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionLength {
    /// Only passes something of the view on: done in the engine's own task, since two changes of threads would take
    /// longer.
    Instant,
    /// Most questions: they need the index, or a few files.
    Short,
    /// For example, a question that reads every file.
    Long,
}

/// The closed set of events.
pub(super) enum Event {
    /// Notices from the watcher.
    Noticed(Vec<Notice>),
    /// The watcher has ended: there will be no more notices, and no barrier will arrive.
    Unwatched,
    /// The result of a job that scanned files.
    Scanned {
        job: u64,
        /// One result per path of the job, except for postponed ones.
        files: Vec<ScanResult>,
        /// The files that the same job did not come to, since a question needed the processors.
        unbegun: Vec<ScanTarget>,
        /// The files that the same job is to scan after others.
        later: Vec<ScanTarget>,
    },
    /// A new question, which runs as soon as the index contains everything written before now.
    Ask(Question),
    /// A question that ran and has no answer yet, with what it lacked.
    Lacking { question: Question, needs: Vec<Need> },
    /// The end of a search for the words that a question needs.
    Searched {
        question: Question,
        /// The needed words.
        words: Vec<ScopedWords>,
        /// What was found, for words that were searched for.
        found: Vec<FoundWords>,
        /// The other files to scan for the question.
        files: BTreeSet<RelPath>,
    },
    /// The unsaved text of a file of the project was set or removed.
    Unsaved(RelPath),
    /// Outlines, made elsewhere, of files without a grammar.
    ServerOutlined(Vec<OutlinedFile>),
    /// The index that the last daemon stored, if there is a sound one.
    Recorded(Option<StoredIndex>),
    /// A finished name table.
    Built(BuiltSegment),
    /// A request to retry quarantined files.
    Retry,
    /// A request to look for changes that caused no event.
    Sweep,
    /// Files that the sweep found changed.
    Swept(Vec<RelPath>),
    /// A job of parsing ahead has ended.
    ParsedAhead {
        /// The snapshot's whose files it parsed.
        revision: u64,
        /// Whether all of them are parsed.
        is_done: bool,
        /// Contents that could not be parsed.
        failed: Vec<ContentHash>,
    },
    /// A job verified files that were taken with a recorded state.
    Verified {
        /// Number of the job's files.
        count: usize,
        /// Those whose bytes are not as recorded.
        changed: Vec<UnverifiedFile>,
        /// Those whose bytes could not be read, of which no event tells.
        unreadable: Vec<RelPath>,
        /// Those that it did not come to.
        unread: Vec<UnverifiedFile>,
    },
    /// Stored outlines were read back, made again or lost; the engine asks `StoredOutlines` for what it has to do.
    OutlinesRead,
    /// Entries, each with one that has let go of its outline.
    LetGo {
        replaced: Vec<(Arc<FileEntry>, FileEntry)>,
        /// The next file to look at; `None` if all were.
        next: Option<RelPath>,
        /// What the round knows so far, for its next job.
        of_several: SummariesByContent,
    },
    /// The process has grown much since memory was given back last.
    Grown,
    /// The process takes more memory than its ceiling.
    OverCeiling,
    /// The end of writing new outlines to the cache.
    Stored,
    /// A request to stop, answered once the cache has been written.
    Stop(tokio::sync::oneshot::Sender<()>),
}
