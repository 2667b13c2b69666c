//! Members of Go's types that have the new name: a field beside a method, and what embedded types promote.

use super::{Renaming, SourcePlace, Visibility, name_place};
use crate::family::Family;
use crate::go;
use crate::meaning::Meaning;
use crate::modules::Module;
use crate::resolver::CurrentFile;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};

impl Renaming<'_, '_> {
    /// Finds the members of the declaration's own type that have the new name.
    pub(super) fn conflicts_in_go_type(&self) -> Result<Vec<SourcePlace>, Cancelled> {
        if self.resolver.family != Family::Go {
            return Ok(Vec::new());
        }
        let types = match self.visible {
            Visibility::Member(row) => vec![IndexedDeclaration { file: self.target.file.clone(), row }],
            Visibility::Function(_) => Vec::new(),
            Visibility::File => self.receiver_types()?,
        };
        let mut found = Vec::new();
        for one in types {
            let own = go::value_types::own_members_of(self.resolver, &one, self.new)?;
            found.extend(own.iter().filter(|one| !self.is_ours(one)).map(name_place));
        }
        Ok(found)
    }

    /// Returns the types that a method's receiver may name.
    fn receiver_types(&self) -> Result<Vec<IndexedDeclaration>, Cancelled> {
        let Some(here) = self.resolver.read_file(&self.target.file) else { return Ok(Vec::new()) };
        let Some(row) = here.row_of(self.target) else { return Ok(Vec::new()) };
        let Some(of) = go::value_types::receiver_of(&here, row) else { return Ok(Vec::new()) };
        let directory = self.target.file.path.parent().unwrap_or_else(RelPath::root);
        Ok(match self.resolver.exported(&Module::Directory(directory), of, 0)? {
            Meaning::Declared(found) => found,
            _ => Vec::new(),
        })
    }

    /// Returns what `value.new` means where `value.old` is a use of the declaration, and something has the new name.
    pub(super) fn captures_of_member(
        &self,
        here: &CurrentFile,
        range: TextRange,
    ) -> Result<Vec<SourcePlace>, Cancelled> {
        if self.resolver.family != Family::Go {
            return Ok(Vec::new());
        }
        Ok(match go::value_types::member(self.resolver, here, range.start as usize, self.new)? {
            Meaning::Declared(found) => {
                found.iter().filter(|one| !self.is_ours(one)).map(name_place).collect()
            }
            _ => Vec::new(),
        })
    }

    /// Whether the value before the new name at byte `start` has the declaration as a member.
    pub(super) fn is_member_of_go_value(&self, here: &CurrentFile, start: u32) -> Result<bool, Cancelled> {
        Ok(match go::value_types::member(self.resolver, here, start as usize, self.old)? {
            Meaning::Declared(found) => found.iter().any(|one| self.is_ours(one)),
            _ => false,
        })
    }
}
