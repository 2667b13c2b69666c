//! The query's matches as byte offsets: made of nodes, and united where several name one node.

use std::cmp::Reverse;
use std::ops::Range;

use tree_sitter::{Node, QueryMatch};

use super::grammar::Compiled;
use super::kind::SymbolKind;
use super::roles::{PatternMeaning, Piece, Role, Roles};

/// The number of last children of a declaration among which its body is searched.
const CHILDREN_WITH_BODY: usize = 3;

/// `name_start` of an item without a name.
pub(super) const NO_NAME: u32 = u32::MAX;

/// A match of the query, as byte offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) name_start: u32,
    pub(super) name_end: u32,
    /// End of the head; 0 if unknown.
    pub(super) head_end: u32,
    /// Index of the pattern, and so of its role.
    pub(super) pattern: u16,
    /// Range of the text before the dot, for attributes.
    pub(super) receiver: Option<(u32, u32)>,
    /// Range of the composed name in the text of all composed names.
    pub(super) composed: Option<(u32, u32)>,
}

/// Converts a match into an item, with offsets in place of nodes.
pub(super) fn item(
    compiled: &Compiled,
    role: &Role,
    found: &QueryMatch,
    text: &str,
    composed: &mut String,
) -> Option<Item> {
    let node = |index: u32| found.captures.iter().find(|capture| capture.index == index).map(|c| c.node);
    let span = |node: Node| (offset(node.start_byte()), offset(node.end_byte()));
    let whole = node(role.range)?;
    let (start, end) = span(whole);
    let head_end = if matches!(role.act, PatternMeaning::Define | PatternMeaning::Anonymous) {
        head_end(compiled, role, whole, text)
    } else {
        0
    };
    let name = role.name.and_then(node);
    let unnamed = role.unnamed.and_then(node);
    let (name_start, name_end) = match name.or(unnamed) {
        Some(name) => {
            let range = unquoted(text.as_bytes(), name.byte_range(), &role.quotes);
            (offset(range.start), offset(range.end))
        }
        None if role.name.is_none() => (NO_NAME, NO_NAME),
        None => return None,
    };
    let receiver = role.receiver.and_then(node).map(span);
    let is_composed = role.unnamed.is_none() || name.is_none();
    let composed = role.composed.as_deref().filter(|_| is_composed).map(|pieces| {
        let at = composed.len();
        for piece in pieces {
            match piece {
                Piece::Text(text) => composed.push_str(text),
                Piece::Capture(index) => {
                    composed
                        .push_str(node(*index).and_then(|node| text.get(node.byte_range())).unwrap_or(""));
                }
            }
        }
        (offset(at), offset(composed.len()))
    });
    let pattern = u16::try_from(found.pattern_index).ok()?;
    Some(Item { start, end, name_start, name_end, head_end, pattern, receiver, composed })
}

/// Returns the offset where the head of the declaration `whole` ends: the start of its body, or the end of
/// the declaration if it has no body; 0 for a value, which is a part of its statement.
fn head_end(compiled: &Compiled, role: &Role, whole: Node, text: &str) -> u32 {
    use SymbolKind::{Constant, EnumMember, Event, Field, Property, TypeParameter, Variable};
    let count = whole.child_count();
    // The body is followed by at most a semicolon or a comment.
    let last = count.saturating_sub(CHILDREN_WITH_BODY)..count;
    let mut children = last.filter_map(|at| whole.child(u32::try_from(at).ok()?));
    let is_body = |node: &Node| {
        let is_kind = compiled.is_body.get(usize::from(node.kind_id())) == Some(&true);
        // `fun f() = 1`: an expression body is a value.
        is_kind && text.as_bytes().get(node.start_byte()) != Some(&b'=')
    };
    match children.find(is_body) {
        Some(body) => offset(body.start_byte()),
        None if matches!(
            role.kind,
            Variable | Constant | Field | Property | EnumMember | Event | TypeParameter
        ) =>
        {
            0
        }
        // An initializer's block may be no node of its own.
        None if role.act == PatternMeaning::Anonymous => {
            let mut children = (0..count).filter_map(|at| whole.child(u32::try_from(at).ok()?));
            let opening = children.find(|node| node.kind() == "{");
            offset(opening.map_or(whole.end_byte(), |node| node.start_byte()))
        }
        None => offset(whole.end_byte()),
    }
}

/// Sorts items so that an outer one precedes those inside it, and merges those that name the same node: into
/// the role of the first pattern and the union of the ranges.
pub(super) fn unite(items: &mut Vec<Item>, roles: &Roles) {
    items.sort_unstable_by_key(|item| (item.name_start, item.pattern));
    let is_extent = |item: &Item| matches!(&roles.by_pattern[usize::from(item.pattern)], Some(role) if role.act == PatternMeaning::Extent);
    items.dedup_by(|later, kept| {
        let same = later.name_start == kept.name_start && later.name_start != NO_NAME;
        if same {
            kept.start = kept.start.min(later.start);
            kept.end = kept.end.max(later.end);
            kept.head_end = if kept.head_end == 0 { later.head_end } else { kept.head_end };
        }
        same
    });
    items.retain(|item| !is_extent(item));
    let name_start = |item: &Item| match &roles.by_pattern[usize::from(item.pattern)] {
        // What its node is otherwise is told by the order of the patterns.
        Some(role) if role.act == PatternMeaning::Anonymous => NO_NAME,
        _ => item.name_start,
    };
    // By pattern at last: of two scopes that are one node, which comes first does not depend on when they were found.
    items.sort_unstable_by_key(|item| (item.start, Reverse(item.end), name_start(item), item.pattern));
}

/// Returns the range without a pair of equal quotes at its ends, if it has them: the name in backticks is the
/// text between them.
pub(super) fn unquoted(bytes: &[u8], range: Range<usize>, quotes: &[u8]) -> Range<usize> {
    match bytes.get(range.clone()) {
        Some([first, _, .., last]) if first == last && quotes.contains(first) => {
            range.start + 1..range.end - 1
        }
        _ => range,
    }
}

/// Converts a byte offset in a text that was checked to be shorter than 4 GiB.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
