//! A project with two languages, each with fake servers that play scripts, driven through the library.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, PidfdFlags};
use serde_json::{Value, json};
use symd::base::{ContentHash, RelPath};
use symd::config::{LanguageId, Languages, LayerText, Trust};
use symd::lsp::{
    DocumentPosition, ServerAnswer, ServerError, ServerState, ServerStatus, Servers, ServersOptions, Span,
    WaitPolicy,
};
use symd::vfs::Root;

use crate::support::{PATIENCE, User, write};

/// The text of `a.py` and `a.rs`.
pub const TEXT: &str = "def f():\n    f()\n";

/// Returns the path of fake-ls, which cargo builds beside the tests.
pub fn fake_ls() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_symd")).parent().unwrap().join("examples/fake-ls")
}

/// Makes a server that plays `script` the user's Python server.
pub fn install_fake(user: &User, script: &Value) {
    let bin = user.path("data/servers/fake/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(fake_ls(), bin.join("fake")).unwrap();
    let file = user.path("fake.json");
    write(&file, &script.to_string());
    let toml = format!(
        "[language-server.fake]\ncommand = \"fake\"\nargs = [{file:?}]\nreadiness = {{ start-grace-ms = 0 }}\n\
         [[language]]\nname = \"python\"\nlanguage-servers = [\"fake\"]\n"
    );
    write(&user.path("config/languages.toml"), &toml);
}

pub fn symd() -> PathBuf {
    env!("CARGO_BIN_EXE_symd").into()
}

/// A server of a stage.
pub struct Play {
    name: &'static str,
    language: &'static str,
    toml: String,
    script: Value,
}

impl Play {
    /// Creates a server of `python` that plays `script`.
    pub fn new(name: &'static str, script: Value) -> Play {
        Play { name, language: "python", toml: "readiness = { start-grace-ms = 0 }\n".to_owned(), script }
    }

    pub fn of(mut self, language: &'static str) -> Play {
        self.language = language;
        self
    }

    /// Replaces the server's keys in languages.toml.
    pub fn with(mut self, toml: &str) -> Play {
        self.toml = toml.to_owned();
        self
    }
}

/// Returns the script of a server that answers every request of the tests.
pub fn honest() -> Value {
    json!({
        "capabilities": { "referencesProvider": true, "hoverProvider": true },
        "on": {
            "textDocument/references": [{ "answer": one_reference() }],
            "textDocument/hover": [{ "answer": { "contents": "a word" } }],
        },
    })
}

/// Returns the script of an honest server that behaves differently for one method.
pub fn honest_but(method: &str, steps: Value) -> Value {
    let mut script = honest();
    script["on"][method] = steps;
    script
}

pub fn one_reference() -> Value {
    let range = json!({ "start": { "line": 1, "character": 4 }, "end": { "line": 1, "character": 5 } });
    json!([{ "uri": "{uri}", "range": range }])
}

pub struct Stage {
    pub scratch: tempfile::TempDir,
    pub languages: Arc<Languages>,
    pub servers: Servers,
}

impl Stage {
    pub fn new(plays: impl FnOnce(&Path) -> Vec<Play>) -> Stage {
        Stage::with_options(plays, |_| {})
    }

    /// Calls `plays` with the path of the scratch directory, and `change` with the options.
    pub fn with_options(
        plays: impl FnOnce(&Path) -> Vec<Play>,
        change: impl FnOnce(&mut ServersOptions),
    ) -> Stage {
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().canonicalize().unwrap();
        for directory in ["project", "installed", "state"] {
            std::fs::create_dir(at.join(directory)).unwrap();
        }
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(at.join("state"), private).unwrap();
        write(&at.join("project/a.py"), TEXT);
        write(&at.join("project/a.rs"), TEXT);
        let mut tables = String::new();
        let mut used = std::collections::BTreeMap::from([("python", Vec::new()), ("rust", Vec::new())]);
        for Play { name, language, toml, mut script } in plays(&at) {
            let log = at.join(format!("{name}.log"));
            script["log"] = log.to_str().unwrap().into();
            write(&at.join(format!("{name}.json")), &script.to_string());
            let bin = at.join("installed").join(name).join("bin");
            std::fs::create_dir_all(&bin).unwrap();
            std::os::unix::fs::symlink(fake_ls(), bin.join(name)).unwrap();
            let script = at.join(format!("{name}.json"));
            tables.push_str(&format!(
                "[language-server.{name}]\ncommand = {name:?}\nargs = [{script:?}]\n{toml}\n"
            ));
            used.get_mut(language).unwrap().push(name);
        }
        for (language, servers) in used {
            let ending = if language == "python" { "py" } else { "rs" };
            tables.push_str(&format!(
                "[[language]]\nname = {language:?}\nfile-types = [{ending:?}]\nlanguage-servers = {servers:?}\n"
            ));
        }
        let layer = LayerText { file: "test", text: &tables };
        let languages = Languages::load(Some(layer), None, &Trust::Never).unwrap().languages;
        let mut options = ServersOptions {
            files: Arc::new(Root::open(&at.join("project")).unwrap()),
            languages: Arc::clone(&languages),
            trusted: true,
            supervisor: symd(),
            installed: at.join("installed"),
            search_path: OsString::from("/usr/bin:/bin"),
            state_directory: at.join("state"),
            idle_stop: None,
            answer_patience: Duration::from_secs(2),
            memory_limit: None,
            memory_limit_of_all: None,
        };
        change(&mut options);
        Stage { scratch, languages, servers: Servers::new(options) }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join(name)
    }

    pub fn language(&self, name: &str) -> LanguageId {
        self.languages.by_name(name).unwrap()
    }

    /// Requests references, and waits as long as a test can.
    pub async fn references(&self, language: &str) -> Result<ServerAnswer<Vec<Span>>, ServerError> {
        let waiting = WaitPolicy::Until(tokio::time::Instant::now() + PATIENCE);
        self.servers.references(self.language(language), &place(language), waiting).await
    }

    pub async fn references_now(&self, language: &str) -> Result<ServerAnswer<Vec<Span>>, ServerError> {
        self.servers.references(self.language(language), &place(language), WaitPolicy::DontWait).await
    }

    pub async fn hover(&self, language: &str) -> Result<ServerAnswer<Option<String>>, ServerError> {
        let waiting = WaitPolicy::Until(tokio::time::Instant::now() + PATIENCE);
        self.servers.hover(self.language(language), &place(language), waiting).await
    }

    /// Returns the error of a request that must fail.
    #[track_caller]
    pub fn error<T: std::fmt::Debug>(answer: Result<T, ServerError>) -> String {
        answer.unwrap_err().to_string()
    }

    #[track_caller]
    pub fn status(&self, server: &str) -> ServerStatus {
        self.servers.status().into_iter().find(|status| status.name == server).unwrap()
    }

    #[track_caller]
    pub fn state(&self, server: &str) -> ServerState {
        self.status(server).state
    }

    /// Returns what a server has received so far.
    pub fn received(&self, server: &str) -> Vec<Value> {
        let log = std::fs::read_to_string(self.path(&format!("{server}.log"))).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns how often a server received that method.
    pub fn times(&self, server: &str, method: &str) -> usize {
        self.received(server).iter().filter(|message| message["method"] == method).count()
    }

    /// Returns the process id of a server's latest process, not of its supervisor.
    pub fn pid(&self, server: &str) -> i32 {
        let started = self.received(server);
        let mut pids = started.iter().filter_map(|message| message["started"].as_i64());
        i32::try_from(pids.next_back().unwrap()).unwrap()
    }
}

pub fn place(language: &str) -> DocumentPosition {
    let path = if language == "python" { "a.py" } else { "a.rs" };
    DocumentPosition {
        path: RelPath::new(path).unwrap(),
        offset: 4,
        hash: ContentHash::of(TEXT.as_bytes()),
        revision: 1,
    }
}

pub fn fifo(path: &Path) -> String {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Waits for text to be written to a FIFO, and returns it.
pub async fn heard(fifo: &str) -> String {
    let path = fifo.to_owned();
    let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path).unwrap());
    tokio::time::timeout(PATIENCE, read).await.expect("told in time").unwrap()
}

/// Lets every process continue that waits for a FIFO.
pub async fn let_on(fifo: &str) {
    let path = fifo.to_owned();
    let open = tokio::task::spawn_blocking(move || {
        drop(std::fs::OpenOptions::new().write(true).open(path).unwrap())
    });
    tokio::time::timeout(PATIENCE, open).await.expect("a reader is waiting").unwrap();
}

/// A process whose exit can be watched, even if its id is reused.
pub struct Watched(pub i32, OwnedFd);

impl Watched {
    pub fn new(pid: i32) -> Watched {
        Watched(pid, rustix::process::pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()).unwrap())
    }

    /// Waits for the process to exit.
    #[track_caller]
    pub fn assert_ends(&self) {
        assert!(self.ends_within(PATIENCE), "process {} still runs", self.0);
    }

    /// Asserts that the process has exited.
    #[track_caller]
    pub fn assert_ended(&self) {
        assert!(self.ends_within(Duration::ZERO), "process {} still runs", self.0);
    }

    pub fn kill(&self) {
        rustix::process::pidfd_send_signal(&self.1, rustix::process::Signal::KILL).unwrap();
    }

    fn ends_within(&self, time: Duration) -> bool {
        let mut ends = [PollFd::new(&self.1, PollFlags::IN)];
        let time = rustix::event::Timespec::try_from(time).unwrap();
        rustix::event::poll(&mut ends, Some(&time)).unwrap() == 1
    }
}

/// Polls a future once; returns whether it is pending.
pub async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    tokio::select! {
        biased;
        _ = future => false,
        () = std::future::ready(()) => true,
    }
}
