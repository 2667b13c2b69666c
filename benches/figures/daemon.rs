//! The program under measurement: the real binary with directories of its own, and an MCP connection to it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// The directories of one daemon, which is stopped when this is dropped.
pub(crate) struct Daemon {
    tree: PathBuf,
    home: PathBuf,
}

impl Daemon {
    /// Does not start anything. `home` contains all of the daemon's files; a second daemon with the same one
    /// finds the cache.
    pub(crate) fn at(tree: &Path, home: &Path) -> Daemon {
        std::fs::create_dir_all(home).unwrap();
        Daemon { tree: tree.to_owned(), home: home.to_owned() }
    }

    /// Starts a daemon that runs every call without asking.
    pub(crate) fn that_asks_nobody(tree: &Path, home: &Path) -> Daemon {
        let daemon = Daemon::at(tree, home);
        let config = home.join("config");
        std::fs::create_dir_all(&config).unwrap();
        let policies =
            ["gemini_cli", "tool_router"].map(|toolset| format!("{toolset} = \"allow\"\n")).concat();
        // Whole answers are compared with whole outputs of other programs.
        std::fs::write(config.join("config.toml"), "max_answer_chars = 10000000\n").unwrap();
        let file = config.join("approvals.toml");
        std::fs::write(&file, format!("[policy]\n{policies}")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        daemon.run(&["start"]);
        daemon
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_symd"));
        command.arg("--project").arg(&self.tree).args(arguments).env_clear().stderr(Stdio::inherit());
        command.env("HOME", &self.home).env("PATH", std::env::var_os("PATH").unwrap());
        command.env("SYMD_HOME", &self.home);
        command
    }

    /// Runs a symd command, which must succeed; returns its output.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "symd {arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn status(&self) -> Value {
        serde_json::from_str(&self.run(&["status", "--json"])).unwrap()
    }

    /// Waits until every file is in the index, and parsed ahead of questions. A question by name does not wait for that, and the
    /// figures of a daemon at rest would be those of one that parses beside them.
    pub(crate) fn wait_until_indexed(&self) {
        self.wait_until(|status| status["is_parsed_ahead"] == json!(true));
    }

    /// Waits until every file is in the index.
    pub(crate) fn wait_until_read(&self) {
        self.wait_until(|_| true);
    }

    fn wait_until(&self, also: impl Fn(&Value) -> bool) {
        loop {
            let status = self.status();
            if status["ready"] == json!(true) && status["pending_files"] == json!(0) && also(&status) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn connect(&self, toolset: &str) -> Connection {
        let stream = UnixStream::connect(self.run(&["socket"])).unwrap();
        let mut connection =
            Connection { reader: BufReader::new(stream.try_clone().unwrap()), stream, id: 0 };
        connection.send(&json!({"symd": {"protocol": [1, 1], "version": "bench", "toolset": [toolset], "client": "bench"}}));
        connection.receive();
        let client = json!({"name": "bench", "version": "0"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        connection.request("initialize", &params);
        connection.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        connection
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.command(&["stop"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// An open MCP connection.
pub(crate) struct Connection {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
    id: u64,
}

impl Connection {
    /// Calls a tool; returns its text.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{tool}: {result}"));
        assert_ne!(result["isError"], json!(true), "{tool} {arguments}: {text}");
        text.to_owned()
    }

    /// Calls a tool; returns whether it succeeded.
    pub(crate) fn succeeds(&mut self, tool: &str, arguments: &Value) -> bool {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))["isError"] != json!(true)
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut answer = self.receive();
            if answer["id"] == json!(id) {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
        }
    }

    fn send(&mut self, message: &Value) {
        let mut line = serde_json::to_vec(message).unwrap();
        line.push(b'\n');
        self.stream.write_all(&line).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }
}

/// Returns a directory in memory for barriers, as every login session has one; on disk where there is no
/// memory file system (then barriers wait for the disk's journal when it is busy).
pub(crate) fn runtime_directory(home: &Path) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let name = home.to_string_lossy().replace('/', "-");
    let directory =
        if memory.is_dir() { memory.join(format!("symd-figures{name}")) } else { home.join("run") };
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o700)).unwrap();
    directory
}
