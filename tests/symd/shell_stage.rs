//! Shared by the tests of commands and terminals: a client that may run commands, commands that resist
//! termination, and waiting for processes to exit, which is an event, not a delay.

use std::io::Read;
use std::os::fd::AsFd;
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags};
use serde_json::{Value, json};

use crate::support::{PATIENCE, User, Wire, call};

/// Returns a user who allows every call, with this `config.toml`.
pub fn user(config: &str) -> User {
    let user = User::with_config(config);
    let policy = |toolset| format!("{toolset} = \"allow\"\n");
    let policies: String = ["serena", "gemini_cli", "cli_agent", "tool_router"].map(policy).concat();
    user.settles(&format!("[policy]\n{policies}"));
    user
}

/// A client of one toolset.
pub struct Client {
    pub wire: Wire,
    calls: u64,
}

impl Client {
    pub fn new(user: &User, toolset: &str) -> Client {
        Client::with_environment(user, toolset, None)
    }

    /// Connects a client whose hello contains this environment.
    pub fn with_environment(user: &User, toolset: &str, environment: Option<Value>) -> Client {
        let mut wire = user.connect();
        let mut hello = json!({ "protocol": [1, 1], "version": "9", "toolset": [toolset], "client": "mcp" });
        if let Some(environment) = environment {
            hello["environment"] = environment;
        }
        wire.ask(&json!({ "symd": hello }));
        wire.initialize();
        Client { wire, calls: 0 }
    }

    /// Sends a call whose answer is read later; returns its id.
    pub fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.calls += 1;
        self.wire.send(&call(self.calls, tool, arguments));
        self.calls
    }

    /// Returns the answer to the call `id`.
    #[track_caller]
    pub fn answer(&mut self, id: u64) -> String {
        let answer = self.wire.receive().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> String {
        let id = self.begin(tool, arguments);
        self.answer(id)
    }

    /// As `call`, for answers that are JSON.
    #[track_caller]
    pub fn json(&mut self, tool: &str, arguments: Value) -> Value {
        let text = self.call(tool, arguments);
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
    }
}

/// A FIFO through which a command reports.
pub struct Fifo(pub PathBuf);

impl Fifo {
    pub fn new(user: &User) -> Fifo {
        let path = user.path("elsewhere/fifo");
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        Fifo(path)
    }

    /// Returns the first lines that are written to the FIFO, as pids.
    #[track_caller]
    pub fn pids(&self, count: usize) -> Vec<Pid> {
        // Opened for writing, too: then opening does not block, and the FIFO never reaches its end.
        let mut fifo = std::fs::OpenOptions::new().read(true).write(true).open(&self.0).unwrap();
        let mut text = String::new();
        while text.matches('\n').count() < count {
            assert!(is_ready(&fifo), "nothing more came than {text:?}");
            let mut byte = [0];
            fifo.read_exact(&mut byte).unwrap();
            text.push(byte[0].into());
        }
        text.lines().map(|line| Pid::from_raw(line.parse().unwrap()).unwrap()).collect()
    }

    /// Returns a command that resists termination: all of its processes ignore SIGTERM and SIGHUP, one has
    /// left its group, one its parent. It writes the pids of all four.
    pub fn stubborn(&self) -> String {
        let fifo = self.0.display();
        let sleep = "sleep 1000 >/dev/null 2>&1 3>&-";
        format!(
            "trap '' TERM HUP INT; exec 3>{fifo}; {sleep} & echo $! >&3; setsid {sleep} & echo $! >&3; \
             ({sleep} & echo $! >&3); echo $$ >&3; exec 3>&-; wait"
        )
    }
}

/// The number of pids that [`Fifo::stubborn`] reports.
pub const STUBBORN: usize = 4;

pub fn lives(pid: Pid) -> bool {
    symd::sys::processes::by_pid(pid).is_some_and(|process| process.is_alive)
}

/// Waits until these processes have exited.
#[track_caller]
pub fn wait_until_gone(pids: &[Pid]) {
    for &pid in pids {
        let Ok(process) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { continue };
        assert!(is_ready(&process), "process {pid} still runs: {:?}", symd::sys::processes::by_pid(pid));
    }
}

/// Returns the peak memory of a process, in KiB.
pub fn peak_memory(pid: u64) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Waits until there is something to read, or a process has exited.
fn is_ready(what: &impl AsFd) -> bool {
    let time = Timespec::try_from(PATIENCE).unwrap();
    rustix::event::poll(&mut [PollFd::new(what, PollFlags::IN)], Some(&time)).unwrap() > 0
}
