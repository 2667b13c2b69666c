//! A daemon's answers to an editor's questions about code, in LSP's own form: `symd lsp` passes them on unread.

mod results;

use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use self::results::{
    CallItem, DiagnosticReport, DocumentSymbol, HoverResult, IncomingCall, LocatedRange, OutgoingCall,
    Prepared, SymbolInformation, WorkspaceEditResult, by_file,
};
use crate::wire::{Navigation, NavigationQuestion};
use symd_base::{PathError, RelPath};
use symd_lsp::{ColumnEncoding, Goto, Span, WaitPolicy};
use symd_ops::Project;
use symd_ops::at_place::{
    AnswerForm, DeclarationUses, HierarchyItem, TextPlace, definitions_at, diagnostics_of,
    edits_of_moved_files, hierarchy, hover_at, references_at, rename_at, renameable_at, symbols_at,
    symbols_matching, symbols_of,
};
use symd_ops::question::QuestionError;
use symd_ops::relations::Relation;

/// How long diagnostics wait for a server that is not ready. Longer than other requests: the user does not wait for them.
const DIAGNOSTICS_WAIT: Duration = Duration::from_secs(60);

/// How long renaming files in the editor waits for a server that is not ready: the user waits for it.
const MOVED_FILES_WAIT: Duration = Duration::from_secs(5);

/// Answers a question; the error is for people. Dropping the future stops the work.
pub async fn answer(project: &Project, params: Value) -> Result<Box<RawValue>, String> {
    let asked: Navigation = serde_json::from_value(params).map_err(|error| error.to_string())?;
    let encoding = ColumnEncoding::from_lsp_name(&asked.encoding)
        .ok_or_else(|| format!("symd knows no position encoding {}", asked.encoding))?;
    let form = AnswerForm { encoding, waiting: waiting(&asked.question) };
    let (is_brief, of) = (is_brief(&asked.question), asked.question);
    let answer = async move |project: Project| {
        let question = Question { project: &project, root: project.root(), form };
        // Boxed: questions go through many futures.
        Box::pin(question.answer(of)).await
    };
    match is_brief {
        true => project.on_one_thread(answer).await.map_err(|error| error.to_string())?,
        false => answer(project.clone()).await,
    }
}

/// How long a question waits for a server. An editor does not mark what is only possible, so questions about places wait for a ready
/// server for as long as a request may take. If it does not answer by then, or did not answer the last request, syntax answers.
fn waiting(question: &NavigationQuestion) -> WaitPolicy {
    use NavigationQuestion as Of;
    match question {
        Of::Definition { .. }
        | Of::Declaration { .. }
        | Of::TypeDefinition { .. }
        | Of::Implementation { .. }
        | Of::References { .. }
        | Of::Callers { .. }
        | Of::Callees { .. }
        | Of::Supertypes { .. }
        | Of::Subtypes { .. }
        | Of::HierarchyItems { .. }
        | Of::Renameable { .. }
        | Of::Rename { .. } => WaitPolicy::ForAnswer,
        Of::Diagnostics { .. } => WaitPolicy::Until(Instant::now() + DIAGNOSTICS_WAIT),
        Of::MovedFiles { .. } => WaitPolicy::Until(Instant::now() + MOVED_FILES_WAIT),
        Of::Hover { .. } | Of::DocumentSymbols { .. } | Of::WorkspaceSymbols { .. } => WaitPolicy::DontWait,
    }
}

/// Whether a question waits for nothing but ready servers' answers.
fn is_brief(question: &NavigationQuestion) -> bool {
    use NavigationQuestion as Of;
    !matches!(question, Of::Rename { .. } | Of::MovedFiles { .. } | Of::Diagnostics { .. })
}

/// What all questions need.
#[derive(Clone, Copy)]
struct Question<'p> {
    project: &'p Project,
    root: &'p Path,
    form: AnswerForm,
}

impl Question<'_> {
    async fn answer(self, asked: NavigationQuestion) -> Result<Box<RawValue>, String> {
        use NavigationQuestion as Of;
        let (project, root, form) = (self.project, self.root, self.form);
        match asked {
            Of::Definition { path, offset } => self.goto(&path, offset, Goto::Definition).await,
            Of::Declaration { path, offset } => self.goto(&path, offset, Goto::Declaration).await,
            Of::TypeDefinition { path, offset } => self.goto(&path, offset, Goto::TypeDefinition).await,
            Of::Implementation { path, offset } => self.goto(&path, offset, Goto::Implementation).await,
            Of::References { path, offset, with_declaration } => {
                let uses = match with_declaration {
                    true => DeclarationUses::Included,
                    false => DeclarationUses::Excluded,
                };
                self.located(references_at(project, &place(&path, offset)?, uses, form).await)
            }
            Of::Hover { path, offset } => {
                let text = known(hover_at(project, &place(&path, offset)?, form).await)?.flatten();
                raw(&text.map(HoverResult::markdown))
            }
            Of::DocumentSymbols { path } => {
                let symbols = known(symbols_of(project, &rel(&path)?, form.encoding).await)?;
                let symbols = symbols.unwrap_or_default();
                raw(&symbols.iter().map(DocumentSymbol::of).collect::<Vec<DocumentSymbol<'_>>>())
            }
            Of::WorkspaceSymbols { part, languages } => {
                let found = symbols_matching(project, &part, &languages, form.encoding).await;
                let found = known(found)?.unwrap_or_default();
                let found = found.iter().map(|one| SymbolInformation::of(root, one));
                raw(&found.collect::<Vec<SymbolInformation<'_>>>())
            }
            Of::HierarchyItems { path, offset } => {
                let items = known(symbols_at(project, &place(&path, offset)?, form).await)?;
                let items = items.unwrap_or_default();
                raw(&items.iter().map(|one| CallItem::of(root, one)).collect::<Vec<CallItem<'_>>>())
            }
            Of::Callers { path, offset } => {
                let found = self.hierarchy(&path, offset, Relation::Callers).await?;
                raw(&found.iter().map(|one| IncomingCall::of(root, one)).collect::<Vec<IncomingCall<'_>>>())
            }
            Of::Callees { path, offset } => {
                let found = self.hierarchy(&path, offset, Relation::Callees).await?;
                raw(&found.iter().map(|one| OutgoingCall::of(root, one)).collect::<Vec<OutgoingCall<'_>>>())
            }
            Of::Supertypes { path, offset } => self.types(&path, offset, Relation::Supertypes).await,
            Of::Subtypes { path, offset } => self.types(&path, offset, Relation::Subtypes).await,
            Of::Renameable { path, offset } => {
                let range = known(renameable_at(project, &place(&path, offset)?, form).await)?.flatten();
                raw(&range.as_ref().map(Prepared::of))
            }
            Of::Rename { path, offset, new_name } => {
                let rename = rename_at(project, &place(&path, offset)?, &new_name, form).await?;
                raw(&WorkspaceEditResult::of(root, &rename))
            }
            Of::MovedFiles { moved, languages } => {
                let moved = moved.iter().map(|(from, to)| Ok((rel(from)?, rel(to)?)));
                let moved = moved.collect::<Result<Vec<(RelPath, RelPath)>, String>>()?;
                let edits = edits_of_moved_files(project, &moved, &languages, form).await?;
                raw(&WorkspaceEditResult::of(root, &edits))
            }
            Of::Diagnostics { path } => {
                let told = known(diagnostics_of(project, &rel(&path)?, form).await)?.flatten();
                raw(&DiagnosticReport::of(told.unwrap_or_default()))
            }
        }
    }

    async fn goto(self, path: &str, offset: u32, which: Goto) -> Result<Box<RawValue>, String> {
        self.located(definitions_at(self.project, &place(path, offset)?, which, self.form).await)
    }

    fn located(self, found: Result<Vec<Span>, QuestionError>) -> Result<Box<RawValue>, String> {
        let found = known(found)?.unwrap_or_default();
        let files = by_file(self.root, &found);
        let mut all = Vec::with_capacity(found.len());
        for (uri, spans) in &files {
            all.extend(spans.iter().map(|span| LocatedRange::within(uri, span)));
        }
        raw(&all)
    }

    async fn hierarchy(
        self,
        path: &str,
        offset: u32,
        relation: Relation,
    ) -> Result<Vec<HierarchyItem>, String> {
        let found = hierarchy(self.project, &place(path, offset)?, relation, self.form).await;
        Ok(known(found)?.unwrap_or_default())
    }

    async fn types(self, path: &str, offset: u32, relation: Relation) -> Result<Box<RawValue>, String> {
        let found = self.hierarchy(path, offset, relation).await?;
        raw(&found.iter().map(|one| CallItem::of(self.root, &one.symbol)).collect::<Vec<CallItem<'_>>>())
    }
}

/// Separates what is not known, for which an editor shows nothing, from what failed.
fn known<T>(answer: Result<T, QuestionError>) -> Result<Option<T>, String> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(QuestionError::Target(_) | QuestionError::Place(_) | QuestionError::NoAnswer(_)) => Ok(None),
        Err(error @ (QuestionError::Engine(_) | QuestionError::Cancelled(_) | QuestionError::Lacking)) => {
            Err(error.to_string())
        }
    }
}

fn place(path: &str, offset: u32) -> Result<TextPlace, String> {
    Ok(TextPlace { path: rel(path)?, offset })
}

fn rel(path: &str) -> Result<RelPath, String> {
    RelPath::new(path).map_err(|error: PathError| error.to_string())
}

fn raw(result: &impl Serialize) -> Result<Box<RawValue>, String> {
    to_raw_value(result).map_err(|error| error.to_string())
}
