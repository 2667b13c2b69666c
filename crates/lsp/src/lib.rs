//! Child language servers over pipes: started on demand, one per server and project, shared by all clients,
//! supervised, restarted, and stopped with every process that they started. All conversion between LSP's
//! types and symd's is here: no other crate knows LSP's JSON. Invariant: every request has a deadline; a
//! server that dies, hangs or sends invalid data fails only its own requests, with an error that says what to
//! do next.

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
mod starved;
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
