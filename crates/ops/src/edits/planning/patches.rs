//! The plan of a patch: what it does to each file, under the names that it gives them. Invariant: no file is changed under two names.

use std::collections::BTreeMap;

use super::{Maker, NewText, PlanningError, Written};
use crate::edits::request::RevisionConflict;
use symd_base::text::Encoding;
use symd_base::{ContentHash, RelPath, Text, TextEdit, TextEdits};
use symd_edit::PlanStep;
use symd_files::read_file::read_bytes;
use symd_files::tree::{FileOpError, LocateError};
use symd_rewrite::patch;

/// A file that a patch names.
struct PatchedFile {
    /// The path, with links resolved.
    path: RelPath,
    /// `None` if the file is not text.
    text: Option<Text>,
    hash: ContentHash,
    size: usize,
}

/// The maximum number of files that the title of a patch names.
const NAMED_FILES: usize = 5;

impl Maker<'_> {
    pub(super) fn patch(&mut self, patch: &str) -> Result<(), PlanningError> {
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
