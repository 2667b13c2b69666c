//! Judges names that stand for two things at once: shorthands of JavaScript's objects, and variables that hold modules.

use super::TargetContext;
use crate::ecma::module_calls;
use crate::meaning::Meaning;
use crate::occurrence::Judgement;
use crate::place::{binds_here, is_shorthand};
use crate::profiles::LiteralKey;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;

impl TargetContext<'_> {
    /// Judges a name that stands for a variable and a member of an object at once, `{ name }`: any object may have such a
    /// member; that of a module is its export.
    pub(super) fn shorthand(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        range: TextRange,
    ) -> Result<Option<Judgement>, Cancelled> {
        let (start, end) = (range.start as usize, range.end as usize);
        let can_be = resolver.profile.spelling.literal_key == LiteralKey::Member && !self.row.is_local();
        if !can_be || !is_shorthand(here.text.as_str(), start, end) {
            return Ok(None);
        }
        if self.is_member {
            return Ok(Some(Judgement::Unchecked));
        }
        let taken = module_calls::taken_from_call(resolver, here, start, self.name)?;
        Ok(taken.map(|meaning| self.judge_meaning(&meaning).unwrap_or(Judgement::Unchecked)))
    }

    /// Whether the target is a variable of this file that holds a module, or what a module exports: `const name = require('./a')`.
    pub(super) fn is_loaded_by(&self, resolver: &Resolver, here: &CurrentFile) -> bool {
        let range = TextRange::new(self.row.name_start, self.row.name_start + u32::from(self.row.name_len));
        resolver.profile.imports.declarations_import
            && here.file.path == self.target.file.path
            && here.row_of(self.target).is_some()
            && binds_here(here, range, self.name)
    }

    /// Judges a bare name in a file whose import declares the target: it means the target, unless it is a local or another
    /// declaration of the file.
    pub(super) fn loaded(&self, here: &CurrentFile, meaning: &Meaning) -> Judgement {
        let is_other = |one: &IndexedDeclaration| one.file.path == here.file.path && !self.is_target(one);
        match meaning {
            Meaning::Local => Judgement::Unlikely,
            Meaning::Declared(found) if found.iter().any(is_other) => Judgement::Unlikely,
            Meaning::LocalOrDeclared(_) => Judgement::Unchecked,
            _ => Judgement::Likely,
        }
    }
}
