//! Judges names of which scopes and imports do not tell the meaning.

use super::TargetContext;
use crate::context::{Receiver, receiver};
use crate::ecma::module_calls;
use crate::meaning::Meaning;
use crate::modules;
use crate::occurrence::Judgement;
use crate::profiles::UnresolvedName;
use crate::resolver::{CurrentFile, Resolver};
use crate::rust;
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::Imported;

impl TargetContext<'_> {
    /// Judges a bare name that the scopes do not resolve.
    pub(super) fn bare(&self, resolver: &Resolver, here: &CurrentFile, range: TextRange) -> Judgement {
        if self.row.is_local() {
            return Judgement::Unlikely;
        }
        match (resolver.profile.uses.unresolved, self.is_member) {
            (UnresolvedName::NoMember, true) | (UnresolvedName::OnlyMember, false) => Judgement::Unlikely,
            (UnresolvedName::FitsPlace, _)
                if !rust::names::may_be_bare(resolver, here, range, self.row.kind()) =>
            {
                Judgement::Unlikely
            }
            (UnresolvedName::Included, false) if self.is_unique && includes(resolver, here, self.target) => {
                Judgement::Likely
            }
            _ => Judgement::Unchecked,
        }
    }

    /// Judges a member of an unknown receiver.
    pub(super) fn member(
        &self,
        resolver: &Resolver,
        here: &CurrentFile,
        at: u32,
    ) -> Result<Judgement, Cancelled> {
        if self.row.is_local() {
            return Ok(Judgement::Unlikely);
        }
        if rust::names::is_of_standard_library(resolver, here, at) {
            return Ok(Judgement::Unlikely);
        }
        if self.is_member || self.is_fields_name {
            return Ok(Judgement::Unchecked);
        }
        if self.is_extension {
            // A local or a member of that name does not hide an extension that is called on another receiver.
            let visible = scope::resolve_chain(resolver, here, at, &[self.name], SearchStart::File)?;
            return Ok(match self.judge_meaning(&visible) {
                Some(Judgement::Likely) if !self.is_unique => Judgement::Unchecked,
                Some(judgement) => judgement,
                None => Judgement::Unlikely,
            });
        }
        Ok(match resolver.profile.uses.receivers_may_be_modules {
            false => Judgement::Unlikely,
            // Where the bare name resolves, a member of that name can be the target only at the end of a path
            // of modules: `package.module.name`.
            // `module::name` may be in a module that is not followed.
            true if is_behind_colons(here, at) => Judgement::Unchecked,
            true => match scope::resolve_name(resolver, here, at, self.name)? {
                Meaning::Declared(found)
                    if !found.iter().any(|one| self.is_target(one)) || !is_path(resolver, here, at) =>
                {
                    let is_reached = module_calls::reaches(resolver, here, self.name, &|meaning| {
                        self.judge_meaning(meaning).is_some_and(|judgement| judgement != Judgement::Unlikely)
                    })?;
                    if is_reached { Judgement::Unchecked } else { Judgement::Unlikely }
                }
                _ => Judgement::Unchecked,
            },
        })
    }
}

/// Whether the name at byte `at` is a member of a path of several names.
fn is_path(resolver: &Resolver, here: &CurrentFile, at: u32) -> bool {
    let receiver = receiver(here.text.as_str(), at as usize, resolver.family);
    matches!(receiver, Receiver::Chain(chain, _) if chain.len() > 1)
}

fn is_behind_colons(here: &CurrentFile, at: u32) -> bool {
    here.text.as_str().get(..at as usize).is_some_and(|left| left.trim_end().ends_with("::"))
}

/// Whether the file includes the target's file, or a header with the same file stem.
fn includes(resolver: &Resolver, here: &CurrentFile, target: &IndexedDeclaration) -> bool {
    here.file.path == target.file.path
        || here.imports().iter().filter(|import| import.imported == Imported::Everything).any(|import| {
            match modules::find(resolver, &here.file, import.module, import.statement.start) {
                Some(modules::Module::File(file)) => file.path.file_stem() == target.file.path.file_stem(),
                _ => false,
            }
        })
}
