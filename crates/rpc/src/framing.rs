//! Frames messages on a pipe with `Content-Length` (LSP 3.17, base protocol); reads untrusted input. Knows
//! nothing of JSON. Invariant: whatever is between two messages is skipped, at most [`MAX_MESSAGE_BYTES`] of
//! a message are kept in memory, and reading ends only with the stream.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// The maximum length of a message; longer ones are skipped. 100,000 locations take 14 MB, so a longer
/// response would be of no use to a client.
pub const MAX_MESSAGE_BYTES: u64 = 128 << 20;

/// The length of a line outside messages beyond which only its end is kept: a header may follow junk on the
/// same line.
const MAX_LINE_BYTES: usize = 8 << 10;

/// Bytes kept of each end of a skipped message: its id is in one of them.
const KEPT_BYTES: usize = 512;

/// Bytes reserved for a message before any of it has come, because the announced length cannot be trusted.
const RESERVED_BYTES: u64 = 1 << 20;

/// The size of the read buffer in bytes: answers about code have some ten thousand.
pub const READ_BYTES: usize = 64 << 10;

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message's body.
    Body(Vec<u8>),
    /// A message that is too long to keep.
    TooLong(SkippedMessage),
    /// The end of the stream.
    End,
}

/// The remains of a skipped message.
#[derive(Debug, PartialEq, Eq)]
pub struct SkippedMessage {
    /// The length in bytes.
    pub bytes: u64,
    /// The first bytes, at most 512.
    pub head: Vec<u8>,
    /// The last bytes, at most 512.
    pub tail: Vec<u8>,
}

/// A reader of messages.
#[derive(Debug)]
pub struct Frames<R> {
    reader: BufReader<R>,
    server: String,
    junk_lines: u64,
    /// The most bytes of a message that is kept.
    most: u64,
}

enum HeaderLine {
    Empty,
    Length(u64),
    OtherHeader,
    Junk,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    /// Reads messages from `reader`. `server` is the name for logs.
    pub fn new(reader: R, server: &str) -> Frames<R> {
        Frames::with_limit(reader, server, MAX_MESSAGE_BYTES)
    }

    /// Reads messages from `reader` as [`Frames::new`] does, and skips those of more than `most` bytes.
    pub fn with_limit(reader: R, server: &str, most: u64) -> Frames<R> {
        let reader = BufReader::with_capacity(READ_BYTES, reader);
        Frames { reader, server: server.to_owned(), junk_lines: 0, most }
    }

    /// Returns the next message, or the end of the stream.
    pub async fn next(&mut self) -> io::Result<Frame> {
        let Some(length) = self.header().await? else { return Ok(Frame::End) };
        if length > self.most { self.skip(length).await } else { self.body(length).await }
    }

    /// Returns the number of lines that belonged to no message.
    pub fn junk_lines(&self) -> u64 {
        self.junk_lines
    }

    /// Reads the headers of the next message and returns its length; `None` at the end of the stream.
    async fn header(&mut self) -> io::Result<Option<u64>> {
        let mut length = None;
        while let Some(line) = self.line().await? {
            match classify(&line) {
                HeaderLine::Length(bytes) => length = Some(bytes),
                HeaderLine::Empty if length.is_some() => return Ok(length),
                HeaderLine::Empty | HeaderLine::OtherHeader => {}
                HeaderLine::Junk => self.note_junk(&line),
            }
        }
        Ok(None)
    }

    fn note_junk(&mut self, line: &[u8]) {
        if self.junk_lines == 0 {
            let line = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
            tracing::warn!(server = self.server, line, "skipping a stdout line that belongs to no message");
        }
        self.junk_lines += 1;
    }

    /// Returns the next line without its line break; `None` at the end of the stream, where an unfinished
    /// line is dropped.
    async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let newline = memchr::memchr(b'\n', available);
            line.extend_from_slice(&available[..newline.unwrap_or(available.len())]);
            let used = newline.map_or(available.len(), |at| at + 1);
            self.reader.consume(used);
            if line.len() > MAX_LINE_BYTES {
                line.drain(..line.len() - MAX_LINE_BYTES);
            }
            if newline.is_some() {
                return Ok(Some(line));
            }
        }
    }

    async fn body(&mut self, length: u64) -> io::Result<Frame> {
        let reserved = usize::try_from(length.min(RESERVED_BYTES)).unwrap_or(0);
        let mut body = Vec::with_capacity(reserved);
        (&mut self.reader).take(length).read_to_end(&mut body).await?;
        Ok(if (body.len() as u64) < length { Frame::End } else { Frame::Body(body) })
    }

    async fn skip(&mut self, bytes: u64) -> io::Result<Frame> {
        let mut skipped = SkippedMessage { bytes, head: Vec::new(), tail: Vec::new() };
        let mut left = bytes;
        while left > 0 {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(Frame::End);
            }
            let used = usize::try_from(left).unwrap_or(usize::MAX).min(available.len());
            let part = &available[..used];
            let head = part.len().min(KEPT_BYTES - skipped.head.len());
            skipped.head.extend_from_slice(&part[..head]);
            skipped.tail.extend_from_slice(&part[part.len().saturating_sub(KEPT_BYTES)..]);
            let surplus = skipped.tail.len().saturating_sub(KEPT_BYTES);
            skipped.tail.drain(..surplus);
            self.reader.consume(used);
            left -= used as u64;
        }
        Ok(Frame::TooLong(skipped))
    }
}

/// Classifies a line outside bodies. The length header may follow junk that was printed without a line break.
fn classify(line: &[u8]) -> HeaderLine {
    const LENGTH: &str = "content-length:";
    let line = String::from_utf8_lossy(line).trim().to_ascii_lowercase();
    if line.is_empty() {
        return HeaderLine::Empty;
    }
    if let Some(at) = line.rfind(LENGTH)
        && let Ok(bytes) = line[at + LENGTH.len()..].trim().parse()
    {
        return HeaderLine::Length(bytes);
    }
    if line.starts_with("content-type:") { HeaderLine::OtherHeader } else { HeaderLine::Junk }
}

/// Appends a message with this body, framed, to `bytes`.
pub fn append(bytes: &mut Vec<u8>, body: &[u8]) {
    bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    bytes.extend_from_slice(body);
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn frames(bytes: &[u8]) -> (Vec<Frame>, u64) {
        // One byte at a time, so that a header is split at every place.
        let (mut writer, reader) = tokio::io::duplex(1);
        let bytes = bytes.to_vec();
        let writing = tokio::spawn(async move {
            tokio::io::AsyncWriteExt::write_all(&mut writer, &bytes).await.unwrap();
        });
        let mut frames = Frames::new(reader, "test");
        let mut read = Vec::new();
        loop {
            match frames.next().await.unwrap() {
                Frame::End => break,
                frame => read.push(frame),
            }
        }
        writing.await.unwrap();
        (read, frames.junk_lines())
    }

    fn body(text: &str) -> Frame {
        Frame::Body(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn headers_are_taken_in_any_form() {
        let (read, junk) = frames(
            b"Content-Length: 2\r\n\r\nabCONTENT-LENGTH:1\n\nc\
              Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  0 \r\n\r\n\
              Content-Length: 9\r\ncontent-length: 1\r\nContent-Type: x\r\n\r\nd",
        )
        .await;
        assert_eq!(read, [body("ab"), body("c"), body(""), body("d")]);
        assert_eq!(junk, 0);
    }

    #[tokio::test]
    async fn junk_between_messages_is_skipped_and_counted() {
        let (read, junk) = frames(
            b"Starting up\n\n\xff\xfe\nContent-Length: many\r\nContent-Length: 1\r\n\r\na\
              {\"not\": \"framed\"}\nno line break hereContent-Length: 1\r\nprinted in between\n\r\nb trailing",
        )
        .await;
        assert_eq!(read, [body("a"), body("b")]);
        assert_eq!(junk, 5);
    }

    #[tokio::test]
    async fn a_body_that_ends_early_is_the_end() {
        assert_eq!(frames(b"Content-Length: 5\r\n\r\nabc").await.0, []);
        assert_eq!(frames(b"Content-Length: 5\r\n").await.0, []);
    }

    #[tokio::test]
    async fn what_is_too_long_is_skipped_and_its_ends_are_kept() {
        let length = MAX_MESSAGE_BYTES + 10;
        let header = format!("Content-Length: {length}\r\n\r\nFRONT").into_bytes();
        let filling = tokio::io::repeat(b'x').take(length - 9);
        let rest = &b"BACKContent-Length: 1\r\n\r\na"[..];
        let mut frames = Frames::new(header.chain(filling).chain(rest), "test");
        let Frame::TooLong(skipped) = frames.next().await.unwrap() else { panic!("not skipped") };
        assert_eq!(skipped.bytes, length);
        assert_eq!((skipped.head.len(), skipped.tail.len()), (KEPT_BYTES, KEPT_BYTES));
        assert!(skipped.head.starts_with(b"FRONTx") && skipped.tail.ends_with(b"xBACK"));
        assert_eq!(frames.next().await.unwrap(), body("a"));
    }

    #[tokio::test]
    async fn a_line_without_end_costs_no_memory_and_hides_no_header() {
        let junk = tokio::io::repeat(b'x').take(3 << 20);
        let mut frames = Frames::new(junk.chain(&b"Content-Length: 1\r\n\r\na"[..]), "test");
        assert_eq!(frames.next().await.unwrap(), body("a"));
    }

    #[tokio::test]
    async fn what_is_appended_is_read_back() {
        let mut bytes = Vec::new();
        append(&mut bytes, "{\"ü\":1}".as_bytes());
        append(&mut bytes, b"");
        assert_eq!(frames(&bytes).await.0, [body("{\"ü\":1}"), body("")]);
    }
}
