//! A text with the names that its declarations have in class files where the source says so: `@JvmName`.

use std::collections::BTreeMap;

use super::wanted_files::PART_OF_FACADE;
use symd_engine::CurrentText;
use symd_resolve::{JVM_NAME, is_kotlin_code_at, is_type, jvm_name_argument};

/// The text of a file with the names that its functions and accessors have in class files.
pub(super) struct NamedText {
    pub(super) current: CurrentText,
    pub(super) package: String,
    /// The arguments of `@JvmName`, by row; a property has one for each accessor.
    jvm_names: BTreeMap<usize, Vec<String>>,
    /// The argument of `@file:JvmName`.
    facade: Option<String>,
}

impl NamedText {
    pub(super) fn of(current: CurrentText) -> NamedText {
        let (mut of_rows, mut facade) = (Vec::new(), None);
        for one in annotations(current.text.as_str()) {
            match one.is_of_file {
                true => facade = Some(one.name),
                false => of_rows.push(one),
            }
        }
        let mut jvm_names: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let rows = annotated(&current, &of_rows);
        for (row, one) in rows.into_iter().zip(of_rows) {
            if let Some(row) = row {
                jvm_names.entry(row).or_default().push(one.name);
            }
        }
        let package = current.outline.imports.package().unwrap_or_default();
        NamedText { current, package, jvm_names, facade }
    }

    pub(super) fn jvm_names(&self, row: usize) -> &[String] {
        self.jvm_names.get(&row).map_or(&[], Vec::as_slice)
    }

    /// Returns the name that the source gives to the class of the file's top-level functions.
    pub(super) fn facade(&self) -> Option<&str> {
        self.facade.as_deref()
    }

    /// Whether the file's top-level functions may be in a class of this name. A facade of several files has one for each:
    /// `Texts__TillKt`.
    pub(super) fn is_facade(&self, class: &str) -> bool {
        match self.facade() {
            Some(facade) => {
                let rest = class.strip_prefix(facade);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(PART_OF_FACADE))
            }
            None => class.ends_with("Kt"),
        }
    }
}

/// A `@JvmName` of a text.
struct JvmNamed {
    /// The byte at which `JvmName` begins.
    at: u32,
    name: String,
    is_of_file: bool,
}

/// Returns the annotations `@JvmName` of Kotlin's code, in the text's order.
fn annotations(text: &str) -> Vec<JvmNamed> {
    let read = |at: usize| {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        let name = jvm_name_argument(&text[at + JVM_NAME.len()..]).filter(|_| before.contains('@'))?;
        let is_of_file = before.contains("@file:");
        Some(JvmNamed { at: u32::try_from(at).ok()?, name: name.to_owned(), is_of_file })
    };
    let mut all: Vec<JvmNamed> =
        memchr::memmem::find_iter(text.as_bytes(), JVM_NAME).filter_map(read).collect();
    let offsets: Vec<usize> = all.iter().map(|one| one.at as usize).collect();
    // Not by the tree: a trace may name hundreds of files, and each would have to be parsed.
    let mut is_code = is_kotlin_code_at(text, &offsets).into_iter();
    all.retain(|_| is_code.next() == Some(true));
    all
}

/// Returns the function, or the property, that each annotation belongs to; `all` in the text's order.
fn annotated(current: &CurrentText, all: &[JvmNamed]) -> Vec<Option<usize>> {
    if all.is_empty() {
        return Vec::new();
    }
    let rows = &current.outline.rows;
    let mut by_start: Vec<usize> = (0..rows.len()).filter(|&row| !is_type(rows[row].kind())).collect();
    by_start.sort_by_key(|&row| rows[row].start);
    let mut later = by_start.into_iter().peekable();
    // The rows that hold the present annotation.
    let mut around: Vec<usize> = Vec::new();
    let innermost = |one: &JvmNamed| {
        while let Some(row) = later.next_if(|&row| rows[row].start <= one.at) {
            around.push(row);
        }
        around.retain(|&row| one.at < rows[row].end);
        let row = around.iter().copied().min_by_key(|&row| (rows[row].end - rows[row].start, row))?;
        // What stands in a function's body is not its own.
        (!rows[row].kind().is_callable() || one.at < rows[row].name_start).then_some(row)
    };
    all.iter().map(innermost).collect()
}
