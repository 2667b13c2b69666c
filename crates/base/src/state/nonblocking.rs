//! Reads small files without waiting for a disk or a network: the kernel returns only what it has in memory
//! (openat2(2) RESOLVE_CACHED, preadv2(2) RWF_NOWAIT) and an error otherwise. For async code that must not
//! block. Invariant: an answer is what an ordinary read would return at that moment; `None` says nothing
//! about the file.

use std::io::IoSliceMut;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::{Errno, ReadWriteFlags};

use super::is_private;

/// The file-system type of tmpfs in statfs(2).
const TMPFS_MAGIC: rustix::fs::FsWord = 0x0102_1994;

/// Returns what [`super::read_private`] returns; `None` where that could wait, or fails.
pub fn read_private(path: &Path, most: u64) -> Option<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED) {
        Ok(file) => std::fs::File::from(file),
        Err(Errno::NOENT) => return Some(None),
        Err(_) => return None,
    };
    let meta = file.metadata().ok().filter(is_private)?;
    let length = usize::try_from(meta.len()).ok().filter(|_| meta.len() <= most)?;
    // One byte more than expected, to detect that the file has grown.
    let mut bytes = vec![0; length + 1];
    let read = match rustix::io::preadv2(&file, &mut [IoSliceMut::new(&mut bytes)], 0, ReadWriteFlags::NOWAIT)
    {
        // The file system does not support RWF_NOWAIT, but has nothing to wait for.
        Err(Errno::OPNOTSUPP) if is_in_memory(&file) => rustix::io::pread(&file, &mut bytes, 0),
        read => read,
    };
    bytes.truncate(length);
    (read.ok()? == length).then_some(Some(bytes))
}

/// Whether the file is on a file system without a disk.
fn is_in_memory(file: impl AsFd) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|system| system.f_type == TMPFS_MAGIC)
}

/// Whether `directory`, which exists and is reached without links, is known to contain no `file`; `false`
/// says nothing.
pub fn is_known_absent(directory: &Path, file: &Path) -> bool {
    let resolve = ResolveFlags::CACHED | ResolveFlags::NO_SYMLINKS;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::openat2(CWD, directory, flags | OFlags::DIRECTORY, Mode::empty(), resolve);
    let Ok(directory) = opened else { return false };
    let look = |resolve: ResolveFlags| {
        let resolve = resolve | ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
        rustix::fs::openat2(&directory, file, flags, Mode::empty(), resolve)
    };
    match look(ResolveFlags::CACHED) {
        Err(Errno::NOENT) => true,
        // The kernel keeps no absent name of this file system, of which all names are in memory.
        Err(Errno::AGAIN) if is_in_memory(&directory) => {
            matches!(look(ResolveFlags::NO_XDEV), Err(Errno::NOENT))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn an_answer_is_what_an_ordinary_read_gives() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().canonicalize().expect("there").join("file");
        // This lookup puts the absence into the kernel's cache.
        assert!(!path.exists());
        assert_eq!(read_private(&path, 10), Some(None));
        std::fs::write(&path, "text").expect("written");
        // Other users may read it: an error, which the ordinary read reports.
        assert_eq!(read_private(&path, 10), None);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("ours");
        // Not every file system supports RWF_NOWAIT.
        let read = read_private(&path, 10);
        assert!(read.is_none() || read == Some(Some(b"text".to_vec())), "{read:?}");
        assert_eq!(read_private(&path, 3), None);
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(read_private(&path, 10), Some(None));
        std::os::unix::fs::symlink("/dev/null", &path).expect("linked");
        assert_eq!(read_private(&path, 10), None);
    }

    #[test]
    fn what_lies_in_memory_is_at_hand() {
        let Ok(place) = tempfile::tempdir_in("/dev/shm") else { return };
        let path = place.path().canonicalize().expect("there").join("file");
        std::fs::write(&path, "text").expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("ours");
        let file = std::fs::File::open(&path).expect("opened");
        assert_eq!(read_private(&path, 10), is_in_memory(&file).then(|| Some(b"text".to_vec())));
    }

    #[test]
    fn absence_is_told_only_where_it_is_certain() {
        absence_in(&tempfile::tempdir().expect("a directory"));
        if let Ok(place) = tempfile::tempdir_in("/dev/shm") {
            absence_in(&place);
        }
    }

    fn absence_in(place: &tempfile::TempDir) {
        let root = place.path().canonicalize().expect("there");
        let file = Path::new(".symd/file");
        assert!(!root.join(file).exists());
        assert!(is_known_absent(&root, file));
        std::fs::create_dir(root.join(".symd")).expect("made");
        assert!(!root.join(file).exists());
        assert!(is_known_absent(&root, file));
        std::fs::write(root.join(file), "").expect("written");
        assert!(!is_known_absent(&root, file));
        std::fs::remove_dir_all(root.join(".symd")).expect("removed");
        std::os::unix::fs::symlink("/proc", root.join(".symd")).expect("linked");
        assert!(!is_known_absent(&root, file));
        assert!(!is_known_absent(&root.join("gone"), file));
    }
}
