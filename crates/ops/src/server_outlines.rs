//! Outlines of files in languages without a grammar: requests their symbols from the language server, file by
//! file, and puts them into the index (and its cache) like any outline. Runs around a question about symbols,
//! only if there are such files. Invariants: a file whose outline is missing is reported, never ignored
//! silently; a file on which a server keeps failing does not prevent others from being outlined.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::Project;
use symd_base::{ContentHash, RelPath, Text, TextRange};
use symd_config::LanguageId;
use symd_engine::{OutlinedFile, PlainFile, View};
use symd_index::NeededWords;
use symd_lsp::{DocumentPosition, Item, ServerError, WaitPolicy};
use symd_syntax::server_symbols::{self, ServerSymbol};

/// Maximum number of files that one question has outlined; the next question continues with the rest.
const MAX_FILES: usize = 2_000;
/// Files that are read, and whose outlines are passed to the index, in one batch.
const CHUNK: usize = 128;
/// Larger files are omitted, as in languages with a grammar.
const MAX_BYTES: u64 = 8 << 20;
/// Concurrent requests to a server: enough to keep it busy.
const AT_A_TIME: usize = 8;
/// Files on which its server may fail before a question gives up a language.
const MAX_FAILURES: usize = 8;
/// Failures of a server on one file after which the file is not requested again. The first failure may have
/// been caused by another file; after it the file is requested alone.
const MAX_TRIES: usize = 2;
/// How long a question about a single file waits for its server to become ready: there is no other answer.
const PATIENCE_FOR_A_FILE: Duration = Duration::from_secs(30);
/// How long outlining may delay a question about several files; the next question continues where it ended.
const TIME_FOR_ALL: Duration = Duration::from_secs(2);
/// Maximum number of languages reported if nothing was found: those with the most files.
const MAX_UNSERVED: usize = 3;
/// Increment this when the same answer of a server yields different rows.
const VERSION: u32 = 1;

/// How long a question about more than one file waits for servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineWait {
    /// Does not wait for servers that are not ready; ready servers get two seconds.
    Brief,
    /// Waits this long in total.
    Long(Duration),
}

/// Files of one language that have no symbols in the index, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineGap {
    pub language: String,
    pub files: usize,
    /// The reason, with the next step.
    pub why: String,
}

impl fmt::Display for OutlineGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (has, files) = if self.files == 1 { ("has", "file") } else { ("have", "files") };
        write!(f, "{} {} {files} {has} no outline: {}", self.files, self.language, self.why)
    }
}

/// A file to be outlined.
struct FileToOutline {
    language: LanguageId,
    at: DocumentPosition,
    text: Text,
    stat: symd_vfs::Stat,
    fingerprint: u64,
}

/// Whether there are files that [`ensure`] could have outlined. As current as the engine's last answer;
/// cheap.
pub fn are_missing(project: &Project) -> bool {
    let missing = project.engine.without_outline();
    missing
        .keys()
        .filter_map(|name| project.languages.by_name(name))
        .any(|id| project.servers.outliner(id).is_ok())
}

/// Returns the files within `scope` that may hold the `needed` words, in languages with neither a grammar nor
/// a server that could be started: one entry, with the remedy, for each language that symd knows a server
/// for, most files first.
pub fn unserved(project: &Project, view: &View, scope: &RelPath, needed: &NeededWords) -> Vec<OutlineGap> {
    let mut counts: BTreeMap<LanguageId, usize> = BTreeMap::new();
    let (plain, _) = plain_files(view, scope, |language| {
        let known = project.languages.get(language);
        !known.language_servers.is_empty() && project.servers.outliner(language).is_err()
    });
    holding(view, plain, needed)
        .into_iter()
        .for_each(|(_, language)| *counts.entry(language).or_default() += 1);
    let mut counts: Vec<(LanguageId, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
    let gap = |(id, files): (LanguageId, usize)| {
        let known = project.languages.get(id);
        let why = project.servers.outliner(id).err()?;
        Some(OutlineGap { language: known.name.clone(), files, why: reason(&why) })
    };
    counts.into_iter().filter_map(gap).take(MAX_UNSERVED).collect()
}

/// Returns the reason why the file at `path` has no outline, if its language is known and has neither a
/// grammar nor a server that could be started.
pub fn why_none(project: &Project, path: &RelPath) -> Option<ServerError> {
    let id = project.languages.language_of(path)?;
    if project.languages.get(id).grammar.is_some() {
        return None;
    }
    project.servers.outliner(id).err()
}

/// The result of [`ensure`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outlined {
    /// No server was asked: no file that may hold the answer lacks an outline that a server could provide.
    Nothing,
    /// Servers were asked; these gaps remain.
    Tried(Vec<OutlineGap>),
}

/// Has language servers outline the files at or beneath `relative_path` (empty: everywhere) that may hold the
/// `needed` words. A server that could add nothing is not started. Languages without a server are not
/// reported: see [`unserved`].
pub async fn ensure(
    project: &Project,
    relative_path: &str,
    needed: &NeededWords,
    patience: OutlineWait,
) -> Outlined {
    let Ok(scope) = RelPath::new(relative_path) else { return Outlined::Nothing };
    let mut servers = Servers::new();
    let missing = project.engine.without_outline();
    for id in missing.keys().filter_map(|name| project.languages.by_name(name)) {
        if let Ok(server) = project.servers.outliner(id) {
            servers.insert(id, fingerprint(&server));
        }
    }
    if servers.is_empty() {
        return Outlined::Nothing;
    }
    let (needed, served) = (needed.clone(), servers.clone());
    let asked = project.engine.ask_by_need(move |view| {
        let (files, is_file) = plain_files(view, &scope, |language| served.contains_key(&language));
        (if is_file { files } else { holding(view, files, &needed) }, is_file)
    });
    let Ok((files, is_file)) = asked.await else { return Outlined::Nothing };
    if files.is_empty() {
        return Outlined::Nothing;
    }
    let now = Instant::now();
    let (waiting, until) = match patience {
        OutlineWait::Long(time) => (WaitPolicy::Until(now + time), now + time),
        OutlineWait::Brief if is_file => {
            (WaitPolicy::Until(now + PATIENCE_FOR_A_FILE), now + PATIENCE_FOR_A_FILE + TIME_FOR_ALL)
        }
        OutlineWait::Brief => (WaitPolicy::DontWait, now + TIME_FOR_ALL),
    };
    let outlining = Outlining { project, servers, waiting, until, missing: BTreeMap::new() };
    Outlined::Tried(outlining.run(files).await)
}

/// Keeps the files that may hold the words; keeps all files if there are more than `MAX_FILES`.
fn holding(view: &View, mut files: Vec<PlainFile>, needed: &NeededWords) -> Vec<PlainFile> {
    if files.len() <= MAX_FILES {
        view.retain_holding(&mut files, needed);
    }
    files
}

/// The fingerprint of each language's server.
type Servers = BTreeMap<LanguageId, u64>;

fn fingerprint(server: &str) -> u64 {
    let hash = blake3::hash(format!("{server}\0{VERSION}\0{}", env!("CARGO_PKG_VERSION")).as_bytes());
    let mut cut = [0; 8];
    cut.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(cut)
}

/// Returns the plain files at or beneath `scope` in languages for which `is_wanted` holds, and whether `scope` is a single file.
fn plain_files(
    view: &View,
    scope: &RelPath,
    is_wanted: impl Fn(LanguageId) -> bool,
) -> (Vec<PlainFile>, bool) {
    // Many files are of few languages.
    let mut wanted: BTreeMap<LanguageId, bool> = BTreeMap::new();
    let mut is_wanted = |language| *wanted.entry(language).or_insert_with(|| is_wanted(language));
    let plain = view.plain_files();
    let found = plain.iter().filter(|(path, language)| is_wanted(*language) && path.is_within(scope));
    (found.cloned().collect(), view.snapshot.files.contains(scope.as_str()))
}

/// Reads the current files; omits those that are not text (any more) or are too large.
fn read(view: &View, files: &[PlainFile], servers: &Servers) -> Vec<FileToOutline> {
    let file = |(path, language): &PlainFile| {
        let read = view.files.read_no_follow(path, MAX_BYTES).ok()?;
        let hash = ContentHash::of(&read.bytes);
        let text = Text::decode(read.bytes).ok()?;
        let at = DocumentPosition { path: path.clone(), offset: 0, hash, revision: view.snapshot.revision };
        Some(FileToOutline {
            language: *language,
            at,
            text,
            stat: read.stat,
            fingerprint: *servers.get(language)?,
        })
    };
    files.iter().filter_map(file).collect()
}

/// The outlining for one question.
struct Outlining<'a> {
    project: &'a Project,
    servers: Servers,
    waiting: WaitPolicy,
    /// When outlining ends, complete or not.
    until: Instant,
    missing: BTreeMap<LanguageId, Missing>,
}

/// The missing outlines of one language.
#[derive(Default)]
struct Missing {
    files: usize,
    /// Files on which the server failed during this question.
    failures: usize,
    why: Option<String>,
    /// Whether the reason applies to more than a single file.
    is_hopeless: bool,
}

/// The result of a request for one file's outline.
type OutlineAnswer = Result<OutlinedFile, (LanguageId, ServerError)>;

impl Outlining<'_> {
    async fn run(mut self, files: Vec<PlainFile>) -> Vec<OutlineGap> {
        let all = files.len();
        let mut seen = 0;
        for chunk in files.chunks(CHUNK) {
            let is_over = seen >= MAX_FILES || Instant::now() >= self.until;
            if is_over || self.servers.keys().all(|language| self.is_hopeless(*language)) {
                break;
            }
            seen += chunk.len();
            self.chunk(chunk.to_vec()).await;
        }
        for (_, language) in &files[seen.min(all)..] {
            self.left_out(*language);
        }
        let gap = |(language, missing): (LanguageId, Missing)| OutlineGap {
            language: self.project.languages.get(language).name.clone(),
            files: missing.files,
            why: missing.why.unwrap_or_else(|| "they are still being outlined; ask again".to_owned()),
        };
        self.missing.into_iter().map(gap).collect()
    }

    async fn chunk(&mut self, files: Vec<PlainFile>) {
        let (given, servers) = (files.clone(), self.servers.clone());
        let Ok(wanted) = self.project.engine.ask_by_need(move |view| read(view, &given, &servers)).await
        else {
            return;
        };
        for (path, language) in &files {
            if !wanted.iter().any(|wanted| wanted.at.path == *path) {
                self.failed(*language, "a file is not text, or is too large".to_owned());
            }
        }
        let mut outlined = Vec::new();
        let (mut first, mut suspects) = (Vec::new(), Vec::new());
        for file in wanted {
            if let Some(outline) = self.project.engine.cached(file.at.hash, file.fingerprint) {
                outlined.push(file.with(outline));
                continue;
            }
            match self.project.servers.failed_over(file.language, file.at.hash) {
                None => first.push(file),
                Some((times, why)) if times >= MAX_TRIES => {
                    let why = format!("{}: {why}; not requested again until the file changes", file.at.path);
                    self.failed(file.language, why);
                }
                Some(_) => suspects.push(file),
            }
        }
        self.ask_about(first, AT_A_TIME, &mut outlined).await;
        self.ask_about(suspects, 1, &mut outlined).await;
        if !outlined.is_empty() {
            // A stopping engine answers no question anyway.
            let _ = self.project.engine.add_server_outlines(outlined).await;
        }
    }

    async fn ask_about(
        &mut self,
        files: Vec<FileToOutline>,
        at_a_time: usize,
        outlined: &mut Vec<OutlinedFile>,
    ) {
        let mut files = files.into_iter();
        // Dropped on timeout, which cancels the requests under way.
        let mut under_way: JoinSet<OutlineAnswer> = JoinSet::new();
        let mut languages_under_way: BTreeMap<LanguageId, usize> = BTreeMap::new();
        loop {
            while under_way.len() < at_a_time
                && Instant::now() < self.until
                && let Some(file) = files.next()
            {
                if self.is_hopeless(file.language) {
                    self.left_out(file.language);
                    continue;
                }
                *languages_under_way.entry(file.language).or_default() += 1;
                under_way.spawn(ask_one(self.project.servers.clone(), file, self.waiting));
            }
            let Ok(Some(done)) = timeout_at(self.until, under_way.join_next()).await else { break };
            // The task panicked: the log has the reason, and the file counts as still under way.
            let Ok(done) = done else { continue };
            let language = match &done {
                Ok(file) => self.project.languages.language_of(&file.path),
                Err((language, _)) => Some(*language),
            };
            if let Some(count) = language.and_then(|language| languages_under_way.get_mut(&language)) {
                *count = count.saturating_sub(1);
            }
            match done {
                Ok(file) => outlined.push(file),
                Err((language, why)) if why.is_of_file() => self.failed(language, why.to_string()),
                Err((language, why)) => self.gave_up(language, &why),
            }
        }
        for (language, count) in languages_under_way {
            (0..count).for_each(|_| self.left_out(language));
        }
        files.for_each(|file| self.left_out(file.language));
    }

    fn is_hopeless(&self, language: LanguageId) -> bool {
        self.missing
            .get(&language)
            .is_some_and(|missing| missing.is_hopeless || missing.failures >= MAX_FAILURES)
    }

    /// Counts a file that was not asked about; the reason may be that of another file.
    fn left_out(&mut self, language: LanguageId) {
        self.missing.entry(language).or_default().files += 1;
    }

    fn failed(&mut self, language: LanguageId, why: String) {
        let missing = self.missing.entry(language).or_default();
        missing.files += 1;
        missing.failures += 1;
        missing.why.get_or_insert(why);
    }

    fn gave_up(&mut self, language: LanguageId, why: &ServerError) {
        let missing = self.missing.entry(language).or_default();
        missing.files += 1;
        missing.is_hopeless = true;
        missing.why = Some(reason(why));
    }
}

async fn ask_one(servers: symd_lsp::Servers, file: FileToOutline, waiting: WaitPolicy) -> OutlineAnswer {
    match servers.document_symbols(file.language, &file.at, waiting).await {
        Ok(said) => {
            let symbols = symbols(&said.value, &file.text);
            let outline = server_symbols::outline_from_symbols(file.text.as_str(), &symbols);
            Ok(file.with(outline))
        }
        Err(why) => Err((file.language, why)),
    }
}

/// Returns the reason without the language, which is named beside it.
fn reason(why: &ServerError) -> String {
    match why {
        ServerError::NoServer { reason, .. } => format!("no language server: {reason}"),
        other => other.to_string(),
    }
}

impl FileToOutline {
    fn with(self, outline: symd_syntax::Outline) -> OutlinedFile {
        let FileToOutline { at: DocumentPosition { path, hash, .. }, stat, fingerprint, .. } = self;
        OutlinedFile { path, hash, stat, fingerprint, outline: Arc::new(outline) }
    }
}

/// Converts items to symbols; omits those whose ranges do not lie in the text. The name is the text at its
/// range: what a server adds to it (`A::b`, `fn a()`) is cut off.
fn symbols(items: &[Item], text: &Text) -> Vec<ServerSymbol> {
    let symbol = |item: &Item| {
        let (range, name_range) = (item.range.resolve(text)?, item.name_range.resolve(text)?);
        let (name, name_range) = name_of(item, text, name_range);
        // Some servers give the name's range as the whole range: the result covers at least the name.
        let range = TextRange::new(range.start.min(name_range.start), range.end.max(name_range.end));
        let children = symbols(&item.children, text);
        Some(ServerSymbol { name, kind: item.kind, range, name_range, children })
    };
    items.iter().filter_map(symbol).collect()
}

/// Returns the name and its range: the given range if that holds one word, else the place in it of the last
/// word of the server's name.
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
