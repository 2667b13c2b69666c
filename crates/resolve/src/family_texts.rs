//! The texts of all files of a language family: names in strings are no identifiers, so that no index tells which files hold them.
//! Invariant: one text at a time is held, and none needs its file's entry in the index; what is left out is told.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::context::is_word;
use crate::family::Family;
use crate::rename_hazard::RenameHazard;
use crate::resolver::{CurrentFile, Resolver};
use symd_base::{RelPath, TextRange};
use symd_index::FileEntry;

/// Number of bytes beyond which a text is generated, or data: it is only searched for the symbol's name.
const MAX_BYTES: usize = 4 << 20;

/// How many of the files that were left out are named.
const MAX_NAMED: usize = 5;

/// A file, and its text as it is now.
pub(crate) struct FamilyText {
    pub(crate) path: RelPath,
    pub(crate) text: String,
}

/// Reads these texts, anew for each walk over them.
pub(crate) struct FamilyTexts<'r, 's> {
    resolver: &'r Resolver<'s>,
    paths: Vec<RelPath>,
    /// The name of the symbol that is renamed.
    name: String,
    /// Files that are too large to be read, or to be looked at although they hold the name.
    left_out: RefCell<BTreeSet<RelPath>>,
}

impl<'r, 's> FamilyTexts<'r, 's> {
    /// Lists the texts; `name` is that of the symbol that is renamed.
    pub(crate) fn new(resolver: &'r Resolver<'s>, name: &str) -> FamilyTexts<'r, 's> {
        let paths = resolver.sources.snapshot().files.paths_within(&RelPath::root());
        let paths = paths.filter(|path| resolver.may_be_of_family(path)).cloned().collect();
        FamilyTexts { resolver, paths, name: name.to_owned(), left_out: RefCell::default() }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = FamilyText> + '_ {
        self.paths.iter().filter_map(|path| self.at(path))
    }

    /// Returns the text of a file; `None` for one of another family, and for one that is left out.
    pub(crate) fn at(&self, path: &RelPath) -> Option<FamilyText> {
        let is_of_family = || {
            self.resolver.file(path.as_str()).and_then(|file| Family::of(file)) == Some(self.resolver.family)
        };
        let Some(text) = self.resolver.sources.text(path) else {
            // It cannot be read: it is too large, or no text. Only a file that the index has parsed is told.
            if is_of_family() {
                self.left_out.borrow_mut().insert(path.clone());
            }
            return None;
        };
        // Without an extension, the first line tells the language.
        if path.extension().is_none() && (!text.starts_with("#!") || !is_of_family()) {
            return None;
        }
        if text.len() > MAX_BYTES {
            if words_of(&text, &self.name).next().is_some() {
                self.left_out.borrow_mut().insert(path.clone());
            }
            return None;
        }
        Some(FamilyText { path: path.clone(), text })
    }

    /// Returns those that hold one of the words. Without words it reads none.
    pub(crate) fn with_any<'t>(&'t self, words: &'t [String]) -> impl Iterator<Item = FamilyText> + 't {
        let paths = if words.is_empty() { &[][..] } else { &self.paths[..] };
        let holds = move |one: &FamilyText| words.iter().any(|word| one.text.contains(word.as_str()));
        paths.iter().filter_map(|path| self.at(path)).filter(holds)
    }

    /// Returns the paths of all of them.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.paths.iter()
    }

    /// Returns the doubt about the files that were left out so far.
    pub(crate) fn doubt_of_left_out(&self) -> Option<RenameHazard> {
        let left_out = self.left_out.borrow();
        let names: Vec<&str> = left_out.iter().take(MAX_NAMED).map(RelPath::as_str).collect();
        let more = left_out.len().saturating_sub(MAX_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("too large to be looked at for what uses names: {}{more}", names.join(", "));
        (!names.is_empty()).then(|| RenameHazard::doubt_without_place(text))
    }
}

impl FamilyText {
    /// Returns the place of `length` bytes at byte `at`.
    pub(crate) fn place(&self, at: usize, length: usize) -> (RelPath, TextRange) {
        let start = u32::try_from(at).unwrap_or(u32::MAX);
        let end = start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
        (self.path.clone(), TextRange::new(start, end))
    }

    /// Returns the bytes at which `word` stands as a whole word.
    pub(crate) fn words<'t>(&'t self, word: &'t str) -> impl Iterator<Item = usize> + 't {
        words_of(&self.text, word)
    }

    /// Whether `word` stands in it as a whole word.
    pub(crate) fn holds(&self, word: &str) -> bool {
        self.words(word).next().is_some()
    }

    pub(crate) fn file<'s>(&self, resolver: &Resolver<'s>) -> Option<&'s Arc<FileEntry>> {
        resolver.file(self.path.as_str())
    }

    pub(crate) fn current(&self, resolver: &Resolver) -> Option<Rc<CurrentFile>> {
        resolver.read_file(self.file(resolver)?)
    }
}

/// Returns the bytes at which `word` stands in `text` as a whole word.
pub(crate) fn words_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        !word.is_empty() && !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    })
}
