//! Connection tools: tools about the connection instead of a project, namely its active project and its
//! modes. They also run without a project, and always in this daemon, never in that of the project to which
//! the connection switched.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Client, Reply};
use symd_config::projects::{Projects, RegisteredProject};
use symd_ops::Project;

/// The input of a connection tool.
#[derive(Debug)]
pub struct ConnectionCall<'a> {
    /// This daemon's project and its root, if it has one.
    pub own: Option<(&'a Project, &'a Path)>,
    /// The user's projects, or the reason why they are unknown.
    pub projects: Result<Projects, String>,
    pub tool: &'static str,
    /// The arguments as the client sent them.
    pub arguments: Map<String, Value>,
    /// The client of the connection.
    pub client: Arc<Client>,
}

/// The result of a connection tool.
#[derive(Debug)]
pub enum ConnectionOutcome {
    Answer(Reply),
    /// A request to switch the connection to this project, which is not this daemon's: `serve` switches, and
    /// answers what `activate_project` answers in that project's daemon.
    Activate(RegisteredProject),
}

/// The future of a connection tool's result.
pub type ConnectionFuture<'a> = Pin<Box<dyn Future<Output = ConnectionOutcome> + Send + 'a>>;

/// The function that runs a connection tool.
pub type ConnectionTool = for<'a> fn(ConnectionCall<'a>) -> ConnectionFuture<'a>;
