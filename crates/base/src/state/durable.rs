//! symd's own files that must survive a crash of the machine: journals. Invariant: when a function returns
//! without an error, the file's bytes and its name are on the disk, unless its comment says otherwise.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::FlockOperation;

use super::StateError;
use symd_sys::disk;

const NO_LINKS: i32 = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();

/// Writes `parts` one after the other to the file `path`, mode 0600, replacing what a crash may have left
/// there, and waits for the disk. On an error the file is removed again.
pub fn write(path: &Path, parts: &[&[u8]]) -> Result<(), StateError> {
    let written = write_parts(path, parts).and_then(|()| sync_parent(path));
    written.map_err(|source| {
        let _ = std::fs::remove_file(path);
        failed("cannot write", path, source)
    })
}

fn write_parts(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    remove_if_there(path)?;
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    disk::sync_file(&file)
}

/// Overwrites the beginning of the file `path` with `bytes` and waits for the disk. A file that does not
/// exist, or is shorter than `length` bytes, is created with that length first, so that later calls change
/// neither name nor length.
pub fn overwrite(path: &Path, bytes: &[u8], length: usize) -> Result<(), StateError> {
    let write = || {
        let long = u64::try_from(length).unwrap_or(u64::MAX);
        let file = match std::fs::OpenOptions::new().write(true).custom_flags(NO_LINKS).open(path) {
            Ok(file) if file.metadata()?.len() >= long => file,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {
                write_parts(path, &[&vec![0; length]])?;
                sync_parent(path)?;
                std::fs::OpenOptions::new().write(true).custom_flags(NO_LINKS).open(path)?
            }
        };
        file.write_all_at(bytes, 0)?;
        disk::sync_contents(&file)
    };
    write().map_err(|source| failed("cannot write", path, source))
}

/// Overwrites the beginning of the file `path` with `bytes` if the file exists. Does not wait for the disk.
pub fn patch(path: &Path, bytes: &[u8]) -> Result<(), StateError> {
    patch_at(path, bytes, 0)
}

/// Like [`patch`], but from byte `at` on.
pub fn patch_at(path: &Path, bytes: &[u8], at: u64) -> Result<(), StateError> {
    let file = match std::fs::OpenOptions::new().write(true).custom_flags(NO_LINKS).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file,
    };
    file.and_then(|file| file.write_all_at(bytes, at)).map_err(|source| failed("cannot write", path, source))
}

/// Writes `parts`, which are short, one after the other to a new file `path`, mode 0600. [`sync_file`] and [`sync_directory`]
/// bring it to the disk. On an error the file is removed again, unless it existed before.
pub fn create(path: &Path, parts: &[&[u8]]) -> Result<(), StateError> {
    let options = || std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = options().map_err(|source| failed("cannot create", path, source))?;
    file.write_all(&parts.concat()).map_err(|source| {
        let _ = std::fs::remove_file(path);
        failed("cannot write", path, source)
    })
}

/// Waits until the bytes of the file `path` are on the disk; succeeds when it does not exist.
pub fn sync_file(path: &Path) -> Result<(), StateError> {
    open(path)?
        .map_or(Ok(()), |file| disk::sync_file(&file).map_err(|source| failed("cannot write", path, source)))
}

/// Opens a file in a directory that belongs to this user alone; `None` when it does not exist.
pub fn open(path: &Path) -> Result<Option<File>, StateError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed("cannot open", path, source)),
    }
}

/// Renames the file `from` to `to` in the same directory; [`sync_directory`] brings that to the disk.
pub fn rename(from: &Path, to: &Path) -> Result<(), StateError> {
    std::fs::rename(from, to).map_err(|source| failed("cannot rename", from, source))
}

/// Removes the file `path`; succeeds when it does not exist. [`sync_directory`] brings that to the disk.
pub fn remove(path: &Path) -> Result<(), StateError> {
    remove_if_there(path).map_err(|source| failed("cannot remove", path, source))
}

/// Waits until the entries of `directory` are on the disk.
pub fn sync_directory(directory: &Path) -> Result<(), StateError> {
    disk::sync_directory_at(directory).map_err(|source| failed("cannot write", directory, source))
}

/// Locks the file `path`, creating it if needed, until the returned file is dropped or this process ends for
/// any reason. Waits while another process holds the lock.
pub fn lock(path: &Path) -> Result<File, StateError> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(NO_LINKS)
        .open(path)
        .map_err(|source| failed("cannot open", path, source))?;
    loop {
        match rustix::fs::flock(&file, FlockOperation::LockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(failed("cannot lock", path, errno.into())),
        }
    }
}

/// Returns the names in one of symd's own directories that are UTF-8, sorted.
pub fn names(directory: &Path) -> Result<Vec<String>, StateError> {
    let listed = std::fs::read_dir(directory).and_then(|entries| {
        let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(io::Result::transpose).collect::<io::Result<Vec<String>>>()
    });
    let mut names = listed.map_err(|source| failed("cannot list", directory, source))?;
    names.sort_unstable();
    Ok(names)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn sync_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), disk::sync_directory_at)
}

fn failed(what: &'static str, path: &Path, source: io::Error) -> StateError {
    StateError::Io { what, path: path.to_owned(), source }
}
