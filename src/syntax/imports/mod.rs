//! What a file imports, as it is written there: nothing is resolved here. Kept as one string per file, a line an
//! import, because there are tens of thousands of them and they are read only when a question needs them.
//! Invariant: imports stand in the order of their statements; what cannot be read back (a damaged cache) is left
//! out, never a panic.

mod build;
pub(super) mod roles;
mod use_tree;

pub(super) use build::{Draft, build, draft};

use crate::base::TextRange;

/// All imports, exports and package lines of one file.
///
/// A line is `<kind><offset from the last statement's start> <length>⇥<module>⇥<name>⇥<alias>`, or
/// `+⇥<name>⇥<alias>` for one more of the same statement and module. Empty fields at the end are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imports(Box<str>);

/// What kind of statement it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportKind {
    /// Binds a name in this file.
    Import,
    /// Offers a name to other files and binds none here: `export { a } from './b'`. Without a module it speaks of
    /// this file's own names.
    Export,
    /// Says which package this file belongs to: `module` is that package.
    Package,
}

/// What of the module is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Imported<'a> {
    /// The module itself: `import os`.
    Module,
    /// Everything in it: `from os import *`.
    Everything,
    /// One name of it; `default` for a default export.
    Name(&'a str),
}

/// One import. `from .a import b as c` has module `.a`, name `b`, alias `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Import<'a> {
    /// What it does.
    pub kind: ImportKind,
    /// The whole statement; several imports can share it.
    pub statement: TextRange,
    /// The module as written, without quotes; empty in an export of the file's own.
    pub module: &'a str,
    /// What of it.
    pub imported: Imported<'a>,
    /// The name it is given here, where that is another.
    pub alias: Option<&'a str>,
}

impl<'a> Import<'a> {
    /// The name that it binds (or offers): the alias, else the name; `None` where that is the module's business.
    pub fn bound(&self) -> Option<&'a str> {
        match (self.alias, self.imported) {
            (Some(alias), _) => Some(alias),
            (None, Imported::Name(name)) => Some(name),
            (None, _) => None,
        }
    }
}

impl Imports {
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Import<'_>> {
        let mut lines = self.0.split_terminator('\n');
        let mut last = Import {
            kind: ImportKind::Import,
            statement: TextRange::new(0, 0),
            module: "",
            imported: Imported::Module,
            alias: None,
        };
        std::iter::from_fn(move || {
            last = lines.find_map(|line| read(line, &last))?;
            Some(last)
        })
    }

    /// The package that the file says it belongs to.
    pub fn package(&self) -> Option<&str> {
        self.iter().find(|import| import.kind == ImportKind::Package).map(|import| import.module)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether everything of some module is imported: cheaper than looking through all.
    pub fn has_stars(&self) -> bool {
        self.0.contains("\t*")
    }

    /// Bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The form in which the cache keeps them.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// From the form of [`Imports::as_str`].
    pub fn from_packed(text: &str) -> Imports {
        Imports(text.into())
    }
}

fn read<'a>(line: &'a str, last: &Import<'a>) -> Option<Import<'a>> {
    let mut fields = line.split('\t');
    let head = fields.next()?;
    let (kind, statement, module) = if head == "+" {
        (last.kind, last.statement, last.module)
    } else {
        let mut chars = head.chars();
        let kind = match chars.next()? {
            'i' => ImportKind::Import,
            'e' => ImportKind::Export,
            'p' => ImportKind::Package,
            _ => return None,
        };
        let (offset, length) = chars.as_str().split_once(' ')?;
        let start = last.statement.start.checked_add(offset.parse().ok()?)?;
        let end = start.checked_add(length.parse().ok()?)?;
        (kind, TextRange::new(start, end), fields.next().unwrap_or(""))
    };
    let imported = match fields.next().unwrap_or("") {
        "" => Imported::Module,
        "*" => Imported::Everything,
        name => Imported::Name(name),
    };
    let alias = fields.next().filter(|alias| !alias.is_empty());
    Some(Import { kind, statement, module, imported, alias })
}

#[cfg(test)]
mod tests;
