//! The way of one call through decision, question and answer to permission or refusal, whatever carries the question.

use std::sync::Arc;

use crate::host::Host;
use crate::session::Session;
use symd_toolsets::{Approved, Offered, Proposed, Reach, Reply};

use super::ask::{ApprovalPrompt, Judged, Yes};
use super::asking::Asking;
use super::{ApprovalRequest, Decision, Question, refusal};

/// What becomes of a call after the user was asked, where that was needed.
#[derive(Debug)]
pub(crate) enum Permission {
    /// It runs.
    Run(Approved),
    /// It does not; why.
    Refused(String),
    /// It cannot, whatever the user says: its tool's own answer.
    Useless(Reply),
    /// The user is to be asked by whoever made the call.
    Pending(Question),
}

/// Decides about a call and asks where that is wanted. Where only the user's own word will do, `because` says why.
pub(crate) async fn permit(
    session: &Session,
    wanted: &Arc<ApprovalRequest>,
    because: Option<&str>,
    asker: &mut impl ApprovalPrompt,
) -> Permission {
    let host = &session.host;
    let question = match decide(host, wanted, because).await {
        Decision::Run(approved) if holds(approved, wanted, &session.asking) => {
            return Permission::Run(approved);
        }
        Decision::Run(_) => return Permission::Refused(refusal::held_back(wanted)),
        Decision::Refuse(why) => return Permission::Refused(why),
        Decision::Ask(question) => question,
    };
    if let Err(reply) = check(host, wanted).await {
        return Permission::Useless(reply);
    }
    match asker.ask(wanted, &question).await.judged(wanted, &question) {
        Judged::Pending => return Permission::Pending(question),
        Judged::Refused(why) => return Permission::Refused(why),
        Judged::Yes(Yes::Always) => remember(host, wanted).await,
        Judged::Yes(Yes::Once) => {}
    }
    // Meanwhile somebody may have denied it.
    match decide(host, wanted, because).await {
        Decision::Refuse(why) => Permission::Refused(why),
        Decision::Run(_) | Decision::Ask(_) => Permission::Run(Approved::ByUser),
    }
}

/// Whether what allows a call holds over this connection. A rule about one command was made for the user's own clients:
/// another could come with an environment in which `git` is something else.
fn holds(approved: Approved, wanted: &ApprovalRequest, asking: &Asking) -> bool {
    approved == Approved::ByPolicy || wanted.offered.tool.reach == Reach::Project || asking.is_the_users()
}

async fn decide(host: &Arc<Host>, wanted: &Arc<ApprovalRequest>, because: Option<&str>) -> Decision {
    if let Some(decision) = host.approvals().and_then(|approvals| approvals.decide_at_hand(wanted, because)) {
        return decision;
    }
    let (host, wanted, because) = (Arc::clone(host), Arc::clone(wanted), because.map(str::to_owned));
    // It reads files, which may lie on a network.
    let decided = tokio::task::spawn_blocking(move || match host.approvals() {
        Some(approvals) => approvals.decide(&wanted, because.as_deref()),
        None => Decision::Refuse("this symd has no approvals".to_owned()),
    });
    decided.await.unwrap_or_else(|error| Decision::Refuse(format!("symd failed to decide about it: {error}")))
}

/// Nobody is asked about a call, or told how to allow it, that says by itself that it cannot run.
async fn check(host: &Arc<Host>, wanted: &Arc<ApprovalRequest>) -> Result<(), Reply> {
    let (host, wanted) = (Arc::clone(host), Arc::clone(wanted));
    // A patch may be long.
    let checked = tokio::task::spawn_blocking(move || {
        let Offered { toolset, tool } = wanted.offered;
        // Without a project no tool runs that has a long answer.
        let max_answer_chars = host.project().map_or(usize::MAX, |project| project.max_answer_chars);
        let arguments = &wanted.arguments;
        (toolset.check)(&Proposed { tool: tool.name, arguments, root: host.root(), max_answer_chars })
    });
    // What breaks here breaks when it runs, and is told then.
    checked.await.unwrap_or(Ok(()))
}

async fn remember(host: &Arc<Host>, wanted: &Arc<ApprovalRequest>) {
    let (host, wanted) = (Arc::clone(host), Arc::clone(wanted));
    let remembered =
        tokio::task::spawn_blocking(move || host.approvals().map(|approvals| approvals.remember(&wanted)));
    match remembered.await {
        Ok(Some(Ok(id))) => tracing::info!(id, "the user always allows this call"),
        // The user said yes at any rate.
        Ok(Some(Err(error))) => tracing::warn!(%error, "that this call is always allowed cannot be kept"),
        Ok(None) => {}
        Err(error) => tracing::error!(%error, "that this call is always allowed cannot be kept"),
    }
}
