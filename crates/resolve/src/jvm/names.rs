//! What Java calls what Kotlin declares: the class of a file's functions and properties (`StringsKt`), names that `@JvmName`
//! gives. Neither stands in an outline.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::family::has_types;
use crate::kotlin::state::KotlinFiles;
use crate::resolver::Resolver;
use crate::sources::{IndexedDeclaration, Sources};
use symd_base::{RelPath, Text};
use symd_index::{FileEntry, NeededWords};
use symd_syntax::{Row, SymbolKind};

/// The classes in which Java finds what Kotlin files declare outside of classes.
pub(crate) struct FileClasses<'a> {
    sources: &'a dyn Sources,
    kotlin: Arc<KotlinFiles>,
    /// The qualified names of the classes of files that were asked for.
    names: RefCell<HashMap<RelPath, Option<String>>>,
    /// Those of the files that may give their class a name.
    given: OnceCell<HashSet<String>>,
}

impl<'a> FileClasses<'a> {
    pub(crate) fn new(sources: &'a dyn Sources, kotlin: Arc<KotlinFiles>) -> FileClasses<'a> {
        FileClasses { sources, kotlin, names: RefCell::default(), given: OnceCell::new() }
    }

    /// Whether a class of this qualified name holds what some file declares.
    pub(crate) fn contains(&self, qualified: &str) -> bool {
        let name = qualified.rsplit('.').next().unwrap_or_default();
        let files = &self.sources.snapshot().files;
        let is_it = |file: &Arc<FileEntry>| self.class_of(file).is_some_and(|class| class == qualified);
        let mut named = self.kotlin.with_class_named(name);
        named.any(|path| files.get(path.as_str()).is_some_and(is_it)) || self.given().contains(qualified)
    }

    fn given(&self) -> &HashSet<String> {
        self.given.get_or_init(|| {
            let files = self.sources.snapshot().files.with_words(NeededWords::of_name(JVM_NAME));
            files.filter(|file| gives_names(file)).filter_map(|file| self.class_of(file)).collect()
        })
    }

    /// Whether a declaration is a member of the class with this qualified name.
    pub(crate) fn holds(&self, class: &str, declared: &IndexedDeclaration) -> bool {
        declared.row().is_some_and(|(_, row)| is_outermost(row))
            && self.class_of(&declared.file).is_some_and(|of| of == class)
    }

    /// Returns the qualified name of the class of a Kotlin file; `None` for a file that has none.
    fn class_of(&self, file: &FileEntry) -> Option<String> {
        if let Some(known) = self.names.borrow().get(&file.path) {
            return known.clone();
        }
        let found = self.find_class_of(file);
        self.names.borrow_mut().insert(file.path.clone(), found.clone());
        found
    }

    fn find_class_of(&self, file: &FileEntry) -> Option<String> {
        let outline = file.outline().filter(|outline| outline.rows.iter().any(is_outermost))?;
        let given = || name_of_file(&self.sources.current(file)?.text);
        let given = gives_names(file).then(given).flatten();
        let name = given.unwrap_or_else(|| file_class_name(&file.path));
        let package = outline.imports.package().unwrap_or_default();
        has_types(file).then(|| if package.is_empty() { name } else { format!("{package}.{name}") })
    }
}

/// Whether a file may give names to its class or to functions in it.
fn gives_names(file: &FileEntry) -> bool {
    file.holds(JVM_NAME)
}

/// The annotation of Kotlin's that gives a declaration another name in class files.
pub const JVM_NAME: &str = "JvmName";

/// Whether a row is a function or property outside of classes.
fn is_outermost(row: &Row) -> bool {
    use SymbolKind::{Constant, Field, Function, Method, Property, Variable};
    row.parent == 0 && matches!(row.kind(), Function | Method | Property | Variable | Constant | Field)
}

/// Whether a declaration is a Kotlin function or property outside of classes.
pub(crate) fn is_of_file(declared: &IndexedDeclaration) -> bool {
    has_types(&declared.file) && declared.row().is_some_and(|(_, row)| is_outermost(row))
}

/// Returns the name that the class of a Kotlin file's functions has unless an annotation gives another: `Strings_ofKt` of
/// `utils/strings-of.kt`.
pub fn file_class_name(path: &RelPath) -> String {
    let stem = path.file_stem();
    let mut name = String::new();
    for character in stem.chars() {
        let is_kept = character.is_alphanumeric() || matches!(character, '_' | '$');
        match is_kept {
            true if name.is_empty() => name.extend(character.to_uppercase()),
            true => name.push(character),
            false => name.push('_'),
        }
    }
    if name.starts_with(|first: char| first.is_numeric()) {
        name.insert(0, '_');
    }
    name + "Kt"
}

/// Returns the name that `@file:JvmName("…")` gives.
fn name_of_file(text: &Text) -> Option<String> {
    let text = text.as_str();
    let annotations = text.split("@file:").skip(1);
    annotations
        .filter_map(|rest| {
            let rest = rest.trim_start();
            let end = if rest.starts_with('[') { rest.find(']')? } else { rest.find(')')? + 1 };
            given_name(rest.get(..end)?)
        })
        .next()
}

/// Returns the name in a text's first `JvmName("…")`.
fn given_name(annotations: &str) -> Option<String> {
    let (_, rest) = annotations.split_once(JVM_NAME)?;
    jvm_name_argument(rest).map(str::to_owned)
}

/// Reads the argument of `@JvmName("x")` or `@JvmName(name = "x")`, given the text behind the annotation's name.
pub fn jvm_name_argument(behind: &str) -> Option<&str> {
    let argument = behind.trim_start().strip_prefix('(')?.trim_start();
    let named = argument.strip_prefix("name").and_then(|rest| rest.trim_start().strip_prefix('='));
    let value = named.map_or(argument, str::trim_start).strip_prefix('"')?;
    value.split_once('"').map(|(name, _)| name)
}

/// Returns the name that an annotation gives a Kotlin function for Java; `None` for one that keeps its own.
pub(crate) fn name_of_function(sources: &dyn Sources, function: &IndexedDeclaration) -> Option<String> {
    let (outline, row) = function.row()?;
    let is_function = matches!(row.kind(), SymbolKind::Function | SymbolKind::Method);
    if !is_function || !outline.occurrences.contains(JVM_NAME) {
        return None;
    }
    let current = sources.current(&function.file)?;
    given_name(current.text.as_str().get(row.start as usize..row.name_start as usize)?)
}

/// Whether a Kotlin class is an object, which Java finds in a field of it.
pub(crate) fn is_object(sources: &dyn Sources, class: &IndexedDeclaration) -> bool {
    let (Some((_, row)), Some(current)) = (class.row(), sources.current(&class.file)) else { return false };
    let head = current.text.as_str().get(row.start as usize..row.name_start as usize).unwrap_or("");
    head.split_whitespace().last() == Some("object")
}

/// Returns the Kotlin member of a class, or of its companion, that annotations give this name.
pub(crate) fn member(
    resolver: &Resolver,
    class: &IndexedDeclaration,
    name: &str,
) -> Option<IndexedDeclaration> {
    let (outline, row) = class.row().filter(|(outline, _)| outline.occurrences.contains(JVM_NAME))?;
    if !has_types(&class.file) {
        return None;
    }
    let current = resolver.sources.current(&class.file)?;
    let is_it = |at: &usize| {
        let member = &outline.rows[*at];
        let head = current.text.as_str().get(member.start as usize..member.end as usize).unwrap_or("");
        let head = match matches!(member.kind(), SymbolKind::Function | SymbolKind::Method) {
            true => head.get(..(member.name_start - member.start) as usize).unwrap_or(""),
            false => head,
        };
        member.parent() == Some(class.row) && given_name(head).is_some_and(|given| given == name)
    };
    let found = (class.row + 1..=class.row + row.descendants as usize).find(is_it)?;
    Some(IndexedDeclaration { file: class.file.clone(), row: found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_class_has_the_name_of_the_file() {
        let name = |path: &str| file_class_name(&RelPath::new(path).expect("a path"));
        assert_eq!(name("a/strings.kt"), "StringsKt");
        assert_eq!(name("Lines.kt"), "LinesKt");
        assert_eq!(name("a/read-me.jvm.kt"), "Read_me_jvmKt");
        assert_eq!(name("2d.kt"), "_2dKt");
    }

    #[test]
    fn annotations_give_names() {
        let of = |text: &str| name_of_file(&Text::decode(text.as_bytes().to_vec()).expect("text"));
        assert_eq!(of("@file:JvmName(\"Books\")\npackage a\n").as_deref(), Some("Books"));
        assert_eq!(
            of("@file:Suppress(\"a\")\n@file:[JvmName(name = \"B\") JvmMultifileClass]\n").as_deref(),
            Some("B")
        );
        assert_eq!(of("@file:Suppress(\"a\")\n@JvmName(\"b\") fun c() {}\n"), None);
        assert_eq!(given_name("@JvmName( \"x\" ) fun "), Some("x".to_owned()));
    }
}
