//! What is known of stored outlines without reading them: of many files in a few large pieces of memory. Small pieces for each file would
//! lie between the outlines that were let go of, and keep the pages around them. Invariant: a summary agrees with its outline.

use std::ops::Range;
use std::sync::Arc;

use super::cache::Key;
use super::entry_outline::OutlineReader;
use super::spilled_bytes::SpilledBytes;
use super::word_filter;
use symd_base::state::UnnamedFile;
use symd_syntax::{Imports, Outline};

/// What is known of the outlines of some files. Kept as long as one of the files is as it was.
#[derive(Debug)]
pub struct OutlineSummaries {
    known: Box<[KnownOutline]>,
    /// The packed imports of one after the other, on disk if there is a file for them …
    imports: SpilledBytes,
    /// … and the filters of their words.
    words: SpilledBytes,
    reader: Arc<dyn OutlineReader>,
}

/// What is known of one outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownOutline {
    pub(super) key: Key,
    pub(super) rows: u32,
    /// Where its imports and its filter end; they begin where those of the one before end.
    pub(super) imports_end: u32,
    pub(super) words_end: u32,
    pub(super) has_errors: bool,
    pub(super) hides_types: bool,
}

/// What is known of some outlines, while it is gathered.
#[derive(Debug, Default)]
pub(super) struct GatheredOutlines {
    pub(super) known: Vec<KnownOutline>,
    pub(super) imports: Vec<u8>,
    pub(super) words: Vec<u8>,
}

/// What is known of one stored outline. Files of equal content that let go of it in one round share it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OutlineSummary {
    of: Arc<OutlineSummaries>,
    at: u32,
}

impl OutlineSummaries {
    /// Returns the summaries of `outlines`, in the same order; `reader` finds the outlines under their keys. Imports and filters are kept in
    /// the file, if there is one.
    pub fn summarize(
        outlines: &[(Key, Arc<Outline>)],
        reader: Arc<dyn OutlineReader>,
        file: Option<&Arc<UnnamedFile>>,
    ) -> Vec<OutlineSummary> {
        let mut gathered = GatheredOutlines::default();
        outlines.iter().for_each(|(key, outline)| gathered.add(*key, outline));
        let GatheredOutlines { known, imports, words } = gathered;
        let (imports, words) = (SpilledBytes::new(imports, file), SpilledBytes::new(words, file));
        OutlineSummaries::of_known(known, imports, words, reader)
    }

    /// Returns the summaries of outlines of which this is known.
    pub(super) fn of_known(
        known: Vec<KnownOutline>,
        imports: SpilledBytes,
        words: SpilledBytes,
        reader: Arc<dyn OutlineReader>,
    ) -> Vec<OutlineSummary> {
        let of = Arc::new(OutlineSummaries { known: known.into(), imports, words, reader });
        (0..number(of.known.len())).map(|at| OutlineSummary { of: of.clone(), at }).collect()
    }
}

impl GatheredOutlines {
    pub(super) fn add(&mut self, key: Key, outline: &Outline) {
        self.imports.extend(outline.imports.as_bytes());
        word_filter::append(&mut self.words, &outline.occurrences.hashes);
        self.known.push(KnownOutline {
            key,
            rows: number(outline.rows.len()),
            imports_end: number(self.imports.len()),
            words_end: number(self.words.len()),
            has_errors: outline.has_errors,
            hides_types: outline.hides_types,
        });
    }

    /// Adds what a summary knows. Returns whether it knows all; if not, adds nothing.
    pub(super) fn add_summary(&mut self, summary: &OutlineSummary) -> bool {
        let (imports, words) =
            (summary.range(|known| known.imports_end), summary.range(|known| known.words_end));
        let before = self.imports.len();
        if !append_part(&mut self.imports, &summary.of.imports, imports) {
            return false;
        }
        if !append_part(&mut self.words, &summary.of.words, words) {
            self.imports.truncate(before);
            return false;
        }
        let (imports_end, words_end) = (number(self.imports.len()), number(self.words.len()));
        self.known.push(KnownOutline { imports_end, words_end, ..*summary.known() });
        true
    }
}

/// Appends a part of bytes. Returns `false` if they are lost.
fn append_part(to: &mut Vec<u8>, from: &SpilledBytes, part: Range<usize>) -> bool {
    from.with_all(|all| all.and_then(|all| all.get(part)).map(|part| to.extend_from_slice(part))).is_some()
}

impl OutlineSummary {
    pub(super) fn key(&self) -> Key {
        self.known().key
    }

    pub(super) fn rows(&self) -> usize {
        self.known().rows as usize
    }

    pub(super) fn has_errors(&self) -> bool {
        self.known().has_errors
    }

    pub(super) fn hides_types(&self) -> bool {
        self.known().hides_types
    }

    /// Returns the imports; `None` if they are lost.
    pub(super) fn imports(&self) -> Option<Imports> {
        let range = self.range(|known| known.imports_end);
        self.of.imports.with_all(|imports| Some(Imports::from_packed(imports?.get(range)?)))
    }

    /// Whether the word of this hash may be an identifier of the file.
    pub(super) fn may_hold(&self, hash: u32) -> bool {
        let range = self.range(|known| known.words_end);
        self.of.words.with_all(|words| {
            let filter = words.and_then(|words| words.get(range));
            filter.is_none_or(|filter| word_filter::may_hold(filter, hash))
        })
    }

    /// Whether a part of it was found to be lost.
    pub fn is_lost(&self) -> bool {
        self.of.imports.is_lost() || self.of.words.is_lost()
    }

    pub(super) fn reader(&self) -> &dyn OutlineReader {
        &*self.of.reader
    }

    /// Returns the address of what it shares with other files, and how many bytes of memory that takes.
    pub(super) fn shared_memory(&self) -> (usize, usize) {
        let OutlineSummaries { known, imports, words, .. } = &*self.of;
        // Two counts.
        let own = 2 * size_of::<usize>() + size_of::<OutlineSummaries>();
        (Arc::as_ptr(&self.of).addr(), own + size_of_val(&**known) + imports.memory() + words.memory())
    }

    fn known(&self) -> &KnownOutline {
        &self.of.known[self.at as usize]
    }

    /// Returns its part of what all outlines have one after the other.
    fn range(&self, end: impl Fn(&KnownOutline) -> u32) -> Range<usize> {
        let at = self.at as usize;
        let start = at.checked_sub(1).map_or(0, |before| end(&self.of.known[before]));
        start as usize..end(self.known()) as usize
    }
}

/// Converts a count or offset. All imports of a few thousand files together stay far below 4 billion bytes.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::{Cancel, ContentHash, RelPath};
    use symd_syntax::{Grammar, name_hash, outline};

    #[derive(Debug)]
    struct Nothing;

    impl OutlineReader for Nothing {
        fn read_back(&self, _: Key, _: usize, _: &RelPath) -> Option<Arc<Outline>> {
            None
        }
    }

    #[test]
    fn each_summary_is_that_of_its_outline() {
        let grammar = Grammar::named("python").expect("is there");
        let texts =
            ["", "import a\nfrom b import *\nx = 1\n", "def f(:\n", "x", "from c import d as e\ny = e(z)\n"];
        let outlines = texts.map(|text| {
            let key = Key { content: ContentHash::of(text.as_bytes()), fingerprint: grammar.fingerprint() };
            (key, Arc::new(outline(grammar, text, &Cancel::new()).expect("not cancelled")))
        });
        let scratch = tempfile::tempdir().expect("scratch");
        let file = Arc::new(UnnamedFile::new(scratch.path()));
        for file in [None, Some(&file)] {
            let summaries = OutlineSummaries::summarize(&outlines, Arc::new(Nothing), file);
            assert_eq!(summaries.len(), outlines.len());
            for ((key, outline), summary) in outlines.iter().zip(&summaries) {
                assert_eq!((summary.key(), summary.rows()), (*key, outline.rows.len()));
                assert_eq!(
                    (summary.has_errors(), summary.hides_types()),
                    (outline.has_errors, outline.hides_types)
                );
                assert_eq!(summary.imports().as_ref(), Some(&outline.imports));
                let holds = |word: &str| summary.may_hold(name_hash(word.as_bytes()));
                for word in ["a", "x", "f", "d", "e", "z"] {
                    let is_held = outline.occurrences.contains_hash(name_hash(word.as_bytes()));
                    assert!(holds(word) || !is_held, "{word}");
                }
                assert!(!holds("stands_nowhere"));
            }
        }
    }
}
