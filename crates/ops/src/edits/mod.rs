//! What edits do to texts: from texts and outlines to [`TextEdits`](symd_base::TextEdits). Pure, but for [`apply`],
//! [`perform`] and [`carry_out`], which make them, and `effects`, which asks what they caused: nothing else here reads or
//! writes a file or knows of servers. Invariant: what an edit does not mean to change stays as it is, byte for byte; new
//! text takes the line endings of the place where it is put.

mod apply;
mod block;
mod breaks_syntax;
mod coming;
mod counts;
mod effects;
mod endings;
mod fault;
mod foretelling;
mod guard;
mod indent_level;
mod joint;
mod keywords;
mod lines;
mod make;
mod make_new;
mod new_name;
mod normalised;
pub mod patch;
mod perform;
mod place_body;
#[cfg(test)]
mod place_body_tests;
mod reindent;
mod replace_content;
mod replace_first;
mod request;
mod symbol;
mod symbol_body;
mod symbol_delete;
#[cfg(test)]
mod symbol_tests;
mod users;
mod whole;
mod within_line;
mod written_for;

pub(crate) use apply::apply_aside;
pub use apply::{
    ApplyError, apply, history, preview, preview_redo, preview_resolve, preview_undo, redo, resolve, undo,
};
pub use breaks_syntax::BrokenAt;
pub use effects::{Caused, NewName, Report, Unknown};
pub use endings::{Ending, Endings};
pub use fault::{EditFault, Fate};
pub use guard::Guard;
pub use lines::{LineError, delete_lines, insert_at_line, replace_lines};
pub use make::{Made, MakeError, NewText, Written, make};
pub use make_new::{MadeDirectory, create_directory, create_file};
pub use new_name::{NewNameError, check_new_name};
pub use perform::{Done, PerformError, Would, dry_run, perform, perform_while};
pub use place_body::{BodyManner, PlacedBody, check_edits, place_body};
pub use reindent::Indentation;
pub use replace_content::{HowMany, ReplaceError, ReplaceMode, Replaced, replace_content};
pub use replace_first::{ReplacedFirst, replace_first};
pub use request::{
    Base, Breaking, Form, Given, Ignored, LastRead, Named, Request, Stale, SymbolAct, TextAct, What,
};
pub use symbol::{SymbolEditError, Target};
pub use symbol_delete::delete_symbol;
pub use users::Users;
pub use whole::{Again, Attempts, Carried, WholeEdit, carry_out, check_base};
pub use written_for::Placing;
