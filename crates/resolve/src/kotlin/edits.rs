//! Edits of Kotlin files after which what was found out about other files still holds: edits in the blocks of functions and in comments.
//! Invariant: what is kept is what a question would find out itself.

use std::sync::Arc;

use crate::family::{Family, has_types, is_jvm};
use crate::kotlin::project::profile;
use crate::kotlin::state::{CONTRACT_WORD, KotlinState};
use crate::sources::Sources;
use symd_base::Cancel;
use symd_index::{EntryChange, FileEntry};
use symd_syntax::{Outline, name_hash};
use symd_types::kotlin::SourceFile;

/// After this many edits it is about as fast to find everything out again.
const MAX_EDITS: usize = 32;

impl KotlinState {
    /// Makes it a state of the files as `sources` sees them. `changes` are all files that differ, and `parsed_before` returns the earlier text
    /// of one, if it is kept. `None` if something may no longer be true.
    pub fn after_changes<'c>(
        mut self,
        changes: impl Iterator<Item = EntryChange<'c>>,
        sources: &dyn Sources,
        parsed_before: impl Fn(&FileEntry) -> Option<Arc<SourceFile>>,
        cancel: &Cancel,
    ) -> Option<KotlinState> {
        let mut edits = 0;
        for change in changes {
            // It was touched, or has let go of its outline.
            if change.is_of_same_text() {
                continue;
            }
            let EntryChange { before, after } = change;
            let either = before.or(after)?;
            // It decides which files see each other.
            if sources.gradle_modules().depends_on(&either.path) {
                return None;
            }
            // `profile` knows only the new content of a file without an extension.
            let is_meant = [before, after].into_iter().flatten().any(|file| is_jvm(file))
                || profile(sources, &either.path).is_some_and(|language| language.family == Family::Jvm);
            if !is_meant {
                continue;
            }
            let (before, after) = (before?, after?);
            edits += 1;
            let key = self.files.as_ref()?.key(&after.path)?;
            if edits > MAX_EDITS
                || !has_types(before)
                || !has_types(after)
                || !have_same_symbols(before, after)
            {
                return None;
            }
            if self.findings.has_read(key) {
                let current = sources.current(after).filter(|current| after.hash() == Some(current.hash))?;
                let now = sources.kotlin_file(after, &current, cancel)?;
                if !now.looks_like(&*parsed_before(before)?) {
                    return None;
                }
                self.findings.forget_file(key);
            }
        }
        Some(self)
    }
}

/// Whether the index tells the same of both, as far as other files see it.
fn have_same_symbols(before: &FileEntry, after: &FileEntry) -> bool {
    // The earlier entry goes with the earlier snapshot, so it need not keep what is read.
    let (Some(was), Some(is)) = (before.outline_once(), after.outline()) else { return false };
    let visible = |outline: &Outline| {
        let rows = 0..outline.rows.len();
        let visible = rows.filter(|&at| !outline.rows[at].is_local());
        visible.map(|at| (outline.name_path(at), outline.rows[at].kind())).collect::<Vec<_>>()
    };
    let contract = name_hash(CONTRACT_WORD.as_bytes());
    let holds_contract = |outline: &Outline| outline.occurrences.contains_hash(contract);
    was.imports.package() == is.imports.package()
        && holds_contract(&was) == holds_contract(is)
        && visible(&was) == visible(is)
}
