//! Uses of a Python member that cannot mean the target, although the types of their receivers are unknown.
//! This reads more of the project than judging an occurrence may, so only callers that change code request
//! it. Invariant: a use is ruled out only where everything that could make it one was read.

mod bare_names;
mod instance_members;
mod module_objects;
mod outside_values;
mod reachable_files;
mod unrelated;

pub use self::bare_names::{are_beyond_keywords, rule_out_bare_names};
use self::module_objects::ModuleObjects;
use self::outside_values::is_outside_value;
use self::reachable_files::ReachableFiles;
pub use self::unrelated::rule_out_members;
use super::context::{Receiver, receiver};
use super::family::Family;
use super::resolver::Resolver;
use super::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// For each of `places`, where the targets' name stands: returns whether its receiver cannot have the targets
/// as members. The targets are one symbol, in several declarations. Always `false` outside Python.
pub fn rule_out_uses(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<bool>, Cancelled> {
    let family = targets.first().and_then(|first| Family::dynamic_of(&first.file));
    let Some(family) = family.filter(|_| !places.is_empty()) else {
        return Ok(vec![false; places.len()]);
    };
    let resolver = Resolver::new(sources, family, cancel);
    let targets = resolver.refresh_targets(targets);
    let links = ReachableFiles::of(&resolver, &targets);
    let modules = ModuleObjects::of(&resolver, &targets)?;
    let is_out = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let here = resolver.file(path.as_str()).and_then(|file| resolver.read_file(file));
        let Some(here) = here else { return Ok(false) };
        let receiver = receiver(here.text.as_str(), range.start as usize, family);
        if matches!(receiver, Receiver::None | Receiver::Super) {
            return Ok(false);
        }
        Ok(links.is_unreachable(&here.file)
            || modules.are_out_of_reach(&here, &receiver)
            || is_outside_value(&resolver, &here, &receiver, range.start)?)
    };
    places.iter().map(is_out).collect()
}
