//! The locals of JavaScript and TypeScript. `let`, `const`, functions and classes are in scope in their whole block, `var` in its
//! whole function, parameters in their function's head and body, type parameters in their declaration. Names at the top level
//! are no locals, but for those that a block there declares.

use tree_sitter::Node;

use super::{BoundLocal, LocalBindings, range_of};
use symd_base::TextRange;

/// What `let`, `const`, `function` and `class` are scoped to.
const BLOCKS: [&str; 7] = [
    "statement_block",
    "for_statement",
    "for_in_statement",
    "switch_body",
    "class_static_block",
    "catch_clause",
    "internal_module",
];

/// What `var` is scoped to.
const FUNCTIONS: [&str; 8] = [
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
    "class_static_block",
    "internal_module",
];

/// What declares only a type.
const TYPES: [&str; 5] =
    ["interface_declaration", "type_alias_declaration", "type_parameter", "mapped_type_clause", "infer_type"];

/// Notes what one node binds; `around` are the nodes around it, the outermost first, `text` is the whole text.
pub(super) fn note(node: Node, around: &[Node], text: &str, found: &mut LocalBindings) {
    let parent = around.last().map(Node::kind);
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "variable_declarator" => {
            let is_var = around.last().is_some_and(|parent| parent.kind() == "variable_declaration");
            let scope = if is_var { function_around(around) } else { block_around(around) };
            bind(node.kind(), field("name"), scope, found);
        }
        // `for (const name of all)`; without a keyword the name is one from outside.
        "for_in_statement" => {
            if let Some(kind) = field("kind") {
                let scope =
                    if kind.kind() == "var" { function_around(around) } else { Some(Scope::of(node)) };
                bind(node.kind(), field("left"), scope, found);
            }
        }
        "function_declaration"
        | "generator_function_declaration"
        | "function_signature"
        | "class_declaration"
        | "abstract_class_declaration"
        | "enum_declaration"
        | "interface_declaration"
        | "type_alias_declaration" => bind(node.kind(), field("name"), block_around(around), found),
        "function_expression" | "generator_function" | "class" => {
            bind(node.kind(), field("name"), Some(Scope::of(node)), found);
        }
        "arrow_function" => bind(node.kind(), field("parameter"), Some(Scope::of(node)), found),
        "formal_parameters" => {
            let Some(function) = around.last() else { return };
            let scope = Some(Scope::from(node, *function));
            for parameter in node.named_children(&mut node.walk()) {
                bind(node.kind(), parameter.child_by_field_name("pattern").or(Some(parameter)), scope, found);
            }
        }
        "catch_clause" => bind(node.kind(), field("parameter"), Some(Scope::of(node)), found),
        "type_parameter" => {
            if let [.., item, list] = around {
                bind(node.kind(), field("name"), Some(Scope::from(*list, *item)), found);
            }
        }
        // `[key: string]: T`, `{ [K in keyof T]: U }`
        "index_signature" => bind(node.kind(), field("name"), Some(Scope::of(node)), found),
        "mapped_type_clause" => {
            bind(node.kind(), field("name"), around.last().map(|parent| Scope::of(*parent)), found);
        }
        "infer_type" => {
            let conditional = around.iter().rev().find(|outer| outer.kind() == "conditional_type");
            bind(node.kind(), node.named_child(0), conditional.map(|outer| Scope::of(*outer)), found);
        }
        "type_identifier" => found.type_names.push(range_of(node).start),
        // Members of objects and of types, attributes of JSX.
        "property_identifier" if parent != Some("member_expression") => {
            found.field_names.push(range_of(node).start);
        }
        // `[name: string]`, a tuple's member.
        "identifier" if around.iter().rev().nth(1).is_some_and(|outer| outer.kind() == "tuple_type") => {
            found.field_names.push(range_of(node).start);
        }
        "identifier"
            if matches!(
                parent,
                Some("jsx_opening_element" | "jsx_closing_element" | "jsx_self_closing_element")
            ) =>
        {
            let is_small = |text: &str| text.starts_with(|c: char| c.is_lowercase());
            if text.get(node.byte_range()).is_some_and(is_small) {
                found.field_names.push(range_of(node).start);
            }
        }
        _ => {}
    }
}

/// Returns the innermost block; `None` at the top level of the file.
fn block_around(around: &[Node]) -> Option<Scope> {
    around.iter().rev().find(|node| BLOCKS.contains(&node.kind())).map(|node| Scope::of(*node))
}

/// Returns the innermost function; outside of functions the file, if a block is around.
fn function_around(around: &[Node]) -> Option<Scope> {
    let function = around.iter().rev().find(|node| FUNCTIONS.contains(&node.kind()));
    let is_in_block = || block_around(around).is_some();
    function.or_else(|| around.first().filter(|_| is_in_block())).map(|node| Scope::of(*node))
}

/// Where a name is bound.
#[derive(Clone, Copy)]
struct Scope {
    range: TextRange,
    /// Whether it has no syntax errors.
    is_sure: bool,
}

impl Scope {
    fn of(node: Node) -> Scope {
        Scope { range: range_of(node), is_sure: !node.has_error() }
    }

    /// Returns the scope from the beginning of `list` to the end of `item`, which holds it.
    fn from(list: Node, item: Node) -> Scope {
        let range = TextRange::new(range_of(list).start, range_of(item).end);
        Scope { range, is_sure: !item.has_error() }
    }
}

/// Notes the names that a pattern of a node of kind `declaration` binds in `scope`; none where the scope is the file.
fn bind(declaration: &str, pattern: Option<Node>, scope: Option<Scope>, found: &mut LocalBindings) {
    let (Some(pattern), Some(scope)) = (pattern, scope) else { return };
    let mut left = vec![pattern];
    while let Some(node) = left.pop() {
        match node.kind() {
            "identifier" | "type_identifier" | "shorthand_property_identifier_pattern" => {
                let (scopes, is_sure) = (vec![scope.range], scope.is_sure);
                let is_type = TYPES.contains(&declaration);
                found.locals.push(BoundLocal { name: range_of(node), scopes, is_sure, is_type });
            }
            // `{ key: pattern }`, `pattern = default`
            "pair_pattern" => left.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => {
                left.extend(node.child_by_field_name("left"))
            }
            "object_pattern" | "array_pattern" | "rest_pattern" => {
                left.extend(node.named_children(&mut node.walk()));
            }
            // A type parameter, a receiver `this`, a default value.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::marked::check;

    #[test]
    fn scopes_of_javascript() {
        for marked in [
            "const $0a = 1;",
            "function $0f() {}",
            "f(() => ‹{ const $0a = 1; }›)",
            "if (x) ‹{ let [b, { c: $0a = 1, ...d }] = x; }›",
            "function f(x) { ‹for (const $0a of x) { a }› }",
            "function f() { ‹for (let $0i = 0; i < 1; i++) i;› }",
            "‹function f() { if (x) { var $0a = 1; } }›",
            "‹if (x) { var $0a = 1; }›",
            "function f‹(b, { c, $0a }) { return a }›",
            "x(‹$0a => a + 1›);",
            "x(‹($0a, b) => a›);",
            "class A { m‹(...$0a) {}› }",
            "try {} ‹catch ($0e) { e }›",
            "x(‹function $0f() { f() }›)",
            "for ($0a of b) {}",
            "switch (x) ‹{ case 1: const $0a = 1; }›",
            "f({ $0a: 1 }, a.b);",
        ] {
            check("javascript", marked);
        }
    }

    #[test]
    fn scopes_of_typescript() {
        for marked in [
            "function f‹($0a: A, b?: B): a is C { return a }›",
            "interface I { m‹($0a: A): void› }",
            "type F = ‹($0a: A) => void›;",
            "class A‹<$0T> { x: T }›",
            "function f‹<$0T>(a: T): T {}›",
            "type M<T> = { ‹[$0K in keyof T]: K› };",
            "type E<T> = ‹T extends (infer $0U)[] ? U : never›;",
            "interface I { ‹[$0key: string]: A› }",
            "class A { constructor‹(private $0a: A) {}› }",
        ] {
            check("typescript", marked);
        }
    }
}
