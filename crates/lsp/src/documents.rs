//! The table of documents that a server has open, with the version and text that it knows of each. The table
//! composes messages and sends none. Invariant: its content is what the server was sent, in the order in
//! which the messages were composed.

use std::collections::HashMap;
use std::sync::Arc;

use lsp_types::{Position, Range};
use serde_json::{Value, json};

use super::capabilities::{Sync, SyncKind};
use super::place;
use super::span::ColumnEncoding;
use symd_base::{ContentHash, RelPath, Text, TextRange};

/// The maximum number of open documents. Beyond it the document whose last request is the oldest is closed,
/// unless a request about it is in progress.
pub(crate) const OPEN_DOCUMENTS: usize = 32;

/// A file's text as it was read.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) hash: ContentHash,
    pub(crate) text: Text,
}

/// A document that the server has open.
#[derive(Debug)]
struct Document {
    uri: String,
    language_id: String,
    version: i32,
    /// Also held by requests in progress: a second holder keeps the document open.
    content: Arc<Content>,
    /// The clock when the content was read, and (`changed_at`) at the last noted change of the file.
    read_at: u64,
    changed_at: u64,
    asked_at: u64,
    /// The number of diagnostics publications received before this version was sent.
    published_before: u64,
}

/// The state of a document as the server knows it.
#[derive(Clone, Debug)]
pub(crate) struct SentDocument {
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) content: Arc<Content>,
    /// The number of diagnostics publications received before this version was sent; those with a higher
    /// number came afterwards.
    pub(crate) published_before: u64,
}

/// All open documents.
#[derive(Debug)]
pub(crate) struct Documents {
    sync: Sync,
    encoding: ColumnEncoding,
    open: HashMap<RelPath, Document>,
    /// A logical clock that orders reads of files, changes of files and requests.
    clock: u64,
    /// The clock of the last noted change of any file.
    last_change: u64,
    last_version: i32,
}

/// A notification to be sent: method and parameters.
pub(crate) type Message = (&'static str, Value);

impl Documents {
    pub(crate) fn new(sync: Sync, encoding: ColumnEncoding) -> Documents {
        Documents { sync, encoding, open: HashMap::new(), clock: 0, last_change: 0, last_version: 0 }
    }

    /// Advances the clock. A file that is read after this call is at least as new as the changes noted before
    /// it.
    pub(crate) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Notes that a file was changed or deleted.
    pub(crate) fn changed(&mut self, path: &RelPath) {
        let now = self.tick();
        self.last_change = now;
        if let Some(document) = self.open.get_mut(path) {
            document.changed_at = now;
        }
    }

    /// Returns the open documents whose file changed since it was read, sorted.
    pub(crate) fn stale(&self) -> Vec<RelPath> {
        let stale = self.open.iter().filter(|(_, document)| document.changed_at > document.read_at);
        let mut stale: Vec<RelPath> = stale.map(|(path, _)| path.clone()).collect();
        stale.sort_unstable();
        stale
    }

    /// Returns the state of a document as the server knows it; `None` if it is not open.
    pub(crate) fn sent_state(&self, path: &RelPath) -> Option<SentDocument> {
        self.open.get(path).map(|document| SentDocument {
            uri: document.uri.clone(),
            version: document.version,
            content: Arc::clone(&document.content),
            published_before: document.published_before,
        })
    }

    /// Notes that a request is about this document.
    pub(crate) fn asked(&mut self, path: &RelPath) {
        let now = self.tick();
        if let Some(document) = self.open.get_mut(path) {
            document.asked_at = now;
        }
    }

    /// Replaces a document's content by what was read at `read_at`, unless a later read is known. Returns the
    /// messages that notify the server.
    pub(crate) fn update(
        &mut self,
        path: &RelPath,
        content: Content,
        read_at: u64,
        published_before: u64,
    ) -> Vec<Message> {
        let Some(document) = self.open.get_mut(path) else { return Vec::new() };
        if document.read_at >= read_at {
            return Vec::new();
        }
        document.read_at = read_at;
        if document.content.hash == content.hash {
            return Vec::new();
        }
        self.last_version += 1;
        document.version = self.last_version;
        document.published_before = published_before;
        let before = std::mem::replace(&mut document.content, Arc::new(content));
        change(self.sync, self.encoding, document, &before.text)
    }

    /// Opens a document that is not open. Returns the messages that notify the server.
    pub(crate) fn open(
        &mut self,
        path: &RelPath,
        (uri, language_id): (String, String),
        content: Content,
        read_at: u64,
        published_before: u64,
    ) -> Vec<Message> {
        self.last_version += 1;
        let document = Document {
            uri,
            language_id,
            version: self.last_version,
            content: Arc::new(content),
            read_at,
            // Changes noted while the file was being read did not mark it, because it was not open yet: treat
            // the last change of any file as one of this file.
            changed_at: self.last_change,
            asked_at: self.tick(),
            published_before,
        };
        let messages = if self.sync.opens { vec![did_open(&document)] } else { Vec::new() };
        self.open.insert(path.clone(), document);
        messages
    }

    /// Closes a document if it is open. Returns the messages that notify the server.
    pub(crate) fn close(&mut self, path: &RelPath) -> Vec<Message> {
        let Some(document) = self.open.remove(path) else { return Vec::new() };
        if self.sync.opens { vec![did_close(&document.uri)] } else { Vec::new() }
    }

    /// Closes the documents beyond [`OPEN_DOCUMENTS`] that no request in progress holds.
    pub(crate) fn evict(&mut self) -> Vec<Message> {
        let surplus = self.open.len().saturating_sub(OPEN_DOCUMENTS);
        if surplus == 0 {
            return Vec::new();
        }
        let idle = self.open.iter().filter(|(_, document)| Arc::strong_count(&document.content) == 1);
        let mut idle: Vec<(u64, RelPath)> =
            idle.map(|(path, document)| (document.asked_at, path.clone())).collect();
        idle.sort_unstable();
        idle.iter().take(surplus).flat_map(|(_, path)| self.close(path)).collect()
    }
}

fn did_open(document: &Document) -> Message {
    let Document { uri, language_id, version, content, .. } = document;
    let text = content.text.as_str();
    let item = json!({"uri": uri, "languageId": language_id, "version": version, "text": text});
    ("textDocument/didOpen", json!({"textDocument": item}))
}

fn did_close(uri: &str) -> Message {
    ("textDocument/didClose", json!({"textDocument": {"uri": uri}}))
}

/// Composes the messages that notify the server of a document's new text.
fn change(sync: Sync, encoding: ColumnEncoding, document: &Document, before: &Text) -> Vec<Message> {
    let Document { uri, version, content, .. } = document;
    let text = &content.text;
    let change = match sync.change {
        SyncKind::Full => json!({"text": text.as_str()}),
        SyncKind::Incremental => {
            let (old, new) = difference(before.as_str(), text.as_str());
            let at = |offset| Position::from(place::of_offset(before, offset, encoding));
            let range = Range { start: at(old.start), end: at(old.end) };
            json!({"range": range, "text": text.slice(new)})
        }
        SyncKind::None if sync.opens => return vec![did_close(uri), did_open(document)],
        // The server reads files itself.
        SyncKind::None => return Vec::new(),
    };
    let document = json!({"uri": uri, "version": version});
    vec![("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}))]
}

/// Returns the range of the old text and the range of the new text that replaces it.
fn difference(old: &str, new: &str) -> (TextRange, TextRange) {
    let both = old.bytes().zip(new.bytes());
    let mut prefix = both.take_while(|(a, b)| a == b).count();
    // LSP has no position within a line break or a character, so the ranges must not begin or end there.
    while prefix > 0 && !(is_place(old, prefix) && is_place(new, prefix)) {
        prefix -= 1;
    }
    let rest = old[prefix..].bytes().rev().zip(new[prefix..].bytes().rev());
    let mut suffix = rest.take_while(|(a, b)| a == b).count();
    while suffix > 0 && !(is_place(old, old.len() - suffix) && is_place(new, new.len() - suffix)) {
        suffix -= 1;
    }
    let range = |text: &str| {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        TextRange::new(offset(prefix), offset(text.len() - suffix))
    };
    (range(old), range(new))
}

fn is_place(text: &str, at: usize) -> bool {
    let inside_break = at > 0 && text.as_bytes()[at - 1] == b'\r' && text.as_bytes().get(at) == Some(&b'\n');
    text.is_char_boundary(at) && !inside_break
}
