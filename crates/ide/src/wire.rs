//! What `symd lsp` and a daemon tell each other over the daemon's socket, besides symd's own protocol: notifications,
//! which a daemon handles in the order in which they come, and requests of the daemon. Paths are relative to the project's
//! root, offsets count bytes of UTF-8.

use serde::{Deserialize, Serialize};

use crate::position::{LspPosition, LspRange};

/// Whether `method` is one of an editor's notifications.
pub fn is_of_editor(method: &str) -> bool {
    method.starts_with("symd/editor/") || method.starts_with("symd/buffer/")
}

/// The first notification: [`Attach`].
pub const ATTACH: &str = "symd/editor/attach";
/// All documents that the editor has open were sent: [`ToldDocuments`].
pub const TOLD: &str = "symd/editor/told";
/// A document was opened, or is sent again: [`OpenedBuffer`].
pub const OPEN: &str = "symd/buffer/open";
/// A document changed: [`ChangedBuffer`].
pub const CHANGE: &str = "symd/buffer/change";
/// The editor wrote a document to its file: [`NamedBuffer`].
pub const SAVE: &str = "symd/buffer/save";
/// A document was closed: [`NamedBuffer`].
pub const CLOSE: &str = "symd/buffer/close";
/// The editor's changes of a document do not fit its text, which is unknown from now on: [`NamedBuffer`].
pub const LOST: &str = "symd/buffer/lost";
/// The editor renamed a file or a directory: [`RenamedFile`].
pub const RENAMED: &str = "symd/buffer/renamed";
/// A request of the editor about code: [`Navigation`] → the result that LSP demands.
pub const NAVIGATE: &str = "symd/navigate";
/// A request of the daemon: change documents, [`WantedChanges`] → [`EditorReply`].
pub const APPLY: &str = "symd/editor/apply";
/// A request of the daemon: write a document to its file, [`WantedSave`] → [`EditorReply`].
pub const WRITE: &str = "symd/editor/write";
/// A request of the daemon: read the changed file of a document again, [`WantedReload`] → [`EditorReply`].
pub const RELOAD: &str = "symd/editor/reload";
/// A request of the daemon: push what the editor shows now ([`CONTEXT`], [`DIAGNOSTICS`], [`TERMINAL`]) →
/// [`EditorReply`], which comes after that.
pub const TELL: &str = "symd/editor/tell";
/// A request of the daemon: have the editor answer anything, which tells that it waits for nothing else → [`EditorReply`].
pub const GREET: &str = "symd/editor/greet";
/// A request of the daemon: have the user choose, [`WantedChoice`] → [`GivenChoice`].
pub const ASK: &str = "symd/editor/ask";
/// From the daemon: a choice is no longer needed: [`WithdrawnChoice`].
pub const WITHDRAW: &str = "symd/editor/withdraw";
/// From the daemon: a client's edit changed documents: [`EditedDocuments`].
pub const EDITED: &str = "symd/editor/edited";
/// The active file and the cursor: [`ShownContext`].
pub const CONTEXT: &str = "symd/editor/context";
/// The editor's own diagnostics, all of them: [`ShownDiagnostics`].
pub const DIAGNOSTICS: &str = "symd/editor/diagnostics";
/// The end of the editor's terminal: [`ShownTerminal`].
pub const TERMINAL: &str = "symd/editor/terminal";
/// From the daemon: it has not the text of a document that it should have, which must be sent again:
/// [`NamedBuffer`].
pub const RESEND: &str = "symd/buffer/resend";
/// From the daemon: what it is doing for a call that wants to hear of it.
pub const PROGRESS: &str = "symd/progress";
/// From the daemon: the user asked it to end, so it must not be started again for its own sake.
pub const STOPPING: &str = "symd/editor/stopping";

/// What `symd lsp` says about its editor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attach {
    /// The editor's name and version, for people.
    pub editor: String,
    /// Whether it makes changes of documents of a given version (`workspace/applyEdit`).
    #[serde(default)]
    pub applies: bool,
    /// Whether it saves documents on request (`symd/save`).
    #[serde(default)]
    pub saves: bool,
    /// Whether it reads changed files again on request (`symd/reload`).
    #[serde(default)]
    pub reloads: bool,
    /// Whether it tells what it shows when it is asked (`symd/editorContext`).
    #[serde(default)]
    pub tells: bool,
}

/// The end of what a connection begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldDocuments {
    /// The name under which the process of `symd lsp` is present.
    pub presence: String,
}

/// The text of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedBuffer {
    pub path: String,
    /// The editor's version of the text.
    pub version: i64,
    pub text: String,
    /// Whether `text` continues that of the notification before.
    #[serde(default)]
    pub continues: bool,
    /// Whether more of the text follows. Nothing of it is used before the end.
    #[serde(default)]
    pub unfinished: bool,
}

/// Changes of a document, each on the text that the one before left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedBuffer {
    pub path: String,
    /// The editor's version afterwards.
    pub version: i64,
    /// Start, end (exclusive) and the text that comes in their place.
    pub changes: Vec<(usize, usize, String)>,
    /// The length of the text afterwards.
    pub length: usize,
}

/// Changes that an editor is to make, all or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedChanges {
    /// What the edit is called in the editor.
    pub title: String,
    pub documents: Vec<WantedDocument>,
}

/// The changes of one document: all in offsets of the text with that version, in order and disjoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedDocument {
    pub path: String,
    pub version: i64,
    /// Start, end (exclusive) and the text that comes in their place.
    pub changes: Vec<(usize, usize, String)>,
}

/// A document that an editor is to save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedSave {
    pub path: String,
    /// The version that has the text to be saved. A later one has more than that.
    pub version: i64,
}

/// A document whose file an editor is to read again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedReload {
    pub path: String,
}

/// An editor's answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditorReply {
    /// Why it did not do it; `None` if it did.
    #[serde(default)]
    pub refused: Option<String>,
}

/// A question to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedChoice {
    pub message: String,
    /// The answers, in the order in which they are offered.
    pub answers: Vec<String>,
}

/// The user's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenChoice {
    /// The place of the answer among those that were offered, from 0; `None` if the question was dismissed.
    #[serde(default)]
    pub chosen: Option<usize>,
}

/// The request that need not be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithdrawnChoice {
    pub id: String,
}

/// An edit of a client, for the people who have its files open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedDocuments {
    /// The client that made it.
    pub by: String,
    pub title: String,
    /// Its number in the history.
    pub operation: u64,
    /// The files that are open in the editor.
    pub paths: Vec<String>,
}

/// The document that a notification is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBuffer {
    pub path: String,
}

/// A file or directory that the editor renamed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenamedFile {
    /// The old path.
    pub path: String,
    pub to: String,
}

/// A question about code. Its answer is in LSP's own form, ready for the editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Navigation {
    /// The position encoding of the answer, by LSP's name.
    pub encoding: String,
    pub question: NavigationQuestion,
}

/// What is asked. Offsets count bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NavigationQuestion {
    Definition {
        path: String,
        offset: u32,
    },
    Declaration {
        path: String,
        offset: u32,
    },
    TypeDefinition {
        path: String,
        offset: u32,
    },
    Implementation {
        path: String,
        offset: u32,
    },
    References {
        path: String,
        offset: u32,
        with_declaration: bool,
    },
    Hover {
        path: String,
        offset: u32,
    },
    DocumentSymbols {
        path: String,
    },
    /// In files of the languages with these LSP identifiers.
    WorkspaceSymbols {
        part: String,
        languages: Vec<String>,
    },
    /// The symbols at a place, as items of a call hierarchy or of a type hierarchy.
    HierarchyItems {
        path: String,
        offset: u32,
    },
    Callers {
        path: String,
        offset: u32,
    },
    Callees {
        path: String,
        offset: u32,
    },
    Supertypes {
        path: String,
        offset: u32,
    },
    Subtypes {
        path: String,
        offset: u32,
    },
    Renameable {
        path: String,
        offset: u32,
    },
    Rename {
        path: String,
        offset: u32,
        new_name: String,
    },
    Diagnostics {
        path: String,
    },
    /// What follows in other files, of the languages with these LSP identifiers, from files or directories that are
    /// about to be renamed: pairs of old and new path.
    MovedFiles {
        moved: Vec<(String, String)>,
        languages: Vec<String>,
    },
}

/// The active file of the editor; without `cursor` that file is outside the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownContext {
    #[serde(default)]
    pub cursor: Option<ShownCursor>,
}

/// A place in the active file. Positions are 0-based, characters are UTF-16 code units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownCursor {
    pub path: String,
    pub position: LspPosition,
    #[serde(default)]
    pub selection: Option<(LspRange, String)>,
    #[serde(default)]
    pub is_dirty: bool,
    /// First and last visible line, both inclusive.
    #[serde(default)]
    pub visible: Option<(u32, u32)>,
    #[serde(default)]
    pub is_inferred: bool,
}

/// The diagnostics that an editor shows for the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownDiagnostics {
    pub list: Vec<ShownDiagnostic>,
}

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownDiagnostic {
    pub path: String,
    /// 1 to 4, as in LSP; an error if it is missing.
    #[serde(default)]
    pub severity: Option<u8>,
    pub message: String,
    pub start: LspPosition,
    #[serde(default)]
    pub source: String,
}

/// The last lines of a terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownTerminal {
    pub lines: Vec<String>,
}

/// The most bytes of a text in one notification: even with every character escaped, the line stays below a
/// daemon's limit.
pub const TEXT_BYTES: usize = 256 * 1024;

/// Splits a document's text over as many notifications as it needs.
pub fn opened(path: &str, version: i64, text: &str) -> Vec<OpenedBuffer> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let mut end = rest.len().min(TEXT_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (part, left) = rest.split_at(end);
        let (continues, unfinished) = (!parts.is_empty(), !left.is_empty());
        let (path, text) = (path.to_owned(), part.to_owned());
        parts.push(OpenedBuffer { path, version, text, continues, unfinished });
        if left.is_empty() {
            return parts;
        }
        rest = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_sent_in_parts_that_make_it_up() {
        let text = format!("a{}", "é".repeat(TEXT_BYTES));
        let parts = opened("a.py", 7, &text);
        assert_eq!(parts.len(), 3);
        assert_eq!(parts.iter().map(|part| part.text.as_str()).collect::<String>(), text);
        let flags: Vec<_> = parts.iter().map(|part| (part.continues, part.unfinished)).collect();
        assert_eq!(flags, [(false, true), (true, true), (true, false)]);
        assert_eq!(opened("a.py", 7, "").len(), 1);
    }
}
