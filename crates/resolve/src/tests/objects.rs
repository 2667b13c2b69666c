//! Members of objects whose class the text tells.

use super::{files, judged, memory, target};
use crate::{Judgement, Occurrence, Role, object_members, occurrences};
use symd_base::{Cancel, RelPath, TextRange};

/// Returns the lines, as 1-based `path:line`, of the uses of the name behind `$0` that are found to mean it by their objects; those that
/// are found to mean something else have a `!`. Of Python's asserts that they are judged so.
#[track_caller]
fn told(fixture: &str) -> Vec<String> {
    let (texts, (path, at)) = files(fixture);
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let found = occurrences(&memory, std::slice::from_ref(&target), &Cancel::new()).expect("not cancelled");
    let uses: Vec<Occurrence> = found.into_iter().filter(|one| one.role != Role::Declaration).collect();
    let places: Vec<(RelPath, TextRange)> = uses.iter().map(|one| (one.path.clone(), one.range)).collect();
    let targets = [target];
    let members = object_members(&memory, &places, &targets, &Cancel::new()).expect("not cancelled");
    let line = |(one, member): (&Occurrence, Option<crate::IndexedDeclaration>)| {
        let text = &memory.texts.iter().find(|(known, _)| *known == one.path).expect("there").1;
        let number = text[..one.range.start as usize].matches('\n').count() + 1;
        let (mark, judgement) = match member?.is_same_declaration(&targets[0]) {
            true => ("", Judgement::Likely),
            false => ("!", Judgement::Unlikely),
        };
        assert!(!one.path.as_str().ends_with(".py") || one.judgement == judgement, "{fixture}\n{one:?}");
        Some(format!("{}:{number}{mark}", one.path))
    };
    uses.iter().zip(members).filter_map(line).collect()
}

const CART: &str = "//- lib.py\nclass Cart:\n    def add(self, x):\n        self.x = x\n        return self\n\n    def $0total(self): ...\n\n\
    \x20   def copy(self) -> \"Cart\": ...\n\n    def other(self) -> int: ...\n\nclass Box:\n    def total(self): ...\n\n\
    def make():\n    return Cart()\n\ndef maybe(x):\n    if x:\n        return Box()\n    return Cart()\n";

#[test]
fn objects_of_python() {
    for (user, expected) in [
        ("Cart().total()", &["user.py:3"][..]),
        ("Cart().add(')').add(1).total()", &["user.py:3"]),
        ("c = Cart()\nc.total()", &["user.py:4"]),
        ("c = Cart().add(1)\nc.total()", &["user.py:4"]),
        ("c = lib.Cart()\nc.copy().total()", &["user.py:4"]),
        ("b = Box()\nb.total()", &["user.py:4!"]),
        ("c = make()\nc.total()", &["user.py:4"]),
        (
            "def f(c: Cart, b: 'Optional[Box]' = None):\n    c.total()\n    b.total()",
            &["user.py:4", "user.py:5!"],
        ),
        ("def f(c):\n    c: Cart = c\n    c.total()", &[]),
        (
            "class A:\n    def __init__(self, c: Cart):\n        self.c = c\n        self.d: Box = c\n    def f(self):\n        self.c.total()\n        self.d.total()",
            &["user.py:8", "user.py:9!"],
        ),
        ("def f(x):\n    c = Cart()\n    x(c)\n    c.total()\n\ndef g(c):\n    c = 1", &["user.py:6"]),
        // What is given several times is of the class on which all values agree.
        ("c = None\nc = Cart()\nc.total()", &["user.py:5"]),
        ("def f(x):\n    c = Cart()\n    if x:\n        c = Cart().add(x)\n    c.total()", &["user.py:7"]),
        (
            "class A:\n    def __init__(self):\n        self.c = None\n    def open(self):\n        self.c = Cart()\n    def f(self):\n        self.c.total()",
            &["user.py:9"],
        ),
        // Classes that have nothing to do with each other give their objects members of one name.
        (
            "class A:\n    def __init__(self):\n        self.c = Cart()\n    def f(self):\n        self.c.total()\n\nclass B:\n    c = other()\n    def __init__(self):\n        self.c = Box()\n    def f(self):\n        self.c.total()",
            &["user.py:7"],
        ),
        (
            "class A:\n    def __init__(self):\n        self.c = Cart()\n    def f(self):\n        self.c.total()\nb = Box()\nb.c = Box()",
            &["user.py:7"],
        ),
        // Methods without annotations.
        (
            "class A:\n    def _make(self):\n        if self:\n            return None\n        return Cart()\n    def f(self):\n        self._make().total()",
            &["user.py:9"],
        ),
        (
            "class A:\n    def _make(self):\n        return Cart()\n    def f(self):\n        self._make().total()\nclass B(A):\n    def _make(self): return Box()",
            &[],
        ),
        (
            "class A:\n    @classmethod\n    def make(cls) -> 'Self': ...\n    def total(self): ...\nclass B(A): pass\nB.make().total()",
            &["user.py:8!"],
        ),
        (
            "class A:\n    def _make(self, x):\n        if x:\n            return Box()\n        return Cart()\nA()._make(1).total()",
            &[],
        ),
        (
            "class A:\n    def me(self):\n        return self\nclass B(A):\n    def total(self): ...\nB.me(x).total()",
            &[],
        ),
        // What is unpacked.
        ("c, d = Cart(), Box()\nc.total()\nd.total()", &["user.py:4", "user.py:5!"]),
        ("(c, d) = (\n    Box(),\n    Cart(),\n)\nd.total()", &[]),
        (
            "def both():\n    return Box(), Cart()  # two\nb, c = both()\nc.total()\nb.total()",
            &["user.py:6", "user.py:7!"],
        ),
        ("def both() -> tuple[Box, Cart]: ...\nb, c = both()\nc.total()", &["user.py:5"]),
        (
            "class A:\n    def both(self, x):\n        if x:\n            return (None, None)\n        c = Cart()\n        return (x, c)\n    def f(self):\n        x, c = self.both(1)\n        c.total()\n        x.total()",
            &["user.py:11"],
        ),
        (
            "def both(x):\n    if x: return Cart(), Box()\n    return Box(), Cart()\nc, d = both(1)\nc.total()",
            &[],
        ),
        ("c, *d = Cart(), Box()\nc.total()", &[]),
        ("c, d = e, f = Cart(), Box()\nc.total()", &[]),
        ("c, d = [Cart(), Box()]\nc.total()", &[]),
        // A parameter has the type that the method of the base writes.
        (
            "class Base:\n    def f(self, c: Cart, n): ...\nclass Heir(Base):\n    def f(self, c, n):\n        c.total()\n        n.total()",
            &["user.py:7"],
        ),
        (
            "class Base:\n    def f(self, c: Cart): ...\nclass Heir(Base):\n    def f(self, c):\n        c = other(c)\n        c.total()",
            &[],
        ),
        // What may be something else.
        ("c = Cart()\nc = c.next\nc.total()", &[]),
        ("c = Cart()\nc = other()\nc.total()", &[]),
        ("def f(c: Cart):\n    c = other(c)\n    c.total()", &[]),
        ("def f(\n    a,\n    c=Cart()\n):\n    c.total()", &[]),
        (
            "class Base:\n    c = Cart()\n    def f(self):\n        self.c.total()\n\nclass Heir(Base):\n    c = other()",
            &[],
        ),
        (
            "class A:\n    def __init__(self):\n        self.c = Cart()\n    def f(self, all):\n        for self.c in all:\n            self.c.total()",
            &[],
        ),
        (
            "class Heir(Cart):\n    def add(self, x):\n        return Box()\n\ndef f(c: Cart):\n    c.add(1).total()",
            &[],
        ),
        (
            "class D:\n    def __get__(self, o, c): ...\n    def total(self): ...\n\nclass A:\n    c = D()\n\nA().c.total()",
            &[],
        ),
        ("async def f():\n    async with Cart() as c:\n        c.total()", &[]),
        ("c = Cart()\ndef f():\n    global c\n    c = other()\nc.total()", &[]),
        ("c = Cart()\nc.total()\n//- more.py\nimport user\nuser.c = other()", &[]),
        ("c = Cart() or Box()\nc.total()", &[]),
        ("c = [Cart()]\nc.total()", &[]),
        ("c = maybe(1)\nc.total()", &[]),
        ("c = Cart().other()\nc.total()", &[]),
        (
            "class A:\n    def __init__(self):\n        self.c = Cart()\n    def f(self):\n        self.c.total()\na.c = other()",
            &[],
        ),
        ("for c in Cart():\n    c.total()", &[]),
        ("c = Cart\nc.total()", &[]),
        ("def f(*c: Cart):\n    c.total()", &[]),
        ("a = b\nb = a\na.total()", &[]),
    ] {
        let fixture =
            format!("{CART}//- user.py\nimport lib\nfrom lib import Cart, Box, make, maybe\n{user}\n");
        assert_eq!(told(&fixture), expected, "{user}");
    }
}

#[test]
fn keywords_of_methods() {
    let lib = "//- lib.py\nclass Cart:\n    def add(self):\n        return self\n\n    def pay(self, $0who): ...\n\nclass Box:\n    def pay(self, who): ...\n\n";
    let user = "c = Cart().add()\nc.pay(who=1)\nBox().pay(who=2)\nother.pay(who=3)\n";
    assert_eq!(told(&format!("{lib}{user}")), ["lib.py:11", "lib.py:12!"]);
}

/// A subclass that assigns an attribute which it inherits has no other attribute of that name.
#[test]
fn what_methods_of_subclasses_assign() {
    let user = "\nclass Till(Shop):\n    def close(self):\n        self.code = 1\n        return self.code\n\nclass Kiosk(Till):\n    def shut(self):\n        self.code = 2\n\n\
        class Other:\n    def f(self):\n        self.code = 3\n\nclass Own(Shop):\n    code = 4\n    def f(self):\n        self.code = 5\n\nKiosk().code\n";
    let uses = |fixture: String| {
        let mut found = judged(&format!("//- a.py\n{fixture}"));
        found.retain(|one| !one.contains("unlikely"));
        found
    };
    let expected = [
        "a.py:2: likely declaration",
        "a.py:6: likely use",
        "a.py:7: likely use",
        "a.py:11: likely use",
        "a.py:22: likely use",
    ];
    for base in ["class Shop:\n    $0code: int = 0\n", "class Shop: # property\n    def $0code(self): ...\n"]
    {
        assert_eq!(uses(format!("{base}{user}")), expected);
    }
    let of_till = format!("class Shop:\n    code = 0\n{}", user.replacen("self.code", "self.$0code", 1));
    let expected =
        ["a.py:6: likely declaration", "a.py:7: likely use", "a.py:11: likely use", "a.py:22: likely use"];
    assert_eq!(uses(of_till), expected);
}

#[test]
fn what_a_context_manager_gives() {
    let enter = |result: &str| {
        format!(
            "//- a.py\nclass A:\n    def $0took(self): ...\n    def __enter__(self):\n        return {result}\n\n\
             with A() as a:\n    a.took()\n"
        )
    };
    assert_eq!(told(&enter("self")), ["a.py:7"]);
    assert_eq!(told(&enter("open()")), Vec::<String>::new());
}

#[test]
fn objects_of_javascript_and_typescript() {
    let lib = "//- lib.ts\nexport class Cart {\n  add(x: number) { this.x = x; return this; }\n  $0total() { return 1; }\n\
        \x20 copy(): Cart { return this; }\n  each(): Cart[] { return []; }\n}\nexport class Box { total() { return 2; } }\n\
        export interface Buyer { cart: Cart; box?: Box }\nexport const made = new Cart();\nexport const make = (x: number): Cart => new Cart();\n";
    for (user, expected) in [
        ("const c = new Cart();\nc.total();", &["user.ts:3"][..]),
        ("new Cart().add(1).copy().total();", &["user.ts:2"]),
        ("const c = new Cart()\n  .add(1);\nc.total();", &["user.ts:4"]),
        ("made.total();\nmake(1).total();", &["user.ts:2", "user.ts:3"]),
        ("function f(c: Cart, b?: Box) { c.total(); }\n", &["user.ts:2"]),
        (
            "const f = (b: Buyer) => b.cart.total();\nconst g = (b: Buyer) => b.box!.total();",
            &["user.ts:2", "user.ts:3!"],
        ),
        ("class A { c = new Cart(); f() { return this.c.total(); } }", &["user.ts:2"]),
        ("let c = new Cart();\nc.total();", &["user.ts:3"]),
        // What may be something else.
        ("let c = new Cart();\nc = other();\nc.total();", &[]),
        ("const c = new Cart() ?? other();\nc.total();", &[]),
        ("const c = new Cart().each();\nc.total();", &[]),
        ("const c = Cart();\nc.total();", &[]),
        ("for (const c of new Cart().each()) c.total();", &[]),
        ("function f({ c }: { c: Box }) { c.total(); }", &[]),
        ("class A { c = new Cart(); f() { this.c = other(); return this.c.total(); } }", &[]),
    ] {
        let fixture =
            format!("{lib}//- user.ts\nimport {{ Cart, Box, Buyer, made, make }} from \"./lib\";\n{user}\n");
        assert_eq!(told(&fixture), expected, "{user}");
    }
}

/// Each member of a chain leads to a chain of four members more; followed without a bound they are more than a billion.
#[test]
fn chains_that_lead_to_chains_are_followed_as_far_as_the_bound() {
    let mut user = "class X:\n    p30 = X()\n".to_owned();
    for level in (1..30).rev() {
        let next = format!(".p{}", level + 1).repeat(4);
        user.push_str(&format!("    p{level} = X(){next}\n"));
    }
    assert!(told(&format!("{CART}//- user.py\nfrom lib import Cart\n{user}X().p1.total()\n")).is_empty());
}
