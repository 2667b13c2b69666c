//! Asks the user through an MCP client: by an `elicitation/create` request of ours (up to 2025-11-25), or by
//! an `input_required` result, whose answer arrives with the repeated call (2026-07-28). Invariant: a
//! question is sent, and an answer accepted, only over a connection that is the user's own.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    InputRequest, InputRequests, InputRequiredResult, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use serde_json::{Value, json};

use crate::approvals::ask::{ApprovalAnswer, ApprovalPrompt};
use crate::approvals::connection_state::NOT_THE_USERS;
use crate::approvals::deferred::EditorsAsked;
use crate::approvals::{ApprovalRequest, Offer, Question};
use crate::session::Session;

/// The key of the question in an `input_required` result.
const KEY: &str = "approval";

/// The property of the form that holds the answer.
const ANSWER: &str = "answer";

/// An approval prompt for one call, through the client that made it.
pub(super) struct Elicit<'a> {
    session: &'a Session,
    context: &'a RequestContext<RoleServer>,
    /// The state and the answer that a repeated call carried.
    brought: Option<Brought>,
    /// The signed state for a question that is sent as a result.
    state: Option<String>,
    /// An unanswered `elicitation/create` request. Stored here, so that it can be cancelled when the call is
    /// stopped.
    open: Option<RequestHandle<RoleServer>>,
}

struct Brought {
    state: String,
    response: Value,
}

impl<'a> Elicit<'a> {
    pub(super) fn new(
        session: &'a Session,
        context: &'a RequestContext<RoleServer>,
        request: &mut CallToolRequestParams,
    ) -> Elicit<'a> {
        let (state, responses) = (request.request_state.take(), request.input_responses.take());
        let brought = (state.is_some() || responses.is_some()).then(|| Brought {
            state: state.unwrap_or_default(),
            response: responses.and_then(|mut responses| responses.remove(KEY)).unwrap_or_default(),
        });
        Elicit { session, context, brought, state: None, open: None }
    }

    /// Returns the result that carries the question.
    pub(super) fn result(self, question: &Question) -> Option<InputRequiredResult> {
        let request = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
        Some(InputRequiredResult::new(Some(InputRequests::from([(KEY.to_owned(), request)])), self.state))
    }

    fn is_modern(&self) -> bool {
        self.context.protocol_version().is_some_and(|version| !version.has_initialize())
    }

    fn supports_forms(&self) -> bool {
        let capabilities = self.context.client_capabilities();
        // A capability that names neither kind means forms, as it did before there were two kinds.
        capabilities
            .and_then(|capabilities| capabilities.elicitation)
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
    }

    /// Evaluates the answer that a repeated call carried, if it belongs to this very call.
    fn repeated_answer(&self, brought: &Brought, wanted: &ApprovalRequest) -> ApprovalAnswer {
        let again = "call the tool again without it, to have the user asked";
        let Some(approvals) = self.session.host.approvals() else {
            return ApprovalAnswer::Unasked("this symd cannot approve calls".to_owned());
        };
        match approvals.verify(self.session.number, &brought.state, wanted) {
            Err(invalid) => ApprovalAnswer::Unasked(format!("{invalid}; {again}")),
            Ok(nonce) if !self.session.asking.close_question(nonce) => {
                ApprovalAnswer::Unasked(format!("its requestState was used before; {again}"))
            }
            Ok(nonce) => {
                self.session.asking.take_editors_answer(nonce).unwrap_or_else(
                    || match serde_json::from_value::<ElicitResult>(brought.response.clone()) {
                        Ok(result) => parse_answer(&result),
                        Err(_) => ApprovalAnswer::Unasked(format!(
                            "its inputResponses hold no answer to {KEY:?}; {again}"
                        )),
                    },
                )
            }
        }
    }

    /// Sends an `elicitation/create` request and waits for the answer.
    async fn request(&mut self, question: &Question) -> ApprovalAnswer {
        let unasked = |why: String| ApprovalAnswer::Unasked(why);
        let Some(form) = form(question) else { return unasked("the question cannot be sent".to_owned()) };
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
        let sent =
            self.context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let handle = match sent {
            Ok(handle) => self.open.insert(handle),
            Err(error) => return unasked(format!("the client could not be asked: {error}")),
        };
        let deadline = self.session.host.limits().approval();
        let asking = &self.session.asking;
        let answered = tokio::select! {
            biased;
            answered = &mut handle.rx => answered,
            () = asking.ended() => {
                self.withdraw("the client closed its end of the connection").await;
                return unasked("the client left before the user answered".to_owned());
            }
            () = elapsed(deadline) => {
                self.withdraw("the user did not answer in time").await;
                return unasked(format!("the user did not answer within {} s", deadline.as_secs_f32()));
            }
        };
        self.open = None;
        match answered {
            Ok(Ok(ClientResult::ElicitResult(result))) => parse_answer(&result),
            Ok(Ok(_)) => unasked("the client's response is not an elicitation result".to_owned()),
            Ok(Err(error)) => unasked(format!("the client did not ask the user: {error}")),
            Err(_) => unasked("the client left before the user answered".to_owned()),
        }
    }
}

impl ApprovalPrompt for Elicit<'_> {
    async fn ask(&mut self, wanted: &ApprovalRequest, question: &Question) -> ApprovalAnswer {
        if !self.supports_forms() {
            return ApprovalAnswer::Unasked(
                "this client cannot ask the user: it declares no elicitation".to_owned(),
            );
        }
        if !self.session.asking.is_trusted_user() {
            return ApprovalAnswer::Unasked(NOT_THE_USERS.to_owned());
        }
        if !self.is_modern() {
            return self.request(question).await;
        }
        if let Some(brought) = self.brought.take() {
            return self.repeated_answer(&brought, wanted);
        }
        let nonce = self.session.asking.open_question();
        let approvals = self.session.host.approvals();
        self.state = approvals.map(|approvals| approvals.sign(self.session.number, nonce, wanted));
        ApprovalAnswer::Deferred(nonce, EditorsAsked::AtOnce)
    }

    fn repeated_question(&self, wanted: &ApprovalRequest) -> Option<u64> {
        let state = &self.brought.as_ref()?.state;
        self.session.host.approvals()?.verify(self.session.number, state, wanted).ok()
    }

    /// Cancels a question whose answer is no longer needed.
    async fn withdraw(&mut self, why: &str) {
        if let Some(handle) = self.open.take() {
            // An error means that the client is gone.
            let _ = handle.cancel(Some(why.to_owned())).await;
        }
    }
}

/// Waits for `deadline`; the time-out is the awaited event.
async fn elapsed(deadline: std::time::Duration) {
    let _ = tokio::time::timeout(deadline, std::future::pending::<()>()).await;
}

/// Evaluates the user's answer. An acceptance without an answer approves nothing: some clients accept forms
/// automatically.
fn parse_answer(result: &ElicitResult) -> ApprovalAnswer {
    let answer = result.content.as_ref().and_then(|content| content.get(ANSWER)).and_then(Value::as_str);
    match (&result.action, answer) {
        (ElicitationAction::Accept, Some("y")) => ApprovalAnswer::Once,
        (ElicitationAction::Accept, Some("always")) => ApprovalAnswer::Always,
        _ => ApprovalAnswer::No,
    }
}

/// Returns the form with the question.
fn form(question: &Question) -> Option<ElicitRequestParams> {
    let (words, names) = match question.offer {
        Offer::Once => (json!(["y", "n"]), json!(["Yes, this once", "No"])),
        Offer::Always => {
            (json!(["y", "n", "always"]), json!(["Yes, this once", "No", "Always this very call"]))
        }
    };
    let params = json!({
        "mode": "form",
        "message": question.display,
        "requestedSchema": {
            "type": "object",
            "properties": {
                ANSWER: { "type": "string", "title": "Approve?", "enum": words, "enumNames": names },
            },
            "required": [ANSWER],
        },
    });
    let form = serde_json::from_value(params);
    if let Err(error) = &form {
        tracing::error!(%error, "a question cannot be written as a form");
    }
    form.ok()
}
