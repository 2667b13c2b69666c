//! The texts of all files of a language family, read once for a question: names in strings are no identifiers, so that no index tells
//! which files hold them.

use std::rc::Rc;
use std::sync::Arc;

use crate::context::is_word;
use crate::family::Family;
use crate::resolver::{CurrentFile, Resolver};
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_index::FileEntry;

/// Number of bytes beyond which a text is generated, or data.
const MAX_BYTES: usize = 1 << 20;

/// A file, and its text as it is now.
pub(crate) struct FamilyText {
    pub(crate) file: Arc<FileEntry>,
    pub(crate) text: String,
}

pub(crate) struct FamilyTexts(Vec<FamilyText>);

impl FamilyTexts {
    pub(crate) fn read(resolver: &Resolver) -> Result<FamilyTexts, Cancelled> {
        let sources = resolver.sources;
        let mut all = Vec::new();
        for file in sources.snapshot().files.iter() {
            if Family::of(file) != Some(resolver.family) {
                continue;
            }
            resolver.cancel.check()?;
            let text = sources.text(&file.path).filter(|text| text.len() <= MAX_BYTES);
            all.extend(text.map(|text| FamilyText { file: file.clone(), text }));
        }
        Ok(FamilyTexts(all))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &FamilyText> {
        self.0.iter()
    }

    /// Returns those that hold one of the words as identifiers.
    pub(crate) fn with_any<'t>(&'t self, words: &'t [String]) -> impl Iterator<Item = &'t FamilyText> {
        self.iter().filter(move |one| words.iter().any(|word| one.text.contains(word.as_str())))
    }
}

impl FamilyText {
    /// Returns the place of `length` bytes at byte `at`.
    pub(crate) fn place(&self, at: usize, length: usize) -> (RelPath, TextRange) {
        let start = u32::try_from(at).unwrap_or(u32::MAX);
        let end = start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
        (self.file.path.clone(), TextRange::new(start, end))
    }

    /// Returns the bytes at which `word` stands as a whole word.
    pub(crate) fn words<'t>(&'t self, word: &'t str) -> impl Iterator<Item = usize> + 't {
        words_of(&self.text, word)
    }

    pub(crate) fn current(&self, resolver: &Resolver) -> Option<Rc<CurrentFile>> {
        resolver.read_file(&self.file)
    }
}

/// Returns the bytes at which `word` stands in `text` as a whole word.
pub(crate) fn words_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        !word.is_empty() && !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    })
}
