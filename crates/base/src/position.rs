//! Positions in a text. Inside symd every offset counts bytes of the decoded text; lines and columns, and the
//! UTF-16 code units of LSP, are used at the interfaces only.

/// A half-open range of byte offsets, `start..end`, in a file's decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextRange {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl TextRange {
    /// Returns the range `start..end`; `start` must not be greater than `end`.
    pub fn new(start: u32, end: u32) -> TextRange {
        debug_assert!(start <= end, "reversed range {start}..{end}");
        TextRange { start, end }
    }

    /// Returns the range in the form that indexes a string.
    pub fn as_range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `other` lies wholly inside this range or equals it.
    pub fn contains(self, other: TextRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A line and a column, both 0-based; the column counts bytes from the line's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}
