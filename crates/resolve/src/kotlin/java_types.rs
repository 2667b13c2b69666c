//! The types that Java files write of their members, as `types` asks for them.

use crate::jvm::java_values::{ARRAY, FUNCTION, WrittenType, type_before};
use crate::kotlin::project::qualified_name;
use crate::sources::{IndexedDeclaration, Sources};
use symd_syntax::{Imported, Outline, Row, SymbolKind};
use symd_types::kotlin::{JavaMember, JavaType};

/// Returns the type of a field of a Java class, or what a method returns; `None` where the class declares none of this name, or several with
/// different types.
pub(crate) fn java_member_type(
    sources: &dyn Sources,
    class: &IndexedDeclaration,
    name: &str,
    member: JavaMember,
) -> Option<JavaType> {
    let outline = class.file.outline()?;
    let own = outline.rows.get(class.row)?;
    let text = sources.text(&class.file.path)?;
    let is_meant = |row: &&Row| {
        let is_method = matches!(row.kind(), SymbolKind::Method | SymbolKind::Function);
        row.parent() == Some(class.row)
            && row.kind() != SymbolKind::Constructor
            && is_method == (member == JavaMember::Method)
            && outline.name(row) == name
    };
    let members = outline.rows.iter().skip(class.row).take(own.descendants as usize + 1).filter(is_meant);
    let mut types = members.map(|row| {
        // The index may be older than the text.
        let start = row.name_start as usize;
        let is_there = text.get(start..).is_some_and(|rest| rest.starts_with(name));
        let written = type_before(&text, start).filter(|_| is_there)?;
        // `<T> List<T> all()`: type parameters stand before the type.
        let head = text.get(row.start as usize..start).unwrap_or("");
        let head = head.rfind(written.path).map_or(head, |at| &head[..at]);
        Some(java_type(outline, class, &written, &[class_head(&text, own), head]))
    });
    let first = types.next()??;
    types.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// Returns the text of a class between its name and its body.
fn class_head<'t>(text: &'t str, class: &Row) -> &'t str {
    let behind = text.get(class.name_start as usize..class.end as usize).unwrap_or("");
    behind.split('{').next().unwrap_or("")
}

/// `heads` are the texts in which type parameters are declared.
fn java_type(
    outline: &Outline,
    class: &IndexedDeclaration,
    written: &WrittenType,
    heads: &[&str],
) -> JavaType {
    let first = written.path.split('.').next().unwrap_or(written.path);
    let arguments = written.arguments.iter().map(|one| java_type(outline, class, one, heads)).collect();
    let (names, is_imported) = match heads.iter().any(|head| declares_parameter(head, first)) {
        true => (Vec::new(), false),
        false => names_of(outline, class, written.path),
    };
    JavaType { names, is_imported, arguments }
}

/// Whether a head declares a type parameter: `<T>`, `<K, V extends T>`.
fn declares_parameter(head: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    head.match_indices(name).any(|(at, _)| {
        head[..at].trim_end().ends_with(['<', ',']) && !head[at + name.len()..].starts_with(is_word)
    })
}

/// Returns the qualified names that a written path may stand for, in Java's order, and whether the last one is imported.
fn names_of(outline: &Outline, class: &IndexedDeclaration, path: &str) -> (Vec<String>, bool) {
    let is_primitive = !path.contains('.') && path.starts_with(|c: char| c.is_ascii_lowercase());
    if path.is_empty() || path == FUNCTION {
        return (Vec::new(), false);
    }
    if path == ARRAY || is_primitive {
        return (vec![path.to_owned()], false);
    }
    let first = path.split('.').next().unwrap_or(path);
    let imports = outline.imports.unpack();
    let within = |outer: &str| if outer.is_empty() { path.to_owned() } else { format!("{outer}.{path}") };
    let package = imports.package().unwrap_or("");
    let mut names = Vec::new();
    let mut around = Some(class.row);
    while let Some(row) = around {
        names.push(within(&qualified_name(&IndexedDeclaration { file: class.file.clone(), row })));
        around = outline.rows.get(row).and_then(Row::parent);
    }
    let by_name = imports.iter().find(|import| import.imported == Imported::Name(first));
    if let Some(import) = by_name {
        names.push(within(import.module));
        return (names, true);
    }
    let stars = imports.iter().filter(|import| import.imported == Imported::Everything);
    names.push(within(package));
    names.extend(stars.map(|import| within(import.module)));
    names.push(within("java.lang"));
    names.extend(path.contains('.').then(|| path.to_owned()));
    (names, false)
}
