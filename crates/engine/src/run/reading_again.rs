//! Files that are read again although no notice says that they changed: the quarantined ones, and those whose state on the disk is another.

use std::sync::Arc;

use super::Run;
use crate::event::Event;
use crate::run::send;
use symd_base::RelPath;
use symd_index::{Content, FileEntry, Skipped};

impl Run {
    /// Rescans quarantined files.
    pub(super) fn retry(&mut self) {
        if let Some(quarantine) = self.scanner.parsers.quarantine() {
            quarantine.clear();
        }
        let again = |file: &&Arc<FileEntry>| {
            matches!(file.content, Content::Skipped { why: Skipped::Unparsable, .. })
        };
        let paths = self.state.snapshot().files.iter().filter(again).map(|file| file.path.clone()).collect();
        self.scan_paths(paths);
    }

    /// Compares every file that was read with its current state on disk: writes through mmap, or through a
    /// hard link outside the project, cause no event.
    pub(super) fn sweep(&mut self) {
        // Their states are not known.
        self.caches.plain.changed_within(&RelPath::root());
        let (scanner, sender) = (self.scanner.clone(), self.sender.clone());
        let files = self.state.snapshot().files.clone();
        self.pool.background(move || {
            let differs = |file: &FileEntry| {
                file.stat().is_some_and(|then| {
                    !scanner.files.stat_link(&file.path).is_ok_and(|(_, now)| now == then)
                })
            };
            let changed = files.iter().filter(|file| differs(file)).map(|file| file.path.clone()).collect();
            send(&sender, Event::Swept(changed));
        });
    }
}
