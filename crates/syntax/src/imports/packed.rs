//! The packed form of a file's imports: bytes for kind and position, and compressed text for module, name and
//! alias, without the prefix that it shares with the previous import's text.
//!
//! ```text
//! stars u8 | length of the heads | heads | texts as `huffman` writes them
//! head: flags u8 | gap, unless as before | slack, unless as before | bytes shared with the text before | bytes of its own
//! ```
//! Numbers are LEB128, those that can be negative zigzag. The gap is the distance from the end of the
//! previous statement to the start of this one; the slack is the length of the statement minus that of its
//! text. Both are usually the same as in the previous statement.

use super::huffman::{Reader, Writer};
use super::{ImportKind, ImportList};
use crate::leb128;
use symd_base::TextRange;

/// All imports, exports and package lines of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imports(Box<[u8]>);

/// Maximum size in bytes of a file's unpacked imports. Each import repeats its module, so imports can be
/// quadratic in the length of the text: no hand-written file reaches that, and it would exhaust memory.
pub const MAX_IMPORTED_BYTES: usize = 16 << 20;

/// Flag: same statement as the previous import.
const SAME_STATEMENT: u8 = 4;
/// Flags: same gap, same slack as in the previous statement.
const SAME_GAP: u8 = 8;
const SAME_SLACK: u8 = 16;

/// Kind and position of an import, and the lengths needed to decode its text.
#[derive(Clone, Copy, Debug)]
struct Head {
    kind: ImportKind,
    start: u32,
    end: u32,
    gap: i64,
    slack: i64,
    shared: usize,
    own: usize,
}

impl Head {
    const NONE: Head =
        Head { kind: ImportKind::Import, start: 0, end: 0, gap: 0, slack: 0, shared: 0, own: 0 };
}

impl Imports {
    /// Returns the size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Unpacks all imports.
    pub fn unpack(&self) -> ImportList {
        let Some((mut heads, texts)) = self.parts() else { return ImportList::default() };
        let mut texts = Reader::new(texts);
        let mut list = ImportList::default();
        let (mut head, mut text) = (Head::NONE, Vec::new());
        while let Some(next) = read_head(&mut heads, &head) {
            head = next;
            text.truncate(head.shared);
            if texts.read(head.own, &mut text).is_none() {
                break;
            }
            let Ok(readable) = std::str::from_utf8(&text) else { break };
            if list.text.len() + readable.len() > MAX_IMPORTED_BYTES {
                break;
            }
            list.text.push_str(readable);
            list.entries.push((head.kind, TextRange::new(head.start, head.end), list.text.len()));
        }
        list
    }

    /// Returns the range of each import's statement: cheaper than unpacking.
    pub fn statements(&self) -> impl Iterator<Item = TextRange> {
        let mut heads = self.parts().map_or(&[][..], |(heads, _)| heads);
        let mut head = Head::NONE;
        std::iter::from_fn(move || {
            head = read_head(&mut heads, &head)?;
            Some(TextRange::new(head.start, head.end))
        })
    }

    /// Returns the package that a file declares, when it does so before its imports: cheaper than unpacking.
    pub fn package(&self) -> Option<String> {
        let (mut heads, texts) = self.parts()?;
        let first = read_head(&mut heads, &Head::NONE)?;
        if first.kind != ImportKind::Package {
            return None;
        }
        let mut text = Vec::new();
        Reader::new(texts).read(first.own, &mut text)?;
        let text = String::from_utf8(text).ok()?;
        let entries = vec![(first.kind, TextRange::new(first.start, first.end), text.len())];
        ImportList { text, entries }.package().map(str::to_owned)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports whether all names of some module are imported: cheaper than unpacking.
    pub fn has_stars(&self) -> bool {
        self.0.first() == Some(&1)
    }

    /// Returns the packed form, as stored in the cache.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Restores imports from the form of [`Imports::as_bytes`].
    pub fn from_packed(bytes: &[u8]) -> Imports {
        Imports(bytes.into())
    }

    /// Returns heads and texts.
    fn parts(&self) -> Option<(&[u8], &[u8])> {
        let (_, mut rest) = self.0.split_first()?;
        let length = usize::try_from(leb128::take_u64(&mut rest)?).ok()?;
        rest.split_at_checked(length)
    }
}

/// Encoder of imports, which must be added in order.
#[derive(Debug)]
pub(super) struct Packer {
    heads: Vec<u8>,
    texts: Writer,
    last: Head,
    text: Vec<u8>,
    has_stars: bool,
    /// Total bytes of all texts.
    imported: usize,
    is_full: bool,
}

impl Packer {
    pub(super) fn new() -> Packer {
        Packer {
            heads: Vec::new(),
            texts: Writer::default(),
            last: Head::NONE,
            text: Vec::new(),
            has_stars: false,
            imported: 0,
            is_full: false,
        }
    }

    /// Reports whether imports were omitted because they exceed [`MAX_IMPORTED_BYTES`].
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Adds an import; `fields` are module, name and alias.
    pub(super) fn add(&mut self, kind: ImportKind, (start, end): (u32, u32), fields: [&str; 3]) {
        let text = fields.join("\t");
        let text = text.trim_end_matches('\t').as_bytes();
        // All later imports are omitted too, because a missing one could be any.
        self.is_full |= self.imported + text.len() > MAX_IMPORTED_BYTES;
        if self.is_full {
            return;
        }
        self.imported += text.len();
        self.has_stars |= fields[1] == "*";
        let shared = text.iter().zip(&self.text).take_while(|(one, other)| one == other).count();
        let last = self.last;
        let is_first = self.heads.is_empty();
        let mut head = Head { kind, start, end, shared, own: text.len() - shared, ..last };
        let mut flags = match kind {
            ImportKind::Import => 0,
            ImportKind::Export => 1,
            ImportKind::Package => 2,
        };
        if !is_first && (last.kind, last.start, last.end) == (kind, start, end) {
            self.heads.push(flags | SAME_STATEMENT);
        } else {
            head.gap = i64::from(start) - i64::from(last.end);
            head.slack = i64::from(end) - i64::from(start) - length(text.len());
            flags |= if head.gap == last.gap { SAME_GAP } else { 0 };
            flags |= if head.slack == last.slack { SAME_SLACK } else { 0 };
            self.heads.push(flags);
            if head.gap != last.gap {
                leb128::push(&mut self.heads, zigzag(head.gap));
            }
            if head.slack != last.slack {
                leb128::push(&mut self.heads, zigzag(head.slack));
            }
        }
        leb128::push(&mut self.heads, shared as u64);
        leb128::push(&mut self.heads, head.own as u64);
        self.texts.write(&text[shared..]);
        self.text = text.to_vec();
        self.last = head;
    }

    pub(super) fn finish(self) -> Imports {
        if self.heads.is_empty() {
            return Imports::default();
        }
        let mut packed = vec![u8::from(self.has_stars)];
        leb128::push(&mut packed, self.heads.len() as u64);
        packed.extend(self.heads);
        packed.extend(self.texts.finish());
        Imports(packed.into())
    }
}

fn read_head(heads: &mut &[u8], last: &Head) -> Option<Head> {
    let (&flags, rest) = heads.split_first()?;
    *heads = rest;
    let kind = match flags & 3 {
        0 => ImportKind::Import,
        1 => ImportKind::Export,
        2 => ImportKind::Package,
        _ => return None,
    };
    let mut head = Head { kind, ..*last };
    let is_new = flags & SAME_STATEMENT == 0;
    if is_new && flags & SAME_GAP == 0 {
        head.gap = unzigzag(leb128::take_u64(heads)?);
    }
    if is_new && flags & SAME_SLACK == 0 {
        head.slack = unzigzag(leb128::take_u64(heads)?);
    }
    head.shared = usize::try_from(leb128::take_u64(heads)?).ok()?;
    head.own = usize::try_from(leb128::take_u64(heads)?).ok()?;
    let text = head.shared.checked_add(head.own)?;
    if head.shared > last.shared.saturating_add(last.own) {
        return None;
    }
    if is_new {
        let start = i64::from(last.end).checked_add(head.gap)?;
        let end = start.checked_add(head.slack)?.checked_add(length(text))?;
        head.start = u32::try_from(start).ok()?;
        head.end = u32::try_from(end).ok().filter(|end| *end >= head.start)?;
    }
    Some(head)
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

fn zigzag(number: i64) -> u64 {
    (number.unsigned_abs() << 1) | u64::from(number < 0)
}

fn unzigzag(number: u64) -> i64 {
    let half = i64::try_from(number >> 1).unwrap_or(i64::MAX);
    if number & 1 == 0 { half } else { -half }
}
