//! Edits that servers ask for, in our types: `WorkspaceEdit` in both its forms (LSP 3.17), annotations and file operations
//! included. Nothing is checked against a text here, and nothing is applied: that is `ops`' and `edit`'s. Invariant: the
//! server's order of steps is kept.

use super::span::{FileRef, Span};
use symd_base::ContentHash;

/// What a server wants changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceEdit {
    /// In the server's order.
    pub steps: Vec<EditStep>,
    /// What the server says about its changes (`changeAnnotations`), each once.
    pub notes: Vec<String>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditStep {
    /// Changes of one document.
    Text {
        /// Which file.
        file: FileRef,
        /// The content that the server was last told of the document; `None` where it read the file itself.
        seen: Option<ContentHash>,
        /// In the server's order; all positions are those of the text before any of them.
        edits: Vec<SpanEdit>,
    },
    /// A file is made (`CreateFile`).
    Create {
        /// Where.
        file: FileRef,
        /// What if it is there.
        existing: Existing,
    },
    /// A file gets another name (`RenameFile`).
    Rename {
        /// Its name now.
        from: FileRef,
        /// Its new name.
        to: FileRef,
        /// What if something of that name is there.
        existing: Existing,
    },
    /// A file is removed (`DeleteFile`).
    Delete {
        /// Which.
        file: FileRef,
        /// What if it is not there.
        missing: Missing,
    },
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanEdit {
    /// What is replaced, as the server sent it: unchecked.
    pub span: Span,
    /// What takes its place.
    pub new_text: String,
}

/// What to do where the name is taken already (`overwrite` wins over `ignoreIfExists`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is done at all.
    Refuse,
    /// This step is left out.
    Skip,
    /// It is replaced.
    Replace,
}

/// What to do where a file to be removed is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing is done at all.
    Refuse,
    /// This step is left out.
    Skip,
}

/// What a server says to a rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// What it says stands there (`textDocument/prepareRename`); `None` where it cannot be asked, or only says yes.
    pub prepared: Option<Span>,
    /// The edit.
    pub edit: WorkspaceEdit,
}

/// How a formatter is to indent where the project does not say (LSP 3.17, `FormattingOptions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Formatting {
    /// Columns of a tab, or of a level of indentation.
    pub tab_size: u32,
    /// What a level is made of.
    pub indent: Indent,
}

/// What indentation is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Indent {
    /// Spaces.
    Spaces,
    /// Tabs.
    Tabs,
}
