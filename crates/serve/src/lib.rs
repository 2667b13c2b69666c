//! Everything that enters or leaves the process: JSON-RPC lines, the socket, MCP, the daemon's life cycle.
//! Only this crate and `toolsets` know MCP's JSON; only `serve::mcp` uses rmcp.

mod agreed;
pub mod approvals;
pub mod connection;
mod control;
pub mod daemon;
pub mod daemon_paths;
mod descriptors;
mod dispatch;
mod elsewhere;
pub mod escapes;
pub mod forms;
pub mod host;
pub mod in_flight;
mod last_words;
pub mod lines;
mod link;
pub mod lock;
pub mod log;
mod mcp;
pub mod outbox;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
pub mod protocol;
mod run;
mod session;
pub mod setup;
mod socket;

pub use agreed::{Agreed, agreed};
pub use daemon_paths::DaemonPaths;
pub use host::Host;
pub use link::this_program;
pub use session::describe;
pub use socket::how_it_ended;
