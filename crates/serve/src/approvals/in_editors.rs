//! Approval questions in the editors that have the project open, beside the client that made the call. Invariant: an
//! answer counts only from an editor whose connection has proved to be the user's own; a question is withdrawn when
//! its answer is no longer needed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinSet;

use super::ask::{ApprovalAnswer, Question};
use super::connection_state::ApprovalState;
use super::decide::Offer;
use symd_ide::editor_requests::EditorPrompt;

/// The editors that can ask their users, by the numbers of their connections.
#[derive(Debug, Default)]
pub(crate) struct EditorPrompts(Mutex<BTreeMap<u64, (EditorPrompt, Arc<ApprovalState>)>>);

impl EditorPrompts {
    /// Adds the editor behind a connection.
    pub(crate) fn add(&self, connection: u64, prompt: EditorPrompt, asking: Arc<ApprovalState>) {
        self.editors().insert(connection, (prompt, asking));
    }

    /// Removes the editor behind a connection.
    pub(crate) fn remove(&self, connection: u64) {
        self.editors().remove(&connection);
    }

    /// Returns the question as editors show it, to none of them yet. `by` is the client that made the call.
    pub(crate) fn question(&self, by: &str, question: &Question) -> EditorsQuestion {
        let own = self
            .editors()
            .values()
            .filter(|(_, asking)| asking.is_trusted_user())
            .cloned()
            .collect::<Vec<_>>();
        let prompts = own.into_iter().map(|(prompt, _)| prompt).collect();
        // The last line asks for letters, which editors have buttons for.
        let display =
            question.display.rsplit_once("\n\n").map_or(question.display.as_str(), |(call, _)| call);
        let message = format!("symd: {} asks to run\n{display}", super::display::plain(by));
        let answers = match question.offer {
            Offer::Once => vec![ONCE, DENY],
            Offer::Always => vec![ONCE, ALWAYS, DENY],
        };
        EditorsQuestion { message, answers, prompts, open: JoinSet::new() }
    }

    fn editors(&self) -> MutexGuard<'_, BTreeMap<u64, (EditorPrompt, Arc<ApprovalState>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const ONCE: &str = "Once";
const ALWAYS: &str = "Always";
const DENY: &str = "Deny";

/// A question to the users of all editors. Dropping it withdraws it.
#[derive(Debug)]
pub(crate) struct EditorsQuestion {
    message: String,
    answers: Vec<&'static str>,
    /// The editors that have not been asked.
    prompts: Vec<EditorPrompt>,
    open: JoinSet<Option<usize>>,
}

impl EditorsQuestion {
    /// Asks, if that was not done, and waits for the first answer; `None` when no editor shows the question (any
    /// longer). May be dropped and called again.
    pub(crate) async fn answer(&mut self) -> Option<ApprovalAnswer> {
        for prompt in self.prompts.drain(..) {
            let (message, answers) = (self.message.clone(), self.answers.clone());
            self.open.spawn(async move { prompt.ask(&message, &answers).await });
        }
        while let Some(answered) = self.open.join_next().await {
            // Dismissed in one editor, a question stays open in the others.
            let Some(answer) = answered.ok().flatten().and_then(|place| self.answers.get(place)) else {
                continue;
            };
            return Some(match *answer {
                ONCE => ApprovalAnswer::Once,
                ALWAYS => ApprovalAnswer::Always,
                _ => ApprovalAnswer::No,
            });
        }
        None
    }
}
