//! Places in a text. Inside symd every offset counts bytes of the decoded text; lines and columns, and
//! the UTF-16 code units of LSP, exist at the rim only.

/// A half-open range of byte offsets, `start..end`, in a file's decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextRange {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl TextRange {
    /// The range `start..end`; `start` must not lie behind `end`.
    pub fn new(start: u32, end: u32) -> TextRange {
        debug_assert!(start <= end, "reversed range {start}..{end}");
        TextRange { start, end }
    }

    /// For indexing a string.
    pub fn as_range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `other` lies wholly inside this range (or is it).
    pub fn contains(self, other: TextRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A line and a column, both 0-based; the column counts bytes from the line's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// 0-based line.
    pub line: u32,
    /// 0-based byte column.
    pub column: u32,
}
