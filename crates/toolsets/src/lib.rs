//! The tool contracts. A toolset is a table of tools: name, description, JSON Schema, annotations, and an
//! adapter that turns arguments into an op and the op's result into the contract's text. No logic of its own.

pub mod alias;
pub mod arguments;
mod asked;
mod base64;
pub mod cli_agent;
mod client;
mod clock;
mod connected;
pub mod gemini_cli;
pub mod listing;
pub mod native;
mod outlined;
mod proposed;
mod risk;
pub mod serena;
mod shelled;
pub mod spelled;
pub mod tool_router;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use client::Client;
pub use connected::{
    Connected, ConnectionFuture, ConnectionOutcome, ConnectionTool, about_connection, not_active,
};
pub use proposed::{Check, Proposed};
pub use risk::{Approved, AsksFor, NotRun, Reach, Risk, Why};
use spelled::Spellings;

use symd_base::Cancel;
use symd_base::cancel::CancelOnDrop;
use symd_engine::{EngineError, EngineStatus, View};
use symd_ops::Project;

/// How long a call may take, the wait for the first crawl of a large project included.
const DEADLINE: Duration = Duration::from_secs(120);

/// A contract: tools that are decided about and answer in the same manner.
#[derive(Debug)]
pub struct Toolset {
    /// `native`, `serena` …
    pub name: &'static str,
    /// What MCP sends as `instructions` to clients that are shown all tools: how a model is to work with them.
    pub instructions: &'static str,
    /// What its tools ask the user about by default.
    pub asks_for: AsksFor,
    /// Says in the contract's shape that a call was not run.
    pub refuse: fn(&NotRun) -> Reply,
    /// Says what is wrong with a call before the user is asked about it.
    pub check: Check,
    /// What its clients may write besides what its schemas say.
    pub spells: Spellings,
    /// In the order in which they are listed. Which of them a client is shown, its listing says.
    pub tools: &'static [Tool],
}

/// One tool of a toolset.
pub struct Tool {
    /// The name by which clients call it.
    pub name: &'static str,
    /// A few words for people.
    pub title: &'static str,
    /// The contract's description first, then the words by which clients search tools.
    pub description: &'static str,
    /// The JSON Schema of its arguments: plain, inlined, with a `required` array.
    pub schema: fn() -> Value,
    /// What clients may assume about it.
    pub annotations: Annotations,
    /// How much harm it can do.
    pub risk: Risk,
    /// How far it reaches.
    pub reach: Reach,
    /// Runs it.
    pub run: Run,
}

/// How a tool is run.
pub type Run = for<'a> fn(Call<'a>) -> ReplyFuture<'a>;

impl Tool {
    /// A tool that only looks, inside the project.
    const fn read_only(name: Name, title: Name, description: Name, schema: Schema, run: Run) -> Tool {
        let (annotations, risk, reach) = (Annotations::READ_ONLY, Risk::ReadOnly, Reach::Project);
        Tool { name, title, description, schema, annotations, risk, reach, run }
    }

    /// A tool that adds to what is there, so that it can be undone.
    const fn adds(name: Name, title: Name, description: Name, schema: Schema, run: Run) -> Tool {
        let (annotations, risk) = (Annotations::ADDS, Risk::SafeWrite);
        Tool { annotations, risk, ..Tool::read_only(name, title, description, schema, run) }
    }

    /// A tool that changes or removes what is there, so that it can be undone.
    const fn changes(name: Name, title: Name, description: Name, schema: Schema, run: Run) -> Tool {
        let (annotations, risk) = (Annotations::CHANGES, Risk::SafeWrite);
        Tool { annotations, risk, ..Tool::read_only(name, title, description, schema, run) }
    }

    /// A tool that runs commands.
    const fn runs(name: Name, title: Name, description: Name, schema: Schema, run: Run) -> Tool {
        let (annotations, risk, reach) = (Annotations::RUNS, Risk::Dangerous, Reach::Beyond);
        Tool { annotations, risk, reach, ..Tool::read_only(name, title, description, schema, run) }
    }
}

/// What tools are told apart and described by.
type Name = &'static str;

/// Makes the JSON Schema of a tool's arguments.
type Schema = fn() -> Value;

/// MCP's tool annotations, all four always set.
#[derive(Clone, Copy, Debug)]
pub struct Annotations {
    /// Changes nothing.
    pub read_only: bool,
    /// May destroy something.
    pub destructive: bool,
    /// Calling it twice does no more than calling it once.
    pub idempotent: bool,
    /// Touches the world outside the project.
    pub open_world: bool,
}

impl Annotations {
    /// A tool that adds to the project's files; what it does can be undone.
    pub const ADDS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: false, open_world: false };

    /// A tool that changes or removes what is in the project's files; what it does can be undone.
    pub const CHANGES: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: false };

    /// A tool that only looks, inside the project.
    pub const READ_ONLY: Annotations =
        Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };

    /// A tool that runs commands, which may do anything.
    pub const RUNS: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: true };
}

/// A call under way.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// What a tool is given.
#[derive(Debug)]
pub struct Call<'a> {
    /// The project of the connection.
    pub project: &'a Project,
    /// The contract that is spoken.
    pub toolset: &'static Toolset,
    /// The tool's name.
    pub tool: &'static str,
    /// The arguments as the client sent them.
    pub arguments: Map<String, Value>,
    /// Who calls, and what it has read.
    pub client: Arc<Client>,
    /// What let it run.
    pub approved: Approved,
    /// Raised when the client cancels or goes away; long work looks at it.
    pub cancel: Cancel,
}

/// What a tool answers: text, or a picture, and how it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The whole meaning of the answer; with a picture, what it is, for who cannot be shown one.
    pub text: String,
    /// What is answered instead of the text where pictures can be shown.
    pub image: Option<Image>,
    /// How it went.
    pub outcome: Outcome,
}

/// A picture, as MCP has it and as it goes from one daemon to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// The file's bytes in Base64.
    pub data: String,
    /// Its media type: "image/png".
    pub mime_type: String,
}

impl Image {
    /// The picture in these bytes.
    pub fn new(bytes: &[u8], mime_type: &str) -> Image {
        Image { data: base64::encode(bytes), mime_type: mime_type.to_owned() }
    }
}

/// How a call went; everything but `Done` is MCP's `isError: true`, and decides the command line's exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did what it was asked.
    Done,
    /// It failed; the text says why.
    Failed,
    /// It needs a language server, and there is none.
    NoServer,
    /// It was not ready, or ran out of time.
    NotReady,
    /// It was not run, because the user does not allow it or could not be asked.
    Denied,
    /// It did nothing, because of what it found out about this very call: only the user's own word for it will do
    /// ([`Approved::ByUser`]). The text says what that is, as a sentence without a full stop. Never the last word: whoever
    /// runs calls gets the user's and runs it again, or refuses it.
    NeedsUser,
}

impl Outcome {
    /// All of them.
    const ALL: [Outcome; 6] = [
        Outcome::Done,
        Outcome::Failed,
        Outcome::NotReady,
        Outcome::NoServer,
        Outcome::Denied,
        Outcome::NeedsUser,
    ];

    /// The word for it, on the wire; the command line has an exit code for each.
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

    /// The outcome of that word.
    pub fn named(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.name() == word)
    }
}

impl Reply {
    /// The answer of a call that did what it was asked.
    pub fn done(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), image: None, outcome: Outcome::Done }
    }

    /// The answer of a call that needs the user's own word, because of `why`.
    pub fn needs_user(why: impl Into<String>) -> Reply {
        Reply { text: why.into(), image: None, outcome: Outcome::NeedsUser }
    }

    /// The answer of a call that failed.
    pub fn failed(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), image: None, outcome: Outcome::Failed }
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tool({})", self.name)
    }
}

/// All toolsets; the first is the default.
pub fn all() -> &'static [&'static Toolset] {
    static ALL: [&Toolset; 5] = [
        &native::NATIVE,
        &serena::SERENA,
        &gemini_cli::GEMINI_CLI,
        &cli_agent::CLI_AGENT,
        &tool_router::TOOL_ROUTER,
    ];
    &ALL
}

/// Runs `work` on a fresh index. Dropping the future, as whoever stops a call does, stops the work too.
fn ask<'a>(
    call: Call<'a>,
    work: impl FnOnce(&View, &Map<String, Value>, &Cancel) -> Reply + Send + 'static,
) -> ReplyFuture<'a> {
    Box::pin(put(call.project, call.arguments, work))
}

/// The same for work that looks into every file: calls of other tools never wait for it.
fn ask_long<'a>(
    call: Call<'a>,
    work: impl FnOnce(&View, &Map<String, Value>, &Cancel) -> Reply + Send + 'static,
) -> ReplyFuture<'a> {
    Box::pin(async move {
        let (question, _stops_with_us) = stoppable(call.arguments, work);
        in_time(call.project, call.project.engine.ask_long(question)).await
    })
}

async fn put(
    project: &Project,
    arguments: Map<String, Value>,
    work: impl FnOnce(&View, &Map<String, Value>, &Cancel) -> Reply + Send + 'static,
) -> Reply {
    let (question, _stops_with_us) = stoppable(arguments, work);
    in_time(project, project.engine.ask(question)).await
}

/// `work` as a question, and what stops it when it is dropped.
fn stoppable(
    arguments: Map<String, Value>,
    work: impl FnOnce(&View, &Map<String, Value>, &Cancel) -> Reply + Send + 'static,
) -> (impl FnOnce(&View) -> Reply + Send + 'static, CancelOnDrop) {
    // Not the call's own flag: that says whether the client still wants an answer, and it does when the work
    // is given up for being late.
    let given_up = Cancel::new();
    let stops = given_up.on_drop();
    (move |view: &View| work(view, &arguments, &given_up), stops)
}

async fn in_time(project: &Project, answer: impl Future<Output = Result<Reply, EngineError>>) -> Reply {
    match tokio::time::timeout(DEADLINE, answer).await {
        Ok(Ok(reply)) => reply,
        Ok(Err(error @ EngineError::Panicked)) => Reply::failed(format!("Error: {error}")),
        Ok(Err(error)) => Reply { outcome: Outcome::NotReady, ..Reply::failed(format!("Error: {error}")) },
        Err(_) => Reply { outcome: Outcome::NotReady, ..Reply::failed(too_late(&project.engine.status())) },
    }
}

/// Why there was no answer within the deadline.
fn too_late(status: &EngineStatus) -> String {
    let seconds = DEADLINE.as_secs();
    if status.ready {
        return format!("Error: gave up after {seconds} s: the question takes too long; ask for less");
    }
    format!(
        "Error: not ready after {seconds} s: {} of {} files are still to be read; ask again, or see `symd status`",
        status.pending_files,
        status.files.max(status.pending_files),
    )
}

/// A tool as a connection has it: of the first of its toolsets that holds the name.
#[derive(Clone, Copy, Debug)]
pub struct Offered {
    /// The contract it is of.
    pub toolset: &'static Toolset,
    /// The tool.
    pub tool: &'static Tool,
}

impl Offered {
    /// Whether the user is asked before it runs, as long as they have settled nothing.
    pub fn asks_by_default(&self) -> bool {
        self.toolset.asks_for.asks(self.tool.risk, self.tool.reach)
    }
}
