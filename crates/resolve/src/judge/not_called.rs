//! Calls that cannot mean a property of Kotlin, whatever stands before the dot.

use crate::family::has_types;
use crate::kotlin::state::is_java;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_syntax::SymbolKind;

/// Whether a call, in a file, of a declaration's name cannot mean the declaration: for Kotlin a property whose type has no `invoke`, for
/// Java any, since Java calls `getName()`. `is_read_by_own_name`: see below.
pub(super) fn cannot_be_called(
    resolver: &Resolver,
    here: &CurrentFile,
    declaration: &IndexedDeclaration,
    is_read_by_own_name: bool,
) -> bool {
    if !has_types(&declaration.file) {
        return false;
    }
    if has_types(&here.file) {
        return resolver.kotlin().is_no_function(declaration);
    }
    is_java(&here.file)
        && !is_read_by_own_name
        && declaration.row().is_some_and(|(_, row)| is_property(row.kind()))
}

/// Whether Java may read a property of Kotlin by a method of the property's own name: an annotation in its file names a method, or makes
/// records; of annotations and of what is called like a getter.
pub(super) fn is_read_by_own_name(resolver: &Resolver, declaration: &IndexedDeclaration) -> bool {
    let is_of_kotlin =
        has_types(&declaration.file) && declaration.row().is_some_and(|(_, row)| is_property(row.kind()));
    if !is_of_kotlin {
        return false;
    }
    // `@file:JvmName` names a class.
    let names_methods = |text: &str| {
        let mut named = text.match_indices("JvmName");
        named.any(|(at, _)| !text[..at].ends_with("file:") && !text[..at].ends_with("kotlin.jvm."))
    };
    let is_special =
        |text: &str| names_methods(text) || text.contains("JvmRecord") || text.contains("annotation class");
    declaration.name().starts_with("is")
        || resolver
            .read_file(&declaration.file)
            .is_none_or(|declared_in| is_special(declared_in.text.as_str()))
}

fn is_property(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Property | SymbolKind::Field | SymbolKind::Constant)
}
