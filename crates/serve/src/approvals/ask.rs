//! Asking: what a question is, what an answer is and means, and who can put one.

use std::future::Future;

use serde_json::{Value, json};

use super::decide::Offer;
use super::{ApprovalRequest, refusal};

/// What the user is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The contract's display, to its last line, which is the question.
    pub display: String,
    /// What may be answered.
    pub offer: Offer,
    /// Why only the user's own word for this very call will do, if that is so: policies and other rules do not help then.
    pub because: Option<String>,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Run it.
    Once,
    /// Run it, and never ask about this very call again.
    Always,
    /// Do not run it.
    No,
    /// Nobody could be asked, because.
    Unasked(String),
    /// The question goes out as the result of this call; the answer comes with another call.
    Elsewhere,
}

/// A way to put a question to the user: on a terminal, by an elicitation, through another daemon.
pub trait ApprovalPrompt: Send {
    /// Puts it, and waits for what comes of it. Dropped when the call is stopped.
    fn ask(
        &mut self,
        wanted: &ApprovalRequest,
        question: &Question,
    ) -> impl Future<Output = ApprovalAnswer> + Send;
}

/// Answers every question without asking the user: the answer came with the call.
#[derive(Clone, Debug)]
pub struct KnownAnswer(pub ApprovalAnswer);

impl ApprovalPrompt for KnownAnswer {
    async fn ask(&mut self, _: &ApprovalRequest, _: &Question) -> ApprovalAnswer {
        self.0.clone()
    }
}

impl Question {
    /// The question in another daemon's answer to `symd/call`.
    pub(crate) fn of_answer(answer: &Value) -> Option<Question> {
        let display = answer.get("ask")?.as_str()?.to_owned();
        let offer = serde_json::from_value(answer.get("offer")?.clone()).ok()?;
        let because = answer.get("because").and_then(Value::as_str).map(str::to_owned);
        Some(Question { display, offer, because })
    }

    /// The same as that answer holds it.
    pub(crate) fn to_answer(&self) -> Value {
        let mut answer = json!({ "ask": self.display, "offer": self.offer });
        if let Some(because) = &self.because {
            answer["because"] = json!(because);
        }
        answer
    }
}

/// A yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yes {
    /// To this call.
    Once,
    /// To this very call, as often as it is made.
    Always,
}

impl Yes {
    /// The word of it in `symd/call`.
    pub fn name(self) -> &'static str {
        match self {
            Yes::Once => "once",
            Yes::Always => "always",
        }
    }
}

/// What an answer means for the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It may run.
    Yes(Yes),
    /// It does not run; why.
    Refused(String),
    /// The answer comes with another call.
    Pending,
}

impl ApprovalAnswer {
    /// What it means for the call that the question was about.
    pub fn judged(self, wanted: &ApprovalRequest, question: &Question) -> Judged {
        match self {
            // An answer that was not offered.
            ApprovalAnswer::Always if question.offer == Offer::Once => Judged::Yes(Yes::Once),
            ApprovalAnswer::Always => Judged::Yes(Yes::Always),
            ApprovalAnswer::Once => Judged::Yes(Yes::Once),
            ApprovalAnswer::No => Judged::Refused(refusal::declined(wanted)),
            ApprovalAnswer::Unasked(why) => Judged::Refused(refusal::unasked(wanted, question, &why)),
            ApprovalAnswer::Elsewhere => Judged::Pending,
        }
    }
}
