//! Resolves the symbol that a question is about, by name path and place: the only one, or the overloads of
//! one name if the question is about all of them. Invariant: otherwise the error shows the alternatives.

use std::sync::Arc;

use super::find_symbol::{self, SymbolError};
use super::naming::{Interpretation, are_overloads, entity, interpret};
use super::symbol::{Detail, Symbol, signature_of, symbol};
use super::unsearched::{self, UnsearchedFiles};
use symd_base::{Cancel, ContentHash, RelPath, Text, TextRange};
use symd_config::{LanguageId, Languages};
use symd_engine::View;
use symd_index::{Content, FileEntry, Hit, Locals, Query};
use symd_lsp::DocumentPosition;
use symd_resolve as resolve;
use symd_syntax::name_path::Matching;
use symd_syntax::{NamePattern, NamePatternError, SymbolKind};

/// Maximum number of similar names shown if no symbol has the requested name.
pub const SIMILAR: usize = 5;

/// A symbol as a client names it.
#[derive(Clone, Debug)]
pub struct SymbolSelector {
    pub name_path: String,
    /// The file (or `file:line`, 1-based) or directory that contains it; empty for the whole project.
    pub relative_path: String,
    /// Whether parameters and local variables match too.
    pub locals: Locals,
    /// What happens if several declarations have the name path.
    pub several: AmbiguityPolicy,
    pub reading: Reading,
}

/// How a name is interpreted that is not a name path of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Only as a name path; the error reports what else it may mean. In Rust `Type/method` also names what an
    /// `impl` of the type declares, in Go a method of the type.
    Literal,
    /// In other ways too: `Flask.run`, `flask.app.Flask`, `Flask/run()`, an extension by its receiver. The
    /// target reports which.
    Free,
}

/// What happens if several declarations have the name path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmbiguityPolicy {
    /// It is rejected: the client has to choose one.
    Rejected,
    /// It is accepted if they are one entity ([`Project::declarations`](super::Project::declarations)): the
    /// first represents them.
    OneEntity,
    /// It is accepted if they are overloads in one container, or one entity: all are used together.
    Overloads,
}

/// A resolved symbol.
#[derive(Clone, Debug)]
pub struct Target {
    /// The file, as of the question.
    pub file: Arc<FileEntry>,
    /// The row in the file's outline.
    pub row: usize,
    /// The symbol as answers show it.
    pub symbol: Symbol,
    /// The position of the name, for requests to servers.
    pub at: DocumentPosition,
    /// The whole declaration, in bytes.
    pub range: TextRange,
    /// The name, in bytes.
    pub name_range: TextRange,
    /// The simple name: the text at `name_range`, but for Kotlin's unnamed companions, which code calls `Companion`.
    pub name: String,
    /// The language; `None` if no language has such files.
    pub language: Option<LanguageId>,
    /// What the name was read as, if it is not a name path of the project.
    pub read_as: Option<String>,
}

/// The answer for one symbol, or for several overloads of a name with equal answers.
#[derive(Clone, Debug)]
pub struct OverloadAnswer<T> {
    /// The overloads, in path order, then by position; with their signatures if the name has several.
    pub targets: Vec<Target>,
    /// The answer.
    pub answer: T,
}

impl<T> OverloadAnswer<T> {
    /// Adds the answer for `of`, which shares an entry with others if `is_same` holds for their answers.
    pub(super) fn add(all: &mut Vec<Self>, of: Vec<Target>, found: T, is_same: fn(&T, &T) -> bool) {
        match all.iter_mut().find(|known| is_same(&known.answer, &found)) {
            Some(known) => known.targets.extend(of),
            None => all.push(OverloadAnswer { targets: of, answer: found }),
        }
    }
}

/// Files that may hold a symbol that was not found.
#[derive(Debug)]
pub struct SearchGaps {
    /// Files that were not searched.
    pub unread: UnsearchedFiles,
    /// Files that their language servers have not outlined yet, and why: one clause each.
    pub not_outlined: Vec<String>,
}

/// Why no single symbol was resolved.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The pattern is invalid.
    #[error(transparent)]
    Pattern(#[from] NamePatternError),
    /// The place cannot be used.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
    /// There is no such symbol.
    #[error("No symbol matching '{pattern}' found")]
    None {
        /// The requested name path.
        pattern: String,
        /// Symbols of that name elsewhere, the most likely first.
        elsewhere: Vec<Symbol>,
        /// Similar names, if there is no such symbol.
        similar: Vec<String>,
        /// Whether files are still being read that may hold other similar names.
        similar_may_lack: bool,
        /// Files that may hold it.
        gaps: Box<SearchGaps>,
        /// What the name means if it is not read as a name path, if the request did not allow that.
        meant: Vec<Symbol>,
    },
    /// Several symbols match.
    #[error("{} symbols match '{pattern}'", candidates.len())]
    Several {
        /// The requested name path.
        pattern: String,
        /// All of them, in path order, then by position.
        candidates: Vec<Symbol>,
    },
}

impl Target {
    /// Returns the same symbol in the terms of `resolve`.
    pub fn resolved(&self) -> resolve::IndexedDeclaration {
        resolve::IndexedDeclaration { file: self.file.clone(), row: self.row }
    }

    /// Whether it may have declarations apart from its definition: C, C++.
    pub fn has_prototypes(&self) -> bool {
        resolve::has_prototypes(&self.file)
    }

    /// Returns the spellings that a use of it may have: its name, and for a constructor that of its class.
    pub fn spellings(&self) -> Vec<String> {
        let mut names = vec![self.name.clone()];
        if self.symbol.kind == SymbolKind::Constructor
            && let Some(class) = self.symbol.name_path.rsplit('/').nth(1)
        {
            names.push(class.split('[').next().unwrap_or(class).to_owned());
        }
        names
    }

    /// Returns the symbol in row `row` of `file`.
    pub(super) fn new(
        view: &View,
        languages: &Languages,
        file: &Arc<FileEntry>,
        row: usize,
    ) -> Option<Target> {
        let Content::Code { hash, .. } = &file.content else { return None };
        let outline = file.outline()?;
        let this = outline.rows.get(row)?;
        let (name, length) = written_name(view, file, *hash, this.name_start, outline.name(this));
        let language =
            languages.language_of(&file.path).or_else(|| languages.by_name(file.grammar()?.name()));
        let at = DocumentPosition {
            path: file.path.clone(),
            offset: this.name_start,
            hash: *hash,
            revision: view.snapshot.revision,
        };
        Some(Target {
            symbol: symbol(&file.path, outline, row, Detail { depth: 0, text: None }),
            at,
            range: this.range(),
            name_range: TextRange::new(this.name_start, this.name_start.saturating_add(length)),
            name,
            language,
            read_as: None,
            file: file.clone(),
            row,
        })
    }

    /// Whether both are the same declaration.
    pub(super) fn is_same(&self, other: &Target) -> bool {
        self.at.path == other.at.path && self.name_range == other.name_range
    }

    /// Adds the signature, which distinguishes overloads.
    pub(super) fn with_signature(mut self, view: &View) -> Target {
        self.symbol.signature = signature_of(view, &self.file, self.row);
        self
    }
}

impl SymbolSelector {
    /// Returns a selector for the only symbol of this name path at this path, without parameters and local
    /// variables.
    pub fn only(name_path: &str, relative_path: &str) -> SymbolSelector {
        SymbolSelector {
            name_path: name_path.to_owned(),
            relative_path: relative_path.to_owned(),
            locals: Locals::Excluded,
            several: AmbiguityPolicy::Rejected,
            reading: Reading::Literal,
        }
    }

    /// Rejects a name path or a path that is invalid whatever the project holds.
    pub fn check(&self) -> Result<(), TargetError> {
        NamePattern::parse(&self.name_path, Matching::Exact)?;
        RelPath::new(&self.relative_path).map_err(|error| SymbolError::Locate(error.into()))?;
        Ok(())
    }
}

/// Finds the one symbol.
pub fn target(
    view: &View,
    languages: &Languages,
    wanted: &SymbolSelector,
    cancel: &Cancel,
) -> Result<Target, TargetError> {
    let named = Matches::find(view, wanted, cancel)?;
    let hits = named.of_one_thing(view, wanted, cancel)?;
    let first = hits.first().and_then(|hit| named.target(view, languages, hit));
    first.ok_or_else(|| named.several(view, wanted))
}

/// Finds the one symbol or, if requested, all declarations of the name that are one entity, in path order,
/// then by position. Never returns an empty list.
pub fn declarations(
    view: &View,
    languages: &Languages,
    wanted: &SymbolSelector,
    cancel: &Cancel,
) -> Result<Vec<Target>, TargetError> {
    let named = Matches::find(view, wanted, cancel)?;
    let hits = named.of_one_thing(view, wanted, cancel)?;
    let all: Option<Vec<Target>> = hits.iter().map(|hit| named.target(view, languages, hit)).collect();
    all.filter(|all| !all.is_empty()).ok_or_else(|| named.several(view, wanted))
}

/// Finds the symbols that a question about a name concerns, in path order, then by position: one or, if
/// requested, all overloads of the name in their container, with their signatures.
pub fn targets(
    view: &View,
    languages: &Languages,
    wanted: &SymbolSelector,
    cancel: &Cancel,
) -> Result<Vec<Target>, TargetError> {
    if wanted.several == AmbiguityPolicy::Overloads {
        let named = Matches::find(view, wanted, cancel)?;
        let hits = named.of_this_path(&wanted.name_path);
        let is_one = || entity::are_same_entity(view, &hits, cancel).map_err(SymbolError::from);
        if hits.len() > 1 && (are_overloads(view, &hits) || is_one()?) {
            let target = |hit: &Hit| Some(named.target(view, languages, hit)?.with_signature(view));
            return Ok(hits.iter().filter_map(target).collect());
        }
    }
    Ok(vec![target(view, languages, wanted, cancel)?])
}

/// Leaves out the constructors that C++ defines outside of a class, where the class itself is among the symbols: both have
/// the class's name path, which means the class.
fn without_outside_constructors(mut hits: Vec<Hit>) -> Vec<Hit> {
    let declared = |hit: &Hit| resolve::IndexedDeclaration { file: hit.file.clone(), row: hit.row };
    let is_class = |hit: &Hit| declared(hit).row().is_some_and(|(_, row)| resolve::is_type(row.kind()));
    if hits.iter().any(is_class) {
        hits.retain(|hit| !resolve::is_outside_constructor(&declared(hit)));
    }
    hits
}

/// The matches of a name; never empty.
struct Matches {
    hits: Vec<Hit>,
    read_as: Option<String>,
}

impl Matches {
    fn find(view: &View, wanted: &SymbolSelector, cancel: &Cancel) -> Result<Matches, TargetError> {
        let pattern = NamePattern::parse(&wanted.name_path, Matching::Exact)?;
        let (path, line) = with_line(view, &wanted.relative_path);
        let query =
            Query { scope: find_symbol::scope(view, path)?, ..Query::in_project(pattern, wanted.locals) };
        let on_line = |hit: &Hit| line.is_none_or(|line| begins_on(hit, line));
        let mut hits = view.snapshot.find(&query, cancel).map_err(SymbolError::from)?;
        hits.retain(on_line);
        if !hits.is_empty() {
            return Ok(Matches { hits: without_outside_constructors(hits), read_as: None });
        }
        let other = interpret(view, &query, &wanted.name_path, cancel).map_err(SymbolError::from)?;
        let is_accepted =
            other.as_ref().is_some_and(|other| wanted.reading == Reading::Free || other.is_of_type);
        let mut meant = match other {
            Some(Interpretation { hits, meaning, .. }) => Matches { hits, read_as: Some(meaning) },
            None => Matches { hits: Vec::new(), read_as: None },
        };
        meant.hits.retain(on_line);
        if is_accepted && !meant.hits.is_empty() {
            return Ok(meant);
        }
        let meant = meant.hits.iter().filter_map(|hit| shown(view, hit)).collect();
        Err(none(view, &query, &wanted.name_path, meant, cancel)?)
    }

    /// Returns the only match, or all matches if they are one entity and that is requested.
    fn of_one_thing(
        &self,
        view: &View,
        wanted: &SymbolSelector,
        cancel: &Cancel,
    ) -> Result<&[Hit], TargetError> {
        if let Some(hit) = the_one(&self.hits, &wanted.name_path) {
            return Ok(std::slice::from_ref(hit));
        }
        let is_one = wanted.several != AmbiguityPolicy::Rejected
            && entity::are_same_entity(view, &self.hits, cancel).map_err(SymbolError::from)?;
        if is_one { Ok(&self.hits) } else { Err(self.several(view, wanted)) }
    }

    /// Returns the matches whose whole name path, except for their own index, is `pattern`; all matches if
    /// there are none.
    fn of_this_path(&self, pattern: &str) -> Vec<Hit> {
        let pattern = bare(pattern);
        let is_whole = |hit: &&Hit| {
            let Some(outline) = hit.file.outline() else { return false };
            let path = outline.name_path(hit.row);
            let is_indexed = outline.rows[hit.row].index > 0;
            path.rsplit_once('[').map_or(&*path, |(name, _)| if is_indexed { name } else { &path }) == pattern
        };
        let whole: Vec<Hit> = self.hits.iter().filter(is_whole).cloned().collect();
        if whole.is_empty() { self.hits.clone() } else { whole }
    }

    fn target(&self, view: &View, languages: &Languages, hit: &Hit) -> Option<Target> {
        let target = Target::new(view, languages, &hit.file, hit.row)?;
        Some(Target { read_as: self.read_as.clone(), ..target })
    }

    fn several(&self, view: &View, wanted: &SymbolSelector) -> TargetError {
        let candidates = self.hits.iter().filter_map(|hit| shown(view, hit)).collect();
        TargetError::Several { pattern: wanted.name_path.clone(), candidates }
    }
}

/// Returns a pattern without the slashes around it.
fn bare(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
    pattern.strip_suffix('/').unwrap_or(pattern)
}

/// Splits `src/a.ts:12` into `src/a.ts` and its line 12, 0-based; a file that has this very name is not
/// split. Symbols of different kinds may share file and name path (TypeScript's interface and constant,
/// Java's field and method).
pub(super) fn with_line<'a>(view: &View, relative_path: &'a str) -> (&'a str, Option<u32>) {
    let split = || {
        let (path, line) = relative_path.rsplit_once(':')?;
        let line = line.parse::<u32>().ok()?.checked_sub(1)?;
        Some((path, Some(line)))
    };
    match view.snapshot.files.get(relative_path) {
        Some(_) => (relative_path, None),
        None => split().unwrap_or((relative_path, None)),
    }
}

fn begins_on(hit: &Hit, line: u32) -> bool {
    let row = hit.file.outline().and_then(|outline| outline.rows.get(hit.row));
    row.is_some_and(|row| row.start_line <= line && line <= row.name_line)
}

/// Returns the only hit, or the only one whose whole name path is the pattern.
fn the_one<'a>(hits: &'a [Hit], pattern: &str) -> Option<&'a Hit> {
    if let [only] = hits {
        return Some(only);
    }
    let pattern = bare(pattern);
    let is_whole =
        |hit: &&Hit| hit.file.outline().is_some_and(|outline| outline.name_path(hit.row) == pattern);
    let mut whole = hits.iter().filter(is_whole);
    match (whole.next(), whole.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Returns a candidate, with its signature.
fn shown(view: &View, hit: &Hit) -> Option<Symbol> {
    let outline = hit.file.outline()?;
    let plain = symbol(&hit.file.path, outline, hit.row, Detail { depth: 0, text: None });
    Some(Symbol { signature: signature_of(view, &hit.file, hit.row), ..plain })
}

fn none(
    view: &View,
    query: &Query,
    pattern: &str,
    meant: Vec<Symbol>,
    cancel: &Cancel,
) -> Result<TargetError, TargetError> {
    let elsewhere = find_symbol::excluded_candidates(view, query, cancel)?;
    let similar = if elsewhere.is_empty() {
        view.snapshot.similar_names(query.pattern.last_name(), SIMILAR)
    } else {
        Vec::new()
    };
    let unread = unsearched::unsearched_for_query(view, query, 0, cancel).map_err(SymbolError::from)?;
    let gaps = Box::new(SearchGaps { unread, not_outlined: Vec::new() });
    let pattern = pattern.to_owned();
    let similar_may_lack = elsewhere.is_empty() && !view.snapshot.files.is_complete();
    Ok(TargetError::None { pattern, elsewhere, similar, similar_may_lack, gaps, meant })
}

/// Returns the text at a row's name, and its length. A composed name (`impl Display for Size`) does not occur
/// there as a whole: then returns the identifier that does.
fn written_name(view: &View, file: &FileEntry, hash: ContentHash, at: u32, name: &str) -> (String, u32) {
    let length = |name: &str| u32::try_from(name.len()).unwrap_or(0);
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    let composed = || {
        let current = view.current(file).ok().filter(|current| current.hash == hash)?;
        let written = identifier_at(&current.text, at);
        (!current.text.as_str().get(at as usize..)?.starts_with(name) && !written.is_empty())
            .then(|| written.to_owned())
    };
    // Code calls an unnamed companion by the name that its text lacks.
    match (!is_plain).then(composed).flatten() {
        Some(written) => {
            let long = length(&written);
            (written, long)
        }
        None => (name.to_owned(), length(name)),
    }
}

/// Returns the identifier that begins at `offset`; empty if there is none.
pub(super) fn identifier_at(text: &Text, offset: u32) -> &str {
    let rest = text.as_str().get(offset as usize..).unwrap_or("");
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    &rest[..end]
}

/// Returns the symbol whose name is at `offset` of `path`, if one is declared there.
pub(super) fn declared_at(view: &View, languages: &Languages, path: &RelPath, offset: u32) -> Option<Target> {
    let file = view.snapshot.files.get(path.as_str())?;
    let outline = file.outline()?;
    let row = outline.rows.iter().position(|row| row.name_start == offset)?;
    Target::new(view, languages, file, row)
}
