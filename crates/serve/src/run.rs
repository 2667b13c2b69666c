//! Runs one tool call for any client: logs it, obtains its approval, finds the project in which it runs,
//! stops it on request, and turns a panic into an answer, so that every request gets one. Invariant: a tool
//! runs only with a permission.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use serde_json::{Map, Value};

use crate::answer_marks::with_marks;
use crate::approvals::ask::ApprovalPrompt;
use crate::approvals::permit::{CallPermission, permit};
use crate::approvals::{ApprovalRequest, Question};
use crate::log::{short, short_arguments};
use crate::other_project;
use crate::session::Session;
use symd_base::state::StateDirs;
use symd_config::projects::Projects;
use symd_config::roots::HOW_TO_CHOOSE;
use symd_ops::Project;
use symd_rpc::in_flight::Stop;
use symd_toolsets::native::untold_texts::Format;
use symd_toolsets::spellings;
use symd_toolsets::{
    ApprovalSource, Call, CallRefusal, ConnectionCall, ConnectionOutcome, ConnectionTool, Offered, Outcome,
    Reach, RefusalReason, Reply, Risk,
};

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum CallOutcome {
    /// The call has a reply.
    Reply(Reply),
    /// The client that made the call has to ask the user.
    Ask(Question),
    /// The call was stopped; no client waits for a reply.
    Stopped,
}

/// Runs a call if it is permitted; `prompt` asks the user where necessary.
pub(super) async fn run(
    session: &Session,
    offered: Offered,
    arguments: Map<String, Value>,
    prompt: &mut impl ApprovalPrompt,
    stop: &Stop,
) -> CallOutcome {
    session.host.count_call();
    let started = Instant::now();
    let arguments = cleaned(offered, arguments).await;
    tracing::info!(
        session = session.number,
        toolset = offered.toolset.name,
        tool = offered.tool.name,
        arguments = short_arguments(&arguments),
        "call"
    );
    let ran = ran(session, offered, arguments, prompt, stop).await;
    let ms = started.elapsed().as_millis();
    let (outcome, result) = match &ran {
        CallOutcome::Reply(reply) => (reply.outcome.name(), short(&reply.text)),
        CallOutcome::Ask(_) => ("ask", String::new()),
        CallOutcome::Stopped => ("stopped", String::new()),
    };
    tracing::debug!(session = session.number, tool = offered.tool.name, outcome, result, %ms, "answered");
    ran
}

/// Returns the arguments as the tool lets them be logged, shown to the user and kept.
async fn cleaned(offered: Offered, arguments: Map<String, Value>) -> Map<String, Value> {
    let Some(clean) = offered.tool.clean else { return arguments };
    let cleaned = tokio::task::spawn_blocking(move || clean(arguments));
    // Arguments that cannot be cleaned are not used: the tool misses its parameters, and refuses.
    cleaned.await.unwrap_or_default()
}

async fn ran(
    session: &Session,
    offered: Offered,
    arguments: Map<String, Value>,
    prompt: &mut impl ApprovalPrompt,
    stop: &Stop,
) -> CallOutcome {
    if let Some(refusal) = (offered.toolset.disabled)(&session.client, offered.tool.name) {
        return CallOutcome::Reply(refusal);
    }
    let turner = offered.tool.on_connection();
    if turner.is_none() {
        if let Some(project) = session.client.project_override() {
            // That project's daemon decides, by the same settings file of the user and by that project's own.
            return other_project::call(session, &project, offered, arguments, prompt, stop).await;
        }
        if session.host.project().is_none() {
            let message = format!("symd was started outside any project: {HOW_TO_CHOOSE}");
            return CallOutcome::Reply((offered.toolset.refuse)(&CallRefusal {
                why: RefusalReason::NoProject,
                message,
            }));
        }
    }
    let (offered, arguments) = match spellings::normalize_call(offered, session.host.root(), arguments) {
        Ok(put) => put,
        Err(why) => return CallOutcome::Reply(Reply::failed(why)),
    };
    let outgoing = match (offered.tool.outgoing, session.host.project()) {
        (Some(plan), Some(project)) => match until_stopped(plan(project, &arguments), stop).await {
            None => return CallOutcome::Stopped,
            Some(Err(reply)) => return CallOutcome::Reply(reply),
            Some(Ok(outgoing)) => Some(outgoing),
        },
        _ => None,
    };
    let mut wanted = ApprovalRequest::new(offered, arguments, session.host.root());
    wanted.outgoing = outgoing;
    let repeated = prompt.repeated_question(&wanted);
    // Where the call needed no answer, editors may still show the question of the earlier one.
    let withdraw = || repeated.into_iter().for_each(|nonce| session.asking.withdraw_question(nonce));
    let mut because: Option<String> = None;
    loop {
        let shared = Arc::new(wanted);
        let permission = tokio::select! {
            biased;
            () = stop.stopped() => return CallOutcome::Stopped,
            permission = permit(session, &shared, because.as_deref(), prompt) => permission,
        };
        let approved = match permission {
            CallPermission::Run(approved) => approved,
            CallPermission::Refused(message) => {
                withdraw();
                return not_approved(offered, message);
            }
            CallPermission::WouldFail(reply) => {
                withdraw();
                return CallOutcome::Reply(reply);
            }
            CallPermission::Pending(question) => return CallOutcome::Ask(question),
        };
        // Arguments of an edit may be long. A tool that does not reach beyond the project never asks for more
        // approval than it was given, so its request is not cloned.
        let again = (approved != ApprovalSource::ByUser && offered.tool.reach == Reach::BeyondProject)
            .then(|| ApprovalRequest::clone(&shared));
        if again.is_none() {
            withdraw();
        }
        // This is the only reference left, so nothing is copied.
        let now = Arc::unwrap_or_clone(shared);
        let reply = match (turner, session.host.project()) {
            (Some(turner), _) => on_connection(session, now, turner, approved, stop).await,
            (None, Some(project)) => in_project(session, project, now, approved, stop).await,
            // Unreachable: a call without a project has returned above.
            (None, None) => None,
        };
        match (reply, again) {
            (Some(Reply { outcome: Outcome::NeedsUser, text, .. }), Some(again)) => {
                (wanted, because) = (again, Some(text));
            }
            // The tool has the user's approval or can never need it: a bug in symd, which must not permit the
            // call.
            (Some(Reply { outcome: Outcome::NeedsUser, text, .. }), None) => {
                return not_approved(offered, text);
            }
            (Some(reply), _) => {
                withdraw();
                return CallOutcome::Reply(reply);
            }
            (None, _) => return CallOutcome::Stopped,
        }
    }
}

/// Returns the refusal of a call that was not approved, in its contract's shape.
pub(super) fn not_approved(offered: Offered, message: String) -> CallOutcome {
    let reply = (offered.toolset.refuse)(&CallRefusal { why: RefusalReason::NotApproved, message });
    CallOutcome::Reply(Reply { outcome: Outcome::Denied, ..reply })
}

/// Runs the tool on this daemon's project.
async fn in_project(
    session: &Session,
    project: &Project,
    wanted: ApprovalRequest,
    approved: ApprovalSource,
    stop: &Stop,
) -> Option<Reply> {
    let ApprovalRequest { offered, arguments, outgoing, .. } = wanted;
    let Offered { toolset, tool } = offered;
    // What a command reads is on the disk.
    let silent = match tool.risk {
        Risk::Dangerous => None,
        Risk::ReadOnly | Risk::SafeWrite => until_stopped(project.buffers.await_texts(), stop).await?,
    };
    let for_programs = arguments.get("format").is_some_and(|format| format == "json");
    let named: Vec<String> = ["relative_path", "path"]
        .iter()
        .filter_map(|name| arguments.get(*name)?.as_str().map(str::to_owned))
        .collect();
    let call = Call {
        project,
        toolset,
        tool: tool.name,
        arguments,
        client: Arc::clone(&session.client),
        outgoing,
        approved,
        cancel: stop.flag(),
    };
    let reply = until_stopped(catch_panics(offered, || tool.run(call), |reply| reply), stop).await;
    // An editor's texts may have gone while the tool ran: its connection ended.
    let gone = || (tool.risk != Risk::Dangerous).then(|| project.buffers.untold()).flatten();
    let silent = silent.or_else(gone);
    let format = if for_programs { Format::Json } else { Format::Text };
    reply.map(|reply| with_marks(session, project, (offered, format), (&named, silent.as_ref()), reply))
}

/// Runs a tool that acts on the connection itself.
async fn on_connection(
    session: &Session,
    wanted: ApprovalRequest,
    turner: ConnectionTool,
    approved: ApprovalSource,
    stop: &Stop,
) -> Option<Reply> {
    let ApprovalRequest { offered, arguments, .. } = wanted;
    let dirs = StateDirs::from_env();
    let connected = ConnectionCall {
        own: session.host.project().map(|project| (project, session.host.root())),
        projects: dirs.map(|dirs| Projects::new(&dirs.persistent.state)).map_err(|error| error.to_string()),
        tool: offered.tool.name,
        arguments,
        client: Arc::clone(&session.client),
    };
    match until_stopped(catch_panics(offered, || turner(connected), ConnectionOutcome::Answer), stop).await? {
        ConnectionOutcome::Answer(reply) => Some(reply),
        ConnectionOutcome::Activate(project) => {
            other_project::activate(session, project, offered, approved, stop).await
        }
    }
}

/// Polls the result of `start` to its end. Turns a panic, in `start` or later, into an answer.
async fn catch_panics<'a, T>(
    offered: Offered,
    start: impl FnOnce() -> Pin<Box<dyn Future<Output = T> + Send + 'a>> + Send,
    answer: impl Fn(Reply) -> T,
) -> T {
    let mut start = Some(start);
    let mut running = None;
    std::future::poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| {
            if let Some(start) = start.take() {
                running = Some(start());
            }
            running.as_mut().map_or(Poll::Pending, |running| running.as_mut().poll(context))
        }));
        polled.unwrap_or_else(|_| {
            let message = format!(
                "{}: internal error in this tool (a bug in symd); see `symd logs`. Other tools still work.",
                offered.tool.name
            );
            Poll::Ready(answer((offered.toolset.refuse)(&CallRefusal {
                why: RefusalReason::InternalError,
                message,
            })))
        })
    })
    .await
}

/// Returns the result of `work`; `None` if it is stopped first.
async fn until_stopped<T>(work: impl Future<Output = T>, stop: &Stop) -> Option<T> {
    tokio::select! {
        biased;
        // A tool that checks its flag may finish before we notice the stop; its result is discarded.
        done = work => (!stop.flag().is_cancelled()).then_some(done),
        () = stop.stopped() => None,
    }
}
