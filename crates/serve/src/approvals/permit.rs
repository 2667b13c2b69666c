//! The sequence of decision, question and answer for one call, independent of the protocol that carries the
//! question.

use std::sync::Arc;

use crate::host::Host;
use crate::session::Session;
use symd_toolsets::{ApprovalSource, PendingCall, Reach, Reply};

use tokio::time::Instant;

use super::ask::{ApprovalAnswer, ApprovalOutcome, ApprovalPrompt, Yes};
use super::connection_state::ApprovalState;
use super::decide::Offer;
use super::deferred::DeferredQuestion;
use super::{ApprovalRequest, Decision, Question, refusal};

/// The outcome for a call, after the user was asked where necessary.
#[derive(Debug)]
pub(crate) enum CallPermission {
    /// The call runs.
    Run(ApprovalSource),
    /// The call does not run; the reason.
    Refused(String),
    /// The call cannot succeed, whatever the user answers; the tool's own reply.
    WouldFail(Reply),
    /// The client that made the call has to ask the user.
    Pending(Question),
}

/// Decides about a call and asks the user where necessary. If only the user's own approval suffices,
/// `because` says why.
pub(crate) async fn permit(
    session: &Session,
    wanted: &Arc<ApprovalRequest>,
    because: Option<&str>,
    prompt: &mut impl ApprovalPrompt,
) -> CallPermission {
    let host = &session.host;
    let question = match decide(host, wanted, because).await {
        // A yes covers a receiver for the whole connection, unless a setting demands a question each time.
        Decision::Ask(Question { offer: Offer::Always, because: None, .. })
            if session.asking.has_kept_receivers(wanted) =>
        {
            return CallPermission::Run(ApprovalSource::ByUser);
        }
        Decision::Run(approved) if applies_over_connection(approved, wanted, &session.asking) => {
            return CallPermission::Run(approved);
        }
        Decision::Run(_) => return CallPermission::Refused(refusal::connection_not_proved(wanted)),
        Decision::Refuse(why) => return CallPermission::Refused(why),
        Decision::Ask(question) => question,
    };
    if let Err(reply) = check(host, wanted).await {
        return CallPermission::WouldFail(reply);
    }
    let answer = ask(session, wanted, &question, prompt).await;
    let number = match answer {
        ApprovalAnswer::Deferred(number, _) => Some(number),
        _ => None,
    };
    match answer.outcome(wanted, &question) {
        ApprovalOutcome::Pending => return CallPermission::Pending(Question { number, ..question }),
        ApprovalOutcome::Refused(why) => return CallPermission::Refused(why),
        ApprovalOutcome::Yes(Yes::Always) => remember(host, wanted).await,
        ApprovalOutcome::Yes(Yes::Once) => {}
    }
    session.asking.keep_receivers(wanted);
    // The call may have been denied while the user was asked.
    match decide(host, wanted, because).await {
        Decision::Refuse(why) => CallPermission::Refused(why),
        Decision::Run(_) | Decision::Ask(_) => CallPermission::Run(ApprovalSource::ByUser),
    }
}

/// Asks the user through the client that made the call and, while that is not answered, in the editors that have the
/// project open. A client that cannot ask leaves it to them.
async fn ask(
    session: &Session,
    wanted: &ApprovalRequest,
    question: &Question,
    prompt: &mut impl ApprovalPrompt,
) -> ApprovalAnswer {
    let deadline = Instant::now() + session.host.limits().approval();
    let by = session.client.name();
    let mut in_editors = session.host.editor_prompts().question(by, question);
    let answer = tokio::select! {
        biased;
        answer = prompt.ask(wanted, question) => answer,
        Some(answer) = in_editors.answer() => {
            prompt.withdraw("the user answered in an editor").await;
            return answer;
        }
    };
    let why = match answer {
        ApprovalAnswer::Unasked(why) => why,
        ApprovalAnswer::Deferred(number, asked) => {
            session.asking.defer(number, DeferredQuestion::new(in_editors, deadline, asked));
            return answer;
        }
        answer => return answer,
    };
    match tokio::time::timeout_at(deadline, in_editors.answer()).await {
        Ok(Some(answer)) => answer,
        Ok(None) | Err(_) => ApprovalAnswer::Unasked(why),
    }
}

/// Whether a permission is valid over this connection. A rule about a command was written for the user's own
/// clients: another client could send an environment in which `git` is a different program.
fn applies_over_connection(
    approved: ApprovalSource,
    wanted: &ApprovalRequest,
    asking: &ApprovalState,
) -> bool {
    approved == ApprovalSource::ByPolicy
        || wanted.offered.tool.reach == Reach::Project
        || asking.is_trusted_user()
}

async fn decide(host: &Arc<Host>, wanted: &Arc<ApprovalRequest>, because: Option<&str>) -> Decision {
    if let Some(decision) = host.approvals().and_then(|approvals| approvals.try_decide(wanted, because)) {
        return decision;
    }
    let (host, wanted, because) = (Arc::clone(host), Arc::clone(wanted), because.map(str::to_owned));
    // `decide` reads files, which may be on a network.
    let decided = tokio::task::spawn_blocking(move || match host.approvals() {
        Some(approvals) => approvals.decide(&wanted, because.as_deref()),
        None => Decision::Refuse("this symd cannot approve calls".to_owned()),
    });
    decided.await.unwrap_or_else(|error| Decision::Refuse(format!("internal error (a bug in symd): {error}")))
}

/// Checks the arguments before the user is asked: no question, and no advice how to allow the call, for a
/// call that cannot run.
async fn check(host: &Arc<Host>, wanted: &Arc<ApprovalRequest>) -> Result<(), Reply> {
    let (host, wanted) = (Arc::clone(host), Arc::clone(wanted));
    // Parsing a long patch takes time.
    let checked = tokio::task::spawn_blocking(move || {
        // Without a project, no tool with a long answer runs.
        let max_answer_chars = host.project().map_or(usize::MAX, |project| project.max_answer_chars);
        let check = wanted.offered.tool.check;
        check(&PendingCall { arguments: &wanted.arguments, root: host.root(), max_answer_chars })
    });
    // If the check panics, the tool panics too and reports it then.
    checked.await.unwrap_or(Ok(()))
}

async fn remember(host: &Arc<Host>, wanted: &Arc<ApprovalRequest>) {
    let (host, wanted) = (Arc::clone(host), Arc::clone(wanted));
    let remembered =
        tokio::task::spawn_blocking(move || host.approvals().map(|approvals| approvals.remember(&wanted)));
    match remembered.await {
        Ok(Some(Ok(ids))) => tracing::info!(?ids, "the user always allows this call"),
        // The user has approved this call in any case.
        Ok(Some(Err(error))) => tracing::warn!(%error, "cannot store the rule that allows this call"),
        Ok(None) => {}
        Err(error) => tracing::error!(%error, "cannot store the rule that allows this call"),
    }
}
