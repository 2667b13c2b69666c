//! The directories that are watched or polled, and which watch belongs to which. Bookkeeping only: opens
//! nothing. Invariant: a watch that no directory uses is returned to the caller to be removed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use super::backend::WatchId;
use super::sweep::Snapshot;
use symd_base::RelPath;
use symd_vfs::Rules;

/// A directory that has been listed.
#[derive(Debug)]
pub(super) struct DirectoryState {
    pub(super) detection: Detection,
    pub(super) rules: Rules,
    /// The directories in it that are known or are about to be.
    pub(super) children: BTreeSet<RelPath>,
    /// The watches for git's `info/exclude`, if a work tree starts here.
    pub(super) git: Vec<WatchId>,
    pub(super) identity: Identity,
}

/// How changes in a directory are detected.
#[derive(Debug)]
pub(super) enum Detection {
    /// By events.
    Watched(WatchId),
    /// By comparison with what the last sweep recorded.
    Polled(Snapshot),
}

/// What distinguishes one directory, and who may read it, from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) mode: u32,
    pub(super) owner: (u32, u32),
    /// Whether it is on a file system that does not report changes made on other machines.
    pub(super) remote: bool,
}

/// What a watch is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WatchPurpose {
    /// A directory of the tree.
    Directory(RelPath),
    /// The directory with git's `info/exclude`, or the one above it, for the work tree at this path.
    GitInfo(RelPath),
}

/// The places of one watch: mostly one; more when a directory was moved during a crawl, or is mounted twice. Then an event is checked at
/// each place, and places where nothing is left are found out that way.
#[derive(Debug)]
enum WatchPlaces {
    /// Without a list of its own: there are hundreds of thousands.
    One(WatchPurpose),
    Several(Vec<WatchPurpose>),
}

impl WatchPlaces {
    fn as_slice(&self) -> &[WatchPurpose] {
        match self {
            WatchPlaces::One(place) => std::slice::from_ref(place),
            WatchPlaces::Several(places) => places,
        }
    }
}

impl From<WatchPlaces> for Vec<WatchPurpose> {
    fn from(places: WatchPlaces) -> Vec<WatchPurpose> {
        match places {
            WatchPlaces::One(place) => vec![place],
            WatchPlaces::Several(places) => places,
        }
    }
}

impl From<Vec<WatchPurpose>> for WatchPlaces {
    fn from(places: Vec<WatchPurpose>) -> WatchPlaces {
        match <[WatchPurpose; 1]>::try_from(places) {
            Ok([place]) => WatchPlaces::One(place),
            Err(places) => WatchPlaces::Several(places),
        }
    }
}

/// All directories and watches.
#[derive(Debug, Default)]
pub(super) struct Tree {
    directories: BTreeMap<RelPath, DirectoryState>,
    places: HashMap<WatchId, WatchPlaces>,
    polled: usize,
}

impl Tree {
    pub(super) fn get(&self, path: &RelPath) -> Option<&DirectoryState> {
        self.directories.get(path)
    }

    pub(super) fn contains(&self, path: &RelPath) -> bool {
        self.directories.contains_key(path)
    }

    /// Returns the watch of a directory; `None` when it is polled or unknown.
    pub(super) fn watch_of(&self, path: &RelPath) -> Option<WatchId> {
        match self.directories.get(path)?.detection {
            Detection::Watched(watch) => Some(watch),
            Detection::Polled(_) => None,
        }
    }

    pub(super) fn places(&self, watch: WatchId) -> Vec<WatchPurpose> {
        self.places.get(&watch).map(|places| places.as_slice().to_vec()).unwrap_or_default()
    }

    /// Whether `watch` belongs to a directory of the tree.
    pub(super) fn is_of_directory(&self, watch: WatchId) -> bool {
        let is_directory = |place: &WatchPurpose| matches!(place, WatchPurpose::Directory(_));
        self.places.get(&watch).is_some_and(|places| places.as_slice().iter().any(is_directory))
    }

    /// Records that `watch` belongs to `place`, before anything is known of its content.
    pub(super) fn add_place(&mut self, watch: WatchId, place: WatchPurpose) {
        let Some(known) = self.places.get_mut(&watch) else {
            self.places.insert(watch, WatchPlaces::One(place));
            return;
        };
        if !known.as_slice().contains(&place) {
            *known = [known.as_slice(), &[place]].concat().into();
        }
    }

    /// Records that `watch` no longer belongs to `place`, and returns it if it belongs to no place any more.
    #[must_use]
    pub(super) fn remove_place(&mut self, watch: WatchId, place: &WatchPurpose) -> Option<WatchId> {
        let mut places = Vec::from(self.places.remove(&watch)?);
        places.retain(|other| other != place);
        if places.is_empty() {
            return Some(watch);
        }
        self.places.insert(watch, places.into());
        None
    }

    /// Forgets a watch that ended by itself, and returns its places.
    pub(super) fn remove_watch(&mut self, watch: WatchId) -> Vec<WatchPurpose> {
        self.places.remove(&watch).map(Vec::from).unwrap_or_default()
    }

    pub(super) fn insert(&mut self, path: RelPath, known: DirectoryState) {
        // A directory that was created after its parent was listed is a child like the others.
        if let Some(parent) = path.parent().and_then(|parent| self.directories.get_mut(&parent)) {
            parent.children.insert(path.clone());
        }
        self.polled += usize::from(matches!(known.detection, Detection::Polled(_)));
        if let Some(old) = self.directories.insert(path, known) {
            self.polled -= usize::from(matches!(old.detection, Detection::Polled(_)));
        }
    }

    /// Forgets `directory` and everything beneath it, and returns the watches that are no longer used.
    #[must_use]
    pub(super) fn remove(&mut self, directory: &RelPath) -> Vec<WatchId> {
        let mut unused = Vec::new();
        if let Some(parent) = directory.parent().and_then(|parent| self.directories.get_mut(&parent)) {
            parent.children.remove(directory);
        }
        for path in self.beneath(directory) {
            if let Some(known) = self.directories.remove(&path) {
                for watch in known.git {
                    unused.extend(self.remove_place(watch, &WatchPurpose::GitInfo(path.clone())));
                }
                match known.detection {
                    Detection::Watched(watch) => {
                        unused.extend(self.remove_place(watch, &WatchPurpose::Directory(path.clone())));
                    }
                    Detection::Polled(_) => self.polled -= 1,
                }
            }
        }
        unused
    }

    fn beneath(&self, directory: &RelPath) -> Vec<RelPath> {
        // `a-b` sorts between `a` and `a/b`: the directory itself is not the start of its range.
        let mut paths: Vec<RelPath> =
            self.directories.get_key_value(directory).map(|(p, _)| p.clone()).into_iter().collect();
        let (from, to) = if directory.is_root() {
            (Bound::Excluded(String::new()), Bound::Unbounded)
        } else {
            let name = directory.as_str();
            (Bound::Included(format!("{name}/")), Bound::Excluded(format!("{name}0")))
        };
        let bounds = (from.as_ref().map(String::as_str), to.as_ref().map(String::as_str));
        paths.extend(self.directories.range::<str, _>(bounds).map(|(path, _)| path.clone()));
        paths
    }

    /// Returns the directories that have to be swept, in order.
    pub(super) fn polled(&self) -> Vec<RelPath> {
        if self.polled == 0 {
            return Vec::new();
        }
        let polled = |known: &DirectoryState| matches!(known.detection, Detection::Polled(_));
        self.directories.iter().filter(|(_, known)| polled(known)).map(|(path, _)| path.clone()).collect()
    }

    /// Replaces the snapshot of a polled directory and returns the names that changed.
    pub(super) fn replace_snapshot(&mut self, path: &RelPath, now: Snapshot) -> Vec<String> {
        match self.directories.get_mut(path).map(|known| &mut known.detection) {
            Some(Detection::Polled(before)) => {
                let changed = now.changed_since(before);
                *before = now;
                changed
            }
            Some(Detection::Watched(_)) | None => Vec::new(),
        }
    }

    pub(super) fn watched_count(&self) -> usize {
        self.places.len()
    }

    pub(super) fn polled_count(&self) -> usize {
        self.polled
    }
}
