//! Runs one tool call, whoever asked: logs it, stops it when asked to, and turns a panic into an answer, so
//! that no request is ever left without one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use serde_json::{Map, Value};

use crate::config::roots::HOW_TO_CHOOSE;
use crate::serve::in_flight::Stop;
use crate::serve::session::Session;
use crate::toolsets::native::NATIVE;
use crate::toolsets::{Call, NotRun, Offered, Reply, Tool, Why};

/// Characters of a call's arguments that go into the log.
const LOGGED_CHARS: usize = 200;

/// The answer of the tool, or `None` when it was stopped: then nobody waits for one.
pub(super) async fn run(
    session: &Session,
    offered: Offered,
    arguments: Map<String, Value>,
    stop: &Stop,
) -> Option<Reply> {
    let Offered { toolset, tool } = offered;
    session.host.count_call();
    // Outside the macro, which has a `Value` of its own.
    let shown = cut(&Value::Object(arguments.clone()).to_string());
    tracing::info!(
        session = session.number,
        toolset = toolset.name,
        tool = tool.name,
        arguments = shown,
        "call"
    );
    let Some(project) = session.host.project() else {
        let message = format!("symd was started outside any project: {HOW_TO_CHOOSE}");
        return Some((toolset.refuse)(&NotRun { why: Why::NoProject, message }));
    };
    let for_programs = arguments.get("format").is_some_and(|format| format == "json");
    let started = Instant::now();
    let mut running = None;
    let mut call = Some(Call {
        project,
        toolset,
        tool: tool.name,
        arguments,
        client: Arc::clone(&session.client),
        cancel: stop.flag(),
    });
    let answered = std::future::poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| {
            if let Some(call) = call.take() {
                running = Some((tool.run)(call));
            }
            running.as_mut().map_or(Poll::Pending, |running| running.as_mut().poll(context))
        }));
        polled.unwrap_or_else(|_| {
            let message = format!(
                "{}: symd failed inside this tool; `symd logs` shows where. Other tools go on working.",
                tool.name
            );
            Poll::Ready((toolset.refuse)(&NotRun { why: Why::Broken, message }))
        })
    });
    let reply = tokio::select! {
        biased;
        // A tool that looks at its flag may end before we do; its last words concern nobody.
        reply = answered => (!stop.flag().is_cancelled()).then_some(reply),
        () = stop.stopped() => None,
    };
    let reply = reply.map(|reply| if for_programs { reply } else { with_recovered(session, tool, reply) });
    let outcome = reply.as_ref().map(|reply| reply.outcome);
    let ms = started.elapsed().as_millis();
    tracing::debug!(session = session.number, tool = tool.name, ?outcome, %ms, "answered");
    reply
}

/// The first answer of symd's own contract after a start says what was recovered; the other contracts' texts are fixed.
fn with_recovered(session: &Session, tool: &'static Tool, mut reply: Reply) -> Reply {
    if NATIVE.tools.iter().any(|known| std::ptr::eq(known, tool))
        && let Some(operations) = session.host.tell_recovered()
    {
        let told: String = operations.iter().map(|operation| format!("[recovered: {operation}]\n")).collect();
        reply.text.insert_str(0, &told);
    }
    reply
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LOGGED_CHARS) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
