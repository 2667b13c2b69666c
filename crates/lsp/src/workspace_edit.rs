//! Edits requested by servers, in symd's types: `WorkspaceEdit` in both its forms (LSP 3.17), including
//! annotations and file operations. Nothing is validated against a text or applied here; `ops` and `edit` do
//! that. Invariant: the server's order of steps is kept.

use super::span::{FileRef, Span};
use symd_base::ContentHash;

/// An edit that a server requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceEdit {
    /// The steps in the server's order.
    pub steps: Vec<EditStep>,
    /// The texts of the change annotations (`changeAnnotations`), each once.
    pub notes: Vec<String>,
}

/// One step of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditStep {
    /// Text edits of one document.
    Text {
        file: FileRef,
        /// The hash of the content that the server was last sent of the document; `None` if the server read
        /// the file itself.
        seen: Option<ContentHash>,
        /// The edits in the server's order; all positions refer to the text before any of them.
        edits: Vec<SpanEdit>,
    },
    /// Create a file (`CreateFile`).
    Create {
        file: FileRef,
        /// What to do if the file exists.
        existing: IfExists,
    },
    /// Rename a file (`RenameFile`).
    Rename {
        /// The current name.
        from: FileRef,
        /// The new name.
        to: FileRef,
        /// What to do if a file with the new name exists.
        existing: IfExists,
    },
    /// Delete a file (`DeleteFile`).
    Delete {
        file: FileRef,
        /// What to do if the file does not exist.
        missing: IfMissing,
    },
}

/// One replacement of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanEdit {
    /// The replaced range as the server sent it, not validated.
    pub span: Span,
    pub new_text: String,
}

/// What to do if the name exists already (`overwrite` takes precedence over `ignoreIfExists`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// Refuse the whole edit.
    Refuse,
    /// Skip this step.
    Skip,
    /// Replace the existing file.
    Replace,
}

/// What to do if a file to be deleted does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfMissing {
    /// Refuse the whole edit.
    Refuse,
    /// Skip this step.
    Skip,
}

/// A server's answer to a rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameResult {
    /// The range that the server would rename (`textDocument/prepareRename`); `None` if it does not support
    /// that or sends no range.
    pub prepared: Option<Span>,
    pub edit: WorkspaceEdit,
}

/// A formatter's indentation where the project does not configure it (LSP 3.17, `FormattingOptions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Formatting {
    /// The columns of a tab or of one level of indentation.
    pub tab_size: u32,
    /// The characters of one level.
    pub indent: Indent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Indent {
    Spaces,
    Tabs,
}
