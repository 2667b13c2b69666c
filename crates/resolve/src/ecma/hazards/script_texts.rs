//! The texts of all JavaScript and TypeScript files, read once for a question: keys in strings are no identifiers, so that no index
//! tells which files hold them.

use std::rc::Rc;
use std::sync::Arc;

use super::RenamedSymbol;
use crate::context::is_word;
use crate::family::Family;
use crate::resolver::{CurrentFile, Resolver};
use symd_base::cancel::Cancelled;
use symd_base::{RelPath, TextRange};
use symd_index::FileEntry;

/// Number of bytes beyond which a text is generated, or data.
const MAX_BYTES: usize = 1 << 20;

/// A file, and its text as it is now.
pub(super) struct ScriptText {
    pub(super) file: Arc<FileEntry>,
    pub(super) text: String,
}

pub(super) struct ScriptTexts(Vec<ScriptText>);

impl ScriptTexts {
    pub(super) fn read(symbol: &RenamedSymbol) -> Result<ScriptTexts, Cancelled> {
        let sources = symbol.resolver.sources;
        let mut all = Vec::new();
        for file in sources.snapshot().files.iter() {
            if Family::of(file) != Some(Family::Ecma) {
                continue;
            }
            symbol.resolver.cancel.check()?;
            let text = sources.text(&file.path).filter(|text| text.len() <= MAX_BYTES);
            all.extend(text.map(|text| ScriptText { file: file.clone(), text }));
        }
        Ok(ScriptTexts(all))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ScriptText> {
        self.0.iter()
    }

    /// Returns those that hold one of the words as identifiers.
    pub(super) fn with_any<'t>(&'t self, words: &'t [String]) -> impl Iterator<Item = &'t ScriptText> {
        self.iter().filter(move |one| words.iter().any(|word| one.text.contains(word.as_str())))
    }
}

impl ScriptText {
    /// Returns the place of `length` bytes at byte `at`.
    pub(super) fn place(&self, at: usize, length: usize) -> (RelPath, TextRange) {
        let start = u32::try_from(at).unwrap_or(u32::MAX);
        let end = start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
        (self.file.path.clone(), TextRange::new(start, end))
    }

    /// Returns the bytes at which `word` stands as a whole word.
    pub(super) fn words<'t>(&'t self, word: &'t str) -> impl Iterator<Item = usize> + 't {
        words_of(&self.text, word)
    }

    pub(super) fn current(&self, resolver: &Resolver) -> Option<Rc<CurrentFile>> {
        resolver.read_file(&self.file)
    }
}

/// Returns the bytes at which `word` stands in `text` as a whole word.
pub(super) fn words_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        !word.is_empty() && !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    })
}
