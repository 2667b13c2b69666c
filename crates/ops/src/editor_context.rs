//! What the user's editors show: the active file, the cursor and the selection, the editor's own diagnostics,
//! the end of its terminal. Kept as the editors push it, in memory only; an editor that answers is asked before an
//! agent is told. Invariant: what an editor pushed is gone when that editor is ([`ConnectedEditor`]), and every part
//! has a bound.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Project;
use crate::buffers::EditorAnswer;
use symd_base::{RelPath, Timestamp};
use symd_lsp::Severity;

/// How many of a terminal's last lines are kept.
pub const TERMINAL_LINES: usize = 50;
/// How many characters of a selected text, of a message and of a terminal's line are kept.
pub const MAX_CHARS: usize = 16 * 1024;
/// How many diagnostics of one editor are kept, the first ones that it reports.
pub const MAX_DIAGNOSTICS: usize = 1_000;

/// How long an editor may take to tell what it shows now. One that is busy is taken at its last word.
const ASK_DEADLINE: Duration = Duration::from_millis(300);

/// The way to an editor that tells what it shows when it is asked, which another layer provides.
pub trait ContextPort: Debug + Send + Sync {
    /// Has the editor push where its cursor is, and what else it shows; that was done when the future ends.
    fn ask(&self) -> EditorAnswer;
}

/// What one editor shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorContext {
    /// The editor's name, as it introduced itself.
    pub editor: String,
    /// The active file; `None` if the user looks at no file of this project.
    pub cursor: Option<EditorCursor>,
    /// The diagnostics of the editor, of all its sources; `None` if it never reported any, which says nothing
    /// about the files. An empty list says that there are none.
    pub diagnostics: Option<Vec<EditorDiagnostic>>,
    /// Where these are from.
    pub diagnostics_origin: DiagnosticsOrigin,
    /// The last lines of the terminal that was used last, at most [`TERMINAL_LINES`]; `None` if the editor
    /// does not report them.
    pub terminal: Option<Vec<String>>,
    /// When the editor pushed the newest part.
    pub at: Timestamp,
}

/// Where the diagnostics of an editor's context are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticsOrigin {
    /// The editor reported them.
    Editor,
    /// symd's servers, about the active file ([`crate::stand_in_diagnostics`]): the editor reports none.
    Symd,
}

/// The active file of an editor and the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorCursor {
    pub file: RelPath,
    pub position: EditorPosition,
    /// The selected text; `None` if nothing is selected or the editor does not say.
    pub selection: Option<EditorSelection>,
    /// Whether the buffer has changes that are not saved. Of an inferred cursor [`shown_now`] tells it.
    pub is_dirty: bool,
    /// First and last visible line, 0-based, both inclusive.
    pub visible: Option<(u32, u32)>,
    /// Whether the position is that of the editor's last request about a place, because it reports no cursor.
    pub is_inferred: bool,
}

/// A place in a text of an editor, as LSP counts: both 0-based, the character in UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EditorPosition {
    pub line: u32,
    pub character: u32,
}

/// A selected text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorSelection {
    pub start: EditorPosition,
    /// Just past the last selected character.
    pub end: EditorPosition,
    /// The text, cut after [`MAX_CHARS`] characters.
    pub text: String,
}

/// A diagnostic that an editor shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorDiagnostic {
    pub file: RelPath,
    pub severity: Severity,
    pub message: String,
    pub start: EditorPosition,
    /// What reported it, such as `eslint`; empty if the editor does not say.
    pub source: String,
}

/// Returns what the editor shows now that pushed last ([`EditorContexts::current`]).
pub async fn shown_now(project: &Project) -> Option<EditorContext> {
    let mut context = project.editor_contexts.current().await?;
    // An editor that reports no cursor does not say either whether its document is saved.
    if let Some(cursor) = context.cursor.as_mut().filter(|cursor| cursor.is_inferred) {
        cursor.is_dirty = project.buffers.is_unsaved_in(&context.editor, &cursor.file);
    }
    Some(context)
}

/// What all editors of a project show.
#[derive(Debug, Default)]
pub struct EditorContexts(Mutex<ContextsByEditor>);

#[derive(Debug, Default)]
struct ContextsByEditor {
    /// By the editor's number; with the number of its newest push.
    by_editor: BTreeMap<u64, (u64, EditorContext)>,
    /// The editors that can be asked.
    ports: BTreeMap<u64, Arc<dyn ContextPort>>,
    /// Number of editors and of pushes so far.
    editors: u64,
    pushes: u64,
}

impl EditorContexts {
    /// Adds an editor. What it pushes is kept until the returned value is dropped.
    /// `port` is the way to ask it, if it answers.
    pub fn connect(
        self: &Arc<EditorContexts>,
        name: &str,
        port: Option<Arc<dyn ContextPort>>,
    ) -> ConnectedEditor {
        let mut contexts = self.contexts();
        contexts.editors += 1;
        let number = contexts.editors;
        contexts.ports.extend(port.map(|port| (number, port)));
        ConnectedEditor { number, name: name.to_owned(), contexts: Arc::clone(self) }
    }

    /// Returns what the editor shows now that pushed last, or, if none ever did, one that answers. An editor that
    /// does not answer in time is taken at its last word.
    pub async fn current(&self) -> Option<EditorContext> {
        let port = {
            let contexts = self.contexts();
            let last = contexts.by_editor.iter().max_by_key(|(_, (push, _))| *push);
            match last {
                Some((number, _)) => contexts.ports.get(number).cloned(),
                None => contexts.ports.values().next_back().cloned(),
            }
        };
        if let Some(port) = port {
            let _ = tokio::time::timeout(ASK_DEADLINE, port.ask()).await;
        }
        self.latest()
    }

    /// Returns what the editor shows that pushed last; `None` if no connected editor ever did.
    pub fn latest(&self) -> Option<EditorContext> {
        let contexts = self.contexts();
        let (_, newest) = contexts.by_editor.values().max_by_key(|(push, _)| *push)?;
        Some(newest.clone())
    }

    fn contexts(&self) -> MutexGuard<'_, ContextsByEditor> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One editor, connected until this is dropped.
#[derive(Debug)]
pub struct ConnectedEditor {
    number: u64,
    name: String,
    contexts: Arc<EditorContexts>,
}

impl ConnectedEditor {
    /// Sets the active file; `None` if the user looks at no file of the project.
    pub fn set_cursor(&self, mut cursor: Option<EditorCursor>) {
        if let Some(selection) = cursor.as_mut().and_then(|cursor| cursor.selection.as_mut()) {
            cut(&mut selection.text);
        }
        self.push(|context| context.cursor = cursor);
    }

    /// Replaces all diagnostics of the editor.
    pub fn set_diagnostics(&self, mut diagnostics: Vec<EditorDiagnostic>) {
        diagnostics.truncate(MAX_DIAGNOSTICS);
        for diagnostic in &mut diagnostics {
            cut(&mut diagnostic.message);
        }
        self.push(|context| context.diagnostics = Some(diagnostics));
    }

    /// Replaces the end of the terminal.
    pub fn set_terminal(&self, mut lines: Vec<String>) {
        lines.drain(..lines.len().saturating_sub(TERMINAL_LINES));
        lines.iter_mut().for_each(cut);
        self.push(|context| context.terminal = Some(lines));
    }

    fn push(&self, change: impl FnOnce(&mut EditorContext)) {
        let mut contexts = self.contexts.contexts();
        contexts.pushes += 1;
        let push = contexts.pushes;
        let (newest, context) = contexts.by_editor.entry(self.number).or_insert_with(|| {
            let editor = self.name.clone();
            let (cursor, diagnostics, terminal) = (None, None, None);
            let (diagnostics_origin, at) = (DiagnosticsOrigin::Editor, Timestamp::now());
            (push, EditorContext { editor, cursor, diagnostics, diagnostics_origin, terminal, at })
        });
        *newest = push;
        context.at = Timestamp::now();
        change(context);
    }
}

impl Drop for ConnectedEditor {
    fn drop(&mut self) {
        let mut contexts = self.contexts.contexts();
        contexts.by_editor.remove(&self.number);
        contexts.ports.remove(&self.number);
    }
}

fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(file: &str) -> EditorCursor {
        let position = EditorPosition { line: 3, character: 7 };
        let file = RelPath::new(file).unwrap();
        EditorCursor { file, position, selection: None, is_dirty: false, visible: None, is_inferred: false }
    }

    fn active(contexts: &EditorContexts) -> Option<String> {
        Some(contexts.latest()?.cursor?.file.to_string())
    }

    #[test]
    fn the_editor_that_pushed_last_counts_until_it_is_gone() {
        let contexts = Arc::<EditorContexts>::default();
        let (vim, emacs) = (contexts.connect("vim", None), contexts.connect("emacs", None));
        assert_eq!(contexts.latest(), None);
        vim.set_cursor(Some(cursor("a.py")));
        emacs.set_cursor(Some(cursor("b.py")));
        assert_eq!(active(&contexts).as_deref(), Some("b.py"));
        vim.set_terminal(vec!["$ make".to_owned()]);
        assert_eq!(active(&contexts).as_deref(), Some("a.py"));
        drop(vim);
        assert_eq!(active(&contexts).as_deref(), Some("b.py"));
        emacs.set_cursor(None);
        assert_eq!(active(&contexts), None);
        assert_eq!(contexts.latest().map(|context| context.editor).as_deref(), Some("emacs"));
        drop(emacs);
        assert_eq!(contexts.latest(), None);
    }

    #[test]
    fn every_part_has_a_bound() {
        let contexts = Arc::<EditorContexts>::default();
        let vim = contexts.connect("vim", None);
        vim.set_terminal((0..80).map(|line| line.to_string()).collect());
        let (start, end) =
            (EditorPosition { line: 0, character: 0 }, EditorPosition { line: 9, character: 0 });
        let selection = Some(EditorSelection { start, end, text: "é".repeat(MAX_CHARS + 1) });
        vim.set_cursor(Some(EditorCursor { selection, ..cursor("a.py") }));
        let context = contexts.latest().unwrap();
        let terminal = context.terminal.unwrap();
        assert_eq!((terminal.len(), terminal[0].as_str()), (TERMINAL_LINES, "30"));
        assert_eq!(context.cursor.unwrap().selection.unwrap().text.chars().count(), MAX_CHARS);
        assert_eq!(context.diagnostics, None);
    }
}
