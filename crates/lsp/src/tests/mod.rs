//! The wire half against a scripted server in this process: the real client, crossed pipes, real files.

mod answers;
mod connection;
mod documents;
mod peer;
mod questions;
mod session;
