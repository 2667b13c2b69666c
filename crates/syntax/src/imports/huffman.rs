//! Compact encoding of short texts of identifiers: a fixed Huffman code, with code lengths derived from the
//! imports of Django, kotlinx.coroutines, Rust crates and TypeScript packages (4.9 bits a byte on an Android
//! app that was not among them). Invariant: any bytes can be written; reading never panics.

use std::sync::LazyLock;

/// Characters by the length of their codes in bits. Codes are canonical: ascending by length, then in this
/// order.
const LENGTHS: [(u8, &[u8]); 9] = [
    (3, b"e"),
    (4, b"ainorst"),
    (5, b"\t.cdlu"),
    (6, b"*gkmpx"),
    (7, b":CEST_bfhjy"),
    (8, b"ADFILMNOPRvw"),
    (9, b"/BKU"),
    (10, b"\x002GHVWqz"),
    (11, b"-013456789@JQXYZ"),
];
/// Escape before a byte that has no code, which follows in eight bits.
const OTHER: u8 = 0;
/// Length of the longest code, in bits.
const LONGEST: u8 = 11;

/// A code and its length in bits.
#[derive(Clone, Copy, Debug, Default)]
struct Code {
    bits: u16,
    length: u8,
}

struct Tables {
    codes: [Code; 256],
    /// Byte and length of its code, indexed by the next [`LONGEST`] bits.
    bytes: Vec<(u8, u8)>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables { codes: [Code::default(); 256], bytes: vec![(OTHER, 0); 1 << LONGEST] };
    let mut next = 0;
    for (length, bytes) in LENGTHS {
        let step = 1_u16 << (LONGEST - length);
        for &byte in bytes {
            tables.codes[usize::from(byte)] = Code { bits: next >> (LONGEST - length), length };
            for entry in &mut tables.bytes[usize::from(next)..usize::from(next + step)] {
                *entry = (byte, length);
            }
            next += step;
        }
    }
    tables
});

/// Encoder of consecutive texts.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    /// Bits not yet in `bytes`, the first in the highest position, and their number.
    pending: u32,
    count: u8,
}

impl Writer {
    pub(super) fn write(&mut self, text: &[u8]) {
        for &byte in text {
            let Code { bits, length } = TABLES.codes[usize::from(byte)];
            if length > 0 && byte != OTHER {
                self.push(bits, length);
                continue;
            }
            let Code { bits, length } = TABLES.codes[usize::from(OTHER)];
            self.push(bits, length);
            self.push(byte.into(), 8);
        }
    }

    fn push(&mut self, bits: u16, length: u8) {
        self.pending |= u32::from(bits) << (32 - self.count - length);
        self.count += length;
        while self.count >= 8 {
            self.bytes.push(self.pending.to_be_bytes()[0]);
            self.pending <<= 8;
            self.count -= 8;
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending.to_be_bytes()[0]);
        }
        self.bytes
    }
}

/// Decoder of the bits that a [`Writer`] wrote.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    /// Position in bits.
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Appends the next `count` bytes of text to `text`; `None` at the end of the data.
    pub(super) fn read(&mut self, count: usize, text: &mut Vec<u8>) -> Option<()> {
        for _ in 0..count {
            let (byte, length) = *TABLES.bytes.get(usize::from(self.peek() >> (16 - LONGEST)))?;
            self.at += usize::from(length);
            let byte = if byte == OTHER {
                let [byte, _] = self.peek().to_be_bytes();
                self.at += 8;
                byte
            } else {
                byte
            };
            if length == 0 || self.at > self.bytes.len() * 8 {
                return None;
            }
            text.push(byte);
        }
        Some(())
    }

    /// Returns the next 16 bits, with zeros past the end.
    fn peek(&self) -> u16 {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        let first = self.at / 8;
        let three = u32::from_be_bytes([byte(first), byte(first + 1), byte(first + 2), 0]);
        let [high, low, ..] = (three << (self.at % 8)).to_be_bytes();
        u16::from_be_bytes([high, low])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_has_no_gaps() {
        let used: u32 = LENGTHS
            .iter()
            .map(|(length, bytes)| u32::try_from(bytes.len()).expect("few") << (LONGEST - length))
            .sum();
        assert_eq!(used, 1 << LONGEST);
    }

    #[test]
    fn any_bytes_are_read_back() {
        let all: Vec<u8> = (0..=255).chain("com.example.größe\tName\0\0".bytes()).collect();
        let mut writer = Writer::default();
        writer.write(&all);
        writer.write(b"");
        writer.write(b"last");
        let packed = writer.finish();
        let mut reader = Reader::new(&packed);
        let mut text = Vec::new();
        reader.read(all.len() + 4, &mut text).expect("all are there");
        assert_eq!(text, [&all[..], b"last"].concat());
        // The padding bits of the last byte decode to a letter or two.
        assert_eq!(reader.read(3, &mut text), None, "behind the end is nothing");
        assert!(Reader::new(&packed[..packed.len() / 2]).read(all.len(), &mut Vec::new()).is_none());
    }
}
