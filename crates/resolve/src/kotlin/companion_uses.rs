//! Uses of Kotlin's companions by the names of their classes: `use(Foo)` passes the companion of `Foo`.

use crate::family::{Family, has_types};
use crate::name_places::places_of;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use crate::unnamed_containers::is_companion;
use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_index::NeededWords;
use symd_syntax::name_hash;

/// Returns the places where the name of the class around a companion stands for the companion, with that name. None for other declarations.
pub(crate) fn companion_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<(String, Occurrence)>, Cancelled> {
    let mut found = Vec::new();
    let Some(class) = target.row().and_then(|(_, row)| row.parent()) else { return Ok(found) };
    if !has_types(&target.file) || !is_companion(sources, target) {
        return Ok(found);
    }
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let class = IndexedDeclaration { file: target.file.clone(), row: class };
    let name = class.name();
    let hash = name_hash(name.as_bytes());
    for file in sources.snapshot().files.with_words(NeededWords::of_name(name)) {
        cancel.check()?;
        if !has_types(file) || !file.holds_hash(hash) {
            continue;
        }
        let Some(here) = resolver.read_file(file) else { continue };
        for range in places_of(&here, name) {
            if resolver.kotlin().stands_for_companion(&file.path, range, &class) {
                let path = file.path.clone();
                let one = Occurrence { path, range, judgement: Judgement::Likely, role: Role::Use };
                found.push((name.to_owned(), one));
            }
        }
    }
    Ok(found)
}
