//! Calls of a connection that has switched to another project: that project's own daemon makes them, so there
//! is still one daemon, one index and one editor per project. Invariant: a connection has at most one link.
//! The link ends with the connection, and with the link ends all that the other daemon does for it.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::approvals::ask::{ApprovalAnswer, ApprovalOutcome, ApprovalPrompt, FixedAnswer};
use crate::approvals::{ApprovalRequest, Question};
use crate::link::{Link, LinkError};
use crate::protocol::{CALL, QUESTION};
use crate::run::{CallOutcome, not_approved};
use crate::session::Session;
use symd_config::projects::RegisteredProject;
use symd_rpc::in_flight::Stop;
use symd_toolsets::{ApprovalSource, CallRefusal, Client, Offered, Outcome, RefusalReason, Reply};

/// The link of one connection, if it has one.
#[derive(Debug, Default)]
pub(super) struct ProjectLink(Mutex<Option<Arc<Link>>>);

impl ProjectLink {
    /// Returns the link to `project`; creates it if there is none.
    async fn link(&self, project: &RegisteredProject, client: &Client) -> Result<Arc<Link>, LinkError> {
        if let Some(link) = self.known(project) {
            return Ok(link);
        }
        let root = project.root.clone();
        let is_there = move || root.canonicalize().is_ok_and(|found| found == root);
        // The project may be on a disk that does not respond.
        if !tokio::task::spawn_blocking(is_there).await.unwrap_or(false) {
            // A symlink in its place could lead anywhere.
            let why = format!(
                "{} does not exist any more; if the project has moved, the user has to run `symd start` in its new directory",
                project.root.display()
            );
            return Err(LinkError::Unreachable(why));
        }
        let made = Arc::new(Link::connect(&project.root, client).await?);
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.as_ref().filter(|link| link.serves(&project.root)) {
            // Another call was faster; state that it created lives on that link.
            Some(link) => Ok(Arc::clone(link)),
            None => {
                *slot = Some(Arc::clone(&made));
                Ok(made)
            }
        }
    }

    fn known(&self, project: &RegisteredProject) -> Option<Arc<Link>> {
        let slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().filter(|link| link.serves(&project.root)).map(Arc::clone)
    }
}

/// Forwards the call to the daemon of `project`.
///
/// That daemon decides whether the call may run. If it has an approval question, we ask it and return the
/// user's answer.
pub(super) async fn call(
    session: &Session,
    project: &RegisteredProject,
    offered: Offered,
    arguments: Map<String, Value>,
    prompt: &mut impl ApprovalPrompt,
    stop: &Stop,
) -> CallOutcome {
    let Offered { toolset, tool } = offered;
    let failed = |error: &LinkError| {
        let message = format!("project '{}' does not answer: {error}", project.name);
        CallOutcome::Reply((toolset.refuse)(&CallRefusal { why: RefusalReason::InternalError, message }))
    };
    let link = tokio::select! {
        biased;
        link = session.elsewhere.link(project, &session.client) => link,
        () = stop.stopped() => return CallOutcome::Stopped,
    };
    let link = match link {
        Ok(link) => link,
        Err(error) => return failed(&error),
    };
    if session.asking.is_trusted_user() {
        link.prove_ownership().await;
    }
    let wanted = ApprovalRequest::new(offered, arguments, &project.root);
    let params = |answer: Option<&str>, question: Option<u64>| {
        let mut params = json!({
            "tool": tool.name, "arguments": wanted.arguments, "toolset": [toolset.name],
            "can_ask": true, "answer": answer,
        });
        if let Some(question) = question {
            params["question"] = json!(question);
        }
        params
    };
    // Editors may have answered the question that was the result of an earlier call.
    let repeated = prompt.repeated_question(&wanted);
    let earlier = repeated.and_then(|nonce| session.asking.take_elsewhere(nonce));
    let answer = match link.request(CALL, params(None, earlier), stop).await {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return failed(&error),
        None => return CallOutcome::Stopped,
    };
    if let Some(nonce) = repeated.filter(|_| answer.get("ask").is_none()) {
        // It was answered, or needed no answer: neither counts again.
        session.asking.withdraw_question(nonce);
    }
    let Some(question) = Question::of_answer(&answer) else { return CallOutcome::Reply(reply(answer)) };
    let withdraw = async || {
        if let Some(number) = question.number {
            link.begin(QUESTION, json!({ "question": number, "withdrawn": true })).await;
        }
    };
    let answer = tokio::select! {
        biased;
        () = stop.stopped() => {
            withdraw().await;
            return CallOutcome::Stopped;
        }
        answer = ask(session, &wanted, &question, (&link, stop), prompt) => answer,
    };
    if let (Some(ApprovalAnswer::Deferred(nonce, _)), Some(number)) = (&answer, question.number) {
        session.asking.keep_elsewhere(*nonce, number);
        link.begin(QUESTION, json!({ "question": number })).await;
    }
    let word = match answer.map(|answer| answer.outcome(&wanted, &question)) {
        None => None,
        Some(ApprovalOutcome::Yes(word)) => Some(word.name()),
        Some(ApprovalOutcome::Refused(why)) => {
            withdraw().await;
            return not_approved(offered, why);
        }
        // Its number is one of the link's.
        Some(ApprovalOutcome::Pending) => return CallOutcome::Ask(Question { number: None, ..question }),
    };
    match link.request(CALL, params(word, question.number), stop).await {
        Some(Ok(answer)) => CallOutcome::Reply(reply(answer)),
        Some(Err(error)) => failed(&error),
        None => CallOutcome::Stopped,
    }
}

/// Asks the user through our client and, while that is not answered, in the editors of the other project. `None` if the user
/// answered there: the other daemon knows the answer.
async fn ask(
    session: &Session,
    wanted: &ApprovalRequest,
    question: &Question,
    (link, stop): (&Link, &Stop),
    prompt: &mut impl ApprovalPrompt,
) -> Option<ApprovalAnswer> {
    let deadline = Instant::now() + session.host.limits().approval();
    let elsewhere = async {
        let Some(number) = question.number else { return false };
        let answer = link.request(QUESTION, json!({ "question": number }), stop).await;
        matches!(answer, Some(Ok(answer)) if answer["answered"] == true)
    };
    let mut elsewhere = std::pin::pin!(elsewhere);
    let answer = tokio::select! {
        biased;
        answer = prompt.ask(wanted, question) => answer,
        true = &mut elsewhere => {
            prompt.withdraw("the user answered in an editor").await;
            return None;
        }
    };
    // A client that cannot ask leaves it to them.
    if matches!(answer, ApprovalAnswer::Unasked(_))
        && tokio::time::timeout_at(deadline, elsewhere).await == Ok(true)
    {
        return None;
    }
    Some(answer)
}

/// Switches the connection to `project` if its daemon answers; returns that daemon's answer. `None` if
/// stopped.
pub(super) async fn activate(
    session: &Session,
    project: RegisteredProject,
    offered: Offered,
    approved: ApprovalSource,
    stop: &Stop,
) -> Option<Reply> {
    let mut prompt = match approved {
        // The user has approved this very switch and is not asked again.
        ApprovalSource::ByUser => FixedAnswer(ApprovalAnswer::Once),
        _ => {
            FixedAnswer(ApprovalAnswer::Unasked("the project's daemon asks about changing to it".to_owned()))
        }
    };
    // The path, not the name: the other daemon activates its own project, which always works.
    let root = project.root.display().to_string();
    let arguments = Map::from_iter([("project".to_owned(), Value::String(root))]);
    let CallOutcome::Reply(reply) = call(session, &project, offered, arguments, &mut prompt, stop).await
    else {
        return None;
    };
    if reply.outcome == Outcome::Done {
        session.client.activate(Some(project));
    }
    Some(reply)
}

fn reply(mut answer: Value) -> Reply {
    let outcome = answer["outcome"].as_str().unwrap_or_default();
    Reply {
        outcome: Outcome::named(outcome).unwrap_or(Outcome::Failed),
        // Most answers have no image, and an older daemon sends none.
        image: serde_json::from_value(answer["image"].take()).ok(),
        ..Reply::done(answer["text"].as_str().unwrap_or_default())
    }
}
