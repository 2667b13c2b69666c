//! Hard links: several names in the project for the same file on disk. A write is reported only for the name
//! that was used; the other names have the new content too. Invariant: of every file that was found to have
//! several names, all names that are in the index are recorded.

use std::collections::{BTreeSet, HashMap};

use symd_base::RelPath;
use symd_vfs::FileId;

/// The recorded names of files.
#[derive(Debug, Default)]
pub(super) struct HardLinks {
    names: HashMap<FileId, BTreeSet<RelPath>>,
    files: HashMap<RelPath, FileId>,
}

impl HardLinks {
    /// Records `path` as a name of `file`. Returns whether it is the first recorded name of that file.
    pub(super) fn add(&mut self, path: &RelPath, file: FileId) -> bool {
        if self.is_name(path, file) {
            return false;
        }
        self.remove(path);
        self.files.insert(path.clone(), file);
        let names = self.names.entry(file).or_default();
        names.insert(path.clone());
        names.len() == 1
    }

    /// Removes the record of `path`.
    pub(super) fn remove(&mut self, path: &RelPath) {
        // Hashing every path of a tree without links takes time.
        if self.files.is_empty() {
            return;
        }
        let Some(file) = self.files.remove(path) else { return };
        if let Some(names) = self.names.get_mut(&file) {
            names.remove(path);
            if names.is_empty() {
                self.names.remove(&file);
            }
        }
    }

    pub(super) fn names(&self, file: FileId) -> Vec<RelPath> {
        self.names.get(&file).into_iter().flatten().cloned().collect()
    }

    /// Reports whether `path` is recorded as a name of `file`.
    pub(super) fn is_name(&self, path: &RelPath, file: FileId) -> bool {
        self.files.get(path) == Some(&file)
    }

    /// Returns the other names of the file that `path` names.
    pub(super) fn others(&self, path: &RelPath) -> Vec<RelPath> {
        let names = self.files.get(path).and_then(|file| self.names.get(file));
        names.into_iter().flatten().filter(|name| *name != path).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_vfs::Stat;

    #[test]
    fn names_of_one_file_know_each_other() {
        let [a, b, c] = ["a", "b", "c"].map(|path| RelPath::new(path).expect("valid"));
        let file = |inode| Stat { inode, ..Stat::default() }.id();
        let mut links = HardLinks::default();
        assert!(links.add(&a, file(1)) && !links.add(&b, file(1)) && !links.add(&a, file(1)));
        assert!(links.add(&c, file(2)));
        assert_eq!((links.others(&a), links.others(&c)), (vec![b.clone()], vec![]));
        // `a` is another file now.
        assert!(!links.add(&a, file(2)));
        assert_eq!((links.others(&a), links.others(&b)), (vec![c.clone()], vec![]));
        links.remove(&c);
        assert_eq!(links.others(&a), vec![]);
        assert!(links.add(&b, file(3)) && links.add(&c, file(1)), "nothing is left of it");
    }
}
