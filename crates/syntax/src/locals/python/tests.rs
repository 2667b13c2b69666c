//! Tests of Python's scopes: texts with marks. `$0` marks the variable, `‹›` each of its places; a text without these has no
//! such local, one with `?` in front has one that is not sure.

use super::super::local_bindings;
use crate::Grammar;
use symd_base::Cancel;

#[track_caller]
fn check(marked: &str) {
    let (is_sure, marked) = match marked.strip_prefix('?') {
        Some(rest) => (false, rest),
        None => (true, marked),
    };
    let (mut text, mut expected, mut target) = (String::new(), Vec::new(), None);
    for c in marked.chars() {
        match c {
            '‹' => expected.push(text.len()),
            '›' => {}
            '$' => target = Some(text.len()),
            c => text.push(c),
        }
    }
    let at = target.expect("marked");
    let grammar = Grammar::named("python").expect("known");
    let found = local_bindings(grammar, &text, &Cancel::new()).expect("it parses");
    let holds = |scopes: &[symd_base::TextRange]| scopes.iter().any(|place| place.start as usize == at);
    let local = found.locals.iter().find(|local| holds(&local.scopes));
    let places = local.map(|local| local.scopes.iter().map(|place| place.start as usize).collect::<Vec<_>>());
    assert_eq!(places.unwrap_or_default(), expected, "{marked}");
    assert!(expected.is_empty() || local.is_some_and(|local| local.is_sure == is_sure), "{marked}");
}

#[test]
fn functions_bind_in_their_whole_body() {
    for marked in [
        "def f(‹$a›, b=a):\n    return ‹a› + b\na\n",
        "def f():\n    print(‹a›)\n    ‹$a› = 1\n    ‹a› += 1\n    del ‹a›\n",
        "def f():\n    a = 1\n    def g():\n        ‹$a› = 2\n        return ‹a›\n    return a\n",
        "def f():\n    ‹$a› = 1\n    def g():\n        nonlocal ‹a›\n        ‹a› = 2\n    return ‹a›\n",
        "def f():\n    ‹$a› = 1\n    def g(b=‹a›):\n        a = 2\n    @‹a›.d\n    def h(x: ‹a›) -> ‹a›: ...\n",
        "a = 1\ndef f():\n    global $a\n    a = 2\n",
        "$a = 1\n",
        "def f(*‹$a›, **b):\n    return ‹a›, b, x.a, g(a=‹a›)\n",
        "def f(a: int, ‹$b›: int = 1, *c: int, d=2, **e): return ‹b›\n",
        "async def f(‹$a›):\n    async for b in ‹a›: pass\n    async with ‹a› as c: pass\n",
        "def f():\n    ‹$a›: int\n    ‹a› = ‹a› + 1\n    ‹a›.b = 1\n    ‹a›[0] = 1\n",
        "def f():\n    for ‹$a›, (b, *c) in x:\n        ‹a›\n    else:\n        ‹a›\n    return ‹a›\n",
        "def f():\n    with x as ‹$a›, y as (b, c):\n        ‹a›\n",
        "def f():\n    with x as a, y as (b, ‹$c›):\n        ‹c›\n",
        "def f():\n    with (x as ‹$a›, y as b): ‹a›\n",
        "def f():\n    try: pass\n    except E as ‹$e›:\n        raise x from ‹e›\n    except* (F, G) as ‹e›: ‹e›\n",
        "def f():\n    def ‹$g›(): return ‹g›()\n    return ‹g›\n",
        "def f():\n    class ‹$G›(x): y = ‹G›\n    return ‹G›\n",
        "def f():\n    (‹$a›) = [b, c] = x, *d = ‹a›\n",
        "def f():\n    [b, (‹$a›, *c)] = x\n    return ‹a›\n",
        "def f():\n    import x as ‹$a›, y.z\n    ‹a›\n",
        "?def f():\n    import ‹$a›.b\n    ‹a›.b\n",
        "?def f():\n    from a import (‹$a›, b)\n    ‹a›\n",
        "def f():\n    from x import a as ‹$b›\n    ‹b›, a\n",
    ] {
        check(marked);
    }
}

#[test]
fn lambdas_and_comprehensions() {
    for marked in [
        "def f(a):\n    return lambda ‹$a›, b=a: ‹a› + b\n",
        "def f(‹$a›):\n    return lambda a, b=‹a›: a + b\n",
        "def f(‹$a›):\n    return [a for a in ‹a› if a]\n",
        "def f(a):\n    return [‹a› for ‹$a› in a if ‹a›]\n",
        "def f(a):\n    return {‹k›: v for ‹$k›, v in a for b in ‹k›}\n",
        "def f(‹$a›):\n    return (b for b in c for d in ‹a›)\n",
        "def f(a):\n    return (b for ‹$a› in c for d in ‹a›)\n",
        "def f():\n    return [(‹$a› := b) for b in c], ‹a›\n",
        "[‹a› for ‹$a› in a]\n",
        "[($a := b) for b in c]\na\n",
        "class A:\n    x = [‹a› for ‹$a› in a]\n",
        "def f(‹$a›):\n    return f\"{‹a›=} {x:{‹a›}} {{a}}\", \"a\", g(a=1)\n",
        "x = lambda *‹$a›, **b: ‹a›\n",
        "def f():\n    return [[‹a› for ‹$a› in b] for b in a]\n",
        "async def f():\n    return [‹a› async for ‹$a› in x if await ‹a›]\n",
        "g(‹a› for ‹$a› in x)\n",
    ] {
        check(marked);
    }
}

#[test]
fn class_bodies_are_seen_by_nothing_inside() {
    for marked in [
        "def f(‹$a›):\n    class A:\n        b = ‹a›\n        def m(self): return ‹a›\n",
        "?def f(‹$a›):\n    class A:\n        a = a\n        def m(self): return ‹a›\n",
        "class A:\n    $a = 1\n    def m(self): return a\n",
        "def f():\n    ‹$a› = 1\n    class A:\n        nonlocal ‹a›\n        ‹a› = 2\n",
        "class A:\n    a = 1\n    def m(self, ‹$a›=a): return ‹a›\n",
    ] {
        check(marked);
    }
}

#[test]
fn captures_of_match() {
    for marked in [
        "def f(x):\n    match x:\n        case [‹$a›, *b]: ‹a›\n",
        "def f(x):\n    match x:\n        case [a, *‹$b›] if ‹b›: ‹b›\n",
        "def f(x):\n    match x:\n        case {\"k\": ‹$a›, **b}: ‹a›\n",
        "def f(x):\n    match x:\n        case {\"k\": a, **‹$b›}: ‹b›\n",
        "def f(x):\n    match x:\n        case A(a=‹$b›, c=1) as d: ‹b›\n",
        "def f(x):\n    match x:\n        case A(a=b) as ‹$d›: ‹d›\n",
        "def f(x):\n    match x:\n        case (1 | 2) as ‹$d›: ‹d›\n",
        "def f(x, ‹$A›):\n    match x:\n        case ‹A›.b | ‹A›(): pass\n        case _: pass\n",
        "def f(‹$x›):\n    match ‹x›:\n        case y: return ‹x›\n",
        "def f(x):\n    match x:\n        case ‹$y›: return ‹y›\n",
    ] {
        check(marked);
    }
}

#[test]
fn type_parameters() {
    for marked in [
        "def f[‹$T›: (int, str), *Us, **P](a: ‹T›, *b: *Us) -> ‹T›:\n    c: ‹T›\n",
        "def f[T, *‹$Us›](a: T, *b: *‹Us›): ...\n",
        "class A[‹$T›](B[‹T›]):\n    x: ‹T›\n    def m(self, a: ‹T›) -> list[‹T›]: ...\n",
        "type A[‹$T›] = list[‹T›]\nT\n",
        "class A:\n    $T = 1\n    def m[U](self, a: T): ...\n",
        "def f(a: dict[str, list[$T]]): ...\n",
    ] {
        check(marked);
    }
}

#[test]
fn a_text_with_errors_has_no_sure_local() {
    check("?def f(‹$a›):\n    return ‹a›\nx = = 1\n");
}
