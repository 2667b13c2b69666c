//! Where a name stands in text that is no identifier of its language: strings, comments, docs, and files of other
//! languages. Whole words only. A server's rename does not touch these; some mean the symbol and some do not, which
//! nobody can tell but the reader. Invariant: nothing here is an identifier that `resolve` judges.

use memchr::memmem;

use crate::base::cancel::Cancelled;
use crate::base::{Cancel, RelPath, Text, TextRange};
use crate::engine::View;
use crate::index::{Content, FileEntry};
use crate::ops::spot::whole_words;
use crate::ops::target::Target;
use crate::resolve;
use crate::syntax::{TextKind, text_kinds};
use crate::vfs::VfsError;

/// The most bytes of a file that is looked into.
const MAX_BYTES: u64 = 8 << 20;

/// Mentions that are kept. Further ones are not looked for: nobody reads so many, and including them is refused.
pub(super) const MAX_MENTIONS: usize = 10_000;

/// Extensions of files that are prose.
const PROSE: [&str; 8] = ["md", "markdown", "rst", "txt", "adoc", "asciidoc", "org", "tex"];

/// What a mention stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Medium {
    /// A comment of code.
    Comments,
    /// A string of code.
    Strings,
    /// A documentation comment, a docstring, a file of prose.
    Docs,
    /// A file of another language: XML, templates, configuration, code.
    OtherLanguages,
}

impl Medium {
    /// All of them.
    pub const ALL: [Medium; 4] = [Medium::Comments, Medium::Strings, Medium::Docs, Medium::OtherLanguages];

    /// As clients write it.
    pub fn name(self) -> &'static str {
        match self {
            Medium::Comments => "comments",
            Medium::Strings => "strings",
            Medium::Docs => "docs",
            Medium::OtherLanguages => "other_languages",
        }
    }
}

/// A place where the name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) path: RelPath,
    pub(super) range: TextRange,
    pub(super) medium: Medium,
}

/// What was found in the project's texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    /// In path order, then by position. A local's are those in its function.
    pub(super) found: Vec<Mention>,
    /// Files that are too large to be looked into.
    pub(super) unsearched: Vec<RelPath>,
}

/// All mentions of the target's name.
pub(super) fn mentions(view: &View, target: &Target, cancel: &Cancel) -> Result<Mentions, Cancelled> {
    let finder = memmem::Finder::new(target.name.as_bytes());
    let (mut found, mut unsearched) = (Vec::new(), Vec::new());
    let within = scope(target);
    for file in view.snapshot.files.iter() {
        if within.is_some() && file.path != target.at.path {
            continue;
        }
        cancel.check()?;
        let read = match view.root.read_unlinked(&file.path, MAX_BYTES) {
            Ok(read) => read,
            // Those of code that are not parsed for their size are looked through by `unseen`.
            Err(VfsError::TooLarge { .. }) if matches!(file.content, Content::Plain) => {
                unsearched.push(file.path.clone());
                continue;
            }
            Err(_) => continue,
        };
        let is_wide = read.bytes.starts_with(&[0xFF, 0xFE]) || read.bytes.starts_with(&[0xFE, 0xFF]);
        if !is_wide && finder.find(&read.bytes).is_none() {
            continue;
        }
        let Ok(text) = Text::decode(read.bytes) else { continue };
        of_file(view, target, file, &text, &mut found, cancel)?;
        if found.len() >= MAX_MENTIONS {
            found.truncate(MAX_MENTIONS);
            break;
        }
    }
    if let Some(within) = within {
        found.retain(|one| within.contains(one.range));
    }
    Ok(Mentions { found, unsearched })
}

/// The function of a local.
fn scope(target: &Target) -> Option<TextRange> {
    let (outline, row) = (target.file.outline()?, target.row);
    let row = outline.rows.get(row).filter(|row| row.is_local())?;
    Some(outline.rows.get(row.parent()?)?.range())
}

fn of_file(
    view: &View,
    target: &Target,
    file: &FileEntry,
    text: &Text,
    found: &mut Vec<Mention>,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let name = &target.name;
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let range = |at: usize| u32::try_from(at).ok().map(|at| TextRange::new(at, at.saturating_add(length)));
    let places: Vec<TextRange> = whole_words(text.as_str(), name).filter_map(range).collect();
    let mut push = |range, medium| found.push(Mention { path: file.path.clone(), range, medium });
    let (Some(grammar), true) = (file.grammar(), resolve::share_names(file, &target.file)) else {
        let is_prose = file.path.extension().is_some_and(|extension| PROSE.contains(&extension));
        let is_own = view.languages.language_of(&file.path) == target.language && target.language.is_some();
        if !is_own {
            let medium = if is_prose { Medium::Docs } else { Medium::OtherLanguages };
            places.into_iter().for_each(|range| push(range, medium));
        }
        return Ok(());
    };
    let Ok(current) = view.current(file) else { return Ok(()) };
    let identifiers: Vec<u32> = current.outline.occurrences.offsets_of(name).collect();
    let others: Vec<TextRange> =
        places.into_iter().filter(|range| identifiers.binary_search(&range.start).is_err()).collect();
    if others.is_empty() {
        return Ok(());
    }
    // Parsed here: of this very text a worker has made the outline.
    if current.text.as_str() != text.as_str() {
        return Ok(());
    }
    let kinds = text_kinds(grammar, text.as_str(), &others, cancel).unwrap_or_default();
    cancel.check()?;
    for (range, kind) in others.into_iter().zip(kinds) {
        match kind {
            TextKind::Comment => push(range, Medium::Comments),
            TextKind::Doc => push(range, Medium::Docs),
            TextKind::String => push(range, Medium::Strings),
            TextKind::Code => {}
        }
    }
    Ok(())
}
