//! Names that Java's serialization reads: those of a serializable class's fields, and of its own members, `serialVersionUID`.

use super::JavaRenamed;
use crate::family_texts::words_of;
use crate::rename_hazard::RenameHazard;
use symd_syntax::SymbolKind;

/// Members that serialization looks for.
const READ: [&str; 7] = [
    "serialVersionUID",
    "serialPersistentFields",
    "readObject",
    "writeObject",
    "readResolve",
    "writeReplace",
    "readObjectNoData",
];

pub(super) fn find(symbol: &JavaRenamed) -> Option<RenameHazard> {
    let owner = symbol.owner()?;
    if READ.contains(&symbol.old.as_str()) {
        let text = format!("Java's serialization looks '{}' up by its name", symbol.old);
        return Some(RenameHazard::breaks(text));
    }
    let head = symbol.head(&symbol.row);
    let is_written = symbol.row.kind() == SymbolKind::Field
        && !head.split_whitespace().any(|word| matches!(word, "transient" | "static"));
    let class = symbol.head(owner);
    let is_serializable =
        words_of(class, "Serializable").chain(words_of(class, "Externalizable")).next().is_some();
    let text = format!("data that Java has serialized holds the field's name '{}'", symbol.old);
    RenameHazard::doubt(text, vec![symbol.place_of(owner)]).filter(|_| is_written && is_serializable)
}
