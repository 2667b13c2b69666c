//! Jobs that scan files: begun, continued after a pause, and their results. Invariant: a file's result is applied only if no
//! newer one was.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Run;
use crate::claim::Claim;
use crate::event::Event;
use crate::pending::ScanCause;
use crate::pool::{BackgroundRule, Pool};
use crate::run::send;
use crate::scan::{ScanOrder, ScanOutcome, ScanResult, ScanTarget, Trial};
use crate::trials::Start;
use symd_base::RelPath;
use symd_index::{Content, FileEntry};

/// Files per job: enough to make the hand-over cheap, few enough that all workers finish at about the same
/// time.
const FILES_PER_JOB: usize = 8;
/// Number of pending scans above which files with long lines are postponed behind the others.
const MANY_LOOKS: usize = 256;
/// Maximum time that a question waits for a file that is slow to parse, from the start of parsing.
const TRIAL_PATIENCE: Duration = Duration::from_secs(1);

/// The work of a job that scans files.
type BoxedScan = Box<dyn FnOnce() + Send>;

impl Run {
    /// Scans files that were listed or changed.
    pub(super) fn scan_paths(&mut self, paths: Vec<RelPath>) {
        self.scan_changed(paths, |pool, scan| pool.background(scan));
    }

    /// Like [`Run::scan_paths`], in another queue.
    pub(super) fn scan_changed(&mut self, paths: Vec<RelPath>, queue: impl Fn(&Pool, BoxedScan)) {
        let targets = self.targets(paths);
        self.scan_in_background(ScanCause::Changed, targets, queue);
    }

    fn targets(&self, paths: Vec<RelPath>) -> Vec<ScanTarget> {
        let target = |path: RelPath| {
            let known = self.state.file(&path).cloned();
            ScanTarget { path, known, claim: Claim::default(), instead_of: None }
        };
        paths.into_iter().map(target).collect()
    }

    pub(super) fn scan_in_background(
        &mut self,
        cause: ScanCause,
        targets: Vec<ScanTarget>,
        queue: impl Fn(&Pool, BoxedScan),
    ) {
        let mut targets = targets.into_iter();
        loop {
            let chunk: Vec<ScanTarget> = targets.by_ref().take(FILES_PER_JOB).collect();
            if chunk.is_empty() {
                return;
            }
            let order = self.background_order();
            let job = self.begin_job(cause, &chunk);
            let scan = self.scan(job, chunk, order, Some(self.pool.background_rule()));
            queue(&self.pool, Box::new(scan));
        }
    }

    /// Records a job that scans these files.
    pub(super) fn begin_job(&mut self, cause: ScanCause, chunk: &[ScanTarget]) -> u64 {
        chunk.iter().for_each(|target| self.trials.end(&target.path));
        let scanner = &self.scanner;
        self.pending.begin(
            cause,
            chunk.iter().map(|ScanTarget { path, known, claim, .. }| {
                // A file that is not known is listed nowhere else; of a known one only code can be out of date.
                let is_unread = scanner.may_be_code_by_name(path)
                    || known.as_ref().is_none_or(|known| !matches!(known.content, Content::Plain));
                (path, claim, is_unread)
            }),
        )
    }

    /// Returns the work of a job that scans these files; as background work it ends early when that is held back.
    pub(super) fn scan(
        &self,
        job: u64,
        chunk: Vec<ScanTarget>,
        order: ScanOrder,
        background: Option<BackgroundRule>,
    ) -> impl FnOnce() + Send + 'static {
        let (scanner, sender) = (self.scanner.clone(), self.sender.clone());
        move || {
            let (mut files, mut later) = (Vec::new(), Vec::new());
            let mut chunk = chunk.into_iter();
            for target in chunk.by_ref() {
                if !target.take() {
                    files.push(ScanResult { path: target.path, found: ScanOutcome::Cancelled, stat: None });
                    continue;
                }
                let ScanTarget { path, known, claim, .. } = target;
                match scanner.scan(order, path, known.as_ref()) {
                    ScanResult { path, found: ScanOutcome::Later, .. } => {
                        claim.give_back();
                        later.push(ScanTarget { path, known, claim, instead_of: None });
                    }
                    looked => files.push(looked),
                }
                if background.as_ref().is_some_and(BackgroundRule::holds_back) {
                    break;
                }
            }
            send(&sender, Event::Scanned { job, files, unbegun: chunk.collect(), later });
        }
    }

    /// Ends a job, or queues what is left of it: postponed files behind all others. Questions continue to wait for
    /// the job.
    pub(super) fn continue_job(&mut self, job: u64, unbegun: Vec<ScanTarget>, later: Vec<ScanTarget>) {
        if unbegun.is_empty() && later.is_empty() {
            self.pending.end(job);
            return;
        }
        // The question that waits for it holds background work back.
        let is_needed = later.iter().any(|target| self.pending.is_needed(job, &target.path));
        let (rest, order, rule) = if unbegun.is_empty() {
            (later, ScanOrder::Postponed(Instant::now()), None)
        } else {
            let rule = (!is_needed).then(|| self.pool.background_rule());
            (unbegun.into_iter().chain(later).collect(), self.background_order(), rule)
        };
        let scan = self.scan(job, rest, order, rule);
        if is_needed { self.pool.question(scan) } else { self.pool.background(scan) }
    }

    fn background_order(&self) -> ScanOrder {
        if self.pending.looks() > MANY_LOOKS { ScanOrder::LongLinesLast } else { ScanOrder::AsListed }
    }

    pub(super) fn handle_scanned(&mut self, job: u64, files: Vec<ScanResult>) {
        let mut linked = HashSet::new();
        for ScanResult { path, found, stat } in files {
            if matches!(found, ScanOutcome::Cancelled | ScanOutcome::Later) {
                self.pending.drop_result(job, &path);
                continue;
            }
            if !self.pending.accept_result(job, &path) {
                continue;
            }
            linked.extend(self.note_link(&path, stat, |run| run.state.file(&path).is_none()));
            match found {
                ScanOutcome::Cancelled | ScanOutcome::Later => {}
                // An older scan may have been applied after this scan began. An entry that has let go of its outline since stays.
                ScanOutcome::Same(known) => {
                    let is_same = |now: &Arc<FileEntry>| {
                        Arc::ptr_eq(now, &known)
                            || (now.same_symbols(&known)
                                && now.same_text(&known)
                                && now.stat() == known.stat())
                    };
                    if !self.state.file(&path).is_some_and(is_same) {
                        self.replace_entry(known);
                    }
                }
                ScanOutcome::Gone => self.remove(&path),
                ScanOutcome::New { entry, parsed } => {
                    self.unstored += usize::from(parsed);
                    self.unrecorded += usize::from(entry.grammar().is_some());
                    self.replace_entry(Arc::new(entry));
                }
                ScanOutcome::SetAside { entry, since, trial } => {
                    self.replace_entry(entry);
                    self.try_out(path, trial, job, since + TRIAL_PATIENCE);
                }
            }
        }
        self.scan_all_names(&linked);
    }

    /// Parses, for as long as it takes, a file that the scan `since` set aside; questions wait for it until
    /// `until`.
    fn try_out(&mut self, path: RelPath, trial: Trial, since: u64, until: Instant) {
        let job = self.pending.begin_trial(&path, since, until);
        let (scanner, sender) = (self.scanner.clone(), self.sender.clone());
        let start = if trial.is_running() { Start::Now } else { Start::InTurn };
        self.trials.begin(path, start, move |cancel| {
            let files = vec![scanner.try_out(trial, cancel)];
            send(&sender, Event::Scanned { job, files, unbegun: Vec::new(), later: Vec::new() });
        });
    }
}
