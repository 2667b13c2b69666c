//! Editors. `proxy` is the language server that an editor starts, `symd lsp`: it keeps the text of every open
//! document and maps documents to the daemons of their projects. `session` is a daemon's side of one such
//! connection, and `wire` what the two tell each other. Invariant: only this crate knows the JSON of editors.

pub mod editor_requests;
pub mod navigation;
pub mod position;
pub mod proxy;
pub mod session;
mod shown;
pub mod wire;
