//! What is told of each server in `symd status` and `symd doctor`.

use serde::Serialize;

/// Where a server is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// Known and found, never asked for.
    Idle,
    /// Its process runs, `initialize` is not answered.
    Starting,
    /// Initialized, and not ready: progress is open, or a named fact is missing.
    Loading,
    /// Ready.
    Ready,
    /// It ended and will be started again when its back-off is over, or when it is asked.
    Restarting,
    /// It was stopped: by hand, or because nobody asked it for long.
    Stopped,
    /// It is started no more until asked for by hand.
    Down,
}

/// One server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerStatus {
    /// Its name in languages.toml.
    pub name: String,
    /// The languages it serves here.
    pub languages: Vec<String>,
    /// Where it is in its life.
    pub state: ServerState,
    /// What it is doing, or waiting for: "indexing (43 %)".
    pub doing: Option<String>,
    /// The program that runs, or would run.
    pub program: Option<String>,
    /// As it said in `initialize`.
    pub version: Option<String>,
    /// Its process group.
    pub pid: Option<u32>,
    /// Bytes of resident memory of its whole process group.
    pub memory_bytes: Option<u64>,
    /// How often it was started.
    pub starts: u64,
    /// Questions it was asked.
    pub requests: u64,
    /// Questions of other clients that were answered along with an equal one under way.
    pub shared: u64,
    /// The last thing that went wrong.
    pub last_error: Option<String>,
    /// The features it has: LSP's method names, sorted.
    pub features: Vec<String>,
}
