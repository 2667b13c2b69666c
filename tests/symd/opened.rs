//! Opens a project in this process as the daemon does, with servers of the test's choice.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use symd::base::Cancel;
use symd::config::{Languages, LayerText, Trust};
use symd::edit::Editor;
use symd::engine::{Engine, EngineOptions, OnChange};
use symd::lsp::{Servers, ServersOptions};
use symd::ops::Project;
use symd::ops::buffers::{Buffers, EditorDeadlines};
use symd::toolsets::{ApprovalSource, Call, Outcome, native};
use symd::vfs::{Overlay, Root, UnsavedTexts};
use symd::watch::{BackendChoice, WatchOptions};

use crate::support::shells;

/// The options for opening a project, which trusts its servers.
pub struct Opening {
    /// The known languages and their servers.
    pub languages: Arc<Languages>,
    /// The directory of installed servers.
    pub installed: PathBuf,
    /// The directories of the system's programs.
    pub search_path: OsString,
    /// The directory of the index cache, if any.
    pub cache: Option<PathBuf>,
    /// How long editors are waited for.
    pub deadlines: EditorDeadlines,
}

impl Opening {
    /// Returns options with `toml` as the user's languages.toml, servers installed in `at/installed`, and no
    /// cache.
    pub fn new(at: &Path, toml: &str) -> Opening {
        let layer = LayerText { file: "test", text: toml };
        Opening {
            languages: Languages::load(Some(layer), None, &Trust::Never).unwrap().languages,
            installed: at.join("installed"),
            search_path: OsString::from("/usr/bin:/bin"),
            cache: None,
            deadlines: EditorDeadlines::default(),
        }
    }

    /// Opens `at/project`, with `at/state` and `at/run` as symd's own directories. Must be called within a
    /// runtime.
    pub fn open(self, at: &Path) -> Project {
        let Opening { languages, installed, search_path, cache, deadlines } = self;
        let (state, run, path) = (at.join("state"), at.join("run"), at.join("project"));
        for private in [&state, &run].into_iter().chain(&cache) {
            std::fs::create_dir_all(private).unwrap();
            std::fs::set_permissions(private, PermissionsExt::from_mode(0o700)).unwrap();
        }
        let root = Arc::new(Root::open(&path).unwrap());
        let unsaved = Arc::<UnsavedTexts>::default();
        let servers = Servers::new(ServersOptions {
            files: Arc::new(Overlay::new(root.clone(), Arc::clone(&unsaved))),
            languages: languages.clone(),
            trusted: true,
            supervisor: env!("CARGO_BIN_EXE_symd").into(),
            installed,
            search_path,
            state_directory: state.clone(),
            idle_stop: None,
            answer_patience: std::time::Duration::from_secs(10),
            memory_limit: None,
            memory_limit_of_all: None,
        });
        let told = servers.clone();
        let engine = Engine::start(EngineOptions {
            root: path,
            unsaved: Arc::clone(&unsaved),
            languages: languages.clone(),
            runtime_directory: run,
            cache_directory: cache,
            watch: WatchOptions { backend: BackendChoice::Auto, ..WatchOptions::default() },
            sweep_every: Duration::from_secs(600),
            parsers: crate::support::workers(),
            memory: symd::engine::MemoryOptions::default(),
            on_change: Some(OnChange(Arc::new(move |path, change| told.changed(path, change)))),
        })
        .unwrap();
        let shells = shells(&root);
        let (editor, recovered) = Editor::open(root.clone(), &state.join("edits")).unwrap();
        let editors = state.join("editors");
        let buffers = Buffers::new(engine.clone(), root, editor.unsaved_parts(), editors, deadlines);
        let editor = Arc::new(editor.with_unsaved(unsaved));
        let recovered = Arc::new(recovered);
        Project {
            engine,
            servers,
            languages,
            editor,
            recovered,
            shells,
            max_answer_chars: 150_000,
            buffers,
            editor_contexts: Arc::default(),
            docs_search: symd::docsearch::DocsSearch::new(
                &symd::config::settings::DocsSearchSettings::default(),
                &state,
            ),
            solutions: symd::ops::solutions::Solutions::new(
                &state,
                &symd::config::settings::Settings::default(),
            ),
            view: None,
            here: None,
        }
    }
}

/// Calls one of native's tools as the daemon does for a client; returns the outcome and the text of its answer.
pub async fn call_native(project: &Project, tool: &str, arguments: Value) -> (Outcome, String) {
    let tool = native::NATIVE.tools.iter().find(|known| known.name == tool).unwrap();
    let call = Call {
        project,
        toolset: &native::NATIVE,
        tool: tool.name,
        arguments: arguments.as_object().cloned().unwrap_or_else(Map::new),
        client: Arc::default(),
        outgoing: None,
        approved: ApprovalSource::ByPolicy,
        cancel: Cancel::new(),
    };
    let reply = tool.run(call).await;
    (reply.outcome, reply.text)
}
