//! Python classes that stand in for a module from outside the project:
//! `def loads(self, s): return json.loads(s)`, and the same for `dumps`. Libraries receive their instances in
//! place of the module, and call these methods by the module's names. Invariant: one method alone proves
//! nothing; two methods that call functions of their own names in one module do.

use crate::context::{Receiver, receiver};
use crate::family::Family;
use crate::meaning::Meaning;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_syntax::{Imported, SymbolKind};

/// Returns where one of the targets, the declarations of one symbol, calls the function that it stands in
/// for; `None` if none of their classes stands in for a module, or not through the targets.
pub fn mirrored_call(
    sources: &dyn Sources,
    targets: &[IndexedDeclaration],
    cancel: &Cancel,
) -> Result<Option<(RelPath, TextRange)>, Cancelled> {
    let Some(family) = targets.first().and_then(|first| Family::dynamic_of(&first.file)) else {
        return Ok(None);
    };
    let resolver = Resolver::new(sources, family, cancel);
    for target in targets {
        cancel.check()?;
        let Some(here) = resolver.read_file(&target.file) else { continue };
        let Some(row) = here.row_of(target) else { continue };
        let Some(class) = here.outline.rows[row].parent() else { continue };
        let Some((module, range)) = mirrored_by(&resolver, &here, row)? else { continue };
        for other in here.outline.children(class).filter(|&at| at != row) {
            if mirrored_by(&resolver, &here, other)?.is_some_and(|(known, _)| known == module) {
                return Ok(Some((here.file.path.clone(), range)));
            }
        }
    }
    Ok(None)
}

/// Returns the module from outside the project whose function a method of the same name calls, and where it
/// does.
fn mirrored_by(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
) -> Result<Option<(String, TextRange)>, Cancelled> {
    let method = &here.outline.rows[row];
    if method.kind() != SymbolKind::Method {
        return Ok(None);
    }
    let (name, text) = (here.outline.name(method), here.text.as_str());
    for start in here.outline.occurrences.offsets_of(name) {
        let range = TextRange::new(start, start.saturating_add(u32::from(method.name_len)));
        let is_inside = method.name_start < start && start < method.end && here.text.slice(range) == name;
        let Receiver::Chain(chain, first) = receiver(text, start as usize, resolver.family) else { continue };
        let (&[module], true) = (&chain[..], is_inside) else { continue };
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        let is_module = here.imports().iter().any(|import| {
            import.imported == Imported::Module && import.alias.unwrap_or(import.module) == module
        });
        if is_module && matches!(scope::resolve_name(resolver, here, first, module)?, Meaning::OutsideProject)
        {
            return Ok(Some((module.to_owned(), range)));
        }
    }
    Ok(None)
}
