//! Texts that an editor has not saved, laid over the files beneath. Invariant: an unsaved text is seen under its
//! file's own path and through every link to it, and only while a regular file of that path exists beneath.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::files::Files;
use super::root::{Entry, EntryKind, FileBytes, MAX_FILE_BYTES, Stat, VfsError};
use symd_base::RelPath;

/// The texts that editors have not saved, by path. Shared by all that read the project.
#[derive(Debug, Default)]
pub struct UnsavedTexts(RwLock<TextsByPath>);

#[derive(Debug, Default)]
struct TextsByPath {
    by_path: BTreeMap<RelPath, UnsavedText>,
    /// Number of changes so far.
    changes: i64,
}

/// A text that an editor has not saved.
#[derive(Clone, Debug)]
struct UnsavedText {
    bytes: Arc<[u8]>,
    version: i64,
    /// The number of the change that set it, which stands for a time in its state.
    change: i64,
}

impl UnsavedTexts {
    /// Sets the unsaved text of the file at `path`, which must contain no link. Returns `false`, and changes
    /// nothing, if a newer version is known.
    pub fn set(&self, path: &RelPath, version: i64, text: &str) -> bool {
        let mut texts = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if texts.by_path.get(path).is_some_and(|known| known.version > version) {
            return false;
        }
        texts.changes += 1;
        let change = texts.changes;
        let text = UnsavedText { bytes: Arc::from(text.as_bytes()), version, change };
        texts.by_path.insert(path.clone(), text);
        true
    }

    /// Removes the unsaved text of `path`, because it was saved or its editor closed it. Returns whether there
    /// was one.
    pub fn remove(&self, path: &RelPath) -> bool {
        self.0.write().unwrap_or_else(PoisonError::into_inner).by_path.remove(path).is_some()
    }

    /// Returns how many bytes the texts have.
    pub fn memory(&self) -> usize {
        self.texts().by_path.values().map(|text| text.bytes.len()).sum()
    }

    /// Returns the unsaved text of `path`.
    pub fn bytes(&self, path: &RelPath) -> Option<Arc<[u8]>> {
        Some(self.get(path)?.bytes)
    }

    /// Returns the version of the unsaved text of `path`.
    pub fn version(&self, path: &RelPath) -> Option<i64> {
        Some(self.texts().by_path.get(path)?.version)
    }

    /// Returns the paths that have unsaved texts, in path order.
    pub fn paths(&self) -> Vec<RelPath> {
        self.texts().by_path.keys().cloned().collect()
    }

    fn texts(&self) -> RwLockReadGuard<'_, TextsByPath> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, path: &RelPath) -> Option<UnsavedText> {
        self.texts().by_path.get(path).cloned()
    }
}

/// The files beneath, with unsaved texts over them.
#[derive(Debug)]
pub struct Overlay {
    below: Arc<dyn Files>,
    unsaved: Arc<UnsavedTexts>,
}

impl Overlay {
    pub fn new(below: Arc<dyn Files>, unsaved: Arc<UnsavedTexts>) -> Overlay {
        Overlay { below, unsaved }
    }

    /// Returns the unsaved text that a path without links has, if its file exists.
    fn own(&self, path: &RelPath) -> Option<(UnsavedText, Stat)> {
        let text = self.unsaved.get(path)?;
        match self.below.stat_link(path) {
            Ok((EntryKind::File, stat)) => Some((text.clone(), text.state(stat))),
            _ => None,
        }
    }

    /// Returns the unsaved text of `path`. Follows links in its directories, and not `path` itself.
    fn behind_links_above(&self, path: &RelPath) -> Option<(UnsavedText, Stat)> {
        if self.unsaved.texts().by_path.is_empty() {
            return None;
        }
        self.own(path).or_else(|| {
            let directory = self.below.resolve(&path.parent()?).ok()?;
            self.own(&directory.join(path.file_name()))
        })
    }

    /// Returns the unsaved text that any path leads to.
    fn followed(&self, path: &RelPath) -> Option<(UnsavedText, Stat)> {
        if self.unsaved.texts().by_path.is_empty() {
            return None;
        }
        self.own(path).or_else(|| {
            let real = self.below.resolve(path).ok().filter(|real| real != path)?;
            self.own(&real)
        })
    }

    /// Returns the state of an entry that is no link itself, given that of the entry beneath.
    fn state_of(&self, path: &RelPath, beneath: (EntryKind, Stat)) -> (EntryKind, Stat) {
        match beneath {
            (EntryKind::File, stat) => (EntryKind::File, self.followed(path).map_or(stat, |(_, own)| own)),
            other => other,
        }
    }
}

impl UnsavedText {
    /// Returns a state that differs from the file's and from that of every other unsaved text of it.
    fn state(&self, file: Stat) -> Stat {
        // No file was changed before 1970.
        Stat { size: self.bytes.len() as u64, ctime: -self.change, ..file }
    }

    fn read(&self, path: &RelPath, stat: Stat, limit: u64) -> Result<FileBytes, VfsError> {
        let bytes = self.bytes.len() as u64;
        if bytes > limit {
            return Err(VfsError::TooLarge { path: path.clone(), bytes, limit });
        }
        Ok(FileBytes { bytes: self.bytes.to_vec(), stat })
    }
}

impl Files for Overlay {
    fn path(&self) -> &Path {
        self.below.path()
    }

    fn read(&self, path: &RelPath) -> Result<FileBytes, VfsError> {
        match self.followed(path) {
            Some((text, stat)) => text.read(path, stat, MAX_FILE_BYTES),
            None => self.below.read(path),
        }
    }

    fn read_no_follow(&self, path: &RelPath, max_bytes: u64) -> Result<FileBytes, VfsError> {
        match self.behind_links_above(path) {
            Some((text, stat)) => text.read(path, stat, max_bytes.min(MAX_FILE_BYTES)),
            None => self.below.read_no_follow(path, max_bytes),
        }
    }

    fn read_saved(&self, path: &RelPath, max_bytes: u64) -> Result<FileBytes, VfsError> {
        self.below.read_saved(path, max_bytes)
    }

    fn read_at(&self, path: &RelPath, offset: u64, length: usize) -> Result<FileBytes, VfsError> {
        let Some((text, stat)) = self.followed(path) else {
            return self.below.read_at(path, offset, length);
        };
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(text.bytes.len());
        let to = from.saturating_add(length).min(text.bytes.len());
        Ok(FileBytes { bytes: text.bytes[from..to].to_vec(), stat })
    }

    fn stat(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        match self.followed(path) {
            Some((_, stat)) => Ok((EntryKind::File, stat)),
            None => self.below.stat(path),
        }
    }

    fn stat_link(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        Ok(self.state_of(path, self.below.stat_link(path)?))
    }

    fn stat_children(&self, directory: &RelPath, names: &[&str]) -> Vec<Option<(EntryKind, Stat)>> {
        let beneath = self.below.stat_children(directory, names);
        let state = |(name, found): (&&str, Option<(EntryKind, Stat)>)| {
            Some(self.state_of(&directory.join(name), found?))
        };
        names.iter().zip(beneath).map(state).collect()
    }

    fn list(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError> {
        self.below.list(directory)
    }

    fn list_no_follow(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError> {
        self.below.list_no_follow(directory)
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, VfsError> {
        self.below.resolve(path)
    }

    fn is_unsaved(&self, path: &RelPath) -> bool {
        self.unsaved.version(path).is_some() || self.below.is_unsaved(path)
    }
}
