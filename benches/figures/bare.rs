//! The physical limit of a start: parse, definition query and identifier walk of the same files, texts already
//! in memory, on as many threads as the daemon has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use symd::base::{RelPath, text};
use symd::config::Languages;
use symd::syntax::Grammar;
use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator};

/// Every file of a language with a grammar, as text.
pub(crate) fn sources(tree: &Path) -> Vec<(Grammar, String)> {
    let mut sources = Vec::new();
    for path in files(tree) {
        let Some(grammar) = grammar_of(tree, &path) else { continue };
        let Ok((text, _)) = text::decode(std::fs::read(&path).unwrap()) else { continue };
        sources.push((grammar, text));
    }
    sources
}

/// The regular files that the ignore rules leave, in path order.
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

/// Parses, queries and walks all sources, and says how long that took. Queries are compiled before.
pub(crate) fn run(sources: &[(Grammar, String)]) -> Duration {
    let mut queries: HashMap<&str, Query> = HashMap::new();
    for (grammar, _) in sources {
        let compile = || Query::new(&grammar.language(), grammar.symbols_query()).unwrap();
        queries.entry(grammar.name()).or_insert_with(compile);
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
                    parser.set_language(&grammar.language()).unwrap();
                    let tree = parser.parse(text, None).unwrap();
                    let mut matches =
                        cursor.matches(&queries[grammar.name()], tree.root_node(), text.as_bytes());
                    while matches.next().is_some() {
                        found += 1;
                    }
                    found += identifiers(&tree);
                }
                std::hint::black_box(found)
            });
        }
    });
    started.elapsed()
}

fn identifiers(tree: &tree_sitter::Tree) -> usize {
    let mut cursor = tree.walk();
    let mut count = 0;
    loop {
        let node = cursor.node();
        if node.child_count() == 0 && node.is_named() && node.kind().ends_with("identifier") {
            count += 1;
        }
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
