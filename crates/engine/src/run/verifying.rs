//! Reads and hashes the files that were taken with a recorded state. Invariants: it begins when everything is scanned, and no
//! question waits for it; a file whose bytes are others, or cannot be read, is scanned like one that changed.

use super::Run;
use crate::event::Event;
use crate::run::send;
use crate::verification::{UnverifiedFile, VerifiedBytes};
use symd_base::RelPath;

/// Files per job.
const FILES_PER_JOB: usize = 64;

impl Run {
    /// Queues the files that are not verified, behind all other work.
    pub(super) fn verify(&mut self) {
        while let Some(files) = self.verification.begin(FILES_PER_JOB) {
            let (scanner, sender) = (self.scanner.clone(), self.sender.clone());
            let rule = self.pool.background_rule();
            self.pool.background(move || {
                let (count, mut files) = (files.len(), files.into_iter());
                let (mut changed, mut unreadable) = (Vec::new(), Vec::new());
                for file in files.by_ref() {
                    match scanner.verify(&file.path, file.hash) {
                        VerifiedBytes::AsRecorded => {}
                        VerifiedBytes::Others => changed.push(file),
                        VerifiedBytes::Unreadable => unreadable.push(file.path),
                    }
                    if rule.holds_back() || scanner.cancel.is_cancelled() {
                        break;
                    }
                }
                send(&sender, Event::Verified { count, changed, unreadable, unread: files.collect() });
            });
        }
    }

    /// Scans the files whose bytes are others than recorded, unless a change has had them scanned meanwhile, and those that cannot be read.
    pub(super) fn verified(
        &mut self,
        count: usize,
        changed: Vec<UnverifiedFile>,
        mut unreadable: Vec<RelPath>,
        unread: Vec<UnverifiedFile>,
    ) {
        self.verification.end(count, unread);
        if self.verification.left() == 0 {
            // The texts that were read.
            self.give_memory_back();
        }
        let is_known = |file: &UnverifiedFile| {
            self.state.file(&file.path).is_some_and(|now| now.hash() == Some(file.hash))
        };
        let changed: Vec<UnverifiedFile> = changed.into_iter().filter(is_known).collect();
        for file in &changed {
            tracing::warn!(path = %file.path, "the file's state is as recorded and its bytes are not; it is read again");
        }
        self.verification.corrected += changed.len();
        unreadable.retain(|path| self.state.file(path).is_some());
        unreadable.extend(changed.into_iter().map(|file| file.path));
        self.scan_paths(unreadable);
    }
}
