//! Finding symbols by name path, with their bodies, children and first lines on request. Results in path order,
//! then by position. Not a text search. Invariant: a body and the lines given with it belong to the same text.

use std::sync::Arc;

use super::naming::{Understood, understood};
use super::symbol::{Detail, Lettering, Symbol, signature_of, symbol};
use super::unread::{self, Unread};
use crate::view_tree::ViewTree;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, ContentHash, RelPath, Text, TextRange};
use symd_engine::{CurrentError, View};
use symd_files::tree::{LocateError, Located};
use symd_index::{FileEntry, Hit, Query, Scope};
use symd_syntax::NamePattern;
use symd_syntax::name_path::Matching;
use symd_vfs::{EntryKind, VfsError};

/// What is asked.
#[derive(Clone, Debug)]
pub struct FindSymbol {
    /// Which symbols.
    pub query: Query,
    /// Whether to give their text.
    pub bodies: Bodies,
    /// Among how many symbols at most, children not counted, to give signatures; 0 to give none.
    pub signatures: usize,
    /// Levels of children to give.
    pub depth: usize,
}

/// Whether the text of the symbols is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    /// It is.
    Included,
    /// It is not.
    LeftOut,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct FoundSymbols {
    /// In path order, then by position.
    pub symbols: Vec<Symbol>,
    /// The files that bodies were cut from, and the state they were in.
    pub read: Vec<(RelPath, ContentHash)>,
    /// What was not looked into and may hold more.
    pub unread: Unread,
    /// What the name was read as, where that is no name path of the project.
    pub read_as: Option<String>,
    /// The index revision that the answer reflects (at least).
    pub revision: u64,
}

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub enum SymbolError {
    /// The path is of no use.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// A file was meant.
    #[error("Expected a file path, but got a directory path: {0}")]
    IsDirectory(String),
    /// The file has no symbols.
    #[error(transparent)]
    Current(#[from] CurrentError),
    /// The asker went away.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Finds the symbols.
pub fn find_symbol(view: &View, ask: &FindSymbol, cancel: &Cancel) -> Result<FoundSymbols, SymbolError> {
    let hits = view.snapshot.find(&ask.query, cancel)?;
    let mut symbols = Vec::with_capacity(hits.len());
    let mut read = Vec::new();
    let given = if hits.len() <= ask.signatures { Given::Signatures } else { Given::Names };
    // Children's signatures come from the text; for the hits alone, reading a few bytes each is faster.
    let needs_text = ask.bodies == Bodies::Included || (given == Given::Signatures && ask.depth > 0);
    for hits in hits.chunk_by(|a, b| Arc::ptr_eq(&a.file, &b.file)) {
        cancel.check()?;
        if needs_text {
            let hash = from_text(view, ask, given, &hits[0].file, &mut symbols)?;
            let shown = hash.filter(|_| ask.bodies == Bodies::Included);
            read.extend(shown.map(|hash| (hits[0].file.path.clone(), hash)));
        } else {
            from_index(view, ask, given, hits, &mut symbols);
        }
    }
    let unread = unread::of_query(view, &ask.query, symbols.len(), cancel)?;
    Ok(FoundSymbols { symbols, read, unread, read_as: None, revision: view.snapshot.revision })
}

/// Finds what `name`, of which the literal reading found nothing, means otherwise: `Flask.run`, `flask.app.Flask`,
/// `Flask/run()`, an extension by its receiver. Of `ask` all but the pattern counts.
pub fn find_meant(
    view: &View,
    ask: &FindSymbol,
    name: &str,
    cancel: &Cancel,
) -> Result<Option<FoundSymbols>, SymbolError> {
    let Some(Understood { hits, meaning }) = understood(view, &ask.query, name, cancel)? else {
        return Ok(None);
    };
    let mut found = FoundSymbols {
        symbols: Vec::new(),
        read: Vec::new(),
        unread: unread::of_query(view, &ask.query, 0, cancel)?,
        read_as: Some(meaning),
        revision: view.snapshot.revision,
    };
    let signatures = if hits.len() <= ask.signatures { usize::MAX } else { 0 };
    for hit in hits {
        let Some(outline) = hit.file.outline() else { continue };
        let name_path = format!("/{}", outline.name_path(hit.row));
        let Ok(pattern) = NamePattern::parse(&name_path, Matching::Exact) else { continue };
        let query = Query { pattern, scope: Scope::Within(hit.file.path.clone()), ..ask.query.clone() };
        let one = find_symbol(view, &FindSymbol { query, signatures, ..ask.clone() }, cancel)?;
        found.symbols.extend(one.symbols);
        found.read.extend(one.read.into_iter().filter(|read| !found.read.contains(read)).collect::<Vec<_>>());
    }
    Ok(Some(found).filter(|found| !found.symbols.is_empty()))
}

/// Symbols of exactly the name that was asked for which another condition kept out (the place, the kind, what the
/// name stands in): where nothing was found, the likeliest of all. Those whose name path or file has most of the
/// pattern's other words come first (`Size/fmt` is nearly `impl Display for Size/fmt`), then in path order.
pub fn kept_out(view: &View, query: &Query, cancel: &Cancel) -> Result<Vec<Symbol>, SymbolError> {
    let Ok(pattern) = NamePattern::parse(query.pattern.last_name(), Matching::Exact) else {
        return Ok(Vec::new());
    };
    let wider = Query {
        pattern,
        scope: Scope::Project,
        include_kinds: Vec::new(),
        exclude_kinds: Vec::new(),
        locals: query.locals,
    };
    let ask = FindSymbol { query: wider, bodies: Bodies::LeftOut, signatures: 0, depth: 0 };
    let mut symbols = find_symbol(view, &ask, cancel)?.symbols;
    let above = query.pattern.whole().rsplit_once('/').map_or("", |(above, _)| above);
    let words = |symbol: &Symbol| {
        let in_it = |word: &&str| symbol.name_path.contains(*word) || symbol.path.as_str().contains(*word);
        above.split('/').filter(in_it).count()
    };
    symbols.sort_by_key(|symbol| std::cmp::Reverse(words(symbol)));
    Ok(symbols)
}

/// Whether signatures are given, the symbols being few enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Signatures,
    Names,
}

fn from_index(view: &View, ask: &FindSymbol, given: Given, hits: &[Hit], symbols: &mut Vec<Symbol>) {
    for hit in hits {
        let Some(outline) = hit.file.outline() else { continue };
        let mut found = symbol(&hit.file.path, outline, hit.row, Detail { depth: ask.depth, text: None });
        if given == Given::Signatures {
            found.signature = signature_of(view, &hit.file, hit.row);
        }
        symbols.push(found);
    }
}

/// Cuts bodies from the file's text. If it changed after the question, the question is put to it again, so that
/// bodies and lines agree; if it vanished or is no code any more, it has no symbols. That it cannot be read is an
/// error: without it the answer would not be complete.
fn from_text(
    view: &View,
    ask: &FindSymbol,
    given: Given,
    file: &Arc<FileEntry>,
    symbols: &mut Vec<Symbol>,
) -> Result<Option<ContentHash>, SymbolError> {
    let current = match view.current(file) {
        Ok(current) => current,
        Err(error @ CurrentError::Vfs(VfsError::Io { .. })) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    let lettering = || Lettering { grammar: file.grammar(), text: current.text.as_str() };
    let text = (given == Given::Signatures).then(lettering);
    for row in ask.query.rows_in(&current.outline) {
        let mut found = symbol(&file.path, &current.outline, row, Detail { depth: ask.depth, text });
        if ask.bodies == Bodies::Included {
            let range = current.outline.rows[row].range();
            found.body = Some(current.text.slice(range).to_owned());
            found.indent = indent_before(&current.text, range.start).to_owned();
        }
        symbols.push(found);
    }
    Ok(Some(current.hash))
}

/// What stands on the line before `offset`, if that is white space only.
fn indent_before(text: &Text, offset: u32) -> &str {
    let column = text.line_column(offset).column;
    let before = text.slice(TextRange::new(offset - column, offset));
    if before.chars().all(char::is_whitespace) { before } else { "" }
}

/// Where a symbol question looks, from a path as a client wrote it: empty for the whole project. What is ignored, or a
/// link, is refused: the index has nothing of it.
pub fn scope(view: &View, relative_path: &str) -> Result<Scope, SymbolError> {
    let path = RelPath::new(relative_path).map_err(LocateError::from)?;
    if path.is_root() {
        return Ok(Scope::Project);
    }
    if view.snapshot.files.within(&path).next().is_some() {
        return Ok(Scope::Within(path));
    }
    // That there are no symbols here must not be said of what is not looked into.
    let Located { path, kind } = view.tree(|tree| tree.locate_unignored(relative_path))?;
    let is_link = view.root.stat_link(&path).is_ok_and(|(kind, _)| kind == EntryKind::Link);
    if is_link || kind == EntryKind::File {
        return Err(CurrentError::NotIndexed(path).into());
    }
    Ok(Scope::Within(path))
}
