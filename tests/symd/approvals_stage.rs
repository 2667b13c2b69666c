//! Connections of a daemon in this process, with a toolset of every risk and reach, and clients that support
//! elicitation.

use std::collections::BTreeSet;
use std::os::unix::net::UnixStream as StdStream;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use symd::config::settings::Limits;
use symd::serve::approvals::{Approver, proof};
use symd::serve::host::{Host, Parts};
use symd::serve::{DaemonPaths, connection, daemon};
use symd::toolsets::{ApprovalDefault, ApprovalSource, Call, Reach, Reply, ReplyFuture, Risk, Tool, Toolset};
use tokio::net::UnixStream;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use crate::support::{MODERN, PATIENCE, User, Wire, call, modern, request, write};

/// The marks of the calls that ran. A call with an argument `private` runs only with the user's own approval.
/// Every test uses marks of its own.
static RAN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn run(call: Call<'_>) -> ReplyFuture<'_> {
    let approved = call.approved;
    if call.arguments.contains_key("private") && approved != ApprovalSource::ByUser {
        return Box::pin(async { Reply::needs_user("it leads to 127.0.0.1") });
    }
    if let Some(mark) = call.arguments.get("mark").and_then(Value::as_str) {
        RAN.lock().unwrap_or_else(PoisonError::into_inner).insert(mark.to_owned());
    }
    Box::pin(async move { Reply::done(format!("ran {approved:?}")) })
}

/// Whether a call with this mark ran.
pub fn ran(mark: &str) -> bool {
    RAN.lock().unwrap_or_else(PoisonError::into_inner).contains(mark)
}

fn schema() -> Value {
    json!({ "type": "object", "properties": {}, "required": ["path", "content"] })
}

const fn tool(name: &'static str, risk: Risk, reach: Reach) -> Tool {
    Tool { risk, reach, ..Tool::read_only(name, name, name, schema, run) }
}

static TOOLS: [Tool; 4] = [
    tool("look", Risk::ReadOnly, Reach::Project),
    tool("create_file", Risk::SafeWrite, Reach::Project),
    tool("command", Risk::Dangerous, Reach::BeyondProject),
    tool("fetch", Risk::ReadOnly, Reach::BeyondProject),
];

const fn toolset(name: &'static str, asks_for: ApprovalDefault) -> Toolset {
    Toolset {
        name,
        instructions: "",
        asks_for,
        refuse: |not_run| Reply::failed(format!("Refused: {}", not_run.message)),
        disabled: |_, _| None,
        spells: symd::toolsets::spellings::AcceptedSpellings::NONE,
        tools: &TOOLS,
    }
}

static CAREFUL: Toolset = toolset("careful", ApprovalDefault::Changes);
static EASY: Toolset = toolset("easy", ApprovalDefault::BeyondProject);
static ALL: [&Toolset; 4] =
    [&CAREFUL, &EASY, &symd::toolsets::native::NATIVE, &symd::toolsets::kotlin_debug::KOTLIN_DEBUG];

/// Whether a connection proves that it is the user's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Users,
    Anybodys,
}

/// A host with its connections.
pub struct Stage {
    pub user: User,
    pub host: Arc<Host>,
    place: DaemonPaths,
    runtime: Runtime,
    serving: Mutex<Vec<JoinHandle<()>>>,
}

impl Stage {
    pub fn new() -> Stage {
        Stage::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Stage {
        let user = User::new();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let _inside = runtime.enter();
        let place = user.place();
        place.prepare().unwrap();
        let project = daemon::open_project(
            env!("CARGO_BIN_EXE_symd").as_ref(),
            &place,
            &Default::default(),
            symd::config::Languages::builtin().clone(),
            &symd::config::Trust::Never,
        );
        let host = Host::new(Parts {
            project: Some(project.unwrap()),
            root: place.root.clone(),
            toolsets: &ALL,
            default_toolset: vec!["careful".to_owned()],
            approvals: Some(Approver::open(&place, limits.approval()).unwrap()),
            limits,
            trust: symd::config::Trust::Never,
            notes: Vec::new(),
        });
        drop(_inside);
        Stage { user, host, place, runtime, serving: Mutex::default() }
    }

    /// Writes the user's approvals.
    pub fn approvals(&self, text: &str) {
        self.user.settles(text);
    }

    /// The user's file of approvals.
    pub fn file(&self) -> std::path::PathBuf {
        self.user.path("config/approvals.toml")
    }

    /// Returns the content of the user's approvals file.
    pub fn approvals_text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap_or_default()
    }

    /// Writes the project's approvals.
    pub fn projects(&self, text: &str) {
        write(&self.user.path("project/.symd/approvals.toml"), text);
    }

    /// Returns a connection that has sent its hello.
    pub fn connect(&self, toolset: &str, whose: Whose) -> Wire {
        let mut wire = self.connect_raw();
        let hello =
            json!({ "symd": { "protocol": [1, 1], "version": "1", "toolset": [toolset], "client": "mcp" } });
        let welcome = wire.ask(&hello);
        if whose == Whose::Users {
            proof::prove(&self.place.proofs(), welcome["symd"]["proof"].as_str().unwrap()).unwrap();
        }
        wire
    }

    /// Returns a connection that has not sent anything.
    pub fn connect_raw(&self) -> Wire {
        let _inside = self.runtime.enter();
        let (ours, theirs) = StdStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        let (reader, writer) = UnixStream::from_std(theirs).unwrap().into_split();
        let host = Arc::clone(&self.host);
        let serving = self.runtime.spawn(connection::serve(host, reader, writer, symd::serve::peer_state));
        self.serving.lock().unwrap().push(serving);
        Wire::over(ours)
    }

    /// Returns a client of 2025-11-25 that supports elicitation.
    pub fn asked(&self, toolset: &str, whose: Whose) -> Wire {
        let mut wire = self.connect(toolset, whose);
        open(&mut wire, json!({ "elicitation": {} }));
        wire
    }

    /// Waits until every connection has ended.
    #[track_caller]
    pub fn all_ended(&self) {
        for serving in self.serving.lock().unwrap().drain(..) {
            let ended = self.runtime.block_on(async { tokio::time::timeout(PATIENCE, serving).await });
            ended.expect("in time").unwrap();
        }
    }

    /// Returns the text that a client without elicitation receives when it calls a tool.
    #[track_caller]
    pub fn says(&self, toolset: &str, tool: &str, arguments: Value) -> String {
        let mut wire = self.connect(toolset, Whose::Users);
        let answer = wire.ask(&modern(call(1, tool, arguments)));
        text(&answer)
    }
}

/// Opens a connection as a client of 2025-11-25 with these capabilities.
pub fn open(wire: &mut Wire, capabilities: Value) {
    let client = json!({ "name": "test", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client });
    let answer = wire.ask(&request(0, "initialize", params));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
}

/// The text of a tool's answer.
#[track_caller]
pub fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}")).to_owned()
}

/// Returns a call by a client of 2026-07-28 that supports elicitation.
pub fn modern_call(id: u64, tool: &str, arguments: Value) -> Value {
    let mut call = modern(call(id, tool, arguments));
    call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": {} });
    assert_eq!(call["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], MODERN);
    call
}
