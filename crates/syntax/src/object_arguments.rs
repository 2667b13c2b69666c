//! Kotlin's `f(object : A(), B { … })`. The grammar ends the object before the comma, and takes `B { … }` for a call with a lambda as the
//! next argument; so such an object is parsed again, alone.

use std::ops::Range;

use tree_sitter::Node;

/// Returns the bytes of the whole object where a node is the beginning of such a one; `None` for all other nodes.
pub(super) fn whole_object(node: Node<'_>) -> Option<Range<usize>> {
    let mut parts = children(node);
    let has_supertype = parts.by_ref().any(|part| part.kind() == "delegation_specifier");
    if !has_supertype || parts.any(|part| part.kind() == "class_body") {
        return None;
    }
    // The argument may end with the object: `f(a ?: object : A, B { … })`.
    let mut argument = node;
    while argument.kind() != "value_argument" {
        argument = argument.parent().filter(|above| above.end_byte() == node.end_byte())?;
    }
    let mut behind = std::iter::successors(argument.next_sibling(), Node::next_sibling);
    let end = behind.find_map(end_of_lambda)?;
    Some(node.start_byte()..end)
}

/// Returns where an argument ends that is a call with a lambda behind it, as in `B { … }`.
fn end_of_lambda(argument: Node<'_>) -> Option<usize> {
    let mut last = argument;
    while last.kind() != "lambda_literal" {
        last = children(last).last()?;
    }
    Some(last.end_byte())
}

/// Returns the object that a tree of these bytes holds.
pub(super) fn object_in<'t>(root: Node<'t>, bytes: &Range<usize>) -> Option<Node<'t>> {
    let mut node = root;
    while node.kind() != "object_literal" {
        node = children(node).find(|child| child.start_byte() == bytes.start)?;
    }
    let has_body = children(node).any(|child| child.kind() == "class_body");
    (node.byte_range() == *bytes && has_body).then_some(node)
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..node.child_count()).filter_map(move |at| node.child(u32::try_from(at).ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::kotlin::KotlinNode as K;
    use crate::{FlatTree, Grammar, NodeId, flat_tree, name_hash, outline_with_hidden_types};
    use symd_base::Cancel;

    const TEXT: &str = "fun <T> f(a: T) = use(1, object : A<T>(2), p.B<T> {\n    override val x: Int\n        get() = 1\n    \
        init { g(object : C, D, E { override fun inner() = 2 }) }\n    override fun run() = 1\n}, object : F { override fun last() = 3 })\n\
        val other = use(a ?: object : A, B { fun own() = 4 }) + use(object : A, B {})\n";

    #[test]
    fn the_object_has_its_supertypes_and_its_members() {
        let kotlin = Grammar::named("kotlin").unwrap();
        let tree = flat_tree(kotlin, TEXT, &Cancel::new()).unwrap();
        assert_eq!(FlatTree::from_bytes(&tree.to_bytes(), TEXT).as_ref(), Some(&tree));
        let kind = |node: NodeId| K::of(tree.kind(node));
        let objects: Vec<String> = tree
            .nodes()
            .filter(|node| kind(*node) == K::ObjectLiteral)
            .map(|object| {
                let of = |wanted: K| {
                    tree.children(object)
                        .filter(move |child| kind(*child) == wanted)
                        .map(|child| &TEXT[tree.range(child).as_range()])
                };
                format!("{:?} {}", of(K::DelegationSpecifier).collect::<Vec<_>>(), of(K::ClassBody).count())
            })
            .collect();
        let expected = [
            "[\"A<T>(2)\", \"p.B<T>\"] 1",
            "[\"C\", \"D\", \"E\"] 1",
            "[\"F\"] 1",
            "[\"A\", \"B\"] 1",
            "[\"A\", \"B\"] 1",
        ];
        assert_eq!(objects, expected);
        for node in tree.nodes() {
            for child in tree.children(node) {
                assert_eq!(tree.parent(child), Some(node));
                let (outer, inner) = (tree.range(node), tree.range(child));
                assert!(outer.start <= inner.start && inner.end <= outer.end);
            }
        }
        let arguments = tree.nodes().filter(|node| kind(*node) == K::ValueArgument).count();
        // `1`, the two objects, `2`, the object in `init`; one of each `use` below.
        assert_eq!(arguments, 7);
    }

    #[test]
    fn members_of_the_object_are_listed() {
        let kotlin = Grammar::named("kotlin").unwrap();
        let outline = outline_with_hidden_types(kotlin, TEXT, &Cancel::new()).unwrap();
        let rows: Vec<&str> = outline.rows.iter().map(|row| outline.name(row)).collect();
        let expected = [
            "f", "object", "x", "object", "inner", "run", "object", "last", "other", "object", "own",
            "object",
        ];
        assert_eq!(rows, expected);
        assert!(outline.hides_types && !outline.has_errors);
        let inner = u32::try_from(TEXT.find("inner").unwrap()).unwrap();
        let found: Vec<u32> = outline.occurrences.offsets_of_hash(name_hash(b"inner")).collect();
        assert_eq!(found, [inner]);
    }
}
