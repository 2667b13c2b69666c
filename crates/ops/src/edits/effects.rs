//! The effects of an edit: new diagnostics of the edited files, and after a rename in JavaScript or TypeScript of files that import them.
//! Only asks servers that are ready, under a short deadline, and reports what remains unknown. Invariant: a diagnostic counts as new only if the
//! answers before and after the edit are both known.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Project;
use crate::diagnostics::{AskDiagnostics, LocatedDiagnostic, Of, diagnostics};
use crate::spot::whole_words;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_lsp::{Severity, WaitPolicy};
use symd_resolve as resolve;

/// Time limit for the diagnostics before the edit, and again for those after it.
const DEADLINE: Duration = Duration::from_secs(2);

/// Maximum number of edited files asked about. Nothing is reported for more: a part would be mistaken for the whole.
const MAX_FILES: usize = 16;

/// Maximum number of other files asked about. What they show comes on top of what is promised.
const MAX_IMPORTERS: usize = 16;

/// Whether the diagnostics that an edit causes are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticsReport {
    /// They are reported, if a server can provide them.
    NewDiagnostics,
    /// They are not reported.
    Nothing,
}

/// The effects of an edit.
#[derive(Clone, Debug)]
pub enum EditEffects {
    /// The new diagnostics, according to these servers.
    Known {
        /// In path order, then by position.
        new: Vec<LocatedDiagnostic>,
        /// The servers' names.
        servers: Vec<String>,
    },
    /// The effects are unknown.
    Unknown(EffectsUnknown),
}

impl EditEffects {
    /// Returns the number of new diagnostics that are errors; none while they are unknown.
    pub fn new_errors(&self) -> usize {
        match self {
            EditEffects::Known { new, .. } => {
                new.iter().filter(|one| one.diagnostic.severity == Severity::Error).count()
            }
            EditEffects::Unknown(_) => 0,
        }
    }
}

/// Why the effects of an edit are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EffectsUnknown {
    /// No report was requested.
    NotAsked,
    /// No server for the languages of the edited files is ready.
    NotReady,
    /// The edit changes more files than are asked about.
    ManyFiles,
    /// The edit only removes files, so no file remains whose diagnostics could be compared.
    OnlyRemoved,
    /// A server did not answer in time, or not at all.
    NoAnswer,
}

/// The old and the new name of a symbol that an edit renames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewName {
    pub old: String,
    pub new: String,
}

/// The diagnostics before an edit.
#[derive(Debug)]
pub(crate) struct DiagnosticsBefore {
    /// Of the edited files.
    edited: Result<DiagnosticsSeen, EffectsUnknown>,
    /// Other files that the edit may affect, with theirs.
    importers: Option<(Vec<RelPath>, DiagnosticsSeen)>,
}

/// The number of diagnostics by file and by the properties that stay the same when lines move.
type Tally = BTreeMap<(RelPath, Severity, Option<String>, String), usize>;

#[derive(Debug, Default)]
struct DiagnosticsSeen {
    found: Vec<LocatedDiagnostic>,
    servers: Vec<String>,
}

/// Requests the current diagnostics of `files`. Files that do not exist yet have none.
pub(super) async fn before(
    project: &Project,
    report: DiagnosticsReport,
    files: &[RelPath],
) -> DiagnosticsBefore {
    match before_without_asking(project, report, files) {
        Some(before) => before,
        None => DiagnosticsBefore { edited: ask(project, files).await, importers: None },
    }
}

/// Requests the current diagnostics of the files that an edit, which renames a symbol, changes, and of those that import them.
pub(super) async fn before_rename(
    project: &Project,
    report: DiagnosticsReport,
    files: &[RelPath],
    name: &NewName,
) -> DiagnosticsBefore {
    let mut before = before(project, report, files).await;
    if before.edited.is_err() {
        return before;
    }
    let (paths, old) = (files.to_vec(), name.old.clone());
    let work = move |view: &View, cancel: &Cancel| {
        resolve::importers(view, &paths, &old, MAX_IMPORTERS, cancel).unwrap_or_default()
    };
    let others = project.with_view(work).await.unwrap_or_default();
    if !others.is_empty() {
        before.importers = ask(project, &others).await.ok().map(|seen| (others, seen));
    }
    before
}

/// Returns the current diagnostics of `files` if no server is asked about them.
pub(super) fn before_without_asking(
    project: &Project,
    report: DiagnosticsReport,
    files: &[RelPath],
) -> Option<DiagnosticsBefore> {
    if report == DiagnosticsReport::Nothing {
        return Some(DiagnosticsBefore { edited: Err(EffectsUnknown::NotAsked), importers: None });
    }
    let told = without_asking(project, files)?;
    Some(DiagnosticsBefore { edited: told, importers: None })
}

fn without_asking(project: &Project, files: &[RelPath]) -> Option<Result<DiagnosticsSeen, EffectsUnknown>> {
    if files.len() > MAX_FILES {
        return Some(Err(EffectsUnknown::ManyFiles));
    }
    if files.is_empty() {
        return Some(Ok(DiagnosticsSeen::default()));
    }
    let is_ready = files.iter().any(|path| has_ready_server(project, path));
    (!is_ready).then_some(Err(EffectsUnknown::NotReady))
}

/// Requests the diagnostics of the files again and returns the difference. `new_name` is the renaming that
/// the edit makes: earlier diagnostics may name the symbol by its old name, later ones by its new name.
pub(super) async fn caused(
    project: &Project,
    before: DiagnosticsBefore,
    files: &[RelPath],
    new_name: Option<NewName>,
) -> EditEffects {
    let mut told = match before.edited {
        Err(why) => return EditEffects::Unknown(why),
        Ok(told) => told,
    };
    if files.is_empty() {
        return EditEffects::Unknown(EffectsUnknown::OnlyRemoved);
    }
    // The servers receive the new texts through the index.
    if project.engine.wait_until_fresh().await.is_err() {
        return EditEffects::Unknown(EffectsUnknown::NoAnswer);
    }
    let mut now = match ask(project, files).await {
        Err(why) => return EditEffects::Unknown(why),
        Ok(now) => now,
    };
    if let Some((others, seen)) = before.importers
        && let Ok(later) = ask(project, &others).await
    {
        told.found.extend(seen.found);
        now.found.extend(later.found);
        let place = |one: &LocatedDiagnostic| (one.spot.path.clone(), one.spot.range.start);
        now.found.sort_by_key(place);
    }
    let key = |one: &LocatedDiagnostic| key(one, new_name.as_ref());
    let mut known = Tally::new();
    for one in &told.found {
        *known.entry(key(one)).or_default() += 1;
    }
    let is_new = |one: &LocatedDiagnostic| match known.get_mut(&key(one)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let mut new = now.found;
    new.retain(is_new);
    EditEffects::Known { new, servers: now.servers }
}

fn key(one: &LocatedDiagnostic, new_name: Option<&NewName>) -> (RelPath, Severity, Option<String>, String) {
    let diagnostic = &one.diagnostic;
    let message = match new_name {
        None => diagnostic.message.clone(),
        Some(name) => name.replaced(&diagnostic.message),
    };
    (one.spot.path.clone(), diagnostic.severity, diagnostic.code.clone(), message)
}

impl NewName {
    /// Replaces the old name by the new one wherever it occurs in `text` as a word.
    fn replaced(&self, text: &str) -> String {
        let mut replaced = String::new();
        let mut from = 0;
        for at in whole_words(text, &self.old) {
            replaced.push_str(&text[from..at]);
            replaced.push_str(&self.new);
            from = at + self.old.len();
        }
        replaced.push_str(&text[from..]);
        replaced
    }
}

async fn ask(project: &Project, files: &[RelPath]) -> Result<DiagnosticsSeen, EffectsUnknown> {
    if let Some(known) = without_asking(project, files) {
        return known;
    }
    let all = async {
        let mut told = DiagnosticsSeen::default();
        for path in files {
            let ask = AskDiagnostics {
                of: Of::File(path.as_str().to_owned()),
                at_least: Severity::Warning,
                waiting: WaitPolicy::DontWait,
            };
            let answer = diagnostics(project, &ask).await.map_err(|_| EffectsUnknown::NoAnswer)?;
            if has_ready_server(project, path) && !answer.no_answer.is_empty() {
                return Err(EffectsUnknown::NoAnswer);
            }
            told.found.extend(answer.found);
            told.servers.extend(answer.servers);
        }
        told.servers.sort();
        told.servers.dedup();
        Ok(told)
    };
    tokio::time::timeout(DEADLINE, all).await.unwrap_or(Err(EffectsUnknown::NoAnswer))
}

fn has_ready_server(project: &Project, path: &RelPath) -> bool {
    project.languages.language_of(path).is_some_and(|language| project.servers.is_ready(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_with_the_old_name_is_the_one_with_the_new() {
        let name = NewName { old: "go".to_owned(), new: "run".to_owned() };
        assert_eq!(
            name.replaced("`Self@go` has no attribute `gone`, go"),
            "`Self@run` has no attribute `gone`, run"
        );
        assert_eq!(name.replaced(""), "");
    }
}
