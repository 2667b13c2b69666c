//! Selects the symbols to ask about: seeded, the same in every run.

use std::collections::HashMap;
use std::path::Path;

use symd::base::Cancel;
use symd::syntax::{self, Grammar, SymbolKind};

use super::read;

/// A symbol, and the place of its name (0-based line, byte column: positions are requested in UTF-8).
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) name_path: String,
    pub(super) name: String,
    pub(super) path: String,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) is_function: bool,
}

/// Selects `count` functions, methods, classes and constants of the Python files, without those of the tests.
pub(super) fn symbols(tree: &Path, count: usize) -> Vec<Asked> {
    let mut all = all(tree);
    all.retain(|symbol| !symbol.path.starts_with("tests/"));
    let mut random = fastrand::Rng::with_seed(3);
    random.shuffle(&mut all);
    all.truncate(count);
    all
}

/// Selects the class whose name occurs most often and is declared once.
pub(super) fn most_used(tree: &Path) -> Option<Asked> {
    let mut written: HashMap<String, usize> = HashMap::new();
    let mut declared: HashMap<String, usize> = HashMap::new();
    let all = all(tree);
    for symbol in &all {
        *declared.entry(symbol.name.clone()).or_default() += 1;
    }
    for path in files(tree) {
        let text = read(&tree.join(&path)).unwrap_or_default();
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if declared.get(word) == Some(&1) {
                *written.entry(word.to_owned()).or_default() += 1;
            }
        }
    }
    let only = all.into_iter().filter(|symbol| declared[&symbol.name] == 1 && !symbol.is_function);
    only.max_by_key(|symbol| (written.get(&symbol.name).copied().unwrap_or(0), symbol.name.clone()))
}

/// Selects the symbol with that name path, if one outside the tests has it.
pub(super) fn named(tree: &Path, name_path: &str) -> Option<Asked> {
    all(tree).into_iter().find(|symbol| symbol.name_path == name_path && !symbol.path.starts_with("tests/"))
}

fn all(tree: &Path) -> Vec<Asked> {
    let grammar = Grammar::named("python").unwrap();
    let mut all = Vec::new();
    for path in files(tree) {
        let Some(text) = read(&tree.join(&path)) else { continue };
        let outline = syntax::outline(grammar, &text, &Cancel::new()).unwrap();
        for (at, row) in outline.rows.iter().enumerate() {
            let wanted = [SymbolKind::Function, SymbolKind::Method, SymbolKind::Class, SymbolKind::Constant];
            let name = outline.name(row);
            if row.is_local() || !wanted.contains(&row.kind()) || name.len() < 3 || row.index > 0 {
                continue;
            }
            let before = &text[..row.name_start as usize];
            let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
            all.push(Asked {
                name_path: outline.name_path(at),
                name: name.to_owned(),
                path: path.clone(),
                line: u64::from(row.name_line),
                column: u64::try_from(column).unwrap(),
                is_function: matches!(row.kind(), SymbolKind::Function | SymbolKind::Method),
            });
        }
    }
    all
}

/// Returns the Python files, sorted.
fn files(tree: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut directories = vec![tree.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "py") {
                found.push(path.strip_prefix(tree).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

/// Returns the place of `name` on a 0-based line of a file: line and byte column.
pub(super) fn name_on_line(path: &Path, line: u64, name: &str) -> Option<(u64, u64)> {
    let text = read(path)?;
    let content = text.split('\n').nth(usize::try_from(line).ok()?)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let at = content
        .match_indices(name)
        .map(|(at, _)| at)
        .find(|at| !content[..*at].ends_with(is_word) && !content[at + name.len()..].starts_with(is_word))?;
    Some((line, u64::try_from(at).ok()?))
}
