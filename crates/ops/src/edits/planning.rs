//! Turns a client's request into a plan, on one view of the project. Writes nothing. Invariant: every step of
//! the plan carries the hash of the bytes that it is based on.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Breaking;
use super::proposed_text::{self, ProposedText};
use super::request::{EditAction, IgnoredEdits, Request, RevisionConflict, SymbolAction, TextAction};
use crate::target::{self, TargetError};
use crate::view_tree::ViewTree;
use symd_base::cancel::Cancelled;
use symd_base::path::PathError;
use symd_base::text::Encoding;
use symd_base::{Cancel, ContentHash, RelPath, Text, TextEdit, TextEditError, TextEdits};
use symd_config::Languages;
use symd_edit::{Access, Plan, PlanStep};
use symd_engine::{CurrentError, MAX_PARSED_BYTES, PreparsedOutline, View};
use symd_files::read_file::{read_bytes, read_file, read_if_file};
use symd_files::search::MatchContext;
use symd_files::tree::{FileOpError, LocateError, Tree};
use symd_index::{Content, FileEntry};
use symd_parse::ParseError;
use symd_resolve::CurrentText;
use symd_rewrite::{
    EditFault, EditTarget, Guard, Indentation, LineError, PlacedBody, Placement, PlacementOptions,
    ReplaceError, SymbolEditError, check_edits, delete_lines, delete_symbol, insert_at_line, patch,
    place_body, replace_content, replace_lines,
};
use symd_syntax::{Grammar, OutlineError, grammar_of_text};
use symd_vfs::{EntryKind, GitPaths, VfsError};

/// A plan, and what an answer reports about it.
#[derive(Debug, Default)]
pub struct PlannedEdit {
    pub plan: Plan,
    /// The title for the history, one line.
    pub title: String,
    /// The files that the plan changes (links resolved), by path, with their proposed text; `None` for a file
    /// that would be removed.
    pub files: BTreeMap<RelPath, Option<NewText>>,
    /// Further notes for the answer.
    pub notes: Vec<String>,
    /// Number of replaced occurrences, if the request replaces occurrences.
    pub replaced: Option<usize>,
    /// What a patch does to each file, in its order.
    pub written: Vec<Written>,
    /// Whether an existing file is overwritten as a whole.
    pub overwrites: bool,
    /// Outlines of proposed texts, which the index then need not parse again.
    pub preparsed: Vec<PreparsedOutline>,
}

impl PlannedEdit {
    /// Returns the files that have a text afterwards.
    pub(super) fn written_files(&self) -> Vec<RelPath> {
        self.files.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.clone()).collect()
    }
}

/// A text before and after an edit.
#[derive(Clone, Debug, Default)]
pub struct NewText {
    /// The current text; empty if there is no text.
    pub before: String,
    /// The proposed text.
    pub after: String,
}

/// What a patch does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file's path after the patch, or before it if the file is deleted.
    pub path: RelPath,
    /// The size after the patch; 0 if the file is deleted.
    pub bytes: usize,
    /// Whether the patch creates the file.
    pub created: bool,
}

/// A file that a patch names.
struct PatchedFile {
    /// The path, with links resolved.
    path: RelPath,
    /// `None` if the file is not text.
    text: Option<Text>,
    hash: ContentHash,
    size: usize,
}

/// Why no plan could be made. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum PlanningError {
    /// The path is invalid, or the file cannot be read.
    #[error(transparent)]
    File(#[from] FileOpError),
    /// The selector does not identify a single symbol.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The symbol cannot be edited that way.
    #[error(transparent)]
    Symbol(#[from] SymbolEditError),
    /// The file's text and outline are not available.
    #[error(transparent)]
    Current(#[from] CurrentError),
    /// A language server made the outline; its ranges are not exact enough for edits.
    #[error("symd has no grammar for {0} and cannot edit its symbols; use replace_content or the line tools")]
    NoGrammar(RelPath),
    /// The lines do not exist.
    #[error(transparent)]
    Lines(#[from] LineError),
    /// The expression does not occur, or not as required.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The patch cannot be parsed.
    #[error(transparent)]
    PatchText(#[from] patch::PatchParseError),
    /// The patch does not apply.
    #[error(transparent)]
    Patch(#[from] patch::PlanError),
    /// A patch names one file by two paths.
    #[error(
        "{first} and {second} are one file ({file}); nothing was written; give its changes under one name"
    )]
    OneFile {
        /// The path that comes first in the patch.
        first: RelPath,
        /// The other path.
        second: RelPath,
        /// The file, links resolved.
        file: RelPath,
    },
    /// The edits do not fit the text: a bug in symd.
    #[error(transparent)]
    Edits(#[from] TextEditError),
    /// A file does not have the revision that the client expects.
    #[error(transparent)]
    Stale(#[from] RevisionConflict),
    /// The file changed while the edit was planned.
    #[error("conflict: {0} changed while it was read; nothing was written; repeat the edit")]
    Changing(RelPath),
    /// The result would not parse, or would damage what surrounds the edit.
    #[error("{path}: {fault}; nothing was written; correct the text, or give force: true")]
    Breaks { path: RelPath, fault: Box<EditFault> },
    /// The parser fails on the result.
    #[error(
        "{path}: the new text cannot be checked: {error}; nothing was written; make it smaller or simpler, or give force: true"
    )]
    Unparsable { path: RelPath, error: ParseError },
    /// The client disconnected or cancelled the request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The maximum number of files that the title of a patch names.
const NAMED_FILES: usize = 5;

impl From<LocateError> for PlanningError {
    fn from(error: LocateError) -> PlanningError {
        FileOpError::from(error).into()
    }
}

impl From<PathError> for PlanningError {
    fn from(error: PathError) -> PlanningError {
        LocateError::from(error).into()
    }
}

impl From<VfsError> for PlanningError {
    fn from(error: VfsError) -> PlanningError {
        FileOpError::from(error).into()
    }
}

/// Makes the plan of `request`.
pub fn plan_edit(
    view: &View,
    languages: &Languages,
    request: &Request,
    cancel: &Cancel,
) -> Result<PlannedEdit, PlanningError> {
    let mut maker = Maker { view, request, cancel, made: PlannedEdit::default(), coming: Vec::new() };
    match &request.what {
        EditAction::Symbol { wanted, act: SymbolAction::Delete, .. } => {
            maker.delete(&target::declarations(view, languages, wanted, cancel)?)?;
        }
        EditAction::Symbol { wanted, act, indentation } => {
            let found = target::target(view, languages, wanted, cancel)?;
            maker.symbol(&found, act, *indentation)?;
        }
        EditAction::Text { path, act } => maker.text(path, act)?,
        EditAction::Write { path, content } => maker.write(path, content)?,
        EditAction::Create { path, content } => maker.create(path, content)?,
        EditAction::Patch(patch) => maker.patch(patch)?,
    }
    maker.made.preparsed = proposed_text::parse(&view.parsers, &maker.coming, request.breaking, cancel)?;
    Ok(maker.made)
}

/// Returns the full guard, unless the client has lifted it.
fn full_guard(breaking: Breaking) -> Guard {
    match breaking {
        Breaking::Refused => Guard::Full,
        Breaking::Allowed => Guard::Off,
    }
}

fn symbol_error(error: SymbolEditError, guard: Guard) -> PlanningError {
    match error {
        SymbolEditError::Rejected { path, fault } if guard == Guard::Full => {
            PlanningError::Breaks { path, fault }
        }
        SymbolEditError::Unparsable { path, error } => PlanningError::Unparsable { path, error },
        other => other.into(),
    }
}

struct Maker<'v> {
    view: &'v View,
    request: &'v Request,
    cancel: &'v Cancel,
    made: PlannedEdit,
    /// Proposed texts, still to be parsed.
    coming: Vec<ProposedText>,
}

impl Maker<'_> {
    /// Runs `work` on the files that the request may name.
    fn tree<T>(&self, work: impl FnOnce(&Tree<'_>) -> T) -> T {
        match self.request.ignored {
            IgnoredEdits::Refused | IgnoredEdits::Created => self.view.tree(work),
            IgnoredEdits::Edited => self.view.whole_tree(work),
        }
    }

    fn symbol(
        &mut self,
        found: &target::Target,
        act: &SymbolAction,
        indentation: Indentation,
    ) -> Result<(), PlanningError> {
        let (grammar, current) = self.outlined(&found.file)?;
        let path = &found.file.path;
        let (text, outline) = (current.text.as_str(), current.outline.as_ref());
        let symbol = EditTarget { path, grammar, text, outline, row: found.row, parsers: &self.view.parsers };
        let guard = match (indentation, self.request.breaking) {
            (Indentation::ByContract, _) => Guard::SurroundingDeclarations,
            (_, breaking) => full_guard(breaking),
        };
        let (done, placing, body) = match act {
            SymbolAction::Replace(body) => ("replace", Placement::Replace, body.as_str()),
            SymbolAction::InsertBefore(body) => ("insert before", Placement::Before, body.as_str()),
            SymbolAction::InsertAfter(body) => ("insert after", Placement::After, body.as_str()),
            SymbolAction::Delete => return self.delete(std::slice::from_ref(found)),
        };
        let placed = place_body(symbol, body, PlacementOptions { placing, indentation, guard }, self.cancel);
        self.made.title = format!("{done} {} in {path}", found.symbol.name_path);
        self.placed(&current, path, placed.map_err(|error| symbol_error(error, guard))?)
    }

    /// Deletes these declarations of one symbol, given in path order.
    fn delete(&mut self, found: &[target::Target]) -> Result<(), PlanningError> {
        let guard = full_guard(self.request.breaking);
        let mut paths: Vec<String> = Vec::new();
        for of_file in found.chunk_by(|a, b| a.file.path == b.file.path) {
            let Some(first) = of_file.first() else { continue };
            let (grammar, current) = self.outlined(&first.file)?;
            let path = &first.file.path;
            let (text, outline) = (current.text.as_str(), current.outline.as_ref());
            let symbol =
                EditTarget { path, grammar, text, outline, row: first.row, parsers: &self.view.parsers };
            let mut rows: Vec<usize> = of_file.iter().map(|one| one.row).collect();
            rows.sort_by_key(|&row| outline.rows.get(row).map(|row| row.start));
            let deleted = delete_symbol(symbol, &rows, self.cancel);
            let checked = deleted.and_then(|edits| check_edits(symbol, edits, guard, self.cancel));
            self.placed(&current, path, checked.map_err(|error| symbol_error(error, guard))?)?;
            paths.push(path.to_string());
        }
        if let Some(first) = found.first() {
            let name = &first.symbol.name_path;
            // The index distinguishes one declaration from the others, and all of them are deleted.
            let name =
                if found.len() > 1 { name.rsplit_once('[').map_or(&**name, |(name, _)| name) } else { name };
            self.made.title = format!("delete {name} in {}", paths.join(", "));
        }
        Ok(())
    }

    /// Returns the grammar of a file in the index, and its text and outline; fails if they are no longer
    /// those of the index.
    fn outlined(&self, file: &Arc<FileEntry>) -> Result<(Grammar, CurrentText), PlanningError> {
        let path = &file.path;
        let Content::Code { hash, .. } = &file.content else {
            return Err(CurrentError::NoOutline(path.clone()).into());
        };
        let grammar = file.grammar().ok_or_else(|| PlanningError::NoGrammar(path.clone()))?;
        let current = self.view.current(file)?;
        if current.hash != *hash {
            return Err(PlanningError::Changing(path.clone()));
        }
        self.request.base.check(path, Some(current.hash))?;
        Ok((grammar, current))
    }

    fn placed(
        &mut self,
        current: &CurrentText,
        path: &RelPath,
        placed: PlacedBody,
    ) -> Result<(), PlanningError> {
        let PlacedBody { edits, outline } = placed;
        self.change(path, &current.text, current.hash, edits)?;
        if let Some(coming) = self.coming.last_mut() {
            coming.outline = outline;
        }
        Ok(())
    }

    fn text(&mut self, written: &str, act: &TextAction) -> Result<(), PlanningError> {
        let file = self.tree(|tree| read_file(tree, written))?;
        let path = self.view.files.resolve(&file.path)?;
        self.request.base.check(&path, Some(file.hash))?;
        let text = file.text.as_str();
        let (title, edits) = match act {
            TextAction::Replace { needle, replacement, mode, how_many } => {
                let means = MatchContext { program: self.view.parsers.program(), cancel: self.cancel };
                let replaced = replace_content(written, text, needle, replacement, *mode, *how_many, means)?;
                self.made.replaced = Some(replaced.count);
                (format!("replace content in {path}"), replaced.edits)
            }
            TextAction::DeleteLines { start, end } => {
                (format!("delete lines of {path}"), delete_lines(text, *start, *end)?)
            }
            TextAction::ReplaceLines { start, end, content } => {
                (format!("replace lines of {path}"), replace_lines(text, *start, *end, content)?)
            }
            TextAction::InsertAtLine { line, content } => {
                (format!("insert lines into {path}"), insert_at_line(text, *line, content)?)
            }
        };
        self.made.title = title;
        self.change(&path, &file.text, file.hash, edits)
    }

    fn write(&mut self, written: &str, content: &str) -> Result<(), PlanningError> {
        let path = RelPath::new(written)?;
        let old = match self.tree(|tree| read_if_file(tree, &path)) {
            Some(old) => old,
            None => {
                match self.tree(|tree| tree.locate(written)) {
                    Err(LocateError::Missing(_)) => return self.make_file(path, content),
                    Ok(found) if found.kind == EntryKind::Directory => {
                        return Err(FileOpError::IsDirectory(written.to_owned()).into());
                    }
                    located => located?,
                };
                // Located again: an ignored file is not overwritten.
                self.tree(|tree| tree.locate_unignored(written))?;
                self.view.files.read(&path)?.bytes
            }
        };
        // A link that changed meanwhile leads to a file with another hash, which the check finds.
        let path = self.view.files.resolve(&path)?;
        let base = ContentHash::of(&old);
        self.request.base.check(&path, Some(base))?;
        let before = Text::decode(old).map_or_else(|_| String::new(), |text| text.as_str().to_owned());
        self.made.title = format!("overwrite {path}");
        self.made.overwrites = true;
        self.record_text(&path, before, content.to_owned(), Encoding::Utf8);
        let bytes = content.as_bytes().to_vec();
        self.made.plan.steps.push(PlanStep::Write { path, base: Some(base), bytes });
        Ok(())
    }

    fn create(&mut self, written: &str, content: &str) -> Result<(), PlanningError> {
        let path = RelPath::new(written)?;
        match self.tree(|tree| tree.locate(written)) {
            Err(LocateError::Missing(_)) => self.make_file(path, content),
            Ok(found) if found.kind == EntryKind::Directory => {
                Err(FileOpError::IsDirectory(written.to_owned()).into())
            }
            Ok(_) => Err(VfsError::Exists { path }.into()),
            Err(other) => Err(other.into()),
        }
    }

    fn make_file(&mut self, path: RelPath, content: &str) -> Result<(), PlanningError> {
        // What is git's is refused with that reason, when the plan is checked.
        if self.request.ignored == IgnoredEdits::Refused
            && self.view.is_ignored(&path, EntryKind::File)
            && !GitPaths::default().contains(&path)
        {
            return Err(LocateError::Ignored(path.to_string()).into());
        }
        self.request.base.check(&path, None)?;
        let new = NewText { before: String::new(), after: content.to_owned() };
        self.made.title = format!("create {path}");
        self.made.files.insert(path.clone(), Some(new));
        self.made.plan.steps.push(PlanStep::Create {
            path,
            bytes: content.as_bytes().to_vec(),
            access: Access::Plain,
        });
        Ok(())
    }

    fn patch(&mut self, patch: &str) -> Result<(), PlanningError> {
        let patch = patch::parse(patch)?;
        let mut read: BTreeMap<RelPath, PatchedFile> = BTreeMap::new();
        let plan = patch::plan(&patch, patch::PatchOptions::default(), &mut |path| {
            let Some(named) = self.named(path)? else { return Ok(None) };
            let found = match &named.text {
                Some(text) => patch::FileToPatch::Text(text.as_str().to_owned()),
                None => patch::FileToPatch::NoText(FileOpError::Binary(path.to_string()).to_string()),
            };
            read.insert(path.clone(), named);
            Ok(Some(found))
        })?;
        self.made.notes = plan.notes;
        for shift in &plan.inexact_hunks {
            self.made.notes.push(shift.to_string());
        }
        let (mut paths, mut places) = (Vec::new(), BTreeMap::new());
        for operation in plan.operations {
            let (path, new_path) = match &operation {
                patch::PatchOperation::Update { path, new_path, .. } => (path.clone(), new_path.clone()),
                patch::PatchOperation::Add { path, .. } | patch::PatchOperation::Delete { path } => {
                    (path.clone(), None)
                }
            };
            // Every edit is based on the text as it was read: edits of one file under two names would be
            // applied to each other's results.
            for name in new_path.into_iter().chain([path.clone()]) {
                let place = read.get(&name).map_or_else(|| self.place(&name), |named| named.path.clone());
                if let Some(first) = places.insert(place.clone(), name.clone()) {
                    return Err(PlanningError::OneFile { first, second: name, file: place });
                }
            }
            self.operation(operation, &read)?;
            paths.push(path.to_string());
        }
        self.made.title = match paths.len().saturating_sub(NAMED_FILES) {
            0 => format!("patch {}", paths.join(", ")),
            more => format!("patch {} and {more} more", paths[..NAMED_FILES].join(", ")),
        };
        Ok(())
    }

    /// Returns the file that a patch calls `path`; `None` if there is none, the reason if it cannot be used.
    fn named(&self, path: &RelPath) -> Result<Option<PatchedFile>, String> {
        let file = match self.tree(|tree| read_bytes(tree, path.as_str())) {
            Err(FileOpError::Locate(LocateError::Missing(_))) => return Ok(None),
            file => file.map_err(|error| error.to_string())?,
        };
        let path = self.view.files.resolve(&file.path).map_err(|error| error.to_string())?;
        let (hash, size) = (ContentHash::of(&file.bytes), file.bytes.len());
        Ok(Some(PatchedFile { path, text: Text::decode(file.bytes).ok(), hash, size }))
    }

    /// Returns the place of a file called `path`: links above it are followed, it is not a link itself.
    fn place(&self, path: &RelPath) -> RelPath {
        let above = path.parent().and_then(|above| self.view.files.resolve(&above).ok());
        above.map_or_else(|| path.clone(), |above| above.join(path.file_name()))
    }

    /// Checks the file's hash against the client's expectation, under both of its names.
    fn check_expected(
        &self,
        path: &RelPath,
        place: &RelPath,
        found: Option<ContentHash>,
    ) -> Result<(), RevisionConflict> {
        self.request.base.check(place, found)?;
        if path == place { Ok(()) } else { self.request.base.check(path, found) }
    }

    fn operation(
        &mut self,
        operation: patch::PatchOperation,
        read: &BTreeMap<RelPath, PatchedFile>,
    ) -> Result<(), PlanningError> {
        let gone = |path: &RelPath| PlanningError::Changing(path.clone());
        match operation {
            patch::PatchOperation::Add { path, text, access } => {
                let place = self.place(&path);
                self.check_expected(&path, &place, None)?;
                self.made.written.push(Written { path: path.clone(), bytes: text.len(), created: true });
                let new = NewText { before: String::new(), after: text.clone() };
                self.made.files.insert(place.clone(), Some(new));
                self.made.plan.steps.push(PlanStep::Create { path: place, bytes: text.into_bytes(), access });
            }
            patch::PatchOperation::Delete { path } => {
                let named = read.get(&path).ok_or_else(|| gone(&path))?;
                let base = named.hash;
                self.check_expected(&path, &named.path, Some(base))?;
                self.made.written.push(Written { path: path.clone(), bytes: 0, created: false });
                self.made.files.insert(named.path.clone(), None);
                self.made.plan.steps.push(PlanStep::Delete { path, base });
            }
            patch::PatchOperation::Update { path, edits, new_path } => {
                let named = read.get(&path).ok_or_else(|| gone(&path))?;
                self.check_expected(&path, &named.path, Some(named.hash))?;
                let shown = new_path.as_ref().unwrap_or(&path).clone();
                self.made.written.push(Written {
                    path: shown,
                    bytes: named.size_after(&edits),
                    created: false,
                });
                if let Some(text) = named.text.as_ref().filter(|_| !edits.is_empty()) {
                    self.change(&named.path, text, named.hash, edits)?;
                }
                if let Some(to) = new_path {
                    let new = self.made.files.insert(named.path.clone(), None).flatten();
                    let text = named.text.as_ref().map_or("", Text::as_str);
                    let unchanged = || NewText { before: text.to_owned(), after: text.to_owned() };
                    let to = self.place(&to);
                    self.made.files.insert(to.clone(), Some(new.unwrap_or_else(unchanged)));
                    self.made.plan.steps.push(PlanStep::Rename { from: path, to, base: named.hash });
                }
            }
        }
        Ok(())
    }

    fn change(
        &mut self,
        path: &RelPath,
        text: &Text,
        base: ContentHash,
        edits: TextEdits,
    ) -> Result<(), PlanningError> {
        let after = edits.apply(text.as_str())?;
        self.record_text(path, text.as_str().to_owned(), after, text.encoding());
        self.made.plan.steps.push(PlanStep::Text { path: path.clone(), base, edits });
        Ok(())
    }

    /// Records what `path` will hold; it is parsed when the plan is complete.
    fn record_text(&mut self, path: &RelPath, before: String, after: String, encoding: Encoding) {
        if let Some(grammar) = self.grammar_of(path, &after)
            && before != after
            && after.len() as u64 <= MAX_PARSED_BYTES
        {
            let (path, before, after) = (path.clone(), before.clone(), after.clone());
            self.coming.push(ProposedText { path, grammar, before, after, encoding, outline: None });
        }
        self.made.files.insert(path.clone(), Some(NewText { before, after }));
    }

    /// Returns the grammar of the file at `path`; of a new one by its name and its text.
    fn grammar_of(&self, path: &RelPath, text: &str) -> Option<Grammar> {
        if let Some(file) = self.view.snapshot.files.get(path.as_str()) {
            return file.grammar();
        }
        let language = self.view.languages.language_of(path)?;
        let named = Grammar::named(self.view.languages.get(language).grammar.as_deref()?)?;
        Some(grammar_of_text(named, path.extension(), text.as_bytes()))
    }
}

impl PatchedFile {
    /// Returns the size in bytes after `edits`: what they do not touch keeps its bytes, including invalid
    /// ones.
    fn size_after(&self, edits: &TextEdits) -> usize {
        let Some(text) = &self.text else { return self.size };
        let is_wide = matches!(text.encoding(), Encoding::Utf16Le | Encoding::Utf16Be);
        let size = |piece: &str| if is_wide { 2 * piece.encode_utf16().count() } else { piece.len() };
        let old = |edit: &TextEdit| text.as_str().get(edit.range.as_range()).map_or(0, size);
        let gone: usize = edits.iter().map(old).sum();
        let come: usize = edits.iter().map(|edit| size(&edit.new_text)).sum();
        (self.size + come).saturating_sub(gone)
    }
}

impl From<OutlineError> for PlanningError {
    fn from(error: OutlineError) -> PlanningError {
        SymbolEditError::from(error).into()
    }
}
