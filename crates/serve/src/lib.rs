//! Everything that enters or leaves the process: clients' lines, the socket, MCP, the daemon's life cycle.
//! Only this crate and `toolsets` know MCP's JSON; only `serve::mcp` uses rmcp.

mod answer_marks;
pub mod approvals;
pub mod connection;
mod control;
pub mod daemon;
pub mod daemon_paths;
mod descriptors;
mod dispatch;
pub mod forms;
pub mod host;
mod last_words;
mod link;
pub mod lock;
pub mod log;
mod mcp;
mod memory_status;
mod other_project;
pub mod outbox;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
pub mod protocol;
mod run;
mod session;
pub mod setup;
mod shared_dirs;
mod socket;

pub use daemon_paths::DaemonPaths;
pub use host::Host;
pub use link::this_program;
pub use session::describe;
pub use shared_dirs::{SharedDirs, resolve_dirs};
pub use socket::peer_state;
