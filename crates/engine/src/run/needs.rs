//! What questions need of unread files: the search for words, and scans ahead of the queue. Invariant: the work for a
//! need does not grow with the number of unread files, but with what changed since the same was needed last.

use std::collections::BTreeSet;

use super::Run;
use crate::claim::Claim;
use crate::event::{Event, Question};
use crate::pending::ScanCause;
use crate::run::send;
use crate::scan::{ScanOrder, ScanTarget};
use crate::searches::{FoundWords, ScopedWords, UnreadFile};
use crate::word_search::{WantedWords, WordSearch};
use symd_base::RelPath;
use symd_index::{Content, Need, NeededWords, Origin};

/// Files per job that a question waits for.
const FETCHED_PER_JOB: usize = 2;
/// The most files beside those that a question needed that are read next in the background.
const READ_BESIDE: usize = 64;
/// The most unread files of a directory, those beneath it included, among which these are looked for.
const LOOKED_AT: usize = 1_000;
/// Number of times that a question is run with unread files; then it waits for all of them.
const MAX_ROUNDS: usize = 48;

impl Run {
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
        // What is fetched by path is searched all the same: the next question relies on what was found.
        let (mut files, mut searched) = (BTreeSet::new(), Vec::new());
        let (mut words, mut wanted) = (Vec::new(), Vec::new());
        for need in needs {
            match need {
                Need::Everything => {}
                Need::Within(path) => files.extend(unread.within(&path).map(|file| file.path.clone())),
                Need::Words(needed, path) => {
                    let (found, changed) = self.found_words(&needed, &path);
                    searched.extend(changed);
                    wanted.push(found);
                    words.push((needed, path));
                }
            }
        }
        if searched.is_empty() {
            let found = wanted.into_iter().map(|wanted| wanted.found).collect();
            self.searched(question, words, found, files);
            return;
        }
        searched.sort_unstable();
        searched.dedup();
        let (scanner, searches) = (self.scanner.clone(), self.caches.searches.clone());
        let search = WordSearch { scanner, searches, files: searched, wanted };
        let sender = self.sender.clone();
        let ended = move |found| send(&sender, Event::Searched { question, words, found, files });
        for job in search.jobs(ended) {
            self.pool.question(job);
        }
    }

    /// Returns what an earlier search for the words found in files that are still unread, and the files to search: those
    /// that changed since, in the question's eyes or behind its back.
    fn found_words(&self, needed: &NeededWords, path: &RelPath) -> (WantedWords, Vec<UnreadFile>) {
        let known = self.caches.searches.found(needed, path);
        let mut found = known.unwrap_or_else(|| FoundWords::nothing((needed.clone(), path.clone())));
        found.forget_read(&self.pending);
        let after = std::mem::replace(&mut found.last_job, self.pending.last_job());
        // Its outline may have names that the text does not have.
        let is_servers = |path: &RelPath| {
            let content = self.state.file(path).map(|file| &file.content);
            matches!(content, Some(Content::Code { origin: Origin::Server(_), .. }))
        };
        let mut searched = Vec::new();
        for (change, path) in self.pending.changed_after(after) {
            if !path.is_within(&found.words.1) {
                continue;
            }
            if is_servers(path) {
                found.files.insert(path.clone());
            } else {
                searched.push((path.clone(), *change));
            }
        }
        (WantedWords { after, found }, searched)
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
            self.caches.searches.keep_found(found);
        }
        self.fetch(question, words, files);
    }

    /// Scans files for a question, ahead of the queue, and runs it again when they are known.
    fn fetch(&mut self, mut question: Question, words: Vec<ScopedWords>, mut files: BTreeSet<RelPath>) {
        if self.stopping.is_some() || !self.watched {
            return;
        }
        let Some(by_need) = question.run.by_need() else { return };
        // What was found in files that the question knows, since they were read and changed again, is for the next one.
        let unread = self.unread(by_need);
        files.retain(|path| unread.as_ref().is_some_and(|unread| unread.get(path.as_str()).is_some()));
        let Some(fetched) = by_need.fetched.as_mut() else { return };
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
        let beside = self.paths_beside(&files);
        words.into_iter().for_each(|(words, scope)| fetched.met.add_words(words, scope));
        fetched.met.files.extend(files);
        let mut targets = targets.into_iter();
        loop {
            let chunk: Vec<ScanTarget> = targets.by_ref().take(FETCHED_PER_JOB).collect();
            if chunk.is_empty() {
                break;
            }
            let job = self.begin_job(ScanCause::Needed, &chunk);
            scans.extend(chunk.iter().map(|target| (job, target.path.clone())));
            self.pool.question(self.scan(job, chunk, ScanOrder::AsListed, None));
        }
        self.pending.wait_for(scans, question);
        self.read_beside(beside);
    }

    /// Returns unread files beside those that a question needs: the next question is most likely about the same.
    fn paths_beside(&mut self, files: &BTreeSet<RelPath>) -> Vec<RelPath> {
        let directories: BTreeSet<RelPath> = files.iter().filter_map(RelPath::parent).collect();
        let mut paths: Vec<RelPath> = Vec::new();
        for directory in directories {
            if paths.len() < READ_BESIDE && self.asked_about.insert(directory.clone()) {
                let unread = self.pending.unread().within(&directory).map(|file| &file.path);
                // Whole trees may lie between two files of one directory.
                let beside = unread
                    .take(LOOKED_AT)
                    .filter(|path| path.parent().as_ref() == Some(&directory) && !files.contains(*path));
                paths.extend(beside.take(READ_BESIDE - paths.len()).cloned());
            }
        }
        paths
    }

    /// Has the background go on with these files.
    fn read_beside(&mut self, paths: Vec<RelPath>) {
        let targets = paths.into_iter().filter_map(|path| {
            let (_, queued) = self.pending.newest_scan(&path).filter(|(_, claim)| !claim.is_taken())?;
            let known = self.state.file(&path).cloned();
            Some(ScanTarget { path, known, claim: Claim::default(), instead_of: Some(queued) })
        });
        let targets: Vec<ScanTarget> = targets.collect();
        self.scan_in_background(ScanCause::Needed, targets, |pool, scan| pool.urgent_background(scan));
    }
}
