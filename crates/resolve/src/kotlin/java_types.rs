//! The types that Java files write of their members, as `types` asks for them.

use crate::context::is_word;
use crate::jvm::java_values::{ARRAY, FUNCTION, WrittenType, type_before};
use crate::kotlin::project::qualified_name;
use crate::sources::{IndexedDeclaration, Sources};
use symd_syntax::{Imported, Outline, Row, SymbolKind};
use symd_types::kotlin::{JavaMember, JavaType, accessors_of};

/// Returns the type of a public member of a Java class. `None` where the class may inherit another member of this name or declares one, a
/// getter of a field included: which of them is meant is not decided here.
pub(crate) fn java_member_type(
    sources: &dyn Sources,
    class: &IndexedDeclaration,
    name: &str,
    member: JavaMember,
) -> Option<JavaType> {
    let outline = class.file.outline()?;
    let own = outline.rows.get(class.row)?;
    let is_named = |row: &Row, name: &str| {
        row.parent() == Some(class.row) && row.kind() != SymbolKind::Constructor && outline.name(row) == name
    };
    let is_method = |row: &Row| matches!(row.kind(), SymbolKind::Method | SymbolKind::Function);
    let members = || outline.rows.iter().skip(class.row).take(own.descendants as usize + 1);
    let mut named = members().filter(|&row| is_named(row, name));
    let row = named.next().filter(|row| is_method(row) == (member != JavaMember::Field))?;
    if named.next().is_some() {
        return None;
    }
    let (getter, _) = accessors_of(name);
    if member == JavaMember::Field && members().any(|row| is_named(row, &getter)) {
        return None;
    }
    let text = sources.text(&class.file.path)?;
    let class_head = class_head(&text, own);
    if words(class_head).any(|word| matches!(word, "extends" | "implements")) {
        return None;
    }
    // The index may be older than the text.
    let start = row.name_start as usize;
    let behind = text.get(start..).and_then(|rest| rest.strip_prefix(name))?;
    let head = text.get(row.start as usize..start)?;
    let is_static = words(head).any(|word| word == "static");
    let is_public = words(head).any(|word| word == "public");
    let takes_nothing = || {
        let parameters = behind.trim_start().strip_prefix('(');
        parameters.is_some_and(|inner| inner.trim_start().starts_with(')'))
    };
    let is_meant = match member {
        JavaMember::Field => !is_static,
        JavaMember::Method => !is_static && takes_nothing(),
        JavaMember::StaticMethod => is_static && takes_nothing(),
    };
    if !is_public || !is_meant {
        return None;
    }
    let written = type_before(&text, start)?;
    // `<T> List<T> all()`: type parameters stand before the type.
    let head = head.rfind(written.path).map_or(head, |at| &head[..at]);
    Some(java_type(outline, class, &written, &[class_head, head]))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
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
    // An array of a primitive type is a class of its own in Kotlin.
    if written.path == ARRAY && written.arguments.iter().any(|one| is_primitive(one.path)) {
        return JavaType { names: Vec::new(), is_imported: false, arguments: Vec::new() };
    }
    let (names, is_imported) = match heads.iter().any(|head| declares_parameter(head, first)) {
        true => (Vec::new(), false),
        false => names_of(outline, class, written.path),
    };
    JavaType { names, is_imported, arguments }
}

/// Whether a head declares a type parameter: `<T>`, `<K, V extends T>`.
fn declares_parameter(head: &str, name: &str) -> bool {
    head.match_indices(name).any(|(at, _)| {
        head[..at].trim_end().ends_with(['<', ',']) && !head[at + name.len()..].starts_with(is_word)
    })
}

fn is_primitive(path: &str) -> bool {
    !path.contains('.') && path.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Returns the qualified names that a written path may stand for, in Java's order, and whether the last one is imported.
fn names_of(outline: &Outline, class: &IndexedDeclaration, path: &str) -> (Vec<String>, bool) {
    if path.is_empty() || path == FUNCTION {
        return (Vec::new(), false);
    }
    if path == ARRAY || is_primitive(path) {
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
