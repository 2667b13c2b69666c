//! Putting a question to the user through an MCP client: `elicitation/create` as a request of ours (up to 2025-11-25), or
//! as an `input_required` result whose answer comes with the call made again (2026-07-28). Invariant: a question is put,
//! and an answer believed, only over a connection that is the user's own.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    InputRequest, InputRequests, InputRequiredResult, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use serde_json::{Value, json};

use crate::approvals::ask::{ApprovalAnswer, ApprovalPrompt};
use crate::approvals::asking::NOT_THE_USERS;
use crate::approvals::{ApprovalRequest, Offer, Question};
use crate::session::Session;

/// The one question in an `input_required` result.
const KEY: &str = "approval";

/// The property of the form that holds the answer.
const ANSWER: &str = "answer";

/// Asks through one call's client.
pub(super) struct Elicit<'a> {
    session: &'a Session,
    context: &'a RequestContext<RoleServer>,
    /// What came with a call that was made again.
    brought: Option<Brought>,
    /// The state for the question that goes out as a result.
    state: Option<String>,
    /// A question of ours that is not answered yet. Kept here, so that it can be withdrawn when the call is stopped.
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

    /// The result that carries the question.
    pub(super) fn result(self, question: &Question) -> Option<InputRequiredResult> {
        let request = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
        Some(InputRequiredResult::new(Some(InputRequests::from([(KEY.to_owned(), request)])), self.state))
    }

    /// Takes back a question that nobody needs an answer to any more.
    pub(super) async fn withdraw(&mut self, why: &str) {
        if let Some(handle) = self.open.take() {
            // A client that is gone needs no news.
            let _ = handle.cancel(Some(why.to_owned())).await;
        }
    }

    fn is_modern(&self) -> bool {
        self.context.protocol_version().is_some_and(|version| !version.has_initialize())
    }

    fn client_asks(&self) -> bool {
        let capabilities = self.context.client_capabilities();
        // Neither kind named stands for forms, as it did before there were two.
        capabilities
            .and_then(|capabilities| capabilities.elicitation)
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
    }

    /// What an answer that came with the call says, if it belongs to this very call.
    fn brought(&self, brought: &Brought, wanted: &ApprovalRequest) -> ApprovalAnswer {
        let again = "call the tool again without it, to have the user asked";
        let Some(approvals) = self.session.host.approvals() else {
            return ApprovalAnswer::Unasked("this symd has no approvals".to_owned());
        };
        match approvals.verify(self.session.number, &brought.state, wanted) {
            Err(invalid) => ApprovalAnswer::Unasked(format!("{invalid}; {again}")),
            Ok(nonce) if !self.session.asking.close_question(nonce) => {
                ApprovalAnswer::Unasked(format!("its requestState was used before; {again}"))
            }
            Ok(_) => match serde_json::from_value::<ElicitResult>(brought.response.clone()) {
                Ok(result) => said(&result),
                Err(_) => {
                    ApprovalAnswer::Unasked(format!("its inputResponses hold no answer to {KEY:?}; {again}"))
                }
            },
        }
    }

    /// Asks by a request of ours, and waits.
    async fn request(&mut self, question: &Question) -> ApprovalAnswer {
        let unasked = |why: String| ApprovalAnswer::Unasked(why);
        let Some(form) = form(question) else { return unasked("the question cannot be put".to_owned()) };
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
                self.withdraw("no answer can come any more").await;
                return unasked("the client left before the user answered".to_owned());
            }
            () = elapsed(deadline) => {
                self.withdraw("the user did not answer in time").await;
                return unasked(format!("the user did not answer within {} s", deadline.as_secs_f32()));
            }
        };
        self.open = None;
        match answered {
            Ok(Ok(ClientResult::ElicitResult(result))) => said(&result),
            Ok(Ok(_)) => unasked("the client's answer is none that was offered".to_owned()),
            Ok(Err(error)) => unasked(format!("the client did not ask the user: {error}")),
            Err(_) => unasked("the client left before the user answered".to_owned()),
        }
    }
}

impl ApprovalPrompt for Elicit<'_> {
    async fn ask(&mut self, wanted: &ApprovalRequest, question: &Question) -> ApprovalAnswer {
        if !self.client_asks() {
            return ApprovalAnswer::Unasked(
                "this client cannot ask the user: it declares no elicitation".to_owned(),
            );
        }
        if !self.session.asking.is_the_users() {
            return ApprovalAnswer::Unasked(NOT_THE_USERS.to_owned());
        }
        if !self.is_modern() {
            return self.request(question).await;
        }
        if let Some(brought) = self.brought.take() {
            return self.brought(&brought, wanted);
        }
        let nonce = self.session.asking.open_question();
        let approvals = self.session.host.approvals();
        self.state = approvals.map(|approvals| approvals.sign(self.session.number, nonce, wanted));
        ApprovalAnswer::Elsewhere
    }
}

/// Waits that long: that nobody answered is the event here.
async fn elapsed(deadline: std::time::Duration) {
    let _ = tokio::time::timeout(deadline, std::future::pending::<()>()).await;
}

/// What the user said. An acceptance without an answer approves nothing: some clients accept forms by themselves.
fn said(result: &ElicitResult) -> ApprovalAnswer {
    let answer = result.content.as_ref().and_then(|content| content.get(ANSWER)).and_then(Value::as_str);
    match (&result.action, answer) {
        (ElicitationAction::Accept, Some("y")) => ApprovalAnswer::Once,
        (ElicitationAction::Accept, Some("always")) => ApprovalAnswer::Always,
        _ => ApprovalAnswer::No,
    }
}

/// The form with the question.
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
