//! Members that TypeScript and JavaScript name in quotes: in subscripts and indexed types (`value["name"]`, `Type["name"]`), as keys
//! (`{ "name": 1 }`, `["name"]: x`), before `in`, and among a type's arguments (`Pick<Type, "name">`). Invariant: each node
//! examines only its own strings, so the work is linear in the text.

use std::ops::Range;

use tree_sitter::Node;

/// Calls `note` with the range in `text` of every such name directly in `node`.
pub(super) fn names(node: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let child = |at: usize| node.child(u32::try_from(at).unwrap_or(u32::MAX));
    let literal = match node.kind() {
        "subscript_expression" => node.child_count().checked_sub(2).and_then(child),
        "computed_property_name" => child(1),
        "pair" | "pair_pattern" | "enum_assignment" => child(0),
        "binary_expression" if child(1).is_some_and(|operator| operator.kind() == "in") => child(0),
        "binary_expression" => None,
        "lookup_type" => return child(2).into_iter().for_each(|index| types_in(index, text, note)),
        "type_arguments" => return types_in(node, text, note),
        // The name of a member stands behind its modifiers.
        _ => {
            let mut cursor = node.walk();
            let names = node.children(&mut cursor).take_while(|part| !ends_names(part.kind()));
            return names.for_each(|part| noted(part, text, note));
        }
    };
    literal.into_iter().for_each(|literal| noted(literal, text, note));
}

/// Whether a part of a declaration's head is its name, unquoted, or stands behind its name.
fn ends_names(kind: &str) -> bool {
    matches!(kind, "property_identifier" | "formal_parameters" | "type_annotation" | "=")
}

/// Notes the names in a type's argument: one string, or a union of them.
fn types_in(root: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        match node.kind() {
            "string" => noted(node, text, note),
            // Nested arguments stand in types of other kinds.
            "literal_type" | "union_type" | "parenthesized_type" | "type_arguments" => {
                let mut cursor = node.walk();
                left.extend(node.named_children(&mut cursor));
            }
            _ => {}
        }
    }
}

/// Notes what stands between the quotes of `literal`, if it is a string that is a name.
fn noted(literal: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let range = literal.byte_range();
    if literal.kind() != "string" || range.len() < 3 {
        return;
    }
    let inside = range.start + 1..range.end - 1;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let is_name = |name: &str| !name.starts_with(|c: char| c.is_numeric()) && name.chars().all(is_part);
    let closes = text.as_bytes().get(range.start) == text.as_bytes().get(range.end - 1);
    if closes && text.get(inside.clone()).is_some_and(is_name) {
        note(inside);
    }
}
