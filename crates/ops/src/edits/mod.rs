//! Applies edits: [`symd_rewrite`] turns a request into a plan, which is applied as one undo entry, and its
//! effects are reported. [`apply_multi_file`] applies an edit of many files completely or not at all; [`Attempts`]
//! repeat it if a file has changed meanwhile.

mod apply;
mod effects;
mod make_new;
mod multi_file;
mod perform;
mod planning;
mod preparsing;
mod proposed_text;
mod replace_first;
mod request;
mod users;

pub(crate) use apply::apply_aside;
pub use apply::{
    ApplyError, apply, history, preview, preview_redo, preview_resolve, preview_undo, redo, resolve, undo,
};
pub use effects::{DiagnosticsReport, EditEffects, EffectsUnknown, NewName};
pub use make_new::{MadeDirectory, create_directory, create_file};
pub use multi_file::{AppliedEdit, Attempts, MultiFileEdit, RetryPolicy, apply_multi_file, check_base};
pub use perform::{DryRun, EditResult, PerformError, dry_run, perform, perform_while};
pub use planning::{NewText, PlannedEdit, PlanningError, Written, plan_edit};
pub use replace_first::{ReplacedFirst, replace_first};
pub use request::{
    Breaking, EditAction, ExpectForm, ExpectationSource, ExpectedRevisions, IgnoredEdits, LastRead,
    NamedRevisions, Request, RevisionConflict, SymbolAction, TextAction,
};
pub use users::NameUsers;
