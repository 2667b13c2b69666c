//! Scans in progress, and the questions that wait for them. Invariants: a question is released only when
//! every job that was running at the arrival of its barrier has ended (a file on trial delays it only for a
//! limited time); and an older scan of a file never replaces a newer one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Instant;

use super::claim::Claim;
use super::event::Question;
use symd_base::RelPath;
use symd_index::{Content, FileEntry, FileMap};

/// Running jobs and the questions that wait for them.
#[derive(Default)]
pub(super) struct Pending {
    last_job: u64,
    jobs: BTreeSet<u64>,
    /// Jobs that try out one file each.
    trials: BTreeMap<u64, Trial>,
    /// In path order, so that everything beneath a directory is contiguous.
    paths: BTreeMap<RelPath, PathState>,
    /// Number of scans in progress: a path that is scanned twice counts twice.
    looks: usize,
    /// Each question with the last job that it waits for; ascending, because barriers arrive in order.
    waiting: Vec<(u64, Question)>,
    /// Questions that wait for the scans of a few files, whatever else is running.
    waiting_for: Vec<(Vec<FileScan>, Question)>,
    /// The paths whose content is not known until their newest scan is over.
    unread: FileMap,
    /// The same paths, each with the number of its last change ([`Pending::last_change`]).
    by_change: BTreeSet<(u64, RelPath)>,
}

/// Why files are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanCause {
    /// They were listed, or changed: what is known of their text is out of date.
    Changed,
    /// A question needs them earlier than the scan in the queue would read them.
    Needed,
}

/// The scan of one file by one job.
pub(super) type FileScan = (u64, RelPath);

/// A file on trial.
struct Trial {
    /// The job that set the file aside: a question that waits for that job waits for this one.
    since: u64,
    /// Time until which questions wait for it.
    until: Instant,
}

#[derive(Default)]
struct PathState {
    /// The newest job (or removal) whose result for this path has been applied.
    settled: u64,
    /// Running jobs that will have a result for it, ascending, each with the claim that decides which of them
    /// scans the file.
    jobs: Vec<(u64, Claim)>,
    /// The job that began with its last change.
    changed: u64,
}

impl Pending {
    /// Returns the number of a new job that scans files: each with its claim, and whether it is unread
    /// until the scan is over.
    pub(super) fn begin<'a>(
        &mut self,
        cause: ScanCause,
        paths: impl IntoIterator<Item = (&'a RelPath, &'a Claim, bool)>,
    ) -> u64 {
        self.last_job += 1;
        self.jobs.insert(self.last_job);
        for (path, claim, is_unread) in paths {
            self.add_scan(path, claim.clone(), cause, is_unread);
        }
        self.last_job
    }

    /// Records that the last job scans `path`.
    fn add_scan(&mut self, path: &RelPath, claim: Claim, cause: ScanCause, is_unread: bool) {
        let state = self.paths.entry(path.clone()).or_default();
        state.jobs.push((self.last_job, claim));
        self.looks += 1;
        let was_unread = self.unread.get(path.as_str()).is_some();
        if !is_unread && !was_unread {
            return;
        }
        if cause == ScanCause::Changed || !was_unread {
            self.by_change.remove(&(state.changed, path.clone()));
            state.changed = self.last_job;
            self.by_change.insert((state.changed, path.clone()));
        }
        if !was_unread {
            self.unread.insert(Arc::new(FileEntry { path: path.clone(), content: Content::Unread }));
        }
    }

    /// Returns the number of a new job that tries out `path`, which the job `since` set aside. Questions wait
    /// for it until `until`.
    pub(super) fn begin_trial(&mut self, path: &RelPath, since: u64, until: Instant) -> u64 {
        self.last_job += 1;
        self.trials.insert(self.last_job, Trial { since, until });
        self.add_scan(path, Claim::taken(), ScanCause::Changed, true);
        self.last_job
    }

    /// Returns the newest scan of `path` that is running, with its claim; none if a newer one has ended: an older one
    /// in the queue, whose place that took, would be waited for in vain while background work is held back. A file on
    /// trial is waited for as long as the job that set it aside.
    pub(super) fn newest_scan(&self, path: &RelPath) -> Option<(u64, Claim)> {
        let state = self.paths.get(path)?;
        let (job, claim) = state.jobs.last().filter(|(job, _)| *job > state.settled)?;
        Some((self.trials.get(job).map_or(*job, |trial| trial.since), claim.clone()))
    }

    /// Iterates over the unread files that changed after the job `job` began, each with the number of its last change:
    /// what was read of it since that job began is as new as the file.
    pub(super) fn changed_after(&self, job: u64) -> impl Iterator<Item = &(u64, RelPath)> {
        self.by_change.range((job + 1, RelPath::root())..)
    }

    /// Whether the content of `path` is not known until its newest scan is over.
    pub(super) fn is_unread(&self, path: &RelPath) -> bool {
        self.unread.get(path.as_str()).is_some()
    }

    /// Returns the number of the scan that began last.
    pub(super) fn last_job(&self) -> u64 {
        self.last_job
    }

    /// Reports whether the result of `job` for `path` is newer than what was applied. Must be called once per
    /// path of a job, or [`Pending::drop_result`].
    pub(super) fn accept_result(&mut self, job: u64, path: &RelPath) -> bool {
        let Some(state) = self.paths.get_mut(path) else { return false };
        let news = job > state.settled;
        state.settled = state.settled.max(job);
        self.scan_ended(job, path);
        news
    }

    /// Records that `job` has no result for `path`: another job scans it, for which questions wait instead.
    pub(super) fn drop_result(&mut self, job: u64, path: &RelPath) {
        let Some(state) = self.paths.get_mut(path) else { return };
        state.jobs.retain(|(number, _)| *number != job);
        if let Some((newest, _)) = state.jobs.last() {
            let scans = self.waiting_for.iter_mut().flat_map(|(scans, _)| scans);
            scans.filter(|(of, file)| *of == job && file == path).for_each(|scan| scan.0 = *newest);
        }
        self.scan_ended(job, path);
    }

    fn scan_ended(&mut self, job: u64, path: &RelPath) {
        let Some(state) = self.paths.get_mut(path) else { return };
        state.jobs.retain(|(number, _)| *number != job);
        self.looks -= 1;
        if state.jobs.iter().all(|(job, _)| *job < state.settled)
            && self.unread.remove(path.as_str()).is_some()
        {
            self.by_change.remove(&(state.changed, path.clone()));
        }
        if state.jobs.is_empty() {
            self.paths.remove(path);
        }
    }

    /// Removes a finished job.
    pub(super) fn end(&mut self, job: u64) {
        self.jobs.remove(&job);
        self.trials.remove(&job);
    }

    /// Records that `path` and everything beneath it is gone: running scans of them are outdated.
    pub(super) fn removed(&mut self, path: &RelPath) {
        self.outdate(path, |_| true);
    }

    /// Marks running scans at or beneath `directory` as outdated if `is_gone` holds for their path.
    pub(super) fn outdate(&mut self, directory: &RelPath, is_gone: impl Fn(&RelPath) -> bool) {
        self.last_job += 1;
        let now = self.last_job;
        // `a-b` sorts between `a` and `a/b`, so the range can contain paths outside the directory.
        let beneath = (Bound::Included(directory.clone()), Bound::Unbounded);
        self.paths
            .range_mut(beneath)
            .take_while(|(path, _)| path.as_str().starts_with(directory.as_str()))
            .filter(|(path, _)| path.is_within(directory) && is_gone(path))
            .for_each(|(path, state)| {
                state.settled = now;
                if self.unread.remove(path.as_str()).is_some() {
                    self.by_change.remove(&(state.changed, path.clone()));
                }
            });
    }

    /// Iterates over the files at or beneath `directory` that are being scanned.
    pub(super) fn scanned_within(&self, directory: &RelPath) -> impl Iterator<Item = &RelPath> {
        // `a-b` sorts between `a` and `a/b`, so the range can contain paths outside the directory.
        let beneath = (Bound::Included(directory.clone()), Bound::Unbounded);
        self.paths
            .range(beneath)
            .map(|(path, _)| path)
            .take_while(|path| path.as_str().starts_with(directory.as_str()))
            .filter(|path| path.is_within(directory))
    }

    /// Returns the files whose content is not known until their newest scan is over.
    pub(super) fn unread(&self) -> &FileMap {
        &self.unread
    }

    /// Reports whether a scan of `path` is running.
    pub(super) fn is_scanned(&self, path: &RelPath) -> bool {
        self.paths.contains_key(path)
    }

    /// Reports whether a question waits for the scan of `path` by `job`.
    pub(super) fn is_needed(&self, job: u64, path: &RelPath) -> bool {
        let mut scans = self.waiting_for.iter().flat_map(|(scans, _)| scans);
        scans.any(|(of, file)| *of == job && file == path)
    }

    /// Queues `question` until these scans have ended.
    pub(super) fn wait_for(&mut self, scans: Vec<FileScan>, question: Question) {
        self.waiting_for.push((scans, question));
    }

    /// Queues `question` until every job begun so far has ended.
    pub(super) fn wait(&mut self, question: Question) {
        self.waiting.push((self.last_job, question));
    }

    /// Returns the questions that need not wait any longer, in the order in which they were asked.
    pub(super) fn ready(&mut self, now: Instant) -> Vec<Question> {
        let on_trial = self.trials.values().filter(|trial| trial.until > now).map(|trial| trial.since);
        let oldest = self.jobs.first().copied().into_iter().chain(on_trial).min().unwrap_or(u64::MAX);
        let ready = self.waiting.partition_point(|(until, _)| *until < oldest);
        let mut questions: Vec<Question> =
            self.waiting.drain(..ready).map(|(_, question)| question).collect();
        let (paths, trials) = (&self.paths, &self.trials);
        let is_under_way = |(job, path): &FileScan| {
            let is_it = |of: &u64| {
                of == job || trials.get(of).is_some_and(|trial| trial.since == *job && trial.until > now)
            };
            paths.get(path).is_some_and(|state| state.jobs.iter().any(|(of, _)| is_it(of)))
        };
        let over = self.waiting_for.extract_if(.., |(scans, _)| {
            // What has ended is not looked at again.
            while scans.pop_if(|scan| !is_under_way(scan)).is_some() {}
            scans.is_empty()
        });
        questions.extend(over.map(|(_, question)| question));
        questions
    }

    /// Whether a question waits for all jobs.
    pub(super) fn is_waited_for(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns when questions may become ready without an event; `None` if time alone makes none ready.
    pub(super) fn next_ready(&self, now: Instant) -> Option<Instant> {
        let untils = self.trials.values().map(|trial| trial.until).filter(|until| *until > now);
        if self.waiting.is_empty() && self.waiting_for.is_empty() { None } else { untils.min() }
    }

    /// Returns the number of files on trial.
    #[cfg(test)]
    fn trials(&self) -> usize {
        self.trials.len()
    }

    /// Returns the number of running jobs, without trials.
    pub(super) fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// Drops all waiting questions, unanswered.
    pub(super) fn forget_waiting(&mut self) {
        self.waiting.clear();
        self.waiting_for.clear();
    }

    /// Returns the number of scans in progress.
    pub(super) fn looks(&self) -> usize {
        self.looks
    }

    /// Returns the number of files that are being scanned.
    pub(super) fn files(&self) -> usize {
        self.paths.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{QuestionLength, QuestionRun};

    fn question() -> Question {
        Question::new(QuestionLength::Short, None, QuestionRun::Once(Box::new(|_| {})))
    }

    fn begin(pending: &mut Pending, path: &RelPath) -> u64 {
        pending.begin(ScanCause::Changed, [(path, &Claim::default(), true)])
    }

    fn path(text: &str) -> RelPath {
        RelPath::new(text).expect(text)
    }

    #[test]
    fn an_older_look_never_replaces_a_newer() {
        let (mut pending, a) = (Pending::default(), path("a"));
        let (first, second) = (begin(&mut pending, &a), begin(&mut pending, &a));
        assert!(pending.accept_result(second, &a));
        assert!(!pending.accept_result(first, &a));
    }

    #[test]
    fn a_scan_in_the_queue_whose_place_another_took_is_not_waited_for() {
        let (mut pending, a) = (Pending::default(), path("a"));
        let queued = begin(&mut pending, &a);
        assert_eq!(pending.newest_scan(&a).map(|(job, _)| job), Some(queued));
        let first = begin(&mut pending, &a);
        assert!(pending.accept_result(first, &a));
        assert!(pending.newest_scan(&a).is_none() && pending.unread().is_empty());
    }

    #[test]
    fn only_a_change_makes_a_file_newer_than_what_was_searched() {
        let (mut pending, a, b) = (Pending::default(), path("a"), path("b"));
        let changed = |pending: &Pending, job| -> Vec<String> {
            pending.changed_after(job).map(|(_, path)| path.as_str().to_owned()).collect()
        };
        let (first, second) = (begin(&mut pending, &a), begin(&mut pending, &b));
        assert_eq!(
            (changed(&pending, 0), changed(&pending, first)),
            (vec!["a".into(), "b".into()], vec!["b".into()])
        );
        let ahead = pending.begin(ScanCause::Needed, [(&a, &Claim::default(), true)]);
        assert!(changed(&pending, second).is_empty());
        let third = begin(&mut pending, &a);
        assert_eq!(changed(&pending, second), ["a"]);
        assert!(pending.accept_result(third, &a));
        pending.drop_result(ahead, &a);
        pending.drop_result(first, &a);
        pending.removed(&b);
        assert_eq!((changed(&pending, 0).len(), pending.unread().len()), (0, 0));
        begin(&mut pending, &b);
        assert_eq!(changed(&pending, third), ["b"]);
    }

    #[test]
    fn a_removal_outdates_the_looks_under_way() {
        let (mut pending, file) = (Pending::default(), path("d/f"));
        let before = begin(&mut pending, &file);
        pending.removed(&path("d"));
        let after = begin(&mut pending, &file);
        assert!(!pending.accept_result(before, &file));
        assert!(pending.accept_result(after, &file));
    }

    #[test]
    fn a_waiter_waits_for_the_jobs_before_it_and_for_no_others() {
        let (mut pending, a) = (Pending::default(), path("a"));
        let before = begin(&mut pending, &a);
        pending.wait(question());
        let after = begin(&mut pending, &a);
        assert!(pending.ready(Instant::now()).is_empty());
        pending.end(after);
        assert!(pending.ready(Instant::now()).is_empty());
        let _still_running = begin(&mut pending, &a);
        pending.end(before);
        assert_eq!(pending.ready(Instant::now()).len(), 1);
    }

    #[test]
    fn a_file_on_trial_is_waited_for_only_so_long() {
        let (mut pending, a) = (Pending::default(), path("a"));
        let now = Instant::now();
        let later = now + std::time::Duration::from_secs(1);
        let look = begin(&mut pending, &a);
        pending.wait(question());
        assert!(pending.accept_result(look, &a));
        let trial = pending.begin_trial(&a, look, later);
        pending.end(look);
        assert_eq!((pending.jobs(), pending.trials()), (0, 1));
        assert!(pending.ready(now).is_empty(), "it was asked about the file");
        assert_eq!(pending.next_ready(now), Some(later));
        assert_eq!(pending.ready(later).len(), 1);
        // A question asked after that time does not wait.
        pending.wait(question());
        assert_eq!((pending.ready(later).len(), pending.next_ready(later)), (1, None));
        // The trial's outcome is still applied.
        assert!(pending.accept_result(trial, &a));
        pending.end(trial);
        assert_eq!((pending.trials(), pending.files()), (0, 0));
    }
}
