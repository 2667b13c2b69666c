//! The client against a scripted server in this process: the real connection, in-memory pipes, real files.

mod answers;
mod connection;
mod documents;
mod peer;
mod questions;
mod session;
