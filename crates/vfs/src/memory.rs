//! A project in memory, for tests of what stands above files. No feature: cargo would build every crate above
//! twice for it. It has no links.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use super::files::Files;
use super::root::{Entry, EntryKind, FileBytes, MAX_FILE_BYTES, Stat, VfsError};
use symd_base::RelPath;

/// Files in memory.
#[derive(Debug)]
pub struct MemoryFiles {
    root: PathBuf,
    files: RwLock<BTreeMap<RelPath, StoredFile>>,
}

#[derive(Clone, Debug)]
struct StoredFile {
    bytes: Vec<u8>,
    stat: Stat,
}

impl MemoryFiles {
    /// Creates a project whose root is called `root`, with these files.
    pub fn new<'a>(root: &Path, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> MemoryFiles {
        let memory = MemoryFiles { root: root.to_owned(), files: RwLock::default() };
        for (path, text) in files {
            memory.write(&RelPath::new(path).unwrap_or_else(|_| RelPath::root()), text.as_bytes());
        }
        memory
    }

    /// Writes a file; its state differs from every earlier one.
    pub fn write(&self, path: &RelPath, bytes: &[u8]) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        let last = files.values().map(|file| file.stat.mtime).max().unwrap_or(0);
        let inode = files.get(path).map_or(files.len() as u64 + 1, |file| file.stat.inode);
        let stat =
            Stat { size: bytes.len() as u64, mtime: last + 1, ctime: last + 1, inode, device: 1, links: 1 };
        files.insert(path.clone(), StoredFile { bytes: bytes.to_vec(), stat });
    }

    /// Removes a file.
    pub fn remove(&self, path: &RelPath) {
        self.files.write().unwrap_or_else(PoisonError::into_inner).remove(path);
    }

    fn files(&self) -> RwLockReadGuard<'_, BTreeMap<RelPath, StoredFile>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, path: &RelPath) -> Result<StoredFile, VfsError> {
        match self.stat(path)? {
            (EntryKind::File, _) => self.files().get(path).cloned().ok_or_else(|| missing(path)),
            _ => Err(VfsError::NotAFile { path: path.clone(), what: "a directory" }),
        }
    }
}

fn missing(path: &RelPath) -> VfsError {
    VfsError::NotFound { path: path.clone() }
}

impl Files for MemoryFiles {
    fn path(&self) -> &Path {
        &self.root
    }

    fn read(&self, path: &RelPath) -> Result<FileBytes, VfsError> {
        self.read_no_follow(path, MAX_FILE_BYTES)
    }

    fn read_no_follow(&self, path: &RelPath, max_bytes: u64) -> Result<FileBytes, VfsError> {
        let StoredFile { bytes, stat } = self.file(path)?;
        if stat.size > max_bytes {
            return Err(VfsError::TooLarge { path: path.clone(), bytes: stat.size, limit: max_bytes });
        }
        Ok(FileBytes { bytes, stat })
    }

    fn read_at(&self, path: &RelPath, offset: u64, length: usize) -> Result<FileBytes, VfsError> {
        let StoredFile { bytes, stat } = self.file(path)?;
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let to = from.saturating_add(length).min(bytes.len());
        Ok(FileBytes { bytes: bytes[from..to].to_vec(), stat })
    }

    fn stat(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        let files = self.files();
        if let Some(file) = files.get(path) {
            return Ok((EntryKind::File, file.stat));
        }
        let prefix = format!("{}/", path.as_str());
        let has_files = path.is_root() || files.keys().any(|file| file.as_str().starts_with(&prefix));
        if has_files { Ok((EntryKind::Directory, Stat::default())) } else { Err(missing(path)) }
    }

    fn stat_link(&self, path: &RelPath) -> Result<(EntryKind, Stat), VfsError> {
        self.stat(path)
    }

    fn stat_children(&self, directory: &RelPath, names: &[&str]) -> Vec<Option<(EntryKind, Stat)>> {
        names.iter().map(|name| self.stat(&directory.join(name)).ok()).collect()
    }

    fn list(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError> {
        if self.stat(directory)?.0 != EntryKind::Directory {
            return Err(VfsError::NotAFile { path: directory.clone(), what: "a regular file" });
        }
        let prefix = if directory.is_root() { String::new() } else { format!("{}/", directory.as_str()) };
        let mut entries: Vec<Entry> = Vec::new();
        for path in self.files().keys() {
            let Some(rest) = path.as_str().strip_prefix(&prefix) else { continue };
            let (name, kind) = match rest.split_once('/') {
                Some((name, _)) => (name, EntryKind::Directory),
                None => (rest, EntryKind::File),
            };
            entries.push(Entry { name: name.to_owned(), kind });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        entries.dedup();
        Ok((entries, 0))
    }

    fn list_no_follow(&self, directory: &RelPath) -> Result<(Vec<Entry>, usize), VfsError> {
        self.list(directory)
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, VfsError> {
        Ok(path.clone())
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use crate::overlay::{Overlay, TextOrigin, UnsavedTexts};
    use std::sync::Arc;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).expect("valid")
    }

    fn text(files: &dyn Files, of: &str) -> String {
        String::from_utf8(files.read(&path(of)).expect("read").bytes).expect("text")
    }

    #[test]
    fn memory_is_listed_and_read_like_a_disk() {
        let files = MemoryFiles::new(Path::new("/p"), [("a.py", "1"), ("d/b.py", "22"), ("d/e/c.py", "3")]);
        let names = |of: &RelPath| -> Vec<String> {
            files.list(of).expect("listed").0.into_iter().map(|entry| entry.name).collect()
        };
        assert_eq!(names(&RelPath::root()), ["a.py", "d"]);
        assert_eq!(names(&path("d")), ["b.py", "e"]);
        assert_eq!(files.read_at(&path("d/b.py"), 1, 9).expect("read").bytes, b"2");
        assert!(matches!(files.read(&path("d")), Err(VfsError::NotAFile { .. })));
        assert!(matches!(files.read(&path("x")), Err(VfsError::NotFound { .. })));
        let before = files.stat(&path("a.py")).expect("there").1;
        files.write(&path("a.py"), b"4");
        assert_ne!(files.stat(&path("a.py")).expect("there").1, before);
    }

    #[test]
    fn an_unsaved_text_is_seen_while_its_file_exists() {
        let below = Arc::new(MemoryFiles::new(Path::new("/p"), [("a.py", "saved"), ("b.py", "b")]));
        let unsaved = Arc::<UnsavedTexts>::default();
        let overlay = Overlay::new(below.clone(), unsaved.clone());
        let a = path("a.py");
        let saved = overlay.stat(&a).expect("there").1;
        assert!(unsaved.set(&a, 2, "unsaved text", TextOrigin::OfFile));
        assert_eq!((text(&overlay, "a.py").as_str(), text(&overlay, "b.py").as_str()), ("unsaved text", "b"));
        assert_eq!(overlay.read_at(&a, 2, 5).expect("read").bytes, b"saved");
        let shown = overlay.stat_link(&a).expect("there").1;
        assert_eq!(shown.size, 12);
        assert!(shown != saved && overlay.read_no_follow(&a, 99).expect("read").stat == shown);
        assert_eq!(overlay.stat_children(&RelPath::root(), &["a.py"])[0].expect("there").1, shown);
        assert!(
            !unsaved.set(&a, 1, "older", TextOrigin::OfFile)
                && unsaved.set(&a, 2, "same size :)", TextOrigin::OfFile)
        );
        assert_ne!(overlay.stat(&a).expect("there").1, shown, "same size, other text");
        assert!(matches!(overlay.read_no_follow(&a, 3), Err(VfsError::TooLarge { bytes: 12, .. })));
        assert!(overlay.is_unsaved(&a) && unsaved.version(&a) == Some(2));
        below.remove(&a);
        assert!(unsaved.set(&a, 3, "new", TextOrigin::New));
        assert!(overlay.read(&a).is_err() && overlay.stat_link(&a).is_err(), "there never was a file");
        below.write(&a, b"back");
        assert!(unsaved.remove(&a) && !unsaved.remove(&a));
        assert_eq!(text(&overlay, "a.py"), "back");
    }

    #[test]
    fn an_unsaved_text_outlasts_its_file() {
        let below = Arc::new(MemoryFiles::new(Path::new("/p"), [("d/a.py", "saved"), ("b.py", "b")]));
        let unsaved = Arc::<UnsavedTexts>::default();
        let overlay = Overlay::new(below.clone(), unsaved.clone());
        let (a, d) = (path("d/a.py"), path("d"));
        assert!(unsaved.set(&a, 1, "typed", TextOrigin::OfFile));
        below.remove(&a);
        assert_eq!(text(&overlay, "d/a.py"), "typed");
        let (kind, state) = overlay.stat_link(&a).expect("there");
        assert_eq!((kind, state.size, state.links), (EntryKind::File, 5, 1));
        assert_eq!(overlay.stat_children(&d, &["a.py"]), [Some((EntryKind::File, state))]);
        let names = |of: &RelPath| -> Vec<(String, EntryKind)> {
            overlay.list(of).expect("listed").0.into_iter().map(|entry| (entry.name, entry.kind)).collect()
        };
        assert_eq!(
            names(&RelPath::root()),
            [("b.py".to_owned(), EntryKind::File), ("d".to_owned(), EntryKind::Directory)]
        );
        assert_eq!(names(&d), [("a.py".to_owned(), EntryKind::File)]);
        assert_eq!(overlay.stat(&d).expect("there").0, EntryKind::Directory);
        assert!(unsaved.remove(&a));
        assert!(overlay.read(&a).is_err() && overlay.stat(&d).is_err() && overlay.list(&d).is_err());
    }

    #[test]
    fn an_unsaved_text_is_seen_through_links() {
        let dir = tempfile::tempdir().expect("scratch");
        std::fs::write(dir.path().join("a.py"), "saved").expect("written");
        std::os::unix::fs::symlink("a.py", dir.path().join("link.py")).expect("linked");
        let unsaved = Arc::<UnsavedTexts>::default();
        let root = crate::Root::open(dir.path()).expect("opened");
        let overlay = Overlay::new(Arc::new(root), unsaved.clone());
        assert!(unsaved.set(&path("a.py"), 1, "unsaved", TextOrigin::OfFile));
        assert_eq!(text(&overlay, "link.py"), "unsaved");
        assert_eq!(overlay.stat(&path("link.py")).expect("there").1.size, 7);
        assert_eq!(overlay.stat_link(&path("link.py")).expect("there").0, EntryKind::Link);
        assert!(overlay.read_no_follow(&path("link.py"), 99).is_err());
        std::os::unix::fs::symlink(".", dir.path().join("way")).expect("linked");
        assert_eq!(overlay.read_no_follow(&path("way/a.py"), 99).expect("read").bytes, b"unsaved");
        let through = overlay.stat_children(&path("way"), &["a.py", "link.py", "gone"]);
        let seen: Vec<_> = through.iter().map(|one| one.map(|(kind, stat)| (kind, stat.size))).collect();
        assert_eq!(seen, [Some((EntryKind::File, 7)), Some((EntryKind::Link, 4)), None]);
    }
}
