//! Symbols of files in languages without a grammar: their language server is asked for them, file by file, and what
//! it says goes into the index (and its cache) like any outline. Done before a question about symbols, only where such a
//! server is there. Invariant: a file whose outline is missing is told of, never passed over in silence.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Project;
use crate::base::{ContentHash, RelPath, Text, TextRange};
use crate::config::LanguageId;
use crate::engine::{OutlinedFile, View};
use crate::index::Content;
use crate::lsp::{At, Item, NoAnswer, Waiting};
use crate::syntax::foreign::{self, ForeignSymbol};

/// Files that one question has outlined at most; the next goes on with the rest.
const MAX_FILES: usize = 2_000;
/// Larger files are left out, as they are where there is a grammar.
const MAX_BYTES: u64 = 8 << 20;
/// Questions to a server under way at a time: enough to keep it busy.
const AT_A_TIME: usize = 8;
/// After so many files over which its server failed, a language is given up for this question.
const MAX_FAILURES: usize = 8;
/// How long a question about one file waits for its server to get ready: there is no other answer.
const PATIENCE_FOR_A_FILE: Duration = Duration::from_secs(30);
/// Raise it when the same answer of a server gives other rows.
const VERSION: u32 = 1;

/// A file to be outlined.
struct Wanted {
    language: LanguageId,
    at: At,
    text: Text,
    stat: crate::vfs::Stat,
    fingerprint: u64,
}

/// Has what lies at `relative_path` (empty: anywhere) outlined by language servers, as far as there are any; gives a
/// line for each language of which outlines are missing, with the reason.
pub async fn ensure(project: &Project, relative_path: &str) -> Vec<String> {
    let languages = with_server(project);
    if languages.is_empty() {
        return Vec::new();
    }
    let Ok(scope) = RelPath::new(relative_path) else { return Vec::new() };
    let given = languages.clone();
    let asked = project.engine.ask(move |view| wanted(view, &scope, &given)).await;
    let Ok((wanted, is_file)) = asked else { return Vec::new() };
    let waiting = if is_file { Waiting::Until(Instant::now() + PATIENCE_FOR_A_FILE) } else { Waiting::No };
    outline_all(project, wanted, waiting).await
}

/// The languages without a grammar that have files without an outline and a server that could make it; with what
/// stands for that server in fingerprints.
fn with_server(project: &Project) -> Vec<(LanguageId, u64)> {
    let missing = project.engine.status().without_outline;
    let language = |name: &String| {
        let id = project.languages.by_name(name)?;
        let server = project.servers.outliner(id)?;
        Some((id, fingerprint(&server)))
    };
    missing.keys().filter_map(language).collect()
}

fn fingerprint(server: &str) -> u64 {
    let hash = blake3::hash(format!("{server}\0{VERSION}\0{}", env!("CARGO_PKG_VERSION")).as_bytes());
    let mut cut = [0; 8];
    cut.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(cut)
}

/// The files to outline at or beneath `scope`, and whether it is a single file.
fn wanted(view: &View, scope: &RelPath, languages: &[(LanguageId, u64)]) -> (Vec<Wanted>, bool) {
    let is_file = view.snapshot.files.get(scope.as_str()).is_some();
    let file = |path: &RelPath| {
        let language = view.languages.language_of(path)?;
        let &(_, fingerprint) = languages.iter().find(|(id, _)| *id == language)?;
        let read = view.root.read_unlinked(path, MAX_BYTES).ok()?;
        let hash = ContentHash::of(&read.bytes);
        let text = Text::decode(read.bytes).ok()?;
        let at = At { path: path.clone(), offset: 0, hash, revision: view.snapshot.revision };
        Some(Wanted { language, at, text, stat: read.stat, fingerprint })
    };
    let plain = view.snapshot.files.within(scope).filter(|file| matches!(file.content, Content::Plain));
    (plain.filter_map(|entry| file(&entry.path)).take(MAX_FILES).collect(), is_file)
}

async fn outline_all(project: &Project, wanted: Vec<Wanted>, waiting: Waiting) -> Vec<String> {
    let mut wanted = wanted.into_iter();
    let mut under_way: JoinSet<Result<OutlinedFile, (LanguageId, NoAnswer)>> = JoinSet::new();
    let (mut outlined, mut missing): (Vec<OutlinedFile>, Vec<(LanguageId, NoAnswer)>) = Default::default();
    loop {
        while under_way.len() < AT_A_TIME
            && let Some(file) = wanted.next()
        {
            if let Some(outline) = project.engine.cached(file.at.hash, file.fingerprint) {
                outlined.push(file.with(outline));
                continue;
            }
            if let Some(why) = hopeless(&missing, file.language) {
                missing.push((file.language, why));
                continue;
            }
            let servers = project.servers.clone();
            under_way.spawn(async move {
                match servers.document_symbols(file.language, &file.at, waiting).await {
                    Ok(said) => {
                        let symbols = symbols(&said.value, &file.text);
                        let outline = foreign::outline_of(file.text.as_str(), &symbols);
                        Ok(file.with(outline))
                    }
                    Err(why) => Err((file.language, why)),
                }
            });
        }
        match under_way.join_next().await {
            Some(Ok(Ok(file))) => outlined.push(file),
            Some(Ok(Err(why))) => missing.push(why),
            // It panicked: the file stays without an outline, and the log says why.
            Some(Err(_)) => {}
            None => break,
        }
    }
    if !outlined.is_empty() {
        // A stopping engine answers nothing anyway.
        let _ = project.engine.outlined(outlined).await;
    }
    told(project, &missing)
}

/// Why a server need not be asked any more: it said so for all files, or failed over several.
fn hopeless(missing: &[(LanguageId, NoAnswer)], language: LanguageId) -> Option<NoAnswer> {
    let mut of_it = missing.iter().filter(|(other, _)| *other == language).map(|(_, why)| why);
    of_it.clone().find(|why| !why.is_of_file()).or_else(|| of_it.nth(MAX_FAILURES - 1)).cloned()
}

impl Wanted {
    fn with(self, outline: crate::syntax::Outline) -> OutlinedFile {
        let Wanted { at: At { path, hash, .. }, stat, fingerprint, .. } = self;
        OutlinedFile { path, hash, stat, fingerprint, outline: Arc::new(outline) }
    }
}

/// Items as symbols, those left out whose ranges do not lie in the text. The name stands in its range: what a server
/// puts around it (`A::b`, `fn a()`) is cut off.
fn symbols(items: &[Item], text: &Text) -> Vec<ForeignSymbol> {
    let symbol = |item: &Item| {
        let (range, name_range) = (item.range.resolve(text)?, item.name_range.resolve(text)?);
        let (name, name_range) = name_of(item, text, name_range);
        // Some servers give the name's range as the whole: then it is at least that.
        let range = TextRange::new(range.start.min(name_range.start), range.end.max(name_range.end));
        let children = symbols(&item.children, text);
        Some(ForeignSymbol { name, kind: item.kind, range, name_range, children })
    };
    items.iter().filter_map(symbol).collect()
}

/// The name and where it stands: the range itself where it holds one word, else where the last word of the server's
/// name stands in it.
fn name_of(item: &Item, text: &Text, range: TextRange) -> (String, TextRange) {
    let written = text.slice(range);
    let is_word =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_?!$@-".contains(c));
    if is_word(written) {
        return (written.to_owned(), range);
    }
    let name = item.name.split(['(', ' ', '<']).next().unwrap_or(&item.name);
    let name = name.rsplit([':', '.', '#']).next().filter(|name| !name.is_empty()).unwrap_or(&item.name);
    let at = written.find(name).and_then(|at| u32::try_from(at).ok());
    let length = u32::try_from(name.len()).unwrap_or(0);
    match at {
        Some(at) => (name.to_owned(), TextRange::new(range.start + at, range.start + at + length)),
        None => (name.to_owned(), TextRange::new(range.start, range.start)),
    }
}

/// A line for each language of which something is missing.
fn told(project: &Project, missing: &[(LanguageId, NoAnswer)]) -> Vec<String> {
    let mut languages: Vec<LanguageId> = missing.iter().map(|(language, _)| *language).collect();
    languages.sort_unstable();
    languages.dedup();
    let line = |language: LanguageId| {
        let mut of_it = missing.iter().filter(|(other, _)| *other == language).map(|(_, why)| why);
        let why = of_it.next().map(ToString::to_string).unwrap_or_default();
        let name = &project.languages.get(language).name;
        format!("{} {name} files have no outline yet: {why}", of_it.count() + 1)
    };
    languages.into_iter().map(line).collect()
}
