//! Calls that cannot mean a property of Kotlin, whatever stands before the dot.

use crate::family::has_types;
use crate::kotlin::state::is_java;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_syntax::SymbolKind;

/// Annotations and kinds of classes with which Java reads a property by a method of the property's own name.
const OWN_NAME_FOR_JAVA: [&str; 3] = ["JvmName", "JvmRecord", "annotation class"];

/// Whether a call, in a file, of a declaration's name cannot mean the declaration: for Kotlin a property whose type has no `invoke`, for
/// Java any, since Java calls `getName()`.
pub(super) fn cannot_be_called(
    resolver: &Resolver,
    here: &CurrentFile,
    declaration: &IndexedDeclaration,
) -> bool {
    if !has_types(&declaration.file) {
        return false;
    }
    if has_types(&here.file) {
        return resolver.kotlin().is_no_function(declaration);
    }
    let is_property = |kind| matches!(kind, SymbolKind::Property | SymbolKind::Field | SymbolKind::Constant);
    let is_read_by_own_name = |text: &str| OWN_NAME_FOR_JAVA.iter().any(|word| text.contains(word));
    is_java(&here.file)
        && declaration.row().is_some_and(|(_, row)| is_property(row.kind()))
        && !declaration.name().starts_with("is")
        && resolver
            .read_file(&declaration.file)
            .is_some_and(|declared_in| !is_read_by_own_name(declared_in.text.as_str()))
}
