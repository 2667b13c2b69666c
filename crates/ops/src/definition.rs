//! Resolves a use of a name, or a symbol, to its declaration or to that of its type. Invariant: every place
//! inside the project lies within its file's text.

use super::Project;
use super::declared::{self, of_spans, of_targets};
use super::question::{QuestionError, Source, no_language};
use super::spot::whole_words;
use super::target::{SymbolSelector, Target, target};
use super::unsearched::{self, UnsearchedFiles};
use crate::find_symbol::SymbolError;
use crate::target::TargetError;
use symd_base::{Cancel, ContentHash, RelPath, Text, TextRange};
use symd_config::{LanguageId, Languages};
use symd_engine::View;
use symd_lsp::{DocumentPosition, Goto, ServerError, WaitPolicy};
use symd_resolve as resolve;

pub use declared::{Declarations, DeclaredSymbol};

/// The place or symbol that a client points at.
#[derive(Clone, Debug)]
pub enum Pointer {
    /// A symbol, by name path.
    Symbol(SymbolSelector),
    /// A name on a line.
    Use {
        relative_path: String,
        /// 0-based.
        line: usize,
        /// The name; its first occurrence on the line counts.
        name: String,
    },
    /// A name at its very place.
    Name {
        path: RelPath,
        /// In bytes of the text.
        range: TextRange,
        /// The content hash of the version to which `range` belongs.
        hash: ContentHash,
    },
}

/// The resolved position that a client points at.
#[derive(Clone, Debug)]
pub(super) struct ResolvedPointer {
    pub(super) at: DocumentPosition,
    pub(super) language: Option<LanguageId>,
    pub(super) name_range: TextRange,
    /// What the symbol's name was read as, if it is not a name path of the project.
    pub(super) read_as: Option<String>,
}

/// Parameters of `definition`.
#[derive(Clone, Debug)]
pub struct FindDefinition {
    /// The place or symbol to start from.
    pub from: Pointer,
    /// What to find: the definition, the declaration, or the type's definition.
    pub which: Goto,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// The definitions found.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The declarations; those from syntax are sorted best first.
    pub found: Declarations,
    /// Whether something else may be meant: nothing shows that one of them is.
    pub is_guess: bool,
    /// The source of the declarations.
    pub source: Source,
    /// What was not searched and may hold more.
    pub unread: UnsearchedFiles,
    /// What the symbol's name was read as, if it is not a name path of the project.
    pub read_as: Option<String>,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// Finds the definition, the declaration or the type's definition.
pub async fn definition(project: &Project, ask: &FindDefinition) -> Result<Definitions, QuestionError> {
    project.by_need(|project| async move { once(&project, ask).await }).await
}

async fn once(project: &Project, ask: &FindDefinition) -> Result<Definitions, QuestionError> {
    let pointed = project.resolve(&ask.from).await?;
    let (revision, read_as) = (pointed.at.revision, pointed.read_as.clone());
    let said = match project.language_at(&pointed) {
        Ok(language) => project.servers.goto(language, &pointed.at, ask.which, ask.waiting).await,
        Err(why) => Err(why),
    };
    let (found, is_guess, unread, source) = match said {
        Ok(said) => {
            let work = move |view: &View, cancel: &Cancel| of_spans(view, &said.value, cancel);
            let found = project.with_view(work).await??;
            (found, false, UnsearchedFiles::default(), Source::Server(said.server))
        }
        Err(changed @ ServerError::Changed { .. }) => return Err(changed.into()),
        // Syntax cannot resolve types, so the reason is returned.
        Err(why) if ask.which == Goto::TypeDefinition => return Err(why.into()),
        Err(why) => {
            let work = move |view: &View, cancel: &Cancel| {
                let at = &pointed.at;
                let meant = resolve::definitions(view, &at.path, at.offset, cancel)?;
                let unread = match meant.declarations.as_slice() {
                    [] => unsearched::of_declaration(view, &at.path, pointed.name_range, cancel)?,
                    _ => UnsearchedFiles::default(),
                };
                Ok::<_, QuestionError>((of_targets(view, &meant.declarations), meant.is_guess, unread))
            };
            let (found, is_guess, unread) = project.with_view(work).await??;
            (found, is_guess, unread, Source::Syntax(why))
        }
    };
    Ok(Definitions { found, is_guess, source, unread, read_as, revision })
}

impl Project {
    /// Resolves what a client points at to a position.
    pub(super) async fn resolve(&self, from: &Pointer) -> Result<ResolvedPointer, QuestionError> {
        let (from, languages) = (from.clone(), self.languages.clone());
        self.with_view(move |view, cancel| resolve_pointer(view, &languages, &from, cancel)).await?
    }

    pub(super) fn language_at(&self, pointed: &ResolvedPointer) -> Result<LanguageId, ServerError> {
        let path = &pointed.at.path;
        self.asked_about(pointed.language.ok_or_else(|| no_language(path))?, path)
    }
}

fn resolve_pointer(
    view: &View,
    languages: &Languages,
    from: &Pointer,
    cancel: &Cancel,
) -> Result<ResolvedPointer, QuestionError> {
    match from {
        Pointer::Symbol(wanted) => {
            let Target { name_range, at, language, read_as, .. } = target(view, languages, wanted, cancel)?;
            Ok(ResolvedPointer { name_range, at, language, read_as })
        }
        Pointer::Use { relative_path, line, name } => on_line(view, languages, relative_path, *line, name),
        Pointer::Name { path, range, hash } => Ok(named_at(view, languages, path, (*range, *hash))),
    }
}

fn on_line(
    view: &View,
    languages: &Languages,
    relative_path: &str,
    line: usize,
    name: &str,
) -> Result<ResolvedPointer, QuestionError> {
    // Validates the path in the same way as every symbol question.
    crate::find_symbol::scope(view, relative_path).map_err(TargetError::from)?;
    let path =
        RelPath::new(relative_path).map_err(|error| TargetError::from(SymbolError::Locate(error.into())))?;
    let Some(file) = view.snapshot.files.get(path.as_str()) else {
        return Err(TargetError::from(SymbolError::IsDirectory(relative_path.to_owned())).into());
    };
    let Some(grammar) = file.grammar() else {
        return Err(QuestionError::Place(format!("{path} is not in a language with a grammar")));
    };
    let current = view.current(file).map_err(SymbolError::from).map_err(TargetError::from)?;
    let Some(text) = current.text.line(line) else {
        return Err(QuestionError::Place(format!(
            "{path} has {}, there is no line {}",
            count_of_lines(&current.text),
            line + 1
        )));
    };
    let Some(column) = whole_words(text, name).next() else {
        return Err(QuestionError::Place(format!(
            "line {} of {path} does not hold the name {name:?}; it reads: {}",
            line + 1,
            text.trim()
        )));
    };
    let offset = u32::try_from(current.text.line_start(line) + column).unwrap_or(u32::MAX);
    let length = u32::try_from(name.len()).unwrap_or(0);
    Ok(ResolvedPointer {
        language: languages.language_of(&path).or_else(|| languages.by_name(grammar.name())),
        name_range: TextRange::new(offset, offset.saturating_add(length)),
        at: DocumentPosition { path, offset, hash: current.hash, revision: view.snapshot.revision },
        read_as: None,
    })
}

fn named_at(
    view: &View,
    languages: &Languages,
    path: &RelPath,
    (range, hash): (TextRange, ContentHash),
) -> ResolvedPointer {
    let grammar = || view.snapshot.files.get(path.as_str()).and_then(|file| file.grammar());
    let language = languages.language_of(path).or_else(|| languages.by_name(grammar()?.name()));
    let at =
        DocumentPosition { path: path.clone(), offset: range.start, hash, revision: view.snapshot.revision };
    ResolvedPointer { at, language, name_range: range, read_as: None }
}

/// Formats the number of lines; the empty one behind a final line break does not count.
pub(super) fn count_of_lines(text: &Text) -> String {
    let is_empty_last = text.as_str().is_empty() || text.as_str().ends_with(['\n', '\r']);
    match text.line_count() - usize::from(is_empty_last) {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    }
}

/// Returns a pointer to a symbol of the project, which may be a parameter or a local variable.
pub fn pointer_to(name_path: &str, relative_path: &str) -> Pointer {
    Pointer::Symbol(SymbolSelector::only(name_path, relative_path))
}
