//! Applies edits: [`symd_rewrite`] turns a request into a plan, which is applied as one undo entry, and its
//! effects are reported. [`carry_out`] applies an edit of many files completely or not at all; [`Attempts`]
//! repeat it if a file has changed meanwhile.

mod apply;
mod coming;
mod effects;
mod foretelling;
mod make;
mod make_new;
mod perform;
mod replace_first;
mod request;
mod users;
mod whole;

pub(crate) use apply::apply_aside;
pub use apply::{
    ApplyError, apply, history, preview, preview_redo, preview_resolve, preview_undo, redo, resolve, undo,
};
pub use effects::{Caused, NewName, Report, Unknown};
pub use make::{Made, MakeError, NewText, Written, make};
pub use make_new::{MadeDirectory, create_directory, create_file};
pub use perform::{Done, PerformError, Would, dry_run, perform, perform_while};
pub use replace_first::{ReplacedFirst, replace_first};
pub use request::{
    Base, Breaking, Form, Given, Ignored, LastRead, Named, Request, Stale, SymbolAct, TextAct, What,
};
pub use users::Users;
pub use whole::{Again, Attempts, Carried, WholeEdit, carry_out, check_base};
