//! One client's view: which tools it sees, which it may call, and the instructions that go with them. Fixed for as long as the
//! connection lasts, so that a client's cached list stays true.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::approvals::asking::Asking;
use crate::elsewhere::Elsewhere;
use crate::host::Host;
use symd_toolsets::listing::{self, Listing};
use symd_toolsets::{Client, Offered, Tool};

/// What belongs to one connection.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) host: Arc<Host>,
    /// For the log.
    pub(super) number: u64,
    /// For the log: the listings' names.
    pub(super) name: String,
    /// What the client sees of the tools.
    pub(super) listings: Vec<Listing>,
    pub(super) tools: Vec<Offered>,
    pub(super) instructions: String,
    pub(super) client: Arc<Client>,
    pub(super) asking: Arc<Asking>,
    /// The project that it may have changed to.
    pub(super) elsewhere: Arc<Elsewhere>,
}

impl Session {
    pub(super) fn new(
        host: Arc<Host>,
        number: u64,
        (client, asking): (Arc<Client>, Arc<Asking>),
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

    /// The same connection, with other listings.
    pub(super) fn with_listings(&self, chosen: Vec<Listing>) -> Session {
        let connection = (Arc::clone(&self.client), Arc::clone(&self.asking));
        let session = Session::new(Arc::clone(&self.host), self.number, connection, chosen);
        Session { elsewhere: Arc::clone(&self.elsewhere), ..session }
    }

    /// The tool that a call of this name means, whether it is listed or not.
    pub(super) fn tool(&self, name: &str) -> Result<Offered, String> {
        listing::offered(&self.listings, name).ok_or_else(|| {
            format!(
                "there is no tool {name:?} in toolset {}; tools/list (`symd tools`) names them",
                self.name
            )
        })
    }
}

/// A tool as clients see it in `tools/list`.
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
