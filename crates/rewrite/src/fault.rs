//! Why a text that an edit of a symbol would make is not to be written. Lines are 1-based.

use std::fmt;

use super::breaks_syntax::BrokenAt;
use symd_base::text::line_starts;
use symd_syntax::{BlockFault, Misplaced};

/// Longest line shown, in characters.
const LINE_CHARS: usize = 120;

/// What is wrong with a text to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditFault {
    /// It would not parse, and did before.
    Broken(BrokenAt),
    /// A block of it would be empty, or a statement would stand at a wrong column.
    Block {
        /// The line in the text to come.
        line: usize,
        /// What stands on it.
        text: String,
        /// What is wrong there.
        fault: BlockFault,
    },
    /// A declaration beside the symbol would no longer be what it is.
    Lost {
        /// Its name path.
        name: String,
        /// Its line in the present text.
        line: usize,
        /// What the declaration would become.
        fate: Fate,
    },
    /// The symbol's statement declares others, too, which would be gone with it.
    Joint {
        /// The symbol's name path.
        name: String,
        /// The statement's line in the present text.
        line: usize,
        /// The others' name paths; never none.
        lost: Vec<String>,
    },
    /// The body is not the one declaration that the symbol is.
    Declarations {
        /// What the symbol is declared as.
        signature: String,
        /// The line of that.
        line: usize,
        /// What the body holds at its outermost level: kinds and names.
        held: Vec<String>,
    },
}

/// What would become of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It would be gone.
    Gone,
    /// It would have another name path.
    Called(String),
    /// It would hold other text than now.
    Changed,
}

impl EditFault {
    /// A statement of `after` at a wrong column.
    pub(super) fn block(after: &str, misplaced: Misplaced) -> EditFault {
        let (line, text) = line_at(after, misplaced.at);
        EditFault::Block { line, text, fault: misplaced.fault }
    }
}

/// The 1-based line of byte `at`, and what stands on it.
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
                    BlockFault::Column => "would stand at another column than its block",
                    BlockFault::Shallow => "would not be indented more than what it belongs to",
                })
            }
            EditFault::Lost { name, line, fate } => {
                write!(f, "'{name}' (line {line}) would ")?;
                match fate {
                    Fate::Gone => f.write_str("no longer be declared"),
                    Fate::Called(other) => write!(f, "become '{other}'"),
                    Fate::Changed => f.write_str("no longer hold the same text"),
                }
            }
            EditFault::Joint { name, line, lost } => write!(
                f,
                "'{name}' is bound together with '{}' by one statement (line {line}), which the body replaces as a whole; \
                 declare {} in the body, too, or edit that line",
                lost.join("', '"),
                if lost.len() == 1 { "it" } else { "them" }
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
