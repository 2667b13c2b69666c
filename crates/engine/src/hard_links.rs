//! Files of the project that are one file on the disk. A write is told for the name that was written to; the other names
//! hold it too. Invariant: of every file that was found to have several names, all names that the index has are known.

use std::collections::{BTreeSet, HashMap};

use symd_base::RelPath;
use symd_vfs::FileId;

/// The names by file.
#[derive(Debug, Default)]
pub(super) struct HardLinks {
    names: HashMap<FileId, BTreeSet<RelPath>>,
    files: HashMap<RelPath, FileId>,
}

impl HardLinks {
    /// `path` is a name of `file`; whether it is the first that is known of it.
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

    /// `path` is no name, or the only one, of a file.
    pub(super) fn remove(&mut self, path: &RelPath) {
        let Some(file) = self.files.remove(path) else { return };
        if let Some(names) = self.names.get_mut(&file) {
            names.remove(path);
            if names.is_empty() {
                self.names.remove(&file);
            }
        }
    }

    /// The names of `file`.
    pub(super) fn names(&self, file: FileId) -> Vec<RelPath> {
        self.names.get(&file).into_iter().flatten().cloned().collect()
    }

    /// Whether `path` is known as a name of `file`.
    pub(super) fn is_name(&self, path: &RelPath, file: FileId) -> bool {
        self.files.get(path) == Some(&file)
    }

    /// The other names of what `path` names.
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
