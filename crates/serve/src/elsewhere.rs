//! The project that a connection has changed to, where that is not the daemon's own: its calls are made by that
//! project's daemon, so that there is still one daemon, one index and one editor per project. Invariant: a connection
//! has at most one link, which ends with it, and with the link everything that the other daemon does for it.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

use crate::approvals::ask::{ApprovalAnswer, ApprovalPrompt, Judged, KnownAnswer};
use crate::approvals::{ApprovalRequest, Question};
use crate::in_flight::Stop;
use crate::link::{Link, LinkError};
use crate::protocol::CALL;
use crate::run::{Ran, not_approved};
use crate::session::Session;
use symd_config::projects::Registered;
use symd_toolsets::{Approved, Client, NotRun, Offered, Outcome, Reply, Why};

/// The link of one connection.
#[derive(Debug, Default)]
pub(super) struct Elsewhere(Mutex<Option<Arc<Link>>>);

impl Elsewhere {
    /// The link to `project`, made if there is none.
    async fn link(&self, project: &Registered, client: &Client) -> Result<Arc<Link>, LinkError> {
        if let Some(link) = self.known(project) {
            return Ok(link);
        }
        let root = project.root.clone();
        let is_there = move || root.canonicalize().is_ok_and(|found| found == root);
        // It may lie on a disk that does not answer.
        if !tokio::task::spawn_blocking(is_there).await.unwrap_or(false) {
            // A link in its place could lead anywhere.
            let why = format!(
                "{} is not there any more; if the project has moved, its user has to run `symd start` in its new place",
                project.root.display()
            );
            return Err(LinkError::Unreachable(why));
        }
        let made = Arc::new(Link::connect(&project.root, client).await?);
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.as_ref().filter(|link| link.serves(&project.root)) {
            // Another call was faster; what it began lives on that link.
            Some(link) => Ok(Arc::clone(link)),
            None => {
                *slot = Some(Arc::clone(&made));
                Ok(made)
            }
        }
    }

    fn known(&self, project: &Registered) -> Option<Arc<Link>> {
        let slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().filter(|link| link.serves(&project.root)).map(Arc::clone)
    }
}

/// Lets the daemon of `project` make the call; `None` when it was stopped.
///
/// That daemon decides whether it may run; a question of its comes back to us, and the user's answer goes to it.
pub(super) async fn call(
    session: &Session,
    project: &Registered,
    offered: Offered,
    arguments: Map<String, Value>,
    asker: &mut impl ApprovalPrompt,
    stop: &Stop,
) -> Ran {
    let Offered { toolset, tool } = offered;
    let failed = |error: &LinkError| {
        let message = format!("project '{}' does not answer: {error}", project.name);
        Ran::Reply((toolset.refuse)(&NotRun { why: Why::Broken, message }))
    };
    let link = tokio::select! {
        biased;
        link = session.elsewhere.link(project, &session.client) => link,
        () = stop.stopped() => return Ran::Stopped,
    };
    let link = match link {
        Ok(link) => link,
        Err(error) => return failed(&error),
    };
    if session.asking.is_the_users() {
        link.show_whose().await;
    }
    let wanted = ApprovalRequest::new(offered, arguments, &project.root);
    let params = |answer: Option<&str>| {
        json!({
            "tool": tool.name, "arguments": wanted.arguments, "toolset": [toolset.name],
            "can_ask": true, "answer": answer,
        })
    };
    let answer = match link.request(CALL, params(None), stop).await {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => return failed(&error),
        None => return Ran::Stopped,
    };
    let Some(question) = Question::of_answer(&answer) else { return Ran::Reply(reply(answer)) };
    let said = tokio::select! {
        biased;
        () = stop.stopped() => return Ran::Stopped,
        said = asker.ask(&wanted, &question) => said.judged(&wanted, &question),
    };
    let word = match said {
        Judged::Yes(word) => word.name(),
        Judged::Refused(why) => return not_approved(offered, why),
        Judged::Pending => return Ran::Ask(question),
    };
    match link.request(CALL, params(Some(word)), stop).await {
        Some(Ok(answer)) => Ran::Reply(reply(answer)),
        Some(Err(error)) => failed(&error),
        None => Ran::Stopped,
    }
}

/// Changes the connection to `project`, if it answers; its answer says what it is.
pub(super) async fn activate(
    session: &Session,
    project: Registered,
    offered: Offered,
    approved: Approved,
    stop: &Stop,
) -> Option<Reply> {
    let mut asker = match approved {
        // They were asked about this very step, and are not asked again.
        Approved::ByUser => KnownAnswer(ApprovalAnswer::Once),
        _ => {
            KnownAnswer(ApprovalAnswer::Unasked("the project's daemon asks about changing to it".to_owned()))
        }
    };
    // The path: its daemon is asked to activate its own project, which always works.
    let root = project.root.display().to_string();
    let arguments = Map::from_iter([("project".to_owned(), Value::String(root))]);
    let Ran::Reply(reply) = call(session, &project, offered, arguments, &mut asker, stop).await else {
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
        // Most answers have none, and an older daemon sends none.
        image: serde_json::from_value(answer["image"].take()).ok(),
        text: answer["text"].as_str().unwrap_or_default().to_owned(),
    }
}
