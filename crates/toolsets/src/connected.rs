//! Tools about the connection instead of a project: which project it speaks of, and in which modes it works. They run
//! without a project too, here and never in the project that the connection has changed to. Only serena has such tools,
//! so they are found by their toolset and name, and no other toolset's tables know of them.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::serena::{self, SERENA};
use super::{Call, Client, Offered, Reply, ReplyFuture};
use symd_config::projects::{Projects, Registered};
use symd_ops::Project;

/// What such a tool is given.
#[derive(Debug)]
pub struct Connected<'a> {
    /// The project of this daemon and its root, if it has one.
    pub own: Option<(&'a Project, &'a Path)>,
    /// The user's projects; or why they are not known.
    pub projects: Result<Projects, String>,
    /// The tool's name.
    pub tool: &'static str,
    /// The arguments as the client sent them.
    pub arguments: Map<String, Value>,
    /// Whose connection it is.
    pub client: Arc<Client>,
}

/// What comes of it.
#[derive(Debug)]
pub enum ConnectionOutcome {
    /// An answer.
    Answer(Reply),
    /// The connection is to change to this project, which is not this daemon's: `serve` goes there, and its answer is
    /// what `activate_project` says there.
    Activate(Registered),
}

/// Such a tool at work.
pub type ConnectionFuture<'a> = Pin<Box<dyn Future<Output = ConnectionOutcome> + Send + 'a>>;

/// Runs such a tool.
pub type ConnectionTool = for<'a> fn(Connected<'a>) -> ConnectionFuture<'a>;

/// How `offered` runs, if it is about the connection.
pub fn about_connection(offered: Offered) -> Option<ConnectionTool> {
    if offered.toolset.name != SERENA.name {
        return None;
    }
    serena::ABOUT_CONNECTION.iter().find(|(name, _)| *name == offered.tool.name).map(|(_, turner)| *turner)
}

/// The refusal of a tool that the connection's modes leave out.
pub fn not_active(offered: Offered, client: &Client) -> Option<Reply> {
    if offered.toolset.name != SERENA.name {
        return None;
    }
    client.modes.refusal(offered.tool.name)
}

/// What stands in the table of tools for one that is about the connection: whoever has no connection to offer cannot
/// run it.
pub(super) fn needs_connection(call: Call<'_>) -> ReplyFuture<'_> {
    let text = format!("Error: {} is about a connection, and there is none", call.tool);
    Box::pin(std::future::ready(Reply::failed(text)))
}
