//! The physical limit of a start: parse, definition query and identifier walk of the same files, with the
//! texts already in memory, on as many threads as the daemon has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use symd::base::{RelPath, text};
use symd::config::Languages;
use symd::syntax::Grammar;
use tree_sitter::{CaptureQuantifier, Language, Parser, Query, QueryCursor, StreamingIterator};

/// Returns every file of a language with a grammar, as text.
pub(crate) fn sources(tree: &Path) -> Vec<(Grammar, String)> {
    sources_with_paths(tree).into_iter().map(|(_, grammar, text)| (grammar, text)).collect()
}

/// As [`sources`], with the files' paths in the tree.
pub(crate) fn sources_with_paths(tree: &Path) -> Vec<(PathBuf, Grammar, String)> {
    let mut sources = Vec::new();
    for path in files(tree) {
        let Some(grammar) = grammar_of(tree, &path) else { continue };
        let Ok((text, _)) = text::decode(std::fs::read(&path).unwrap()) else { continue };
        sources.push((path.strip_prefix(tree).unwrap().to_owned(), grammar, text));
    }
    sources
}

/// Returns the regular files that the ignore rules do not exclude, in path order.
pub(crate) fn files(tree: &Path) -> Vec<PathBuf> {
    let walk =
        ignore::WalkBuilder::new(tree).hidden(false).require_git(false).sort_by_file_path(Path::cmp).build();
    let entries = walk.map(|entry| entry.unwrap());
    entries
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.into_path())
        .collect()
}

fn grammar_of(tree: &Path, path: &Path) -> Option<Grammar> {
    let relative = RelPath::new(path.strip_prefix(tree).ok()?.to_str()?).ok()?;
    let languages = Languages::builtin();
    Grammar::named(languages.get(languages.language_of(&relative)?).grammar.as_deref()?)
}

/// A compiled grammar, built before the clock starts.
struct Compiled {
    language: Language,
    query: Query,
    /// Whether a node kind is an identifier, by the id of the kind.
    is_identifier: Vec<bool>,
}

impl Compiled {
    fn new(grammar: Grammar) -> Compiled {
        let language = grammar.language();
        let mut query = Query::new(&language, grammar.symbols_query()).unwrap();
        // Patterns that only name the kinds of identifiers are used by the walk, not by the query.
        let marker = query.capture_index_for_name("identifier").map(|index| index as usize);
        for pattern in 0..query.pattern_count() {
            if marker
                .is_some_and(|marker| query.capture_quantifiers(pattern)[marker] != CaptureQuantifier::Zero)
            {
                query.disable_pattern(pattern);
            }
        }
        let kinds = 0..u16::try_from(language.node_kind_count()).unwrap();
        let is_identifier = kinds
            .map(|id| language.node_kind_for_id(id).is_some_and(|kind| kind.ends_with("identifier")))
            .collect();
        Compiled { language, query, is_identifier }
    }
}

/// Parses, queries and walks all sources; returns the time.
pub(crate) fn run(sources: &[(Grammar, String)]) -> Duration {
    let mut compiled: HashMap<&str, Compiled> = HashMap::new();
    for (grammar, _) in sources {
        compiled.entry(grammar.name()).or_insert_with(|| Compiled::new(*grammar));
    }
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let (mut parser, mut cursor) = (Parser::new(), QueryCursor::new());
                let mut found = 0_usize;
                while let Some((grammar, text)) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let compiled = &compiled[grammar.name()];
                    parser.set_language(&compiled.language).unwrap();
                    let tree = parser.parse(text, None).unwrap();
                    let mut matches = cursor.matches(&compiled.query, tree.root_node(), text.as_bytes());
                    while matches.next().is_some() {
                        found += 1;
                    }
                    found += identifiers(&tree, &compiled.is_identifier);
                }
                std::hint::black_box(found)
            });
        }
    });
    started.elapsed()
}

fn identifiers(tree: &tree_sitter::Tree, is_identifier: &[bool]) -> usize {
    let mut cursor = tree.walk();
    let mut count = 0;
    loop {
        count +=
            usize::from(is_identifier.get(usize::from(cursor.node().kind_id())).copied().unwrap_or(false));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}
