//! What a session can be asked, one file a request of LSP's. Each sends one question (hierarchies: two), converts the
//! answer and checks nothing of it against a text: that is its asker's.

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
