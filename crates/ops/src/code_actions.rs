//! Lists the titles of the code actions that a server offers for lines or a symbol. Applies nothing. Syntax
//! offers no actions.

use super::Project;
use super::definition::count_of_lines;
use super::question::{QuestionError, no_language};
use super::target::{SymbolSelector, TargetError};
use crate::find_symbol::{SymbolError, scope};
use symd_base::{Text, TextRange};
use symd_config::LanguageId;
use symd_engine::View;
use symd_index::{Content, Scope};
use symd_lsp::{CodeAction, DocumentPosition, WaitPolicy};

/// The place for which code actions are requested.
#[derive(Clone, Debug)]
pub enum Over {
    /// A whole symbol.
    Symbol(SymbolSelector),
    /// Lines of a file.
    Lines {
        relative_path: String,
        /// 0-based.
        first: usize,
        /// 0-based, inclusive.
        last: usize,
    },
}

/// Parameters of `code_actions`.
#[derive(Clone, Debug)]
pub struct AskCodeActions {
    pub over: Over,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// The offered code actions.
#[derive(Clone, Debug)]
pub struct CodeActions {
    /// The actions in the server's order.
    pub actions: Vec<CodeAction>,
    pub server: String,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// Asks a server for code actions.
pub async fn code_actions(project: &Project, ask: &AskCodeActions) -> Result<CodeActions, QuestionError> {
    project.on_one_view(|project| async move { once(&project, ask).await }).await
}

async fn once(project: &Project, ask: &AskCodeActions) -> Result<CodeActions, QuestionError> {
    let (at, range, language) = place(project, &ask.over).await?;
    let said = project.servers.code_actions(language, &at, range, ask.waiting).await?;
    Ok(CodeActions { actions: said.value, server: said.server, revision: at.revision })
}

/// Resolves the requested place and the language whose server is asked about it.
pub(super) async fn place(
    project: &Project,
    over: &Over,
) -> Result<(DocumentPosition, TextRange, LanguageId), QuestionError> {
    let (at, range, language) = match over {
        Over::Symbol(wanted) => {
            let target = project.target(wanted).await?;
            (target.at, target.range, target.language)
        }
        Over::Lines { relative_path, first, last } => {
            let (path, first, last) = (relative_path.clone(), *first, *last);
            let languages = project.languages.clone();
            let (at, range) = project.with_view(move |view, _| lines(view, &path, first, last)).await??;
            let language: Option<LanguageId> = languages.language_of(&at.path);
            (at, range, language)
        }
    };
    let language = language.ok_or_else(|| no_language(&at.path))?;
    Ok((at, range, language))
}

fn lines(
    view: &View,
    path: &str,
    first: usize,
    last: usize,
) -> Result<(DocumentPosition, TextRange), QuestionError> {
    let found = scope(view, path).map_err(TargetError::from)?;
    let file = match &found {
        Scope::Within(path) => view.snapshot.files.get(path.as_str()),
        Scope::Project => None,
    };
    let directory = || TargetError::from(SymbolError::IsDirectory(path.to_owned()));
    let file = file.ok_or_else(directory)?;
    let Content::Code { .. } = &file.content else {
        return Err(QuestionError::Place(format!("{path} is not in a language with a grammar")));
    };
    let current = view.current(file).map_err(SymbolError::from).map_err(TargetError::from)?;
    let range = range_of(path, &current.text, first, last)?;
    let at = DocumentPosition {
        path: file.path.clone(),
        offset: range.start,
        hash: current.hash,
        revision: view.snapshot.revision,
    };
    Ok((at, range))
}

/// Returns the range of the lines `first` to `last` (0-based, inclusive) of `text`, without the last line's
/// line break. `path` is the client's name for the file.
pub(super) fn range_of(
    path: &str,
    text: &Text,
    first: usize,
    last: usize,
) -> Result<TextRange, QuestionError> {
    if first > last || last >= text.line_count() {
        return Err(QuestionError::Place(format!(
            "{path} has {}; lines {} to {} are not a valid range",
            count_of_lines(text),
            first + 1,
            last + 1
        )));
    }
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let end = text.line_start(last) + text.line(last).map_or(0, str::len);
    Ok(TextRange::new(offset(text.line_start(first)), offset(end)))
}
