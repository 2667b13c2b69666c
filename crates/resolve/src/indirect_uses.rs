//! Uses of a declaration that neither its name nor its scope leads to: an export under another name, a call of a class,
//! which runs its constructor, a parameter that pytest fills with a fixture, an accessor of a Kotlin property in Java,
//! the name of a Kotlin class that stands for its companion, the name that an import of Kotlin gives.

use super::constructor_uses::constructor_uses;
use super::occurrence::{Judgement, Occurrence};
use super::sources::{IndexedDeclaration, Sources};
use crate::ecma::renamed_exports::renamed_export_uses;
use crate::jvm::accessors::accessor_uses;
use crate::kotlin::alias_uses::alias_uses;
use crate::kotlin::companion_uses::companion_uses;
use crate::python::fixture_uses::fixture_uses;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;

/// Returns the uses of `target` that are not among the [`occurrences`](super::occurrences()) of its name, or are
/// declarations of something else there; each with the text at its range, in path order, then by offset. None is
/// `Unlikely`.
pub fn indirect_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<(String, Occurrence)>, Cancelled> {
    let mut found = renamed_export_uses(sources, target, cancel)?;
    found.extend(constructor_uses(sources, target, cancel)?);
    found.extend(fixture_uses(sources, target, cancel)?);
    found.extend(companion_uses(sources, target, cancel)?);
    found.extend(alias_uses(sources, target, cancel)?);
    let accessors = accessor_uses(sources, target, cancel)?.into_iter();
    found.extend(accessors.filter(|(_, one)| one.judgement == Judgement::Likely));
    found.sort_by_key(|(_, one)| (one.path.clone(), one.range.start));
    found.dedup_by(|(_, later), (_, one)| later.path == one.path && later.range == one.range);
    Ok(found)
}
