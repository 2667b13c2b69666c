//! A daemon for a fixture's scenarios, and connections to it. A scenario with another user, another policy or
//! without a project gets a daemon of its own, which later scenarios of the same kind share.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::http::Site;
use super::scenario::{Approve, ProjectWanted, Scenario, Uid};
use crate::fake_editor::FakeEditor;
use crate::lsp_stage::fake_ls;
use crate::support::{PATIENCE, User, call, initialize, write};

/// How long a user takes who answers late: longer than kotlin_debug's tools may.
const LATE: Duration = Duration::from_millis(2_100);

/// Names and values of an environment.
pub type Variables = BTreeMap<String, String>;

/// The user and group id of `nobody`.
const NOBODY: &str = "65534";

/// The languages that a scenario's server serves, and the extensions of their files.
const SERVED: [(&str, &str); 5] =
    [("python", "py"), ("kotlin", "kt"), ("typescript", "ts"), ("javascript", "js"), ("plain", "plain")];

/// The properties of a scenario that determine whether it can share a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    uid: Uid,
    approve: Approve,
    project: ProjectWanted,
    config: String,
    server: Option<String>,
    server_keys: Option<String>,
}

impl Kind {
    pub fn of(scenario: &Scenario) -> Kind {
        let Scenario { uid, approve, project, .. } = *scenario;
        let (config, server) = (scenario.config.clone().unwrap_or_default(), scenario.server.clone());
        Kind { uid, approve, project, config, server, server_keys: scenario.server_keys.clone() }
    }
}

pub struct Stage {
    pub kind: Kind,
    user: User,
    /// The web server that the user's settings name.
    pub site: Option<Site>,
}

impl Stage {
    pub fn new(kind: Kind) -> Stage {
        let site = kind.config.contains("{HTTP}").then(|| Site::new(&[]));
        let address = site.as_ref().map_or(String::new(), Site::url);
        let user = User::with_config(&kind.config.replace("{HTTP}", &address));
        std::fs::create_dir(user.path("outside")).unwrap();
        if let Some(policy) = policy(kind.approve) {
            user.settles(&policy);
        }
        let stage = Stage { kind, user, site };
        if let Some(script) = &stage.kind.server {
            stage.install_server(script);
        }
        if stage.kind.uid == Uid::Nobody {
            stage.user.copy_of_symd("symd");
            stage.hand_over(&[stage.user.path("")]);
        }
        stage
    }

    pub fn has_server(&self) -> bool {
        self.kind.server.is_some()
    }

    /// Installs a server of the user's own for all languages in `SERVED`.
    fn install_server(&self, script: &str) {
        let script = script.replace("{ROOT}", self.root().to_str().unwrap());
        let mut script: Value =
            serde_json::from_str(&script).unwrap_or_else(|error| panic!("{script}: {error}"));
        // Report readiness at once: a server that does not report it may be indexing for long.
        if script["on"]["initialized"].is_null() {
            let quiet = json!({ "health": "ok", "quiescent": true });
            script["on"]["initialized"] =
                json!([{ "notify": { "method": "experimental/serverStatus", "params": quiet } }]);
        }
        let file = self.user.path("script.json");
        write(&file, &script.to_string());
        let bin = self.user.path("data/servers/fake/bin");
        std::fs::create_dir_all(&bin).unwrap();
        for directory in ["data", "data/servers"] {
            std::fs::set_permissions(self.user.path(directory), Permissions::from_mode(0o700)).unwrap();
        }
        std::os::unix::fs::symlink(fake_ls(), bin.join("fake")).unwrap();
        let keys = self.kind.server_keys.as_deref().unwrap_or_default();
        let mut languages = format!(
            "[language-server.fake]\ncommand = \"fake\"\nargs = [{file:?}]\n{keys}\n\
             readiness = {{ start-grace-ms = 0, server-status = true }}\n"
        );
        for (language, ending) in SERVED {
            // A user's entry replaces the built-in one completely.
            let grammar =
                if language == "plain" { String::new() } else { format!("grammar = {language:?}\n") };
            languages.push_str(&format!(
                "[[language]]\nname = {language:?}\nfile-types = [{ending:?}]\nlanguage-servers = [\"fake\"]\n{grammar}"
            ));
        }
        write(&self.config().join("languages.toml"), &languages);
    }

    pub fn root(&self) -> PathBuf {
        self.user.path("project")
    }

    pub fn outside(&self) -> PathBuf {
        self.user.path("outside")
    }

    /// Returns the directory of the user's configuration.
    pub fn config(&self) -> PathBuf {
        self.user.path("config")
    }

    /// Changes the owner of these directories and their content to the daemon's user. Not for directories
    /// that the daemon is using: files in them appear and disappear, and `chown` fails on one that has
    /// disappeared.
    pub fn hand_over(&self, directories: &[PathBuf]) {
        if self.kind.uid == Uid::Nobody && rustix::process::geteuid().is_root() {
            let owner = format!("{NOBODY}:{NOBODY}");
            let given = Command::new("chown").args(["-hR", &owner]).args(directories).status().unwrap();
            assert!(given.success());
        }
    }

    /// Connects a client; without `variables` it sends no environment.
    pub fn connect(&self, toolset: &str, variables: Option<&Variables>) -> Connection {
        let is_asked = matches!(self.kind.approve, Approve::Each | Approve::Late | Approve::Refused);
        let mut connection = match (self.kind.uid, self.kind.project) {
            (Uid::Mine, ProjectWanted::Open) if !is_asked => self.over_the_socket(toolset, variables),
            // Only the daemon's own user may connect; the socket's directory can only be found from a
            // project; and the user's answers only count over the user's own connection.
            _ => self.through_the_shim(toolset, variables.expect("`symd mcp` always tells")),
        };
        connection.says = match self.kind.approve {
            Approve::Each | Approve::Late => Some("y"),
            Approve::Refused => Some("n"),
            Approve::Yes | Approve::No | Approve::Ask => None,
        };
        connection.is_late = self.kind.approve == Approve::Late;
        let mut opening = initialize("2025-11-25");
        if connection.says.is_some() {
            opening["params"]["capabilities"] = json!({ "elicitation": { "form": {} } });
        }
        connection.ask(&opening);
        connection.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        connection
    }

    fn over_the_socket(&self, toolset: &str, variables: Option<&Variables>) -> Connection {
        // Started before the first scenario empties the root and thereby removes the project's marker.
        let stream = UnixStream::connect(self.socket()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let reader = Box::new(BufReader::new(stream.try_clone().unwrap()));
        let mut connection = Connection {
            reader,
            writer: Some(Box::new(stream)),
            child: None,
            calls: 0,
            says: None,
            is_late: false,
            asked: None,
        };
        let mut hello = json!({
            "protocol": [1, 1], "version": "9", "toolset": [toolset], "client": "mcp",
            "directory": self.root(),
        });
        if let Some(variables) = variables {
            hello["environment"] = json!(self.environment(variables));
        }
        connection.ask(&json!({ "symd": hello }));
        connection
    }

    fn through_the_shim(&self, toolset: &str, variables: &Variables) -> Connection {
        let mut command = self.symd();
        command.args(["mcp", "--toolset", toolset]).envs(self.environment(variables));
        match self.kind.project {
            ProjectWanted::Open => command.arg("--project").arg(self.root()),
            ProjectWanted::None => command.current_dir(self.user.path("elsewhere")),
        };
        // stderr is short: it is read when the connection has ended, to report the reason.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let reader = Box::new(BufReader::new(child.stdout.take().unwrap()));
        let writer = child.stdin.take().unwrap();
        Connection {
            reader,
            writer: Some(Box::new(writer)),
            child: Some(child),
            calls: 0,
            says: None,
            is_late: false,
            asked: None,
        }
    }

    /// Returns the client's environment.
    fn environment(&self, more: &Variables) -> Variables {
        let text = |text: &str| text.to_owned();
        let mut variables = Variables::from([
            (text("PATH"), std::env::var("PATH").unwrap()),
            (text("HOME"), self.user.path("home").to_str().unwrap().to_owned()),
            (text("LANG"), text("C.UTF-8")),
            (text("SHELL"), text("/bin/bash")),
        ]);
        variables.extend(more.clone());
        variables
    }

    fn symd(&self) -> Command {
        match self.kind.uid {
            Uid::Nobody if rustix::process::geteuid().is_root() => {
                let (uid, gid) = (format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"));
                let mut command = self.user.dressed(Command::new("setpriv"));
                command.args([&uid, &gid, "--clear-groups"]).arg(self.user.path("symd"));
                command
            }
            _ => self.user.symd(),
        }
    }

    /// Replaces the past solutions in the user's store.
    pub fn keep_solutions(&self, lines: &str) {
        let store = self.user.path("data/solutions");
        if store.exists() {
            std::fs::remove_dir_all(&store).unwrap();
        }
        if lines.is_empty() {
            return;
        }
        let mut command = self.symd();
        command.args(["solutions", "import"]).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// Removes what earlier scenarios have found on the web, and how long its servers wanted to be left alone.
    pub fn forget_web(&self) {
        let kept = self.user.path("cache/docs-search");
        if kept.exists() {
            std::fs::remove_dir_all(&kept).unwrap();
        }
    }

    /// Connects an editor.
    pub fn edit(&self) -> FakeEditor {
        FakeEditor::new(&self.user)
    }

    /// Returns the daemon's socket, and starts the daemon if it does not run.
    fn socket(&self) -> PathBuf {
        let socket = self.user.place().socket();
        if !socket.exists() {
            self.start();
        }
        socket
    }

    fn start(&self) {
        let started = self.symd().arg("start").arg("--project").arg(self.root()).output().unwrap();
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
    }

    /// Returns the user id of the running daemon.
    pub fn daemon_uid(&self) -> u32 {
        let output = self.symd().args(["status", "--json", "--project"]).arg(self.root()).output().unwrap();
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        std::fs::metadata(Path::new("/proc").join(status["pid"].to_string())).unwrap().uid()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Run as the daemon's user; `User` only stops the daemons of the user who runs the tests.
        let _ = self.symd().args(["stop", "--all"]).current_dir("/").output();
    }
}

/// Returns a user's policy, in the format of `symd approvals policy`.
fn policy(approve: Approve) -> Option<String> {
    let word = match approve {
        Approve::Yes => "allow",
        Approve::No => "deny",
        Approve::Ask | Approve::Each | Approve::Late | Approve::Refused => return None,
    };
    let lines = symd::toolsets::all().iter().map(|toolset| format!("{} = \"{word}\"\n", toolset.name));
    Some(format!("[policy]\n{}", lines.collect::<String>()))
}

/// A client of one toolset.
pub struct Connection {
    reader: Box<dyn BufRead>,
    writer: Option<Box<dyn Write>>,
    child: Option<Child>,
    calls: u64,
    /// The answer of a user who is asked.
    says: Option<&'static str>,
    /// Whether the user takes [`LATE`] to answer.
    is_late: bool,
    /// The last question to the user.
    asked: Option<String>,
}

/// The result of a call.
pub struct Answered {
    pub result: Value,
    /// The question to the user before the call.
    pub asked: Option<String>,
}

impl Connection {
    /// Calls a tool; anything but a result is an error.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Answered, String> {
        self.calls += 1;
        self.asked = None;
        let answer = self.ask(&call(self.calls, tool, arguments.clone()));
        if answer["id"] != self.calls || !answer["result"].is_object() {
            return Err(format!("answered {answer}"));
        }
        Ok(Answered { result: answer["result"].clone(), asked: self.asked.take() })
    }

    /// Sends a message and waits for its answer; answers elicitations in between for the user.
    pub fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        loop {
            let mut line = String::new();
            let read = self.reader.read_line(&mut line).unwrap();
            assert!(read > 0, "the connection ended before an answer to {message}: {}", self.last_words());
            let answer: Value = serde_json::from_str(&line).unwrap();
            match answer["method"].as_str() {
                None => return answer,
                Some("elicitation/create") => self.answer_for_the_user(&answer),
                // Notifications are covered by other tests.
                Some(_) => {}
            }
        }
    }

    /// Returns the shim's last output and its exit status.
    fn last_words(&mut self) -> String {
        let Some(mut child) = self.child.take() else { return "over the socket".to_owned() };
        self.writer = None;
        let mut words = String::new();
        child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        format!("{words:?}, {}", child.wait().unwrap())
    }

    fn answer_for_the_user(&mut self, question: &Value) {
        let word = self.says.unwrap_or_else(|| panic!("asked a client without elicitation: {question}"));
        let form = &question["params"];
        self.asked = form["message"].as_str().map(str::to_owned);
        let name = form["requestedSchema"]["required"][0].as_str().unwrap();
        let known = form["requestedSchema"]["properties"][name]["enum"].as_array().unwrap();
        assert!(known.contains(&json!(word)), "{question}");
        if self.is_late {
            std::thread::sleep(LATE);
        }
        let result = json!({ "action": "accept", "content": { name: word } });
        self.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
    }

    fn send(&mut self, message: &Value) {
        self.writer.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.writer = None;
        if let Some(mut child) = self.child.take() {
            let _ = child.wait();
        }
    }
}
