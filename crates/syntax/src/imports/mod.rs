//! What a file imports, as it is written there: nothing is resolved here. Kept packed, because there are tens of
//! thousands of them and they are read only when a question needs them.
//! Invariant: imports stand in the order of their statements; what cannot be read back (a damaged cache) is left
//! out with all that follows it, never a panic.

mod build;
mod letters;
mod packed;
pub(super) mod roles;
mod use_tree;

pub(super) use build::{AllOfThem, Draft, build, draft};
pub use packed::{Imports, MAX_IMPORTED_BYTES};

use symd_base::TextRange;

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

/// All imports, exports and package lines of one file, unpacked.
#[derive(Clone, Debug, Default)]
pub struct ImportList {
    /// What each brings, back to back: module, name and alias, a tab between; empty ones at the end left out.
    text: String,
    /// Kind, statement, and where what it brings ends in `text`; it begins where that before it ends.
    entries: Vec<(ImportKind, TextRange, usize)>,
}

impl ImportList {
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Import<'_>> {
        (0..self.entries.len()).filter_map(|number| self.get(number))
    }

    /// The one of this number, counted from 0 in their order.
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

    /// Those of statements that hold `range`, in order: the others are not looked into.
    pub fn around(&self, range: TextRange) -> impl Iterator<Item = Import<'_>> {
        let holding = self.entries.iter().enumerate().filter(move |(_, entry)| entry.1.contains(range));
        holding.filter_map(|(number, _)| self.get(number))
    }

    /// The package that the file says it belongs to.
    pub fn package(&self) -> Option<&str> {
        self.iter().find(|import| import.kind == ImportKind::Package).map(|import| import.module)
    }
}

#[cfg(test)]
mod tests;
