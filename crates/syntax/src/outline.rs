//! A file's symbols in the form that the index keeps and the cache stores: fixed-size rows over one string of
//! names. Invariants: rows are in pre-order of the symbol tree (a parent before its children, siblings by
//! position), so a subtree is a contiguous run of rows; a row's name is the text at its name range, except
//! for a composed name (Kotlin's unnamed `Companion`, Rust's `impl A for B`, Go's `(*T).Method`), whose name
//! range begins at the token that represents it.

use super::imports::Imports;
use super::kind::SymbolKind;
use symd_base::TextRange;

/// One symbol. 44 bytes; offsets are bytes of the decoded text, lines 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// First byte of the whole symbol, including its decorators, annotations and modifiers.
    pub start: u32,
    /// End of the whole symbol, exclusive.
    pub end: u32,
    /// First byte of the name in the text (inside the backticks, in languages that have those).
    pub name_start: u32,
    /// Start of the name in [`Outline::names`].
    pub name_at: u32,
    /// The parent's row number plus one; 0 at the top level.
    pub parent: u32,
    /// The line of `start`.
    pub start_line: u32,
    /// The line of the last byte, inclusive.
    pub end_line: u32,
    /// The line of the name.
    pub name_line: u32,
    /// Length of the name in bytes.
    pub name_len: u16,
    /// One plus the 0-based number, in source order, among siblings that share the name (functions, classes,
    /// accessors); 0 if no sibling shares the name.
    pub index: u16,
    /// LSP's number of the kind.
    pub kind: u8,
    /// [`Row::LOCAL`] or 0.
    pub flags: u8,
    /// Bytes from the start of the name to the end of the head, which is the start of the body or else the
    /// end of the symbol. [`u16::MAX`] also represents longer heads; 0 if unknown, as for variables, whose
    /// statement may bind other names.
    pub head: u16,
    /// Number of descendants: the rows directly after this one.
    pub descendants: u32,
}

impl Row {
    /// Flag: a parameter or a local variable (Python), which `native` omits by default.
    pub const LOCAL: u8 = 1;

    pub fn range(&self) -> TextRange {
        TextRange::new(self.start, self.end)
    }

    pub fn kind(&self) -> SymbolKind {
        SymbolKind::from_number(i64::from(self.kind)).unwrap_or(SymbolKind::Variable)
    }

    pub fn parent(&self) -> Option<usize> {
        self.parent.checked_sub(1).map(|row| row as usize)
    }

    /// Reports whether the symbol is a parameter or a local variable.
    pub fn is_local(&self) -> bool {
        self.flags & Row::LOCAL != 0
    }
}

/// All symbols, identifier occurrences and imports of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// In pre-order.
    pub rows: Box<[Row]>,
    /// The names, concatenated.
    pub names: Box<str>,
    pub occurrences: Occurrences,
    pub imports: Imports,
    /// Whether the parser found text that it could not understand.
    pub has_errors: bool,
    /// Whether the text contains types that are not rows: in function bodies, or without a name
    /// ([`outline_with_hidden_types`] lists them).
    ///
    /// [`outline_with_hidden_types`]: super::outline_with_hidden_types
    pub hides_types: bool,
}

impl Outline {
    /// Returns about how many bytes of memory it takes.
    pub fn memory(&self) -> usize {
        let own = size_of::<Outline>() + size_of_val(&*self.rows) + self.names.len();
        own + self.occurrences.bytes() + self.imports.bytes()
    }

    /// Returns the simple name of a row of this outline.
    pub fn name(&self, row: &Row) -> &str {
        let start = row.name_at as usize;
        self.names.get(start..start + usize::from(row.name_len)).unwrap_or("")
    }

    /// Returns the rows that stand in row `at` itself, in pre-order: those whose parent it is.
    pub fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let inside = at + 1..=at + self.rows[at].descendants as usize;
        inside.filter(move |&row| self.rows[row].parent() == Some(at))
    }

    /// Returns the name path of row `at`: the names from the top level down, joined by `/`.
    pub fn name_path(&self, at: usize) -> String {
        let mut chain = vec![at];
        while let Some(parent) = self.rows[chain[chain.len() - 1]].parent() {
            chain.push(parent);
        }
        let names: Vec<String> = chain.iter().rev().map(|&at| self.indexed_name(at)).collect();
        names.join("/")
    }

    /// Returns the simple name of row `at`, followed by `[i]` if siblings share it.
    pub fn indexed_name(&self, at: usize) -> String {
        let row = &self.rows[at];
        let name = self.name(row);
        match row.index.checked_sub(1) {
            None => name.to_owned(),
            Some(index) => format!("{name}[{index}]"),
        }
    }
}

/// Positions of every identifier of a file, for references, rename checks and ranking. Compact: the distinct
/// names as 32-bit hashes in ascending order, and for each name the byte offsets of its occurrences as
/// variable-length differences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// The hashes of the distinct names, ascending.
    pub hashes: Box<[u32]>,
    /// For each hash, the start of its offsets in `offsets`; one more entry than hashes.
    pub starts: Box<[u32]>,
    /// LEB128 differences of ascending byte offsets, each list starting from 0.
    pub offsets: Box<[u8]>,
}
