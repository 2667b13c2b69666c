//! Uses of the renamed declaration that would mean something else.

use super::{Renaming, SourcePlace, Visibility, name_place};
use crate::context::text_after;
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::meaning::{Meaning, binds};
use crate::place::{OccurrenceKind, classify_occurrence};
use crate::resolver::CurrentFile;
use crate::scope::{self, Reach, is_called, resolve_with_reach};
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

impl Renaming<'_, '_> {
    /// Adds what would capture the use of the declaration at `range`.
    pub(super) fn add_captures(
        &self,
        here: &CurrentFile,
        range: TextRange,
        found: &mut Vec<SourcePlace>,
    ) -> Result<(), Cancelled> {
        if self.becomes_element(here, range) {
            found.push((here.file.path.clone(), range));
        }
        let mine = match classify_occurrence(self.resolver, here, range, self.old)? {
            OccurrenceKind::Member(_) => {
                found.extend(self.captures_of_member(here, range)?);
                return Ok(());
            }
            OccurrenceKind::Argument { .. } | OccurrenceKind::Parameter(_) => return Ok(()),
            OccurrenceKind::Declaration(row) => {
                found.extend(self.siblings_of(here, row));
                return Ok(());
            }
            OccurrenceKind::Import(_) if !self.is_bound(here, range) => return Ok(()),
            OccurrenceKind::Import(_) => match scope::function_around(here, range.start) {
                Some(_) => Reach::Scope(0),
                None => Reach::File,
            },
            OccurrenceKind::Bare(meaning) => {
                let (_, reach) = resolve_with_reach(self.resolver, here, range.start, self.old)?;
                match meaning {
                    Meaning::Declared(all) if all.iter().any(|one| self.is_ours(one)) => reach,
                    _ => self.guessed_reach(here, range.start),
                }
            }
        };
        let (meaning, theirs) = resolve_with_reach(self.resolver, here, range.start, self.new)?;
        let is_nearer = theirs <= mine && (theirs != Reach::Wider || matches!(meaning, Meaning::Declared(_)));
        if !is_nearer
            || (theirs == Reach::Local
                && self.has_own_namespace(SymbolKind::Variable)
                && !may_call_value(here, self.new, range))
        {
            return Ok(());
        }
        match meaning {
            Meaning::Declared(all) => {
                let clash = all.iter().filter(|one| {
                    !self.is_ours(one) && one.row().is_some_and(|(_, row)| self.can_clash(row.kind()))
                });
                found.extend(clash.map(name_place));
            }
            _ => {
                let function = match theirs {
                    Reach::Scope(_) => scope::function_around(here, range.start),
                    _ => None,
                };
                let imports = self.imports(here, function);
                let is_import = theirs != Reach::Local && !imports.is_empty();
                found.extend(if is_import { imports } else { vec![(here.file.path.clone(), range)] });
            }
        }
        Ok(())
    }

    /// Whether the use names a component in JSX and the new name is one that JSX takes for an element of the browser: `<card>`.
    fn becomes_element(&self, here: &CurrentFile, range: TextRange) -> bool {
        if self.resolver.family != Family::Ecma
            || !here.may_hold_markup()
            || !self.new.starts_with(|first: char| first.is_ascii_lowercase())
        {
            return false;
        }
        let text = here.text.as_str();
        let (left, right) = text.split_at(range.start as usize);
        let is_member = right[self.old.len()..].starts_with('.');
        // `f<Card>()` has type arguments.
        let opens = left.strip_suffix('<').is_some_and(|left| {
            !left.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '$'))
        });
        (opens || left.ends_with("</")) && !is_member
    }

    /// Returns the siblings of `row`, which is renamed too, that have the new name.
    fn siblings_of(&self, here: &CurrentFile, row: usize) -> Vec<SourcePlace> {
        let rows = &here.outline.rows;
        let is_it = |&at: &usize| {
            at != row
                && rows[at].parent == rows[row].parent
                && here.outline.name(&rows[at]) == self.new
                && self.can_clash(rows[at].kind())
        };
        (0..rows.len()).filter(is_it).map(|at| name_place(&here.target(at))).collect()
    }

    /// Whether the import around `range` binds the old name in the file.
    fn is_bound(&self, here: &CurrentFile, range: TextRange) -> bool {
        here.imports().iter().any(|import| {
            import.statement.contains(range) && binds(self.resolver.family, &import) == Some(self.old)
        })
    }

    /// Estimates how far out the declaration is, for uses that a server resolves and syntax does not.
    fn guessed_reach(&self, here: &CurrentFile, at: u32) -> Reach {
        let around = scope::around(here, at);
        let step = match self.visible {
            Visibility::File => None,
            Visibility::Function(row) => around.iter().position(|&one| one == row),
            Visibility::Member(_) => around.iter().position(|&one| is_class(&here.outline.rows[one])),
        };
        step.map_or(Reach::File, Reach::Scope)
    }
}

/// Whether the call at `range` could call a value `name` of the file: one that is declared with a
/// function type, or initialized with a function.
fn may_call_value(here: &CurrentFile, name: &str, range: TextRange) -> bool {
    let text = here.text.as_str();
    let is_function = |at: usize| {
        let right = text_after(text, at + name.len());
        let declared = right.strip_prefix(':').map(str::trim_start);
        let value = right.strip_prefix('=').map(str::trim_start);
        declared
            .is_some_and(|it| it.strip_prefix("suspend").unwrap_or(it).trim_start().starts_with(['(', '@']))
            || value.is_some_and(|it| it.starts_with(['{', ':']) || it.starts_with("fun"))
    };
    here.language.calls_values
        && is_called(here, range.start)
        && here.outline.occurrences.offsets_of(name).into_iter().any(|at| is_function(at as usize))
}
