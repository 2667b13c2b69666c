//! What a worker is asked about a text, and how its answer is decoded.

use super::bindings;
use super::inspected::{self, lies_in};
use super::protocol::Task;
use symd_base::{ContentHash, TextRange};
use symd_index::cache::{Key, codec};
use symd_syntax::{FlatTree, Grammar, Inspected, LocalBindings, Outline};

/// A text, and the task for it.
pub(super) struct ParseTask<'a, T> {
    pub(super) task: Task,
    pub(super) grammar: Grammar,
    pub(super) text: &'a str,
    /// Identifies the text.
    pub(super) key: Key,
    /// Decodes a worker's answer.
    pub(super) decode: fn(&[u8], Grammar, &str) -> Option<T>,
}

impl<'a> ParseTask<'a, Outline> {
    pub(super) fn outline(grammar: Grammar, text: &'a str, hash: ContentHash) -> ParseTask<'a, Outline> {
        let key = Key { content: hash, fingerprint: grammar.fingerprint() };
        ParseTask { task: Task::Outline, grammar, text, key, decode: decode_outline }
    }

    /// The outline with the types that it hides.
    pub(super) fn hidden_types(grammar: Grammar, text: &'a str, hash: ContentHash) -> ParseTask<'a, Outline> {
        ParseTask::beside_outline(Task::HiddenTypes, grammar, text, hash, decode_outline)
    }

    /// The outline with the types and functions that it hides.
    pub(super) fn hidden_functions(
        grammar: Grammar,
        text: &'a str,
        hash: ContentHash,
    ) -> ParseTask<'a, Outline> {
        ParseTask::beside_outline(Task::HiddenFunctions, grammar, text, hash, decode_outline)
    }
}

impl<'a> ParseTask<'a, FlatTree> {
    pub(super) fn tree(grammar: Grammar, text: &'a str, hash: ContentHash) -> ParseTask<'a, FlatTree> {
        let decode = |payload: &[u8], _: Grammar, text: &str| FlatTree::from_bytes(payload, text);
        ParseTask::beside_outline(Task::Tree, grammar, text, hash, decode)
    }
}

impl<'a> ParseTask<'a, LocalBindings> {
    pub(super) fn local_bindings(
        grammar: Grammar,
        text: &'a str,
        hash: ContentHash,
    ) -> ParseTask<'a, LocalBindings> {
        let decode = |payload: &[u8], _: Grammar, text: &str| bindings::decode(payload, text);
        ParseTask::beside_outline(Task::LocalBindings, grammar, text, hash, decode)
    }
}

impl<'a> ParseTask<'a, Inspected> {
    /// What an edit must know of a proposed text.
    pub(super) fn inspection(grammar: Grammar, text: &'a str, range: TextRange) -> ParseTask<'a, Inspected> {
        let key = Key { content: ContentHash::of(text.as_bytes()), fingerprint: grammar.fingerprint() };
        ParseTask { task: Task::Inspect(range), grammar, text, key, decode: inspected::decode }
    }
}

fn decode_outline(payload: &[u8], _: Grammar, text: &str) -> Option<Outline> {
    codec::decode(payload).filter(|outline| lies_in(outline, text))
}

impl<'a, T> ParseTask<'a, T> {
    /// A task other than the outline. It has a key of its own: a text that fails here keeps its outline, and what the other tasks
    /// find.
    fn beside_outline(
        task: Task,
        grammar: Grammar,
        text: &'a str,
        hash: ContentHash,
        decode: fn(&[u8], Grammar, &str) -> Option<T>,
    ) -> ParseTask<'a, T> {
        let fingerprint = !grammar.fingerprint().wrapping_add(u64::from(task.number()));
        let key = Key { content: hash, fingerprint };
        ParseTask { task, grammar, text, key, decode }
    }
}
