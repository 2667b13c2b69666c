//! Names that Python code writes in quotes but that refer to symbols: the entries of `__all__`, and
//! annotations that are evaluated later (`x: "Box"`, `t.Union["Box", None]`, `cast("Box", x)`). Invariant:
//! each node examines only its own strings and leaves those of nested nodes that are visited themselves to
//! those nodes, so the work is linear in the text.

use std::ops::Range;

use tree_sitter::Node;

/// The list of the names that a module exports.
const ALL: &str = "__all__";

/// Generic types that can also occur outside annotations, in an alias or among base classes, where any other
/// subscript may be an index into a value.
const GENERIC: [&str; 20] = [
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterator",
    "Awaitable",
    "Callable",
    "ClassVar",
    "Coroutine",
    "Dict",
    "Generator",
    "Generic",
    "Iterable",
    "Iterator",
    "List",
    "Mapping",
    "Optional",
    "Sequence",
    "Set",
    "Tuple",
    "Type",
    "Union",
];

/// Calls `note` with the range in `text` of every quoted name directly in `node`.
pub(super) fn names(node: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let written = &text[node.byte_range()];
    match node.kind() {
        "type" if has_quote(written) && !is_value(node, text) => types_in(node, text, note),
        "subscript" if has_quote(written) && is_generic(node, text) => types_in(node, text, note),
        "assignment" | "augmented_assignment" if written.starts_with(ALL) => {
            if node.child_by_field_name("left").is_some_and(|left| &text[left.byte_range()] == ALL)
                && let Some(right) = node.child_by_field_name("right")
            {
                entries(right, text, note);
            }
        }
        "call" if has_quote(written) => call(node, text, note),
        _ => {}
    }
}

fn has_quote(text: &str) -> bool {
    memchr::memchr2(b'"', b'\'', text.as_bytes()).is_some()
}

/// Returns the last name of `Union`, `typing.Union`, `t.Union`.
fn last_name<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    let name = match node.kind() {
        "attribute" => node.child_by_field_name("attribute"),
        "identifier" => Some(node),
        _ => None,
    };
    name.map_or("", |name| &text[name.byte_range()])
}

fn is_generic(subscript: Node<'_>, text: &str) -> bool {
    subscript.child(0).is_some_and(|value| GENERIC.contains(&last_name(value, text)))
}

/// Reports whether a type node contains a value: in `Literal["a"]`, or after the type in `Annotated[int,
/// "a"]`.
fn is_value(node: Node<'_>, text: &str) -> bool {
    let Some(parameters) = node.parent().filter(|parent| parent.kind() == "type_parameter") else {
        return false;
    };
    let of = parameters.parent().and_then(|generic| generic.child(0)).map_or("", |of| last_name(of, text));
    let is_first = parameters.named_child(0).is_some_and(|first| first.id() == node.id());
    of == "Literal" || of == "Annotated" && !is_first
}

/// Notes the names in the strings of a type, or of a generic type's arguments.
fn types_in(root: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        let is_root = node.id() == root.id();
        match node.kind() {
            "string" => words(node, text, note),
            // These nodes are visited themselves; a call is not a type.
            "type" | "call" | "lambda" if !is_root => {}
            "subscript" if !is_root && is_generic(node, text) => {}
            "subscript" => {
                let of = node.child(0).map_or("", |of| last_name(of, text));
                let mut cursor = node.walk();
                let given = node.children_by_field_name("subscript", &mut cursor);
                match of {
                    "Literal" => {}
                    "Annotated" => left.extend(given.take(1)),
                    _ => left.extend(given),
                }
            }
            _ => {
                let mut cursor = node.walk();
                left.extend(node.named_children(&mut cursor));
            }
        }
    }
}

/// Notes the entries of `__all__`: of a list, a tuple, or several of these added.
fn entries(root: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        match node.kind() {
            "string" => {
                let Some(content) = content(node, text) else { continue };
                if !content.is_empty() && word_length(&text[content.clone()]) == content.len() {
                    note(content);
                }
            }
            "list"
            | "tuple"
            | "set"
            | "expression_list"
            | "parenthesized_expression"
            | "binary_operator"
            | "argument_list"
            | "list_splat" => {
                let mut cursor = node.walk();
                left.extend(node.named_children(&mut cursor));
            }
            _ => {}
        }
    }
}

/// Handles `__all__.append("name")`, `cast("Type", value)`, `TypeVar("T", bound="Type")`.
fn call(node: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let (Some(function), Some(arguments)) =
        (node.child_by_field_name("function"), node.child_by_field_name("arguments"))
    else {
        return;
    };
    match last_name(function, text) {
        "append" | "extend" | "remove" => {
            let of = function.child_by_field_name("object").map_or("", |of| &text[of.byte_range()]);
            if of == ALL {
                entries(arguments, text, note);
            }
        }
        "cast" => {
            if let Some(first) = arguments.named_child(0).filter(|first| first.kind() != "keyword_argument") {
                types_in(first, text, note);
            }
        }
        "TypeVar" => {
            let mut cursor = arguments.walk();
            for argument in arguments.named_children(&mut cursor) {
                let is_bound = argument.child_by_field_name("name").is_some_and(|name| {
                    argument.kind() == "keyword_argument" && &text[name.byte_range()] == "bound"
                });
                if let Some(value) = argument.child_by_field_name("value").filter(|_| is_bound) {
                    types_in(value, text, note);
                }
            }
        }
        _ => {}
    }
}

/// Returns the range between the quotes of a string without escapes, interpolation or bytes prefix.
fn content(string: Node<'_>, text: &str) -> Option<Range<usize>> {
    let written = &text[string.byte_range()];
    let prefix = written.find(['"', '\''])?;
    if !written[..prefix].chars().all(|c| "rRuU".contains(c)) || written.contains('\\') {
        return None;
    }
    let quote = &written[prefix..=prefix];
    let quotes = if written[prefix..].starts_with(&quote.repeat(3)) { 3 } else { 1 };
    let (start, end) = (string.start_byte() + prefix + quotes, string.end_byte().checked_sub(quotes)?);
    // An unclosed string may end with fewer quotes, or within a character.
    (start <= end && text[..string.end_byte()].ends_with(&quote.repeat(quotes))).then_some(start..end)
}

/// Notes every name in a quoted expression, except names in nested quotes: `"Literal['a']"`.
fn words(string: Node<'_>, text: &str, note: &mut impl FnMut(Range<usize>)) {
    let Some(content) = content(string, text) else { return };
    let mut at = content.start;
    while at < content.end {
        let rest = &text[at..content.end];
        let length = word_length(rest);
        if length > 0 {
            note(at..at + length);
            at += length;
            continue;
        }
        let Some(next) = rest.chars().next() else { return };
        at += match next {
            '"' | '\'' => rest[1..].find(next).map_or(rest.len(), |end| end + 2),
            // A number: the characters after its digits are not a name.
            _ if next.is_alphanumeric() => rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()),
            _ => next.len_utf8(),
        };
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length in bytes of the identifier with which `text` begins.
fn word_length(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return 0;
    }
    text.find(|c: char| !is_part(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use crate::{Grammar, outline};
    use symd_base::Cancel;

    #[test]
    fn a_string_that_is_not_closed_may_end_within_a_character() {
        let grammar = Grammar::named("python").expect("there");
        // Found by fuzzing.
        let found = "classoso clas\u{0}\u{0}\u{0}\u{fffd}id:\u{5} '.%''''''''\u{fffd}\u{fffd}delf.x \u{fffd}\u{fffd}\u{fffd} \u{fffd}\u{fffd}\u{fffd}  )\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd} d'\u{fffd}\u{fffd}\u{fffd}\u{fffd}'\u{fffd} d'''\u{fffd} clas\u{0}\u{0}\u{0}\u{fffd}id:\u{5} '.%''''''\u{fffd}\u{fffd}'\"\u{fffd}1\u{16}9";
        for text in ["class A:\n a: '''é'", found] {
            outline(grammar, text, &Cancel::new()).expect("an outline");
        }
    }
}
