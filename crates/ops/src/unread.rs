//! What an answer about symbols has not looked into and may lack therefore: files that cannot be read or parsed,
//! directories that cannot be listed. Invariant: what could hold the answer is named, or counted; what could not is not
//! spoken of.

use std::collections::BTreeMap;

use super::needed_words::NeededWords;
use super::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;
use symd_index::{Content, FileEntry, Locals, Query, Scope, Skipped};
use symd_resolve as resolve;
use symd_syntax::NamePattern;
use symd_syntax::name_path::Matching;
use symd_vfs::VfsError;

/// Names that are told of one kind.
const NAMED: usize = 3;

/// What was not looked into, by what is in the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread(BTreeMap<Obstacle, Vec<RelPath>>);

/// What is in the way of looking into files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Obstacle {
    /// The system does not let us read them; what it said of one.
    Unreadable(String),
    /// They are too large.
    TooLarge,
    /// They hold NUL bytes.
    Binary,
    /// Their parser does not get through them.
    Unparsable,
    /// Their parser is still at them.
    OnTrial,
    /// The parser met text it could not make sense of.
    Broken,
    /// The same, and the name stands there: what is made of it may be wrong.
    Misread,
    /// They name it as the other of Kotlin and Java does; how.
    Accessors(String),
    /// Directories that the system does not let us list; what it said.
    Unlisted(String),
}

impl Unread {
    /// Whether everything was looked into.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all that was not looked into is being parsed: the same question may know more in a moment.
    pub fn is_being_parsed(&self) -> bool {
        !self.is_empty() && self.0.keys().all(|obstacle| *obstacle == Obstacle::OnTrial)
    }

    /// What was not, a clause for each obstacle, with names and the next step.
    pub fn clauses(&self) -> Vec<String> {
        self.0.iter().map(|(obstacle, paths)| clause(obstacle, paths)).collect()
    }

    /// The same for those files alone of which no symbol is known.
    pub fn clauses_of_unknown(&self) -> Vec<String> {
        let known = [Obstacle::Broken, Obstacle::Misread];
        let unknown = self.0.iter().filter(|(obstacle, _)| !known.contains(obstacle));
        unknown.map(|(obstacle, paths)| clause(obstacle, paths)).collect()
    }

    /// The same where no name was looked for but all there is.
    pub fn clauses_of_all(&self) -> Vec<String> {
        self.0.iter().map(|(obstacle, paths)| clause_of_all(obstacle, paths)).collect()
    }

    /// Adds what another part of the answer did not look into.
    pub fn join(&mut self, other: Unread) {
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

    /// The files that this question could not read though it should have.
    fn add_failed(&mut self, view: &View) {
        for path in view.failed() {
            let obstacle = Obstacle::Unreadable(reason(view, &path));
            if !self.0.get(&obstacle).is_some_and(|known| known.contains(&path)) {
                self.add(obstacle, path);
            }
        }
    }
}

/// What may hold symbols that `query` asks for, where `found` of them were found.
pub fn of_query(view: &View, query: &Query, found: usize, cancel: &Cancel) -> Result<Unread, Cancelled> {
    let mut unread = Unread::default();
    let snapshot = &view.snapshot;
    if snapshot.unsure.is_empty() && snapshot.unlisted.is_empty() {
        return Ok(unread);
    }
    let needed = NeededWords::of_pattern(&query.pattern);
    for file in snapshot.unsure.iter().filter_map(|path| snapshot.files.get(path.as_str())) {
        cancel.check()?;
        let is_in_scope = match &query.scope {
            Scope::Project => true,
            Scope::Within(directory) => file.path.is_within(directory),
        };
        if let Some(obstacle) = obstacle(view, file, &needed).filter(|_| is_in_scope) {
            unread.add(obstacle, file.path.clone());
        } else if is_in_scope && found == 0 && may_declare(view, file, &needed) {
            unread.add(Obstacle::Broken, file.path.clone());
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
    Ok(unread)
}

/// What may declare the name that stands at `range` of `path`, where nothing is known to.
pub(crate) fn of_declaration(
    view: &View,
    path: &RelPath,
    range: TextRange,
    cancel: &Cancel,
) -> Result<Unread, Cancelled> {
    let text = view.snapshot.files.get(path.as_str()).and_then(|file| view.current(file).ok());
    let pattern =
        text.and_then(|current| NamePattern::parse(current.text.slice(range), Matching::Exact).ok());
    let Some(pattern) = pattern else { return Ok(Unread::default()) };
    let query = Query {
        pattern,
        scope: Scope::Project,
        include_kinds: Vec::new(),
        exclude_kinds: Vec::new(),
        locals: Locals::LeftOut,
    };
    of_query(view, &query, 0, cancel)
}

/// What lies at or beneath `path` and was not looked into, or not wholly.
pub fn within(view: &View, path: &RelPath) -> Unread {
    let mut unread = Unread::default();
    let unsure = view.snapshot.unsure.iter().filter(|file| file.is_within(path));
    for file in unsure.filter_map(|file| view.snapshot.files.get(file.as_str())) {
        if let Some(obstacle) = obstacle(view, file, &NeededWords::default()) {
            unread.add(obstacle, file.path.clone());
        } else if file.outline().is_some_and(|outline| outline.has_errors) {
            unread.add(Obstacle::Broken, file.path.clone());
        }
    }
    for (directory, why) in view.snapshot.unlisted.iter().filter(|(directory, _)| directory.is_within(path)) {
        unread.add(Obstacle::Unlisted(why.clone()), directory.clone());
    }
    unread
}

/// What may hold the word `name`, in files of any language.
pub(crate) fn of_word(view: &View, name: &str) -> Unread {
    let needed = NeededWords::of_name(name);
    let mut unread = Unread::default();
    for file in view.snapshot.unsure.iter().filter_map(|path| view.snapshot.files.get(path.as_str())) {
        if let Some(obstacle) = obstacle(view, file, &needed) {
            unread.add(obstacle, file.path.clone());
        }
    }
    unread
}

/// What may name the target, or one of `more` (names of what is related to it).
pub(crate) fn of_target(
    view: &View,
    target: &Target,
    more: &[String],
    cancel: &Cancel,
) -> Result<Unread, Cancelled> {
    let mut unread = Unread::default();
    let row = target.file.outline().and_then(|outline| outline.rows.get(target.row));
    if row.is_some_and(symd_syntax::Row::is_local) {
        return Ok(unread);
    }
    let names: Vec<NeededWords> =
        std::iter::once(&target.name).chain(more).map(|name| NeededWords::of_name(name)).collect();
    for file in view.snapshot.unsure.iter().filter_map(|path| view.snapshot.files.get(path.as_str())) {
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
    let mut names: Vec<&str> = places.iter().map(|(.., name)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut files: Vec<&RelPath> = places.iter().map(|(path, ..)| path).collect();
    files.dedup();
    files.into_iter().for_each(|file| unread.add(Obstacle::Accessors(names.join(", ")), file.clone()));
    Ok(unread)
}

/// What may inherit from the target, or override it, in files that the parser made no sense of: they name it, or one of
/// `kin` (what is related to it). Of a member of `class` they name that or one of `kin` besides.
pub(crate) fn of_heirs(
    view: &View,
    target: &Target,
    (class, kin): (Option<&str>, &[String]),
    cancel: &Cancel,
) -> Result<Unread, Cancelled> {
    let mut unread = Unread::default();
    for file in view.snapshot.unsure.iter().filter_map(|path| view.snapshot.files.get(path.as_str())) {
        cancel.check()?;
        let Some(outline) = file.outline().filter(|_| can_name(view, file, target)) else { continue };
        let stands = |name: &str| {
            outline.occurrences.contains(name) || NeededWords::of_name(name).may_be_in(view, &file.path)
        };
        let has_kin = || class.into_iter().chain(kin.iter().map(String::as_str)).any(stands);
        let has_it = match class {
            Some(_) => stands(&target.name) && has_kin(),
            None => stands(&target.name) || has_kin(),
        };
        if has_it {
            unread.add(Obstacle::Misread, file.path.clone());
        }
    }
    Ok(unread)
}

/// Whether a file that was not parsed is of a language that can name the target. One without an extension may be of any.
fn can_name(view: &View, file: &FileEntry, target: &Target) -> bool {
    let Some(language) = view.languages.language_of(&file.path) else { return true };
    let grammar = view.languages.get(language).grammar.as_deref();
    match (grammar, target.file.grammar()) {
        (Some(grammar), Some(own)) => resolve::can_name(grammar, own.name()),
        _ => Some(language) == target.language,
    }
}

/// Why the file was not looked into; `None` where it was, or cannot hold what is looked for.
fn obstacle(view: &View, file: &FileEntry, needed: &NeededWords) -> Option<Obstacle> {
    let Content::Skipped { why, .. } = &file.content else { return None };
    let obstacle = match why {
        Skipped::Unreadable => return Some(Obstacle::Unreadable(reason(view, &file.path))),
        Skipped::TooLarge => Obstacle::TooLarge,
        Skipped::Binary => Obstacle::Binary,
        Skipped::Unparsable => Obstacle::Unparsable,
        Skipped::OnTrial => Obstacle::OnTrial,
    };
    needed.may_be_in(view, &file.path).then_some(obstacle)
}

/// Whether a file whose parse had errors may declare what no file is known to declare: the words stand in it.
fn may_declare(view: &View, file: &FileEntry, needed: &NeededWords) -> bool {
    file.outline().is_some_and(|outline| outline.has_errors) && needed.may_be_in(view, &file.path)
}

/// What the system says when the file is read once more.
fn reason(view: &View, path: &RelPath) -> String {
    match view.root.read_at(path, 0, 1) {
        Err(VfsError::Io { source, .. }) => said(&source),
        _ => "that may have passed; ask again".to_owned(),
    }
}

/// What the system said, without its number.
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
            format!("{files} that the parser does not get through: {names}; `symd status` says why")
        }
        Obstacle::OnTrial => {
            format!("{files} that the parser takes long over: {names}; ask again in a few seconds")
        }
        Obstacle::Broken | Obstacle::Misread => {
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
                "{files} that the parser does not get through {hold} the name: {names}; `symd status` says why"
            )
        }
        Obstacle::OnTrial => {
            format!(
                "{files} that the parser takes long over {hold} the name: {names}; ask again in a few seconds"
            )
        }
        Obstacle::Broken => format!("{files} with syntax errors {hold} the name and may declare it: {names}"),
        Obstacle::Misread => {
            format!(
                "{files} with syntax errors {hold} the name and may have more of what was asked for: {names}"
            )
        }
        Obstacle::Accessors(how) => {
            format!("{files} {hold} {how}, which may be the same between Kotlin and Java: {names}")
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
