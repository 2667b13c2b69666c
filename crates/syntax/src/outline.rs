//! A file's symbols in the form in which the index keeps and the cache stores them: fixed-size rows over
//! one string of names. Invariants: rows stand in pre-order of the symbol tree (a parent before its
//! children, siblings by position), so a subtree is a run of rows; a row's name is the text at its name range,
//! except a composed one (Kotlin's unnamed `Companion`, Rust's `impl A for B`, Go's `(*T).Method`), whose
//! name range begins at the token that stands for it.

use super::imports::Imports;
use super::kind::SymbolKind;
use symd_base::TextRange;

/// One symbol. 44 bytes; offsets are bytes of the decoded text, lines 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// First byte of the whole symbol: from the first decorator, annotation or modifier.
    pub start: u32,
    /// Just past its last byte.
    pub end: u32,
    /// First byte of its name in the text (within the backticks, where a language has those).
    pub name_start: u32,
    /// Where its name starts in [`Outline::names`].
    pub name_at: u32,
    /// The parent's row number plus one; 0 at the top level.
    pub parent: u32,
    /// The line of `start`.
    pub start_line: u32,
    /// The line of the last byte, inclusive.
    pub end_line: u32,
    /// The line of the name.
    pub name_line: u32,
    /// Length of its name in bytes.
    pub name_len: u16,
    /// Among siblings that share its name (functions, classes, accessors): its number plus one, in source
    /// order; 0 where the name is its own.
    pub index: u16,
    /// LSP's number of its kind.
    pub kind: u8,
    /// [`Row::LOCAL`] or 0.
    pub flags: u8,
    /// Bytes from the name's first to where its head ends: at its body, or at its own end. [`u16::MAX`] also for longer
    /// ones; 0 where that is not known, as of variables, whose statement may bind other names.
    pub head: u16,
    /// How many of the rows right after this one are its descendants.
    pub descendants: u32,
}

impl Row {
    /// Flag: a parameter or a local variable (Python), which `native` leaves out unless asked.
    pub const LOCAL: u8 = 1;

    /// The whole symbol's range.
    pub fn range(&self) -> TextRange {
        TextRange::new(self.start, self.end)
    }

    /// The kind.
    pub fn kind(&self) -> SymbolKind {
        SymbolKind::from_number(i64::from(self.kind)).unwrap_or(SymbolKind::Variable)
    }

    /// The row number of the parent.
    pub fn parent(&self) -> Option<usize> {
        self.parent.checked_sub(1).map(|row| row as usize)
    }

    /// Whether it is a parameter or a local variable.
    pub fn is_local(&self) -> bool {
        self.flags & Row::LOCAL != 0
    }
}

/// All symbols of one file, and where its identifiers occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// In pre-order.
    pub rows: Box<[Row]>,
    /// The names, back to back.
    pub names: Box<str>,
    /// Every identifier of the file and where it stands.
    pub occurrences: Occurrences,
    /// What it imports.
    pub imports: Imports,
    /// Whether the parser met text it could not make sense of.
    pub has_errors: bool,
    /// Whether types stand in it that are no rows: in function bodies, or without a name ([`with_hidden_types`] has them).
    ///
    /// [`with_hidden_types`]: super::with_hidden_types
    pub hides_types: bool,
}

impl Outline {
    /// The simple name of a row of this outline.
    pub fn name(&self, row: &Row) -> &str {
        let start = row.name_at as usize;
        self.names.get(start..start + usize::from(row.name_len)).unwrap_or("")
    }

    /// The name path of row `at`: names from the top level down, joined by `/`.
    pub fn name_path(&self, at: usize) -> String {
        let mut chain = vec![at];
        while let Some(parent) = self.rows[chain[chain.len() - 1]].parent() {
            chain.push(parent);
        }
        let names: Vec<String> = chain.iter().rev().map(|&at| self.indexed_name(at)).collect();
        names.join("/")
    }

    /// The simple name of row `at`, with `[i]` where siblings share it.
    pub fn indexed_name(&self, at: usize) -> String {
        let row = &self.rows[at];
        let name = self.name(row);
        match row.index.checked_sub(1) {
            None => name.to_owned(),
            Some(index) => format!("{name}[{index}]"),
        }
    }
}

/// Where every identifier of a file stands: references, rename checks and ranking use it. Compact: the
/// distinct names as 32-bit hashes in ascending order, and for each the byte offsets of its occurrences as
/// variable-length differences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// The hashes of the distinct names, ascending.
    pub hashes: Box<[u32]>,
    /// For each hash, where its offsets start in `offsets`; one more entry than hashes.
    pub starts: Box<[u32]>,
    /// LEB128 differences of ascending byte offsets, each list starting from 0.
    pub offsets: Box<[u8]>,
}
