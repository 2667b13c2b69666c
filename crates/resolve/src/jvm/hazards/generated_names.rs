//! Annotations that make names of a field's: accessors (Lombok), columns, keys of settings.

use super::JavaRenamed;
use crate::rename_hazard::RenameHazard;
use symd_syntax::SymbolKind;

/// Annotations of a class or a field, and what they make of fields' names.
const MAKING: [(&str, &str); 14] = [
    ("@Data", "accessors"),
    ("@Getter", "accessors"),
    ("@Setter", "accessors"),
    ("@Value", "accessors"),
    ("@Builder", "methods"),
    ("@SuperBuilder", "methods"),
    ("@With", "methods"),
    ("@ToString", "a text"),
    ("@Entity", "columns"),
    ("@Embeddable", "columns"),
    ("@MappedSuperclass", "columns"),
    ("@Document", "keys"),
    ("@ConfigurationProperties", "keys"),
    ("@JsonAutoDetect", "keys"),
];

pub(super) fn find(symbol: &JavaRenamed) -> Option<RenameHazard> {
    let owner = symbol.owner().filter(|_| symbol.row.kind() == SymbolKind::Field)?;
    let before = |row: &symd_syntax::Row| symbol.here.text_before_name(row);
    let heads = [before(&symbol.row), before(owner)];
    let words = || heads.iter().flat_map(|head| head.split(|c: char| c.is_whitespace() || c == '('));
    let (annotation, made) = MAKING.iter().find(|(annotation, _)| words().any(|word| word == *annotation))?;
    let text = format!("{annotation} makes {made} of the field's name '{}'", symbol.old);
    RenameHazard::doubt(text, vec![symbol.place_of(owner)])
}
