//! Turns a client's request into a plan, on one view of the project. Writes nothing. Invariant: every step of
//! the plan carries the hash of the bytes that it is based on.

mod patches;

use std::sync::Arc;

use super::Breaking;
use super::planned_edit::{NewText, PlannedEdit, PlanningError, Written};
use super::proposed_text::{self, ProposedText};
use super::request::{EditAction, IgnoredEdits, Request, SymbolAction, TextAction};
use crate::target;
use crate::view_tree::ViewTree;
use symd_base::text::Encoding;
use symd_base::{Cancel, ContentHash, RelPath, Text, TextEdits};
use symd_config::Languages;
use symd_edit::{Access, PlanStep};
use symd_engine::{CurrentError, MAX_PARSED_BYTES, View};
use symd_files::read_file::{read_file, read_if_file};
use symd_files::search::MatchContext;
use symd_files::tree::{FileOpError, LocateError, Tree};
use symd_index::{Content, FileEntry};
use symd_resolve::CurrentText;
use symd_rewrite::{
    EditTarget, Guard, Indentation, PlacedBody, Placement, PlacementOptions, SymbolEditError, check_edits,
    delete_lines, delete_symbol, insert_at_line, place_body, replace_content, replace_lines,
};
use symd_syntax::{Grammar, grammar_of_text};
use symd_vfs::{EntryKind, GitPaths, VfsError};

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
