//! The way to an editor, which another layer provides.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use symd_base::RelPath;
use symd_edit::OperationId;

use super::open_buffer::BufferChange;

/// What an editor can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferAbilities {
    /// It makes changes of a given version of a document, and refuses those of another one.
    pub applies: bool,
    /// It writes buffers to their files when it is asked to.
    pub saves: bool,
    /// It reads the changed files of saved buffers again when it is asked to.
    pub reloads: bool,
    /// It answers at once what it shows, without asking its user ([`EditorPort::greet`]).
    pub answers: bool,
}

/// The changes of one document of an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentChanges {
    /// The path by which the editor knows the document.
    pub path: RelPath,
    /// The version of the text for which the changes were made.
    pub version: i64,
    /// All in offsets of that text, in order and disjoint.
    pub changes: Vec<BufferChange>,
}

/// An edit, for the people who have its files open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditNotice {
    /// The client that made it.
    pub by: String,
    pub title: String,
    /// Its number in the history.
    pub operation: OperationId,
    /// The files that the editor has open, by the paths by which it knows them.
    pub files: Vec<RelPath>,
}

/// An answer of an editor; the error is its reason.
pub type EditorAnswer = Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

/// Requests to one editor.
pub trait EditorPort: Debug + Send + Sync {
    /// Asks for any answer, which needs no user. An editor that gives none is waiting for something else.
    fn greet(&self) -> EditorAnswer;

    /// Asks for changes of documents. That the editor says it made them proves nothing: its text does.
    fn apply(&self, changes: Vec<DocumentChanges>, title: String) -> EditorAnswer;

    /// Tells that a client's edit changed files that the editor has open.
    fn tell_edit(&self, edit: EditNotice);

    /// Asks for documents to be written to their files, if they still have these versions.
    fn save(&self, documents: Vec<(RelPath, i64)>) -> EditorAnswer;

    /// Asks for the changed files of saved documents to be read again.
    fn reload(&self, documents: Vec<RelPath>) -> EditorAnswer;
}
