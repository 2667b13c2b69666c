//! The tool contracts. A toolset is a table of tools: name, description, JSON Schema, annotations, and an
//! adapter that turns arguments into a call of an op and the op's result into the contract's text. This crate
//! holds no logic of its own.

pub mod alias;
pub mod arguments;
mod call_check;
pub mod cli_agent;
mod client;
mod connection_tools;
pub mod gemini_cli;
pub mod kotlin_debug;
pub mod listing;
pub mod native;
mod outgoing;
mod outline_questions;
mod risk;
pub mod serena;
mod server_questions;
mod shell_command;
pub mod spellings;
mod tool;
pub mod tool_router;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use call_check::{Check, PendingCall};
pub use client::Client;
pub use connection_tools::{ConnectionCall, ConnectionFuture, ConnectionOutcome, ConnectionTool};
pub use outgoing::{Outgoing, OutgoingFuture, PlanOutgoing};
pub use risk::{ApprovalDefault, ApprovalSource, CallRefusal, Reach, RefusalReason, Risk};
use spellings::AcceptedSpellings;
pub use tool::{Annotations, Handler, ReplyFuture, Run, Tool};

use symd_base::Cancel;
use symd_base::cancel::CancelOnDrop;
use symd_engine::{EngineError, EngineStatus, View};
use symd_ops::Project;

/// The deadline of a call, including the wait for the first crawl of a large project.
const DEADLINE: Duration = Duration::from_secs(120);

/// A contract: tools that share a format of answers and the rules of approval.
#[derive(Debug)]
pub struct Toolset {
    /// `native`, `serena` …
    pub name: &'static str,
    /// The MCP `instructions` for clients that list all tools: how a model should work with them.
    pub instructions: &'static str,
    /// The rule for which of its tools need the user's approval by default.
    pub asks_for: ApprovalDefault,
    /// Formats the reply to a call that was not run, in the contract's shape.
    pub refuse: fn(&CallRefusal) -> Reply,
    /// Returns the reply to a call of the tool with this name, if the connection has disabled that tool.
    pub disabled: fn(&Client, &str) -> Option<Reply>,
    /// The spellings of calls that are accepted beyond the schemas.
    pub spells: AcceptedSpellings,
    /// The tools, in listing order. A listing decides which of them a client sees.
    pub tools: &'static [Tool],
}

/// The input of a tool.
#[derive(Debug)]
pub struct Call<'a> {
    /// The project of the connection.
    pub project: &'a Project,
    /// The toolset of the called tool.
    pub toolset: &'static Toolset,
    pub tool: &'static str,
    /// The arguments as the client sent them.
    pub arguments: Map<String, Value>,
    /// The calling client, with the versions of files that it has read.
    pub client: Arc<Client>,
    /// What the call may send, if its tool sends anything: the user has approved this.
    pub outgoing: Option<Outgoing>,
    /// The permission under which the call runs.
    pub approved: ApprovalSource,
    /// Raised when the client cancels or disconnects; long work polls it.
    pub cancel: Cancel,
}

/// A tool's answer: text, or an image, with the outcome of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The complete answer; with an image, a description of it for clients that cannot display images.
    pub text: String,
    /// The image that replaces the text where images can be displayed.
    pub image: Option<Image>,
    pub outcome: Outcome,
    /// Where the answers end of which `text` is joined, in bytes; empty if it is one answer.
    pub ends: Vec<usize>,
}

/// An image in MCP's form, which is also the form in which one daemon sends it to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// The file's bytes in Base64.
    pub data: String,
    /// The media type, such as "image/png".
    pub mime_type: String,
}

impl Image {
    /// Encodes the bytes of an image file.
    pub fn new(bytes: &[u8], mime_type: &str) -> Image {
        Image { data: data_encoding::BASE64.encode(bytes), mime_type: mime_type.to_owned() }
    }
}

/// The outcome of a call. Each but `Done` is MCP's `isError: true`; it determines the command line's exit
/// code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The call succeeded.
    Done,
    /// The call failed; the text says why.
    Failed,
    /// The call needs a language server, and none is available.
    NoServer,
    /// The project or the server was not ready, or the call timed out.
    NotReady,
    /// The call was not run: the user does not allow it, or could not be asked.
    Denied,
    /// The tool did nothing, because it found that this very call needs the user's own approval
    /// ([`ApprovalSource::ByUser`]). The text is the reason, as a sentence without a full stop. This is never the
    /// final outcome: the code that runs calls obtains the approval and runs the call again, or refuses it.
    NeedsUser,
}

impl Outcome {
    const ALL: [Outcome; 6] = [
        Outcome::Done,
        Outcome::Failed,
        Outcome::NotReady,
        Outcome::NoServer,
        Outcome::Denied,
        Outcome::NeedsUser,
    ];

    /// Returns the word on the wire. The command line has an exit code for each.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Failed => "failed",
            Outcome::NotReady => "not_ready",
            Outcome::NoServer => "no_server",
            Outcome::Denied => "denied",
            Outcome::NeedsUser => "needs_user",
        }
    }

    /// Finds the outcome with that word on the wire.
    pub fn named(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.name() == word)
    }
}

impl Reply {
    /// Returns the reply of a successful call.
    pub fn done(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), image: None, outcome: Outcome::Done, ends: Vec::new() }
    }

    /// Returns the reply of a call that needs the user's own approval, for the reason `why`.
    pub fn needs_user(why: impl Into<String>) -> Reply {
        Reply { text: why.into(), image: None, outcome: Outcome::NeedsUser, ends: Vec::new() }
    }

    /// Returns the reply of a failed call.
    pub fn failed(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), image: None, outcome: Outcome::Failed, ends: Vec::new() }
    }
}

/// Returns all toolsets; the first is the default.
pub fn all() -> &'static [&'static Toolset] {
    static ALL: [&Toolset; 6] = [
        &native::NATIVE,
        &serena::SERENA,
        &gemini_cli::GEMINI_CLI,
        &cli_agent::CLI_AGENT,
        &tool_router::TOOL_ROUTER,
        &kotlin_debug::KOTLIN_DEBUG,
    ];
    &ALL
}

/// Runs `work` on a fresh index. Dropping the future, which is how a call is stopped, stops the work too.
fn ask<'a>(
    call: Call<'a>,
    work: impl Fn(&View, &Map<String, Value>, &Cancel) -> Reply + Send + 'static,
) -> ReplyFuture<'a> {
    Box::pin(run_question(call.project, call.arguments, work))
}

/// Runs `work`, which reads every file, on a fresh index: calls of other tools never wait for it.
fn ask_long<'a>(
    call: Call<'a>,
    work: impl Fn(&View, &Map<String, Value>, &Cancel) -> Reply + Send + 'static,
) -> ReplyFuture<'a> {
    Box::pin(async move {
        let (question, _stops_with_us) = stoppable(call.arguments, work);
        in_time(call.project, call.project.engine.ask_long_by_need(question)).await
    })
}

async fn run_question(
    project: &Project,
    arguments: Map<String, Value>,
    work: impl Fn(&View, &Map<String, Value>, &Cancel) -> Reply + Send + 'static,
) -> Reply {
    let (question, _stops_with_us) = stoppable(arguments, work);
    in_time(project, project.engine.ask_by_need(question)).await
}

/// Returns `work` as a question, and a guard that stops the work when dropped.
fn stoppable(
    arguments: Map<String, Value>,
    work: impl Fn(&View, &Map<String, Value>, &Cancel) -> Reply + Send + 'static,
) -> (impl Fn(&View) -> Reply + Send + 'static, CancelOnDrop) {
    // Not the call's own flag: that one says whether the client still wants an answer, and the client does
    // when the work is abandoned for being late.
    let given_up = Cancel::new();
    let stops = given_up.on_drop();
    (move |view: &View| work(view, &arguments, &given_up), stops)
}

async fn in_time(project: &Project, answer: impl Future<Output = Result<Reply, EngineError>>) -> Reply {
    match wait_for(project, answer).await {
        Some(Ok(reply)) => reply,
        Some(Err(error @ EngineError::Panicked)) => Reply::failed(format!("Error: {error}")),
        Some(Err(error)) => Reply { outcome: Outcome::NotReady, ..Reply::failed(format!("Error: {error}")) },
        None => Reply { outcome: Outcome::NotReady, ..Reply::failed(too_late(&project.engine.status())) },
    }
}

/// Waits for the answer to a question: until the deadline, and on for as long as the index is being built and
/// files are read, since a large project takes longer than that. `None` if the answer did not come.
async fn wait_for<T>(project: &Project, answer: impl Future<Output = T>) -> Option<T> {
    let mut answer = std::pin::pin!(answer);
    loop {
        let before = project.engine.status().changes;
        if let Ok(answer) = tokio::time::timeout(DEADLINE, &mut answer).await {
            return Some(answer);
        }
        let now = project.engine.status();
        if now.ready || now.changes == before {
            return None;
        }
    }
}

/// Explains why there was no answer within the deadline.
fn too_late(status: &EngineStatus) -> String {
    let seconds = DEADLINE.as_secs();
    if status.ready {
        return format!("Error: timed out after {seconds} s; narrow the request and try again");
    }
    format!(
        "Error: no file was read for {seconds} s, and {} of {} are still to be read; see `symd logs`, then ask again",
        status.pending_files,
        status.files.max(status.pending_files),
    )
}

/// A tool as a connection offers it: from the first of the connection's toolsets that has the name.
#[derive(Clone, Copy, Debug)]
pub struct Offered {
    pub toolset: &'static Toolset,
    pub tool: &'static Tool,
}

impl Offered {
    /// Whether the user is asked before it runs, if no policy or rule of the user decides otherwise.
    pub fn asks_by_default(&self) -> bool {
        self.toolset.asks_for.asks_by_default(self.tool.risk, self.tool.reach)
    }
}
