//! Child language servers over pipes: started on demand, one per server and project, shared by all clients,
//! supervised, restarted, and stopped with every process that they started. All conversion between LSP's
//! types and symd's is here: no other crate knows LSP's JSON. Invariant: every request has a deadline; a
//! server that dies, hangs or sends invalid data fails only its own requests, with an error that says what to
//! do next.

mod at;
mod budget;
mod capabilities;
mod changes;
mod connection;
mod convert;
mod documents;
mod edit_collector;
mod edit_convert;
mod edit_shapes;
mod ending;
mod environment;
mod failures;
mod feature;
mod files;
mod handshake;
mod memory_of_all;
mod message_handler;
mod phase;
mod place;
mod plan;
mod process;
mod published_diagnostics;
mod questions;
mod readiness;
mod server;
mod server_error;
mod server_event;
mod server_pool;
mod server_root;
mod server_task;
mod servers;
mod session;
mod shapes;
mod shared_requests;
mod span;
mod starved;
mod status;
mod status_report;
mod stderr;
pub mod supervise;
#[cfg(test)]
mod tests;
pub mod uri;
mod workspace_edit;

pub use at::{DocumentPosition, Goto, WaitPolicy};
pub use place::of_offset as position_of;
pub use server_error::ServerError;
pub use servers::{Servers, ServersOptions};
pub use span::{
    CallSite, CodeAction, ColumnEncoding, Diagnostic, DiagnosticCoverage, DiagnosticList, DiagnosticSubject,
    Direction, FileRef, Item, OutsideMembers, ServerAnswer, ServerPosition, Severity, Span,
};
pub use status::{ServerState, ServerStatus};
pub use symd_vfs::Change;
pub use workspace_edit::{
    EditStep, Formatting, IfExists, IfMissing, Indent, RenameResult, SpanEdit, WorkspaceEdit,
};
