//! Uses of Kotlin's companions by the names of their classes: `use(Foo)` passes the companion of `Foo`.

use crate::family::{Family, has_types};
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use crate::unnamed_containers::is_companion;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, TextRange};
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
    let (hash, length) = (name_hash(name.as_bytes()), u32::try_from(name.len()).unwrap_or(u32::MAX));
    for file in sources.snapshot().files.with_words(NeededWords::of_name(name)) {
        cancel.check()?;
        if !has_types(file) || !file.holds_hash(hash) {
            continue;
        }
        let Some(here) = resolver.read_file(file) else { continue };
        for start in here.outline.occurrences.offsets_of(name) {
            let range = TextRange::new(start, start.saturating_add(length));
            if here.text.slice(range) == name
                && resolver.kotlin().stands_for_companion(&file.path, range, &class)
            {
                let path = file.path.clone();
                let one = Occurrence { path, range, judgement: Judgement::Likely, role: Role::Use };
                found.push((name.to_owned(), one));
            }
        }
    }
    Ok(found)
}
