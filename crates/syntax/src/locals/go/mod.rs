//! The locals of Go: what `:=`, `var`, `const` and `type` declare in a function is in scope from behind its statement to the end of
//! the block, case or statement around it, a parameter in its function's body, a type parameter in its declaration.

mod sources;

use tree_sitter::Node;

use super::{BoundLocal, LocalBindings, range, range_of};

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

/// Notes what one node binds; `around` are the nodes around it, the outermost first.
pub(super) fn note(node: Node, around: &[Node], _: &str, found: &mut LocalBindings) {
    let block = || around.iter().rev().find(|outer| BLOCKS.contains(&outer.kind())).copied();
    let declares = || node.children(&mut node.walk()).any(|token| token.kind() == ":=");
    sources::note(node, around, found);
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
        name: range_of(name),
        scopes: vec![range(start, scope.end_byte())],
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

#[cfg(test)]
mod tests {
    use crate::locals::marked::check;

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
