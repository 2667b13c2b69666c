//! Approval questions and answers, and the trait of everything that can ask the user.

use std::future::Future;

use serde_json::{Value, json};

use super::decide::Offer;
use super::deferred::EditorsAsked;
use super::{ApprovalRequest, refusal};

/// An approval question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The contract's approval display; its last line is the question.
    pub display: String,
    /// The answers that the user may give.
    pub offer: Offer,
    /// Why only the user's approval of this very call suffices, if so: policies and other rules do not apply
    /// then.
    pub because: Option<String>,
    /// The number of the question among those of its connection, if it was sent as a result.
    pub number: Option<u64>,
}

/// The outcome of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Run the call.
    Once,
    /// Run the call, and store a rule that allows this very call from now on.
    Always,
    /// Do not run the call.
    No,
    /// The user could not be asked; the reason.
    Unasked(String),
    /// The question of this number is sent as the result of this call; the answer arrives with another call, or in editors.
    Deferred(u64, EditorsAsked),
}

/// A way to ask the user: on a terminal, by an elicitation, through another daemon.
pub trait ApprovalPrompt: Send {
    /// Asks the user and waits for the outcome. The future is dropped if the call is stopped.
    fn ask(
        &mut self,
        wanted: &ApprovalRequest,
        question: &Question,
    ) -> impl Future<Output = ApprovalAnswer> + Send;

    /// Returns the number of the open question that was the result of an earlier call, if this one brings the answer.
    fn repeated_question(&self, wanted: &ApprovalRequest) -> Option<u64> {
        let _ = wanted;
        None
    }

    /// Takes back a question that was sent and is not answered: the user has answered elsewhere.
    fn withdraw(&mut self, why: &str) -> impl Future<Output = ()> + Send {
        let _ = why;
        std::future::ready(())
    }
}

/// A prompt that answers every question with a given answer, without asking the user.
#[derive(Clone, Debug)]
pub struct FixedAnswer(pub ApprovalAnswer);

impl ApprovalPrompt for FixedAnswer {
    async fn ask(&mut self, _: &ApprovalRequest, _: &Question) -> ApprovalAnswer {
        self.0.clone()
    }
}

impl Question {
    /// Parses the question in another daemon's result of `symd/call`.
    pub(crate) fn of_answer(answer: &Value) -> Option<Question> {
        let display = answer.get("ask")?.as_str()?.to_owned();
        let offer = serde_json::from_value(answer.get("offer")?.clone()).ok()?;
        let because = answer.get("because").and_then(Value::as_str).map(str::to_owned);
        let number = answer.get("question").and_then(Value::as_u64);
        Some(Question { display, offer, because, number })
    }

    /// Converts the question to the result of `symd/call` that [`Question::of_answer`] parses.
    pub(crate) fn to_answer(&self) -> Value {
        let mut answer = json!({ "ask": self.display, "offer": self.offer });
        if let Some(because) = &self.because {
            answer["because"] = json!(because);
        }
        if let Some(number) = self.number {
            answer["question"] = json!(number);
        }
        answer
    }
}

/// An approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yes {
    /// For this call.
    Once,
    /// For this very call, each time it is made.
    Always,
}

impl Yes {
    /// Returns the value of `answer` in `symd/call`.
    pub fn name(self) -> &'static str {
        match self {
            Yes::Once => "once",
            Yes::Always => "always",
        }
    }
}

/// The consequence of an answer for the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// It may run.
    Yes(Yes),
    /// It must not run; the reason.
    Refused(String),
    /// The answer arrives with another call.
    Pending,
}

impl ApprovalAnswer {
    /// Returns the consequence for the call that the question was about.
    pub fn outcome(self, wanted: &ApprovalRequest, question: &Question) -> ApprovalOutcome {
        match self {
            // The client gave an answer that was not offered.
            ApprovalAnswer::Always if question.offer == Offer::Once => ApprovalOutcome::Yes(Yes::Once),
            ApprovalAnswer::Always => ApprovalOutcome::Yes(Yes::Always),
            ApprovalAnswer::Once => ApprovalOutcome::Yes(Yes::Once),
            ApprovalAnswer::No => ApprovalOutcome::Refused(refusal::user_declined(wanted)),
            ApprovalAnswer::Unasked(why) => {
                ApprovalOutcome::Refused(refusal::user_not_asked(wanted, question, &why))
            }
            ApprovalAnswer::Deferred(..) => ApprovalOutcome::Pending,
        }
    }
}
