//! Reads a mapping file piece by piece: one may have gigabytes, of which a trace needs kilobytes. Invariant: no more than a
//! piece, and the start of one line, is in memory at a time.

use memchr::memchr;

use symd_base::{Cancel, RelPath};
use symd_vfs::{EntryKind, Files};

/// Maximum size of a mapping file, in bytes.
pub(super) const MAX_MAPPING_BYTES: u64 = 4 << 30;

/// How many bytes are read at a time.
const PIECE: usize = 1 << 20;

/// How much of a line is kept, in bytes: no line of a mapping is longer.
const MAX_LINE: usize = 64 << 10;

/// How a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileEnd {
    Whole,
    /// In the middle of a line: what wrote or copied it was broken off.
    Cut,
}

/// Calls `take` with each line of the file at `path` that has a line break: of a name that is cut, what is left may be the
/// name of something else.
pub(super) fn for_each_line(
    files: &dyn Files,
    path: &RelPath,
    cancel: &Cancel,
    mut take: impl FnMut(&[u8]),
) -> Result<FileEnd, String> {
    let (kind, stat) = files.stat(path).map_err(|error| error.to_string())?;
    if kind != EntryKind::File {
        return Err("it is no file".to_owned());
    }
    if stat.size > MAX_MAPPING_BYTES {
        let limit = MAX_MAPPING_BYTES >> 30;
        return Err(format!(
            "it has {} bytes, more than the {limit} GiB that symd reads; give one with only the classes of the trace",
            stat.size
        ));
    }
    let mut lines = CutLines::default();
    let mut offset = 0;
    loop {
        cancel.check().map_err(|_| "the question was given up while it was read".to_owned())?;
        let piece = files.read_at(path, offset, PIECE).map_err(|error| error.to_string())?;
        // Half of one build's mapping and half of another's would give names to the wrong frames.
        if piece.stat != stat {
            return Err("it was changed while it was read; ask again".to_owned());
        }
        lines.take(&piece.bytes, &mut take);
        if piece.bytes.len() < PIECE {
            return Ok(lines.end());
        }
        offset += PIECE as u64;
    }
}

/// Puts lines together that were cut in pieces.
#[derive(Default)]
pub(super) struct CutLines {
    /// The start of the line that the last piece cut.
    begun: Vec<u8>,
}

impl CutLines {
    pub(super) fn take(&mut self, mut piece: &[u8], line: &mut impl FnMut(&[u8])) {
        while let Some(end) = memchr(b'\n', piece) {
            let (first, rest) = piece.split_at(end + 1);
            piece = rest;
            if self.begun.is_empty() {
                line(first);
            } else {
                self.keep(first);
                line(&self.begun);
                self.begun.clear();
            }
        }
        self.keep(piece);
    }

    pub(super) fn end(&self) -> FileEnd {
        if self.begun.is_empty() { FileEnd::Whole } else { FileEnd::Cut }
    }

    fn keep(&mut self, part: &[u8]) {
        let room = MAX_LINE - self.begun.len();
        self.begun.extend_from_slice(&part[..part.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_wherever_the_pieces_are_cut() {
        let text = b"shop.Till -> a.a:\n    1:1:void sell():12:12 -> a\n\n    int count -> b";
        let mut expected: Vec<Vec<u8>> =
            text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        expected.pop();
        for size in 1..text.len() {
            let (mut lines, mut read) = (CutLines::default(), Vec::new());
            text.chunks(size).for_each(|piece| lines.take(piece, &mut |line| read.push(line.to_vec())));
            assert_eq!((read, lines.end()), (expected.clone(), FileEnd::Cut), "pieces of {size} bytes");
        }
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let mut lines = CutLines::default();
        let piece = vec![0; 1 << 20];
        (0..64).for_each(|_| lines.take(&piece, &mut |_| panic!("no line has ended")));
        assert!(lines.begun.capacity() <= 2 * MAX_LINE, "{}", lines.begun.capacity());
        let mut read = Vec::new();
        lines.take(b"\nshop.Till -> a.a:\n", &mut |line| read.push(line.to_vec()));
        assert_eq!(
            (read.len(), read[0].len(), read[1].as_slice()),
            (2, MAX_LINE, &b"shop.Till -> a.a:\n"[..])
        );
    }
}
