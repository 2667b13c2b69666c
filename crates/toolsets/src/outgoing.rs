//! What a call sends to services on the web, decided before the user is asked: the question shows exactly what will
//! leave, and the tool sends nothing else. The user's yes holds for a receiver, not for one call.

use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value};

use super::Reply;
use symd_ops::Project;

/// What a call sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The text as it leaves.
    pub text: String,
    /// What the question shows in place of the call's arguments; it holds the text.
    pub shown: Map<String, Value>,
    /// Each receiver, as rules of approval see it in place of the call's arguments: `{"source":"github"}`.
    pub receivers: Vec<Map<String, Value>>,
    /// The sentence that tells what a yes covers.
    pub covers: &'static str,
}

/// Decides what a call sends. The error is the tool's answer: the call is not made.
pub type PlanOutgoing = for<'a> fn(&'a Project, &'a Map<String, Value>) -> OutgoingFuture<'a>;

/// The future of what a call sends.
pub type OutgoingFuture<'a> = Pin<Box<dyn Future<Output = Result<Outgoing, Reply>> + Send + 'a>>;
