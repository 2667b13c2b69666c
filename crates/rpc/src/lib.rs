//! JSON-RPC 2.0 for both sides of a connection: messages as lines (MCP, symd's own clients) or in frames with a
//! length (LSP), read from clients strictly and from servers leniently, written in one place. Knows no methods.
//! Invariant: bytes of a peer cost bounded memory, and each gives a message, an error, or is skipped.

pub mod client_message;
pub mod codes;
pub mod escapes;
pub mod framing;
pub mod in_flight;
pub mod lines;
#[allow(clippy::unwrap_used, reason = "it is for tests")]
pub mod properties;
pub mod server_message;
pub mod waiting;
pub mod write;
