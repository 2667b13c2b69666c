//! What one sweep saw in a polled directory, and how the next one differs. Pure comparison; looking is the
//! caller's. Invariant: a change that left every figure the same is still found, if it came so soon after
//! the sweep that the clock of the file system could not tell.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType};

use symd_vfs::{Entry, EntryKind, Stat, kind_of, stat_of};

/// A file changed no longer than this before a sweep is looked at again in the next one: kernel ticks are
/// up to 10 ms, file servers round to a second or two. Nanoseconds.
pub(super) const RACY_NANOSECONDS: i64 = 2_500_000_000;

/// The entries of one directory and the state each is in.
#[derive(Debug, Default)]
pub(super) struct Snapshot(BTreeMap<String, State>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    kind: EntryKind,
    stat: Stat,
    racy: bool,
}

impl Snapshot {
    /// Looks at every one of `entries` of the open `directory`.
    pub(super) fn take(directory: BorrowedFd<'_>, entries: &[Entry]) -> Snapshot {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        let mut states = BTreeMap::new();
        for entry in entries {
            // What vanished since it was listed is simply not there.
            let Ok(raw) = rustix::fs::statat(directory, &entry.name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let kind = kind_of(FileType::from_raw_mode(raw.st_mode));
            let mut stat = stat_of(&raw);
            if kind == EntryKind::Directory {
                // Its times and size follow from its entries, which are compared in their own right; but where its state alone
                // was changed, it may have been renamed, and be back.
                let ctime = if stat.ctime == stat.mtime { 0 } else { stat.ctime };
                stat = Stat { ctime, mtime: i64::from(raw.st_mode), size: 0, links: 1, ..stat };
            }
            let racy = kind == EntryKind::File && stat.ctime.max(stat.mtime) > now - RACY_NANOSECONDS;
            states.insert(entry.name.clone(), State { kind, stat, racy });
        }
        Snapshot(states)
    }

    /// The names to look at: those that came, went or differ since `before`, by name.
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
