//! Messages to daemons about documents, and to the editor about requests.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::documents::Document;
use super::link::Link;
use crate::wire::{self, LOST, NamedBuffer, OPEN};
use symd_rpc::write;

/// Returns a notification that names a document.
pub(super) fn named(method: &str, path: &str) -> Vec<u8> {
    write::notification(method, Some(NamedBuffer { path: path.to_owned() }))
}

/// Returns the notification that a request to the editor need not be answered.
pub(super) fn cancelled(id: u64) -> Vec<u8> {
    write::notification("$/cancelRequest", Some(serde_json::json!({ "id": id })))
}

/// Whether changes are too long for one notification.
pub(super) fn are_long(parts: &[(usize, usize, String)]) -> bool {
    // The numbers of a change take up to 64 bytes.
    parts.iter().map(|(_, _, text)| text.len() + 64).sum::<usize>() > wire::TEXT_BYTES
}

/// Returns the messages that tell a daemon all of a document.
pub(super) fn whole(document: &Document, path: &str, is_in_doubt: bool) -> Vec<Vec<u8>> {
    let parts = wire::opened(path, document.version, &document.text);
    let mut messages: Vec<Vec<u8>> =
        parts.into_iter().map(|part| write::notification(OPEN, Some(part))).collect();
    if is_in_doubt {
        messages.push(named(LOST, path));
    }
    messages
}

/// Sends messages about a document, made for its path beneath each root, to the daemons of all roots that contain it.
pub(super) fn send_to_links(
    links: &mut BTreeMap<PathBuf, Link>,
    document: &Document,
    messages: impl Fn(&str) -> Vec<Vec<u8>>,
) {
    for (root, link) in links {
        let Some(path) = document.beneath(root) else { continue };
        messages(path).into_iter().for_each(|message| link.send_news(message));
    }
}
