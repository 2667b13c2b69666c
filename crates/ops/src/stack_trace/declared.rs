//! The rows of a file that a frame's names may mean. Rules of Kotlin's compiler (JVM) and of javac: the body of an enum's entry is
//! a class `Color$RED`, `@JvmName` names a function or an accessor, and constructors, initializers and the values of
//! properties are one method.

use std::collections::BTreeMap;

use super::names::SourceNames;
use super::place::attributed;
use symd_base::{Cancel, TextRange};
use symd_engine::CurrentText;
use symd_resolve::is_type;
use symd_syntax::{Grammar, Row, SymbolKind, TextKind, text_kinds};

const JVM_NAME: &str = "JvmName";

/// What a class's companion is called unless it has a name.
const COMPANION: &str = "Companion";

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

    fn jvm_names(&self, row: usize) -> &[String] {
        self.jvm_names.get(&row).map_or(&[], Vec::as_slice)
    }

    /// Whether the file's top-level functions may be in a class of this name.
    pub(super) fn is_facade(&self, class: &str) -> bool {
        class.ends_with("Kt") || self.facade.as_deref() == Some(class)
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
    let read = |(at, _): (usize, &str)| {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        let name = jvm_name(&text[at..]).filter(|_| before.contains('@'))?;
        let is_of_file = before.contains("@file:");
        Some(JvmNamed { at: u32::try_from(at).ok()?, name: name.to_owned(), is_of_file })
    };
    let mut all: Vec<JvmNamed> = text.match_indices(JVM_NAME).filter_map(read).collect();
    let Some(kotlin) = Grammar::named("kotlin").filter(|_| !all.is_empty()) else { return all };
    let ranges: Vec<TextRange> = all.iter().map(|one| TextRange::new(one.at, one.at + 1)).collect();
    // A text that cannot be parsed has no rows either.
    let kinds = text_kinds(kotlin, text, &ranges, &Cancel::new()).unwrap_or_default();
    let mut kinds = kinds.into_iter();
    all.retain(|_| kinds.next().is_none_or(|kind| kind == TextKind::Code));
    all
}

/// Reads the argument of `JvmName("x")` or `JvmName(name = "x")`, with which `text` begins.
fn jvm_name(text: &str) -> Option<&str> {
    let argument = text.strip_prefix(JVM_NAME)?.trim_start().strip_prefix('(')?.trim_start();
    let named = argument.strip_prefix("name").and_then(|rest| rest.trim_start().strip_prefix('='));
    let value = named.map_or(argument, str::trim_start).strip_prefix('"')?;
    value.split_once('"').map(|(name, _)| name)
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

/// A file's declarations as a frame names them.
pub(super) struct FrameDeclarations<'s> {
    source: &'s NamedText,
    names: &'s SourceNames,
    /// The row of the innermost class of the frame that the file declares; an enum's entry with a body is one.
    class: Option<usize>,
    /// Whether that is the class of the frame itself: not a lambda's, nor a local one.
    is_whole_class: bool,
}

impl<'s> FrameDeclarations<'s> {
    pub(super) fn of(source: &'s NamedText, names: &'s SourceNames) -> FrameDeclarations<'s> {
        let outline = &source.current.outline;
        let top = (0..outline.rows.len()).find(|&row| {
            let this = &outline.rows[row];
            this.parent().is_none() && is_type(this.kind()) && outline.name(this) == names.outer
        });
        let is_whole_class = !names.has_unnamed && (top.is_some() || names.nested.is_empty());
        let mut all = FrameDeclarations { source, names, class: top, is_whole_class };
        for part in names.nested.iter().filter(|_| top.is_some()) {
            let found = all.rows_inside().find(|&row| {
                let this = &outline.rows[row];
                (is_type(this.kind()) || this.kind() == SymbolKind::EnumMember) && outline.name(this) == part
            });
            all.is_whole_class &= found.is_some();
            all.class = found.or(all.class);
        }
        all
    }

    fn row(&self, row: usize) -> &'s Row {
        &self.source.current.outline.rows[row]
    }

    fn name(&self, row: usize) -> &'s str {
        self.source.current.outline.name(self.row(row))
    }

    /// Returns the rows beneath the frame's class; all rows if the file does not declare it.
    fn rows_inside(&self) -> std::ops::Range<usize> {
        match self.class {
            Some(class) => class + 1..class + 1 + self.row(class).descendants as usize,
            None => 0..self.source.current.outline.rows.len(),
        }
    }

    pub(super) fn holds(&self, row: usize, line: usize) -> bool {
        holds(self.row(row), line)
    }

    /// Returns the line of a row's name, from 1.
    pub(super) fn line_of(&self, row: usize) -> usize {
        self.row(row).name_line as usize + 1
    }

    pub(super) fn class_line(&self) -> Option<usize> {
        self.class.map(|class| self.line_of(class))
    }

    pub(super) fn class_name(&self) -> &'s str {
        self.class.map_or("", |class| self.name(class))
    }

    /// Whether the class holds the line; without a class the file does.
    pub(super) fn class_holds(&self, line: usize) -> bool {
        self.class.is_none_or(|class| self.holds(class, line))
    }

    /// Returns the rows that have one of the frame's member names, within its class if the file declares that.
    pub(super) fn members(&self) -> Vec<usize> {
        let wanted = &self.names.members;
        // A lambda's function is a part of its class's name.
        if wanted.is_empty() && !self.names.is_of_class {
            let functions: Vec<&String> = self.names.nested.iter().rev().take(2).collect();
            let is_around = |row: &usize| {
                !is_type(self.row(*row).kind()) && functions.iter().any(|name| *name == self.name(*row))
            };
            return self.rows_inside().filter(is_around).collect();
        }
        let written = wanted.first().map_or("", String::as_str);
        let is_named = |row: &usize| {
            // A function has one name in the class file, a property one for each accessor.
            let has_other_name = self.names.is_function
                && self.row(*row).kind().is_callable()
                && !self.source.jvm_names(*row).is_empty();
            self.source.jvm_names(*row).iter().any(|name| name == written)
                || !has_other_name && wanted.iter().any(|name| name == self.name(*row))
        };
        self.rows_inside().filter(is_named).collect()
    }

    /// Whether a function, a property or an enum entry in the class's name holds the line.
    pub(super) fn nested_holds(&self, line: usize) -> bool {
        let is_part = |row: usize| self.names.nested.iter().any(|part| part == self.name(row));
        let mut rows = self.class.into_iter().chain(self.rows_inside());
        rows.any(|row| {
            let this = self.row(row);
            !is_type(this.kind())
                && holds(this, line)
                && is_part(row)
                && (self.names.has_unnamed || this.kind() == SymbolKind::EnumMember)
        })
    }

    /// Whether the functions in the class's name, where the file declares them, hold the line.
    pub(super) fn fits_nested(&self, line: usize) -> bool {
        let all = 0..self.source.current.outline.rows.len();
        self.names.nested.iter().all(|part| {
            let mut rows = all.clone().filter(|&row| self.name(row) == part).peekable();
            rows.peek().is_none() || rows.any(|row| self.holds(row, line))
        })
    }

    pub(super) fn is_class_line(&self, line: usize) -> bool {
        self.class
            .map(|row| self.row(row))
            .is_some_and(|row| line == row.name_line as usize + 1 || line == row.start_line as usize + 1)
    }

    /// Whether a constructor, an initializer or a method that the compiler makes for the class may have a line: it is in no
    /// function of another name, and in no other class.
    pub(super) fn may_initialize(&self, line: usize) -> bool {
        // Of a lambda, or of a local class, it is not known where in the function around it the class begins.
        if !self.names.is_of_class || !self.is_whole_class {
            return true;
        }
        let Some(mut row) = attributed(&self.source.current, line) else { return false };
        while Some(row) != self.class {
            let this = self.row(row);
            // Values of a companion, or of an object, are those of the class around it.
            let is_other_class = is_type(this.kind())
                && !self.names.is_static
                && self.name(row) != COMPANION
                && self.class.is_some();
            if is_other_class || this.kind().is_callable() && this.kind() != SymbolKind::Constructor {
                return false;
            }
            match this.parent() {
                Some(parent) => row = parent,
                None => return self.class.is_none(),
            }
        }
        true
    }

    /// Returns the only constructor or field with a value of a class of Java's that an initializer without a line may be in. Of
    /// Kotlin's, initializers are no rows: any may be meant.
    pub(super) fn only_initializer(&self) -> Option<usize> {
        let class = self.class.filter(|_| self.names.is_initializer && self.is_whole_class)?;
        let of_class = |row: &usize| self.row(*row).parent() == Some(class) && self.initializes(*row);
        let mut found = self.rows_inside().filter(of_class);
        let only = found.next().filter(|_| found.next().is_none())?;
        (self.names.is_javas_lambda || self.name(only) == self.name(class)).then_some(only)
    }

    fn initializes(&self, row: usize) -> bool {
        let this = self.row(row);
        let text = self.source.current.text.slice(this.range());
        let is_of_class = |head: &str| head.split_whitespace().any(|word| word == "static");
        let head = text.get(..(this.name_start - this.start) as usize).unwrap_or_default();
        let has_value = is_value(this) && (text.contains('=') || text.contains(" by "))
            || this.kind() == SymbolKind::Constructor;
        let has_lambda = !self.names.is_javas_lambda || text.contains("->");
        has_value && has_lambda && is_of_class(head) == self.names.is_static
    }
}

fn holds(row: &Row, line: usize) -> bool {
    (row.start_line as usize) < line && line <= row.end_line as usize + 1
}

fn is_value(row: &Row) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    !row.is_local() && matches!(row.kind(), Constant | Field | Property | Variable)
}
