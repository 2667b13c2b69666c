//! Structs with the same fields: a value of one is converted to the other, `B(a)`, as long as their fields have the same names.

use super::{GoOwner, GoRenamed};
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

pub(super) fn find(symbol: &GoRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    let GoOwner::Struct(own) = &symbol.owner else { return Ok(None) };
    let Some(parent) = symbol.row.parent() else { return Ok(None) };
    let fields = field_names(&symbol.here, parent);
    let mut alike = Vec::new();
    for declared in symbol.resolver.declared(&symbol.old)?.iter() {
        let Some(there) = symbol.resolver.read_file(&declared.file) else { continue };
        let Some(at) = there.row_of(declared) else { continue };
        let is_own = there.file.path == symbol.here.file.path && at == symbol.at;
        let Some(other) = there.outline.rows[at].parent().filter(|_| !is_own) else { continue };
        if there.outline.rows[other].kind() == SymbolKind::Struct && field_names(&there, other) == fields {
            alike.push(there.outline.name(&there.outline.rows[other]).to_owned());
        }
    }
    if alike.is_empty() {
        return Ok(None);
    }
    alike.push(own.clone());
    let mut places = Vec::new();
    for one in texts.with_any(&alike) {
        symbol.resolver.cancel.check()?;
        for name in &alike {
            let converts = |at: &usize| one.text[at + name.len()..].starts_with('(');
            places.extend(one.words(name).filter(converts).map(|at| one.place(at, name.len())));
        }
    }
    let text = format!("structs with the same fields as '{own}' are converted to each other");
    Ok(RenameHazard::doubt(text, places))
}

/// Returns the names of a struct's fields, in their order.
fn field_names(here: &CurrentFile, parent: usize) -> Vec<String> {
    let own = here.outline.children(parent).map(|row| &here.outline.rows[row]);
    own.map(|row| here.outline.name(row).to_owned()).collect()
}
