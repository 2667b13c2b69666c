//! The operations of symd, one file per capability: typed parameters in, typed results out, no JSON.

mod asked_definitions;
pub mod at_place;
pub mod buffers;
pub mod build_output;
pub mod code_actions;
pub mod code_context;
pub mod code_kind;
mod declared;
pub mod definition;
pub mod diagnostics;
pub mod docs_search;
pub mod editor_context;
pub mod edits;
pub mod entries;
pub mod explore;
pub mod find_symbol;
pub mod format;
mod generated_files;
pub mod hover;
pub mod impact;
pub mod implementations;
pub mod investigate;
pub mod memory;
pub mod memory_use;
mod naming;
pub mod newest;
pub mod outline;
pub mod overrides;
pub mod overview;
mod powershell;
pub mod question;
mod question_thread;
pub mod recent_changes;
pub mod references;
pub mod relations;
pub mod rename;
pub mod server_edit;
pub mod server_outlines;
pub mod solutions;
pub mod spot;
pub mod stack_trace;
pub mod stand_in_diagnostics;
pub mod symbol;
pub mod target;
mod terminal_text;
mod together;
mod unproven_servers;
pub mod unsearched;
pub mod user_error_context;
pub mod view_tree;

use std::sync::Arc;

use buffers::Buffers;
use editor_context::EditorContexts;
pub use question_thread::QuestionThread;
use symd_config::Languages;
use symd_docsearch::DocsSearch;
use symd_edit::{Editor, Recovered};
use symd_engine::{Engine, View};
use symd_git::{Git, GitError};
use symd_lsp::{ServerState, ServerStatus, Servers};

/// A project that is being served; every op works on it.
#[derive(Clone, Debug)]
pub struct Project {
    pub engine: Engine,
    pub servers: Servers,
    /// The languages of the project, shared with the engine.
    pub languages: Arc<Languages>,
    /// The editor: makes every change of the project's files and keeps their history. Blocks;
    /// [`edits::apply`] and similar functions call it.
    pub editor: Arc<Editor>,
    /// What was rolled back or finished when the project was opened, because a crash had interrupted it.
    pub recovered: Arc<Recovered>,
    /// State shared by commands in shells and on terminals.
    pub shells: symd_shell::Shells,
    /// Maximum number of characters of an answer where a contract leaves the limit to the configuration.
    pub max_answer_chars: usize,
    /// The documents that editors have open.
    pub buffers: Arc<Buffers>,
    /// What the user's editors show.
    pub editor_contexts: Arc<EditorContexts>,
    /// Searches documentation on the web.
    pub docs_search: DocsSearch,
    /// The user's past solutions, of all projects.
    pub solutions: solutions::Solutions,
    /// The view of a question of several steps; `None` outside one.
    pub view: Option<Arc<View>>,
    /// The thread of a question whose steps run on one ([`Project::on_one_thread`]).
    pub here: Option<Arc<QuestionThread>>,
}

impl Project {
    /// Returns the project's root, absolute, with links resolved.
    pub fn root(&self) -> &std::path::Path {
        self.editor.root()
    }

    /// Returns what was rolled back or finished when the project was opened, and the conflicts in editors that are open
    /// now. Reads the disk.
    pub fn recovered_now(&self) -> Recovered {
        // Without them, those that were open at the start are better than none.
        self.editor.with_open_conflicts(&self.recovered).unwrap_or_else(|_| Recovered::clone(&self.recovered))
    }

    /// Returns what was rolled back or finished when the project was opened, without what was resolved since. Reads the
    /// names in one directory.
    pub fn recovered_at_start(&self) -> Recovered {
        self.editor.without_resolved(&self.recovered).unwrap_or_else(|_| Recovered::clone(&self.recovered))
    }

    /// Finds the user's git, for reading the project's repository.
    pub fn git(&self) -> Result<Git, GitError> {
        Git::find(&self.shells.warden, &std::env::var_os("PATH").unwrap_or_default(), self.root())
    }

    /// Returns the status of the language servers that concern this project, by name: servers that were
    /// started, and servers for a language that the project has files of.
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

    /// Describes in a few words what a slow call is probably waiting for: servers that start or load, or else
    /// the index.
    pub fn doing(&self) -> String {
        let busy = self.servers.busy();
        let servers: Vec<String> = busy.iter().map(|(name, doing)| format!("{name}: {doing}")).collect();
        if !servers.is_empty() {
            return servers.join(", ");
        }
        let status = self.engine.status();
        let (files, unread) = (status.files, status.unread_files);
        let left = if unread > 0 { format!(", {unread} still to read") } else { String::new() };
        format!("{files} files, {} symbols indexed{left}", status.symbols)
    }
}
