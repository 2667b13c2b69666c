//! Kotlin's `data[i] = value`. Where the variable is called like a modifier (`data`, `value`, `open`), the grammar takes it for one, and the
//! statement for the declaration of `i`.

use std::ops::Range;

use tree_sitter::Node;

/// Returns the range of the variable where a node is such a statement; `None` for all other nodes.
pub(super) fn written_variable(node: Node<'_>) -> Option<Range<usize>> {
    let modifiers = node.child(0).filter(|child| child.kind() == "modifiers")?;
    let list = modifiers.next_sibling().filter(|list| list.kind() == "multi_variable_declaration")?;
    let is_index = list.child(0).is_some_and(|first| first.kind() == "[");
    let variable = modifiers.child(u32::try_from(modifiers.child_count()).ok()?.checked_sub(1)?)?;
    (is_index && variable.kind() != "annotation").then(|| variable.byte_range())
}

#[cfg(test)]
mod tests {
    use crate::outline;
    use crate::{Grammar, name_hash};
    use symd_base::Cancel;

    #[test]
    fn a_variable_that_is_called_like_a_modifier_occurs() {
        let text =
            "fun f() {\n    data[a] = b\n    @Suppress(\"x\") open[a, b] = 1\n    (val data, val c) = b\n}\n";
        let outline = outline(Grammar::named("kotlin").unwrap(), text, &Cancel::new()).unwrap();
        let at = |name: &str| -> Vec<u32> {
            outline.occurrences.offsets_of_hash(name_hash(name.as_bytes())).collect()
        };
        let offset = |part: &str| u32::try_from(text.find(part).unwrap()).unwrap();
        assert_eq!(at("data"), [offset("data[a]"), offset("data, val")]);
        assert_eq!(at("open"), [offset("open[")]);
    }
}
