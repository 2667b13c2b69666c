//! A project whose server plays a script, is a real one, or does not exist, for tests of edits computed by
//! servers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use symd::base::Cancel;
use symd::edit::{Originator, UndoTarget};
use symd::ops::Project;
use symd::toolsets::{Call, Client, Outcome, Reply, Toolset, native, serena};

use crate::lsp_stage::fake_ls;
use crate::opened::Opening;
use crate::support::write;

/// The servers of the project's languages.
pub enum Answers {
    /// fake-ls with this script, for Python, and further keys of its table; further tables may follow them.
    Fake(Value, &'static str),
    /// The servers in this directory.
    Real(PathBuf),
    /// Only this one of the servers in the directory, for Python.
    ForPython(PathBuf, &'static str),
    NoServer,
}

pub struct Stage {
    scratch: tempfile::TempDir,
    pub project: Project,
    client: Arc<Client>,
}

impl Stage {
    /// Must be called within a runtime.
    pub fn new(files: &[(&str, &[u8])], answers: Answers) -> Stage {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().canonicalize().unwrap();
        for directory in ["project", "installed/fake/bin"] {
            std::fs::create_dir_all(path.join(directory)).unwrap();
        }
        for (name, bytes) in files {
            let file = path.join("project").join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
        let (installed, toml) = match answers {
            Answers::Fake(script, keys) => (path.join("installed"), fake(&path, script, keys)),
            Answers::Real(servers) => (servers, String::new()),
            Answers::ForPython(servers, only) => {
                let toml = format!("[[language]]\nname = \"python\"\nlanguage-servers = [\"{only}\"]\n");
                (servers, toml)
            }
            Answers::NoServer => {
                // The machine may have some on its PATH.
                let without = |name| format!("[[language]]\nname = \"{name}\"\nlanguage-servers = []\n");
                (path.join("installed"), ["c", "cpp", "go", "rust"].map(without).concat())
            }
        };
        let project = Opening { installed, ..Opening::new(&path, &toml) }.open(&path);
        Stage { scratch, project, client: Arc::new(Client::with_name("test")) }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join("project").join(name)
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// Returns every file of the project.
    pub fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn add(directory: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    add(&path, all);
                } else {
                    all.insert(path.clone(), std::fs::read(&path).unwrap());
                }
            }
        }
        let mut all = BTreeMap::new();
        add(&self.path(""), &mut all);
        all
    }

    pub async fn reply(&self, tool: &str, arguments: Value) -> Reply {
        let tool = native::NATIVE.tools.iter().find(|known| known.name == tool).unwrap();
        tool.run(self.call(&native::NATIVE, tool.name, arguments)).await
    }

    pub async fn serena(&self, tool: &str, arguments: Value) -> Reply {
        let tool = serena::SERENA.tools.iter().find(|known| known.name == tool).unwrap();
        tool.run(self.call(&serena::SERENA, tool.name, arguments)).await
    }

    fn call(&self, toolset: &'static Toolset, tool: &'static str, arguments: Value) -> Call<'_> {
        let arguments = arguments.as_object().unwrap().clone();
        Call {
            project: &self.project,
            toolset,
            tool,
            arguments,
            client: self.client.clone(),
            outgoing: None,
            approved: symd::toolsets::ApprovalSource::ByPolicy,
            cancel: Cancel::new(),
        }
    }

    pub async fn done(&self, tool: &str, arguments: Value) -> String {
        let reply = self.reply(tool, arguments).await;
        assert_eq!(reply.outcome, Outcome::Done, "{}", reply.text);
        reply.text
    }

    /// Asserts that the tool rejects the call and leaves the tree as it was; returns the message.
    pub async fn refused(&self, tool: &str, arguments: Value) -> String {
        let before = self.tree();
        let reply = self.reply(tool, arguments).await;
        assert_ne!(reply.outcome, Outcome::Done, "{}", reply.text);
        assert!(self.tree() == before, "it wrote something: {}", reply.text);
        reply.text
    }

    pub async fn undo(&self) {
        let editor = Arc::clone(&self.project.editor);
        let undo = move || editor.undo(UndoTarget::Last, Originator::default());
        tokio::task::spawn_blocking(undo).await.unwrap().unwrap();
    }

    /// Returns what the fake server has received.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("").parent().unwrap().join("log")).unwrap()
    }

    pub async fn end(self) {
        self.project.servers.shutdown().await;
        self.project.engine.shutdown().await;
    }
}

fn fake(path: &Path, mut script: Value, keys: &str) -> String {
    // Report readiness at once: a server that does not report it may be indexing for long.
    let quiet = json!({ "health": "ok", "quiescent": true });
    script["on"]["initialized"] =
        json!([{ "notify": { "method": "experimental/serverStatus", "params": quiet } }]);
    script["log"] = path.join("log").to_str().unwrap().into();
    write(&path.join("script.json"), &script.to_string());
    std::os::unix::fs::symlink(fake_ls(), path.join("installed/fake/bin/fake")).unwrap();
    format!(
        "[language-server.fake]\ncommand = \"fake\"\nargs = [{:?}]\n\
         readiness = {{ start-grace-ms = 0, server-status = true }}\n{keys}\n\
         [[language]]\nname = \"python\"\nfile-types = [\"py\"]\nlanguage-servers = [\"fake\"]\ngrammar = \"python\"\n",
        path.join("script.json")
    )
}

/// Runs `test` on a stage.
pub fn play(files: &[(&str, &[u8])], answers: Answers, test: impl AsyncFnOnce(&Stage)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let stage = Stage::new(files, answers);
        test(&stage).await;
        stage.end().await;
    });
}
