//! Reads what the cache and the stored index have on disk. Invariant: bytes that are not there are `None`, whatever a count says.

use symd_base::ContentHash;

/// Bytes, of which fields are taken from the front. Numbers are little endian.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    /// Takes so many bytes.
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    pub(super) fn hash(&mut self) -> Option<ContentHash> {
        self.array().map(ContentHash)
    }

    /// Takes so many numbers of four bytes.
    pub(super) fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        Some(numbers(self.take(count.checked_mul(4)?)?).collect())
    }
}

/// Iterates over the numbers of four bytes that fill `bytes`.
pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}
