//! The status of a server in `symd status` and `symd doctor`.

use serde::Serialize;

/// A server's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// Its program is found, but it was never needed.
    Idle,
    /// Its process runs; `initialize` is not answered yet.
    Starting,
    /// Initialized but not ready: progress is open, or a required fact is missing.
    Loading,
    Ready,
    /// It exited or is being stopped, and will be restarted after a pause.
    Restarting,
    /// It was stopped, by hand or because it was not used for long.
    Stopped,
    /// It is not started again until the user restarts it.
    Down,
}

/// The status of one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerStatus {
    /// The server's name in languages.toml.
    pub name: String,
    /// The languages of this project's configuration that use it.
    pub languages: Vec<String>,
    pub state: ServerState,
    /// What it is doing or waiting for: "indexing (43 %)".
    pub doing: Option<String>,
    /// The path of the program that runs or would run.
    pub program: Option<String>,
    /// The version from `initialize`.
    pub version: Option<String>,
    /// The id of its process group.
    pub pid: Option<u32>,
    /// The resident memory of its whole process group, in bytes.
    pub memory_bytes: Option<u64>,
    /// The number of processes started.
    pub starts: u64,
    /// The number of questions sent to it.
    pub requests: u64,
    /// The number of questions that shared the answer to an equal question.
    pub shared: u64,
    /// The last error.
    pub last_error: Option<String>,
    /// What was decided when all servers together took more memory than they may: a restart, or that it is left running.
    pub memory_note: Option<String>,
    /// The requests that it supports: LSP's method names, sorted.
    pub features: Vec<String>,
}
