//! Constants and units whose new name a pattern binds: `match x { other => … }` would compare with the constant instead.

use super::RustRenamed;
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

pub(super) fn find(symbol: &RustRenamed, texts: &FamilyTexts) -> Result<Option<RenameHazard>, Cancelled> {
    if !is_value(symbol) {
        return Ok(None);
    }
    let mut places = Vec::new();
    for one in texts.iter().filter(|one| one.text.contains(symbol.new)) {
        symbol.resolver.cancel.check()?;
        // Elsewhere the name has to be imported, by itself or with all of its module.
        let is_seen = one.path == symbol.here.file.path
            || one.words(&symbol.old).next().is_some()
            || one.text.contains("::*");
        let Some(there) = one.current(symbol.resolver).filter(|_| is_seen) else { continue };
        let Some(locals) = there.locals_called(symbol.resolver, symbol.new) else { continue };
        places.extend(locals.map(|local| (one.path.clone(), local.name)));
    }
    let text = format!("a pattern binds '{}' here, and would mean the constant instead", symbol.new);
    Ok(RenameHazard::breaks_at(text, places))
}

/// Whether the item is a constant, a static or a struct without fields, outside of types.
fn is_value(symbol: &RustRenamed) -> bool {
    let is_member = symbol.parent().is_some_and(|parent| parent.kind() != SymbolKind::Module);
    let item = symbol.here.text_of(&symbol.row);
    let is_unit = || symbol.row.kind() == SymbolKind::Struct && !item.contains(['{', '(']);
    !is_member && (matches!(symbol.row.kind(), SymbolKind::Constant | SymbolKind::Variable) || is_unit())
}
