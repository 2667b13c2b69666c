//! Questions in the engine's task: their barriers, what they need of unread files, and their runs on the pool.
//! Invariant: a question runs only after a barrier that was made after it was asked.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use super::Run;
use crate::EngineError;
use crate::by_need::{ByNeed, Fetched, PartialView};
use crate::claim::Claim;
use crate::event::{Event, Question, QuestionLength, QuestionRun};
use crate::run::send;
use crate::scan::{ScanOrder, ScanTarget};
use crate::searches::{FoundWords, ScopedWords};
use crate::view::View;
use crate::word_search::{WantedWords, WordSearch};
use symd_base::RelPath;
use symd_index::{Content, Need, Origin, Snapshot, UnreadFiles};
use symd_watch::WatchError;

/// Number of unread files up to which every question waits for all of them: they are read in less time than a
/// question takes to say what it needs.
const FEW_UNREAD: usize = 16;
/// Files per job that a question waits for.
const FETCHED_PER_JOB: usize = 2;
/// Number of times that a question is run with unread files; then it waits for all of them.
const MAX_ROUNDS: usize = 48;

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
        self.next_barrier.push(question);
        if self.behind_barrier.is_none() {
            self.send_barrier();
        }
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
        match &mut question.run {
            QuestionRun::ByNeed(by_need) if self.pending.unread().len() > FEW_UNREAD => {
                by_need.held.get_or_insert_with(|| Arc::new(self.pool.hold_background()));
                by_need.fetched = Some(Fetched::nothing(self.pending.unread().clone()));
                self.release(question);
            }
            QuestionRun::ByNeed(by_need) => {
                by_need.held = None;
                self.pending.wait(question);
            }
            QuestionRun::Once(_) => self.pending.wait(question),
        }
    }

    /// Fetches what a question lacked: files by path are scanned, words are searched for in unread files first.
    pub(super) fn fetch_needs(&mut self, mut question: Question, needs: Vec<Need>) {
        if self.stopping.is_some() || !self.watched {
            return;
        }
        let Some(by_need) = question.run.by_need() else { return };
        let rounds = by_need.fetched.as_mut().map_or(MAX_ROUNDS, |fetched| {
            fetched.rounds += 1;
            fetched.rounds
        });
        if rounds >= MAX_ROUNDS || needs.contains(&Need::Everything) {
            (by_need.fetched, by_need.held) = (None, None);
            self.pending.wait(question);
            return;
        }
        let Some(unread) = self.unread(by_need) else {
            self.release(question);
            return;
        };
        // Its outline may have names that the text does not have.
        let is_servers = |path: &RelPath| {
            let content = self.state.file(path).map(|file| &file.content);
            matches!(content, Some(Content::Code { origin: Origin::Server(_), .. }))
        };
        // What is fetched by path is searched all the same: the next question relies on what was found.
        let (mut files, mut searched) = (BTreeSet::new(), Vec::new());
        let (mut words, mut wanted) = (Vec::new(), Vec::new());
        for need in needs {
            match need {
                Need::Everything => {}
                Need::Within(path) => files.extend(unread.within(&path).map(|file| file.path.clone())),
                Need::Words(needed, path) => {
                    let last_scan = self.pending.last_job();
                    let known = self.searches.found(&needed, &path);
                    let after = known.as_ref().map_or(0, |known| known.last_scan);
                    let known = known.map(|known| known.files).unwrap_or_default();
                    let words_of = (needed, path);
                    let found = FoundWords { words: words_of.clone(), last_scan, files: known };
                    let wanted_words = WantedWords { after, found };
                    for entry in unread.within(&words_of.1) {
                        let Some(scan) = self.pending.newest_job(&entry.path) else { continue };
                        let file = (entry.path.clone(), scan);
                        if is_servers(&entry.path) || wanted_words.found.files.contains(&entry.path) {
                            files.insert(file.0);
                        } else if wanted_words.concern(&file) {
                            searched.push(file);
                        }
                    }
                    words.push(words_of);
                    wanted.push(wanted_words);
                }
            }
        }
        searched.sort_unstable();
        searched.dedup();
        if searched.is_empty() {
            self.fetch(question, words, files);
            return;
        }
        let (scanner, searches) = (self.scanner.clone(), self.searches.clone());
        let search = WordSearch { scanner, searches, files: searched, wanted };
        let sender = self.sender.clone();
        let ended = move |found| send(&sender, Event::Searched { question, words, found, files });
        for job in search.jobs(ended) {
            self.pool.question(job);
        }
    }

    /// Keeps what a search found, and scans the files for the question.
    pub(super) fn searched(
        &mut self,
        question: Question,
        words: Vec<ScopedWords>,
        found: Vec<FoundWords>,
        mut files: BTreeSet<RelPath>,
    ) {
        for found in found {
            files.extend(found.files.iter().cloned());
            self.searches.keep_found(found);
        }
        self.fetch(question, words, files);
    }

    /// Scans files for a question, ahead of the queue, and runs it again when they are known.
    pub(super) fn fetch(
        &mut self,
        mut question: Question,
        words: Vec<ScopedWords>,
        files: BTreeSet<RelPath>,
    ) {
        if self.stopping.is_some() || !self.watched {
            return;
        }
        let Some(fetched) = question.run.by_need().and_then(|by_need| by_need.fetched.as_mut()) else {
            return;
        };
        let (mut scans, mut targets) = (Vec::new(), Vec::new());
        for path in &files {
            match self.pending.newest_scan(path) {
                None => {}
                Some((job, claim)) if claim.is_taken() => scans.push((job, path.clone())),
                Some((_, queued)) => {
                    let known = self.state.file(path).cloned();
                    let (claim, instead_of) = (Claim::default(), Some(queued));
                    targets.push(ScanTarget { path: path.clone(), known, claim, instead_of });
                }
            }
        }
        fetched.met.words.extend(words);
        fetched.met.files.extend(files);
        let mut targets = targets.into_iter();
        loop {
            let chunk: Vec<ScanTarget> = targets.by_ref().take(FETCHED_PER_JOB).collect();
            if chunk.is_empty() {
                break;
            }
            let job = self.begin_job(&chunk);
            scans.extend(chunk.iter().map(|target| (job, target.path.clone())));
            self.pool.question(self.scan(job, chunk, ScanOrder::AsListed, None));
        }
        self.pending.wait_for(scans, question);
    }

    /// Returns the files that are unread for a question; `None` if there are none.
    fn unread(&self, by_need: &ByNeed) -> Option<UnreadFiles> {
        let Fetched { asked, met, .. } = by_need.fetched.as_ref()?;
        let now = self.pending.unread();
        (!now.is_empty()).then(|| UnreadFiles::new(asked.clone(), now.clone(), met.clone()))
    }

    pub(super) fn release(&mut self, question: Question) {
        let Question { length, on, run } = question;
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
                    Some(unread) => {
                        (self.state.snapshot_without(Arc::new(unread)), Some(PartialView::new(&by_need)))
                    }
                    None => (self.state.snapshot(), None),
                };
                let (view, sender) = (Arc::new(self.view(snapshot, partial)), self.sender.clone());
                self.run_question(length, move || {
                    let needs = (by_need.run)(Ok(view));
                    if !needs.is_empty() {
                        let run = QuestionRun::ByNeed(by_need);
                        send(&sender, Event::Lacking { question: Question { length, on: None, run }, needs });
                    }
                });
            }
        }
    }

    fn run_question(&self, length: QuestionLength, run: impl FnOnce() + Send + 'static) {
        match length {
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
            kotlin_files: self.kotlin_files.clone(),
            gradle_modules: OnceLock::new(),
            read: Mutex::default(),
        }
    }
}
