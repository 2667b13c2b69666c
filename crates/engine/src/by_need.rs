//! Questions that run while files are unread, and again when what they lacked is there. Invariant: an answer is
//! sent only if the run that gave it lacked nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::event::{Event, Question, QuestionLength, QuestionMoment, QuestionRun};
use super::pool::HeldBackground;
use super::searches::ScopedWords;
use super::view::View;
use super::{Engine, EngineError};
use symd_index::{FileMap, MetNeeds, Need};

/// A question that runs while files are unread.
pub(super) struct ByNeed {
    /// Returns what the question lacked; nothing if it is over.
    pub(super) run: Box<Attempts>,
    /// What was fetched for it; `None` if it waits for all files.
    pub(super) fetched: Option<Fetched>,
    /// Holds background work back while it is fetched.
    pub(super) held: Option<Arc<HeldBackground>>,
    /// How many edits came before it.
    pub(super) closings: u64,
}

/// Runs a question once more.
type Attempts = dyn FnMut(Result<Arc<View>, EngineError>) -> Vec<Need> + Send;

/// What distinguishes a view in which files are unread.
#[derive(Clone, Debug)]
pub(super) struct PartialView {
    /// How many edits came before the view.
    closings: u64,
    /// Number of views that the question had before.
    rounds: usize,
    moment: QuestionMoment,
    /// Background work is held back for the question.
    held: Option<Arc<HeldBackground>>,
}

impl PartialView {
    pub(super) fn new(by_need: &ByNeed, moment: QuestionMoment) -> PartialView {
        let rounds = by_need.fetched.as_ref().map_or(0, |fetched| fetched.rounds);
        PartialView { closings: by_need.closings, rounds, moment, held: by_need.held.clone() }
    }
}

/// What was fetched for a question so far.
pub(super) struct Fetched {
    /// The files that were unread when it was asked.
    pub(super) asked: FileMap,
    pub(super) met: MetNeeds,
    /// Number of times that the question ran.
    pub(super) rounds: usize,
}

impl Fetched {
    /// Returns what is known for a new question, of which some words are met already.
    pub(super) fn new(asked: FileMap, words: Vec<ScopedWords>) -> Fetched {
        let mut met = MetNeeds::default();
        words.into_iter().for_each(|(words, scope)| met.add_words(words, scope));
        Fetched { asked, met, rounds: 0 }
    }

    /// Returns what was fetched for a view; `None` if all files were known.
    fn for_view(view: &View) -> Option<Fetched> {
        let unread = view.snapshot.files.unread()?;
        let rounds = view.partial.as_ref()?.rounds;
        Some(Fetched { asked: unread.asked().clone(), met: unread.met().clone(), rounds })
    }
}

impl ByNeed {
    /// Returns a question whose answer is sent to `answer`; `during` is kept until it is over.
    pub(super) fn new<T: Send + 'static>(
        question: impl Fn(&Arc<View>) -> T + Send + 'static,
        answer: oneshot::Sender<Result<T, EngineError>>,
        (during, closings): (impl Send + 'static, u64),
    ) -> ByNeed {
        let mut answer = Some(answer);
        let run = Box::new(move |view: Result<Arc<View>, EngineError>| {
            let _during = &during;
            if answer.as_ref().is_none_or(oneshot::Sender::is_closed) {
                return Vec::new();
            }
            let said = match view {
                Err(error) => Err(error),
                Ok(view) => {
                    let said = catch_unwind(AssertUnwindSafe(|| question(&view)));
                    let unread = view.snapshot.files.unread();
                    let lacking = unread.map(|unread| unread.lacking()).unwrap_or_default();
                    // Whatever came of it is discarded, even a panic.
                    if !lacking.is_empty() {
                        return lacking;
                    }
                    said.map_err(|_| EngineError::Panicked)
                }
            };
            if let Some(answer) = answer.take() {
                let _ = answer.send(said);
            }
            Vec::new()
        });
        ByNeed { run, fetched: None, held: None, closings }
    }
}

impl Engine {
    /// Returns a view that contains everything written before this call and may lack files: for a question of
    /// several steps ([`Engine::ask_on`]) that can be run several times. After a run [`View::is_lacking`] tells
    /// whether what came of it is to be discarded; the question is run again on [`Engine::next_view`].
    pub async fn view_by_need(&self) -> Result<Arc<View>, EngineError> {
        self.submit_by_need(QuestionLength::Instant, Arc::clone).await
    }

    /// Returns a view that has what `last` lacked. If an edit changed files since, a new view that lacks nothing:
    /// no question sees one file as it was before an edit, and another as it is after it.
    pub async fn next_view(&self, last: Arc<View>) -> Result<Arc<View>, EngineError> {
        let passed = self.gate.pass().await;
        let closings = passed.closings();
        let is_same = last.partial.as_ref().is_some_and(|partial| partial.closings == closings);
        let (Some(fetched), Some(unread), true) =
            (Fetched::for_view(&last), last.snapshot.files.unread(), is_same)
        else {
            drop((passed, last));
            return self.view().await;
        };
        let needs = unread.lacking();
        let (held, moment) = last
            .partial
            .as_ref()
            .map_or_else(Default::default, |partial| (partial.held.clone(), partial.moment));
        let (answer, answered) = oneshot::channel();
        let mut by_need = ByNeed::new(Arc::clone, answer, (passed, closings));
        (by_need.fetched, by_need.held) = (Some(fetched), held);
        drop(last);
        let run = QuestionRun::ByNeed(by_need);
        let question = Question { moment, ..Question::new(QuestionLength::Instant, None, run) };
        self.send(Event::Lacking { question, needs }, answered).await
    }
}
