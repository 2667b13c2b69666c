//! Decorators of a member: they are given its name, which a library writes to a database, a form or a template.

use super::{RenamedSymbol, SymbolOwner};
use crate::context::first_word;
use crate::rename_hazard::RenameHazard;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

pub(super) fn find(symbol: &RenamedSymbol) -> Result<Option<RenameHazard>, Cancelled> {
    if !matches!(symbol.owner, SymbolOwner::Type { .. }) {
        return Ok(None);
    }
    let head = symbol.head();
    let mut at = 0;
    while let Some(mark) = head[at..].find('@').map(|found| at + found) {
        let name = first_word(&head[mark + 1..]);
        at = mark + 1 + name.len();
        if name.is_empty() || !reads_name(symbol, name)? {
            continue;
        }
        let start = symbol.row.start.saturating_add(u32::try_from(mark).unwrap_or(0));
        let range = TextRange::new(start, start.saturating_add(u32::try_from(name.len() + 1).unwrap_or(0)));
        let text = format!("the decorator `@{name}` is given the name '{}', and may use it", symbol.old);
        return Ok(RenameHazard::doubt(text, vec![(symbol.here.file.path.clone(), range)]));
    }
    Ok(None)
}

/// Whether the decorator may use the name of what it decorates: one of the project by its text, one of a library if it decorates data.
fn reads_name(symbol: &RenamedSymbol, name: &str) -> Result<bool, Cancelled> {
    let declared = symbol.resolver.declared(name)?;
    if declared.is_empty() {
        return Ok(matches!(symbol.row.kind(), SymbolKind::Property | SymbolKind::Field));
    }
    Ok(declared.iter().any(|one| {
        let Some(there) = symbol.resolver.read_file(&one.file) else { return true };
        let Some(row) = there.row_of(one).map(|at| &there.outline.rows[at]) else { return true };
        let text = there.text_of(row);
        text.contains(".name") || ["propertyKey", "property", "key"].iter().any(|word| text.contains(word))
    }))
}
