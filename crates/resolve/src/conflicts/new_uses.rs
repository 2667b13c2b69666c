//! Uses of the new name that would mean the renamed declaration.

use std::sync::Arc;

use super::namespaces::{Space, space};
use super::{Renaming, SourcePlace, Visibility};
use crate::context::{Receiver, argument_of, receiver, text_after, text_before};
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::inheritance::Inheritance;
use crate::meaning::Meaning;
use crate::name_places::places_of;
use crate::place::{OccurrenceKind, classify_occurrence};
use crate::profiles::{NonUse, PackageScope};
use crate::resolver::CurrentFile;
use crate::scope::{self, SearchStart, resolve_with_reach};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_index::FileEntry;
use symd_syntax::call_site;

impl Renaming<'_, '_> {
    /// Whether the file may use the declaration by its bare name, or as a member. Cheap: it excludes most
    /// files.
    pub(super) fn may_reach(&self, file: &Arc<FileEntry>) -> Result<bool, Cancelled> {
        if file.path == self.target.file.path {
            return Ok(true);
        }
        let Some(imports) = file.imports() else { return Ok(false) };
        Ok(match self.visible {
            Visibility::Function(_) => false,
            Visibility::Member(_) => true,
            Visibility::File => {
                file.holds(self.old)
                    || imports.has_stars()
                    || self.resolver.profile.imports.package != PackageScope::None
            }
        })
    }

    /// Adds the uses of the new name in a file that would mean the declaration.
    pub(super) fn add_new_uses(
        &self,
        here: &CurrentFile,
        found: &mut Vec<SourcePlace>,
    ) -> Result<(), Cancelled> {
        let class = match self.visible {
            Visibility::Member(row) => Some(IndexedDeclaration { file: self.target.file.clone(), row }),
            _ => None,
        };
        let kin = class.as_ref().map(Inheritance::new);
        for range in places_of(here, self.new) {
            let start = range.start;
            if !self.can_mean(here, range) {
                continue;
            }
            let would_mean = match receiver(here.text.as_str(), start as usize, self.resolver.family) {
                Receiver::None => self.would_mean(here, range)?,
                _ if self.resolver.family == Family::Go => self.is_member_of_go_value(here, start)?,
                Receiver::Chain(chain, first) => match &kin {
                    Some(kin) => self.is_member_of_kin(here, first, &chain, kin)?,
                    None => false,
                },
                Receiver::Super | Receiver::Expression => false,
            };
            if would_mean {
                found.push((here.file.path.clone(), range));
            }
        }
        Ok(())
    }

    /// Whether the bare new name at `range` would mean the declaration: the declaration is visible there, and
    /// nothing nearer has the name.
    fn would_mean(&self, here: &CurrentFile, range: TextRange) -> Result<bool, Cancelled> {
        let (meaning, mine) = resolve_with_reach(self.resolver, here, range.start, self.old)?;
        let is_visible =
            matches!(meaning, Meaning::Declared(found) if found.iter().any(|one| self.is_ours(one)));
        if !is_visible || self.is_no_use(here, range)? {
            return Ok(false);
        }
        let (_, theirs) = resolve_with_reach(self.resolver, here, range.start, self.new)?;
        Ok(mine <= theirs)
    }

    /// Whether the name at `range` is not used as a bare name: it is declared or imported there, or names an
    /// argument.
    fn is_no_use(&self, here: &CurrentFile, range: TextRange) -> Result<bool, Cancelled> {
        let place = classify_occurrence(self.resolver, here, range, self.new)?;
        Ok(!matches!(place, OccurrenceKind::Bare(_)))
    }

    /// Whether the receiver is the member's class, or a class that inherits from it.
    fn is_member_of_kin(
        &self,
        here: &CurrentFile,
        first: usize,
        chain: &[&str],
        kin: &Inheritance,
    ) -> Result<bool, Cancelled> {
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        match scope::resolve_chain(self.resolver, here, first, chain, SearchStart::Inside)? {
            Meaning::Declared(owner) => match &owner[..] {
                [owner] if owner.row().is_some_and(|(_, row)| is_class(row)) => {
                    kin.is_subclass_or_same(self.resolver, owner)
                }
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// Whether an occurrence is spelled so that it can mean the declaration. A key of an object literal is no
    /// use, nor is a keyword in an argument list; Kotlin and Java separate functions from values.
    fn can_mean(&self, here: &CurrentFile, range: TextRange) -> bool {
        let (text, family) = (here.text.as_str(), self.resolver.family);
        let (left, right) =
            (text_before(text, range.start as usize, family), text_after(text, range.end as usize));
        match self.resolver.profile.scopes.non_use {
            NonUse::ArgumentName => {
                !(left.ends_with(['(', ',']) && right.starts_with('=') && !right.starts_with("=="))
                    && argument_of(text, range.start as usize, range.end as usize, family).is_none()
            }
            NonUse::Key => {
                !(left.ends_with(['{', ',']) && right.starts_with(':') && !right.starts_with("::"))
            }
            NonUse::OtherNamespace => {
                let is_called = call_site::is_called(here.grammar, text, range) || left.ends_with("::");
                match space(self.row.kind()) {
                    Some(Space::Calls) => is_called,
                    Some(Space::Values) => !is_called,
                    Some(Space::Types) | None => true,
                }
            }
            NonUse::None => true,
        }
    }
}
