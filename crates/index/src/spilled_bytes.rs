//! Bytes of the index that may be on disk. A question reads a part of them, or goes through those of all files in order. Invariant: bytes
//! that cannot be read are reported as lost, and what they were made of answers instead.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use symd_base::state::{KeptBytes, UnnamedFile};

/// Bytes in memory or on disk.
#[derive(Debug)]
pub(super) enum SpilledBytes {
    Resident(Box<[u8]>),
    OnDisk(BytesOnDisk),
}

/// Bytes on disk.
#[derive(Debug)]
pub(super) struct BytesOnDisk {
    kept: KeptBytes,
    /// Distinguishes them from all others of this process.
    number: u64,
    /// Whether they could not be read: no attempt is made again.
    is_lost: AtomicBool,
}

/// Number of pieces that a thread keeps of those that it read whole last: a question goes through the files in order, and needs two kinds of
/// bytes of each. Those of a file may be with an earlier one of equal content.
const KEPT_PER_THREAD: usize = 4;

thread_local! {
    static LAST_READ: RefCell<LastRead> = const { RefCell::new(LastRead(Vec::new())) };
}

/// Bytes of the pieces that all threads keep.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// Returns how many bytes of memory the pieces take that all threads of this process keep.
pub fn kept_piece_bytes() -> usize {
    KEPT.load(Ordering::Relaxed)
}

/// The pieces that a thread keeps, with their numbers, the last used first.
#[derive(Debug)]
struct LastRead(Vec<(u64, Vec<u8>)>);

impl LastRead {
    /// Returns the piece with this number, if it is kept.
    fn get(&mut self, number: u64) -> Option<&[u8]> {
        let at = self.0.iter().position(|(kept, _)| *kept == number)?;
        self.0[..=at].rotate_right(1);
        Some(&self.0[0].1)
    }

    /// Keeps a piece in place of the one that was used longest ago.
    fn keep(&mut self, number: u64, bytes: Vec<u8>) -> &[u8] {
        self.shorten(KEPT_PER_THREAD - 1);
        KEPT.fetch_add(bytes.len(), Ordering::Relaxed);
        self.0.insert(0, (number, bytes));
        &self.0[0].1
    }

    fn shorten(&mut self, count: usize) {
        let bytes = self.0.iter().skip(count).map(|(_, bytes)| bytes.len()).sum();
        self.0.truncate(count);
        KEPT.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for LastRead {
    fn drop(&mut self) {
        self.shorten(0);
    }
}

impl SpilledBytes {
    /// Keeps bytes in the file, if there is one that takes them, or else in memory.
    pub(super) fn new(bytes: Vec<u8>, file: Option<&Arc<UnnamedFile>>) -> SpilledBytes {
        let file = file.filter(|_| !bytes.is_empty());
        match file.and_then(|file| file.keep(&bytes)) {
            Some(kept) => SpilledBytes::kept(kept),
            None => SpilledBytes::Resident(bytes.into()),
        }
    }

    /// Returns bytes that are on disk already.
    pub(super) fn kept(kept: KeptBytes) -> SpilledBytes {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        SpilledBytes::OnDisk(BytesOnDisk { kept, number, is_lost: AtomicBool::new(false) })
    }

    /// Calls `read` with all bytes; with `None` if they are lost. `read` must not ask for spilled bytes.
    pub(super) fn with_all<T>(&self, read: impl FnOnce(Option<&[u8]>) -> T) -> T {
        match self {
            SpilledBytes::Resident(bytes) => read(Some(bytes)),
            SpilledBytes::OnDisk(on_disk) => on_disk.with_all(read),
        }
    }

    /// Returns some of the bytes; those from disk are not checked. `None` if they are lost.
    pub(super) fn part(&self, part: Range<usize>) -> Option<Cow<'_, [u8]>> {
        match self {
            SpilledBytes::Resident(bytes) => bytes.get(part).map(Cow::Borrowed),
            SpilledBytes::OnDisk(on_disk) => on_disk.kept.read_part(part).map(Cow::Owned),
        }
    }

    pub(super) fn is_on_disk(&self) -> bool {
        matches!(self, SpilledBytes::OnDisk(_))
    }

    /// Whether they could not be read.
    pub(super) fn is_lost(&self) -> bool {
        match self {
            SpilledBytes::Resident(_) => false,
            SpilledBytes::OnDisk(on_disk) => on_disk.is_lost(),
        }
    }

    /// Returns how many bytes of memory they take.
    pub(super) fn memory(&self) -> usize {
        match self {
            SpilledBytes::Resident(bytes) => bytes.len(),
            SpilledBytes::OnDisk(_) => 0,
        }
    }
}

impl BytesOnDisk {
    fn with_all<T>(&self, read: impl FnOnce(Option<&[u8]>) -> T) -> T {
        LAST_READ.with_borrow_mut(|last| {
            if let Some(bytes) = last.get(self.number) {
                return read(Some(bytes));
            }
            let Some(bytes) = self.read() else { return read(None) };
            read(Some(last.keep(self.number, bytes)))
        })
    }

    fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    fn read(&self) -> Option<Vec<u8>> {
        if self.is_lost() {
            return None;
        }
        let bytes = self.kept.read();
        if bytes.is_none() && !self.is_lost.swap(true, Ordering::Relaxed) {
            tracing::warn!("a part of the index on disk cannot be read; what it was made of is read instead");
        }
        bytes
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    use super::*;
    use crate::tables::cut_unnamed_file;
    use symd_base::ContentHash;

    #[test]
    fn bytes_on_disk_are_those_that_were_in_memory() {
        let scratch = tempfile::tempdir().expect("scratch");
        let file = Arc::new(UnnamedFile::new(scratch.path()));
        let bytes = |number: u8| vec![number; 5_000 + usize::from(number)];
        let spilled: Vec<SpilledBytes> =
            (0..5).map(|number| SpilledBytes::new(bytes(number), Some(&file))).collect();
        let sum: usize = spilled.iter().map(SpilledBytes::memory).sum();
        assert_eq!((sum, spilled.iter().all(SpilledBytes::is_on_disk)), (0, true));
        for round in [0, 1, 2, 2, 1, 0, 3, 4, 4] {
            let expected = bytes(round);
            spilled[usize::from(round)].with_all(|all| assert_eq!(all, Some(&*expected)));
            let part = spilled[usize::from(round)].part(7..4_000);
            assert_eq!(part.as_deref(), Some(&expected[7..4_000]));
        }
        let resident = SpilledBytes::new(bytes(1), None);
        assert_eq!((resident.memory(), resident.part(1..3).as_deref()), (5_001, Some(&[1, 1][..])));
    }

    /// No page of a process begins at zero: the system fails such a read of its memory with `EIO`, as it does on a failing disk.
    #[test]
    fn a_read_error_of_the_disk_loses_the_bytes() {
        const EIO: i32 = 5;
        let failing = Arc::new(File::open("/proc/self/mem").expect("opened"));
        let error = failing.read_exact_at(&mut [0; 10], 0).expect_err("no page");
        assert_eq!(error.raw_os_error(), Some(EIO));
        let hash = ContentHash::of(b"0123456789");
        let spilled = SpilledBytes::kept(KeptBytes::in_file(failing, 0, 10, hash));
        assert_eq!((spilled.part(2..4), spilled.is_lost()), (None, false));
        spilled.with_all(|all| assert_eq!(all, None));
        assert!(spilled.is_lost());
    }

    #[test]
    fn what_threads_keep_is_counted_until_they_end() {
        const MEBIBYTE: usize = 1 << 20;
        let scratch = tempfile::tempdir().expect("scratch");
        let file = Arc::new(UnnamedFile::new(scratch.path()));
        let spilled: Vec<SpilledBytes> =
            (0..=KEPT_PER_THREAD).map(|_| SpilledBytes::new(vec![1; MEBIBYTE], Some(&file))).collect();
        let whole = || {
            spilled.iter().for_each(|one| assert!(one.with_all(|all| all.is_some())));
            kept_piece_bytes() / MEBIBYTE
        };
        // Other tests keep some kilobytes.
        let kept = std::thread::scope(|scope| scope.spawn(whole).join());
        assert_eq!(kept.expect("ended"), KEPT_PER_THREAD);
        assert_eq!(kept_piece_bytes() / MEBIBYTE, 0);
    }

    #[test]
    fn a_thread_keeps_what_it_used_last() {
        let scratch = tempfile::tempdir().expect("scratch");
        let file = Arc::new(UnnamedFile::new(scratch.path()));
        let spilled: Vec<SpilledBytes> =
            (0..=KEPT_PER_THREAD).map(|_| SpilledBytes::new(vec![1; 9_000], Some(&file))).collect();
        let is_there = |number: usize| spilled[number].with_all(|all| all.is_some());
        let (used_twice, not_kept) = (0, 1);
        (0..KEPT_PER_THREAD)
            .chain([used_twice, KEPT_PER_THREAD])
            .for_each(|number| assert!(is_there(number)));
        cut_unnamed_file(scratch.path());
        let kept: Vec<usize> = (0..spilled.len()).filter(|&number| is_there(number)).collect();
        assert_eq!(kept, (0..spilled.len()).filter(|&number| number != not_kept).collect::<Vec<_>>());
    }
}
