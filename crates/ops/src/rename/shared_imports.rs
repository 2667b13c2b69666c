//! Imports that bring several declarations of one name, of which a rename changes one: Kotlin's `import a.f` brings all overloads of `f`.
//! What the file uses decides whether the import gets the new name, stays, or gets an import of the new name beside it. Invariant: what
//! the file uses is imported after the rename as before.

use std::collections::HashSet;

use crate::references::JudgedOccurrences;
use symd_base::{RelPath, Text, TextEdit, TextRange};
use symd_resolve::{Judgement, Occurrence, Role, is_convention};
use symd_rewrite::Endings;

/// What a rename does with an import that brings other declarations of its name, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SharedImport {
    /// The file uses none of what is renamed.
    Stays,
    /// The file uses nothing else of the name.
    Renamed,
    /// The file may use both.
    Doubled,
}

/// The files that use a name, by what they use of it.
pub(super) struct ImportUsers {
    /// The files that use what is renamed.
    renamed: HashSet<RelPath>,
    /// The files that use, or may use, what is not.
    left: HashSet<RelPath>,
    /// Whether any file may use what is not renamed without its name, as an operator.
    has_unnamed: bool,
}

impl ImportUsers {
    /// Sorts the files by their uses. `is_renamed` tells of a use whether it is renamed.
    pub(super) fn of(
        judged: &JudgedOccurrences,
        name: &str,
        is_renamed: impl Fn(&Occurrence) -> bool,
    ) -> ImportUsers {
        let (renamed, left) = (HashSet::new(), HashSet::new());
        let mut users = ImportUsers { renamed, left, has_unnamed: is_convention(name) };
        let is_use = |one: &&Occurrence| !matches!(one.role, Role::Import | Role::Declaration);
        for one in judged.occurrences.iter().filter(is_use) {
            let files = if is_renamed(one) { &mut users.renamed } else { &mut users.left };
            files.insert(one.path.clone());
        }
        users
    }

    /// Returns what is done with an occurrence in an import; `None` for one that brings nothing else.
    pub(super) fn of_import(&self, one: &Occurrence) -> Option<SharedImport> {
        if one.role != Role::Import || one.judgement != Judgement::Probable {
            return None;
        }
        Some(match (self.renamed.contains(&one.path), self.has_unnamed || self.left.contains(&one.path)) {
            (false, _) => SharedImport::Stays,
            (true, false) => SharedImport::Renamed,
            (true, true) => SharedImport::Doubled,
        })
    }
}

/// Returns the edit of the import whose last name is at `range`: nothing to do is an edit that changes nothing. `None` for an import of
/// another form: one with an alias, by which the file uses what it brings, or of what is in the class of that name.
pub(super) fn edit_of_import(
    text: &Text,
    range: TextRange,
    new_name: &str,
    change: SharedImport,
) -> Option<Vec<TextEdit>> {
    let whole = text.as_str();
    let (before, behind) = (&whole[..range.start as usize], &whole[range.end as usize..]);
    let quote = if before.ends_with('`') { "`" } else { "" };
    let rest = behind.strip_prefix(quote)?.trim_start_matches([' ', '\t']);
    if !(rest.is_empty() || rest.starts_with(['\n', '\r', ';']) || rest.starts_with("//")) {
        return None;
    }
    Some(match change {
        SharedImport::Stays => Vec::new(),
        SharedImport::Renamed => vec![TextEdit { range, new_text: new_name.to_owned() }],
        SharedImport::Doubled => {
            let start = before.rfind(['\n', '\r', ';']).map_or(0, |at| at + 1);
            let import = before[start..].trim_start().strip_prefix("import").map(str::trim_start)?;
            let at = range.end + u32::from(!quote.is_empty());
            let ending = Endings::of(whole).at(range.end as usize).as_str();
            let new_text = format!("{ending}import {import}{new_name}{quote}");
            vec![TextEdit { range: TextRange::new(at, at), new_text }]
        }
    })
}
