//! What an answer about symbols may lack because it was not searched: files that cannot be read or parsed,
//! directories that cannot be listed. Invariant: what could hold the answer is named or counted; what could
//! not is not mentioned.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::spot::whole_words;
use super::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;
use symd_index::{Content, FileEntry, Locals, NeededWords, Query, Scope, Skipped};
use symd_resolve as resolve;
use symd_syntax::NamePattern;
use symd_syntax::name_path::Matching;
use symd_vfs::VfsError;

/// Maximum number of names listed of one kind.
const NAMED: usize = 3;

/// What was not searched, by obstacle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnsearchedFiles(BTreeMap<Obstacle, Vec<RelPath>>);

/// Why files were not searched, or not completely.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Obstacle {
    /// Files that the system denies reading; its message for one of them.
    Unreadable(String),
    /// Files that are too large.
    TooLarge,
    /// Files that contain NUL bytes.
    Binary,
    /// Files on which the parser fails.
    Unparsable,
    /// Files that are still being parsed.
    StillParsing,
    /// Files with syntax errors.
    Broken,
    /// Files with syntax errors that contain the name, so that results from them may be wrong.
    BrokenWithName,
    /// Files that use accessor names between Kotlin and Java; these names.
    Accessors(String),
    /// Directories that the system denies listing; its message.
    Unlisted(String),
}

impl UnsearchedFiles {
    /// Whether everything was searched.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all that was not searched is being parsed: the same question may find more in a moment.
    pub fn is_being_parsed(&self) -> bool {
        !self.is_empty() && self.0.keys().all(|obstacle| *obstacle == Obstacle::StillParsing)
    }

    /// Returns what was not searched, one clause for each obstacle, with names and the next step.
    pub fn clauses(&self) -> Vec<String> {
        self.0.iter().map(|(obstacle, paths)| clause(obstacle, paths)).collect()
    }

    /// Returns the clauses for files without any known symbols.
    pub fn clauses_of_unknown(&self) -> Vec<String> {
        let known = [Obstacle::Broken, Obstacle::BrokenWithName];
        let unknown = self.0.iter().filter(|(obstacle, _)| !known.contains(obstacle));
        unknown.map(|(obstacle, paths)| clause(obstacle, paths)).collect()
    }

    /// Returns the clause for the files with syntax errors that hold the name, if there are any.
    pub fn clause_of_broken(&self) -> Option<String> {
        self.0.get(&Obstacle::BrokenWithName).map(|paths| clause(&Obstacle::BrokenWithName, paths))
    }

    /// Returns the clauses for a question about everything rather than one name.
    pub fn clauses_of_all(&self) -> Vec<String> {
        self.0.iter().map(|(obstacle, paths)| clause_of_all(obstacle, paths)).collect()
    }

    /// Adds what another part of the answer did not search.
    pub fn join(&mut self, other: UnsearchedFiles) {
        for (obstacle, paths) in other.0 {
            let all = self.0.entry(obstacle).or_default();
            all.extend(paths);
            all.sort();
            all.dedup();
        }
    }

    fn add(&mut self, obstacle: Obstacle, path: RelPath) {
        self.0.entry(obstacle).or_default().push(path);
    }

    /// Adds the files that this question tried to read and could not.
    fn add_failed(&mut self, view: &View) {
        for path in view.unread_files() {
            let obstacle = Obstacle::Unreadable(reason(view, &path));
            if !self.0.get(&obstacle).is_some_and(|known| known.contains(&path)) {
                self.add(obstacle, path);
            }
        }
    }
}

/// Returns what may hold symbols that match `query`, of which `found` were found.
pub fn unsearched_for_query(
    view: &View,
    query: &Query,
    found: usize,
    cancel: &Cancel,
) -> Result<UnsearchedFiles, Cancelled> {
    let mut unread = UnsearchedFiles::default();
    let snapshot = &view.snapshot;
    let needed = NeededWords::of_pattern(&query.pattern);
    let root = RelPath::root();
    let scope = if let Scope::Within(path) = &query.scope { path } else { &root };
    let any = std::slice::from_ref(&needed);
    let skipped = snapshot.skipped_with(any, scope).take_while(|_| cancel.check().is_ok());
    add_skipped(&mut unread, view, skipped, &needed);
    cancel.check()?;
    if found == 0 {
        for file in snapshot.broken_with(any, scope) {
            cancel.check()?;
            // It may declare what no file is known to declare.
            if view.may_hold(&file.path, &needed) {
                unread.add(Obstacle::Broken, file.path.clone());
            }
        }
    }
    for (directory, why) in snapshot.unlisted.iter() {
        let concerns = match &query.scope {
            Scope::Project => true,
            Scope::Within(path) => directory.is_within(path) || path.is_within(directory),
        };
        if concerns {
            unread.add(Obstacle::Unlisted(why.clone()), directory.clone());
        }
    }
    // Symbols that could not be read back.
    unread.add_failed(view);
    Ok(unread)
}

/// Returns what may declare the name at `range` of `path`, of which no declaration is known.
pub(crate) fn of_declaration(
    view: &View,
    path: &RelPath,
    range: TextRange,
    cancel: &Cancel,
) -> Result<UnsearchedFiles, Cancelled> {
    let text = view.snapshot.files.get(path.as_str()).and_then(|file| view.current(file).ok());
    let pattern =
        text.and_then(|current| NamePattern::parse(current.text.slice(range), Matching::Exact).ok());
    let Some(pattern) = pattern else { return Ok(UnsearchedFiles::default()) };
    let query = Query::in_project(pattern, Locals::Excluded);
    unsearched_for_query(view, &query, 0, cancel)
}

/// Returns what lies at or beneath `path` and was not searched, or not completely.
pub fn within(view: &View, path: &RelPath) -> UnsearchedFiles {
    let mut unread = UnsearchedFiles::default();
    let all = NeededWords::default();
    let any = std::slice::from_ref(&all);
    add_skipped(&mut unread, view, view.snapshot.skipped_with(any, path), &all);
    for file in view.snapshot.broken_with(any, path) {
        unread.add(Obstacle::Broken, file.path.clone());
    }
    for (directory, why) in view.snapshot.unlisted.iter().filter(|(directory, _)| directory.is_within(path)) {
        unread.add(Obstacle::Unlisted(why.clone()), directory.clone());
    }
    unread.add_failed(view);
    unread
}

/// Returns what may hold the word `name`, in files of any language.
pub(crate) fn unsearched_for_word(view: &View, name: &str) -> UnsearchedFiles {
    let needed = NeededWords::of_name(name);
    let mut unread = UnsearchedFiles::default();
    add_skipped(
        &mut unread,
        view,
        view.snapshot.skipped_with(std::slice::from_ref(&needed), &RelPath::root()),
        &needed,
    );
    unread
}

/// Returns what may name the target, or one of `more` (names of related symbols).
pub(crate) fn unsearched_for_target(
    view: &View,
    target: &Target,
    more: &[String],
    cancel: &Cancel,
) -> Result<UnsearchedFiles, Cancelled> {
    let mut unread = UnsearchedFiles::default();
    let row = target.file.outline().and_then(|outline| outline.rows.get(target.row));
    if row.is_some_and(symd_syntax::Row::is_local) {
        return Ok(unread);
    }
    let names: Vec<NeededWords> =
        std::iter::once(&target.name).chain(more).map(|name| NeededWords::of_name(name)).collect();
    for file in view.snapshot.skipped_with(&names, &RelPath::root()) {
        cancel.check()?;
        if !can_name(view, file, target) {
            continue;
        }
        if let Some(obstacle) = names.iter().find_map(|needed| obstacle(view, file, needed)) {
            unread.add(obstacle, file.path.clone());
        }
    }
    for (directory, why) in view.snapshot.unlisted.iter() {
        unread.add(Obstacle::Unlisted(why.clone()), directory.clone());
    }
    unread.add_failed(view);
    let places = resolve::accessor_places(view, &target.resolved(), cancel)?;
    let doubtful = || places.iter().filter(|place| !place.is_certain);
    let mut names: Vec<&str> = doubtful().map(|place| place.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut files: Vec<&RelPath> = doubtful().map(|place| &place.path).collect();
    files.dedup();
    files.into_iter().for_each(|file| unread.add(Obstacle::Accessors(names.join(", ")), file.clone()));
    Ok(unread)
}

/// Returns the files with syntax errors, in a language whose types are known, that hold the target's name at a place which is not
/// `listed`: around an error types tell nothing, and what stands there may be anything. The target's own file is one where an error hides
/// its package.
pub(crate) fn broken_around(
    view: &View,
    target: &Target,
    listed: &HashSet<(&RelPath, u32)>,
    cancel: &Cancel,
) -> Result<UnsearchedFiles, Cancelled> {
    let mut unread = UnsearchedFiles::default();
    let is_local = || target.resolved().row().is_some_and(|(_, row)| row.is_local());
    if !resolve::has_types(&target.file) || is_local() {
        return Ok(unread);
    }
    let names = [NeededWords::of_name(&target.name)];
    for file in view.snapshot.broken_with(&names, &RelPath::root()) {
        cancel.check()?;
        if !resolve::has_types(file) {
            continue;
        }
        let Ok(current) = view.current(file) else { continue };
        let is_missing = |at: usize| {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            !listed.contains(&(&file.path, at))
        };
        let text = current.text.as_str();
        let lacks_package = || file.path == target.file.path && resolve::may_lack_package(file, text);
        if whole_words(text, &target.name).any(is_missing) || lacks_package() {
            unread.add(Obstacle::BrokenWithName, file.path.clone());
        }
    }
    Ok(unread)
}

/// Returns the files with syntax errors that may inherit from the target, or override it: they contain its
/// name, or one of `kin` (names of related types). For a member of `class`, they contain its name and also
/// that of the class or one of `kin`.
pub(crate) fn unsearched_for_heirs(
    view: &View,
    target: &Target,
    (class, kin): (Option<&str>, &[String]),
    cancel: &Cancel,
) -> Result<UnsearchedFiles, Cancelled> {
    let mut unread = UnsearchedFiles::default();
    let all = class.into_iter().chain(kin.iter().map(String::as_str)).chain([&*target.name]);
    let all: Vec<NeededWords> = all.map(NeededWords::of_name).collect();
    for file in view.snapshot.broken_with(&all, &RelPath::root()) {
        cancel.check()?;
        if !can_name(view, file, target) {
            continue;
        }
        let stands = |name: &str| file.holds(name) || view.may_hold(&file.path, &NeededWords::of_name(name));
        let has_kin = || class.into_iter().chain(kin.iter().map(String::as_str)).any(stands);
        let has_it = match class {
            Some(_) => stands(&target.name) && has_kin(),
            None => stands(&target.name) || has_kin(),
        };
        if has_it {
            unread.add(Obstacle::BrokenWithName, file.path.clone());
        }
    }
    Ok(unread)
}

/// Whether a file that was not parsed is in a language that can name the target. A file of unknown language
/// may be.
fn can_name(view: &View, file: &FileEntry, target: &Target) -> bool {
    let Some(language) = view.languages.language_of(&file.path) else { return true };
    let grammar = view.languages.get(language).grammar.as_deref();
    match (grammar, target.file.grammar()) {
        (Some(grammar), Some(own)) => resolve::grammars_share_names(grammar, own.name()),
        _ => Some(language) == target.language,
    }
}

/// Adds those of these files that may hold what is searched for.
fn add_skipped<'f>(
    unread: &mut UnsearchedFiles,
    view: &View,
    files: impl Iterator<Item = &'f Arc<FileEntry>>,
    needed: &NeededWords,
) {
    for file in files {
        if let Some(obstacle) = obstacle(view, file, needed) {
            unread.add(obstacle, file.path.clone());
        }
    }
}

/// Returns why the file was not searched; `None` if it was, or cannot hold what is searched for.
fn obstacle(view: &View, file: &FileEntry, needed: &NeededWords) -> Option<Obstacle> {
    let Content::Skipped { why, .. } = &file.content else { return None };
    let obstacle = match why {
        Skipped::Unreadable => return Some(Obstacle::Unreadable(reason(view, &file.path))),
        Skipped::TooLarge => Obstacle::TooLarge,
        Skipped::Binary => Obstacle::Binary,
        Skipped::Unparsable => Obstacle::Unparsable,
        Skipped::StillParsing => Obstacle::StillParsing,
    };
    view.may_hold(&file.path, needed).then_some(obstacle)
}

/// Returns the system's message when the file is read once more.
fn reason(view: &View, path: &RelPath) -> String {
    match view.files.read_at(path, 0, 1) {
        Err(VfsError::Io { source, .. }) => said(&source),
        _ => "the error may be temporary; ask again".to_owned(),
    }
}

/// Returns the system's message without its error number.
fn said(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

fn clause_of_all(obstacle: &Obstacle, paths: &[RelPath]) -> String {
    let (names, count) = (names(paths), paths.len());
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    match obstacle {
        Obstacle::TooLarge => format!("{files} too large to be parsed: {names}"),
        Obstacle::Binary => format!("{files} with NUL bytes, which cannot be parsed: {names}"),
        Obstacle::Unparsable => {
            format!("{files} that the parser fails on: {names}; see `symd status`")
        }
        Obstacle::StillParsing => {
            format!("{files} still being parsed: {names}; ask again in a few seconds")
        }
        Obstacle::Broken | Obstacle::BrokenWithName => {
            format!("{files} with syntax errors, symbols may be missing: {names}")
        }
        Obstacle::Unreadable(_) | Obstacle::Unlisted(_) | Obstacle::Accessors(_) => clause(obstacle, paths),
    }
}

fn clause(obstacle: &Obstacle, paths: &[RelPath]) -> String {
    let names = names(paths);
    let count = paths.len();
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let (hold, its) = if count == 1 { ("holds", "its") } else { ("hold", "their") };
    match obstacle {
        Obstacle::Unreadable(why) => format!("{files} could not be read ({why}): {names}"),
        Obstacle::TooLarge => {
            format!("{files} too large to be parsed {hold} the name: {names}; {its} text can be searched")
        }
        Obstacle::Binary => format!("{files} with NUL bytes {hold} the name and cannot be parsed: {names}"),
        Obstacle::Unparsable => {
            format!(
                "{files} that the parser fails on {hold} the name: {names}; see `symd status` for the reason"
            )
        }
        Obstacle::StillParsing => {
            format!("{files} still being parsed {hold} the name: {names}; ask again in a few seconds")
        }
        Obstacle::Broken => format!("{files} with syntax errors {hold} the name and may declare it: {names}"),
        Obstacle::BrokenWithName => {
            format!("{files} with syntax errors {hold} the name and may hold further results: {names}")
        }
        Obstacle::Accessors(how) => {
            format!("{files} {hold} {how}, which may be the same member in Kotlin and Java: {names}")
        }
        Obstacle::Unlisted(why) => {
            let directories = if count == 1 { "directory" } else { "directories" };
            format!("{count} {directories} could not be listed ({why}): {names}")
        }
    }
}

fn names(paths: &[RelPath]) -> String {
    let shown: Vec<String> = paths.iter().take(NAMED).map(RelPath::to_string).collect();
    let named = shown.join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
