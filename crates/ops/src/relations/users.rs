//! The users of one symbol: all of its references, calls or not, grouped by enclosing function, and the
//! callers that only a server's call hierarchy has. Invariant: possible gaps are reported with the users.

use std::collections::BTreeMap;

use super::callers::{add, hierarchy};
use super::level::{FileLocation, PlacesBySymbol, SymbolKey, SymbolSummary, party_of, top_level};
use crate::Project;
use crate::question::{QuestionError, Source};
use crate::references::{Completeness, Reference, References, judge, of_judged};
use crate::target::{Target, declared_at};
use crate::unsearched::UnsearchedFiles;
use symd_base::{Cancel, RelPath};
use symd_config::Languages;
use symd_engine::View;
use symd_lsp::{CallSite, WaitPolicy};
use symd_resolve::{Judgement, Role};

/// A symbol that uses another one, or a file that uses it at its top level.
#[derive(Clone, Debug)]
pub struct User {
    pub key: SymbolKey,
    pub summary: SymbolSummary,
    /// Places of the uses, by line. Empty if a server reports the call but not its place.
    pub places: Vec<UsePlace>,
    pub(crate) target: Option<Target>,
}

/// A place where a symbol is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsePlace {
    /// The 0-based line.
    pub line: u32,
    pub role: Role,
    /// Whether the place certainly refers to the symbol.
    pub is_likely: bool,
    /// The trimmed text of the line; empty if the line was not read.
    pub text: String,
}

/// Known and possible gaps in a list of users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserGaps {
    /// Likely uses that the server does not report; they are among the users, marked as uncertain.
    pub missing: usize,
    /// Occurrences of the name that a server does not report and syntax cannot judge.
    pub unchecked: usize,
    /// Files that import a symbol under another name whose uses are not followed, each with that name.
    pub renamed: Vec<(RelPath, String)>,
    /// Uses in files outside the project.
    pub outside: usize,
    /// The server, if it may still have been indexing while its answer was incomplete.
    pub maybe_indexing: Option<String>,
    /// What was not searched and may hold more.
    pub unread: UnsearchedFiles,
}

/// The users of one symbol.
#[derive(Clone, Debug)]
pub(crate) struct SymbolUsers {
    /// By file, then by position.
    pub(crate) list: Vec<User>,
    pub(crate) source: Source,
    pub(crate) gaps: UserGaps,
}

impl User {
    /// Whether any of its uses is certain.
    pub fn is_likely(&self) -> bool {
        self.places.is_empty() || self.places.iter().any(|place| place.is_likely)
    }

    /// Whether it calls the symbol.
    pub fn calls(&self) -> bool {
        self.places.is_empty()
            || self.places.iter().any(|place| matches!(place.role, Role::Call | Role::Operator))
    }

    /// Whether it only imports the symbol.
    pub fn only_imports(&self) -> bool {
        !self.places.is_empty() && self.places.iter().all(|place| place.role == Role::Import)
    }

    /// Returns its file as answers write it.
    pub fn file(&self) -> String {
        match &self.key.file {
            FileLocation::Project(path) => path.as_str().to_owned(),
            FileLocation::Outside(path) => path.display().to_string(),
        }
    }
}

impl UserGaps {
    /// Whether no gap is known; uses outside the project are not a gap.
    pub fn is_empty(&self) -> bool {
        *self == UserGaps { outside: self.outside, ..UserGaps::default() }
    }

    pub(crate) fn join(&mut self, other: UserGaps) {
        self.missing += other.missing;
        self.unchecked += other.unchecked;
        self.outside += other.outside;
        self.renamed.extend(other.renamed);
        self.renamed.sort();
        self.renamed.dedup();
        self.maybe_indexing = self.maybe_indexing.take().or(other.maybe_indexing);
        self.unread.join(other.unread);
    }
}

/// Finds the users of `of`.
pub(crate) async fn users(
    project: &Project,
    of: &Target,
    waiting: WaitPolicy,
) -> Result<SymbolUsers, QuestionError> {
    // Syntax judges while the server works.
    let (judged, said) =
        tokio::try_join!(judge(project, std::slice::from_ref(of)), hierarchy(project, of, waiting),)?;
    let found = of_judged(project, of, judged, waiting).await?;
    let calls = said.map(|said| said.value);
    let (source, gaps) = (found.source.clone(), gaps(&found));
    let languages = project.languages.clone();
    let work = move |view: &View, cancel: &Cancel| {
        gathered(view, &languages, &found, calls.as_deref().unwrap_or_default(), cancel)
    };
    let list = project.with_view(work).await??;
    Ok(SymbolUsers { list, source, gaps })
}

fn gaps(found: &References) -> UserGaps {
    let (missing, unchecked) = match (found.completeness, &found.source) {
        (Completeness::Incomplete { missing, .. }, _) => (missing, 0),
        (Completeness::Unchecked(unchecked), Source::Server(_)) => (0, unchecked),
        // Uses that syntax is uncertain of are among the users, and marked there.
        (Completeness::Unchecked(_), Source::Syntax(_)) | (Completeness::Complete, _) => (0, 0),
    };
    let is_indexing = found.maybe_indexing && found.completeness != Completeness::Complete;
    UserGaps {
        missing,
        unchecked,
        renamed: found
            .unfollowed_aliases()
            .into_iter()
            .map(|(path, alias)| (path.clone(), alias.to_owned()))
            .collect(),
        outside: found.outside.len(),
        maybe_indexing: is_indexing.then(|| found.source.name().to_owned()),
        unread: found.unread.clone(),
    }
}

fn gathered(
    view: &View,
    languages: &Languages,
    found: &References,
    calls: &[CallSite],
    cancel: &Cancel,
) -> Result<Vec<User>, QuestionError> {
    let mut all: BTreeMap<SymbolKey, (Vec<UsePlace>, Option<SymbolSummary>)> = BTreeMap::new();
    let told = found
        .list
        .iter()
        .chain(&found.possible)
        .chain(&found.in_other_languages)
        .map(|one| (one, one.judgement));
    let silent = found.unreported.iter().map(|one| (one, Judgement::Unchecked));
    for (Reference { spot, role, .. }, judgement) in told.chain(silent) {
        if *role == Role::Declaration {
            continue;
        }
        all.entry(SymbolKey::around(spot)).or_default().0.push(UsePlace {
            line: spot.line,
            role: *role,
            is_likely: judgement == Judgement::Likely,
            text: spot.around.line.trim().to_owned(),
        });
    }
    let (of_hierarchy, _): (PlacesBySymbol, _) = add(view, calls, cancel)?;
    for (key, lines, summary) in of_hierarchy.into_parts() {
        let (places, known) = all.entry(key).or_default();
        *known = known.take().or(summary);
        for line in lines {
            if !places.iter().any(|place| place.line == line) {
                places.push(UsePlace { line, role: Role::Call, is_likely: true, text: String::new() });
            }
        }
    }
    let user = |(key, (mut places, summary)): (SymbolKey, (Vec<UsePlace>, Option<SymbolSummary>))| {
        places.sort_by_key(|place| place.line);
        let target = match (&key.file, key.at) {
            (FileLocation::Project(path), Some(at)) => declared_at(view, languages, path, at),
            _ => None,
        };
        let summary = target.as_ref().map(party_of).or(summary).unwrap_or_else(|| top_level(&key));
        User { key, summary, places, target }
    };
    Ok(all.into_iter().map(user).collect())
}
