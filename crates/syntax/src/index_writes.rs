//! Kotlin's `data[i] = value`. Where the variable is called like a modifier (`data`, `value`, `open`), the grammar takes it for one, and the
//! statement for the declaration of `i`.

use std::ops::Range;

use super::flat_tree::{FlatTree, NodeId};
use super::kotlin::KotlinNode as K;
use tree_sitter::Node;

/// Returns the range of the variable where a node is such a statement; `None` for all other nodes.
pub(super) fn written_variable(node: Node<'_>) -> Option<Range<usize>> {
    let modifiers = node.child(0).filter(|child| child.kind() == "modifiers")?;
    let mut behind = std::iter::successors(modifiers.next_sibling(), Node::next_sibling);
    let list = behind.find(|one| !one.is_extra())?;
    let is_list = list.kind() == "multi_variable_declaration";
    let is_index = is_list && list.child(0).is_some_and(|first| first.kind() == "[");
    let variable = modifiers.child(u32::try_from(modifiers.child_count()).ok()?.checked_sub(1)?)?;
    (is_index && variable.kind() != "annotation").then(|| variable.byte_range())
}

/// Gives such a statement the shape of an assignment: of a target, which is the variable with an indexing suffix, and a value.
pub(super) fn make_assignment(tree: &mut FlatTree, statement: NodeId) {
    let first_of =
        |tree: &FlatTree, kind: K| tree.children(statement).find(|child| K::of(tree.kind(*child)) == kind);
    let (modifiers, list) = (first_of(tree, K::Modifiers), first_of(tree, K::MultiVariableDeclaration));
    let (Some(target), Some(suffix)) = (modifiers, list) else { return };
    let Some(variable) = tree.children(target).last() else { return };
    let indices: Vec<NodeId> = tree.children(suffix).collect();
    tree.set_kind(statement, K::Assignment);
    tree.set_kind(target, K::DirectlyAssignableExpression);
    tree.set_kind(variable, K::SimpleIdentifier);
    tree.set_kind(suffix, K::IndexingSuffix);
    for index in indices {
        if K::of(tree.kind(index)) == K::VariableDeclaration {
            // An expression that holds the name.
            tree.set_kind(index, K::ParenthesizedExpression);
        }
    }
    tree.take_in(target, suffix);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kotlin::KotlinNode as K;
    use crate::outline;
    use crate::{Grammar, flat_tree, name_hash};
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

    #[test]
    fn the_tree_has_an_assignment() {
        let shape = |text: &str| {
            let tree = flat_tree(Grammar::named("kotlin").unwrap(), text, &Cancel::new()).unwrap();
            assert_eq!(FlatTree::from_bytes(&tree.to_bytes(), text).as_ref(), Some(&tree));
            let is_assignment = |node: &NodeId| K::of(tree.kind(*node)) == K::Assignment;
            let assignment = tree.nodes().find(is_assignment).unwrap();
            let parts: Vec<NodeId> = tree.children(assignment).collect();
            let target = tree.children(parts[0]);
            let read = |node: NodeId| (K::of(tree.kind(node)), &text[tree.range(node).as_range()]);
            let target: Vec<_> = target.map(read).filter(|(kind, _)| *kind != K::MultilineComment).collect();
            for node in tree.nodes() {
                assert!(tree.children(node).all(|child| tree.parent(child) == Some(node)));
            }
            format!("{target:?} {:?}", parts.iter().map(|part| read(*part)).collect::<Vec<_>>())
        };
        let plain = shape("fun f() { rows[a, b] = c.d }");
        assert_eq!(shape("fun f() { data[a, b] = c.d }"), plain.replace("rows", "data"));
        let commented = shape("fun f() { open /* x */ [a] = 1 }");
        assert!(commented.contains("(SimpleIdentifier, \"open\"), (IndexingSuffix, \"[a]\")"), "{commented}");
    }
}
