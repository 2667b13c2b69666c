//! Uses of a Python member that cannot mean the target, although the types of their receivers are unknown.
//! This reads more of the project than judging an occurrence may, so only callers that change code request
//! it. Invariant: a use is ruled out only where everything that could make it one was read.

mod links;
mod module_objects;
mod outside_values;

use self::links::Links;
use self::module_objects::ModuleObjects;
use self::outside_values::is_outside_value;
pub(super) use self::outside_values::is_whole_call;
use super::context::{Receiver, receiver};
use super::family::Family;
use super::project::Project;
use super::sources::{Sources, Target};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};

/// For each of `places`, where the targets' name stands: returns whether its receiver cannot have the targets
/// as members. The targets are one symbol, in several declarations. Always `false` outside Python.
pub fn ruled_out(
    sources: &dyn Sources,
    targets: &[Target],
    places: &[(RelPath, TextRange)],
    cancel: &Cancel,
) -> Result<Vec<bool>, Cancelled> {
    let is_python = targets.first().is_some_and(|first| Family::of(&first.file) == Some(Family::Python));
    if !is_python || places.is_empty() {
        return Ok(vec![false; places.len()]);
    }
    let project = Project::new(sources, Family::Python, cancel);
    let targets = project.at_hand(targets);
    let links = Links::of(&project, &targets);
    let modules = ModuleObjects::of(&project, &targets)?;
    let is_out = |(path, range): &(RelPath, TextRange)| {
        cancel.check()?;
        let here = project.file(path.as_str()).and_then(|file| project.here(file));
        let Some(here) = here else { return Ok(false) };
        let receiver = receiver(here.text.as_str(), range.start as usize, Family::Python);
        if matches!(receiver, Receiver::None | Receiver::Super) {
            return Ok(false);
        }
        Ok(links.is_apart(&here.file)
            || modules.are_out_of_reach(&here, &receiver)
            || is_outside_value(&project, &here, &receiver, range.start)?)
    };
    places.iter().map(is_out).collect()
}
