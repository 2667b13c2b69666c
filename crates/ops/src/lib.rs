//! What symd can do, one file per capability: typed parameters in, typed results out, no JSON.

pub mod code_actions;
mod declared;
pub mod definition;
pub mod diagnostics;
pub mod edits;
pub mod entries;
pub mod explore;
pub mod find_symbol;
pub mod format;
pub mod hover;
pub mod impact;
pub mod implementations;
pub mod memory;
mod naming;
pub mod needed_words;
pub mod newest;
pub mod outline;
pub mod overrides;
pub mod overview;
pub mod part;
pub mod question;
pub mod references;
pub mod relations;
pub mod rename;
pub mod server_edit;
pub mod server_outlines;
pub mod spot;
pub mod symbol;
pub mod target;
mod together;
pub mod unread;
pub mod view_tree;

use std::sync::Arc;

use symd_config::Languages;
use symd_edit::{Editor, Recovered};
use symd_engine::Engine;
use symd_lsp::{ServerState, ServerStatus, Servers};

/// A project that is being served: what every op works on.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its engine.
    pub engine: Engine,
    /// Its language servers.
    pub servers: Servers,
    /// The languages it knows, as the engine has them too.
    pub languages: Arc<Languages>,
    /// Its editor: every change of the project's files, and their history. Blocks; [`edits::apply`] and its like use it.
    pub editor: Arc<Editor>,
    /// What was put back when the project was opened, because a crash had cut it short.
    pub recovered: Arc<Recovered>,
    /// What commands in shells and on terminals share.
    pub shells: symd_shell::Shells,
    /// The most characters of an answer where a contract leaves that to the configuration.
    pub max_answer_chars: usize,
}

impl Project {
    /// Its root, absolute, links resolved.
    pub fn root(&self) -> &std::path::Path {
        self.editor.root()
    }

    /// The language servers that concern this project: those that were started, and those that could be for a language
    /// that it has files of. By name.
    pub fn server_status(&self) -> Vec<ServerStatus> {
        let present = self.engine.status().languages;
        let mut all = self.servers.status();
        all.retain(|server| {
            server.state != ServerState::Idle
                || server.starts > 0
                || server.languages.iter().any(|language| present.contains_key(language))
        });
        all
    }

    /// What a call that takes long is likely waiting for, in a few words: servers that start or load, else the index.
    pub fn doing(&self) -> String {
        let busy = self.servers.busy();
        let servers: Vec<String> = busy.iter().map(|(name, doing)| format!("{name}: {doing}")).collect();
        if !servers.is_empty() {
            return servers.join(", ");
        }
        let status = self.engine.status();
        format!("{} files, {} symbols indexed", status.files, status.symbols)
    }
}
