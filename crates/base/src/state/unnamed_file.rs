//! Bytes that a process keeps on disk rather than in memory: in a file without a name. No other program can shorten or overwrite it, and nothing
//! is left of it when the process ends. Invariant: bytes that are read whole are those that were written, or none.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use crate::ContentHash;

/// Each piece begins at a multiple of this: the disk frees whole blocks.
const BLOCK: u64 = 4096;

/// A file without a name. Created when the first bytes are written.
#[derive(Debug)]
pub struct UnnamedFile {
    directory: PathBuf,
    /// `None` inside if it cannot be created.
    file: OnceLock<Option<File>>,
    end: AtomicU64,
    /// What was dropped, and is still on disk.
    dropped: Mutex<Vec<Range<u64>>>,
    /// Whether the file system was found to free no part of a file: the file would only grow.
    cannot_free: AtomicBool,
}

/// A piece of a file. In one without a name it takes room on disk until the next piece is written after it was dropped, or until
/// [`UnnamedFile::free_dropped`] is called.
#[derive(Debug)]
pub struct KeptBytes {
    of: KeepingFile,
    offset: u64,
    length: usize,
    hash: ContentHash,
}

/// A file that has pieces.
#[derive(Debug)]
enum KeepingFile {
    Unnamed(Arc<UnnamedFile>),
    /// One that other programs may overwrite.
    Named(Arc<File>),
}

impl UnnamedFile {
    /// Returns a file in `directory`, which must be private to this user.
    pub fn new(directory: &Path) -> UnnamedFile {
        let (file, end, dropped) = (OnceLock::new(), AtomicU64::new(0), Mutex::default());
        let cannot_free = AtomicBool::new(false);
        UnnamedFile { directory: directory.to_owned(), file, end, dropped, cannot_free }
    }

    /// Writes bytes, and has the disk free those that were dropped; `None` if the disk does not take them, or cannot free those.
    pub fn keep(self: &Arc<UnnamedFile>, bytes: &[u8]) -> Option<KeptBytes> {
        let file = self.file.get_or_init(|| create(&self.directory).ok()).as_ref()?;
        self.free_dropped();
        if self.cannot_free.load(Ordering::Relaxed) {
            return None;
        }
        let offset = self.end.fetch_add(on_disk(bytes.len()), Ordering::Relaxed);
        let (of, hash) = (KeepingFile::Unnamed(self.clone()), ContentHash::of(bytes));
        let kept = KeptBytes { of, offset, length: bytes.len(), hash };
        file.write_all_at(bytes, offset).ok()?;
        Some(kept)
    }

    /// Has the disk free the bytes that were dropped. May block.
    pub fn free_dropped(&self) {
        let Some(file) = self.opened() else { return };
        let dropped = std::mem::take(&mut *self.dropped.lock().unwrap_or_else(PoisonError::into_inner));
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        for range in dropped {
            let freed = rustix::io::retry_on_intr(|| {
                rustix::fs::fallocate(file, flags, range.start, range.end - range.start)
            });
            if matches!(freed, Err(Errno::OPNOTSUPP | Errno::NOSYS)) {
                // They are freed when the process ends.
                self.cannot_free.store(true, Ordering::Relaxed);
            }
        }
    }

    fn opened(&self) -> Option<&File> {
        self.file.get()?.as_ref()
    }
}

impl KeptBytes {
    /// Returns the piece of `length` bytes at `offset` of a file, if its bytes have this hash when they are read.
    pub fn in_file(file: Arc<File>, offset: u64, length: usize, hash: ContentHash) -> KeptBytes {
        KeptBytes { of: KeepingFile::Named(file), offset, length, hash }
    }

    /// Returns all bytes; `None` if they cannot be read, or are not those that were written.
    pub fn read(&self) -> Option<Vec<u8>> {
        self.read_part(0..self.length).filter(|bytes| ContentHash::of(bytes) == self.hash)
    }

    /// Returns some of the bytes, which the caller must check.
    pub fn read_part(&self, part: Range<usize>) -> Option<Vec<u8>> {
        let mut bytes = vec![0; part.len()];
        let file = match &self.of {
            KeepingFile::Unnamed(file) => file.opened()?,
            KeepingFile::Named(file) => file,
        };
        file.read_exact_at(&mut bytes, self.offset + part.start as u64).ok()?;
        Some(bytes)
    }
}

impl Drop for KeptBytes {
    /// Does not block: it may be dropped on a thread that must not wait for the disk.
    fn drop(&mut self) {
        let KeepingFile::Unnamed(file) = &self.of else { return };
        let range = self.offset..self.offset + on_disk(self.length);
        file.dropped.lock().unwrap_or_else(PoisonError::into_inner).push(range);
    }
}

/// Returns how many bytes of the file are a piece's own: no other piece begins within them, even where it has none.
fn on_disk(length: usize) -> u64 {
    (length.max(1) as u64).next_multiple_of(BLOCK)
}

fn create(directory: &Path) -> io::Result<File> {
    let path = directory.join(format!("unnamed.tmp{:016x}", fastrand::u64(..)));
    let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn bytes_are_read_as_they_were_written_until_they_are_dropped() {
        let scratch = tempfile::tempdir().expect("scratch");
        let file = Arc::new(UnnamedFile::new(scratch.path()));
        let text = |number: u8| vec![number; 10_000 * usize::from(number)];
        let kept: Vec<KeptBytes> = (0..9).map(|number| file.keep(&text(number)).expect("written")).collect();
        assert_eq!(scratch.path().read_dir().expect("listed").count(), 0, "it has no name");
        for (number, kept) in (0..).zip(&kept) {
            assert_eq!(kept.read(), Some(text(number)));
        }
        assert_eq!(kept[3].read_part(5..9), Some(vec![3; 4]));
        let blocks = || file.opened().expect("open").metadata().expect("stat").blocks();
        let before = blocks();
        drop(kept);
        assert_eq!(blocks(), before, "what drops them does not wait for the disk");
        file.free_dropped();
        assert!(blocks() * 2 < before, "{before} {}", blocks());
    }

    #[test]
    fn dropping_no_bytes_leaves_the_next_ones() {
        let scratch = tempfile::tempdir().expect("scratch");
        let file = Arc::new(UnnamedFile::new(scratch.path()));
        let empty = file.keep(b"").expect("written");
        let next = file.keep(&[1; 10_000]).expect("written");
        assert_eq!(empty.read(), Some(Vec::new()));
        drop(empty);
        file.free_dropped();
        assert!(next.read().is_some_and(|bytes| bytes == [1; 10_000]));
    }

    #[test]
    fn damaged_bytes_are_none() {
        let scratch = tempfile::tempdir().expect("scratch");
        let file = Arc::new(UnnamedFile::new(scratch.path()));
        let kept = file.keep(&[1; 20_000]).expect("written");
        file.opened().expect("open").write_all_at(&[2], kept.offset + 19_999).expect("written");
        assert_eq!(kept.read(), None);
        file.opened().expect("open").set_len(0).expect("cut");
        assert_eq!((kept.read(), kept.read_part(0..1)), (None, None));
    }

    #[test]
    fn where_the_disk_frees_nothing_no_more_is_written() {
        let scratch = tempfile::tempdir().expect("scratch");
        let file = Arc::new(UnnamedFile::new(scratch.path()));
        let kept = file.keep(b"x").expect("written");
        // As the first attempt does there.
        file.cannot_free.store(true, Ordering::Relaxed);
        assert!(file.keep(b"y").is_none());
        assert_eq!(kept.read().as_deref(), Some(&b"x"[..]));
    }

    #[test]
    fn where_no_file_can_be_made_nothing_is_kept() {
        let file = Arc::new(UnnamedFile::new(Path::new("/proc/self/nowhere")));
        assert!(file.keep(b"x").is_none());
    }
}
