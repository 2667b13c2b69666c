//! Computes the edits of a text: from texts and outlines to [`TextEdits`](symd_base::TextEdits). Reads and
//! writes no files, and knows no language servers. Invariant: whatever an edit does not mean to change stays
//! as it is, byte for byte; new text gets the line endings of the place where it is put.

mod blank_lines;
mod block;
mod breaks_syntax;
mod co_declared;
mod declared_again;
mod diff_stat;
mod endings;
mod fault;
mod guard;
mod indent_level;
mod intended_column;
mod lines;
mod new_name;
mod normalised;
pub mod patch;
mod place_body;
#[cfg(test)]
mod place_body_tests;
#[allow(clippy::unwrap_used, reason = "it is for tests")]
pub mod properties;
mod reindent;
mod replace_content;
mod symbol;
mod symbol_body;
mod symbol_delete;
#[cfg(test)]
mod symbol_tests;
mod within_line;

pub use breaks_syntax::BrokenAt;
pub use diff_stat::changed_lines;
pub use endings::{Ending, Endings};
pub use fault::{DeclarationChange, EditFault};
pub use guard::Guard;
pub use intended_column::Placement;
pub use lines::{LineError, delete_lines, insert_at_line, replace_lines};
pub use new_name::{NewNameError, check_new_name};
pub use place_body::{PlacedBody, PlacementOptions, check_edits, place_body};
pub use reindent::Indentation;
pub use replace_content::{ExpectedCount, ReplaceError, ReplaceMode, Replacement, replace_content};
pub use symbol::{EditTarget, SymbolEditError};
pub use symbol_delete::delete_symbol;
