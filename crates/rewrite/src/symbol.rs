//! The symbol that an edit is about, and why it may not be edited. Invariant: nothing is guessed: where a name's
//! statement is more than the symbol, the edit is refused and says what to edit instead.

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

/// A symbol in its text.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The file, for messages.
    pub path: &'a RelPath,
    /// What it is written in.
    pub grammar: Grammar,
    /// The file's text.
    pub text: &'a str,
    /// The outline of that very text.
    pub outline: &'a Outline,
    /// The symbol's row.
    pub row: usize,
    /// By what texts to come are parsed.
    pub parsers: &'a Parsers,
}

/// Why a symbol cannot be edited. Lines are 1-based.
#[derive(Debug, thiserror::Error)]
pub enum SymbolEditError {
    /// The parser does not get through the text to come.
    #[error("{path}: the text that the edit would make cannot be checked: {error}")]
    Unparsable {
        /// The file.
        path: RelPath,
        /// Why.
        error: ParseError,
    },
    /// There is nothing to insert.
    #[error("The body is empty; give the text to insert")]
    EmptyBody,
    /// The outline is of another text.
    #[error("{path} changed while it was edited; read it again")]
    Stale {
        /// The file.
        path: RelPath,
    },
    /// Its statement has a block: a loop, a `with`.
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
    /// It is a parameter, and its function's callers count on it.
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
    /// Other symbols would go with it.
    #[error(
        "'{name}' is bound together with {others} by one statement ({path}:{line}); replace that statement instead"
    )]
    Shared {
        /// The symbol.
        name: String,
        /// The others' name paths, as a list in words.
        others: String,
        /// The file.
        path: RelPath,
        /// Where the statement starts.
        line: usize,
    },
    /// It is a piece of an expression.
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
    /// Nothing can be put beside it: its block has no lines of its own.
    #[error(
        "'{name}' stands on the line of its block's head ({path}:{line}: `{head}`), and no other line can belong to that block; \
         put the block on lines of its own first"
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
    /// Python has no empty blocks, and the grammar does not mind them.
    #[error(
        "'{name}' is the only statement of its block at {path}:{line}; replace it by `pass`, or delete what holds it"
    )]
    OnlyStatement {
        /// The symbol.
        name: String,
        /// The file.
        path: RelPath,
        /// Where it starts.
        line: usize,
    },
    /// The text that would come of it is not to be written.
    #[error("{path}: {fault}; nothing was written")]
    Unfit {
        /// The file.
        path: RelPath,
        /// What is wrong with it.
        fault: Box<EditFault>,
    },
    /// It cannot be parsed.
    #[error(transparent)]
    Outline(#[from] OutlineError),
}

/// Longest head of a statement in a message, in characters.
const HEAD_CHARS: usize = 80;

impl<'a> Target<'a> {
    /// Looks at a text to come, where that can do no harm; `range` is what of its lines is asked about.
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

    /// The symbol's row and range, if the outline fits the text.
    pub(super) fn row(&self) -> Result<&'a Row, SymbolEditError> {
        let row = self.outline.rows.get(self.row);
        row.filter(|row| self.text.get(row.range().as_range()).is_some())
            .ok_or_else(|| SymbolEditError::Stale { path: self.path.clone() })
    }

    /// Its name path.
    pub(super) fn name(&self) -> String {
        self.outline.name_path(self.row)
    }

    /// Whether its range is nothing but its name.
    pub(super) fn is_bare(&self, row: &Row) -> bool {
        row.start == row.name_start && row.end - row.start == u32::from(row.name_len)
    }

    /// What replacing the symbol replaces: its range, or the statement of a bare name.
    pub(super) fn replaced(&self, cancel: &Cancel) -> Result<TextRange, SymbolEditError> {
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

    /// The statement it stands in.
    pub(super) fn statement(&self, row: &Row, cancel: &Cancel) -> Result<Option<Statement>, SymbolEditError> {
        Ok(statement_at(self.grammar, self.text, row.range(), cancel)?)
    }

    /// The symbol's range with the documentation that is attached to it, in every language but Python, where a comment above
    /// is none.
    pub(super) fn documented(&self, row: &Row, cancel: &Cancel) -> Result<TextRange, SymbolEditError> {
        let start = attached_start(self.grammar, self.text, row.start, cancel)?;
        Ok(TextRange::new(start, row.end))
    }

    /// The lines of `range`, if nothing but separators and a comment shares them.
    pub(super) fn whole_lines(&self, range: TextRange) -> Option<TextRange> {
        let text = self.text;
        let start = line_start(text, range.start as usize);
        let end = next_line_start(text, range.end as usize);
        let rest = text[range.end as usize..end].trim_start();
        let rest = rest.strip_prefix([',', ';']).unwrap_or(rest).trim();
        let comment = if self.grammar.name() == "python" { "#" } else { "//" };
        let is_comment = rest.starts_with(comment)
            || (rest.starts_with("/*") && rest.find("*/").is_some_and(|close| close + 2 == rest.len()));
        let is_whole = text[start..range.start as usize].trim().is_empty() && (rest.is_empty() || is_comment);
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        is_whole.then(|| TextRange::new(offset(start), offset(end)))
    }

    /// The white space before it on its first line.
    pub(super) fn indent(&self, at: u32) -> &'a str {
        let start = line_start(self.text, at as usize);
        indent_of(&self.text[start..at as usize])
    }

    pub(super) fn compound(&self, statement: TextRange) -> SymbolEditError {
        let (line, head) = self.head(statement);
        SymbolEditError::Compound { name: self.name(), path: self.path.clone(), line, head }
    }

    /// The 1-based line on which `range` starts, and what stands on it from there.
    pub(super) fn head(&self, range: TextRange) -> (usize, String) {
        let start = range.start as usize;
        let line = line_starts(&self.text[..start]).len();
        let head = self.text[start..].split(['\n', '\r']).next().unwrap_or("").trim_end();
        (line, head.chars().take(HEAD_CHARS).collect())
    }
}

/// Kinds between which and their neighbours a blank line stands.
pub(super) fn stands_apart(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Constructor, Function, Interface, Method, Struct};
    matches!(kind, Class | Interface | Struct | Function | Method | Constructor)
}

/// Where the line of byte `at` starts.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..at]).map_or(0, |found| found + 1)
}

/// Where the line behind that of byte `at` starts: the text's length behind the last.
pub(super) fn next_line_start(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    match memchr::memchr2(b'\n', b'\r', &bytes[at..]) {
        None => bytes.len(),
        Some(found) if bytes[at + found..].starts_with(b"\r\n") => at + found + 2,
        Some(found) => at + found + 1,
    }
}
