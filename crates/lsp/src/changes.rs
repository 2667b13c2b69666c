//! File changes that a running server has not been notified of: one entry per path, with successive changes
//! merged. Invariant: noting a change never blocks, and taken entries are exactly those that the server does
//! not know yet.

use std::collections::BTreeMap;

use symd_base::RelPath;
use symd_vfs::Change;

/// The maximum number of pending paths. When it is reached, changes of further paths are lost;
/// [`Changes::lost`] reports that, and the server must be restarted.
pub(crate) const PENDING_CHANGES: usize = 200_000;

/// Pending changes, one per path.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    by_path: BTreeMap<RelPath, Change>,
    lost: bool,
}

impl Changes {
    pub(crate) fn note(&mut self, path: &RelPath, change: Change) {
        let Some(earlier) = self.by_path.get(path).copied() else {
            if self.by_path.len() < PENDING_CHANGES {
                self.by_path.insert(path.clone(), change);
            } else {
                self.lost = true;
            }
            return;
        };
        match sum(earlier, change) {
            Some(sum) => self.by_path.insert(path.clone(), sum),
            None => self.by_path.remove(path),
        };
    }

    /// Takes out up to `limit` changes, sorted by path.
    pub(crate) fn take(&mut self, limit: usize) -> Vec<(RelPath, Change)> {
        if self.by_path.len() <= limit {
            return std::mem::take(&mut self.by_path).into_iter().collect();
        }
        std::iter::from_fn(|| self.by_path.pop_first()).take(limit).collect()
    }

    /// Forgets all changes, and that some were lost.
    pub(super) fn clear(&mut self) {
        *self = Changes::default();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// Whether changes were lost because too many paths were pending.
    pub(crate) fn lost(&self) -> bool {
        self.lost
    }
}

/// Merges two successive changes of one path; `None` if the server would see no change.
fn sum(earlier: Change, later: Change) -> Option<Change> {
    match (earlier, later) {
        (Change::Created, Change::Deleted) => None,
        (Change::Created, _) => Some(Change::Created),
        (Change::Deleted, Change::Created | Change::Written) => Some(Change::Written),
        (_, later) => Some(later),
    }
}

#[cfg(test)]
mod tests {
    use Change::{Created, Deleted, Written};

    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    fn summed(changes: &[Change]) -> Option<Change> {
        let mut pending = Changes::default();
        changes.iter().for_each(|&change| pending.note(&path("a"), change));
        pending.take(9).pop().map(|(_, change)| change)
    }

    #[test]
    fn changes_of_one_path_come_to_one() {
        for (changes, expected) in [
            (&[Created, Written][..], Some(Created)),
            (&[Created, Deleted], None),
            (&[Created, Deleted, Created, Written], Some(Created)),
            (&[Deleted, Created], Some(Written)),
            (&[Deleted, Created, Deleted], Some(Deleted)),
            (&[Written, Written], Some(Written)),
            (&[Written, Deleted], Some(Deleted)),
            (&[Written, Deleted, Created], Some(Written)),
            (&[Written, Created], Some(Created)),
        ] {
            assert_eq!(summed(changes), expected, "{changes:?}");
        }
    }

    #[test]
    fn they_are_taken_in_order_and_in_parts() {
        let mut pending = Changes::default();
        for name in ["c", "a", "b"] {
            pending.note(&path(name), Written);
        }
        assert_eq!(pending.take(2), [(path("a"), Written), (path("b"), Written)]);
        assert_eq!(pending.take(2), [(path("c"), Written)]);
        assert!(pending.is_empty() && pending.take(2).is_empty());
    }

    #[test]
    fn too_many_are_lost_and_it_is_said() {
        let mut pending = Changes::default();
        for number in 0..=PENDING_CHANGES {
            assert!(!pending.lost());
            pending.note(&path(&number.to_string()), Written);
        }
        assert!(pending.lost());
        assert_eq!(pending.take(usize::MAX).len(), PENDING_CHANGES);
    }
}
