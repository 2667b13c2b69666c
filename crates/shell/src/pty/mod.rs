//! Commands on terminals of their own: sessions of one connection, written to and read from until they or the
//! connection end. Invariants: memory is bounded, whatever is printed; no session makes another wait; nothing of a
//! session runs on when it is closed.
//!
//! The terminals are the system's own, by rustix, and no thread belongs to a session (see ARCHITECTURE.md, Decisions).

mod output;
mod session;
mod sessions;
mod terminal;

pub use output::Shown;
pub use sessions::{MAX_SESSIONS, PtyError, Sessions, TerminalRequest};
