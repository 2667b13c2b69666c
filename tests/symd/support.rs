//! A scratch user with a project of their own, and connections to their daemon.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use symd::base::state::StateDirs;
use symd::serve::DaemonPaths;
use symd::shell::{BackgroundPolicy, Shells};
use symd::vfs::Root;

/// Longer than anything here takes, and short enough for people who run the tests.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub const MODERN: &str = "2026-07-28";

/// A user's directories and one project. Its daemon is stopped when this is dropped.
pub struct User {
    scratch: tempfile::TempDir,
}

impl User {
    pub fn new() -> User {
        let user = User { scratch: tempfile::tempdir().unwrap() };
        for directory in ["config", "home", "project/.symd", "elsewhere"] {
            std::fs::create_dir_all(user.path(directory)).unwrap();
        }
        user
    }

    /// Creates a user with this `config.toml`.
    pub fn with_config(text: &str) -> User {
        let user = User::new();
        write(&user.path("config/config.toml"), text);
        user
    }

    /// Writes the user's approvals, to a file that only the user may read.
    pub fn settles(&self, approvals: &str) {
        let file = self.path("config/approvals.toml");
        write(&file, approvals);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join(name)
    }

    /// Returns the paths of the files of the project's daemon.
    pub fn place(&self) -> DaemonPaths {
        let dirs = StateDirs::within(&self.path(""));
        DaemonPaths::new(&dirs, &self.path("project"))
    }

    pub fn symd(&self) -> Command {
        self.dressed(Command::new(env!("CARGO_BIN_EXE_symd")))
    }

    /// Sets this user's environment for a command.
    pub fn dressed(&self, mut command: Command) -> Command {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("SYMD_HOME", self.path(""))
            // Ignored when `SYMD_HOME` is set.
            .env("XDG_STATE_HOME", self.path("home/state"))
            .current_dir(self.path("project"))
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.symd().args(arguments).output().unwrap()
    }

    /// Runs symd, and checks the exit code; returns stdout.
    #[track_caller]
    pub fn check(&self, arguments: &[&str], exit: i32) -> String {
        let output = self.run(arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\nstdout: {text}\nstderr: {talk}");
        text
    }

    /// Runs symd, which must fail; returns stderr.
    #[track_caller]
    pub fn fails(&self, arguments: &[&str], exit: i32) -> String {
        let output = self.run(arguments);
        let talk = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {talk}");
        talk
    }

    pub fn socket(&self) -> PathBuf {
        PathBuf::from(self.check(&["socket"], 0).trim_end())
    }

    pub fn status(&self) -> Value {
        serde_json::from_str(&self.check(&["status", "--json"], 0)).unwrap()
    }

    /// Copies the program, so that other users may run it, too: the directory in which the tests were built
    /// may not be accessible to them. Another process makes the copy: a child that another thread starts
    /// meanwhile would hold our file open for writing, and the system does not run such a file.
    pub fn copy_of_symd(&self, name: &str) -> PathBuf {
        copy_of(Path::new(env!("CARGO_BIN_EXE_symd")), self.path(name))
    }

    /// Returns find_symbol's answer for `name`, from a daemon that is started if necessary.
    #[track_caller]
    pub fn find(&self, name: &str) -> String {
        let arguments = json!({ "name_path_pattern": name }).to_string();
        self.check(&["call", "find_symbol", &arguments], 0)
    }

    pub fn pid(&self) -> u64 {
        self.status()["pid"].as_u64().unwrap()
    }

    /// Connects to the daemon, which is started if necessary.
    pub fn connect(&self) -> Wire {
        Wire::connect(&self.socket())
    }

    /// Runs `symd mcp` with these lines on stdin until it exits.
    pub fn mcp(&self, directory: &str, lines: &[Value]) -> Vec<Value> {
        self.mcp_with(directory, &[], lines)
    }

    /// As `mcp`, with these options.
    pub fn mcp_with(&self, directory: &str, options: &[&str], lines: &[Value]) -> Vec<Value> {
        let mut child = self
            .symd()
            .arg("mcp")
            .args(options)
            .current_dir(self.path(directory))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for line in lines {
            writeln!(stdin, "{line}").unwrap();
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Drop for User {
    fn drop(&mut self) {
        // Not in the project, which a test may have removed.
        let _ = self.symd().args(["stop", "--all"]).current_dir(self.path("")).output();
    }
}

/// Whether the first symbol of an answer begins at `place`, a path and a line.
pub fn stands_at(answer: &str, place: &str) -> bool {
    answer.strip_prefix(place).is_some_and(|rest| rest.starts_with([' ', '-']))
}

/// Copies a program, so that it can be run at once: see `User::copy_of_symd`.
pub fn copy_of(program: &Path, to: PathBuf) -> PathBuf {
    assert!(Command::new("cp").arg(program).arg(&to).status().unwrap().success());
    to
}

pub fn write(path: &Path, text: &str) {
    std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

/// A raw connection that sends and receives lines of JSON.
pub struct Wire {
    reader: BufReader<UnixStream>,
}

impl Wire {
    pub fn connect(socket: &Path) -> Wire {
        Wire::over(UnixStream::connect(socket).unwrap())
    }

    pub fn over(stream: UnixStream) -> Wire {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Wire { reader: BufReader::new(stream) }
    }

    pub fn stream(&self) -> &UnixStream {
        self.reader.get_ref()
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.reader.get_mut().write_all(bytes).unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    pub fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line).unwrap() {
            0 => None,
            _ => Some(serde_json::from_str(&line).unwrap()),
        }
    }

    /// Sends a message; returns `None` when the other end is closed.
    pub fn try_send(&mut self, message: &Value) -> Option<()> {
        self.reader.get_mut().write_all(format!("{message}\n").as_bytes()).ok()
    }

    /// Receives a message; returns `None` when the other end is closed.
    pub fn try_receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => serde_json::from_str(&line).ok(),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("no answer in time"),
            Err(_) => None,
        }
    }

    /// Returns a message that has been received already, if any; the stream must be non-blocking.
    pub fn try_receive_now(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|&bytes| bytes > 0)?;
        serde_json::from_str(&line).ok()
    }

    /// Sends a message and returns the next answer.
    pub fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.receive().unwrap()
    }

    /// Opens the connection as a client of 2025-11-25.
    pub fn initialize(&mut self) -> Value {
        let answer = self.ask(&initialize("2025-11-25"));
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }
}

pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

pub fn initialize(version: &str) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    request(0, "initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client }))
}

pub fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// Returns the request as a client of the era without `initialize` sends it.
pub fn modern(mut message: Value) -> Value {
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    message
}

#[track_caller]
pub fn assert_error(answer: &Value, id: Value, code: i64, says: &str) {
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains(says), "{message:?} does not say {says:?}");
}

/// Returns the context for running commands in a project that the test created.
pub fn shells(root: &Arc<Root>) -> Shells {
    let warden = env!("CARGO_BIN_EXE_symd").into();
    Shells { root: Arc::clone(root), warden, background: BackgroundPolicy::Reap }
}

/// Opens a terminal of 24 lines and 80 columns; returns the user's end, and the name of the other end.
pub fn terminal() -> (File, PathBuf) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = rustix::termios::Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    (File::from(master), name.into())
}

/// Opens the other end of a terminal.
pub fn open_terminal(name: &Path) -> OwnedFd {
    std::fs::OpenOptions::new().read(true).write(true).open(name).unwrap().into()
}

/// Returns parsers as in the daemon, without a persistent quarantine.
pub fn workers() -> symd::parse::Parsers {
    let program = env!("CARGO_BIN_EXE_symd").into();
    symd::parse::Parsers::in_workers(symd::parse::ParserOptions { program, quarantine: None, parses: None })
        .unwrap()
}
