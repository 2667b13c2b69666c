//! Occurrences of a name in text that is not an identifier of its language: strings, comments, docs, and
//! files of other languages. Whole words only. A server's rename does not touch these; some mean the symbol
//! and some do not, which only a reader can decide. Invariant: none of these is an identifier that `resolve`
//! judges.

use memchr::memmem;

use super::examples;
use super::in_strings;
use super::linked::LinkedSymbol;
use super::name_in_string::NameInString;
use crate::spot::whole_words;
use crate::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text, TextRange};
use symd_engine::View;
use symd_index::{Content, FileEntry, NeededWords};
use symd_resolve::{self as resolve, StringName};
use symd_syntax::{Matching, SymbolKind, TextKind, text_kinds};
use symd_vfs::VfsError;

/// Maximum number of bytes of a file that is searched.
const MAX_BYTES: u64 = 8 << 20;

/// Maximum number of mentions kept. The search ends there: nobody reads so many, and including them is
/// rejected.
pub(super) const MAX_MENTIONS: usize = 10_000;

/// Extensions of prose files.
const PROSE: [&str; 8] = ["md", "markdown", "rst", "txt", "adoc", "asciidoc", "org", "tex"];

/// Files in which package managers list what a project depends on: what they name are packages of others.
const LOCK_FILES: [&str; 11] = [
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "bun.lock",
    "composer.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];

/// The kind of text that holds a mention.
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
    pub const ALL: [Medium; 4] = [Medium::Comments, Medium::Strings, Medium::Docs, Medium::OtherLanguages];

    /// Returns the name that clients use.
    pub fn name(self) -> &'static str {
        match self {
            Medium::Comments => "comments",
            Medium::Strings => "strings",
            Medium::Docs => "docs",
            Medium::OtherLanguages => "other_languages",
        }
    }
}

/// An occurrence of the name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) path: RelPath,
    pub(super) range: TextRange,
    pub(super) medium: Medium,
    /// Whether the program may look the symbol up by it: a string that consists of the name, or of a path
    /// with it, or that reads like code; anything in a file of another language.
    pub(super) may_be_looked_up: bool,
    /// Whether it is a string of Python by which a dictionary is made or asked: `{"name": 1}`, `x["name"]`.
    pub(super) is_key: bool,
    /// Whether it is a string that names nothing but this symbol: its path, or a name of several words.
    pub(super) is_its_name: bool,
    /// Whether it is renamed though nothing proves that it means the symbol: code in a string that overrides
    /// or uses it, a type's name at the beginning of a string, as programs print it.
    pub(super) is_likely_mention: bool,
    /// Whether it is a string, or a link or an example in documentation, that is known to name the symbol, so that it must be
    /// renamed.
    pub(super) is_certain_mention: bool,
    /// Whether it is code in an example of Python's documentation (`>>> run()`), which tests may run.
    pub(super) is_in_example: bool,
}

/// The mentions in the project's texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    /// Mentions in path order, then by position. For a local, or a declaration in a test function, those in
    /// that function only.
    pub(super) found: Vec<Mention>,
    /// Files that are too large to be searched.
    pub(super) unsearched: Vec<RelPath>,
}

/// Finds all mentions of the symbol's name.
pub(super) fn mentions(view: &View, symbol: &LinkedSymbol, cancel: &Cancel) -> Result<Mentions, Cancelled> {
    let target = &symbol.target;
    let finder = memmem::Finder::new(target.name.as_bytes());
    let (mut found, mut unsearched) = (Vec::new(), Vec::new());
    let within = scope(symbol);
    let needed = NeededWords::of_name_path(&target.name, Matching::Substring);
    let files = &view.snapshot.files;
    let own = within.is_some().then(|| files.within(&target.at.path));
    let all = within.is_none().then(|| files.with_words(needed));
    for file in own.into_iter().flatten().chain(all.into_iter().flatten()) {
        cancel.check()?;
        let read = match view.files.read_no_follow(&file.path, MAX_BYTES) {
            Ok(read) => read,
            // Code files that are not parsed because of their size are searched by `unparsed`.
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
    settle_links(view, symbol, &mut found, cancel)?;
    if !resolve::is_found_by_name(view, &target.resolved()) {
        found.iter_mut().for_each(|one| (one.may_be_looked_up, one.is_its_name) = (false, false));
    }
    // Dictionaries of variables are told for themselves.
    if resolve::is_variable_of_function(view, &target.resolved(), cancel) {
        let keys = found.iter_mut().filter(|one| one.is_key);
        keys.for_each(|one| (one.may_be_looked_up, one.is_its_name) = (false, false));
    }
    settle_strings(view, symbol, &mut found, cancel)?;
    in_strings::note_overrides(view, symbol, &mut found);
    Ok(Mentions { found, unsearched })
}

/// Marks the strings that are known to name the symbol, and those that name something else.
fn settle_strings(
    view: &View,
    symbol: &LinkedSymbol,
    found: &mut [Mention],
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let mut strings: Vec<&mut Mention> =
        found.iter_mut().filter(|one| one.medium == Medium::Strings).collect();
    let places: Vec<(RelPath, TextRange)> = strings.iter().map(|one| (one.path.clone(), one.range)).collect();
    let named = resolve::string_names(view, &symbol.resolved(), &places, cancel)?;
    for (one, named) in strings.iter_mut().zip(named) {
        match named {
            StringName::Symbol => one.is_certain_mention = true,
            StringName::Other => (one.may_be_looked_up, one.is_its_name) = (false, false),
            StringName::Unknown => {}
        }
    }
    Ok(())
}

/// Marks the links in documentation that mean the symbol, and drops those that mean another: including docs must not change them.
fn settle_links(
    view: &View,
    symbol: &LinkedSymbol,
    found: &mut Vec<Mention>,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let in_docs = found.iter().filter(|one| one.medium == Medium::Docs);
    let places: Vec<(RelPath, TextRange)> = in_docs.map(|one| (one.path.clone(), one.range)).collect();
    let mut meant = resolve::doc_links(view, &symbol.resolved(), &places, cancel)?.into_iter();
    found.retain_mut(|one| {
        let link = if one.medium == Medium::Docs { meant.next() } else { None };
        one.is_certain_mention |= link == Some(StringName::Symbol);
        link != Some(StringName::Other)
    });
    Ok(())
}

/// Returns the function of a local, or the test function that holds all of the symbol.
fn scope(symbol: &LinkedSymbol) -> Option<TextRange> {
    let target = &symbol.target;
    if let Some((_, test)) = resolve::enclosing_test(&symbol.resolved()) {
        return Some(test);
    }
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
    let is_python = target.file.grammar().is_some_and(|grammar| grammar.name() == "python");
    let mut push = |range, medium| {
        let here = NameInString::new(text.as_str(), range);
        let is_type = resolve::is_type(target.symbol.kind);
        let is_in_example = is_python && medium == Medium::Docs && examples::holds(text.as_str(), range);
        let is_plain = medium == Medium::Strings
            && (is_no_name(target) || resolve::is_plain_string(file, text.as_str(), range));
        let may_be_looked_up = match medium {
            _ if is_plain => false,
            Medium::Comments => false,
            Medium::Docs => is_in_example,
            Medium::Strings => {
                here.is_path()
                    || here.reads_like_code()
                    || is_type && here.is_shown()
                    || here.is_filled_by_name(text.as_str())
                    || here.is_split()
            }
            Medium::OtherLanguages => !LOCK_FILES.contains(&file.path.file_name()),
        };
        let is_own = file.path == target.at.path && target.range.contains(range);
        let is_key = is_python && medium == Medium::Strings && here.is_key();
        let is_given = || {
            let is_method = target.symbol.kind == SymbolKind::Method;
            file.path == target.at.path && is_method && here.is_argument()
        };
        // The output that tests expect.
        let is_likely_mention = medium == Medium::Strings && is_type && here.is_title();
        let is_its_name =
            medium == Medium::Strings && !is_plain && !is_own && (here.is_name_of(target) || is_given());
        found.push(Mention {
            path: file.path.clone(),
            range,
            medium,
            may_be_looked_up,
            is_key,
            is_its_name,
            is_likely_mention,
            is_certain_mention: is_in_example && examples::uses(text.as_str(), range, (file, target)),
            is_in_example,
        });
    };
    let (Some(grammar), true) = (file.grammar(), resolve::files_share_names(file, &target.file)) else {
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
    // Parsed in this process: a worker has made the outline of this very text.
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

/// Whether no program can look the target up: an interface of TypeScript is gone when it runs.
fn is_no_name(target: &Target) -> bool {
    let grammar = target.file.grammar().map(|grammar| grammar.name());
    target.symbol.kind == SymbolKind::Interface && matches!(grammar, Some("typescript" | "tsx"))
}
