//! Applies edits: [`symd_rewrite`] turns a request into a plan, which is applied as one undo entry, and its
//! effects are reported. [`retry`] plans an edit again if a file has changed meanwhile.

mod apply;
mod at_once;
mod delete;
mod effects;
mod make_new;
mod multi_file;
mod perform;
mod planned_edit;
mod planning;
mod preparsing;
mod proposed_text;
mod replace_first;
mod request;
mod retry;
mod users;

pub(crate) use apply::apply_aside;
pub use apply::{
    ApplyError, apply, finish, history, preview, preview_finish, preview_redo, preview_resolve, preview_undo,
    redo, resolve, undo,
};
pub use delete::{Deletable, check_deletable, delete_unused};
pub use effects::{DiagnosticsReport, EditEffects, EffectsUnknown, NewName};
pub use make_new::{MadeDirectory, create_directory, create_file};
pub use multi_file::{AppliedEdit, MultiFileEdit, check_base};
pub use perform::{DryRun, EditResult, PerformError, dry_run, perform};
pub use planned_edit::{NewText, PlannedEdit, PlanningError, Written};
pub use planning::plan_edit;
pub use replace_first::{ReplacedFirst, replace_first};
pub use request::{
    Breaking, EditAction, ExpectForm, ExpectationSource, ExpectedRevisions, IgnoredEdits, LastRead,
    NamedRevisions, Request, RevisionConflict, SymbolAction, TextAction,
};
pub(crate) use retry::retry_on_conflict;
pub use retry::{AttemptError, MultiFileOptions, RetryPolicy, plan_and_apply};
pub use users::NameUsers;
