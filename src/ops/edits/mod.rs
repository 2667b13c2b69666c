//! What edits do to texts: from texts and outlines to [`TextEdits`](crate::base::TextEdits). Pure, [`apply`] apart, which
//! and [`perform`] apart, which make them: no file is read or written here, and nothing is known of servers. Invariant: what an edit does not mean to change stays as it is, byte
//! for byte; new text takes the line endings of the place where it is put.

mod apply;
mod breaks_syntax;
mod coming;
mod counts;
mod effects;
mod endings;
mod keywords;
mod lines;
mod make;
mod make_new;
mod new_name;
mod normalised;
pub mod patch;
mod perform;
mod reindent;
mod replace_content;
mod replace_first;
mod request;
mod symbol;
mod symbol_body;
mod symbol_delete;
#[cfg(test)]
mod symbol_tests;

pub(in crate::ops) use apply::apply_aside;
pub use apply::{
    ApplyError, apply, history, preview, preview_redo, preview_resolve, preview_undo, redo, resolve, undo,
};
pub use breaks_syntax::{BrokenAt, breaks_syntax};
pub use effects::{Caused, Report, Unknown};
pub(in crate::ops) use effects::{before, caused};
pub use endings::{Ending, Endings};
pub use lines::{LineError, delete_lines, insert_at_line, replace_lines};
pub use make::{Made, MakeError, NewText, Written, make};
pub use make_new::{MadeDirectory, create_directory, create_file};
pub use new_name::{NewNameError, check_new_name, collisions};
pub use perform::{Done, PerformError, Would, dry_run, perform};
pub use reindent::Indentation;
pub use replace_content::{HowMany, ReplaceError, ReplaceMode, Replaced, replace_content};
pub use replace_first::{ReplacedFirst, replace_first};
pub use request::{
    Base, Breaking, Given, Ignored, LastRead, Named, Request, Stale, SymbolAct, TextAct, What,
};
pub use symbol::{SymbolEditError, Target};
pub use symbol_body::{insert_after_symbol, insert_before_symbol, replace_symbol_body};
pub use symbol_delete::delete_symbol;
