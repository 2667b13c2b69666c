//! The interface to the owner of the index: its snapshot, and texts with the outlines of exactly those texts.

use std::sync::Arc;

use crate::hierarchy::graph::ClassGraphs;
use crate::kotlin::gradle::GradleModules;
use crate::kotlin::operator_signs::{OperatorFacts, TextSigns};
use crate::kotlin::state::KotlinState;
use symd_base::{Cancel, ContentHash, RelPath, Text};
use symd_config::Languages;
use symd_index::{FileEntry, Snapshot};
use symd_syntax::{LocalBindings, Outline, Row};
use symd_types::kotlin::SourceFile;

/// The source of texts. The engine's view of the project implements it; tests implement it in memory.
pub trait Sources: Sync {
    fn snapshot(&self) -> &Snapshot;
    /// Returns a file's text as it is now, with the outline of that text; `None` when it cannot be read or
    /// has no outline.
    fn current(&self, file: &FileEntry) -> Option<CurrentText>;
    /// Returns the current text of the file at a path, in any language; `None` when it cannot be read or is binary. Needs
    /// nothing of the index.
    fn text(&self, path: &RelPath) -> Option<String>;
    /// Returns what a file whose hash is that of `text` binds as locals, in languages whose trees are read for it; `None` when
    /// it cannot be parsed in time.
    fn local_bindings(&self, file: &FileEntry, text: &str, cancel: &Cancel) -> Option<Arc<LocalBindings>>;
    /// Returns the outline of a file with the types that its own outline hides; `None` when it cannot be parsed in time.
    fn outline_with_hidden_types(
        &self,
        file: &FileEntry,
        current: &CurrentText,
        cancel: &Cancel,
    ) -> Option<Arc<Outline>>;
    /// Returns a Kotlin file with its declarations; `None` when it cannot be parsed in time.
    fn kotlin_file(
        &self,
        file: &FileEntry,
        current: &CurrentText,
        cancel: &Cancel,
    ) -> Option<Arc<SourceFile>>;
    /// Returns a Kotlin file of a text that an edit would write; `None` when it cannot be parsed in time.
    fn kotlin_text(&self, text: String, cancel: &Cancel) -> Option<Arc<SourceFile>>;
    /// Returns what an earlier question found out about Kotlin files, brought up to date with those that have changed; nothing where none
    /// did. A file that changes after the snapshot is not given by [`Sources::kotlin_file`] from then on.
    fn kotlin_state(&self, _cancel: &Cancel) -> KotlinState {
        KotlinState::default()
    }
    /// Keeps what was found out for a later question, where that will see the same files.
    fn keep_kotlin_state(&self, _state: KotlinState) {}
    /// Returns what is known of the operators in texts of Kotlin, by the hash of the file's bytes.
    fn operator_facts(&self, _content: ContentHash) -> OperatorFacts {
        OperatorFacts::default()
    }
    /// Keeps which signs a text holds.
    fn keep_signs(&self, _content: ContentHash, _signs: TextSigns) {}
    /// Returns the project's Gradle modules, which are read when first asked for, and once for a question.
    fn gradle_modules(&self) -> Arc<GradleModules>;
    /// Returns the graphs of all classes that were built from the same files.
    fn class_graphs(&self) -> ClassGraphs {
        ClassGraphs::default()
    }
    /// Keeps graphs that were built from all files, for further steps of the question and for later ones that see the same files.
    fn keep_class_graphs(&self, _graphs: ClassGraphs) {}
    /// Returns the languages that symd knows.
    fn languages(&self) -> &Languages;
}

/// A file's text with the outline of exactly that text.
#[derive(Debug)]
pub struct CurrentText {
    /// The text as it is on disk now.
    pub text: Text,
    pub outline: Arc<Outline>,
    /// The hash of the file's bytes.
    pub hash: ContentHash,
}

/// A declaration in the index.
#[derive(Clone, Debug)]
pub struct IndexedDeclaration {
    pub file: Arc<FileEntry>,
    /// The row number in the file's outline.
    pub row: usize,
}

impl IndexedDeclaration {
    /// Returns the outline and the row of the declaration; `None` when the file has no such row.
    pub fn row(&self) -> Option<(&Arc<Outline>, &Row)> {
        let outline = self.file.outline()?;
        Some((outline, outline.rows.get(self.row)?))
    }

    /// Returns the current text of the declaration's file, if it is still the one that was indexed: the row's offsets hold in it.
    pub(super) fn unchanged_text(&self, sources: &dyn Sources) -> Option<CurrentText> {
        sources.current(&self.file).filter(|current| self.file.hash() == Some(current.hash))
    }

    /// Returns the simple name; empty when the file has no such row.
    pub fn name(&self) -> &str {
        self.row().map_or("", |(outline, row)| outline.name(row))
    }
}
