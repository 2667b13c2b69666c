//! The diagnostics of a file, a symbol or the project, from servers; without a server, the files with syntax
//! errors. Invariant: a language whose server did not answer is reported.

use std::collections::BTreeSet;

use super::Project;
use super::question::{QuestionError, no_language};
use super::spot::{Source, Spot};
use super::target::SymbolSelector;
use crate::find_symbol::{SymbolError, scope};
use crate::target::TargetError;
use symd_base::{Cancel, RelPath, TextRange};
use symd_config::LanguageId;
use symd_engine::View;
use symd_index::Scope;
use symd_lsp::{
    Diagnostic, DiagnosticCoverage, DiagnosticSubject, FileRef, ServerError, Severity, WaitPolicy,
};

/// The subject of a request for diagnostics.
#[derive(Clone, Debug)]
pub enum Of {
    /// One symbol: the diagnostics within it.
    Symbol(SymbolSelector),
    /// A file.
    File(String),
    /// The whole project.
    Project,
}

/// Parameters of `diagnostics`.
#[derive(Clone, Debug)]
pub struct AskDiagnostics {
    pub of: Of,
    /// The lowest severity to include.
    pub at_least: Severity,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// A diagnostic in a file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedDiagnostic {
    pub spot: Spot,
    pub diagnostic: Diagnostic,
}

/// The diagnostics found.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    /// The diagnostics, in path order, then by position, then by severity.
    pub found: Vec<LocatedDiagnostic>,
    /// Number of diagnostics omitted because their place is outside the text.
    pub dropped: usize,
    /// The servers that answered, by name.
    pub servers: BTreeSet<String>,
    /// Servers among these that reported only the files that they had examined of their own accord.
    pub partial: BTreeSet<String>,
    /// Why the other servers did not answer, one reason for each language.
    pub no_answer: Vec<ServerError>,
    /// Files of these languages with syntax errors, in path order.
    pub syntax_errors: Vec<RelPath>,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// The resolved subject of a request.
struct DiagnosticScope {
    subject: DiagnosticSubject,
    within: Option<TextRange>,
    languages: Vec<LanguageId>,
    unknown: Option<ServerError>,
    broken: Vec<(LanguageId, RelPath)>,
    revision: u64,
}

/// Requests diagnostics from the servers.
pub async fn diagnostics(project: &Project, ask: &AskDiagnostics) -> Result<Diagnostics, QuestionError> {
    project.on_one_view(|project| async move { once(&project, ask).await }).await
}

async fn once(project: &Project, ask: &AskDiagnostics) -> Result<Diagnostics, QuestionError> {
    let place = place(project, &ask.of).await?;
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut answer = Diagnostics {
        found: Vec::new(),
        dropped: 0,
        servers: BTreeSet::new(),
        partial: BTreeSet::new(),
        no_answer: place.unknown.clone().into_iter().collect(),
        syntax_errors: Vec::new(),
        revision: place.revision,
    };
    for &language in &place.languages {
        let said = project.servers.diagnostics(language, &place.subject, place.revision, ask.waiting).await;
        match said {
            Ok(said) => {
                // One server of two languages reports everything twice.
                if said.value.covers == DiagnosticCoverage::Published {
                    answer.partial.insert(said.server.clone());
                }
                if answer.servers.insert(said.server) || place.subject != DiagnosticSubject::Project {
                    told.extend(said.value.list);
                }
            }
            Err(changed @ ServerError::Changed { .. }) => return Err(changed.into()),
            Err(why) => {
                answer.no_answer.push(why);
                let of_it = place.broken.iter().filter(|(broken, _)| *broken == language);
                answer.syntax_errors.extend(of_it.map(|(_, path)| path.clone()));
            }
        }
    }
    answer.syntax_errors.sort();
    told.retain(|one| one.severity <= ask.at_least);
    let within = place.within;
    let found = project.with_view(move |view, cancel| checked(view, told, within, cancel)).await??;
    answer.dropped = found.1;
    answer.found = found.0;
    Ok(answer)
}

async fn place(project: &Project, of: &Of) -> Result<DiagnosticScope, QuestionError> {
    if let Of::Symbol(wanted) = of {
        let target = project.target(wanted).await?;
        return Ok(DiagnosticScope {
            subject: DiagnosticSubject::File(target.at.path.clone()),
            within: Some(target.range),
            languages: target.language.into_iter().collect(),
            unknown: target.language.is_none().then(|| no_language(&target.at.path)),
            broken: target
                .language
                .filter(|_| target.file.has_errors())
                .map_or_else(Vec::new, |language| vec![(language, target.at.path.clone())]),
            revision: target.at.revision,
        });
    }
    let (of, languages) = (of.clone(), project.languages.clone());
    let work = move |view: &View, _: &Cancel| {
        let subject = match &of {
            Of::File(path) => match scope(view, path)? {
                Scope::Within(path) if view.snapshot.files.get(path.as_str()).is_some() => {
                    DiagnosticSubject::File(path)
                }
                _ => return Err(SymbolError::IsDirectory(path.clone())),
            },
            Of::Project | Of::Symbol(_) => DiagnosticSubject::Project,
        };
        let within = match &subject {
            DiagnosticSubject::File(path) => path.clone(),
            DiagnosticSubject::Project => RelPath::root(),
        };
        let mut used = BTreeSet::new();
        let mut broken = Vec::new();
        for file in view.snapshot.files.within(&within) {
            let Some(language) = languages.language_of(&file.path) else { continue };
            // For the whole project, only languages that are code are included: not Markdown and the like.
            let known = languages.get(language);
            if subject != DiagnosticSubject::Project
                || known.grammar.is_some()
                || !known.language_servers.is_empty()
            {
                used.insert(language);
            }
            if file.has_errors() {
                used.insert(language);
                broken.push((language, file.path.clone()));
            }
        }
        let unknown = match &subject {
            DiagnosticSubject::File(path) if used.is_empty() => Some(no_language(path)),
            _ => None,
        };
        let languages = used.into_iter().collect();
        Ok(DiagnosticScope {
            subject,
            within: None,
            languages,
            unknown,
            broken,
            revision: view.snapshot.revision,
        })
    };
    Ok(project.with_view(work).await?.map_err(TargetError::from)?)
}

/// Returns the diagnostics that lie in their file's text (and in `within`), and the number of those outside
/// the text.
fn checked(
    view: &View,
    told: Vec<Diagnostic>,
    within: Option<TextRange>,
    cancel: &Cancel,
) -> Result<(Vec<LocatedDiagnostic>, usize), QuestionError> {
    let mut found = Vec::new();
    let mut dropped = 0;
    let mut told: Vec<Diagnostic> = told;
    told.sort_by(|a, b| {
        (&a.span.file, a.span.start, a.severity).cmp(&(&b.span.file, b.span.start, b.severity))
    });
    for of_file in told.chunk_by(|a, b| a.span.file == b.span.file) {
        cancel.check()?;
        let FileRef::Project(path) = &of_file[0].span.file else { continue };
        let Some(source) = Source::read(view, path) else {
            dropped += of_file.len();
            continue;
        };
        for diagnostic in of_file {
            let Some(range) = diagnostic.span.resolve(&source.text) else {
                dropped += 1;
                continue;
            };
            if within.is_some_and(|within| !(within.start <= range.start && range.start < within.end)) {
                continue;
            }
            found.push(LocatedDiagnostic { spot: source.spot(path, range), diagnostic: diagnostic.clone() });
        }
    }
    found.dedup();
    Ok((found, dropped))
}
