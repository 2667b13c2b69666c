//! Child language servers over pipes of our own: started on demand, one per server and project, shared by all
//! clients, watched over, restarted, ended with everything they started. All conversion between LSP's types and ours
//! is here: no other module names LSP's JSON. Invariant: every question has a deadline, and a server's death,
//! silence or nonsense fails only its own questions, with a text that says what to do.

mod answers;
mod at;
mod budget;
mod capabilities;
mod changes;
mod collected;
mod connection;
mod convert;
mod documents;
mod edit_convert;
mod edit_shapes;
mod ending;
mod environment;
mod fact;
mod failures;
mod feature;
mod files;
mod fleet;
mod flights;
mod handshake;
mod life;
mod message;
mod nested;
mod no_answer;
mod overview;
mod phase;
mod place;
mod plan;
mod process;
mod published;
mod questions;
mod readiness;
mod server;
mod servers;
mod session;
mod shapes;
mod span;
mod status;
mod stderr;
pub mod supervise;
#[cfg(test)]
mod tests;
mod uri;
mod wire;
mod workspace_edit;

pub use at::{At, Goto, Waiting};
pub use no_answer::NoAnswer;
pub use servers::{Servers, ServersOptions};
pub use span::{
    CallSite, CodeAction, ColumnEncoding, Covers, Diagnoses, Diagnostic, Direction, FileRef, Item,
    OutsideMembers, Said, ServerPosition, Severity, Span, Subject,
};
pub use status::{ServerState, ServerStatus};
pub use symd_vfs::Change;
pub use workspace_edit::{
    EditStep, Existing, Formatting, Indent, Missing, Renaming, SpanEdit, WorkspaceEdit,
};
