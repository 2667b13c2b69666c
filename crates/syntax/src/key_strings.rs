//! Strings of TypeScript and JavaScript that may be the key of a member and stand where the outline has no name: arguments,
//! lists, literal types, values. Not what `member_strings` finds. Invariant: one walk over the tree, whatever it contains.

use tree_sitter::Node;

use super::extract::{OutlineError, with_tree};
use super::grammar::Grammar;
use symd_base::{Cancel, TextRange};

/// A string that may be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyString {
    /// What stands between the quotes.
    pub range: TextRange,
    /// Whether it is an argument behind one that is a value, as in `get(person, "name")`.
    pub is_behind_value: bool,
}

/// Properties whose values tell kinds of objects apart, or are shown to people: `{ kind: "name" }`, `x.type === "name"`.
const TAGS: [&str; 23] = [
    "__typename",
    "_kind",
    "_tag",
    "_type",
    "className",
    "code",
    "description",
    "discriminator",
    "displayName",
    "href",
    "id",
    "kind",
    "label",
    "message",
    "placeholder",
    "role",
    "src",
    "status",
    "tag",
    "text",
    "title",
    "type",
    "variant",
];

/// Functions whose arguments are modules, or texts for people; `console.log`, `test.each` too.
const TEXT_CALLS: [&str; 16] = [
    "bench", "context", "debug", "describe", "error", "info", "import", "it", "literal", "log", "require",
    "suite", "test", "time", "trace", "warn",
];

/// Returns the strings of `text` that are `name` and may be the key of a member, in order. `[]` for other languages.
pub fn key_strings(
    grammar: Grammar,
    text: &str,
    name: &str,
    cancel: &Cancel,
) -> Result<Vec<KeyString>, OutlineError> {
    with_tree(grammar, text, cancel, |tree| {
        let mut found = Vec::new();
        // The parent of a node takes a walk from the root, so the nodes around are kept.
        let mut around: Vec<Node<'_>> = Vec::new();
        let mut cursor = tree.root_node().walk();
        loop {
            let node = cursor.node();
            if node.kind() == "string" && is_name(node, text, name) && may_be_key(node, &around, text) {
                let (start, end) = (node.start_byte() + 1, node.end_byte() - 1);
                if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
                    let is_behind_value = is_behind_value(node, &around);
                    found.push(KeyString { range: TextRange::new(start, end), is_behind_value });
                }
            }
            if cursor.goto_first_child() {
                around.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
                around.pop();
            }
        }
    })
}

fn is_name(literal: Node<'_>, text: &str, name: &str) -> bool {
    let range = literal.byte_range();
    range.len() == name.len() + 2 && text.get(range.start + 1..range.end - 1) == Some(name)
}

/// Whether a string that stands in the nodes `around` may be the key of a member.
fn may_be_key(literal: Node<'_>, around: &[Node<'_>], text: &str) -> bool {
    let of = |node: Option<Node<'_>>| node.and_then(|node| text.get(node.byte_range())).unwrap_or("");
    let mut outer = around.iter().rev().skip_while(|node| is_transparent(node.kind()));
    let Some(parent) = outer.next() else { return false };
    // Names of members, which `member_strings` finds.
    if ["name", "key"].iter().any(|field| parent.child_by_field_name(field) == Some(literal)) {
        return false;
    }
    match parent.kind() {
        "import_statement"
        | "export_statement"
        | "import_require_clause"
        | "import_attribute"
        | "expression_statement"
        | "enum_assignment"
        | "enum_body"
        | "subscript_expression"
        | "computed_property_name"
        | "internal_module"
        | "module"
        | "external_module" => false,
        "arguments" => outer.next().is_none_or(|call| {
            let called = call.child_by_field_name("function").or(call.child_by_field_name("constructor"));
            !takes_text(of(called))
        }),
        "pair" => !is_tag(of(parent.child_by_field_name("key"))),
        "jsx_attribute" => !is_tag(of(parent.child(0))),
        "binary_expression" => {
            let (left, right) = (parent.child_by_field_name("left"), parent.child_by_field_name("right"));
            let other = if left == Some(literal) { right } else { left };
            match of(parent.child_by_field_name("operator")) {
                "==" | "===" | "!=" | "!==" => !is_tag(of(other)) && !of(other).starts_with("typeof"),
                "||" | "??" | "&&" => true,
                _ => false,
            }
        }
        "switch_case" => {
            let switch = outer.nth(1).and_then(|switch| switch.child_by_field_name("value"));
            !is_tag(of(switch).trim_end_matches(')'))
        }
        "type_annotation" => outer.next().is_none_or(|typed| !is_tag(of(typed.child_by_field_name("name")))),
        _ => true,
    }
}

/// Whether a node only encloses a value or a type.
fn is_transparent(kind: &str) -> bool {
    matches!(
        kind,
        "literal_type"
            | "union_type"
            | "parenthesized_type"
            | "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
    )
}

/// Whether an argument stands behind one that is no literal.
fn is_behind_value(literal: Node<'_>, around: &[Node<'_>]) -> bool {
    let Some(arguments) = around.last().filter(|node| node.kind() == "arguments") else { return false };
    // Each argument costs a walk over those before it: long lists hold no objects with their keys.
    let first = arguments.named_child(0).filter(|first| first.id() != literal.id());
    first.is_some_and(|first| {
        matches!(
            first.kind(),
            "identifier"
                | "member_expression"
                | "call_expression"
                | "subscript_expression"
                | "this"
                | "await_expression"
                | "non_null_expression"
                | "new_expression"
        )
    })
}

/// Whether a path ends in a property that tells kinds apart, or is shown to people.
fn is_tag(path: &str) -> bool {
    let last = path.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).find(|word| !word.is_empty());
    last.is_some_and(|last| TAGS.contains(&last))
}

/// Whether a called function takes a text: `describe("name", …)`, `new TypeError("name")`.
fn takes_text(called: &str) -> bool {
    let mut words =
        called.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let (first, last) = (words.next().unwrap_or(""), words.next_back());
    let is_text = |word: &str| TEXT_CALLS.contains(&word) || word.ends_with("Error");
    is_text(first) || last.is_some_and(is_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let grammar = Grammar::named("tsx").expect("there");
        let found = key_strings(grammar, text, "name", &Cancel::new()).expect("parsed");
        assert_eq!(!found.is_empty(), expected, "{text}");
    }

    #[test]
    fn strings_that_may_be_keys() {
        for text in [
            "get(p, \"name\")",
            "pick('name')",
            "const keys = [\"name\", \"age\"] as const;",
            "type K = \"name\" | \"age\";",
            "function f(k: \"name\" | \"age\" = \"name\") {}",
            "const k: K = cond ? \"name\" : \"age\";",
            "if (key === \"name\") {}",
            "switch (key) { case \"name\": break; }",
            "const c = { key: \"name\" };",
            "const c = <Field name=\"name\" />;",
            "return k ?? \"name\";",
            "class A { key: \"name\"; }",
        ] {
            check(text, true);
        }
    }

    #[test]
    fn strings_that_are_no_keys() {
        for text in [
            "import name from \"name\";",
            "\"name\";",
            "require(\"name\")",
            "describe(\"name\", () => {})",
            "test.only(\"name\", () => {})",
            "console.log(\"name\")",
            "throw new TypeError(\"name\")",
            "if (typeof x === \"name\") {}",
            "if (x.kind === \"name\") {}",
            "switch (x.type) { case \"name\": break; }",
            "const c = { kind: \"name\" };",
            "interface A { kind: \"name\" | \"age\"; }",
            "const c = <Field type=\"name\" />;",
            "const s = \"name\" + s;",
            "enum E { A = \"name\" }",
            "// get(p, \"name\")",
            "const s = `\"name\"`;",
            "get(p, \"names\")",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn arguments_behind_values() {
        let grammar = Grammar::named("typescript").expect("there");
        for (text, expected) in
            [("get(p, \"name\")", true), ("get(\"name\", p)", false), ("get(\"a\", \"name\")", false)]
        {
            let found = key_strings(grammar, text, "name", &Cancel::new()).expect("parsed");
            assert_eq!(found.iter().map(|one| one.is_behind_value).collect::<Vec<_>>(), [expected], "{text}");
        }
    }
}
