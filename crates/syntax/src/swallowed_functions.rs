//! Kotlin's `class A : B by c { … }` with `fun f() { … }` below it. The grammar takes the class's body for the lambda of a call, and `fun` for the
//! name of an infix function; so such a text is parsed again with a semicolon behind the body.

use tree_sitter::{Node, Tree};

const FUN: &str = "fun";

/// How often a text is parsed again: a function that was swallowed may hold another one.
pub(super) const MAX_PASSES: usize = 4;

/// Returns the bytes, each of white space behind a body, at which a semicolon separates the function that the tree has as an operand. `infix`
/// is the kind of the grammar's infix calls.
pub(super) fn missing_ends(tree: &Tree, text: &[u8], infix: u16) -> Vec<usize> {
    let is_word = |at: usize| {
        let is_letter =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        !is_letter(at.checked_sub(1).and_then(|before| text.get(before)))
            && !is_letter(text.get(at + FUN.len()))
    };
    // Few classes are delegated: other texts cost one search.
    if memchr::memmem::find(text, b" by ").is_none() {
        return Vec::new();
    }
    let functions = memchr::memmem::find_iter(text, FUN).filter(|at| is_word(*at));
    let mut ends: Vec<usize> = functions
        .filter_map(|at| end_before(tree, at, infix))
        .filter(|end| text.get(*end).is_some_and(u8::is_ascii_whitespace))
        .collect();
    ends.dedup();
    ends
}

/// Returns where the operand ends that stands before the `fun` at a byte, if that is the name in an infix call.
fn end_before(tree: &Tree, at: usize, infix: u16) -> Option<usize> {
    let name = tree.root_node().descendant_for_byte_range(at, at + FUN.len())?;
    let call = name.parent().filter(|parent| parent.kind_id() == infix)?;
    let is_name = name.kind() == "simple_identifier" && name.start_byte() == at;
    let operand = |node: &Node| !node.is_extra();
    let before = std::iter::successors(name.prev_sibling(), Node::prev_sibling).find(operand)?;
    (is_name && call.start_byte() <= before.start_byte()).then(|| before.end_byte())
}

#[cfg(test)]
mod tests {
    use super::super::kotlin::KotlinNode as K;
    use crate::{Grammar, flat_tree, outline};
    use symd_base::Cancel;

    const TEXT: &str = "package p\nclass A(b: B) : B by b { override fun one() = 1 }\nfun two() { }\nfun String.three() { }\n\
        object D : B by make(A(b)) {\n    class In : B by b {\n        fun four() {}\n    }\n    fun five() {}\n} // end\nfun six() {}\nval seven = 1\n";

    #[test]
    fn the_class_has_its_members_and_the_function_is_listed() {
        let kotlin = Grammar::named("kotlin").unwrap();
        let outline = outline(kotlin, TEXT, &Cancel::new()).unwrap();
        let paths: Vec<String> = (0..outline.rows.len()).map(|row| outline.name_path(row)).collect();
        let expected = ["A", "A/one", "two", "three", "D", "D/In", "D/In/four", "D/five", "six", "seven"];
        assert_eq!(paths, expected);
        assert!(!outline.has_errors);
        let tree = flat_tree(kotlin, TEXT, &Cancel::new()).unwrap();
        let count = |kind: K| tree.nodes().filter(|node| K::of(tree.kind(*node)) == kind).count();
        assert_eq!((count(K::ClassBody), count(K::FunctionDeclaration), count(K::LambdaLiteral)), (3, 6, 0));
    }

    #[test]
    fn a_text_without_such_a_class_is_parsed_once() {
        let kotlin = Grammar::named("kotlin").unwrap();
        let before = crate::extract::ParseCounters::of_this_thread();
        let text = "val a by lazy { 1 }\nfun b() {}\nclass A : B by c { val d = 1 }\nval e = 1 fun 2\n";
        outline(kotlin, text, &Cancel::new()).unwrap();
        assert_eq!(before.since().texts, 1);
    }
}
