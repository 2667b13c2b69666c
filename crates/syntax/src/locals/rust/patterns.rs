//! The names that a pattern binds.

use tree_sitter::Node;

/// Returns the names that `pattern` binds, as byte ranges of `text`. A name that begins with a capital letter
/// is a constant, a unit struct or a variant, and binds nothing.
pub(super) fn bound_names(pattern: Node, text: &str) -> Vec<(usize, usize)> {
    let mut names = Vec::new();
    let mut left = vec![pattern];
    while let Some(node) = left.pop() {
        match node.kind() {
            "identifier" | "shorthand_field_identifier" => {
                let range = node.byte_range();
                if text.get(range.clone()).is_some_and(is_local_name) {
                    names.push((range.start, range.end));
                }
            }
            "tuple_struct_pattern" | "struct_pattern" => {
                let of_type = node.child_by_field_name("type");
                left.extend(node.named_children(&mut node.walk()).filter(|child| Some(*child) != of_type));
            }
            "field_pattern" => {
                // `S { name: pattern }`, else `S { name }`.
                let pattern = node.child_by_field_name("pattern");
                left.extend(pattern.or_else(|| node.child_by_field_name("name")));
            }
            "tuple_pattern" | "slice_pattern" | "or_pattern" | "captured_pattern" | "reference_pattern"
            | "ref_pattern" | "mut_pattern" => left.extend(node.named_children(&mut node.walk())),
            // Paths, literals, ranges, constants and macros.
            _ => {}
        }
    }
    names
}

/// Whether a name in a pattern binds something.
pub(super) fn is_local_name(name: &str) -> bool {
    name.starts_with(|c: char| !c.is_uppercase()) && name != "_"
}
