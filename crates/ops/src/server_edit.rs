//! Validates an untrusted `WorkspaceEdit` against the project's files and turns it into a plan. An edit with
//! an invalid part is rejected as a whole; no part is left out. Invariant: every edit of the result lies in
//! the current text, none overlaps another, and no path is outside the project or ignored. Only exact
//! duplicates are dropped, and counted.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use symd_base::cancel::Cancelled;
use symd_base::{Cancel, ContentHash, RelPath, Text, TextEdit, TextEditError, TextEdits, TextRange};
use symd_edit::{Access, Plan, PlanStep};
use symd_engine::View;
use symd_index::Snapshot;
use symd_lsp::{EditStep, FileRef, IfExists, IfMissing, SpanEdit, WorkspaceEdit};
use symd_rewrite::Endings;
use symd_vfs::{Entry, EntryKind, TreeWalk, VfsError};

/// A server's edit after validation.
#[derive(Clone, Debug, Default)]
pub struct ServerEdit {
    /// Text changes by file, under the files' current names.
    pub files: BTreeMap<RelPath, FileEdits>,
    /// Operations on whole files, after the text changes, in the server's order.
    pub operations: Vec<FileOperation>,
    /// The content of the files that the edit creates or empties, by their names after the edit.
    pub made: BTreeMap<RelPath, CreatedFile>,
    /// The server's notes on its changes.
    pub notes: Vec<String>,
    /// Number of duplicate edits.
    pub duplicates: usize,
}

/// The changes of one file.
#[derive(Clone, Debug)]
pub struct FileEdits {
    /// The hash of the file's bytes.
    pub hash: ContentHash,
    /// The file's text.
    pub text: Text,
    /// The edits, by position, disjoint.
    pub edits: Vec<TextEdit>,
}

/// A file that the edit creates.
#[derive(Clone, Debug)]
pub struct CreatedFile {
    /// Its content; the positions of later steps refer to it.
    pub text: String,
    /// Number of changes that the content consists of.
    pub changes: usize,
}

/// An operation on a whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOperation {
    /// The file is created.
    Create(RelPath),
    /// The file is created anew in place of one with this hash.
    Empty(RelPath, ContentHash),
    /// The file is renamed from the first path to the second.
    Rename(RelPath, RelPath, ContentHash),
    /// The file is deleted.
    Delete(RelPath, ContentHash),
}

/// Why a server's edit is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ServerEditError {
    /// A path is outside the project.
    #[error("the server's edit names {0}, which is outside the project")]
    Outside(String),
    /// A file is ignored.
    #[error("the server's edit names {0}, which the ignore rules exclude from the project")]
    Ignored(RelPath),
    /// The file cannot be read as text.
    #[error("the server's edit names {path}: {why}")]
    Unreadable { path: RelPath, why: String },
    /// The edit is based on another version of the file.
    #[error("{0} changed while the server made its edit; ask again")]
    Changed(RelPath),
    /// A range lies outside the text, or splits a character.
    #[error("the server's edit of {path} refers to a place that its text does not have (line {}, column {column}); repeat it once, then make the edit by hand", line + 1)]
    OutsideText {
        path: RelPath,
        /// 0-based.
        line: u32,
        /// 0-based, in the server's units.
        column: u32,
    },
    /// The edit replaces text that it may not replace.
    #[error("the server's edit of {path} would change `{found}` on line {} to `{new_text}`, which is not a rename of the symbol", line + 1)]
    UnexpectedText {
        path: RelPath,
        /// 0-based.
        line: u32,
        /// The text at the range, shortened.
        found: String,
        /// The replacement, shortened.
        new_text: String,
    },
    /// Two edits touch the same bytes.
    #[error("the server's edits of {path} overlap: {source}")]
    Overlap { path: RelPath, source: TextEditError },
    /// A file already exists at a new path.
    #[error("the server's edit needs the path {0} for a file, but it exists already")]
    Exists(RelPath),
    /// A file that must have its class's name cannot get the new one.
    #[error("the class's file would become {0}, which exists already; move or delete that file first")]
    FileTaken(RelPath),
    /// A file to be moved or removed does not exist.
    #[error("the server's edit moves or removes {0}, which does not exist")]
    Missing(RelPath),
    /// The client disconnected or cancelled the request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Decides whether an edit is plausible: returns what remains of it, usually all; `None` if it is not.
pub type EditFilter<'a> = dyn Fn(&str, TextEdit) -> Option<TextEdit> + 'a;

/// Accepts every edit.
pub fn accept_every_edit(_: &str, edit: TextEdit) -> Option<TextEdit> {
    Some(edit)
}

/// Maximum number of characters of a text quoted in an error.
const SHOWN: usize = 60;

/// Validates `edit` against the current files. `asked` is the index snapshot of the request: for a file that
/// the server read itself, without being sent it, this is the version that it is assumed to have seen.
pub fn check(
    view: &View,
    edit: &WorkspaceEdit,
    asked: &Snapshot,
    fits: &EditFilter<'_>,
    cancel: &Cancel,
) -> Result<ServerEdit, ServerEditError> {
    let mut checked = ServerEdit { notes: edit.notes.clone(), ..ServerEdit::default() };
    // New names that the edit itself gives, with the original names.
    let mut moved: BTreeMap<RelPath, RelPath> = BTreeMap::new();
    for step in &edit.steps {
        cancel.check()?;
        match step {
            EditStep::Text { file, seen, edits } => {
                let path = inside(view, file)?;
                if checked.made.contains_key(&path) {
                    checked.add_to_created(&path, edits)?;
                    continue;
                }
                let path = moved.get(&path).cloned().unwrap_or(path);
                let seen = seen.or_else(|| asked.files.get(path.as_str())?.hash());
                checked.add_file_edits(view, &path, seen, edits, fits)?;
            }
            EditStep::Create { file, existing } => {
                let path = inside(view, file)?;
                match (checked.found(view, &path)?, existing) {
                    (None, _) => checked.make(FileOperation::Create(path.clone()), path),
                    (Some(_), IfExists::Skip) => {}
                    (Some(hash), IfExists::Replace) => {
                        checked.make(FileOperation::Empty(path.clone(), hash), path);
                    }
                    (Some(_), IfExists::Refuse) => return Err(ServerEditError::Exists(path)),
                }
            }
            EditStep::Rename { from, to, existing } => {
                let (from, to) = (inside(view, from)?, inside(view, to)?);
                // A rename never overwrites another file, whatever the server allows.
                match (checked.found(view, &to)?, existing) {
                    (Some(_), IfExists::Skip) => continue,
                    (Some(_), _) => return Err(ServerEditError::Exists(to)),
                    (None, _) => {}
                }
                for (from, to) in moves(view, from, to, cancel)? {
                    if !checked.rename_made(&from, &to) {
                        let hash = checked.found(view, &from)?;
                        let hash = hash.ok_or_else(|| ServerEditError::Missing(from.clone()))?;
                        moved.insert(to.clone(), moved.get(&from).cloned().unwrap_or_else(|| from.clone()));
                        checked.operations.push(FileOperation::Rename(from, to, hash));
                    }
                }
            }
            EditStep::Delete { file, missing } => {
                let path = inside(view, file)?;
                match (checked.found(view, &path)?, missing) {
                    (Some(_), _) if checked.delete_made(&path) => {}
                    (Some(hash), _) => checked.operations.push(FileOperation::Delete(path, hash)),
                    (None, IfMissing::Skip) => {}
                    (None, IfMissing::Refuse) => return Err(ServerEditError::Missing(path)),
                }
            }
        }
    }
    checked.settle()?;
    Ok(checked)
}

impl ServerEdit {
    /// Whether one of the changes covers this range of a file.
    pub(super) fn changes(&self, path: &RelPath, range: TextRange) -> bool {
        let edits = self.files.get(path).map_or(&[][..], |file| &file.edits);
        edits.iter().any(|edit| edit.range.contains(range))
    }

    /// Adds the edits of one file.
    fn add_file_edits(
        &mut self,
        view: &View,
        path: &RelPath,
        seen: Option<ContentHash>,
        edits: &[SpanEdit],
        fits: &EditFilter<'_>,
    ) -> Result<(), ServerEditError> {
        if edits.is_empty() {
            return Ok(());
        }
        let file = self.file(view, path)?;
        if seen.is_some_and(|seen| seen != file.hash) {
            return Err(ServerEditError::Changed(path.clone()));
        }
        let endings = Endings::of(file.text.as_str());
        for edit in edits {
            let range = edit.span.resolve(&file.text).ok_or_else(|| outside(path, edit))?;
            // Servers send `\n` for files with other line breaks too.
            let new_text = endings.at(range.start as usize).apply_to(&edit.new_text).into_owned();
            let fitted = fits(file.text.as_str(), TextEdit { range, new_text });
            let fitted = fitted.ok_or_else(|| ServerEditError::UnexpectedText {
                path: path.clone(),
                line: file.text.line_column(range.start).line,
                found: shown(file.text.slice(range)),
                new_text: shown(&edit.new_text),
            })?;
            // Formatters also send text that is there already.
            if file.text.slice(fitted.range) != fitted.new_text {
                file.edits.push(fitted);
            }
        }
        Ok(())
    }

    /// Adds edits of a file that the edit itself creates.
    fn add_to_created(&mut self, path: &RelPath, edits: &[SpanEdit]) -> Result<(), ServerEditError> {
        let Some(file) = self.made.get_mut(path) else { return Ok(()) };
        let unreadable = |error: symd_base::text::Binary| ServerEditError::Unreadable {
            path: path.clone(),
            why: error.to_string(),
        };
        let text = Text::decode(file.text.clone().into_bytes()).map_err(unreadable)?;
        let mut all = Vec::new();
        for edit in edits {
            let range = edit.span.resolve(&text).ok_or_else(|| outside(path, edit))?;
            all.push(TextEdit { range, new_text: edit.new_text.clone() });
        }
        let overlap = |source| ServerEditError::Overlap { path: path.clone(), source };
        file.text = TextEdits::new(all).and_then(|edits| edits.apply(text.as_str())).map_err(overlap)?;
        file.changes += edits.len();
        Ok(())
    }

    /// Records that `path` is created.
    fn make(&mut self, operation: FileOperation, path: RelPath) {
        self.operations.push(operation);
        self.made.insert(path, CreatedFile { text: String::new(), changes: 0 });
    }

    /// Returns what is at `path` after the steps so far: the hash of the file from before the edit, or `None`
    /// if there is no file.
    fn found(&self, view: &View, path: &RelPath) -> Result<Option<ContentHash>, ServerEditError> {
        for operation in self.operations.iter().rev() {
            match operation {
                FileOperation::Create(made) if made == path => return Ok(Some(ContentHash::of(b""))),
                FileOperation::Rename(_, to, hash) if to == path => return Ok(Some(*hash)),
                FileOperation::Rename(gone, ..) | FileOperation::Delete(gone, _) if gone == path => {
                    return Ok(None);
                }
                _ => {}
            }
        }
        hash_of(view, path)
    }

    /// Renames a file that the edit creates. Returns whether `from` is such a file.
    fn rename_made(&mut self, from: &RelPath, to: &RelPath) -> bool {
        let made = FileOperation::Create(from.clone());
        let Some(at) = self.operations.iter().rposition(|operation| *operation == made) else { return false };
        let Some(file) = self.made.remove(from) else { return false };
        self.made.insert(to.clone(), file);
        self.operations[at] = FileOperation::Create(to.clone());
        true
    }

    /// Cancels the creation of a file. Returns whether the edit creates it where no file was.
    fn delete_made(&mut self, path: &RelPath) -> bool {
        self.made.remove(path);
        let replaced =
            |operation: &FileOperation| matches!(operation, FileOperation::Empty(empty, _) if empty == path);
        self.operations.retain(|operation| !replaced(operation));
        let made = FileOperation::Create(path.clone());
        let at = self.operations.iter().rposition(|operation| *operation == made);
        at.map(|at| self.operations.remove(at)).is_some()
    }

    /// Returns the edits of `path`, with its current text.
    pub(super) fn file(&mut self, view: &View, path: &RelPath) -> Result<&mut FileEdits, ServerEditError> {
        use std::collections::btree_map::Entry;
        match self.files.entry(path.clone()) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let unreadable = |why: String| ServerEditError::Unreadable { path: path.clone(), why };
                let bytes = view.files.read(path).map_err(|error| unreadable(error.to_string()))?.bytes;
                let hash = ContentHash::of(&bytes);
                let text = Text::decode(bytes).map_err(|error| unreadable(error.to_string()))?;
                Ok(place.insert(FileEdits { hash, text, edits: Vec::new() }))
            }
        }
    }

    /// Sorts the edits of each file, drops duplicates and rejects overlaps.
    pub(super) fn settle(&mut self) -> Result<(), ServerEditError> {
        for (path, file) in &mut self.files {
            let before = file.edits.len();
            // Of insertions at one place, the first that is given comes first (LSP 3.17, `TextEdit[]`).
            file.edits.sort_by_key(|edit| edit.range);
            // Two insertions at one place may both be intended.
            file.edits.dedup_by(|a, b| a == b && a.range.start < a.range.end);
            self.duplicates += before - file.edits.len();
            let disjoint = TextEdits::new(file.edits.clone());
            disjoint.map_err(|source| ServerEditError::Overlap { path: path.clone(), source })?;
        }
        self.files.retain(|_, file| !file.edits.is_empty());
        Ok(())
    }

    /// Removes the changes that `other` makes, too: two answers may share a part.
    pub(super) fn leave_out(&mut self, other: &ServerEdit) {
        for (path, file) in &mut self.files {
            let Some(known) = other.files.get(path).filter(|known| known.hash == file.hash) else { continue };
            file.edits.retain(|edit| !known.edits.contains(edit));
        }
        self.files.retain(|_, file| !file.edits.is_empty());
        self.operations.retain(|operation| !other.operations.contains(operation));
        self.notes.retain(|note| !other.notes.contains(note));
    }

    /// Adds the changes of another edit.
    pub(super) fn join(&mut self, other: ServerEdit) -> Result<(), ServerEditError> {
        for (path, file) in other.files {
            match self.files.get_mut(&path) {
                Some(known) if known.hash != file.hash => return Err(ServerEditError::Changed(path)),
                Some(known) => known.edits.extend(file.edits),
                None => {
                    self.files.insert(path, file);
                }
            }
        }
        self.operations.extend(other.operations);
        self.made.extend(other.made);
        self.notes.extend(other.notes);
        self.duplicates += other.duplicates;
        self.settle()
    }

    /// Returns the renamed files: old and new path.
    pub fn renamed(&self) -> Vec<(RelPath, RelPath)> {
        let renamed = |operation: &FileOperation| match operation {
            FileOperation::Rename(from, to, _) => Some((from.clone(), to.clone())),
            _ => None,
        };
        self.operations.iter().filter_map(renamed).collect()
    }

    /// Whether the edit changes nothing.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.operations.is_empty()
    }

    /// Returns the number of text changes per file, in path order; created files count with the changes that
    /// fill them.
    pub fn counts(&self) -> Vec<(RelPath, usize)> {
        let changed = self.files.iter().map(|(path, file)| (path.clone(), file.edits.len()));
        let made = self.made.iter().map(|(path, file)| (path.clone(), file.changes));
        let mut counts: Vec<(RelPath, usize)> = changed.chain(made).collect();
        counts.sort();
        counts
    }

    /// Converts the edit to a plan: text changes first, under the files' current names.
    pub fn plan(mut self) -> Result<Plan, ServerEditError> {
        let mut steps = Vec::new();
        for (path, file) in self.files {
            let edits = TextEdits::new(file.edits);
            let edits = edits.map_err(|source| ServerEditError::Overlap { path: path.clone(), source })?;
            steps.push(PlanStep::Text { path, base: file.hash, edits });
        }
        let mut held =
            |path: &RelPath| self.made.remove(path).map_or_else(Vec::new, |file| file.text.into_bytes());
        steps.extend(self.operations.into_iter().map(|operation| match operation {
            FileOperation::Create(path) => {
                PlanStep::Create { bytes: held(&path), path, access: Access::Plain }
            }
            FileOperation::Empty(path, hash) => {
                PlanStep::Write { bytes: held(&path), path, base: Some(hash) }
            }
            FileOperation::Rename(from, to, base) => PlanStep::Rename { from, to, base },
            FileOperation::Delete(path, base) => PlanStep::Delete { path, base },
        }));
        Ok(Plan::new(steps))
    }
}

/// Returns the project's file that is meant, with links resolved if it exists.
fn inside(view: &View, file: &FileRef) -> Result<RelPath, ServerEditError> {
    let path = match file {
        FileRef::Project(path) => path,
        FileRef::Outside(path) => return Err(ServerEditError::Outside(path.display().to_string())),
    };
    let path = match view.files.resolve(path) {
        Ok(resolved) => resolved,
        Err(VfsError::NotFound { .. }) => path.clone(),
        Err(error) => {
            return Err(ServerEditError::Unreadable { path: path.clone(), why: error.to_string() });
        }
    };
    if view.is_ignored(&path, EntryKind::File) {
        return Err(ServerEditError::Ignored(path));
    }
    Ok(path)
}

/// Maximum number of files of a directory that is renamed. With more, the whole edit is rejected.
const MAX_MOVED: usize = 10_000;

/// Returns the files that move when `from` becomes `to`: `from` itself, or all files beneath it, ignored ones
/// too.
fn moves(
    view: &View,
    from: RelPath,
    to: RelPath,
    cancel: &Cancel,
) -> Result<Vec<(RelPath, RelPath)>, ServerEditError> {
    if !matches!(view.files.stat_link(&from), Ok((EntryKind::Directory, _))) {
        return Ok(vec![(from, to)]);
    }
    let refusal = |path: &RelPath, why: String| ServerEditError::Unreadable { path: path.clone(), why };
    if to.as_str().strip_prefix(from.as_str()).is_some_and(|rest| rest.starts_with('/')) {
        return Err(refusal(&to, format!("{from} cannot be moved into itself")));
    }
    let look = |directory: &RelPath, entries: Vec<Entry>, unnamed| {
        let directories = entries.iter().filter(|entry| entry.kind == EntryKind::Directory);
        let below = directories.map(|entry| entry.name.clone()).collect();
        if unnamed > 0 {
            let why = "it holds names that are not UTF-8, which cannot be moved".to_owned();
            return (Err(refusal(directory, why)), below);
        }
        let mut files = Vec::new();
        for Entry { name, kind } in entries.iter().filter(|entry| entry.kind != EntryKind::Directory) {
            if *kind != EntryKind::File {
                let why = "it is not a regular file and cannot be moved".to_owned();
                return (Err(refusal(&directory.join(name), why)), below);
            }
            files.push(directory.join(name));
        }
        (Ok(files), below)
    };
    let mut files = Vec::new();
    TreeWalk::whole(&*view.files, cancel).run(&from, look, |directory, looked| {
        files.append(&mut looked.map_err(|error| refusal(directory, error.to_string()))??);
        if files.len() > MAX_MOVED {
            return Err(refusal(directory, format!("more than {MAX_MOVED} files would move")));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    files.sort();
    let moved = |file: RelPath| {
        let below = file.components().skip(from.components().count());
        let new = below.fold(to.clone(), |path, name| path.join(name));
        (file, new)
    };
    Ok(files.into_iter().map(moved).collect())
}

fn outside(path: &RelPath, edit: &SpanEdit) -> ServerEditError {
    ServerEditError::OutsideText {
        path: path.clone(),
        line: edit.span.start.line,
        column: edit.span.start.character,
    }
}

/// Returns the hash of the file at `path`; `None` if there is none.
fn hash_of(view: &View, path: &RelPath) -> Result<Option<ContentHash>, ServerEditError> {
    match view.files.read(path) {
        Ok(file) => Ok(Some(ContentHash::of(&file.bytes))),
        Err(VfsError::NotFound { .. }) => Ok(None),
        Err(error) => Err(ServerEditError::Unreadable { path: path.clone(), why: error.to_string() }),
    }
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
