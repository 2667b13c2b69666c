//! Places in files: those that servers point at, validated against the current text, and those that syntax
//! found, each with its line and the enclosing symbol. Each file is read once. Invariant: a spot lies in its
//! file's text, and if a name was expected, the text there is that name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::code_kind::is_generated_file;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text, TextRange};
use symd_engine::View;
use symd_lsp::{FileRef, Span};
use symd_resolve::{self as resolve, Role};
use symd_syntax::call_site::is_called;
use symd_syntax::{Grammar, Outline, SymbolKind};

/// Maximum number of bytes kept of a line: generated files have lines of megabytes.
const MAX_LINE: usize = 2_000;

/// Maximum number of bytes read of a file outside the index to check a range.
const MAX_UNINDEXED_BYTES: u64 = 8 << 20;

/// Characters between a qualifier and a name: `a.b`, `a?.b`, `A::b`.
const QUALIFIES: [char; 4] = ['.', '?', '!', ':'];

/// A place in a file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub path: RelPath,
    /// The range in bytes.
    pub range: TextRange,
    /// 0-based line of its first byte.
    pub line: u32,
    /// The line and its neighbours, without line breaks.
    pub around: Around,
    /// The role of the occurrence, as far as its line shows.
    pub role: Role,
    /// The enclosing symbol: the innermost function or class or, outside functions, the variable or property
    /// whose statement contains the spot; `None` at the top level.
    pub inside: Option<Inside>,
    /// Whether a generator wrote the file.
    pub is_generated: bool,
}

/// A line with its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// The line before, if there is one.
    pub before: Option<String>,
    /// The line itself.
    pub line: String,
    /// The line after, if there is one.
    pub after: Option<String>,
}

/// The symbol that encloses a spot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    pub name_path: String,
    pub kind: SymbolKind,
    /// The offset of its name, in bytes.
    pub name_start: u32,
}

/// A place outside the project, whose text is not shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutsideSpot {
    pub path: PathBuf,
    /// 0-based.
    pub line: u32,
}

/// The numbers of places in a server's answer that were dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Ranges outside their file's text, or in a file that cannot be read as text.
    pub outside_text: usize,
    /// Ranges that do not hold the name.
    pub not_the_name: usize,
    /// Ranges that were reported more than once.
    pub duplicates: usize,
}

/// A server's spans after validation.
#[derive(Clone, Debug)]
pub struct Checked<P = Spot> {
    /// Spots in path order, then by offset.
    pub spots: Vec<P>,
    /// Places outside the project, in path order, then by line.
    pub outside: Vec<OutsideSpot>,
    /// What was dropped.
    pub dropped: Dropped,
}

impl<P> Default for Checked<P> {
    fn default() -> Checked<P> {
        Checked { spots: Vec::new(), outside: Vec::new(), dropped: Dropped::default() }
    }
}

/// A place of which only the range is of interest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FilePlace {
    pub(crate) path: RelPath,
    /// The range in bytes.
    pub(crate) range: TextRange,
}

/// What is kept of a place.
pub(crate) trait Placed: Send + 'static {
    /// Returns the place at a range of the text of `path`.
    fn of(source: &Source, path: &RelPath, range: TextRange) -> Self;
    fn path(&self) -> &RelPath;
    fn range(&self) -> TextRange;
}

impl Placed for Spot {
    fn of(source: &Source, path: &RelPath, range: TextRange) -> Spot {
        source.spot(path, range)
    }

    fn path(&self) -> &RelPath {
        &self.path
    }

    fn range(&self) -> TextRange {
        self.range
    }
}

impl Placed for FilePlace {
    fn of(_: &Source, path: &RelPath, range: TextRange) -> FilePlace {
        FilePlace { path: path.clone(), range }
    }

    fn path(&self) -> &RelPath {
        &self.path
    }

    fn range(&self) -> TextRange {
        self.range
    }
}

/// The text that a span must hold.
#[derive(Clone, Copy, Debug)]
pub enum Expect<'a> {
    /// One of these names.
    Names(&'a [String]),
    /// Anything.
    Anything,
}

/// Validates the places that a server points at.
pub fn check(view: &View, spans: &[Span], expect: Expect<'_>, cancel: &Cancel) -> Result<Checked, Cancelled> {
    check_places(view, spans, expect, cancel)
}

/// Like [`check`], and keeps of each place what `P` holds.
pub(crate) fn check_places<P: Placed>(
    view: &View,
    spans: &[Span],
    expect: Expect<'_>,
    cancel: &Cancel,
) -> Result<Checked<P>, Cancelled> {
    let mut checked = Checked::default();
    let mut by_file: BTreeMap<&RelPath, Vec<&Span>> = BTreeMap::new();
    for span in spans {
        match &span.file {
            FileRef::Project(path) => by_file.entry(path).or_default().push(span),
            FileRef::Outside(path) => {
                checked.outside.push(OutsideSpot { path: path.clone(), line: span.start.line });
            }
        }
    }
    checked.outside.sort();
    checked.outside.dedup();
    for (path, spans) in by_file {
        cancel.check()?;
        let Some(source) = Source::read(view, path) else {
            checked.dropped.outside_text += spans.len();
            continue;
        };
        let mut ranges = BTreeSet::new();
        for span in spans {
            let Some(range) = span.resolve(&source.text) else {
                checked.dropped.outside_text += 1;
                continue;
            };
            let range = match expect {
                Expect::Anything => Some(range),
                Expect::Names(names) if range.start == range.end => source.identifier(range.start, names),
                Expect::Names(names) => fit(source.text.as_str(), range, names),
            };
            match range {
                None => checked.dropped.not_the_name += 1,
                Some(range) if !ranges.insert(range) => checked.dropped.duplicates += 1,
                Some(_) => {}
            }
        }
        checked.spots.extend(ranges.into_iter().map(|range| P::of(&source, path, range)));
    }
    Ok(checked)
}

/// Returns the spots of ranges that syntax found, given in path order. `None` if the file changed meanwhile
/// and `name` is no longer there.
pub fn spots(
    view: &View,
    ranges: &[(RelPath, TextRange)],
    name: &str,
    cancel: &Cancel,
) -> Result<Vec<Option<Spot>>, Cancelled> {
    let mut found = Vec::with_capacity(ranges.len());
    for of_file in ranges.chunk_by(|a, b| a.0 == b.0) {
        cancel.check()?;
        let path = &of_file[0].0;
        let source = Source::read(view, path);
        found.extend(of_file.iter().map(|&(_, range)| {
            let source = source.as_ref()?;
            (source.text.slice(range) == name).then(|| source.spot(path, range))
        }));
    }
    Ok(found)
}

/// A file's text, and its outline if it has one.
pub(super) struct Source {
    pub(super) text: Text,
    pub(super) code: Option<(Option<Grammar>, Arc<Outline>)>,
    is_generated: bool,
}

impl Source {
    /// Reads a file, whether the index holds it or not.
    pub(super) fn read(view: &View, path: &RelPath) -> Option<Source> {
        let file = view.snapshot.files.get(path.as_str());
        if let Some(file) = file
            && file.outline().is_some()
        {
            let current = view.current(file).ok()?;
            let is_generated = is_generated_file(path, Some(current.text.as_str()));
            let code = Some((file.grammar(), current.outline));
            return Some(Source { text: current.text, code, is_generated });
        }
        let bytes = view.files.read_no_follow(path, MAX_UNINDEXED_BYTES).ok()?.bytes;
        Some(Source {
            text: Text::decode(bytes).ok()?,
            code: None,
            is_generated: is_generated_file(path, None),
        })
    }

    /// Returns the identifier among `names` that an empty range at `start` leads to. Servers that search the
    /// text (kmp-lsp 0.27) report only where a match begins, at a qualifier if there is one, and report
    /// comments and strings too: what syntax does not know as an identifier is not accepted.
    fn identifier(&self, start: u32, names: &[String]) -> Option<TextRange> {
        let text = self.text.as_str();
        let rest = text.get(start as usize..)?;
        let of_length = |length: usize| Some(TextRange::new(start, start + u32::try_from(length).ok()?));
        let first = of_length(rest.find(|c| !is_word_char(c)).unwrap_or(rest.len()))?;
        let chain = rest.find(|c| !is_word_char(c) && !QUALIFIES.contains(&c)).unwrap_or(rest.len());
        let range = fit(text, first, names).or_else(|| fit(text, of_length(chain)?, names))?;
        let Some((_, outline)) = &self.code else { return Some(range) };
        outline.occurrences.offsets_of(self.text.slice(range)).any(|at| at == range.start).then_some(range)
    }

    pub(super) fn spot(&self, path: &RelPath, range: TextRange) -> Spot {
        let line = self.text.line_column(range.start).line;
        let at = line as usize;
        let text_of = |line: usize| self.text.line(line).map(cut);
        Spot {
            path: path.clone(),
            range,
            line,
            around: Around {
                before: at.checked_sub(1).and_then(text_of),
                line: text_of(at).unwrap_or_default(),
                after: text_of(at + 1),
            },
            role: self.role(range),
            inside: self.inside(range.start),
            is_generated: self.is_generated,
        }
    }

    /// Returns the role of the name at `range`; does not recognize declarations.
    pub(super) fn role(&self, range: TextRange) -> Role {
        let Some((Some(grammar), outline)) = &self.code else { return Role::Use };
        if outline.imports.statements().any(|statement| statement.contains(range)) {
            Role::Import
        } else if is_called(*grammar, self.text.as_str(), range) {
            Role::Call
        } else {
            Role::Use
        }
    }

    pub(super) fn inside(&self, offset: u32) -> Option<Inside> {
        let (_, outline) = self.code.as_ref()?;
        let row = resolve::attributed_row(outline, offset)?;
        Some(Inside {
            name_path: outline.name_path(row),
            kind: outline.rows[row].kind(),
            name_start: outline.rows[row].name_start,
        })
    }
}

fn cut(line: &str) -> String {
    if line.len() <= MAX_LINE {
        return line.to_owned();
    }
    let end = (0..=MAX_LINE).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
    format!("{}…", &line[..end])
}

/// Returns the place of one of `names` in `range`: the whole range, or its only occurrence in it (servers
/// begin ranges at a qualifier, or include arguments; kmp-lsp's are empty), or a whole identifier that the
/// file imports the name as.
fn fit(text: &str, range: TextRange, names: &[String]) -> Option<TextRange> {
    let range = if range.start == range.end { widened(text, range.start) } else { range };
    let covered = text.get(range.as_range())?;
    if names.iter().any(|name| name == covered) {
        return Some(range);
    }
    let only = names.iter().find_map(|name| only_word(covered, name));
    if let Some((from, to)) = only {
        let offset = |at: usize| u32::try_from(at).ok().map(|at| range.start + at);
        return Some(TextRange::new(offset(from)?, offset(to)?));
    }
    let is_word = !covered.is_empty() && covered.chars().all(is_word_char);
    let is_alias = || names.iter().any(|name| renames(text, name, covered));
    (is_word && is_alias()).then_some(range)
}

/// Returns the range from a place to the end of the dotted name that begins there.
fn widened(text: &str, start: u32) -> TextRange {
    let rest = text.get(start as usize..).unwrap_or_default();
    let length = rest.find(|c: char| !is_word_char(c) && c != '.').unwrap_or(rest.len());
    TextRange::new(start, start.saturating_add(u32::try_from(length).unwrap_or(0)))
}

/// Returns the range of `word` in `text` if it occurs exactly once as a whole word.
pub(super) fn only_word(text: &str, word: &str) -> Option<(usize, usize)> {
    let mut places = whole_words(text, word);
    match (places.next(), places.next()) {
        (Some(at), None) => Some((at, at + word.len())),
        _ => None,
    }
}

/// Whether `text` contains `name as alias`, as Python, Kotlin, TypeScript and Rust rename imports.
fn renames(text: &str, name: &str, alias: &str) -> bool {
    whole_words(text, name).any(|at| {
        let mut words = text[at + name.len()..].split_whitespace();
        words.next() == Some("as")
            && words.next().is_some_and(|word| word.trim_end_matches([',', ';', ')', '}']) == alias)
    })
}

/// Returns the offsets at which `word` occurs in `text` as a whole word.
pub(super) fn whole_words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let places = text.match_indices(word).map(|(at, _)| at).filter(move |_| !word.is_empty());
    places.filter(move |&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_word_char) && !after.is_some_and(is_word_char)
    })
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted<'a>(text: &'a str, covered: &str, name: &str) -> Option<&'a str> {
        let at = u32::try_from(text.find(covered).expect("in it")).expect("short");
        let end = at + u32::try_from(covered.len()).expect("short");
        fit(text, TextRange::new(at, end), &[name.to_owned()]).map(|range| &text[range.as_range()])
    }

    #[test]
    fn a_range_is_taken_where_the_name_stands() {
        assert_eq!(fitted("x = a.run()", "run", "run"), Some("run"));
        assert_eq!(fitted("x = a.run()", "a.run", "run"), Some("run"));
        assert_eq!(fitted("x = a.run()", "a.run()", "run"), Some("run"));
        assert_eq!(fitted("f(run, run)", "run, run", "run"), None, "which one?");
        assert_eq!(fitted("x = a.rerun()", "a.rerun", "run"), None, "a part of a word");
        assert_eq!(fitted("x = a.run()", "x = a", "run"), None);
        assert_eq!(fitted("a + b", "+", "plus"), None);
    }

    fn led_to<'a>(text: &'a str, before: &str, name: &str) -> Option<&'a str> {
        let grammar = Grammar::named("kotlin").expect("known");
        let outline = symd_syntax::outline(grammar, text, &Cancel::new()).expect("Kotlin");
        let source = Source {
            text: Text::decode(text.as_bytes().to_vec()).expect("text"),
            code: Some((Some(grammar), Arc::new(outline))),
            is_generated: false,
        };
        let at = u32::try_from(text.find(before).expect("in it")).expect("short");
        source.identifier(at, &[name.to_owned()]).map(|range| &text[range.as_range()])
    }

    #[test]
    fn an_empty_range_leads_to_an_identifier_only() {
        let text = "// Run it\nval a = \"Run\"\nfun f(x: Run) = Outer.Run()?.Run.also { Runner() }\n";
        assert_eq!(led_to(text, "Run)", "Run"), Some("Run"));
        assert_eq!(led_to(text, "Outer", "Outer"), Some("Outer"));
        assert_eq!(led_to("val b = Outer.Run()", "Outer", "Run"), Some("Run"), "behind its qualifier");
        assert_eq!(led_to(text, "Runner", "Run"), None, "a part of a word");
        assert_eq!(led_to(text, "Run it", "Run"), None, "a comment");
        assert_eq!(led_to(text, "Run\"", "Run"), None, "a string");
        assert_eq!(led_to(text, " = ", "Run"), None);
    }

    #[test]
    fn an_empty_range_stands_for_the_name_that_begins_there() {
        let text = "x = a.run() + rerun()";
        let at = |offset| fit(text, TextRange::new(offset, offset), &["run".to_owned()]);
        assert_eq!(at(6), Some(TextRange::new(6, 9)));
        assert_eq!(at(4), Some(TextRange::new(6, 9)), "from its qualifier");
        assert_eq!(at(14), None, "another name");
        assert_eq!(at(9), None, "nothing begins there");
        assert_eq!(fit(text, TextRange::new(21, 21), &["run".to_owned()]), None, "the end");
    }

    #[test]
    fn a_name_may_be_imported_under_another() {
        let text = "from m import (run as go, x)\ngo()\nno()\n";
        assert_eq!(fitted(text, "go()", "run"), None);
        assert_eq!(fitted(text, "go", "run"), Some("go"));
        assert_eq!(fitted(text, "no", "run"), None);
    }
}
