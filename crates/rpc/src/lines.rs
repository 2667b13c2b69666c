//! Messages as lines. The reader has bounded memory and is the first stage of every connection. It discards a line above the limit
//! up to the next newline, so a gigabyte without a newline costs no more than the limit. All connections
//! share one budget for incomplete lines; a line that exceeds what is left of it is discarded as well.
//! Cancel-safe: bytes read so far stay in the reader.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Bytes of an incomplete line that every connection may hold outside the shared budget.
const SMALL: usize = 64 << 10;

/// A memory budget for the incomplete lines of all connections.
#[derive(Clone, Debug)]
pub struct LineBudget(Arc<SharedCount>);

#[derive(Debug)]
struct SharedCount {
    most: usize,
    taken: AtomicUsize,
}

impl LineBudget {
    /// Creates a budget of `most` bytes.
    pub fn new(most: usize) -> LineBudget {
        LineBudget(Arc::new(SharedCount { most, taken: AtomicUsize::new(0) }))
    }

    /// Returns the size of the budget in bytes.
    pub fn most(&self) -> usize {
        self.0.most
    }

    fn take(&self, bytes: usize) -> bool {
        let take = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= self.0.most);
        self.0.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.0.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The result of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its newline, which the last line may lack.
    Text(Vec<u8>),
    /// A line above the limit was skipped.
    TooLong,
    /// A line was skipped because the shared budget was exhausted.
    NoRoom,
    /// The input has ended.
    End,
}

/// A reader of lines of at most `limit` bytes.
#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    unfinished: LineBudget,
    /// Bytes of the budget that the current line occupies.
    taken: usize,
    skipping: Option<Skipped>,
}

/// Why the current line is skipped.
#[derive(Clone, Copy, Debug)]
enum Skipped {
    TooLong,
    NoRoom,
}

/// Makes a line of a text that has no line break.
pub fn line(mut text: Vec<u8>) -> Vec<u8> {
    text.push(b'\n');
    text
}

impl<R> Drop for Lines<R> {
    fn drop(&mut self) {
        self.unfinished.give_back(self.taken);
    }
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Creates a reader that takes its memory from the budget `unfinished`.
    pub fn new(reader: R, limit: usize, unfinished: LineBudget) -> Lines<R> {
        let reader = BufReader::new(reader);
        Lines { reader, limit, line: Vec::new(), unfinished, taken: 0, skipping: None }
    }

    /// Returns the underlying reader.
    pub fn source(&self) -> &R {
        self.reader.get_ref()
    }

    /// Reads the next line.
    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(self.finish_at_end());
            }
            let newline = memchr::memchr(b'\n', available);
            let part = &available[..newline.unwrap_or(available.len())];
            let used = part.len() + usize::from(newline.is_some());
            if self.skipping.is_none() {
                self.skipping =
                    reserve(&mut self.line, part.len(), self.limit, &self.unfinished, &mut self.taken);
                match self.skipping {
                    None => self.line.extend_from_slice(part),
                    Some(_) => {
                        self.line = Vec::new();
                        self.unfinished.give_back(std::mem::take(&mut self.taken));
                    }
                }
            }
            self.reader.consume(used);
            if newline.is_some() {
                return Ok(self.finish());
            }
        }
    }

    fn finish(&mut self) -> Line {
        self.unfinished.give_back(std::mem::take(&mut self.taken));
        match self.skipping.take() {
            Some(Skipped::TooLong) => Line::TooLong,
            Some(Skipped::NoRoom) => Line::NoRoom,
            None => Line::Text(std::mem::take(&mut self.line)),
        }
    }

    fn finish_at_end(&mut self) -> Line {
        if self.line.is_empty() && self.skipping.is_none() { Line::End } else { self.finish() }
    }
}

/// Reserves room in `line` for `more` bytes; returns why that is not possible, if so. `Vec` would double its
/// capacity, which wastes up to half of it.
fn reserve(
    line: &mut Vec<u8>,
    more: usize,
    limit: usize,
    unfinished: &LineBudget,
    taken: &mut usize,
) -> Option<Skipped> {
    let needed = line.len() + more;
    if needed > limit {
        return Some(Skipped::TooLong);
    }
    if needed <= line.capacity() {
        return None;
    }
    let capacity = needed.max((line.capacity() + line.capacity() / 4).min(limit));
    let wanted = capacity.saturating_sub(SMALL).saturating_sub(*taken);
    if !unfinished.take(wanted) {
        return Some(Skipped::NoRoom);
    }
    *taken += wanted;
    line.reserve_exact(capacity - line.len());
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plenty() -> LineBudget {
        LineBudget::new(1 << 20)
    }

    #[tokio::test]
    async fn unfinished_lines_share_one_budget() {
        let unfinished = LineBudget::new(400_000);
        let (mut one, mut other) = (tokio::io::duplex(1 << 20), tokio::io::duplex(1 << 20));
        let mut first = Lines::new(&mut one.1, 1 << 20, unfinished.clone());
        let mut second = Lines::new(&mut other.1, 1 << 20, unfinished.clone());
        let half = [b'x'; 300_000];
        let write = tokio::io::AsyncWriteExt::write_all;
        write(&mut one.0, &half).await.unwrap();
        write(&mut other.0, &half).await.unwrap();
        write(&mut other.0, b"\nnext\n").await.unwrap();
        // Reads the available bytes and waits for more.
        let waits = tokio::time::timeout(std::time::Duration::from_millis(50), first.next()).await;
        assert!(waits.is_err());
        assert_eq!(second.next().await.unwrap(), Line::NoRoom);
        assert_eq!(second.next().await.unwrap(), Line::Text(b"next".to_vec()));
        write(&mut one.0, b"\n").await.unwrap();
        assert_eq!(first.next().await.unwrap(), Line::Text(half.to_vec()));
        // A finished line has returned its share of the budget.
        write(&mut other.0, &half).await.unwrap();
        write(&mut other.0, b"\n").await.unwrap();
        assert_eq!(second.next().await.unwrap(), Line::Text(half.to_vec()));
        drop((first, second));
        assert_eq!(unfinished.0.taken.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn reads_lines_and_skips_what_is_too_long() {
        let text = [&b"ab\n\n"[..], &[b'x'; 100_000], b"\nlast"].concat();
        let mut lines = Lines::new(&text[..], 8, plenty());
        assert_eq!(lines.next().await.unwrap(), Line::Text(b"ab".to_vec()));
        assert_eq!(lines.next().await.unwrap(), Line::Text(Vec::new()));
        assert_eq!(lines.next().await.unwrap(), Line::TooLong);
        assert_eq!(lines.line.capacity(), 0, "nothing is kept of a line that is too long");
        assert_eq!(lines.next().await.unwrap(), Line::Text(b"last".to_vec()));
        assert_eq!(lines.next().await.unwrap(), Line::End);
        assert_eq!(lines.next().await.unwrap(), Line::End);
    }

    #[tokio::test]
    async fn the_limit_is_inclusive() {
        let mut lines = Lines::new(&b"12345678\n123456789\n"[..], 8, plenty());
        assert_eq!(lines.next().await.unwrap(), Line::Text(b"12345678".to_vec()));
        assert_eq!(lines.next().await.unwrap(), Line::TooLong);
        assert_eq!(lines.next().await.unwrap(), Line::End);
    }
}
