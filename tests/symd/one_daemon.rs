//! One daemon per project and user, whatever a client's environment; and `SYMD_HOME`, which separates
//! daemons. `fixtures/environments` describes what agents pass on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{User, write};

/// A user id without an account, so that HOME determines the home directory.
const ID: u32 = 61_873;

/// The environment that a program passes to its children.
#[derive(serde::Deserialize)]
struct Passing {
    /// The source of this information.
    source: String,
    /// Names of variables; `*` means all.
    passes: Vec<String>,
}

/// A user without an account, in a session with XDG variables.
struct Session {
    user: User,
    program: PathBuf,
}

impl Session {
    fn new() -> Session {
        let user = User::new();
        for directory in ["run", "xdg/config/symd", "xdg/data", "xdg/state", "xdg/cache"] {
            std::fs::create_dir_all(user.path(directory)).unwrap();
        }
        write(&user.path("xdg/config/symd/config.toml"), "max_answer_chars = 4321\n");
        write(&user.path("project/a.py"), "def odd(): pass\n");
        let program = user.copy_of_symd("symd");
        let owned = Command::new("chown").arg("-R").arg(format!("{ID}:{ID}")).arg(user.path("")).status();
        assert!(owned.unwrap().success());
        Session { user, program }
    }

    /// The variables of the session.
    fn variables(&self) -> BTreeMap<&'static str, PathBuf> {
        let at = |name: &str| self.user.path(name);
        BTreeMap::from([
            ("HOME", at("home")),
            ("PATH", PathBuf::from("/usr/bin:/bin")),
            ("SHELL", PathBuf::from("/bin/sh")),
            ("LANG", PathBuf::from("C.UTF-8")),
            ("TERM", PathBuf::from("xterm")),
            ("TMPDIR", at("run")),
            ("XDG_CONFIG_HOME", at("xdg/config")),
            ("XDG_DATA_HOME", at("xdg/data")),
            ("XDG_STATE_HOME", at("xdg/state")),
            ("XDG_CACHE_HOME", at("xdg/cache")),
            ("XDG_RUNTIME_DIR", at("run")),
        ])
    }

    fn run(&self, variables: &BTreeMap<&str, PathBuf>, arguments: &[&str]) -> Output {
        let mut command = Command::new("setpriv");
        command.args([format!("--reuid={ID}"), format!("--regid={ID}"), "--clear-groups".to_owned()]);
        command.arg(&self.program).args(arguments).env_clear().envs(variables);
        command.current_dir(self.user.path("project")).output().unwrap()
    }

    /// Runs symd, which must succeed; returns stdout and stderr.
    #[track_caller]
    fn says(&self, variables: &BTreeMap<&str, PathBuf>, arguments: &[&str]) -> (String, String) {
        let output = self.run(variables, arguments);
        let [text, talk] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).trim_end().to_owned());
        assert!(output.status.success(), "{variables:?} {arguments:?}: {text}\n{talk}");
        (text, talk)
    }

    /// Returns socket, process id and answer limit of the daemon that a client reaches.
    #[track_caller]
    fn daemon(&self, variables: &BTreeMap<&str, PathBuf>) -> (String, u64, String) {
        let (socket, _) = self.says(variables, &["socket"]);
        let (status, _) = self.says(variables, &["status", "--json"]);
        let status: Value = serde_json::from_str(&status).unwrap();
        let (config, _) = self.says(variables, &["config", "show"]);
        let limit = config.lines().find(|line| line.contains("max_answer_chars")).unwrap_or_default();
        (socket, status["pid"].as_u64().unwrap(), limit.to_owned())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.run(&self.variables(), &["stop"]);
    }
}

fn fixtures() -> Vec<(String, Passing)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/environments");
    let read = |path: PathBuf| {
        let passing: Passing = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert!(!passing.source.is_empty());
        (path.file_stem().unwrap().to_string_lossy().into_owned(), passing)
    };
    let mut all: Vec<(String, Passing)> =
        directory.read_dir().unwrap().map(|entry| read(entry.unwrap().path())).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn clients_of_every_environment_find_one_daemon_and_its_settings() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let session = Session::new();
    assert_eq!(rustix::process::geteuid().as_raw(), 0);
    let full = session.variables();
    let expected = session.daemon(&full);
    assert!(expected.0.starts_with(&format!("/tmp/symd-{ID}/")), "{expected:?}");
    assert!(expected.2.contains("4321"), "{expected:?}");
    for (name, passing) in fixtures() {
        let passes = |variable: &str| passing.passes.iter().any(|one| one == "*" || one == variable);
        let variables = full.iter().filter(|(name, _)| passes(name));
        let variables: BTreeMap<&str, PathBuf> =
            variables.map(|(name, value)| (*name, value.clone())).collect();
        assert_eq!(session.daemon(&variables), expected, "{name}");
    }
    // Other directories, or other spellings: the running daemon's are used, and one line reports the
    // difference.
    let mut other = full.clone();
    other.insert("HOME", session.user.path("home/../home"));
    other.insert("TMPDIR", session.user.path("elsewhere"));
    other.insert("XDG_RUNTIME_DIR", session.user.path("elsewhere"));
    other.insert("XDG_CONFIG_HOME", session.user.path("elsewhere"));
    assert_eq!(session.daemon(&other), expected);
    let (_, talk) = session.says(&other, &["status"]);
    let [theirs, own] =
        ["xdg/config/symd", "elsewhere/symd"].map(|name| session.user.path(name).display().to_string());
    let line = talk.lines().find(|line| line.contains("configuration")).unwrap_or_default();
    assert!(line.contains(&theirs) && line.contains(&own), "{talk}");
    // After a stop, the variables of a session are remembered for a client that does not have them.
    session.says(&full, &["stop"]);
    let bare: BTreeMap<&str, PathBuf> = full
        .iter()
        .filter(|(name, _)| !name.starts_with("XDG_"))
        .map(|(name, value)| (*name, value.clone()))
        .collect();
    let started = session.daemon(&bare);
    assert_eq!((started.0, started.2), (expected.0, expected.2));
}

#[test]
fn one_variable_separates_daemons_and_all_of_their_files() {
    let user = User::new();
    write(&user.path("project/a.py"), "def odd(): pass\n");
    let other = user.path("elsewhere/own");
    let of_other = |arguments: &[&str]| {
        let output = user.symd().env("SYMD_HOME", &other).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    };
    let (mine, theirs) = (user.socket(), PathBuf::from(of_other(&["socket"])));
    assert!(mine.starts_with(user.path("run")) && theirs.starts_with(&other), "{mine:?} {theirs:?}");
    assert!(other.join("state").is_dir() && other.join("cache").is_dir());
    of_other(&["stop"]);
    let left: Vec<_> =
        user.path("home").read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    let relative = user.symd().env("SYMD_HOME", "own").arg("status").output().unwrap();
    assert!(String::from_utf8_lossy(&relative.stderr).contains("SYMD_HOME is own"), "{relative:?}");
    user.check(&["stop"], 0);
}
