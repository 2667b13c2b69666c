//! Methods that Java gives every enumeration, record and object: `name()`, the accessors of components, `getClass()`. A class cannot
//! declare them otherwise, and has them for an interface without declaring them.

use super::{JavaRenamed, is_record};
use crate::conflicts::name_place;
use crate::hierarchy::signature::MemberHead;
use crate::hierarchy::subclasses::heirs;
use crate::rename_hazard::RenameHazard;
use crate::resolver::CurrentFile;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// Methods without parameters that no class may declare.
const OF_OBJECTS: [&str; 4] = ["getClass", "notify", "notifyAll", "wait"];

/// Methods without parameters that no enumeration may declare.
const OF_ENUMS: [&str; 5] = ["name", "ordinal", "values", "getDeclaringClass", "describeConstable"];

pub(super) fn find(symbol: &JavaRenamed) -> Result<Option<RenameHazard>, Cancelled> {
    let Some(parent) = symbol.row.parent().filter(|_| symbol.row.kind() == SymbolKind::Method) else {
        return Ok(None);
    };
    let Some(owner) = symbol.owner() else { return Ok(None) };
    let row = symbol.targets.first().and_then(|first| symbol.here.row_of(first));
    let head = row.map(|row| MemberHead::read(&symbol.here, &symbol.resolver.profile.members, row));
    if !head.is_some_and(|head| head.parameters.is_some_and(|all| all.is_empty())) {
        return Ok(None);
    }
    let by_new = OF_OBJECTS.contains(&symbol.new)
        || gives(&symbol.here, owner, symbol.new)
        || owner.kind() == SymbolKind::Enum && OF_ENUMS.contains(&symbol.new);
    if by_new {
        let text = format!(
            "'{}' has a method '{}' from Java itself, which it cannot declare like this",
            symbol.here.outline.name(owner),
            symbol.new
        );
        return Ok(Some(RenameHazard::breaks(text)));
    }
    let mut places = Vec::new();
    for heir in heirs(symbol.resolver, &symbol.here.target(parent))? {
        let Some(there) = symbol.resolver.read_file(&heir.file) else { continue };
        let Some(at) = there.row_of(&heir) else { continue };
        let class = &there.outline.rows[at];
        let is_given = class.kind() == SymbolKind::Enum && OF_ENUMS.contains(&symbol.old.as_str())
            || gives(&there, class, &symbol.old);
        if is_given {
            places.push(name_place(&there.target(at)));
        }
    }
    let text = format!("Java itself gives this class the method '{}', under that name", symbol.old);
    Ok(RenameHazard::breaks_at(text, places))
}

/// Whether a class is a record with a component of this name.
fn gives(here: &CurrentFile, class: &Row, name: &str) -> bool {
    let rows = &here.outline.rows;
    let is_component = |row: &Row| {
        row.kind() == SymbolKind::Field
            && here.outline.name(row) == name
            && row.parent().is_some_and(|at| rows[at] == *class)
            && !here.text.as_str().get(row.end as usize..).unwrap_or("").trim_start().starts_with(';')
    };
    is_record(here, class) && rows.iter().any(is_component)
}
