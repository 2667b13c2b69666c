//! The bounded line reader that stands before everything else on a connection. Past the limit it forgets
//! what it read and skips to the next newline, so that a gigabyte without one costs no more than the limit.
//! Safe to cancel: what was read so far stays in the reader.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// What a read gave.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its newline; the last one may have had none.
    Text(Vec<u8>),
    /// A line over the limit was skipped.
    TooLong,
    /// Nothing more will come.
    End,
}

/// Reads lines of at most `limit` bytes.
#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads lines from `reader`.
    pub fn new(reader: R, limit: usize) -> Lines<R> {
        Lines { reader: BufReader::new(reader), limit, line: Vec::new(), skipping: false }
    }

    /// Where the lines come from.
    pub fn source(&self) -> &R {
        self.reader.get_ref()
    }

    /// The next line.
    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(self.finish_at_end());
            }
            let newline = memchr::memchr(b'\n', available);
            let part = &available[..newline.unwrap_or(available.len())];
            if !self.skipping && self.line.len() + part.len() > self.limit {
                self.skipping = true;
                self.line = Vec::new();
            }
            if !self.skipping {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(newline.is_some());
            self.reader.consume(used);
            if newline.is_some() {
                return Ok(self.finish());
            }
        }
    }

    fn finish(&mut self) -> Line {
        if std::mem::take(&mut self.skipping) {
            Line::TooLong
        } else {
            Line::Text(std::mem::take(&mut self.line))
        }
    }

    fn finish_at_end(&mut self) -> Line {
        if self.line.is_empty() && !self.skipping { Line::End } else { self.finish() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reads_lines_and_skips_what_is_too_long() {
        let text = [&b"ab\n\n"[..], &[b'x'; 100_000], b"\nlast"].concat();
        let mut lines = Lines::new(&text[..], 8);
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
        let mut lines = Lines::new(&b"12345678\n123456789\n"[..], 8);
        assert_eq!(lines.next().await.unwrap(), Line::Text(b"12345678".to_vec()));
        assert_eq!(lines.next().await.unwrap(), Line::TooLong);
        assert_eq!(lines.next().await.unwrap(), Line::End);
    }
}
