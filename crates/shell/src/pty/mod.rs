//! Commands on their own terminals: sessions of one connection, which are written to and read from until they
//! or the connection end. Invariants: memory is bounded, however much is printed; no session blocks another;
//! no process of a session continues when the session is closed.
//!
//! The terminals are the operating system's, through rustix, and sessions need no threads of their own (see
//! ARCHITECTURE.md, Decisions).

mod output;
mod session;
mod sessions;
mod terminal;

pub use output::SessionOutput;
pub use sessions::{MAX_SESSIONS, PtyError, Sessions, TerminalRequest};
