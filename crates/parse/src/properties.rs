//! Properties of a worker's requests and answers, for arbitrary bytes. See `symd::properties`.

use super::bindings;
use super::inspected::{self, lies_in};
use super::limits::Allowance;
use super::protocol::{HEAD, LENGTH, Message, Request, Tag, Task};
use symd_base::Cancel;
use symd_index::cache::codec;
use symd_syntax::properties::assert_lies_in;
use symd_syntax::{self as syntax, FlatTree, Grammar, OutlineError};

/// A text that a worker might have parsed.
const TEXT: &str = "from a.b import c as d, e\nclass A:\n    def f(self, größe): return größe\n";

/// Asserts that bytes are rejected or decoded to a message that encodes to the same bytes, and that an
/// accepted outline lies in its text.
pub fn worker_answer(bytes: &[u8]) {
    if let Some(message) = Message::read(bytes) {
        let head = Message::head(message.tag, message.processor, &message.payload);
        assert_eq!([&head[LENGTH..], &message.payload].concat(), bytes);
    }
    if let Some(request) = Request::read(bytes) {
        assert_eq!([&request.head()[LENGTH..], request.text.as_bytes()].concat(), bytes);
    }
    if let Some(outline) = codec::decode(bytes)
        && lies_in(&outline, TEXT)
    {
        assert_lies_in(&outline, TEXT);
    }
    let python = Grammar::named("python").unwrap();
    if let Some(inspected) = inspected::decode(bytes, python, TEXT) {
        assert_lies_in(&inspected.outline, TEXT);
        assert!(inspected.error.is_none_or(|error| error.range.end as usize <= TEXT.len()));
    }
    if let Some(bindings) = bindings::decode(bytes, TEXT) {
        assert!(bindings.locals.iter().all(|local| TEXT.get(local.name.as_range()).is_some()));
        assert_eq!(bindings::encode(&bindings), bytes);
    }
    if let Some(tree) = FlatTree::from_bytes(bytes, TEXT) {
        for node in tree.nodes() {
            assert!(TEXT.get(tree.range(node).as_range()).is_some());
            assert!(tree.children(node).all(|child| tree.parent(child) == Some(node)));
        }
        assert_eq!(FlatTree::from_bytes(&tree.to_bytes(), TEXT), Some(tree));
    }
}

/// Asserts that the outline of any text lies in that text, and survives encoding and decoding. The grammar's
/// scanner may crash the process.
pub fn grammar(name: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let grammar = Grammar::named(name).unwrap();
    let outline = match syntax::outline(grammar, &text, &Cancel::new()) {
        Ok(outline) => outline,
        Err(OutlineError::Cancelled) => panic!("nobody cancelled it"),
        Err(_) => return,
    };
    assert_lies_in(&outline, &text);
    assert!(lies_in(&outline, &text));
    assert_eq!(codec::decode(&codec::encode(&outline)).as_ref(), Some(&outline));
    let tree = syntax::flat_tree(grammar, &text, &Cancel::new()).unwrap();
    assert_eq!(FlatTree::from_bytes(&tree.to_bytes(), &text), Some(tree));
}

/// Initial messages, requests and outlines for the fuzzer.
pub fn seeds() -> Vec<Vec<u8>> {
    let grammar = Grammar::named("python").unwrap();
    let outline = codec::encode(&syntax::outline(grammar, TEXT, &Cancel::new()).unwrap());
    let allowance = Allowance::of(TEXT.len());
    let stop_after = Some(std::time::Duration::from_millis(8));
    let request = Request { task: Task::Outline, grammar: "python", allowance, stop_after, text: TEXT };
    let head = Message::head(Tag::Done, std::time::Duration::from_nanos(7), &outline);
    assert_eq!(head.len(), LENGTH + HEAD);
    let kotlin = Grammar::named("kotlin").unwrap();
    let tree = syntax::flat_tree(kotlin, TEXT, &Cancel::new()).unwrap().to_bytes();
    vec![
        [&head[LENGTH..], &outline].concat(),
        [&request.head()[LENGTH..], TEXT.as_bytes()].concat(),
        outline,
        tree,
    ]
}
