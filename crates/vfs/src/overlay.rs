//! Texts that an editor has not saved, laid over the files beneath. Invariant: an unsaved text is seen under its
//! file's own path and through every link to it, while a regular file of that path exists beneath, or once nothing
//! does if the editor had opened or saved a file there: a removed file takes no text from the screen.

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

/// Whether an unsaved text is one of a file, so that it is seen even if the file is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOrigin {
    /// There was a file when the editor opened or saved it.
    OfFile,
    /// There never was: it counts from its first save.
    New,
}

/// A text that an editor has not saved.
#[derive(Clone, Debug)]
struct UnsavedText {
    bytes: Arc<[u8]>,
    version: i64,
    origin: TextOrigin,
    /// The number of the change that set it, which stands for a time in its state.
    change: i64,
}

impl UnsavedTexts {
    /// Sets the unsaved text of the file at `path`, which must contain no link. Returns `false`, and changes
    /// nothing, if a newer version is known.
    pub fn set(&self, path: &RelPath, version: i64, text: &str, origin: TextOrigin) -> bool {
        let mut texts = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if texts.by_path.get(path).is_some_and(|known| known.version > version) {
            return false;
        }
        texts.changes += 1;
        let change = texts.changes;
        let text = UnsavedText { bytes: Arc::from(text.as_bytes()), version, origin, change };
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

    /// Whether `path` has an unsaved text that is seen even if its file is removed.
    pub fn outlasts_file(&self, path: &RelPath) -> bool {
        self.get(path).is_some_and(|text| text.origin == TextOrigin::OfFile)
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

    /// Returns the unsaved text that a path without links has, if its file exists or was removed.
    fn own(&self, path: &RelPath) -> Option<(UnsavedText, Stat)> {
        let text = self.unsaved.get(path)?;
        let beneath = match self.below.stat_link(path) {
            Ok((EntryKind::File, stat)) => stat,
            Err(VfsError::NotFound { .. }) if text.origin == TextOrigin::OfFile => text.state_without_file(),
            _ => return None,
        };
        Some((text.clone(), text.state(beneath)))
    }

    /// Returns the paths beneath `directory` of texts whose files were removed.
    fn without_files(&self, directory: &RelPath) -> Vec<RelPath> {
        let mut paths = self.unsaved.paths();
        paths.retain(|path| path != directory && path.is_within(directory));
        let is_removed = |path: &RelPath| {
            self.unsaved.outlasts_file(path)
                && matches!(self.below.stat_link(path), Err(VfsError::NotFound { .. }))
        };
        paths.retain(is_removed);
        paths
    }

    /// Adds what leads to texts whose files were removed to the listing of `directory`.
    fn listed(
        &self,
        directory: &RelPath,
        beneath: Result<(Vec<Entry>, usize), VfsError>,
    ) -> Result<(Vec<Entry>, usize), VfsError> {
        let lost = self.without_files(directory);
        if lost.is_empty() {
            return beneath;
        }
        let (mut entries, unnamed) = match beneath {
            Err(VfsError::NotFound { .. }) => (Vec::new(), 0),
            listed => listed?,
        };
        for path in lost {
            let within = path.as_str()[directory.as_str().len()..].trim_start_matches('/');
            let (name, kind) = match within.split_once('/') {
                Some((name, _)) => (name, EntryKind::Directory),
                None => (within, EntryKind::File),
            };
            if let Err(place) = entries.binary_search_by(|entry| entry.name.as_str().cmp(name)) {
                entries.insert(place, Entry { name: name.to_owned(), kind });
            }
        }
        Ok((entries, unnamed))
    }

    /// Returns what a path is at which nothing exists beneath.
    fn removed(&self, path: &RelPath) -> Option<(EntryKind, Stat)> {
        if let Some((_, stat)) = self.behind_links_above(path) {
            return Some((EntryKind::File, stat));
        }
        (!self.without_files(path).is_empty()).then(|| (EntryKind::Directory, Stat::default()))
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

    /// Returns what a path is at which nothing exists beneath, or `error`, which the look beneath gave.
    fn or_removed(&self, path: &RelPath, error: VfsError) -> Result<(EntryKind, Stat), VfsError> {
        match &error {
            VfsError::NotFound { .. } => self.removed(path).ok_or(error),
            _ => Err(error),
        }
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

    /// Returns the state that stands for the file's while the disk has no such file.
    fn state_without_file(&self) -> Stat {
        // No file system has this number, and no other text this inode.
        Stat { device: u64::MAX, inode: self.change.unsigned_abs(), links: 1, ..Stat::default() }
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
            None => self.below.stat(path).or_else(|error| self.or_removed(path, error)),
        }
    }

    fn stat_link(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        match self.below.stat_link(path) {
            Ok(beneath) => Ok(self.state_of(path, beneath)),
            Err(error) => self.or_removed(path, error),
        }
    }

    fn stat_children(&self, directory: &RelPath, names: &[&str]) -> Vec<Option<(EntryKind, Stat)>> {
        let beneath = self.below.stat_children(directory, names);
        let state = |(name, found): (&&str, Option<(EntryKind, Stat)>)| {
            let path = directory.join(name);
            match found {
                Some(beneath) => Some(self.state_of(&path, beneath)),
                None => self.removed(&path),
            }
        };
        names.iter().zip(beneath).map(state).collect()
    }

    fn list(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError> {
        self.listed(directory, self.below.list(directory))
    }

    fn list_no_follow(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError> {
        self.listed(directory, self.below.list_no_follow(directory))
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, VfsError> {
        self.below.resolve(path)
    }

    fn is_unsaved(&self, path: &RelPath) -> bool {
        self.unsaved.version(path).is_some() || self.below.is_unsaved(path)
    }
}
