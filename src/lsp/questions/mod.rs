//! What a session can be asked, one file a request of LSP's. Each sends one question (hierarchies: two), converts the
//! answer and checks nothing of it against a text: that is its asker's.

mod calls;
mod code_actions;
mod diagnostics;
mod document_symbols;
mod goto;
mod hover;
mod references;
mod signatures;
mod types;
