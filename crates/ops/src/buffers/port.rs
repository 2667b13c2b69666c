//! The way to an editor, which another layer provides.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use symd_base::RelPath;
use symd_edit::OperationId;
use tokio::task::JoinSet;
use tokio::time::Instant;

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

    /// Asks for a document to be written to its file, if it still has this version.
    fn save(&self, document: RelPath, version: i64) -> EditorAnswer;

    /// Asks for the changed file of a saved document to be read again.
    fn reload(&self, document: RelPath) -> EditorAnswer;
}

/// A document of an editor: the editor's number, and the path by which it knows the document.
pub(super) type DocumentKey = (u64, RelPath);

/// Waits for answers of editors, each about one document, until `deadline`, and for all at once: none waits for another.
/// Returns why documents were refused; `late` is the reason where there is no answer.
pub(super) async fn problems_of(
    asked: impl IntoIterator<Item = (DocumentKey, EditorAnswer)>,
    deadline: Instant,
    late: &str,
) -> BTreeMap<DocumentKey, String> {
    let answers: JoinSet<_> = asked
        .into_iter()
        .map(|(document, answer)| async move { (document, tokio::time::timeout_at(deadline, answer).await) })
        .collect();
    let problem = |(document, answer)| match answer {
        Ok(Ok(())) => None,
        Ok(Err(why)) => Some((document, why)),
        Err(_) => Some((document, late.to_owned())),
    };
    answers.join_all().await.into_iter().filter_map(problem).collect()
}
