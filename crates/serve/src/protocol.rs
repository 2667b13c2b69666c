//! The words between symd's own clients and its daemon: one line of hello each way, then JSON-RPC, where
//! methods under `symd/` are ours and everything else is MCP. No transport here.
//! Invariant: the hello, `symd/status` and `symd/stop` never change, so that any version can end any other.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use symd_shell::Environment;

/// The versions of the protocol this build speaks: from, to (both included).
pub const PROTOCOL: [u32; 2] = [1, 1];

/// This build's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first line of one of symd's own clients: `{"symd": …}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The versions the client speaks: from, to.
    pub protocol: [u32; 2],
    /// The client's build.
    pub version: String,
    /// The toolsets or profiles it wants to see; none = the daemon's default.
    #[serde(default)]
    pub toolset: Vec<String>,
    /// What it is: `mcp`, `cli`.
    #[serde(default)]
    pub client: String,
    /// Its environment, for what it has run; what is not UTF-8 is left out. Without one, commands get few of the daemon's
    /// own variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Variables>,
    /// Its working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
}

/// Names and values of an environment. Its `Debug` text shows none: there are secrets among them.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variables(pub BTreeMap<String, String>);

impl Variables {
    /// Those of `environment` that are text.
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

/// The daemon's answer to a hello it can talk to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Welcome {
    /// The version both will speak.
    pub protocol: u32,
    /// The daemon's build.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// The project root.
    pub root: String,
    /// The word by which the client shows that it is the user's own: see `serve::approvals::proof`.
    #[serde(default)]
    pub proof: Option<String>,
}

/// The daemon's answer to a hello it cannot talk to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// For people.
    pub error: String,
    /// For the client.
    pub reason: Reason,
    /// The versions the daemon speaks.
    pub protocol: [u32; 2],
    /// The daemon's build.
    pub version: String,
}

/// Why a hello was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// It is no hello.
    Malformed,
    /// No version in common. `symd/status` and `symd/stop` are answered nevertheless.
    Protocol,
    /// The daemon is about to end: wait for its lock.
    Draining,
    /// A toolset that does not exist.
    Toolset,
}

/// The answer to a hello.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HelloAnswer {
    /// Not understood.
    Refusal(Refusal),
    /// Understood.
    Welcome(Welcome),
}

/// What two ranges of versions have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The newest version that both speak.
    Speak(u32),
    /// All of theirs are newer than ours.
    TheyAreNewer,
    /// All of theirs are older than ours.
    TheyAreOlder,
}

/// Compares the versions that two sides speak.
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

/// Wraps a hello or its answer into its line.
pub fn hello_line(content: &impl Serialize) -> Vec<u8> {
    line(&json!({ "symd": content }))
}

/// A JSON value as one line.
pub fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// JSON-RPC: this is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// JSON-RPC: this is not a request, or it is too long.
pub const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC: no such method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC: wrong parameters.
pub const INVALID_PARAMS: i64 = -32602;
/// JSON-RPC: it went wrong on our side.
pub const INTERNAL_ERROR: i64 = -32603;
/// Too much at once; try again when something has been answered.
pub const BUSY: i64 = -32000;

/// An answer to request `id` (null when it is not known).
pub fn error_line(id: &Value, code: i64, message: &str) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
}

/// The result of request `id`.
pub fn result_line(id: &Value, result: &Value) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

/// A message without an answer.
pub fn notification_line(method: &str, params: &Value) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

/// Restarts or stops a language server by hand: `{"action": "restart"|"stop", "server": NAME}`.
pub const SERVER: &str = "symd/server";
/// What the daemon is doing.
pub const STATUS: &str = "symd/status";
/// Drain and exit.
pub const STOP: &str = "symd/stop";
/// Run a tool: `{tool, arguments, toolset}` → `{text, outcome}`; or `{ask, offer}`, where the client `can_ask`: the user is
/// to be shown `ask`, and the call made again with their `answer`, `once`, `always` or `no`. An answer counts over a connection
/// that has given its proof.
pub const CALL: &str = "symd/call";
/// The tools of toolsets: `{toolset}` → `{tools}`.
pub const TOOLS: &str = "symd/tools";
/// Wait until the index is up to date; [`PROGRESS`] comes meanwhile.
pub const SETTLED: &str = "symd/settled";
/// A notification: how far the index is.
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
