//! What the user's editor shows of an error, in lines and characters as people count them.

use super::Project;
use super::editor_context::{EditorContext, EditorDiagnostic, EditorPosition, shown_now};
use super::question::QuestionError;
use super::stand_in_diagnostics::with_stand_in;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text, Timestamp};
use symd_engine::View;
use symd_lsp::Severity;

/// What the editor that pushed last shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserErrorContext {
    /// The file that the user looks at, and the cursor in it; `None` if it is no file of this project.
    pub active: Option<(RelPath, CountedPosition)>,
    /// The selected text, if any is.
    pub selected: Option<String>,
    /// Those of the active file first, then by path and position. Where the editor never reported any, those of symd's servers;
    /// `None` if they have none to say either.
    pub diagnostics: Option<Vec<CountedDiagnostic>>,
    /// The last lines of the terminal; `None` if the editor does not report them.
    pub terminal: Option<Vec<String>>,
    /// When the newest part was pushed.
    pub at: Timestamp,
}

/// A place in a text: line and character, both from 1, characters being Unicode code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CountedPosition {
    pub line: usize,
    pub character: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedDiagnostic {
    pub file: RelPath,
    pub severity: Severity,
    pub message: String,
    pub position: CountedPosition,
    /// What reported it; empty if the editor does not say.
    pub source: String,
}

/// Whether diagnostics are part of the answer: their places take a read of each of their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticsPart {
    Shown,
    Omitted,
}

/// Returns what the editor that pushed last shows; `None` if no connected editor has pushed anything. Omitted
/// diagnostics are `None`.
pub async fn user_error_context(
    project: &Project,
    diagnostics: DiagnosticsPart,
) -> Result<Option<UserErrorContext>, QuestionError> {
    let Some(mut context) = shown_now(project).await else { return Ok(None) };
    match diagnostics {
        DiagnosticsPart::Omitted => context.diagnostics = None,
        DiagnosticsPart::Shown => context = with_stand_in(project, context).await,
    }
    let counted = project.with_view(move |view, cancel| counted(view, context, cancel)).await?;
    Ok(Some(counted?))
}

fn counted(view: &View, context: EditorContext, cancel: &Cancel) -> Result<UserErrorContext, Cancelled> {
    let mut texts = Texts { view, last: None };
    let active = context.cursor.as_ref().map(|cursor| {
        let position = texts.counted(&cursor.file, cursor.position);
        (cursor.file.clone(), position)
    });
    let active_file = active.as_ref().map(|(file, _)| file);
    let counted = context.diagnostics.map(|mut list| {
        // So that each file is read once, and one text is kept.
        list.sort_by(|a, b| a.file.cmp(&b.file));
        let each = list.into_iter().map(|one| {
            cancel.check()?;
            Ok(texts.diagnostic(one))
        });
        let mut list: Vec<CountedDiagnostic> = each.collect::<Result<_, Cancelled>>()?;
        list.sort_by(|a, b| {
            let key =
                |one: &CountedDiagnostic| (Some(&one.file) != active_file, one.file.clone(), one.position);
            key(a).cmp(&key(b))
        });
        Ok(list)
    });
    let diagnostics = counted.transpose()?;
    let selected = context.cursor.and_then(|cursor| cursor.selection).map(|selection| selection.text);
    Ok(UserErrorContext {
        active,
        selected: selected.filter(|text| !text.is_empty()),
        diagnostics,
        terminal: context.terminal,
        at: context.at,
    })
}

/// The texts of files as the editor shows them; the last one is kept.
struct Texts<'v> {
    view: &'v View,
    last: Option<(RelPath, Option<Text>)>,
}

impl Texts<'_> {
    fn diagnostic(&mut self, one: EditorDiagnostic) -> CountedDiagnostic {
        let position = self.counted(&one.file, one.start);
        let EditorDiagnostic { file, severity, message, source, .. } = one;
        CountedDiagnostic { file, severity, message, position, source }
    }

    /// Converts a place. In a file that cannot be read, UTF-16 code units count as characters.
    fn counted(&mut self, file: &RelPath, at: EditorPosition) -> CountedPosition {
        let view = self.view;
        if self.last.as_ref().is_none_or(|(last, _)| last != file) {
            let bytes = view.files.read(file).ok().map(|read| read.bytes);
            self.last = Some((file.clone(), bytes.and_then(|bytes| Text::decode(bytes).ok())));
        }
        let text = self.last.as_ref().and_then(|(_, text)| text.as_ref());
        let line = at.line as usize;
        let before = text.and_then(|text| text.line(line)).map_or(at.character as usize, |text| {
            let mut units = 0;
            text.chars()
                .take_while(|c| {
                    units += c.len_utf16();
                    units <= at.character as usize
                })
                .count()
        });
        CountedPosition { line: line + 1, character: before + 1 }
    }
}
