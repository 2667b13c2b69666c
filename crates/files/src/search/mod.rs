//! Searches the text of files for a pattern, on every core. Reads the disk, not the index. Invariants:
//! results are in path order whichever thread found them; a file's matches are handed to the caller one by
//! one and never collected, so memory is bounded by what the caller keeps.

mod finder;
mod folded;
mod grouped;
mod hits;
mod lines;
mod pattern;
pub mod process;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
mod python;
mod searched;
mod weight;

use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

pub use grouped::MatchContext;
pub use grouped::{GroupedError, GroupedMatch, find_all};
pub use hits::{FileMatches, TextMatch};
pub use lines::{MatchingFile, MatchingLine, MatchingLines, matching_lines};
pub use pattern::compile_grouped;
pub use pattern::{Case, Pattern, PatternError};

use self::finder::{Finder, KnownMatches};
use self::hits::Searchable;
use super::glob::Glob;
use super::scope::NamedDirectory;
use super::tree::{LocateError, Tree};
use symd_base::cancel::Cancelled;
use symd_base::cores;
use symd_base::{Cancel, RelPath};
use symd_vfs::{EntryKind, VfsError};

/// Files that a thread takes at a time: enough that taking them costs nothing, few enough that all threads
/// stay busy.
const CHUNK: usize = 8;

/// The kinds of files to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileSelection {
    /// All files that are not ignored.
    #[default]
    AllFiles,
    /// Files of a language that symd knows.
    CodeFiles,
}

/// A search request.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// The pattern to search for.
    pub pattern: Pattern,
    /// The file or directory to search, as the client wrote it; empty is the project.
    pub scope: String,
    /// If given, only matching files are searched.
    pub include: Option<Glob>,
    /// Matching files are not searched, even if they match `include`.
    pub exclude: Option<Glob>,
    pub among: FileSelection,
    /// Lines of context before a match.
    pub before: usize,
    /// Lines of context after a match.
    pub after: usize,
}

impl SearchQuery {
    /// Returns a query for the whole project, without context.
    pub fn new(pattern: Pattern) -> SearchQuery {
        SearchQuery {
            pattern,
            scope: String::new(),
            include: None,
            exclude: None,
            among: FileSelection::AllFiles,
            before: 0,
            after: 0,
        }
    }

    fn wants(&self, tree: &Tree<'_>, path: &RelPath) -> bool {
        self.exclude.as_ref().is_none_or(|glob| !glob.matches(path.as_str()))
            && self.include.as_ref().is_none_or(|glob| glob.matches(path.as_str()))
            && (self.among == FileSelection::AllFiles || (tree.is_code)(path))
    }
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The path to search cannot be used.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The pattern needs backtracking, and exceeded its budget.
    #[error(
        "The pattern '{pattern}' takes too long on {path}: it backtracks without end; make it more specific, \
         or avoid look-around and back-references"
    )]
    BudgetSpent {
        /// The pattern as it was written.
        pattern: String,
        /// The file on which it happened.
        path: RelPath,
    },
    /// The pattern is too large for the length of the text.
    #[error(
        "The pattern '{pattern}' takes too long on {path}: it is too large for \
         a text of this length; use fewer or smaller repetitions, or search other files"
    )]
    TooLarge {
        /// The pattern as it was written.
        pattern: String,
        /// The file on which it happened.
        path: RelPath,
    },
    /// The process that searched a file exited, twice.
    #[error("The search of {path} failed: the search process exited ({why}); try again, or search less")]
    ProcessEnded {
        path: RelPath,
        /// The reason why it exited.
        why: String,
    },
    /// The only file to search is binary.
    #[error("{0} is a binary file, it has no text to search")]
    Binary(RelPath),
    /// The only file to search cannot be read.
    #[error(transparent)]
    Vfs(#[from] VfsError),
    /// The request was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The result of a search.
#[derive(Debug)]
pub struct SearchResult<R> {
    /// The results of `visit` for each file with matches, in path order.
    pub files: Vec<R>,
    /// The number of files that were searched, without binary ones.
    pub searched: usize,
    /// The number of files that were skipped because they contain a NUL byte.
    pub binary: usize,
    /// Files that could not be read (too large, no permission), in path order.
    pub unreadable: Vec<RelPath>,
    /// Whether the time ran out before every file was searched.
    pub timed_out: bool,
}

/// Runs a search. `visit` is called once for every file that has a match, from several threads, in no order;
/// its results are returned in path order.
pub fn search<R: Send>(
    tree: &Tree<'_>,
    query: &SearchQuery,
    cancel: &Cancel,
    visit: impl Fn(&mut FileMatches<'_, '_>) -> Result<R, SearchError> + Sync,
) -> Result<SearchResult<R>, SearchError> {
    let found = tree.locate_unignored(&query.scope)?;
    if found.kind != EntryKind::Directory {
        return search_one_file(tree, query, cancel, &found.path, visit);
    }
    let scope = NamedDirectory::unignored(tree, &found, &query.scope)?;
    let files: Vec<&RelPath> = tree.listed.within(scope.real()).collect();
    search_within(tree, query, &scope, &files, None, cancel, visit)
}

/// Searches `files` (regular files, in byte order), ignoring the query's scope. Stops at `until`, and then
/// returns what it has found.
pub fn search_files<R: Send>(
    tree: &Tree<'_>,
    query: &SearchQuery,
    files: &[&RelPath],
    until: Option<Instant>,
    cancel: &Cancel,
    visit: impl Fn(&mut FileMatches<'_, '_>) -> Result<R, SearchError> + Sync,
) -> Result<SearchResult<R>, SearchError> {
    search_within(tree, query, &NamedDirectory::project(), files, until, cancel, visit)
}

/// As [`search_files`], but files are reported, and filtered by the query, under their names in `scope`.
fn search_within<R: Send>(
    tree: &Tree<'_>,
    query: &SearchQuery,
    scope: &NamedDirectory,
    files: &[&RelPath],
    until: Option<Instant>,
    cancel: &Cancel,
    visit: impl Fn(&mut FileMatches<'_, '_>) -> Result<R, SearchError> + Sync,
) -> Result<SearchResult<R>, SearchError> {
    let threads = cores::count().min(files.len().div_ceil(CHUNK)).max(1);
    let run = SharedSearch {
        tree,
        query,
        scope,
        cancel,
        files,
        until,
        timed_out: AtomicBool::new(false),
        next: AtomicUsize::new(0),
        failed: AtomicUsize::new(usize::MAX),
        seen: Mutex::new(PartialResults::new()),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If no thread can be started, the other threads do the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || run.work(&visit));
        }
        run.work(&visit);
    });
    // `std::thread::scope` propagates the panic of a thread.
    let timed_out = run.timed_out.into_inner();
    let mut seen = run.seen.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    cancel.check()?;
    if let Some((_, error)) = seen.error {
        return Err(error);
    }
    seen.results.sort_unstable_by_key(|(index, _)| *index);
    seen.unreadable.sort_unstable();
    Ok(SearchResult {
        binary: seen.binary,
        unreadable: seen.unreadable.into_iter().map(|index| scope.shown(files[index]).into_owned()).collect(),
        searched: seen.searched,
        timed_out,
        files: seen.results.into_iter().map(|(_, result)| result).collect(),
    })
}

/// Searches the one file that a client named: if it cannot be searched, that is an error, not a note.
fn search_one_file<R>(
    tree: &Tree<'_>,
    query: &SearchQuery,
    cancel: &Cancel,
    path: &RelPath,
    visit: impl Fn(&mut FileMatches<'_, '_>) -> Result<R, SearchError>,
) -> Result<SearchResult<R>, SearchError> {
    let mut files = Vec::new();
    let mut searched = 0;
    if query.wants(tree, path) {
        searched = 1;
        let bytes = tree.files.read(path)?.bytes;
        let mut finder = finder(tree, query, None, cancel);
        match Searchable::new(bytes, finder.pattern()) {
            Searchable::Binary => return Err(SearchError::Binary(path.clone())),
            Searchable::Undecodable => {}
            Searchable::Text(text) => {
                if let FirstMatch::Matched(mut hits) =
                    FileMatches::find_first(path, text, None, query, &mut finder)?
                {
                    files.push(visit(&mut hits)?);
                }
            }
        }
    }
    Ok(SearchResult { files, searched, binary: 0, unreadable: Vec::new(), timed_out: false })
}

/// Returns a finder with its own clone of the pattern: a clone has its own working memory, and threads that
/// share one would wait for each other.
fn finder<'f>(
    tree: &Tree<'_>,
    query: &SearchQuery,
    until: Option<Instant>,
    cancel: &'f Cancel,
) -> Finder<'f> {
    Finder::new(query.pattern.clone(), tree.program.map(Path::to_owned), until, cancel)
}

/// The result of looking for a first match in a file.
enum FirstMatch<'h, 'f> {
    /// No match.
    NoMatch,
    /// At least one match.
    Matched(FileMatches<'h, 'f>),
    /// No match until the deadline.
    TimedOut,
}

/// The state shared by the threads of one search.
struct SharedSearch<'r, R> {
    tree: &'r Tree<'r>,
    query: &'r SearchQuery,
    scope: &'r NamedDirectory,
    cancel: &'r Cancel,
    files: &'r [&'r RelPath],
    until: Option<Instant>,
    timed_out: AtomicBool,
    next: AtomicUsize,
    /// The first file (by index) whose error ended the search; files before it are still searched, so that
    /// the reported error does not depend on the threads' timing.
    failed: AtomicUsize,
    seen: Mutex<PartialResults<R>>,
}

struct PartialResults<R> {
    results: Vec<(usize, R)>,
    unreadable: Vec<usize>,
    binary: usize,
    searched: usize,
    error: Option<(usize, SearchError)>,
}

impl<R> PartialResults<R> {
    fn new() -> PartialResults<R> {
        PartialResults { results: Vec::new(), unreadable: Vec::new(), binary: 0, searched: 0, error: None }
    }
}

impl<R: Send> SharedSearch<'_, R> {
    fn work(&self, visit: &(impl Fn(&mut FileMatches<'_, '_>) -> Result<R, SearchError> + Sync)) {
        let mut finder = finder(self.tree, self.query, self.until, self.cancel);
        let mut mine = PartialResults::new();
        'chunks: loop {
            let start = self.next.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= self.files.len() {
                break;
            }
            let chunk = start..(start + CHUNK).min(self.files.len());
            let mut ahead = self.find_batch(chunk.clone(), &mut finder);
            for index in chunk {
                if self.cancel.is_cancelled() || index > self.failed.load(Ordering::Relaxed) {
                    break 'chunks;
                }
                if self.until.is_some_and(|until| Instant::now() >= until) {
                    self.timed_out.store(true, Ordering::Relaxed);
                    break 'chunks;
                }
                let opened = ahead.pop_front().unwrap_or_else(|| self.open(index, finder.pattern()).into());
                if let Err(error) = self.search_file(index, opened, &mut finder, visit, &mut mine) {
                    self.failed.fetch_min(index, Ordering::Relaxed);
                    mine.error = Some((index, error));
                    break 'chunks;
                }
            }
        }
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.results.append(&mut mine.results);
        seen.unreadable.append(&mut mine.unreadable);
        seen.binary += mine.binary;
        seen.searched += mine.searched;
        let is_earlier = |new: usize| seen.error.as_ref().is_none_or(|(old, _)| new < *old);
        if let Some((index, error)) = mine.error
            && is_earlier(index)
        {
            seen.error = Some((index, error));
        }
    }

    /// Opens the files of a chunk and finds their matches in one batch, where that takes less time; otherwise
    /// does nothing.
    fn find_batch(&self, chunk: Range<usize>, finder: &mut Finder<'_>) -> VecDeque<OpenedFile> {
        if chunk.len() < 2 || self.cancel.is_cancelled() || !finder.uses_batches() {
            return VecDeque::new();
        }
        let mut ahead: VecDeque<OpenedFile> =
            chunk.map(|index| self.open(index, finder.pattern()).into()).collect();
        let texts: Vec<Option<&[u8]>> = ahead.iter().map(|one| one.opened.text()).collect();
        let known = finder.find_batch(&texts);
        ahead.iter_mut().zip(known).for_each(|(one, known)| one.known = known);
        ahead
    }

    fn open(&self, index: usize, pattern: &Pattern) -> OpenResult {
        let path = self.files[index];
        if !self.query.wants(self.tree, &self.scope.shown(path)) {
            return OpenResult::Unwanted;
        }
        match self.tree.files.read(path) {
            Ok(read) => OpenResult::Read(Searchable::new(read.bytes, pattern)),
            // Removed, or replaced by a directory, since the list was made.
            Err(VfsError::NotFound { .. } | VfsError::NotAFile { .. }) => OpenResult::Unwanted,
            Err(_) => OpenResult::Unreadable,
        }
    }

    fn search_file(
        &self,
        index: usize,
        OpenedFile { opened, known }: OpenedFile,
        finder: &mut Finder<'_>,
        visit: &impl Fn(&mut FileMatches<'_, '_>) -> Result<R, SearchError>,
        mine: &mut PartialResults<R>,
    ) -> Result<(), SearchError> {
        let searchable = match opened {
            OpenResult::Unwanted => return Ok(()),
            OpenResult::Unreadable => {
                mine.unreadable.push(index);
                return Ok(());
            }
            OpenResult::Read(searchable) => searchable,
        };
        let text = match searchable {
            Searchable::Binary => {
                mine.binary += 1;
                return Ok(());
            }
            Searchable::Undecodable => {
                mine.searched += 1;
                return Ok(());
            }
            Searchable::Text(text) => text,
        };
        mine.searched += 1;
        let shown = self.scope.shown(self.files[index]);
        match FileMatches::find_first(&shown, text, known, self.query, finder)? {
            FirstMatch::NoMatch => {}
            FirstMatch::TimedOut => self.timed_out.store(true, Ordering::Relaxed),
            FirstMatch::Matched(mut hits) => {
                mine.results.push((index, visit(&mut hits)?));
                if hits.has_timed_out() {
                    self.timed_out.store(true, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }
}

/// A file that has been opened and not yet searched.
struct OpenedFile {
    opened: OpenResult,
    /// All matches of the file, if they were found in a batch with those of others.
    known: Option<KnownMatches>,
}

/// The result of opening a file.
enum OpenResult {
    /// The file is not to be searched, or is gone.
    Unwanted,
    Unreadable,
    Read(Searchable),
}

impl OpenResult {
    fn text(&self) -> Option<&[u8]> {
        match self {
            OpenResult::Read(searchable) => searchable.text(),
            OpenResult::Unwanted | OpenResult::Unreadable => None,
        }
    }
}

impl From<OpenResult> for OpenedFile {
    fn from(opened: OpenResult) -> OpenedFile {
        OpenedFile { opened, known: None }
    }
}

#[cfg(test)]
mod tests;
