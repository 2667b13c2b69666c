//! A file's imports as written: nothing is resolved here. Kept packed, because there are tens of thousands of
//! them and they are read only when a query needs them. Invariant: imports are in the order of their
//! statements; if one cannot be decoded (a damaged cache), it and all later ones are omitted, without a
//! panic.

mod build;
mod huffman;
mod packed;
pub(super) mod roles;
mod use_tree;

pub(super) use build::{Draft, ImportCoverage, build, draft};
pub use packed::{Imports, MAX_IMPORTED_BYTES};

use symd_base::TextRange;

/// The kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportKind {
    /// A statement that binds a name in this file.
    Import,
    /// A statement that offers a name to other files and binds none here: `export { a } from './b'`. Without
    /// a module it refers to this file's own names.
    Export,
    /// A statement that names the package of this file: `module` is that package.
    Package,
}

/// The part of a module that is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Imported<'a> {
    /// The module itself: `import os`.
    Module,
    /// All its names: `from os import *`.
    Everything,
    /// One of its names; `default` for a default export.
    Name(&'a str),
}

/// One import. `from .a import b as c` has module `.a`, name `b`, alias `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Import<'a> {
    pub kind: ImportKind,
    /// The whole statement; several imports can share it.
    pub statement: TextRange,
    /// The module as written, without quotes; empty in an export of the file's own names.
    pub module: &'a str,
    pub imported: Imported<'a>,
    /// The name that it gets in this file, if different.
    pub alias: Option<&'a str>,
}

impl<'a> Import<'a> {
    /// Returns the name that the import binds (or offers): the alias, else the imported name; `None` if the
    /// module alone determines it.
    pub fn bound(&self) -> Option<&'a str> {
        match (self.alias, self.imported) {
            (Some(alias), _) => Some(alias),
            (None, Imported::Name(name)) => Some(name),
            (None, _) => None,
        }
    }
}

/// All imports, exports and package lines of one file, unpacked.
#[derive(Clone, Debug, Default)]
pub struct ImportList {
    /// Module, name and alias of each import, concatenated: separated by tabs, trailing empty fields omitted.
    text: String,
    /// Kind, statement, and the end of the import's part of `text`; the part begins where the previous one
    /// ends.
    entries: Vec<(ImportKind, TextRange, usize)>,
}

impl ImportList {
    /// Returns all imports in order.
    pub fn iter(&self) -> impl Iterator<Item = Import<'_>> {
        (0..self.entries.len()).filter_map(|number| self.get(number))
    }

    /// Returns the import with this 0-based number.
    pub fn get(&self, number: usize) -> Option<Import<'_>> {
        let &(kind, statement, end) = self.entries.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.entries[before].2);
        let mut fields = self.text.get(start..end).unwrap_or("").split('\t');
        let module = fields.next().unwrap_or("");
        let imported = match fields.next().unwrap_or("") {
            "" => Imported::Module,
            "*" => Imported::Everything,
            name => Imported::Name(name),
        };
        let alias = fields.next().filter(|alias| !alias.is_empty());
        Some(Import { kind, statement, module, imported, alias })
    }

    /// Returns the imports whose statements contain `range`, in order, without decoding the others.
    pub fn around(&self, range: TextRange) -> impl Iterator<Item = Import<'_>> {
        let holding = self.entries.iter().enumerate().filter(move |(_, entry)| entry.1.contains(range));
        holding.filter_map(|(number, _)| self.get(number))
    }

    /// Returns the package that the file declares.
    pub fn package(&self) -> Option<&str> {
        self.iter().find(|import| import.kind == ImportKind::Package).map(|import| import.module)
    }
}

#[cfg(test)]
mod tests;
