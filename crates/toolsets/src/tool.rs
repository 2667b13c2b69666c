//! A tool, declared once: one constant beside its code holds all that symd knows of it, and a toolset's table
//! lists the constant.

use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value};

use super::call_check::accept;
use super::{Call, Check, ConnectionTool, PlanOutgoing, Reach, Reply, Risk};

pub struct Tool {
    pub name: &'static str,
    /// A few words for people.
    pub title: &'static str,
    /// The contract's description, then the words by which clients search tools.
    pub description: &'static str,
    /// The JSON Schema of its arguments: plain, inlined, with a `required` array.
    pub schema: fn() -> Value,
    pub annotations: Annotations,
    pub risk: Risk,
    pub reach: Reach,
    /// The names of the tools of its toolset that it stands for, if it is an alias; else empty.
    pub stands_for: &'static [&'static str],
    /// The order in which a prompt shows its parameters; empty: the required ones first, then by name.
    pub order: &'static [&'static str],
    /// Validates a call before the user is asked to approve it.
    pub check: Check,
    /// Takes out of the arguments what nothing may keep or show: it runs first, before the call is logged and
    /// the user is asked.
    pub clean: Option<Clean>,
    /// Decides what a call sends to others; the user is then asked about that, and not about the call.
    pub outgoing: Option<PlanOutgoing>,
    pub handler: Handler,
}

/// The code of a tool, by what it acts on.
#[derive(Clone, Copy, Debug)]
pub enum Handler {
    /// Acts on the connection's project.
    Project(Run),
    /// Acts on the connection itself, with or without a project.
    Connection(ConnectionTool),
}

/// Returns the arguments without what nothing may keep or show. Takes time that depends on their length.
type Clean = fn(Map<String, Value>) -> Map<String, Value>;

/// The function that runs a tool on a project.
pub type Run = for<'a> fn(Call<'a>) -> ReplyFuture<'a>;

/// The future of a tool's reply.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// A tool's name, title or description.
type Name = &'static str;

/// The function that builds the JSON Schema of a tool's arguments.
type Schema = fn() -> Value;

impl Tool {
    /// Returns a tool that only reads, inside the project.
    pub const fn read_only(name: Name, title: Name, description: Name, schema: Schema, run: Run) -> Tool {
        Tool::reading(name, title, description, schema, Handler::Project(run))
    }

    const fn reading(name: Name, title: Name, description: Name, schema: Schema, handler: Handler) -> Tool {
        let (annotations, risk, reach) = (Annotations::READ_ONLY, Risk::ReadOnly, Reach::Project);
        Tool {
            name,
            title,
            description,
            schema,
            annotations,
            risk,
            reach,
            stands_for: &[],
            order: &[],
            check: accept as Check,
            clean: None,
            outgoing: None,
            handler,
        }
    }

    /// Returns a tool that only adds, in a way that can be undone.
    pub const fn adding(name: Name, title: Name, description: Name, schema: Schema, run: Run) -> Tool {
        let (annotations, risk) = (Annotations::ADDS, Risk::SafeWrite);
        Tool { annotations, risk, ..Tool::read_only(name, title, description, schema, run) }
    }

    /// Returns a tool that changes or removes existing content, in a way that can be undone.
    pub const fn changing(name: Name, title: Name, description: Name, schema: Schema, run: Run) -> Tool {
        let (annotations, risk) = (Annotations::CHANGES, Risk::SafeWrite);
        Tool { annotations, risk, ..Tool::read_only(name, title, description, schema, run) }
    }

    /// Returns a tool that runs commands.
    pub const fn running_commands(
        name: Name,
        title: Name,
        description: Name,
        schema: Schema,
        run: Run,
    ) -> Tool {
        let (annotations, risk, reach) = (Annotations::RUNS, Risk::Dangerous, Reach::BeyondProject);
        Tool { annotations, risk, reach, ..Tool::read_only(name, title, description, schema, run) }
    }

    /// Returns a tool that reads or switches what belongs to the connection.
    pub const fn about_connection(
        name: Name,
        title: Name,
        description: Name,
        schema: Schema,
        run: ConnectionTool,
    ) -> Tool {
        Tool::reading(name, title, description, schema, Handler::Connection(run))
    }

    /// Returns the tool with this check, which parses the arguments as the tool itself does.
    pub const fn checked_by(self, check: Check) -> Tool {
        Tool { check, ..self }
    }

    /// Returns the tool with this cleaning of its arguments.
    pub const fn cleaned_by(self, clean: Clean) -> Tool {
        Tool { clean: Some(clean), ..self }
    }

    /// Returns the tool with its parameters in the contract's order.
    pub const fn in_order(self, order: &'static [&'static str]) -> Tool {
        Tool { order, ..self }
    }

    /// Returns the tool as an alias of the tools with these names.
    pub const fn standing_for(self, tools: &'static [&'static str]) -> Tool {
        Tool { stands_for: tools, ..self }
    }

    /// Whether it is an alias, and does nothing of its own.
    pub fn is_alias(&self) -> bool {
        !self.stands_for.is_empty()
    }

    /// Returns the function that runs it, if it acts on the connection.
    pub fn on_connection(&self) -> Option<ConnectionTool> {
        match self.handler {
            Handler::Connection(run) => Some(run),
            Handler::Project(_) => None,
        }
    }

    /// Runs it on the call's project. A tool that acts on the connection fails: a call has none.
    pub fn run<'a>(&self, call: Call<'a>) -> ReplyFuture<'a> {
        match self.handler {
            Handler::Project(run) => run(call),
            Handler::Connection(_) => without_connection(call),
        }
    }
}

fn without_connection(call: Call<'_>) -> ReplyFuture<'_> {
    let text = format!("Error: {} needs a client connection, and this call has none", call.tool);
    Box::pin(std::future::ready(Reply::failed(text)))
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tool({})", self.name)
    }
}

/// MCP's tool annotations, all four always set.
#[derive(Clone, Copy, Debug)]
pub struct Annotations {
    /// Whether the tool changes nothing.
    pub read_only: bool,
    /// Whether it may destroy something.
    pub destructive: bool,
    /// Whether a second identical call has no further effect.
    pub idempotent: bool,
    /// Whether it touches the world outside the project.
    pub open_world: bool,
}

impl Annotations {
    /// The annotations of a tool that adds to the project's files, in a way that can be undone.
    pub const ADDS: Annotations =
        Annotations { read_only: false, destructive: false, idempotent: false, open_world: false };

    /// The annotations of a tool that changes or removes content of the project's files, in a way that can be
    /// undone.
    pub const CHANGES: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: false };

    /// The annotations of a tool that only reads, inside the project.
    pub const READ_ONLY: Annotations =
        Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };

    /// The annotations of a tool that runs commands, which may do anything.
    pub const RUNS: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: true };
}
