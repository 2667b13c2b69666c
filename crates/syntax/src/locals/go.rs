//! The locals of Go: what `:=`, `var`, `const` and `type` declare in a function is in scope from behind its statement to the end of
//! the block, case or statement around it, a parameter in its function's body, a type parameter in its declaration.

use tree_sitter::{Node, Tree};

use super::{BoundLocal, LocalBindings};
use crate::extract::{OutlineError, with_tree};
use crate::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// The cancel flag is checked once per this many nodes.
const NODES_BETWEEN_CHECKS: u32 = 4096;

/// What ends the scope of a name that is declared in it.
const BLOCKS: [&str; 9] = [
    "block",
    "if_statement",
    "for_statement",
    "expression_switch_statement",
    "type_switch_statement",
    "expression_case",
    "type_case",
    "default_case",
    "communication_case",
];

/// How deep the type arguments of a receiver lie: `(s *(Stack[E]))`.
const MAX_RECEIVER_DEPTH: usize = 6;

pub(super) fn bindings(grammar: Grammar, text: &str, cancel: &Cancel) -> Result<LocalBindings, OutlineError> {
    with_tree(grammar, text, cancel, |tree| walk(tree, cancel))?
}

/// Notes the bindings of a tree. Does not recurse over the tree.
fn walk(tree: &Tree, cancel: &Cancel) -> Result<LocalBindings, OutlineError> {
    let mut found = LocalBindings::default();
    let mut around: Vec<Node> = Vec::new();
    let mut cursor = tree.root_node().walk();
    let mut nodes = 0_u32;
    loop {
        nodes = nodes.wrapping_add(1);
        if nodes.is_multiple_of(NODES_BETWEEN_CHECKS) {
            cancel.check()?;
        }
        let node = cursor.node();
        if node.is_error() {
            found.unparsed.push(range(node.start_byte(), node.end_byte()));
        }
        note(node, &around, &mut found);
        if cursor.goto_first_child() {
            around.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(found);
            }
            around.pop();
        }
    }
}

/// Notes what one node binds; `around` are the nodes around it, the outermost first.
fn note(node: Node, around: &[Node], found: &mut LocalBindings) {
    let block = || around.iter().rev().find(|outer| BLOCKS.contains(&outer.kind())).copied();
    let declares = || node.children(&mut node.walk()).any(|token| token.kind() == ":=");
    match node.kind() {
        "short_var_declaration" => bind(node, "left", node.end_byte(), block(), found),
        "range_clause" | "receive_statement" if declares() => {
            bind(node, "left", node.end_byte(), block(), found);
        }
        "type_switch_statement" => bind(node, "alias", node.start_byte(), Some(node), found),
        "var_spec" | "const_spec" => bind(node, "name", node.end_byte(), block(), found),
        "type_spec" | "type_alias" => bind(node, "name", node.start_byte(), block(), found),
        "parameter_declaration" | "variadic_parameter_declaration" => {
            let body = around.iter().rev().nth(1).and_then(|function| function.child_by_field_name("body"));
            // The parameters of a type are in scope nowhere.
            let start = body.map_or(node.end_byte(), |body| body.start_byte());
            bind(node, "name", start, Some(body.unwrap_or(node)), found);
        }
        // The receiver's type parameters: `func (s *Stack[E]) Push(x E)`
        "method_declaration" => {
            let receiver = node.child_by_field_name("receiver");
            let arguments = receiver.and_then(|receiver| descendant(receiver, "type_arguments"));
            for argument in
                arguments.iter().flat_map(|list| list.named_children(&mut list.walk()).collect::<Vec<_>>())
            {
                let name = argument.named_child(0).unwrap_or(argument);
                if name.kind() == "type_identifier" {
                    push(name, node.start_byte(), node, found);
                }
            }
        }
        "type_parameter_declaration" => {
            if let [.., item, list] = around {
                bind(node, "name", list.start_byte(), Some(*item), found);
            }
        }
        _ => {}
    }
}

/// Notes the names in a field of `node`, bound from byte `start` to the end of `scope`; none outside of functions.
fn bind(node: Node, field: &str, start: usize, scope: Option<Node>, found: &mut LocalBindings) {
    let Some(scope) = scope else { return };
    let mut names: Vec<Node> = node.children_by_field_name(field, &mut node.walk()).collect();
    while let Some(name) = names.pop() {
        match name.kind() {
            "identifier" | "type_identifier" => push(name, start, scope, found),
            "expression_list" => names.extend(name.named_children(&mut name.walk())),
            _ => {}
        }
    }
}

fn push(name: Node, start: usize, scope: Node, found: &mut LocalBindings) {
    found.locals.push(BoundLocal {
        name: range(name.start_byte(), name.end_byte()),
        scopes: vec![range(start, scope.end_byte().max(start))],
        is_sure: !scope.has_error(),
        is_type: false,
    });
}

/// Returns the first node of a kind beneath `node`, a few levels deep.
fn descendant<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut level = vec![node];
    for _ in 0..MAX_RECEIVER_DEPTH {
        if let Some(found) = level.iter().find(|node| node.kind() == kind) {
            return Some(*found);
        }
        level =
            level.iter().flat_map(|node| node.named_children(&mut node.walk()).collect::<Vec<_>>()).collect();
    }
    None
}

fn range(from: usize, to: usize) -> TextRange {
    // Texts over 4 GiB are not parsed.
    let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    TextRange::new(at(from), at(to))
}

#[cfg(test)]
mod tests {
    use super::super::marked::check;

    #[test]
    fn scopes_of_go() {
        for marked in [
            "var $0a = 1",
            "func $0f() {}",
            "func f() { $0a := a + 1‹; use(a) }›",
            "func f() { b, $0a := g()‹ }›",
            "func f() { if $0a := g()‹; a > 1 { use(a) } else { use(a) }› }",
            "func f() { for $0i := 0‹; i < 1; i++ { use(i) }› }",
            "func f() { for _, $0a := range b‹ { use(a) }› }",
            "func f() { for _, $0a = range b { use(a) } }",
            "func f() { ‹switch $0a := b.(type) { case int: use(a) }› }",
            "func f() { select { case $0a := <-b‹: use(a)› } }",
            "func f() { switch { case x: $0a := 1‹; use(a)› } }",
            "func f() { var b, $0a int‹ }›",
            "func f(b, $0a int) ‹{ use(a) }›",
            "func f($0a ...string) func() ‹{ return func() { use(a) } }›",
            "func (s *S) f() ($0a error) ‹{ return }›",
            "var f = func($0a int) ‹{ use(a) }›",
            "func (s *$0S) f() {}",
            "‹func (s *S[$0E]) f(x E) {}›",
            "func f‹[$0T any](a T) T { return a }›",
        ] {
            check("go", &format!("package p\n{marked}\n"));
        }
    }
}
