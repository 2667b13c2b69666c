//! Questions in the engine's task: their barriers, and their runs on the pool.
//! Invariants: a question runs only after a barrier that was made after it was asked, or after a look that found that
//! there is nothing that a barrier could be behind; and no file has been removed since, unless files are removed all the time.

use std::sync::Arc;

use super::Run;
use crate::EngineError;
use crate::by_need::{ByNeed, Fetched, PartialView};
use crate::event::{Event, Question, QuestionLength, QuestionMoment, QuestionRun};
use crate::run::send;
use crate::view::View;
use symd_index::{Snapshot, UnreadFiles};
use symd_watch::WatchError;

/// Number of unread files up to which every question waits for all of them: they are read in less time than a
/// question takes to say what it needs.
const FEW_UNREAD: usize = 16;
/// How many times a question is asked again while files are removed all the time.
const MOST_AGAIN: u8 = 8;

impl Run {
    pub(super) fn ask(&mut self, mut question: Question) {
        if !self.watched || self.stopping.is_some() {
            return;
        }
        if let QuestionRun::ByNeed(by_need) = &mut question.run
            && !self.crawled
        {
            by_need.held = Some(Arc::new(self.pool.hold_background()));
        }
        if question.on.is_some() {
            self.release(question);
            return;
        }
        if self.knows_all {
            self.scan_paths(self.state.may_be_readable());
            self.begin_question(question);
            return;
        }
        self.await_barrier(question);
    }

    fn await_barrier(&mut self, question: Question) {
        self.next_barrier.push(question);
        if self.behind_barrier.is_none() {
            self.send_barrier();
        }
    }

    /// Whether a file was removed while the question waited. It may have moved, and the index may not have its new place yet: such an answer
    /// would lack symbols that were there at every moment.
    fn may_have_missed_a_move(&self, question: &Question) -> bool {
        let QuestionMoment { removals, again } = question.moment;
        question.on.is_none()
            && again < MOST_AGAIN
            && removals.is_some_and(|removals| removals != self.removals)
    }

    /// Asks a question as if it came now.
    fn ask_again(&mut self, mut question: Question) {
        question.moment.again += 1;
        if let Some(by_need) = question.run.by_need() {
            by_need.fetched = None;
        }
        self.await_barrier(question);
    }

    fn send_barrier(&mut self) {
        let questions = std::mem::take(&mut self.next_barrier);
        if questions.is_empty() {
            return;
        }
        match self.watch.barrier() {
            Ok(number) => self.behind_barrier = Some((number, questions)),
            Err(error) => {
                tracing::error!(%error, "questions cannot be answered");
                // If the engine has ended, the questions are dropped, which reports that.
                if !matches!(error, WatchError::Ended) {
                    let why = || Err(EngineError::NoBarrier(error.to_string()));
                    questions.into_iter().for_each(|question| question.run.fail(why()));
                }
                // Without the runtime directory clients cannot find this daemon, so it would run on
                // unreachable.
                if error.is_permanent() {
                    self.gone.send_replace(true);
                }
            }
        }
    }

    pub(super) fn barrier_arrived(&mut self, number: u64) {
        let Some((expected, _)) = &self.behind_barrier else { return };
        if *expected != number {
            return;
        }
        let (_, questions) = self.behind_barrier.take().unwrap_or_default();
        // Some read errors (too few descriptors, a file system that did not respond) end without an event.
        self.scan_paths(self.state.may_be_readable());
        for question in questions {
            self.begin_question(question);
        }
        self.send_barrier();
    }

    /// Runs a question whose barrier has arrived, or lets it wait for the scans that are running.
    fn begin_question(&mut self, mut question: Question) {
        question.moment.removals = Some(self.removals);
        match &mut question.run {
            QuestionRun::ByNeed(by_need) if self.pending.unread().len() > FEW_UNREAD => {
                by_need.held.get_or_insert_with(|| Arc::new(self.pool.hold_background()));
                let met = self.caches.searches.met(&self.pending);
                by_need.fetched = Some(Fetched::new(self.pending.unread().clone(), met));
                self.release(question);
            }
            QuestionRun::ByNeed(by_need) => {
                by_need.held = None;
                self.pending.wait(question);
            }
            QuestionRun::Once(_) => self.pending.wait(question),
        }
    }

    /// Returns the files that are unread for a question; `None` if there are none.
    pub(super) fn unread(&self, by_need: &ByNeed) -> Option<UnreadFiles> {
        let Fetched { asked, met, .. } = by_need.fetched.as_ref()?;
        let now = self.pending.unread();
        (!now.is_empty()).then(|| UnreadFiles::new(asked.clone(), now.clone(), met.clone()))
    }

    pub(super) fn release(&mut self, question: Question) {
        if self.may_have_missed_a_move(&question) {
            self.ask_again(question);
            return;
        }
        let Question { length, on, run, moment } = question;
        match run {
            QuestionRun::Once(run) => {
                let view = on.unwrap_or_else(|| {
                    let snapshot = self.state.snapshot();
                    Arc::new(self.view(snapshot, None))
                });
                self.run_question(length, move || run(Ok(view)));
            }
            QuestionRun::ByNeed(mut by_need) => {
                let (snapshot, partial) = match self.unread(&by_need) {
                    Some(unread) => (
                        self.state.snapshot_without(Arc::new(unread)),
                        Some(PartialView::new(&by_need, moment)),
                    ),
                    None => (self.state.snapshot(), None),
                };
                let (view, sender) = (Arc::new(self.view(snapshot, partial)), self.sender.clone());
                if length == QuestionLength::Instant {
                    let needs = (by_need.run)(Ok(view));
                    if !needs.is_empty() {
                        let run = QuestionRun::ByNeed(by_need);
                        self.fetch_needs(Question { length, on: None, run, moment }, needs);
                    }
                    return;
                }
                self.run_question(length, move || {
                    let needs = (by_need.run)(Ok(view));
                    if !needs.is_empty() {
                        let question =
                            Question { length, on: None, run: QuestionRun::ByNeed(by_need), moment };
                        send(&sender, Event::Lacking { question, needs });
                    }
                });
            }
        }
    }

    fn run_question(&self, length: QuestionLength, run: impl FnOnce() + Send + 'static) {
        match length {
            QuestionLength::Instant => run(),
            QuestionLength::Short => self.pool.question(run),
            QuestionLength::Long => self.pool.long_question(run),
        }
    }

    /// Returns a view of the index as it is.
    #[cfg(test)]
    pub(crate) fn view_now(&mut self) -> View {
        let snapshot = self.state.snapshot();
        self.view(snapshot, None)
    }

    /// Whether everything that is listed was read.
    #[cfg(test)]
    pub(crate) fn is_drained(&self) -> bool {
        self.is_ready() && self.pending.unread().is_empty()
    }

    fn view(&self, snapshot: Arc<Snapshot>, partial: Option<PartialView>) -> View {
        View {
            snapshot,
            partial,
            files: self.scanner.files.clone(),
            ignore: self.ignore.clone(),
            languages: self.scanner.languages.clone(),
            parsers: self.scanner.parsers.clone(),
            stored: self.scanner.stored.clone(),
            lost_before: self.scanner.stored.lost_count(),
            parses: self.caches.parses.clone(),
            kept_kotlin: self.caches.kotlin.clone(),
            kept_classes: self.caches.classes.clone(),
            operators: self.caches.operators.clone(),
            plain: self.caches.plain.clone(),
            build_changes: self.build_changes,
            plain_changes: self.caches.plain.changes(),
            plain_set_changes: self.tally.plain_changes(),
            steps: Arc::default(),
            texts: None,
        }
    }
}
