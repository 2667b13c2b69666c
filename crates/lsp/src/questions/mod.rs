//! The requests that a session supports, one file per LSP feature. Each converts the response without
//! validating it against a text; the caller does that.

mod calls;
mod code_action_edit;
mod code_actions;
mod diagnostics;
mod document_symbols;
mod formatting;
mod goto;
mod hover;
mod outside_members;
mod references;
mod rename;
mod rename_files;
mod signatures;
mod types;
