//! Parsing in processes of its own. A grammar's scanner is C that may abort, overrun its memory or never end, on a text
//! that anybody may have written; here that costs one worker process and a look at one file, never the daemon.
//! Invariant: what a worker answers is decoded and checked like a file from a stranger's disk; and a text is blamed only
//! for what it did to a worker that nobody ended from outside.

mod confine;
mod crew;
mod helper;
mod inspected;
mod limits;
mod parsers;
mod process;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
mod protocol;
mod quarantine;
mod worker;

pub use crew::RunningTrial;
pub use helper::{HelperProcess, NoReply, serve};
pub use parsers::{Attempt, ParseError, Parsers, ParsersOptions, Warm};
pub use quarantine::{Quarantine, Quarantined};
pub use worker::{NAME, run};
