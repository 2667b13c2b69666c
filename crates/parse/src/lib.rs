//! Parsing in separate worker processes. A grammar's scanner is C code that may abort, overrun its memory or
//! never return on an untrusted text; in a worker that costs one process and one scan of a file, never the
//! daemon. Invariants: a worker's answer is decoded and validated like an untrusted file; and a text is
//! blamed only for what it did to a worker that nothing else killed.

mod attempts;
mod bindings;
mod confine;
mod helper;
mod inspected;
mod limits;
mod living_workers;
mod parse_task;
mod parsers;
mod pool;
mod process;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
mod protocol;
mod quarantine;
mod worker;

pub use attempts::{Attempt, ParseError};
pub use helper::{HelperProcess, NoReply, serve};
pub use living_workers::WorkerMemory;
pub use parsers::{ParserOptions, Parsers, Warm};
pub use pool::RunningTrial;
pub use quarantine::{Quarantine, Quarantined};
pub use worker::{NAME, run};
