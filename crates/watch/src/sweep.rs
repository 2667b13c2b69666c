//! Snapshots of polled directories and their differences. Pure comparison; the caller opens and lists.
//! Invariant: a change that left all metadata the same is still found, if it came so soon after the sweep
//! that the clock of the file system could not distinguish it.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType};

use symd_vfs::{Entry, EntryKind, Stat, kind_of, stat_of};

/// A file that changed less than this before a sweep is read again in the next one: kernel ticks are up to 10
/// ms, file servers round to a second or two. Nanoseconds.
pub(super) const RACY_NANOSECONDS: i64 = 2_500_000_000;

/// The entries of one directory and their states.
#[derive(Debug, Default)]
pub(super) struct Snapshot(BTreeMap<String, State>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    kind: EntryKind,
    stat: Stat,
    racy: bool,
}

impl Snapshot {
    /// Records the state of each of `entries` in the open `directory`.
    pub(super) fn take(directory: BorrowedFd<'_>, entries: &[Entry]) -> Snapshot {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        let mut states = BTreeMap::new();
        for entry in entries {
            // An entry that vanished since it was listed counts as absent.
            let Ok(raw) = rustix::fs::statat(directory, &entry.name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let kind = kind_of(FileType::from_raw_mode(raw.st_mode));
            let mut stat = stat_of(&raw);
            if kind == EntryKind::Directory {
                // Its times and size follow from its entries, which are compared themselves; but if only its
                // ctime changed, it may have been renamed, and renamed back.
                let ctime = if stat.ctime == stat.mtime { 0 } else { stat.ctime };
                stat = Stat { ctime, mtime: i64::from(raw.st_mode), size: 0, links: 1, ..stat };
            }
            let racy = kind == EntryKind::File && stat.ctime.max(stat.mtime) > now - RACY_NANOSECONDS;
            states.insert(entry.name.clone(), State { kind, stat, racy });
        }
        Snapshot(states)
    }

    /// Returns the names that were added, removed or changed since `before`, sorted.
    pub(super) fn changed_since(&self, before: &Snapshot) -> Vec<String> {
        let same = |name: &str, state: &State| {
            before
                .0
                .get(name)
                .is_some_and(|old| (old.kind, old.stat) == (state.kind, state.stat) && !old.racy)
        };
        let mut names: Vec<String> =
            self.0.iter().filter(|(name, state)| !same(name, state)).map(|(name, _)| name.clone()).collect();
        names.extend(before.0.keys().filter(|name| !self.0.contains_key(*name)).cloned());
        names.sort_unstable();
        names
    }
}
