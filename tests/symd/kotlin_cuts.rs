//! Kotlin files as they are while someone types: cut at each token of a use's function, and of the 20 lines before it. An
//! answer about a use then holds it, or is not said to be complete, and what it says of other files stays.
//!
//! Without a variable, some tokens around some uses in `fixtures`. `SYMD_CUT_PROJECT=DIR` takes 200 uses in 50 files of that
//! project, and every token; `SYMD_CUT_STEP=N` every Nth of them. The project itself is not written to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use symd::toolsets::Outcome;

use crate::rename_stage::{Answers, Stage, play};

/// How many lines before a use's function are cut, too.
const LINES_BEFORE: usize = 20;

/// How many uses of one file are taken.
const USES_PER_FILE: usize = 4;

/// A place that an answer lists: path, line, certainty.
type Listed = (String, u64, String);

/// What is taken: files with uses, and one of how many tokens.
#[derive(Clone, Copy, Debug)]
struct Extent {
    files: usize,
    step: usize,
}

/// A use that references lists as certain, in an answer that is said to be complete.
#[derive(Clone, Debug)]
struct KnownUse {
    name_path: String,
    declared_in: String,
    line: u64,
    /// All that the answer listed.
    listed: BTreeSet<Listed>,
}

/// What became of the uses.
#[derive(Debug, Default)]
struct Tally {
    cuts: usize,
    /// The use is listed.
    found: usize,
    /// The answer is not complete.
    open: usize,
    /// The cut took the declaration.
    undeclared: usize,
    wrong: Vec<String>,
}

/// An answer of references; `None` where the symbol is not found.
async fn references(stage: &Stage, name_path: &str, declared_in: &str) -> Option<(BTreeSet<Listed>, bool)> {
    let arguments = json!({
        "name_path": name_path, "relative_path": declared_in, "format": "json", "limit": 10_000_000, "wait": "no"
    });
    let reply = stage.reply("find_referencing_symbols", arguments).await;
    if reply.outcome != Outcome::Done {
        return None;
    }
    let answer: Value = serde_json::from_str(&reply.text).unwrap_or_else(|_| panic!("{}", reply.text));
    // A cut may leave two declarations of one name path.
    let answers = answer["overloads"].as_array().map_or(std::slice::from_ref(&answer), Vec::as_slice);
    let all = answers.iter().flat_map(|one| one["references"].as_array().unwrap());
    let uses = all.filter(|one| one["role"] != "declaration" && one["role"] != "import");
    let listed = uses.map(|one| {
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        (text("path"), one["line"].as_u64().unwrap(), text("certainty"))
    });
    Some((listed.collect(), answer["complete"] == true))
}

/// The name paths that a file's outline has, without its locals.
async fn declared(stage: &Stage, file: &str) -> Vec<String> {
    let arguments = json!({ "relative_path": file, "depth": 20, "format": "json", "limit": 10_000_000 });
    let reply = stage.reply("get_symbols_overview", arguments).await;
    let mut found = Vec::new();
    let Ok(answer) = serde_json::from_str::<Value>(&reply.text) else { return found };
    let mut waiting: Vec<&Value> = answer["symbols"].as_array().into_iter().flatten().collect();
    while let Some(one) = waiting.pop() {
        found.push(one["name_path"].as_str().unwrap().to_owned());
        waiting.extend(one["children"].as_array().into_iter().flatten());
    }
    found.sort();
    found
}

/// Finds uses in so many files, the same number in each where there are as many.
async fn known_uses(stage: &Stage, paths: &[String], files: usize) -> BTreeMap<String, Vec<KnownUse>> {
    let mut found: BTreeMap<String, Vec<KnownUse>> = BTreeMap::new();
    for declared_in in paths {
        for name_path in declared(stage, declared_in).await {
            // One of several overloads is named by its number, which a cut changes.
            if name_path.contains('[') {
                continue;
            }
            let Some((listed, true)) = references(stage, &name_path, declared_in).await else { continue };
            let mut taken: BTreeSet<&str> = BTreeSet::new();
            for (path, line, certainty) in &listed {
                let is_wanted = certainty == "certain" && path.ends_with(".kt");
                let is_full = |of: &Vec<KnownUse>| of.len() == USES_PER_FILE;
                let is_room = match found.get(path) {
                    Some(of) => !is_full(of),
                    None => found.len() < files,
                };
                if is_wanted && is_room && taken.insert(path.as_str()) {
                    let one = KnownUse {
                        name_path: name_path.clone(),
                        declared_in: declared_in.clone(),
                        line: *line,
                        listed: listed.clone(),
                    };
                    found.entry(path.clone()).or_default().push(one);
                }
            }
            if found.len() == files && found.values().all(|of| of.len() == USES_PER_FILE) {
                return found;
            }
        }
    }
    found
}

/// The bytes of the function around a line, with the lines before it: from a line that begins with `fun`, behind its modifiers, to the
/// next that is indented as little and ends a body. What a use stands in is all that matters here.
fn cut_range(text: &str, line: u64) -> std::ops::Range<usize> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let lines: Vec<&str> = text.split('\n').collect();
    let at = usize::try_from(line).unwrap() - 1;
    let indent = |number: usize| lines[number].len() - lines[number].trim_start().len();
    let is_function = |number: usize| {
        lines[number].split_whitespace().any(|word| word == "fun" || word.starts_with("fun<"))
    };
    let head = (0..=at).rev().find(|&number| is_function(number)).unwrap_or(at);
    let is_end = |number: &usize| !lines[*number].trim().is_empty() && indent(*number) <= indent(head);
    let end = (head + 1..lines.len()).find(is_end).map_or(lines.len() - 1, |number| number.max(at));
    starts[head.saturating_sub(LINES_BEFORE)]..starts.get(end + 1).copied().unwrap_or(text.len())
}

/// Where tokens begin.
fn tokens(text: &str, range: std::ops::Range<usize>) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = std::iter::once(' ').chain(text.chars());
    let all = text.char_indices().zip(before);
    let starts = all.filter(|((_, c), before)| !(c.is_whitespace() || is_word(*c) && is_word(*before)));
    starts.map(|((at, _), _)| at).filter(|at| range.contains(at)).collect()
}

/// The texts that a cut at a byte leaves, with what the cut is called: without the rest of the line, and, behind the use, without the
/// rest of the file. None takes the use, nor a line.
fn cuts(text: &str, at: usize, line: u64) -> Vec<(&'static str, String)> {
    let line_end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    let here = text[..at].matches('\n').count() as u64 + 1;
    let mut found = Vec::new();
    if here != line {
        found.push(("line", format!("{}{}", &text[..at], &text[line_end..])));
    }
    if here > line {
        found.push(("file", text[..at].to_owned()));
    }
    found
}

/// Returns the lines that say under which names other files know what a file declares.
fn package_of(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("package ") || line.starts_with("@file:")).collect()
}

/// Cuts a file around a use, and compares what is said with what was said before.
async fn cut_around(stage: &Stage, file: &str, one: &KnownUse, step: usize, tally: &mut Tally) {
    let text = stage.text(file);
    let rows = declared(stage, file).await;
    let is_elsewhere = |listed: &&Listed| listed.0 != file;
    let elsewhere: BTreeSet<&Listed> = one.listed.iter().filter(is_elsewhere).collect();
    for at in tokens(&text, cut_range(&text, one.line)).into_iter().step_by(step) {
        for (what, cut) in cuts(&text, at, one.line) {
            std::fs::write(stage.path(file), &cut).unwrap();
            tally.cuts += 1;
            let place = || {
                let line = text[..at].matches('\n').count() + 1;
                let column = at - text[..at].rfind('\n').map_or(0, |at| at + 1) + 1;
                format!(
                    "{file}:{line}:{column} cut to the end of the {what}, {} at {}",
                    one.name_path, one.line
                )
            };
            let Some((listed, is_complete)) = references(stage, &one.name_path, &one.declared_in).await
            else {
                tally.undeclared += 1;
                // Only a cut in its own file can take a declaration.
                if one.declared_in != file {
                    tally.wrong.push(format!("{}: the declaration is not found", place()));
                }
                continue;
            };
            let is_held = listed.iter().any(|(path, line, _)| path == file && *line == one.line);
            match (is_held, is_complete) {
                (true, _) => tally.found += 1,
                (false, false) => tally.open += 1,
                (false, true) => tally.wrong.push(format!("{}: LOST, and complete", place())),
            }
            // What the cut left of the file's declarations decides about other files.
            let others: BTreeSet<&Listed> = listed.iter().filter(is_elsewhere).collect();
            let keeps_names = || package_of(&cut) == package_of(&text);
            if is_complete && others != elsewhere && keeps_names() && declared(stage, file).await == rows {
                let gone: Vec<_> = elsewhere.difference(&others).collect();
                let new: Vec<_> = others.difference(&elsewhere).collect();
                tally.wrong.push(format!("{}: other files: gone {gone:?}, new {new:?}", place()));
            }
        }
    }
    std::fs::write(stage.path(file), &text).unwrap();
}

async fn cut_all(stage: &Stage, paths: &[String], extent: Extent) -> Tally {
    let uses = known_uses(stage, paths, extent.files).await;
    let number: usize = uses.values().map(Vec::len).sum();
    println!("{number} uses in {} files", uses.len());
    let mut tally = Tally::default();
    for (file, of_file) in &uses {
        for one in of_file {
            cut_around(stage, file, one, extent.step, &mut tally).await;
        }
    }
    let Tally { cuts, found, open, undeclared, wrong } = &tally;
    println!(
        "{cuts} cuts: the use is listed after {found}, the answer not complete after {open}, the declaration cut away in \
         {undeclared}, wrong after {}",
        wrong.len()
    );
    tally
}

/// Reads what answers about Kotlin may depend on beneath a directory.
fn read(directory: &Path, root: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if path.is_dir() && !path.is_symlink() && !is_hidden {
            read(&path, root, files);
        } else if path.is_file() && ["kt", "kts", "java", "gradle", "toml"].contains(&extension) {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.push((name, std::fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn a_cut_file_loses_no_use_in_silence() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let (mut files, mut extent) = (Vec::new(), Extent { files: 6, step: 9 });
    match std::env::var_os("SYMD_CUT_PROJECT") {
        Some(project) => {
            read(Path::new(&project), Path::new(&project), &mut files);
            let step = std::env::var("SYMD_CUT_STEP").map_or(1, |step| step.parse().unwrap());
            extent = Extent { files: 50, step };
        }
        None => {
            for project in ["jvm/shop", "traces/shop"] {
                read(&fixtures.join(project), &fixtures, &mut files);
            }
        }
    }
    let paths: Vec<String> =
        files.iter().map(|(path, _)| path.clone()).filter(|path| path.ends_with(".kt")).collect();
    let given: Vec<(&str, &[u8])> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    play(&given, Answers::NoServer, async |stage| {
        let tally = cut_all(stage, &paths, extent).await;
        assert!(tally.cuts > 100 && tally.found > tally.cuts / 4, "{tally:?}");
        assert!(
            tally.wrong.is_empty(),
            "{} of {}:\n{}",
            tally.wrong.len(),
            tally.cuts,
            tally.wrong.join("\n")
        );
    });
}

#[test]
fn a_package_line_that_an_error_hides_leaves_the_answer_incomplete() {
    let declaring = "/*\n * Rights.\n */\n\npackage shop.codes\n\nconst val CODE = \"a\"\n";
    let using = "package shop\n\nimport shop.codes.*\n\nfun code() = CODE\n";
    let files: [(&str, &[u8]); 2] = [("Codes.kt", declaring.as_bytes()), ("Use.kt", using.as_bytes())];
    play(&files, Answers::NoServer, async |stage| {
        let (listed, is_complete) = references(stage, "CODE", "Codes.kt").await.unwrap();
        assert!(is_complete && listed.len() == 1, "{listed:?}");
        std::fs::write(stage.path("Codes.kt"), declaring.trim_start_matches("/*")).unwrap();
        let (listed, is_complete) = references(stage, "CODE", "Codes.kt").await.unwrap();
        assert!(!is_complete, "{listed:?}");
    });
}
