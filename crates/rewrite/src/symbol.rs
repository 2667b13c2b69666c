//! The symbol to edit, and the reasons to reject the edit. Invariant: nothing is guessed: where a name's
//! statement is more than the symbol, the edit is rejected with a message that says what to edit instead.

use super::fault::EditFault;
use super::reindent::indent_of;
use symd_base::cancel::Cancelled;
use symd_base::text::line_starts;
use symd_base::{Cancel, RelPath, TextRange};
use symd_parse::{ParseError, Parsers};
use symd_syntax::{
    Grammar, Inspected, Outline, OutlineError, Row, Statement, StatementKind, SymbolKind, attached_start,
    statement_at,
};

/// A symbol in its file.
#[derive(Clone, Copy, Debug)]
pub struct EditTarget<'a> {
    /// The file's path, for messages.
    pub path: &'a RelPath,
    /// The grammar of the file's language.
    pub grammar: Grammar,
    pub text: &'a str,
    /// The outline of exactly this text.
    pub outline: &'a Outline,
    /// The index of the symbol in the outline's rows.
    pub row: usize,
    /// The parsers for proposed texts.
    pub parsers: &'a Parsers,
}

/// Why a symbol cannot be edited. Lines are 1-based.
#[derive(Debug, thiserror::Error)]
pub enum SymbolEditError {
    /// The parser fails on the proposed text.
    #[error("{path}: cannot check the text that would result from the edit: {error}")]
    Unparsable {
        /// The file.
        path: RelPath,
        /// The parser's error.
        error: ParseError,
    },
    /// There is nothing to insert.
    #[error("The body is empty; give the text to insert")]
    EmptyBody,
    /// The outline belongs to another text.
    #[error("{path} changed while it was edited; read it again")]
    Stale {
        /// The file.
        path: RelPath,
    },
    /// The symbol's statement has a block, such as a loop or a `with`.
    #[error(
        "'{name}' is bound by a statement with a block ({path}:{line}: `{head}`); edit those lines instead"
    )]
    Compound {
        /// The symbol.
        name: String,
        /// The file.
        path: RelPath,
        /// Where the statement starts.
        line: usize,
        /// Its first line.
        head: String,
    },
    /// The symbol is a parameter, on which the function's callers depend.
    #[error("'{name}' is a parameter; change the signature at {path}:{line} instead: `{head}`")]
    Parameter {
        /// The symbol.
        name: String,
        /// The file.
        path: RelPath,
        /// Where the function starts.
        line: usize,
        /// Its first line.
        head: String,
    },
    /// Other symbols would be replaced or deleted with the symbol.
    #[error(
        "'{name}' is bound together with {others} by one statement ({path}:{line}); replace that statement instead"
    )]
    CoDeclared {
        /// The symbol.
        name: String,
        /// The name paths of the other symbols, as a list in words.
        others: String,
        /// The file.
        path: RelPath,
        /// Where the statement starts.
        line: usize,
    },
    /// The symbol is a part of an expression.
    #[error("'{name}' is only a part of its statement ({path}:{line}: `{head}`); edit that line instead")]
    PartOfStatement {
        /// The symbol.
        name: String,
        /// The file.
        path: RelPath,
        /// Where the statement starts.
        line: usize,
        /// Its first line.
        head: String,
    },
    /// Nothing can be inserted beside the symbol: its block has no lines of its own.
    #[error(
        "'{name}' is on the same line as the head of its block ({path}:{line}: `{head}`), and no other line can belong to \
         that block; put the block on lines of its own first"
    )]
    HeadLine {
        /// The symbol.
        name: String,
        /// The file.
        path: RelPath,
        /// Where the head starts.
        line: usize,
        /// Its first line.
        head: String,
    },
    /// The symbol is the only statement of its block. Python has no empty blocks, although the grammar
    /// accepts them.
    #[error(
        "'{name}' is the only statement of its block at {path}:{line}; replace it by `pass`, or delete the enclosing statement"
    )]
    OnlyStatement {
        /// The symbol.
        name: String,
        /// The file.
        path: RelPath,
        /// The line on which the symbol starts.
        line: usize,
    },
    /// The proposed text is rejected.
    #[error("{path}: {fault}; nothing was written")]
    Rejected {
        /// The file.
        path: RelPath,
        /// What is wrong with the text.
        fault: Box<EditFault>,
    },
    /// The text cannot be parsed.
    #[error(transparent)]
    Outline(#[from] OutlineError),
}

/// The maximum length of a statement's head in a message, in characters.
const HEAD_CHARS: usize = 80;

impl<'a> EditTarget<'a> {
    /// Parses a proposed text in a worker process; `range` is the part whose line kinds are returned.
    pub(super) fn inspect(
        &self,
        text: &str,
        range: TextRange,
        cancel: &Cancel,
    ) -> Result<Inspected, SymbolEditError> {
        self.parsers.inspect(self.grammar, text, range, cancel).map_err(|error| match error {
            ParseError::Cancelled => OutlineError::from(Cancelled).into(),
            error => SymbolEditError::Unparsable { path: self.path.clone(), error },
        })
    }

    /// Returns the symbol's row, if its range lies within the text.
    pub(super) fn row(&self) -> Result<&'a Row, SymbolEditError> {
        let row = self.outline.rows.get(self.row);
        row.filter(|row| self.text.get(row.range().as_range()).is_some())
            .ok_or_else(|| SymbolEditError::Stale { path: self.path.clone() })
    }

    /// Returns the symbol's name path.
    pub(super) fn name(&self) -> String {
        self.outline.name_path(self.row)
    }

    /// Whether the symbol's range is only its name.
    pub(super) fn is_bare(&self, row: &Row) -> bool {
        row.start == row.name_start && row.end - row.start == u32::from(row.name_len)
    }

    /// Returns the range that a replacement of the symbol replaces: its own range, or the whole statement of
    /// a bare name.
    pub(super) fn replaced_range(&self, cancel: &Cancel) -> Result<TextRange, SymbolEditError> {
        let row = self.row()?;
        if !self.is_bare(row) {
            return Ok(row.range());
        }
        match self.statement(row, cancel)? {
            None => Ok(row.range()),
            Some(Statement { range, kind: StatementKind::Simple, .. }) => Ok(range),
            Some(Statement { kind: StatementKind::Parameter, .. }) => Ok(row.range()),
            Some(Statement { range, kind: StatementKind::Compound, .. }) => Err(self.compound(range)),
        }
    }

    /// Returns the statement that contains the symbol.
    pub(super) fn statement(&self, row: &Row, cancel: &Cancel) -> Result<Option<Statement>, SymbolEditError> {
        Ok(statement_at(self.grammar, self.text, row.range(), cancel)?)
    }

    /// Returns the symbol's range with the documentation attached to it. In Python a comment above a symbol
    /// is not documentation.
    pub(super) fn range_with_docs(&self, row: &Row, cancel: &Cancel) -> Result<TextRange, SymbolEditError> {
        let start = attached_start(self.grammar, self.text, row.start, cancel)?;
        Ok(TextRange::new(start, row.end))
    }

    /// Returns the lines of `range`, if they contain nothing else but separators and a comment.
    pub(super) fn whole_lines(&self, range: TextRange) -> Option<TextRange> {
        let text = self.text;
        let start = line_start(text, range.start as usize);
        let end = next_line_start(text, range.end as usize);
        let rest = text[range.end as usize..end].trim_start();
        let rest = rest.strip_prefix([',', ';']).unwrap_or(rest).trim();
        let is_comment = rest.starts_with(self.grammar.rules().line_comment)
            || (rest.starts_with("/*") && rest.find("*/").is_some_and(|close| close + 2 == rest.len()));
        let is_whole = text[start..range.start as usize].trim().is_empty() && (rest.is_empty() || is_comment);
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        is_whole.then(|| TextRange::new(offset(start), offset(end)))
    }

    /// Returns the white space at the start of the line of byte `at`, which must lie behind it on that line.
    pub(super) fn indent(&self, at: u32) -> &'a str {
        let start = line_start(self.text, at as usize);
        indent_of(&self.text[start..at as usize])
    }

    pub(super) fn compound(&self, statement: TextRange) -> SymbolEditError {
        let (line, head) = self.first_line(statement);
        SymbolEditError::Compound { name: self.name(), path: self.path.clone(), line, head }
    }

    /// Returns the 1-based line on which `range` starts, and the text of that line from there.
    pub(super) fn first_line(&self, range: TextRange) -> (usize, String) {
        let start = range.start as usize;
        let line = line_starts(&self.text[..start]).len();
        let head = self.text[start..].split(['\n', '\r']).next().unwrap_or("").trim_end();
        (line, head.chars().take(HEAD_CHARS).collect())
    }
}

/// Whether symbols of this kind are separated from their neighbours by a blank line.
pub(super) fn needs_blank_line(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Constructor, Function, Interface, Method, Struct};
    matches!(kind, Class | Interface | Struct | Function | Method | Constructor)
}

/// Returns the start of the line that contains byte `at`.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..at]).map_or(0, |found| found + 1)
}

/// Returns the start of the line after the one that contains byte `at`; the text's length after the last.
pub(super) fn next_line_start(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    match memchr::memchr2(b'\n', b'\r', &bytes[at..]) {
        None => bytes.len(),
        Some(found) if bytes[at + found..].starts_with(b"\r\n") => at + found + 2,
        Some(found) => at + found + 1,
    }
}
