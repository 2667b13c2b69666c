//! The protocol between symd's own clients and the daemon: one hello line each way, then JSON-RPC, where
//! methods under `symd/` are symd's own and all others are MCP. Contains no transport. Invariant: the hello,
//! `symd/status` and `symd/stop` never change, so that any version can stop any other.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use serde::{Deserialize, Serialize};
use serde_json::json;

use symd_rpc::lines::line;
use symd_shell::Environment;

/// The protocol versions that this build supports: first and last, both inclusive.
pub const PROTOCOL: [u32; 2] = [1, 1];

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first line of one of symd's own clients: `{"symd": …}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol versions that the client supports: first and last, both inclusive.
    pub protocol: [u32; 2],
    /// The client's build version.
    pub version: String,
    /// The toolsets or profiles that the client requests; if empty, the daemon's default.
    #[serde(default)]
    pub toolset: Vec<String>,
    /// The kind of client: `mcp`, `cli`, `lsp`.
    #[serde(default)]
    pub client: String,
    /// The client's environment, for the commands it runs; entries that are not UTF-8 are omitted. Without
    /// it, commands get only a few of the daemon's own variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Variables>,
    /// The client's working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
}

/// Names and values of environment variables. The `Debug` output omits them, because they may contain
/// secrets.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variables(pub BTreeMap<String, String>);

impl Variables {
    /// Returns the entries of `environment` that are UTF-8.
    pub fn of(environment: &Environment) -> Variables {
        let text =
            |(name, value): (&OsStr, &OsStr)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()));
        Variables(environment.iter().filter_map(text).collect())
    }
}

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} variables", self.0.len())
    }
}

/// The daemon's answer to a hello that it accepts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// The protocol version that both will use.
    pub protocol: u32,
    /// The daemon's build version.
    pub version: String,
    /// The daemon's process id.
    pub pid: u32,
    pub root: String,
    /// The word with which the client proves that it is the user's own: see `serve::approvals::proof`.
    #[serde(default)]
    pub proof: Option<String>,
}

/// The daemon's answer to a hello that it rejects.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// The error message, for people.
    pub error: String,
    /// The reason, for the client program.
    pub reason: Reason,
    /// The protocol versions that the daemon supports: first and last, both inclusive.
    pub protocol: [u32; 2],
    /// The daemon's build version.
    pub version: String,
}

/// Why a hello was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The line is not a valid hello.
    Malformed,
    /// There is no common version. `symd/status` and `symd/stop` are answered nevertheless.
    Protocol,
    /// The daemon is shutting down: wait for its lock.
    Draining,
    /// A requested toolset does not exist.
    Toolset,
}

/// The answer to a hello.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HelloAnswer {
    Refusal(Refusal),
    Welcome(Welcome),
}

/// The result of comparing two version ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The newest version that both sides support.
    Speak(u32),
    /// All of their versions are newer than ours.
    TheyAreNewer,
    /// All of their versions are older than ours.
    TheyAreOlder,
}

/// Compares the protocol versions of both sides; ranges are inclusive.
pub fn agree(ours: [u32; 2], theirs: [u32; 2]) -> Agreement {
    let newest = ours[1].min(theirs[1]);
    if newest >= ours[0].max(theirs[0]) {
        Agreement::Speak(newest)
    } else if theirs[0] > ours[1] {
        Agreement::TheyAreNewer
    } else {
        Agreement::TheyAreOlder
    }
}

/// Serializes a hello or its answer as a line.
pub fn hello_line(content: &impl Serialize) -> Vec<u8> {
    line(json!({ "symd": content }).to_string().into_bytes())
}

/// Restarts or stops a language server on the user's behalf: `{"action": "restart"|"stop", "server": NAME}`.
pub const SERVER: &str = "symd/server";
/// Returns the daemon's status.
pub const STATUS: &str = "symd/status";
/// Drains the daemon, which then exits.
pub const STOP: &str = "symd/stop";
/// Runs a tool: `{tool, arguments, toolset}` → `{text, outcome}`; or `{ask, offer, question}` if the client `can_ask`:
/// the client shows `ask` to the user and repeats the call with their `answer`, `once`, `always` or `no`, and the number
/// `question`. An answer counts only over a connection that has given its proof.
pub const CALL: &str = "symd/call";
/// Has editors show the question of this number that [`CALL`] returned: `{question}` → `{answered}`, once one of them has answered or
/// none will. The call is then repeated without an answer.
pub const QUESTION: &str = "symd/question";
/// Returns the tools of the requested toolsets: `{toolset}` → `{tools}`.
pub const TOOLS: &str = "symd/tools";
/// Waits until the index is up to date; sends [`PROGRESS`] meanwhile.
pub const SETTLED: &str = "symd/settled";
/// A notification about the progress of a call or of the index.
pub const PROGRESS: &str = "symd/progress";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_meet_in_the_newest_common_version() {
        assert_eq!(agree([1, 3], [2, 5]), Agreement::Speak(3));
        assert_eq!(agree([1, 1], [1, 1]), Agreement::Speak(1));
        assert_eq!(agree([1, 1], [2, 2]), Agreement::TheyAreNewer);
        assert_eq!(agree([2, 3], [1, 1]), Agreement::TheyAreOlder);
    }

    #[test]
    fn an_answer_is_told_by_its_fields() {
        let refusal = r#"{"error":"no","reason":"draining","protocol":[1,1],"version":"0.1.0"}"#;
        assert!(matches!(serde_json::from_str(refusal).unwrap(), HelloAnswer::Refusal(_)));
        let welcome = r#"{"protocol":1,"version":"0.1.0","pid":7,"root":"/p","later":"ignored"}"#;
        assert!(matches!(serde_json::from_str(welcome).unwrap(), HelloAnswer::Welcome(_)));
    }
}
