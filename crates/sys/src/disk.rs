//! Brings bytes and names to the disk. Writing, renaming and removing change what processes see at once, and
//! what is on the disk only after the sync named here: until then a crash of the machine may undo them, in any
//! order. A sync waits until the disk says that it has what it was given, as far as the file system passes that on.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, RenameFlags};
use rustix::io::Errno;

/// Waits until the file's bytes, its length and its permissions are on the disk. Its name is not part of that:
/// [`sync_directory`] brings that there.
pub fn sync_file(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Waits until the file's bytes and its length are on the disk, but not its times: one write less than
/// [`sync_file`] where neither length nor permissions change.
pub fn sync_contents(file: &File) -> io::Result<()> {
    file.sync_data()
}

/// Waits until all names that were created, replaced, moved or removed in `directory` are on the disk, but not
/// the bytes of their files. A move between two directories needs both.
pub fn sync_directory(directory: impl AsFd) -> Result<(), Errno> {
    rustix::fs::fsync(directory)
}

/// Like [`sync_directory`], of the directory at `path`.
#[allow(clippy::disallowed_methods, reason = "the directory is the caller's, and only synced")]
pub fn sync_directory_at(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Gives the file `from` the name `to` in the same directory, in one step: who looks at `to` sees the file that
/// was there or the new one, even after a crash, if the new one was synced before.
pub fn replace(directory: impl AsFd, from: &str, to: &str) -> Result<(), Errno> {
    rustix::fs::renameat(&directory, from, &directory, to)
}

/// Gives the file `old` in the directory `from` the name `new` in the directory `to`, which must not exist
/// (`EXIST`). On file systems without such a rename the file gets its second name first and then loses the old
/// one: in between, and perhaps after a crash, both exist.
pub fn move_exclusively(from: impl AsFd, old: &str, to: impl AsFd, new: &str) -> Result<(), Errno> {
    match rustix::fs::renameat_with(&from, old, &to, new, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            rustix::fs::linkat(&from, old, &to, new, AtFlags::empty())?;
            rustix::fs::unlinkat(&from, old, AtFlags::empty())
        }
        answer => answer,
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_replaced_or_taken_only_if_free() {
        let folder = tempfile::tempdir().unwrap();
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).ok();
        for name in ["old", "new"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let directory = File::open(folder.path()).unwrap();
        assert_eq!(move_exclusively(&directory, "new", &directory, "old"), Err(Errno::EXIST));
        replace(&directory, "new", "old").unwrap();
        assert_eq!((text("old").as_deref(), text("new")), (Some("new"), None));
        move_exclusively(&directory, "old", &directory, "moved").unwrap();
        assert_eq!((text("old"), text("moved").as_deref()), (None, Some("new")));
        sync_directory(&directory).unwrap();
        sync_directory_at(folder.path()).unwrap();
    }
}
