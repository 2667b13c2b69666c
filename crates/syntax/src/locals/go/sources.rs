//! Where the types of Go's locals come from.

use tree_sitter::Node;

use crate::locals::{LocalBindings, LocalSource, LocalSourceKind, range, range_of};

/// Notes what a node tells of the types of the locals that it binds; `around` are the nodes around it, the outermost first.
pub(super) fn note(node: Node, around: &[Node], found: &mut LocalBindings) {
    match node.kind() {
        "short_var_declaration" => note_values(node, "left", "right", found),
        "var_spec" => match node.child_by_field_name("type") {
            Some(ty) => note_type(node, ty, LocalSourceKind::Type, found),
            None => note_values(node, "name", "value", found),
        },
        "parameter_declaration" | "variadic_parameter_declaration" => {
            let kind = match node.kind() {
                "parameter_declaration" => LocalSourceKind::Type,
                _ => LocalSourceKind::Elements,
            };
            if let Some(ty) = node.child_by_field_name("type") {
                note_type(node, ty, kind, found);
            }
        }
        "range_clause" => {
            let (names, over) = (names(node, "left"), node.child_by_field_name("right"));
            for (at, name) in names.into_iter().enumerate() {
                let Some(over) = over else { return };
                push(name, LocalSourceKind::Iterated, over, at, found);
            }
        }
        "receive_statement" => {
            if let (Some(name), Some(value)) =
                (names(node, "left").first(), node.child_by_field_name("right"))
            {
                push(*name, LocalSourceKind::Value, value, 0, found);
            }
        }
        "type_case" | "default_case" => note_case(node, around, found),
        _ => {}
    }
}

/// Returns the names in a field of `node`, in their order.
fn names<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    let children = node.children_by_field_name(field, &mut cursor);
    let lists = children.flat_map(|child| match child.kind() {
        "expression_list" => child.named_children(&mut child.walk()).collect::<Vec<_>>(),
        _ => vec![child],
    });
    lists.filter(|name| name.is_named()).collect()
}

fn note_type(node: Node, ty: Node, kind: LocalSourceKind, found: &mut LocalBindings) {
    for name in names(node, "name") {
        push(name, kind, ty, 0, found);
    }
}

fn note_values(node: Node, left: &str, right: &str, found: &mut LocalBindings) {
    let (names, values) = (names(node, left), names(node, right));
    for (at, name) in names.iter().enumerate() {
        match &values[..] {
            // One expression may have several results.
            [only] => push(*name, LocalSourceKind::Value, *only, at, found),
            values if values.len() == names.len() => {
                push(*name, LocalSourceKind::Value, values[at], 0, found);
            }
            _ => {}
        }
    }
}

/// Notes the type that the alias of a type switch has in one of its cases.
fn note_case(case: Node, around: &[Node], found: &mut LocalBindings) {
    let Some(switch) = around.last().filter(|outer| outer.kind() == "type_switch_statement") else { return };
    let types = names(case, "type");
    for alias in names(*switch, "alias") {
        match &types[..] {
            [only] => push(alias, LocalSourceKind::Case, *only, 0, found),
            _ => found.sources.push(LocalSource {
                name_start: range_of(alias).start,
                kind: LocalSourceKind::Case,
                range: range(case.start_byte(), case.start_byte()),
                result: 0,
            }),
        }
    }
}

fn push(name: Node, kind: LocalSourceKind, source: Node, result: usize, found: &mut LocalBindings) {
    found.sources.push(LocalSource {
        name_start: range_of(name).start,
        kind,
        range: range_of(source),
        result: u32::try_from(result).unwrap_or(u32::MAX),
    });
}

#[cfg(test)]
mod tests {
    use crate::{Grammar, LocalSourceKind, local_bindings};
    use symd_base::Cancel;

    /// Returns what tells the types of the locals in a function's parameters and body: name, kind, text, result.
    fn sources(code: &str) -> Vec<(String, LocalSourceKind, String, u32)> {
        let text = format!("package p\nfunc {code}\n");
        let grammar = Grammar::named("go").expect("known");
        let found = local_bindings(grammar, &text, &Cancel::new()).expect("it parses");
        let word = |at: u32| -> String {
            text[at as usize..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        let all = found.sources.iter();
        all.map(|one| (word(one.name_start), one.kind, text[one.range.as_range()].to_owned(), one.result))
            .collect()
    }

    #[test]
    fn types_and_values_of_locals() {
        use LocalSourceKind::{Case, Elements, Iterated, Type, Value};
        let expect = |code: &str, expected: &[(&str, LocalSourceKind, &str, u32)]| {
            let found = sources(code);
            let found: Vec<_> = found.iter().map(|(a, b, c, d)| (a.as_str(), *b, c.as_str(), *d)).collect();
            assert_eq!(found, expected, "{code}");
        };
        expect(
            "f(a, b *T, c ...q.U) {}",
            &[("a", Type, "*T", 0), ("b", Type, "*T", 0), ("c", Elements, "q.U", 0)],
        );
        expect("(s *S[E]) f() {}", &[("s", Type, "*S[E]", 0)]);
        expect("f() { a, b := g(1) }", &[("a", Value, "g(1)", 0), ("b", Value, "g(1)", 1)]);
        expect("f() { a, b := g(1), h }", &[("a", Value, "g(1)", 0), ("b", Value, "h", 0)]);
        expect("f() { var a, b T }", &[("a", Type, "T", 0), ("b", Type, "T", 0)]);
        expect("f() { var a = g() }", &[("a", Value, "g()", 0)]);
        expect("f() { for k, v := range m.x {} }", &[("k", Iterated, "m.x", 0), ("v", Iterated, "m.x", 1)]);
        expect("f() { select { case a := <-b: } }", &[("a", Value, "<-b", 0)]);
        expect(
            "f() { switch x := y.(type) { case *T: g(x) case A, B: h() default: } }",
            &[("x", Case, "*T", 0), ("x", Case, "", 0), ("x", Case, "", 0)],
        );
    }
}
