//! The `symd/` methods, which symd's own command line sends to the daemon. Contains no MCP.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::approvals::ask::{ApprovalAnswer, ApprovalPrompt};
use crate::approvals::connection_state::{ApprovalState, NOT_THE_USERS};
use crate::approvals::deferred::EditorsAsked;
use crate::approvals::{ApprovalRequest, Question};
use crate::outbox::Outbox;
use crate::protocol::{CALL, PROGRESS, QUESTION, SERVER, SETTLED, STATUS, STOP, TOOLS};
use crate::run::{CallOutcome, run};
use crate::session::Session;
use crate::session::describe;
use symd_ide::wire::NAVIGATE;
use symd_rpc::client_message::{RejectedRequest, RpcRequest};
use symd_rpc::codes::{INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND};
use symd_rpc::in_flight::Ticket;
use symd_rpc::lines::line;
use symd_rpc::write;
use symd_toolsets::Reply;

/// How often a client that waits for the index receives progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// How often a client that waits for a call receives progress.
const CALL_PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Handles one request. Sends no response if the request is stopped.
pub(super) async fn answer(session: Arc<Session>, request: RpcRequest, ticket: Ticket, outbox: Outbox) {
    let id = request.id.clone();
    if request.method == NAVIGATE {
        return navigate(&session, request, &ticket, &outbox).await;
    }
    let line = match result(&session, request, &ticket, &outbox).await {
        Ok(Some(result)) => line(write::result(&id, &result)),
        Ok(None) => return,
        Err(wrong) => wrong.line(),
    };
    // An error means that the client is gone.
    let _ = outbox.send(line).await;
}

/// Answers an editor's question about code. The answer may be large, and is not decoded on its way.
async fn navigate(session: &Session, request: RpcRequest, ticket: &Ticket, outbox: &Outbox) {
    let work = async {
        let project = session.host.project().ok_or("symd serves no project here; open the file's project")?;
        // An editor's lists have no place for what they may lack.
        let _ = project.buffers.await_texts().await;
        symd_ide::navigation::answer(project, Value::Object(request.params)).await
    };
    let answer = tokio::select! {
        answer = work => answer,
        // The request was cancelled.
        () = ticket.stop.stopped() => return,
    };
    let line = match answer {
        Ok(result) => line(write::raw_result(&request.id, result.get())),
        Err(why) => RejectedRequest::new(request.id, INTERNAL_ERROR, why).line(),
    };
    let _ = outbox.send(line).await;
}

async fn result(
    session: &Session,
    request: RpcRequest,
    ticket: &Ticket,
    outbox: &Outbox,
) -> Result<Option<Value>, RejectedRequest> {
    let id = request.id;
    match request.method.as_str() {
        STATUS => {
            let host = Arc::clone(&session.host);
            // `status` inspects the servers' programs and processes, which blocks.
            let status = tokio::task::spawn_blocking(move || host.status()).await;
            status.map(Some).map_err(|error| RejectedRequest::new(id, INTERNAL_ERROR, error.to_string()))
        }
        STOP => {
            session.host.drain();
            Ok(Some(json!({ "stopping": true })))
        }
        TOOLS => {
            let wanted: ToolsParams = params(&id, TOOLS, request.params)?;
            let session = of_toolset(session, &id, &wanted.toolset)?;
            let tools: Vec<Value> = session.tools.iter().map(|offered| describe(offered.tool)).collect();
            Ok(Some(json!({ "tools": tools, "instructions": session.instructions })))
        }
        CALL => {
            let wanted: CallParams = params(&id, CALL, request.params)?;
            let session = of_toolset(session, &id, &wanted.toolset)?;
            let offered = session
                .tool(&wanted.tool)
                .map_err(|message| RejectedRequest::new(id, INVALID_PARAMS, message))?;
            let mut prompt = CommandLine {
                asking: &session.asking,
                answer: wanted.answer,
                question: wanted.question,
                can_ask: wanted.can_ask,
            };
            let call = run(&session, offered, wanted.arguments, &mut prompt, &ticket.stop);
            let ran = match wanted.progress {
                false => Some(call.await),
                true => with_progress(&session, outbox, call).await,
            };
            Ok(ran.and_then(|ran| match ran {
                CallOutcome::Reply(reply) => Some(replied(reply)),
                CallOutcome::Ask(question) => Some(question.to_answer()),
                CallOutcome::Stopped => None,
            }))
        }
        QUESTION => {
            let QuestionParams { question, withdrawn } = params(&id, QUESTION, request.params)?;
            if withdrawn {
                session.asking.withdraw_question(question);
            }
            let answered = match session.asking.ask_editors(question) {
                Some(asked) => tokio::select! {
                    answered = asked.wait() => answered,
                    () = ticket.stop.stopped() => return Ok(None),
                },
                None => false,
            };
            Ok(Some(json!({ "answered": answered })))
        }
        SERVER => {
            let wanted: ServerParams = params(&id, SERVER, request.params)?;
            let Some(project) = session.host.project() else { return Ok(Some(json!({ "done": false }))) };
            let done = match wanted.action {
                ServerAction::Restart => project.servers.restart(&wanted.server).await,
                ServerAction::Stop => project.servers.stop(&wanted.server).await,
            };
            Ok(Some(match done {
                Ok(()) => json!({ "done": true }),
                Err(error) => json!({ "done": false, "error": error.to_string() }),
            }))
        }
        SETTLED => {
            let wanted: SettledParams = params(&id, SETTLED, request.params)?;
            if let (true, Some(project)) = (wanted.retry, session.host.project()) {
                // If the engine has stopped, `wait_until_indexed` below reports it.
                let _ = project.engine.retry_unparsable().await;
            }
            Ok(wait_until_indexed(session, ticket, outbox).await)
        }
        method => {
            Err(RejectedRequest::new(id, METHOD_NOT_FOUND, format!("this daemon knows no method {method}")))
        }
    }
}

/// Returns a reply as JSON. An image is sent beside the text, for clients that cannot show images, such as
/// the command line.
fn replied(reply: Reply) -> Value {
    let mut answer = json!({ "text": reply.text, "outcome": reply.outcome.name() });
    if let Some(image) = reply.image {
        answer["image"] = json!(image);
    }
    answer
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct ToolsParams {
    toolset: Vec<String>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct SettledParams {
    /// Whether to retry quarantined files first.
    retry: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallParams {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(default)]
    toolset: Vec<String>,
    /// Whether to send progress while the call runs.
    #[serde(default)]
    progress: bool,
    /// Whether the client can ask the user.
    #[serde(default)]
    can_ask: bool,
    /// The user's answer to the approval question for this call.
    answer: Option<UsersAnswer>,
    /// The number of that question. An answer that was given to it in an editor before counts instead.
    question: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionParams {
    question: u64,
    /// Whether it needs no answer any more, so that editors show it no longer.
    #[serde(default)]
    withdrawn: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum UsersAnswer {
    Once,
    Always,
    No,
}

/// Asks on the terminal of the command line.
struct CommandLine<'a> {
    asking: &'a ApprovalState,
    answer: Option<UsersAnswer>,
    question: Option<u64>,
    can_ask: bool,
}

impl ApprovalPrompt for CommandLine<'_> {
    async fn ask(&mut self, wanted: &ApprovalRequest, _: &Question) -> ApprovalAnswer {
        if let Some(question) = self.question.take() {
            let elsewhere = self.asking.take_editors_answer(question);
            // An answer counts for the call that was shown.
            if let Some(answer) = elsewhere.filter(|_| self.asking.close_question_about(question, wanted)) {
                return answer;
            }
        }
        match self.answer {
            Some(UsersAnswer::No) => ApprovalAnswer::No,
            Some(_) if !self.asking.is_trusted_user() => ApprovalAnswer::Unasked(NOT_THE_USERS.to_owned()),
            Some(UsersAnswer::Once) => ApprovalAnswer::Once,
            Some(UsersAnswer::Always) => ApprovalAnswer::Always,
            None if self.can_ask => {
                ApprovalAnswer::Deferred(self.asking.open_question_about(wanted), EditorsAsked::OnRequest)
            }
            None => ApprovalAnswer::Unasked(
                "there is no terminal to ask on (`symd call --yes TOOL JSON` approves that one call)"
                    .to_owned(),
            ),
        }
    }

    fn repeated_question(&self, _: &ApprovalRequest) -> Option<u64> {
        self.question
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerParams {
    action: ServerAction,
    server: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ServerAction {
    Restart,
    Stop,
}

fn params<T: for<'de> Deserialize<'de>>(
    id: &Value,
    method: &str,
    params: Map<String, Value>,
) -> Result<T, RejectedRequest> {
    serde_json::from_value(Value::Object(params))
        .map_err(|error| RejectedRequest::new(id.clone(), INVALID_PARAMS, format!("{method}: {error}")))
}

fn of_toolset(session: &Session, id: &Value, names: &[String]) -> Result<Session, RejectedRequest> {
    let chosen = session.host.listings(names);
    Ok(session
        .with_listings(chosen.map_err(|message| RejectedRequest::new(id.clone(), INVALID_PARAMS, message))?))
}

/// Runs `call` and sends progress notifications meanwhile. `None` if the client is gone.
async fn with_progress(
    session: &Session,
    outbox: &Outbox,
    call: impl Future<Output = CallOutcome>,
) -> Option<CallOutcome> {
    let mut call = std::pin::pin!(call);
    let first = tokio::time::Instant::now() + CALL_PROGRESS_EVERY;
    let mut tick = tokio::time::interval_at(first, CALL_PROGRESS_EVERY);
    loop {
        tokio::select! {
            biased;
            ran = &mut call => return Some(ran),
            _ = tick.tick() => {
                let told = session.host.project().map(|project| {
                    let status = project.engine.status();
                    let (files, unread) = (status.files, status.unread_files);
                    json!({ "doing": project.doing(), "files": files, "unread": unread })
                });
                let progress = write::notification(PROGRESS, Some(told.unwrap_or_else(|| json!({}))));
                outbox.send(line(progress)).await.ok()?;
            }
        }
    }
}

async fn wait_until_indexed(session: &Session, ticket: &Ticket, outbox: &Outbox) -> Option<Value> {
    let project = session.host.project()?;
    let mut settled = std::pin::pin!(project.engine.wait_until_fresh());
    let mut tick = tokio::time::interval(PROGRESS_EVERY);
    loop {
        tokio::select! {
            biased;
            status = &mut settled => return Some(match status {
                Ok(status) => json!({ "settled": true, "status": status }),
                Err(error) => json!({ "settled": false, "error": error.to_string() }),
            }),
            () = ticket.stop.stopped() => return None,
            _ = tick.tick() => {
                let status = json!(project.engine.status());
                outbox.send(line(write::notification(PROGRESS, Some(status)))).await.ok()?;
            }
        }
    }
}
