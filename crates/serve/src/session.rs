//! One client's view: the tools that it sees, those that it may call, and its instructions. Fixed for the
//! life of the connection, so that a client's cached list stays valid.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::approvals::connection_state::ApprovalState;
use crate::host::Host;
use crate::other_project::ProjectLink;
use symd_toolsets::listing::{self, Listing};
use symd_toolsets::{Client, Offered, Tool};

/// The state of one connection.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) host: Arc<Host>,
    /// A number for the log.
    pub(super) number: u64,
    /// The listings' names, for the log.
    pub(super) name: String,
    /// The listings of tools that the client sees.
    pub(super) listings: Vec<Listing>,
    pub(super) tools: Vec<Offered>,
    pub(super) instructions: String,
    pub(super) client: Arc<Client>,
    pub(super) asking: Arc<ApprovalState>,
    /// The link to another project's daemon, if the connection has switched to that project.
    pub(super) elsewhere: Arc<ProjectLink>,
}

impl Session {
    pub(super) fn new(
        host: Arc<Host>,
        number: u64,
        (client, asking): (Arc<Client>, Arc<ApprovalState>),
        chosen: Vec<Listing>,
    ) -> Session {
        let names: Vec<&str> = chosen.iter().map(|listing| listing.name).collect();
        let instructions: Vec<&str> = chosen.iter().map(|listing| listing.instructions).collect();
        Session {
            host,
            number,
            name: names.join(","),
            tools: listing::union(&chosen),
            instructions: instructions.join("\n\n"),
            listings: chosen,
            client,
            asking,
            elsewhere: Arc::default(),
        }
    }

    /// Returns a session of the same connection with other listings.
    pub(super) fn with_listings(&self, chosen: Vec<Listing>) -> Session {
        let connection = (Arc::clone(&self.client), Arc::clone(&self.asking));
        let session = Session::new(Arc::clone(&self.host), self.number, connection, chosen);
        Session { elsewhere: Arc::clone(&self.elsewhere), ..session }
    }

    /// Returns the tool with this name, whether it is listed or not.
    pub(super) fn tool(&self, name: &str) -> Result<Offered, String> {
        listing::offered(&self.listings, name).ok_or_else(|| {
            format!(
                "there is no tool {name:?} in toolset {}; tools/list (`symd tools`) names them",
                self.name
            )
        })
    }
}

/// Returns a tool as it appears in `tools/list`.
pub fn describe(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": (tool.schema)(),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.annotations.read_only,
            "destructiveHint": tool.annotations.destructive,
            "idempotentHint": tool.annotations.idempotent,
            "openWorldHint": tool.annotations.open_world,
        },
    })
}
