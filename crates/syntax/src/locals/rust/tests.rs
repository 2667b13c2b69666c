//! Texts in which `$0` marks a name that a pattern binds and `‹…›` mark where it is visible.

use super::super::{LocalBindings, local_bindings};
use crate::Grammar;
use crate::extract::OutlineError;
use symd_base::Cancel;

fn rust_bindings(text: &str, cancel: &Cancel) -> Result<LocalBindings, OutlineError> {
    local_bindings(Grammar::named("rust").expect("known"), text, cancel)
}

/// Checks that the local at `$0` is visible exactly between the marks, and whether it is sure.
#[track_caller]
fn check(marked: &str, is_sure: bool) {
    let (mut text, mut at, mut open, mut expected) = (String::new(), 0, 0, Vec::new());
    let mut rest = marked;
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("$0") {
            (at, rest) = (text.len(), behind);
            continue;
        }
        match c {
            '‹' => open = text.len(),
            '›' => expected.push((open, text.len())),
            c => text.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    let found = rust_bindings(&text, &Cancel::new()).expect("it parses");
    let local = found.locals.iter().find(|local| local.name.start as usize == at);
    let local = local.unwrap_or_else(|| panic!("no local in {marked}: {found:?}"));
    let scopes: Vec<_> =
        local.scopes.iter().map(|scope| (scope.start as usize, scope.end as usize)).collect();
    let parts = |scopes: &[(usize, usize)]| -> Vec<String> {
        scopes.iter().map(|&(from, to)| text[from..to].to_owned()).collect()
    };
    assert_eq!(parts(&scopes), parts(&expected), "{marked}");
    assert_eq!(scopes, expected, "{marked}");
    assert_eq!(local.is_sure, is_sure, "{marked}");
}

/// Returns the names that the text binds, in its order.
fn bound(text: &str) -> Vec<&str> {
    let mut found = rust_bindings(text, &Cancel::new()).expect("it parses").locals;
    found.sort_by_key(|local| local.name.start);
    found.iter().map(|local| &text[local.name.as_range()]).collect()
}

#[test]
fn a_local_is_visible_behind_its_statement() {
    check("fn f() { g(); let $0a = b;‹ c }›", true);
    check("fn f() { let Some($0a) = b else { return };‹ c }› fn d() {}", true);
    check("fn f() { { let (x, $0a) = b;‹ c }› d }", true);
    check("fn f() { let S { x: $0a, .. } = b;‹ c }›", true);
    check("fn f() { let S { $0a } = b;‹ c }›", true);
    check("fn f() { let [$0a, ..] = b;‹ c }›", true);
    check("fn f() { let a @ Some(&mut $0x) = b;‹ c }›", true);
}

#[test]
fn what_a_header_binds_is_visible_in_its_body() {
    check("fn f($0a: A) -> B ‹{ c }›", true);
    check("fn f(S { $0a, .. }: S) ‹{ c }›", true);
    check("fn f() { for (x, $0a) in b() ‹{ c }› d }", true);
    check("fn f() { if let Some($0a) = b‹ { c }› else { d } }", true);
    check("fn f() { if let Some($0a) = b‹ && a.c() { c }› else { d } }", true);
    check("fn f() { while let Some($0a) = b‹ { c }› d }", true);
    check("fn f() { match b { A($0a)‹ if a > 1 => c,› _ => d } }", true);
    check("fn f() { match b { A(a) | B($0a)‹ => c,› _ => d } }", true);
    check("fn f() { match b { x if let Some($0a) = x‹ => c,› _ => d } }", true);
    check("fn f() { g(|x, $0a| ‹h(a)›, d) }", true);
    check("fn f() { g(|($0a, _): (A, B)| ‹{ h(a) }›, d) }", true);
}

#[test]
fn items_do_not_see_the_locals_around() {
    check("fn f() { let $0a = b;‹ c; ›fn g() { d }‹ e }›", true);
    check("fn f() { let $0a = b;‹ c; ›impl A { fn g() { d } }‹ e; ›const B: C = 1;‹ }›", true);
}

#[test]
fn arguments_of_macros_are_expressions_where_they_can_be_parsed() {
    check("fn f() { println!(\"{}\", b.map(|$0a| ‹c(a)›)) }", true);
    check("fn f() { x![{ let $0a = 1;‹ a }›] }", true);
    check("fn f() { x!(y!(z!(|$0a| ‹a›))) }", true);
    check("fn f() { matches!(b, Some($0a) ‹if a > 1)› }", true);
    check("fn f() { assert!(matches!(b, S { x: $0a, .. } ‹if a)›) }", true);
}

#[test]
fn parameters_that_are_constants_are_visible_in_their_item() {
    check("fn f<const $0N‹: usize>() -> [u8; N] { N }› fn g() { N }", true);
    check("impl<const $0N‹: usize> A<N> { fn f() { N } }› fn g() { N }", true);
}

#[test]
fn what_macros_may_combine_is_known() {
    let combined = |text: &str| -> Vec<String> {
        let found = rust_bindings(text, &Cancel::new()).expect("it parses").combined;
        found.iter().map(|part| text[part.as_range()].to_owned()).collect()
    };
    assert_eq!(
        combined("#[a(b)] fn f() { call!(c, \")\", d); vec![e]; m!{ n!(o) } }"),
        ["#[a(b)]", "(c, \")\", d)", "{ n!(o) }", "(o)"]
    );
    assert_eq!(combined("macro_rules! a { () => { b } }"), ["macro_rules! a { () => { b } }"]);
}

#[test]
fn arms_of_macros_bind_their_patterns() {
    check("fn f() { select! { biased; $0a = b() =>‹ { c }› d = e() => {} } }", true);
    check("fn f() { tokio::select! { Some($0a) = b() =>‹ c,› () = e() => {} } }", true);
    check("fn f() { tokio::select! { x = b() => { let $0a = 1;‹ a }› else => {} } }", true);
    check("fn f() { other! { A($0a) ‹if b => { c }› d => e } }", false);
    check("fn f() { other! { $0a = b() =>‹ { c }› } }", false);
}

#[test]
fn only_names_that_patterns_bind_are_locals() {
    assert_eq!(bound("fn f() { let None = a; let std::x = b; let X | Y(z) = c; }"), ["z"]);
    assert_eq!(bound("fn f() { match a { 1..=b => c, D => e, f::G(h) => i, _ => j } }"), ["h"]);
    assert_eq!(bound("fn f() { g(a, b = c); d { e: f }; h!(i, j + 1) }"), [] as [&str; 0]);
    assert_eq!(bound("#[a(b = c)] fn f(self, &mut self) {}"), [] as [&str; 0]);
}

#[test]
fn names_of_fields_stand_in_literals_and_patterns() {
    let fields = |text: &str| -> Vec<String> {
        let found = rust_bindings(text, &Cancel::new()).expect("it parses").field_names;
        found.iter().map(|&at| text[at as usize..].chars().take(1).collect()).collect()
    };
    assert_eq!(
        fields("fn f(q: Q) { let S { a, b: c, .. } = S { d, e: g(h.i) }; x(j, k) }"),
        ["a", "b", "d", "e"]
    );
    assert_eq!(fields("fn f() { vec![S { a, b: 1 }] }"), ["a", "b"]);
    assert_eq!(fields("struct S { a: B }"), [] as [&str; 0]);
    let unparsed =
        rust_bindings("fn f() { matches!(a, S { b } if b > 1) }", &Cancel::new()).expect("it parses");
    assert_eq!(unparsed.unparsed.len(), 1, "the field may be in it");
}

#[test]
fn a_local_is_not_sure_in_a_text_with_errors() {
    check("fn f( { let $0a = b;‹ c }›", false);
}

#[test]
fn no_text_holds_it_up() {
    for unit in ["let a = ", "if let A(a) = b && ", "m!(", "|a| ", "match a { b => ", "fn f() { let a = 1; "]
    {
        let text = format!("fn f() {{ {}", unit.repeat(3_000));
        assert!(rust_bindings(&text, &Cancel::new()).is_ok());
    }
}
