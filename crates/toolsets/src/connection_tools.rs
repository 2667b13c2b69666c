//! Connection tools: tools about the connection instead of a project, namely its active project and its
//! modes. They also run without a project, and always in this daemon, never in that of the project to which
//! the connection switched. Only serena has such tools, so they are found by toolset and name, and no other
//! toolset's table mentions them.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::serena::{self, SERENA};
use super::{Call, Client, Offered, Reply, ReplyFuture};
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

/// Returns the function that runs `offered`, if it is a connection tool.
pub fn connection_tool(offered: Offered) -> Option<ConnectionTool> {
    if offered.toolset.name != SERENA.name {
        return None;
    }
    serena::ABOUT_CONNECTION.iter().find(|(name, _)| *name == offered.tool.name).map(|(_, turner)| *turner)
}

/// Returns the refusal of a tool that the connection's modes disable; `None` if it is enabled.
pub fn mode_refusal(offered: Offered, client: &Client) -> Option<Reply> {
    if offered.toolset.name != SERENA.name {
        return None;
    }
    client.modes.refusal(offered.tool.name)
}

/// The `run` function of connection tools in the table of tools. It fails: a call by way of the table has no
/// connection.
pub(super) fn needs_connection(call: Call<'_>) -> ReplyFuture<'_> {
    let text = format!("Error: {} needs a client connection, and this call has none", call.tool);
    Box::pin(std::future::ready(Reply::failed(text)))
}
