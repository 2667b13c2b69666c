//! What the files of a directory declare, the most important first: what other files import and name most.
//! Only reads the index. Invariant: every file of the directory is counted, including those without symbols.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::symbol::{Detail, Symbol, in_order, symbol};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_index::FileEntry;
use symd_syntax::{Import, ImportKind, Imported, Outline, Row, SymbolKind, name_hash};

/// Factor by which the name of a function or type counts more than that of a value: `name` and `app` occur
/// everywhere.
const FUNCTION_WEIGHT: u64 = 10;

/// Factor by which a file that imports a name counts more than one that merely contains it, where it may mean
/// anything.
const IMPORT_WEIGHT: u64 = 10;

/// Units into which a mention is divided.
const MENTION: u64 = 1_000;

/// A directory's files and what they declare.
#[derive(Clone, Debug)]
pub struct DirectoryOverview {
    /// The directory; the root for the project.
    pub path: RelPath,
    /// The subdirectories that have symbols, those with the most first.
    pub directories: Vec<DirectorySummary>,
    /// The files with symbols, the most important first.
    pub files: Vec<FileSummary>,
    /// Number of files beneath it without symbols.
    pub without_symbols: usize,
    /// The index revision that the answer reflects (at least).
    pub revision: u64,
}

/// The counts of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectorySummary {
    pub path: RelPath,
    /// Number of files with symbols beneath it.
    pub files: usize,
    /// Number of their symbols, without parameters and local variables.
    pub symbols: usize,
}

/// A file and what it declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSummary {
    pub path: RelPath,
    /// Number of symbols at any depth, without parameters and local variables.
    pub symbols: usize,
    /// The top-level symbols, the most important first.
    pub top: Vec<TopLevel>,
    weight: u64,
}

/// A symbol at the top level of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopLevel {
    /// The symbol; if several share a name, the first.
    pub symbol: Symbol,
    /// Number of symbols with that name.
    pub count: usize,
}

/// Returns the overview of the directory `path`, of indexed files only.
pub fn directory_overview(
    view: &View,
    path: &RelPath,
    cancel: &Cancel,
) -> Result<DirectoryOverview, Cancelled> {
    let names = Names::count(view, path, cancel)?;
    let mut files = Vec::new();
    let mut without_symbols = 0;
    for file in view.snapshot.files.within(path) {
        cancel.check()?;
        match summary(file, &names) {
            Some(summary) => files.push(summary),
            None => without_symbols += 1,
        }
    }
    let directories = directories(path, &files);
    files.sort_by(|a, b| {
        (Reverse(a.weight), Reverse(a.symbols), &a.path).cmp(&(
            Reverse(b.weight),
            Reverse(b.symbols),
            &b.path,
        ))
    });
    let (path, revision) = (path.clone(), view.snapshot.revision);
    Ok(DirectoryOverview { path, directories, files, without_symbols, revision })
}

fn summary(file: &FileEntry, names: &Names) -> Option<FileSummary> {
    let outline = &file.outline_once()?;
    let symbols = outline.rows.iter().filter(|row| !row.is_local()).count();
    if symbols == 0 {
        return None;
    }
    let mut rows = in_order(outline, top_level(outline));
    let weight = |row: usize| names.weight(outline, &outline.rows[row]);
    // Of several symbols of one name, the first in position comes first.
    rows.sort_by_key(|&row| {
        (Reverse(weight(row)), outline.rows[row].index > 1, Reverse(outline.rows[row].descendants))
    });
    let mut top: Vec<(&str, TopLevel)> = Vec::new();
    let mut total = 0;
    for row in rows {
        let name = outline.name(&outline.rows[row]);
        let namesake = top.iter_mut().find(|(known, _)| outline.rows[row].index > 1 && *known == name);
        if let Some((_, known)) = namesake {
            known.count += 1;
            continue;
        }
        total += weight(row);
        let symbol = symbol(&file.path, outline, row, Detail { depth: 0, text: None });
        top.push((name, TopLevel { symbol, count: 1 }));
    }
    let top = top.into_iter().map(|(_, one)| one).collect();
    Some(FileSummary { path: file.path.clone(), symbols, weight: total, top })
}

fn top_level(outline: &Outline) -> impl Iterator<Item = usize> + '_ {
    (0..outline.rows.len())
        .filter(|&row| outline.rows[row].parent().is_none() && !outline.rows[row].is_local())
}

fn directories(above: &RelPath, files: &[FileSummary]) -> Vec<DirectorySummary> {
    let depth = above.components().count();
    let mut found: BTreeMap<RelPath, DirectorySummary> = BTreeMap::new();
    for file in files {
        let mut components = file.path.components().skip(depth);
        let (Some(first), Some(_)) = (components.next(), components.next()) else { continue };
        let path = above.join(first);
        let known =
            found.entry(path.clone()).or_insert_with(|| DirectorySummary { path, files: 0, symbols: 0 });
        known.files += 1;
        known.symbols += file.symbols;
    }
    let mut all: Vec<DirectorySummary> = found.into_values().collect();
    all.sort_by_key(|one| Reverse(one.symbols));
    all
}

/// For each top-level name of a directory: how many files contain it, how many import it, and how many files
/// of the directory declare it.
struct Names(HashMap<u32, Mentions>);

#[derive(Clone, Copy, Default)]
struct Mentions {
    files: u64,
    imports: u64,
    declared_in: u64,
}

impl Names {
    fn count(view: &View, path: &RelPath, cancel: &Cancel) -> Result<Names, Cancelled> {
        let mut names: HashMap<u32, Mentions> = HashMap::new();
        for outline in view.snapshot.files.within(path).filter_map(|file| file.outline_once()) {
            let mut own: Vec<u32> =
                top_level(&outline).map(|row| hash_of(&outline, &outline.rows[row])).collect();
            own.sort_unstable();
            own.dedup();
            own.into_iter().for_each(|hash| names.entry(hash).or_default().declared_in += 1);
        }
        for file in view.snapshot.files.iter() {
            cancel.check()?;
            let Some(outline) = file.outline_once() else { continue };
            for hash in &outline.occurrences.hashes {
                if let Some(known) = names.get_mut(hash) {
                    known.files += 1;
                }
            }
            let imports = outline.imports.unpack();
            let mut imported: Vec<u32> = imports.iter().filter_map(|import| imported_name(&import)).collect();
            imported.sort_unstable();
            imported.dedup();
            for hash in imported {
                if let Some(known) = names.get_mut(&hash) {
                    known.imports += 1;
                }
            }
        }
        Ok(Names(names))
    }

    /// Returns the importance of a symbol: the number of files that import its name, and of those that
    /// contain it and do not declare it, divided by the number of files that declare it.
    fn weight(&self, outline: &Outline, row: &Row) -> u64 {
        let Mentions { files, imports, declared_in } =
            self.0.get(&hash_of(outline, row)).copied().unwrap_or_default();
        let mentions = IMPORT_WEIGHT * imports + files.saturating_sub(declared_in);
        let mentions = MENTION * mentions / declared_in.max(1);
        if is_value(row.kind()) { mentions / FUNCTION_WEIGHT } else { mentions }
    }
}

fn hash_of(outline: &Outline, row: &Row) -> u32 {
    name_hash(outline.name(row).as_bytes())
}

/// Returns the hash of the imported name: of a path (`import a.b.C` in Kotlin and Java) that of its last
/// part.
fn imported_name(import: &Import<'_>) -> Option<u32> {
    let name = match import.imported {
        Imported::Name(name) => name,
        Imported::Module => import.module.rsplit(['.', ':', '/']).next()?,
        Imported::Everything => return None,
    };
    (import.kind == ImportKind::Import).then(|| name_hash(name.as_bytes()))
}

fn is_value(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    matches!(kind, Variable | Constant | Property | Field)
}
