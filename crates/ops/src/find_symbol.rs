//! Finds symbols by name path, with their bodies, children and signatures on request. Results are in path
//! order, then by position. Not a text search. Invariant: a body and the lines given with it come from the
//! same version of the text.

use std::sync::Arc;

use super::naming::{Interpretation, interpret};
use super::symbol::{Detail, GrammarText, Symbol, signature_of, symbol};
use super::unsearched::{self, UnsearchedFiles};
use crate::view_tree::ViewTree;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, ContentHash, RelPath, Text, TextRange};
use symd_engine::{CurrentError, View};
use symd_files::tree::{LocateError, Located};
use symd_index::{FileEntry, Hit, Query, Scope};
use symd_syntax::NamePattern;
use symd_syntax::name_path::Matching;
use symd_vfs::{EntryKind, VfsError};

/// Parameters of `find_symbol`.
#[derive(Clone, Debug)]
pub struct FindSymbol {
    pub query: Query,
    /// Whether to include the text of the symbols.
    pub bodies: Bodies,
    /// Signatures are included if at most this many symbols, children not counted, are found; 0 for none.
    pub signatures: usize,
    /// Levels of children to include.
    pub depth: usize,
}

/// Whether the text of the symbols is included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    Included,
    LeftOut,
}

/// The symbols found.
#[derive(Clone, Debug)]
pub struct FoundSymbols {
    /// The symbols, in path order, then by position.
    pub symbols: Vec<Symbol>,
    /// The files that bodies were read from, with the hashes of their content.
    pub read: Vec<(RelPath, ContentHash)>,
    /// What was not searched and may hold more.
    pub unread: UnsearchedFiles,
    /// What the name was read as, if it is not a name path of the project.
    pub read_as: Option<String>,
    /// The index revision that the answer reflects (at least).
    pub revision: u64,
}

/// Why the symbols could not be searched.
#[derive(Debug, thiserror::Error)]
pub enum SymbolError {
    /// The path cannot be used.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The path has to name a file.
    #[error("Expected a file path, but got a directory path: {0}")]
    IsDirectory(String),
    /// The file has no symbols.
    #[error(transparent)]
    Current(#[from] CurrentError),
    /// The client disconnected or cancelled the request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Finds the symbols that match a query.
pub fn find_symbol(view: &View, ask: &FindSymbol, cancel: &Cancel) -> Result<FoundSymbols, SymbolError> {
    let hits = view.snapshot.find(&ask.query, cancel)?;
    let mut symbols = Vec::with_capacity(hits.len());
    let mut read = Vec::new();
    let given =
        if hits.len() <= ask.signatures { SignatureDetail::Signatures } else { SignatureDetail::Names };
    // Children's signatures are read from the text; for the hits alone, reading a few bytes each is faster.
    let needs_text =
        ask.bodies == Bodies::Included || (given == SignatureDetail::Signatures && ask.depth > 0);
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
    let unread = unsearched::unsearched_for_query(view, &ask.query, symbols.len(), cancel)?;
    Ok(FoundSymbols { symbols, read, unread, read_as: None, revision: view.snapshot.revision })
}

/// Finds what `name` means if the literal reading matched nothing: `Flask.run`, `flask.app.Flask`,
/// `Flask/run()`, an extension by its receiver. The pattern of `ask` is ignored.
pub fn find_interpreted(
    view: &View,
    ask: &FindSymbol,
    name: &str,
    cancel: &Cancel,
) -> Result<Option<FoundSymbols>, SymbolError> {
    let Some(Interpretation { hits, meaning, .. }) = interpret(view, &ask.query, name, cancel)? else {
        return Ok(None);
    };
    let mut found = FoundSymbols {
        symbols: Vec::new(),
        read: Vec::new(),
        unread: unsearched::unsearched_for_query(view, &ask.query, 0, cancel)?,
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

/// Returns the symbols with exactly the requested name that another condition excluded (the path, the kind,
/// the containers in the name path): the most likely candidates if nothing was found. Those whose name path
/// or file contains most of the pattern's other words come first (`Size/fmt` almost matches
/// `impl Display for Size/fmt`), then in path order.
pub fn excluded_candidates(view: &View, query: &Query, cancel: &Cancel) -> Result<Vec<Symbol>, SymbolError> {
    let Ok(pattern) = NamePattern::parse(query.pattern.last_name(), Matching::Exact) else {
        return Ok(Vec::new());
    };
    let wider = Query::in_project(pattern, query.locals);
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

/// Whether signatures are included, which depends on the number of symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SignatureDetail {
    Signatures,
    Names,
}

fn from_index(
    view: &View,
    ask: &FindSymbol,
    given: SignatureDetail,
    hits: &[Hit],
    symbols: &mut Vec<Symbol>,
) {
    for hit in hits {
        let Some(outline) = hit.file.outline() else { continue };
        let mut found = symbol(&hit.file.path, outline, hit.row, Detail { depth: ask.depth, text: None });
        if given == SignatureDetail::Signatures {
            found.signature = signature_of(view, &hit.file, hit.row);
        }
        symbols.push(found);
    }
}

/// Reads bodies from the file's text. If the file changed since the question, the query is applied to the new
/// text, so that bodies and lines agree; if it vanished or is no longer code, it has no symbols. A read error
/// is returned, because without the file the answer would be incomplete.
fn from_text(
    view: &View,
    ask: &FindSymbol,
    given: SignatureDetail,
    file: &Arc<FileEntry>,
    symbols: &mut Vec<Symbol>,
) -> Result<Option<ContentHash>, SymbolError> {
    let current = match view.current(file) {
        Ok(current) => current,
        Err(error @ CurrentError::Vfs(VfsError::Io { .. })) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    let lettering = || GrammarText { grammar: file.grammar(), text: current.text.as_str() };
    let text = (given == SignatureDetail::Signatures).then(lettering);
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

/// Returns the text before `offset` on its line if that is only white space, else nothing.
fn indent_before(text: &Text, offset: u32) -> &str {
    let column = text.line_column(offset).column;
    let before = text.slice(TextRange::new(offset - column, offset));
    if before.chars().all(char::is_whitespace) { before } else { "" }
}

/// Resolves a path, as a client wrote it, to the scope of a symbol question; an empty path means the whole
/// project. Rejects an ignored path or a link, since the index does not cover it.
pub fn scope(view: &View, relative_path: &str) -> Result<Scope, SymbolError> {
    let path = RelPath::new(relative_path).map_err(LocateError::from)?;
    if path.is_root() {
        return Ok(Scope::Project);
    }
    if view.snapshot.files.paths_within(&path).next().is_some() {
        return Ok(Scope::Within(path));
    }
    // The answer must not claim that something has no symbols if it is not searched.
    let Located { path, kind } = view.tree(|tree| tree.locate_unignored(relative_path))?;
    let is_link = view.files.stat_link(&path).is_ok_and(|(kind, _)| kind == EntryKind::Link);
    if is_link || kind == EntryKind::File {
        return Err(CurrentError::NotIndexed(path).into());
    }
    Ok(Scope::Within(path))
}
