//! Why the proposed text of a symbol's edit is rejected. Lines are 1-based.

use std::fmt;

use super::breaks_syntax::BrokenAt;
use symd_base::text::line_starts;
use symd_syntax::{BlockFault, BlockViolation};

/// The maximum length of a line in a message, in characters.
const LINE_CHARS: usize = 120;

/// A fault of a proposed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditFault {
    /// The text would no longer parse.
    Broken(BrokenAt),
    /// A block would be empty, or a statement would be at a wrong column.
    Block {
        /// The line in the proposed text.
        line: usize,
        /// The text of that line.
        text: String,
        fault: BlockFault,
    },
    /// A declaration beside the symbol would change or disappear.
    Lost {
        /// The declaration's name path.
        name: String,
        /// The declaration's line in the present text.
        line: usize,
        /// What would become of the declaration.
        fate: DeclarationChange,
    },
    /// The symbol's statement also declares other symbols, which would be lost.
    CoDeclared {
        name: String,
        /// The statement's line in the present text.
        line: usize,
        /// The name paths of the other symbols; never empty.
        lost: Vec<String>,
    },
    /// The scope has a declaration of this name already.
    DeclaredAgain {
        name: String,
        /// That declaration's line in the present text.
        line: usize,
    },
    /// The body is not one declaration of the symbol's kind.
    Declarations {
        /// The symbol's present declaration.
        signature: String,
        /// The line of that declaration.
        line: usize,
        /// The kinds and names that the body declares at its outermost level.
        held: Vec<String>,
    },
}

/// What would become of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclarationChange {
    /// It would no longer exist.
    Gone,
    /// It would have this other name path.
    Renamed(String),
    /// Its text would change.
    Changed,
}

impl EditFault {
    /// Returns the fault of a statement of `after` at a wrong column.
    pub(super) fn block(after: &str, misplaced: BlockViolation) -> EditFault {
        let (line, text) = line_at(after, misplaced.at);
        EditFault::Block { line, text, fault: misplaced.fault }
    }
}

/// Returns the 1-based line of byte `at`, and its text.
pub(super) fn line_at(text: &str, at: u32) -> (usize, String) {
    let starts = line_starts(text);
    let line = starts.partition_point(|&start| start <= at).max(1);
    let written = text[starts[line - 1] as usize..].split(['\n', '\r']).next().unwrap_or("");
    (line, written.trim().chars().take(LINE_CHARS).collect())
}

impl fmt::Display for EditFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditFault::Broken(broken) => write!(f, "{broken}"),
            EditFault::Block { line, text, fault } => {
                write!(f, "Python would not accept the file: line {line}: `{text}` ")?;
                f.write_str(match fault {
                    BlockFault::Empty => "would have an empty block",
                    BlockFault::Column => "would be at another column than its block",
                    BlockFault::Shallow => "would not be indented more than what it belongs to",
                })
            }
            EditFault::Lost { name, line, fate } => {
                write!(f, "'{name}' (line {line}) would ")?;
                match fate {
                    DeclarationChange::Gone => f.write_str("no longer be declared"),
                    DeclarationChange::Renamed(other) => write!(f, "become '{other}'"),
                    DeclarationChange::Changed => f.write_str("no longer hold the same text"),
                }
            }
            EditFault::CoDeclared { name, line, lost } => write!(
                f,
                "'{name}' is bound together with '{}' by one statement (line {line}), which the body replaces as a whole; \
                 declare {} in the body, too, or edit that line",
                lost.join("', '"),
                if lost.len() == 1 { "it" } else { "them" }
            ),
            EditFault::DeclaredAgain { name, line } => write!(
                f,
                "'{name}' is declared there already (line {line}); replace that declaration, or give the new one another name"
            ),
            EditFault::Declarations { signature, line, held } => {
                write!(
                    f,
                    "the body must be the whole symbol, as it is now (line {line}: `{signature}`), and "
                )?;
                match held.as_slice() {
                    [] => f.write_str("it declares nothing"),
                    [one] => write!(f, "it declares the {one}"),
                    many => write!(f, "it declares {}: {}", many.len(), many.join(", ")),
                }
            }
        }
    }
}
