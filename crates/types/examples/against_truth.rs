//! What the resolver says of each identifier of a Kotlin project, against what a compiler resolved (a table in
//! the form of kotlin-truth): `cargo run --release -p symd-types --example against_truth -- DIR TABLE.tsv [N]`
//! prints counts, and N identifiers of each kind of failure. With `cut` in front of N it takes 200 certain uses in 50
//! files and cuts each file, while it is edited as it were: from each token of the use's own function, and of the 20
//! lines before it, to the end of the line, and, behind the use, to the end of the file.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::cast_possible_truncation)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use symd_base::{Cancel, Text, TextRange};
use symd_syntax::{Grammar, flat_tree, outline};
use symd_types::kotlin::{
    Certainty, DeclarationId, DeclarationKind, FileKey, KotlinFindings, KotlinSources, SourceFile, Universe,
    is_within_package, shares_package_root,
};

struct Files {
    all: Vec<(String, String, Arc<SourceFile>)>,
    packages: HashSet<String>,
    declaring: HashMap<String, Vec<FileKey>>,
    with_members: HashMap<String, Vec<FileKey>>,
}

impl KotlinSources for Files {
    fn read(&self, file: FileKey) -> Option<Arc<SourceFile>> {
        self.all.get(file as usize).map(|(_, _, file)| file.clone())
    }

    fn declaring(&self, name: &str) -> Vec<FileKey> {
        self.declaring.get(name).cloned().unwrap_or_default()
    }

    fn declaring_members(&self, name: &str) -> Option<Vec<FileKey>> {
        Some(self.with_members.get(name).cloned().unwrap_or_default())
    }

    fn is_cancelled(&self) -> bool {
        false
    }

    // Of the build only that common code sees no other.
    fn may_see(&self, from: FileKey, declared: FileKey) -> bool {
        let is_common = |key: FileKey| {
            let path = &self.all[key as usize].0;
            path.contains("/commonMain/") || path.contains("/common/src/")
        };
        !is_common(from) || is_common(declared)
    }

    fn has_package(&self, name: &str) -> bool {
        self.packages.iter().any(|package| is_within_package(package, name))
    }

    fn may_declare(&self, qualified: &str) -> bool {
        self.packages.iter().any(|package| shares_package_root(qualified, package))
    }
}

fn kotlin_files(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            kotlin_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "kt") {
            found.push(path);
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let root = Path::new(&arguments[1]);
    let table = std::fs::read_to_string(&arguments[2]).unwrap();
    let cuts = arguments.get(3).is_some_and(|word| word == "cut");
    let shown = arguments.get(if cuts { 4 } else { 3 });
    let shown: usize = shown.map_or(0, |number| number.parse().unwrap_or(0));
    let in_table: HashSet<&str> = table.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    let mut paths = Vec::new();
    kotlin_files(root, &mut paths);
    let grammar = Grammar::named("kotlin").unwrap();
    let started = std::time::Instant::now();
    let mut all = Vec::new();
    for path in &paths {
        let relative = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if !in_table.contains(relative.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let tree = flat_tree(grammar, &text, &Cancel::new()).unwrap();
        let file = SourceFile::new(Text::decode(text.clone().into_bytes()).ok().unwrap(), tree);
        all.push((relative, text, Arc::new(file)));
    }
    println!("{} files parsed in {:?}", all.len(), started.elapsed());
    let mut files =
        Files { all, packages: HashSet::new(), declaring: HashMap::new(), with_members: HashMap::new() };
    for (key, (_, _, file)) in files.all.iter().enumerate() {
        files.packages.insert(file.package().to_owned());
        for name in file.top_level_names() {
            files.declaring.entry(name.to_owned()).or_default().push(key as FileKey);
        }
        for name in file.member_names().collect::<HashSet<_>>() {
            files.with_members.entry(name.to_owned()).or_default().push(key as FileKey);
        }
    }
    let key_of: HashMap<&str, FileKey> =
        files.all.iter().enumerate().map(|(key, (path, ..))| (path.as_str(), key as FileKey)).collect();
    // Offsets of the table are UTF-16 code units.
    let bytes: Vec<Vec<u32>> = files
        .all
        .iter()
        .map(|(_, text, _)| {
            let mut map = Vec::new();
            for (at, character) in text.char_indices() {
                for _ in 0..character.len_utf16() {
                    map.push(at as u32);
                }
            }
            map.push(text.len() as u32);
            map
        })
        .collect();
    let rows: Vec<Vec<&str>> =
        table.lines().map(|line| line.split('\t').collect::<Vec<_>>()).filter(|row| row.len() >= 8).collect();
    // (qualified name, offset) → file, end in bytes
    let mut declared: HashMap<(&str, &str), Vec<(FileKey, u32)>> = HashMap::new();
    for row in rows.iter().filter(|row| row[0] == "DECL") {
        let key = key_of[row[1]];
        let end = bytes[key as usize][row[3].parse::<usize>().unwrap()];
        declared.entry((row[5], row[2])).or_default().push((key, end));
    }
    let originals: HashSet<(&str, &str)> =
        rows.iter().filter(|row| row[0] == "ORIGINAL").map(|row| (row[1], row[2])).collect();
    let universe = Universe::new(
        Box::new(Files {
            all: files.all.clone(),
            packages: files.packages.clone(),
            declaring: files.declaring.clone(),
            with_members: files.with_members.clone(),
        }),
        KotlinFindings::default(),
    );
    let mut certain: BTreeMap<FileKey, Vec<(TextRange, DeclarationId)>> = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut examples: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let started = std::time::Instant::now();
    for row in &rows {
        if row[0] == "DECL" || row[0] == "OVERRIDES" {
            continue;
        }
        let (file, name, origin) = (row[1], row[5], row[6]);
        if row[0] == "CALL" && originals.contains(&(file, row[2])) {
            continue;
        }
        let key = key_of[file];
        let map = &bytes[key as usize];
        let text = &files.all[key as usize].1;
        let (start, end) = (map[row[2].parse::<usize>().unwrap()], map[row[3].parse::<usize>().unwrap()]);
        let simple = name.rsplit(['/', '.']).next().unwrap();
        let covered = text[start as usize..end as usize].trim_start_matches('`');
        let quoted = u32::from(text[start as usize..].starts_with('`'));
        let at = match row[0] {
            "TYPE" | "QUAL" => {
                let head = covered.split(['<', '(']).next().unwrap();
                let Some(found) = head.rfind(simple) else { continue };
                start + quoted + found as u32
            }
            _ if covered.starts_with(simple) => start + quoted,
            _ => continue,
        };
        let behind = text[at as usize + simple.len()..].chars().next();
        if behind.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let range = TextRange::new(at, at + simple.len() as u32);
        let resolution = universe.resolve(key, range);
        let is_own = row[7] != "-" && origin != "Library" && declared.contains_key(&(name, row[7]));
        if !is_own && !origin.contains("Library") && origin != "BuiltIns" {
            // The table does not tell which declaration it is.
            *counts.entry(format!("not judged: {origin}")).or_default() += 1;
            continue;
        }
        let kind = if name.starts_with("<local>") || name.starts_with("Fir") { "local" } else { "project" };
        let outcome = match (&resolution, is_own) {
            (None, _) => "no identifier".to_owned(),
            (Some(found), true) => {
                let homes = &declared[&(name, row[7])];
                let (home, end) = *homes.iter().find(|(home, _)| *home == key).unwrap_or(&homes[0]);
                let is_it = |id: &DeclarationId| {
                    let Some(file) = universe.file(id.file) else { return false };
                    id.file == home
                        && (file.range_of(id.number()).end == end || file.name_at(id.number()) == simple)
                        && (file.name_at(id.number()) == simple || file.name_at(id.number()).is_empty())
                };
                let is_among = found.declarations.iter().any(is_it);
                let is_alone = found.declarations.len() == 1;
                match (is_among, found.certainty) {
                    (true, Certainty::Certain) if is_alone => "1 certain".to_owned(),
                    (true, Certainty::Certain) => "1 certain, several".to_owned(),
                    (true, Certainty::Likely) if is_alone => "2 likely".to_owned(),
                    (true, Certainty::Likely) => "2 likely, several".to_owned(),
                    (true, Certainty::Possible) => "3 possible".to_owned(),
                    (false, _) if found.may_be_other => "4 unknown".to_owned(),
                    (false, certainty) if found.declarations.is_empty() => format!("5 MISSED {certainty:?}"),
                    (false, certainty) => format!("6 OTHER {certainty:?}"),
                }
            }
            (Some(found), false) => {
                let is_ours = found.declarations.iter().any(|id| !universe.of_library(*id));
                match (is_ours, found.certainty) {
                    (true, certainty) => format!("library: 6 OURS {certainty:?}"),
                    (false, _) if found.declarations.is_empty() && found.may_be_other => {
                        "library: 4 unknown".to_owned()
                    }
                    (false, _) if found.declarations.is_empty() => "library: 2 not ours".to_owned(),
                    (false, _) => "library: 1 known".to_owned(),
                }
            }
        };
        let is_symbol = |id: &DeclarationId| {
            !matches!(
                files.all[id.file as usize].2.kind_at(id.number()),
                DeclarationKind::Local | DeclarationKind::Parameter | DeclarationKind::TypeParameter
            )
        };
        if let (Some(found), "1 certain", "project") = (&resolution, outcome.as_str(), kind)
            && is_symbol(&found.declarations[0])
        {
            certain.entry(key).or_default().push((range, found.declarations[0]));
        }
        let outcome = if is_own { format!("{kind}: {outcome}") } else { outcome };
        let line = text[..at as usize].matches('\n').count() + 1;
        let shown_line = text.lines().nth(line - 1).unwrap_or("").trim();
        let list = examples.entry(outcome.clone()).or_default();
        let place = |id: &DeclarationId| {
            let Some((path, text, file)) = files.all.get(id.file as usize) else {
                return "library".to_owned();
            };
            let start = file.range_of(id.number()).start as usize;
            format!("{}:{}", path.rsplit('/').next().unwrap(), text[..start].matches('\n').count() + 1)
        };
        let found = resolution.iter().flat_map(|found| &found.declarations).map(place);
        let found = found.collect::<Vec<_>>().join(" ");
        list.push(format!("{file}:{line} `{simple}` ({} {name} {origin}) -> [{found}] {shown_line}", row[4]));
        *counts.entry(outcome).or_default() += 1;
    }
    println!("resolved in {:?}", started.elapsed());
    if cuts {
        cut(&files, shown, &certain);
        return;
    }
    for (outcome, count) in &counts {
        println!("{count:7} {outcome}");
    }
    for (outcome, list) in &examples {
        if shown > 0
            && !(outcome.contains(": 1") || outcome.ends_with("2 likely") || outcome.contains("2 not"))
        {
            println!("\n== {outcome}");
            let step = (list.len() / shown).max(1);
            for example in list.iter().step_by(step).take(shown) {
                println!("  {example}");
            }
        }
    }
}

/// Cuts files at tokens around uses whose declarations are known, and prints what is said of the uses then.
fn cut(files: &Files, shown: usize, certain: &BTreeMap<FileKey, Vec<(TextRange, DeclarationId)>>) {
    let grammar = Grammar::named("kotlin").unwrap();
    let step = (certain.len() / 50).max(1);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut taken = 0;
    for (key, uses) in certain.iter().step_by(step).take(50) {
        let (path, text, file) = &files.all[*key as usize];
        for (range, id) in uses.iter().step_by((uses.len() / 4).max(1)).take(4) {
            taken += 1;
            let function = file.function_around(*range).unwrap_or(*range);
            let mut from = function.start as usize;
            for _ in 0..20 {
                from = text[..from.saturating_sub(1)].rfind('\n').map_or(0, |at| at + 1);
            }
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let starts = text.char_indices().zip(std::iter::once(' ').chain(text.chars())).filter(
                |((at, c), before)| {
                    (from..function.end as usize).contains(at)
                        && !c.is_whitespace()
                        && !(is_word(*c) && is_word(*before))
                },
            );
            for ((at, _), _) in starts {
                let line_end = text[at..].find('\n').map_or(text.len(), |length| at + length);
                let (start, end) = (range.start as usize, range.end as usize);
                let mut texts = Vec::new();
                if line_end <= start {
                    let cut = format!("{}{}", &text[..at], &text[line_end..]);
                    texts.push((cut, start - (line_end - at), line_end));
                } else if at >= end {
                    texts.push((format!("{}{}", &text[..at], &text[line_end..]), start, line_end));
                    texts.push((text[..at].to_owned(), start, text.len()));
                }
                let name = if id.file == *key { file.name_range(id.number()) } else { None };
                for (cut, start, until) in texts {
                    let took_name =
                        name.is_some_and(|name| at < name.end as usize && (name.start as usize) < until);
                    let outcome = match took_name {
                        true => "the declaration was cut away",
                        false => said(grammar, files, *key, (&cut, start, end - range.start as usize), *id),
                    };
                    *counts.entry(outcome).or_default() += 1;
                    if outcome == "LOST" && shown > 0 {
                        let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
                        let used = text[range.start as usize..].lines().next().unwrap_or("");
                        println!("LOST {path}: {:?} stands, the use of {used:?}", &text[line..at]);
                    }
                }
            }
        }
    }
    println!("{taken} uses");
    for (outcome, count) in counts {
        println!("{count:7} {outcome}");
    }
}

fn said(
    grammar: Grammar,
    files: &Files,
    key: FileKey,
    (cut, start, length): (&str, usize, usize),
    id: DeclarationId,
) -> &'static str {
    let tree = flat_tree(grammar, cut, &Cancel::new()).unwrap();
    let is_broken = outline(grammar, cut, &Cancel::new()).unwrap().has_errors;
    let mut all = files.all.clone();
    let name = all[id.file as usize].2.name_at(id.number()).to_owned();
    let file = Arc::new(SourceFile::new(Text::decode(cut.as_bytes().to_vec()).ok().unwrap(), tree));
    all[key as usize].2 = file;
    let universe = Universe::new(
        Box::new(Files {
            all,
            packages: files.packages.clone(),
            declaring: files.declaring.clone(),
            with_members: files.with_members.clone(),
        }),
        KotlinFindings::default(),
    );
    let range = TextRange::new(start as u32, (start + length) as u32);
    let Some(found) = universe.resolve(key, range) else { return "no identifier, file with syntax errors" };
    let holds = found.declarations.iter().any(|one| {
        one.file == id.file && universe.file(one.file).is_some_and(|file| file.name_at(one.number()) == name)
    });
    match (holds, found.may_be_other || found.certainty == Certainty::Possible, is_broken) {
        (true, ..) => "the use is found",
        (false, true, _) => "open: the answer is not complete",
        (false, false, true) => "lost, in a file with syntax errors: the answer is not complete",
        (false, false, false) => "LOST",
    }
}
