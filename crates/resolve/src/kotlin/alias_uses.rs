//! Uses of Kotlin's declarations under the names that imports give them: `import shop.Crate as Box`, `Box(1)`.

use std::collections::BTreeSet;

use crate::family::{Family, has_types};
use crate::judge::TargetContext;
use crate::name_places::places_of;
use crate::occurrence::{Judgement, Occurrence, Role};
use crate::occurrences::whole_symbol;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::Cancel;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_index::{FileEntry, NeededWords};
use symd_syntax::Imported;

/// Returns the places where a file of Kotlin uses `target` by another name that it gives to imports of the target's name, each with that
/// name. None is `Unlikely`, none stands in an import. Empty for declarations of other languages.
pub(crate) fn alias_uses(
    sources: &dyn Sources,
    target: &IndexedDeclaration,
    cancel: &Cancel,
) -> Result<Vec<(String, Occurrence)>, Cancelled> {
    let mut found = Vec::new();
    if !has_types(&target.file) || target.name().is_empty() {
        return Ok(found);
    }
    let resolver = Resolver::new(sources, Family::Jvm, cancel);
    let targets = whole_symbol(&resolver, std::slice::from_ref(target));
    let Some(wanted) = TargetContext::new(&resolver, &targets, &[])? else { return Ok(found) };
    for file in sources.snapshot().files.with_words(NeededWords::of_name(target.name())) {
        cancel.check()?;
        if !has_types(file) {
            continue;
        }
        let aliases = aliases(file, target.name());
        if aliases.is_empty() {
            continue;
        }
        let Some(here) = resolver.read_file(file) else { continue };
        for alias in aliases {
            let wanted = wanted.under_name(&resolver, &alias)?;
            for range in outside_imports(&here, &alias) {
                let (judgement, role) = wanted.judge(&resolver, &here, range)?;
                if judgement != Judgement::Unlikely && role != Role::Import {
                    let one = Occurrence { path: file.path.clone(), range, judgement, role };
                    found.push((alias.clone(), one));
                }
            }
        }
    }
    Ok(found)
}

/// Returns the other names that a file's imports give to `name`.
fn aliases(file: &FileEntry, name: &str) -> BTreeSet<String> {
    let Some(imports) = file.imports() else { return BTreeSet::new() };
    let imports = imports.unpack();
    let of_name = imports.iter().filter(|import| import.imported == Imported::Name(name));
    of_name.filter_map(|import| import.alias).filter(|alias| *alias != name).map(str::to_owned).collect()
}

/// Returns where a file names `alias` outside its imports.
fn outside_imports(here: &CurrentFile, alias: &str) -> Vec<TextRange> {
    let imports = here.outline.imports.unpack();
    let statements: Vec<TextRange> = imports.iter().map(|import| import.statement).collect();
    let mut places = places_of(here, alias);
    places.retain(|range| !statements.iter().any(|statement| statement.contains(*range)));
    places
}
