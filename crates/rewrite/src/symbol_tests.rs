use super::*;
use symd_base::{Cancel, RelPath, Text};
use symd_parse::Parsers;
use symd_syntax::extract::ParseCounters;
use symd_syntax::{Grammar, Outline, outline};

/// An edit of a symbol.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act<'a> {
    Replace(&'a str),
    Before(&'a str),
    After(&'a str),
    Delete,
}
pub(super) use Act::{After, Before, Delete, Replace};

pub(super) fn edited(
    language: &str,
    text: &str,
    name_path: &str,
    act: Act<'_>,
    indentation: Indentation,
) -> String {
    let (grammar, cancel) = (Grammar::named(language).expect("known"), Cancel::new());
    let outline: Outline = outline(grammar, text, &cancel).expect("parsed");
    let row = (0..outline.rows.len()).find(|&row| outline.name_path(row) == name_path);
    let row = row.unwrap_or_else(|| panic!("no {name_path} in {text:?}"));
    let path = RelPath::new("src/f").expect("fine");
    let parsers = Parsers::in_this_process();
    let target = EditTarget { path: &path, grammar, text, outline: &outline, row, parsers: &parsers };
    let guard = match indentation {
        Indentation::Auto => Guard::Full,
        Indentation::ByContract => Guard::SurroundingDeclarations,
        Indentation::Verbatim | Indentation::SymbolColumn => Guard::Off,
    };
    let place = |placing, body: &str| {
        place_body(target, body, PlacementOptions { placing, indentation, guard }, &cancel)
    };
    let placed = match act {
        Replace(body) => place(Placement::Replace, body),
        Before(body) => place(Placement::Before, body),
        After(body) => place(Placement::After, body),
        Delete => delete_symbol(target, &[row], &cancel)
            .and_then(|edits| check_edits(target, edits, guard, &cancel)),
    };
    match placed {
        Err(error) => format!("Error: {error}"),
        Ok(PlacedBody { edits, .. }) => {
            let after = edits.apply(text).expect("inside");
            let back = edits.inverse(text).expect("inside").apply(&after).expect("inside");
            assert_eq!(back, text, "undone");
            after
        }
    }
}

fn check(language: &str, cases: &[(&str, &str, Act<'_>, &str)]) {
    for &(text, name_path, act, expected) in cases {
        let edited = edited(language, text, name_path, act, Indentation::Verbatim);
        assert_eq!(edited, expected, "{act:?} of {name_path} in {text:?}");
    }
}

#[test]
fn python_bodies_are_replaced_exactly() {
    check(
        "python",
        &[
            ("v = 3\n", "v", Replace("v = 4"), "v = 4\n"),
            ("v = 3", "v", Replace("\n\n  v = 4 \n"), "v = 4"),
            ("a, b = 1, 2\nc = 3\n", "b", Replace("a, b = 2, 1"), "a, b = 2, 1\nc = 3\n"),
            (
                "# why\n@cached\ndef f(x):\n    return x\n\n\ndef g():\n    pass\n",
                "f",
                Replace("def f(y):\n    return y\n"),
                "# why\ndef f(y):\n    return y\n\n\ndef g():\n    pass\n",
            ),
            (
                "class A:\r\n    def m(self):\r\n        return '😀'\r\n",
                "A/m",
                Replace("def m(self):\n        # n\n        return 1"),
                "class A:\r\n    def m(self):\r\n        # n\r\n        return 1\r\n",
            ),
            ("def f():\r  pass\rx = 1\r", "f", Replace("def f():\n  return"), "def f():\r  return\rx = 1\r"),
            // Mixed endings: the new text gets those of the symbol's line.
            (
                "a = 1\r\ndef f():\n  pass\r\n",
                "f",
                Replace("def f():\n  x\n  y"),
                "a = 1\r\ndef f():\n  x\n  y\r\n",
            ),
            ("class A: x = 1; y = 2\n", "A/x", Replace("x = 9"), "class A: x = 9; y = 2\n"),
            ("class A: x = 1; y = 2\n", "A/y", Replace("y = 9"), "class A: x = 1; y = 9\n"),
            ("def f(p, q=1): pass\n", "f/p", Replace("p: int"), "def f(p: int, q=1): pass\n"),
            ("s = '😀'; t = 2\n", "t", Replace("t = 3"), "s = '😀'; t = 3\n"),
            (
                "x = 1\nfor i in y:\n    pass\n",
                "i",
                Replace("j"),
                "Error: 'i' is bound by a statement with a block (src/f:2: `for i in y:`); edit those lines instead",
            ),
            (
                "with o() as fh:\n    pass\n",
                "fh",
                Replace("j"),
                "Error: 'fh' is bound by a statement with a block (src/f:1: `with o() as fh:`); edit those lines instead",
            ),
        ],
    );
}

#[test]
fn text_goes_on_lines_of_its_own() {
    let two = "def f():\n    pass\n\n\ndef g():\n    pass\n";
    check(
        "python",
        &[
            (
                two,
                "f",
                After("def n():\n    pass"),
                "def f():\n    pass\n\n\ndef n():\n    pass\n\n\ndef g():\n    pass\n",
            ),
            (
                two,
                "f",
                After("\n\ndef n():\n    pass\n\n\n"),
                "def f():\n    pass\n\n\ndef n():\n    pass\n\n\ndef g():\n    pass\n",
            ),
            (
                two,
                "g",
                Before("def n():\n    pass"),
                "def f():\n    pass\n\n\ndef n():\n    pass\n\n\ndef g():\n    pass\n",
            ),
            (
                two,
                "g",
                Before("def n():\n    pass\n\n\n"),
                "def f():\n    pass\n\n\ndef n():\n    pass\n\n\ndef g():\n    pass\n",
            ),
            (two, "f", Before("import os"), "import os\n\n\ndef f():\n    pass\n\n\ndef g():\n    pass\n"),
            (two, "g", After("x = 1"), "def f():\n    pass\n\n\ndef g():\n    pass\n\n\nx = 1\n"),
            // No blank line is required between variables.
            ("a = 1\nb = 2\n", "a", After("x = 1"), "a = 1\nx = 1\nb = 2\n"),
            ("a = 1\nb = 2\n", "b", Before("x = 1\n"), "a = 1\nx = 1\nb = 2\n"),
            // No final line break before, and none after.
            ("a = 1", "a", After("x = 1\n"), "a = 1\nx = 1"),
            ("def f(): pass", "f", After("x = 1"), "def f(): pass\n\nx = 1"),
            ("a = 1\r\nb = 2", "b", After("x = [\n]"), "a = 1\r\nb = 2\r\nx = [\r\n]"),
            ("a = 1\r\n# c\r\nb = 2", "b", Before("x = 1"), "a = 1\r\n# c\r\nx = 1\r\nb = 2"),
            ("a = 1\rb = 2\r", "a", After("x = 1"), "a = 1\rx = 1\rb = 2\r"),
            ("a = 1\r\nb = 2\nc = 3\r\n", "b", After("x\ny"), "a = 1\r\nb = 2\nx\ny\nc = 3\r\n"),
            // After a comment on the same line.
            ("a = 1  # one\nb = 2\n", "a", After("x"), "a = 1  # one\nx\nb = 2\n"),
            // The statement on the same line continues: nothing is inserted into it.
            ("x = 1; y = [\n    2]\nz = 3\n", "x", After("w = 0"), "x = 1; y = [\n    2]\nw = 0\nz = 3\n"),
            ("y = [\n    2]; x = 1\nz = 3\n", "x", Before("w = 0"), "w = 0\ny = [\n    2]; x = 1\nz = 3\n"),
            // A bare name stands for its whole statement.
            (
                "for i in (\n    1,\n):\n    pass\nz = 3\n",
                "i",
                After("w = 0"),
                "for i in (\n    1,\n):\n    pass\nw = 0\nz = 3\n",
            ),
            (
                "a = 1\ndef f(p,\n      q):\n    pass\n",
                "f/q",
                Before("w = 0"),
                "a = 1\nw = 0\ndef f(p,\n      q):\n    pass\n",
            ),
            ("@d\ndef f(): pass\n", "f", Before("x = 1"), "x = 1\n\n@d\ndef f(): pass\n"),
            ("a = 1\n", "a", After(" \n"), "Error: The body is empty; give the text to insert"),
            ("a = 1\n", "a", Before(""), "Error: The body is empty; give the text to insert"),
        ],
    );
    check(
        "kotlin",
        &[
            (
                "class C {\n\t/** doc */\n\t@A\n\tprivate val x = 1\n\n\tfun m() {}\n}\n",
                "C/x",
                Before("\tval w = 0"),
                "class C {\n\tval w = 0\n\t/** doc */\n\t@A\n\tprivate val x = 1\n\n\tfun m() {}\n}\n",
            ),
            (
                "class C {\r\n  fun m() {}\r\n}\r\n",
                "C/m",
                After("  fun n() {\n  }"),
                "class C {\r\n  fun m() {}\r\n\r\n  fun n() {\r\n  }\r\n}\r\n",
            ),
            (
                "enum class E {\n    A,\n    B\n}\n",
                "E/A",
                After("    C,"),
                "enum class E {\n    A,\n    C,\n    B\n}\n",
            ),
            ("fun f() = 1\n", "f", Replace("fun f() = \"😀\""), "fun f() = \"😀\"\n"),
            (
                "/** Doc of f. */ fun f() = 1\n",
                "f",
                Before("val x = 1"),
                "val x = 1\n\n/** Doc of f. */ fun f() = 1\n",
            ),
            (
                "val a = 1\n/** Doc of f. */\n// note\nfun f() = 1\n",
                "f",
                Before("val x = 1"),
                "val a = 1\nval x = 1\n\n/** Doc of f. */\n// note\nfun f() = 1\n",
            ),
            (
                "val a = 1\n// note\nfun f() = 1\n",
                "f",
                Before("val x = 1"),
                "val a = 1\n// note\nval x = 1\n\nfun f() = 1\n",
            ),
        ],
    );
    check(
        "typescript",
        &[
            (
                "export const a = 1, b = 2;\nlet c;\n",
                "a",
                Replace("export const a = 3, b = 4;"),
                "export const a = 3, b = 4;\nlet c;\n",
            ),
            (
                "@D()\nexport class A {\n  m(): void {}\n}\n",
                "A/m",
                After("  n() {}\n"),
                "@D()\nexport class A {\n  m(): void {}\n\n  n() {}\n}\n",
            ),
            ("@D()\nclass A {}\n", "A", Before("import x;"), "import x;\n\n@D()\nclass A {}\n"),
            // The separator after a symbol is not duplicated.
            (
                "declare class A {\n  f(): void;\n}\n",
                "A/f",
                Replace("  f(): number;"),
                "declare class A {\n  f(): number;\n}\n",
            ),
            ("enum E {\n  A,\n  B,\n}\n", "E/A", Replace("C = 1 ,"), "enum E {\n  C = 1,\n  B,\n}\n"),
        ],
    );
}

#[test]
fn a_decoded_text_is_edited_without_its_byte_order_mark() {
    for bytes in [&b"\xEF\xBB\xBFv = 1\r\n"[..], b"\xFF\xFEv\0 \0=\0 \x001\0\r\0\n\0"] {
        let text = Text::decode(bytes.to_vec()).expect("text");
        assert_eq!(
            edited("python", text.as_str(), "v", Before("😀"), Indentation::Verbatim),
            "😀\r\nv = 1\r\n"
        );
        assert_eq!(
            edited("python", text.as_str(), "v", Replace("v = 2"), Indentation::Verbatim),
            "v = 2\r\n"
        );
    }
}

#[test]
fn native_moves_the_text_to_the_symbols_column() {
    let text = "class A:\n\n    @d\n    def m(self):\n        pass\n\nclass B:\n\tdef n(self):\n\t\tpass\n";
    let cases = [
        (
            "A/m",
            Replace("def m(self):\n    return 1\n"),
            "class A:\n\n    def m(self):\n        return 1\n\nclass B:\n\tdef n(self):\n\t\tpass\n",
        ),
        (
            "A/m",
            Replace("        def m(self):\n            return 1\n"),
            "class A:\n\n    def m(self):\n        return 1\n\nclass B:\n\tdef n(self):\n\t\tpass\n",
        ),
        (
            "A/m",
            After("x = 1"),
            "class A:\n\n    @d\n    def m(self):\n        pass\n\n    x = 1\n\nclass B:\n\tdef n(self):\n\t\tpass\n",
        ),
        (
            "B/n",
            Before("def k(self):\n\tpass"),
            "class A:\n\n    @d\n    def m(self):\n        pass\n\nclass B:\n\tdef k(self):\n\t\tpass\n\n\tdef n(self):\n\t\tpass\n",
        ),
    ];
    for (name_path, act, expected) in cases {
        assert_eq!(
            edited("python", text, name_path, act, Indentation::SymbolColumn),
            expected,
            "{act:?} {name_path}"
        );
    }
}

#[test]
fn symbols_are_deleted_with_their_lines() {
    let three = "import os\n\n\n# f\n@d\ndef f():\n    pass\n\n\ndef g():\n    pass\n\n\nx = 1\n";
    check(
        "python",
        &[
            (three, "f", Delete, "import os\n\n\n# f\n\n\ndef g():\n    pass\n\n\nx = 1\n"),
            (three, "g", Delete, "import os\n\n\n# f\n@d\ndef f():\n    pass\n\n\nx = 1\n"),
            (three, "x", Delete, "import os\n\n\n# f\n@d\ndef f():\n    pass\n\n\ndef g():\n    pass\n"),
            ("a = 1\r\nb = 2", "b", Delete, "a = 1"),
            ("a = 1\n\nb = 2", "a", Delete, "b = 2"),
            ("a = 1", "a", Delete, ""),
            ("a = 1  # one\rb = 2\r", "a", Delete, "b = 2\r"),
            (
                "class A:\n    x = 1\n\n    y = 2\n\n\nz = 3\n",
                "A/x",
                Delete,
                "class A:\n    y = 2\n\n\nz = 3\n",
            ),
            (
                "class A:\n    x = 1\n\n    y = 2\n\n\nz = 3\n",
                "A/y",
                Delete,
                "class A:\n    x = 1\n\n\nz = 3\n",
            ),
            ("class A: x = 1; y = 2\n", "A/x", Delete, "class A: y = 2\n"),
            ("class A: x = 1; y = 2\n", "A/y", Delete, "class A: x = 1\n"),
            (
                "class A:\n    def __init__(self):\n        self.x = 1\n        self.y = 2\n",
                "A/x",
                Delete,
                "class A:\n    def __init__(self):\n        self.y = 2\n",
            ),
            // A method is deleted together with the attributes that it sets.
            (
                "class A:\n    def m(self):\n        self.x = 1\n\n    def n(self):\n        pass\n",
                "A/m",
                Delete,
                "class A:\n    def n(self):\n        pass\n",
            ),
            (
                "a, b = 1, 2\n",
                "a",
                Delete,
                "Error: 'a' is bound together with 'b' by one statement (src/f:1); replace that statement instead",
            ),
            (
                "\r\na = b = 1\n",
                "b",
                Delete,
                "Error: 'b' is bound together with 'a' by one statement (src/f:2); replace that statement instead",
            ),
            (
                "def f(p, q):\n    pass\n",
                "f/q",
                Delete,
                "Error: 'f/q' is a parameter; change the signature at src/f:1 instead: `def f(p, q):`",
            ),
            (
                "for i in y:\n    pass\n",
                "i",
                Delete,
                "Error: 'i' is bound by a statement with a block (src/f:1: `for i in y:`); edit those lines instead",
            ),
            (
                "print(n := 3)\n",
                "n",
                Delete,
                "Error: 'n' is only a part of its statement (src/f:1: `print(n := 3)`); edit that line instead",
            ),
        ],
    );
    check(
        "kotlin",
        &[
            (
                "class C {\n    val x = 1 // one\n\n    fun m() {}\n}\n",
                "C/x",
                Delete,
                "class C {\n    fun m() {}\n}\n",
            ),
            (
                "class C {\n    val x = 1\n\n    @A\n    fun m() {}\n}\n",
                "C/m",
                Delete,
                "class C {\n    val x = 1\n}\n",
            ),
            ("enum class E {\n    A,\n    B,\n}\n", "E/A", Delete, "enum class E {\n    B,\n}\n"),
            // The symbol's documentation is deleted too, and no other comment.
            (
                "class C {\n    val x = 1\n\n    /**\n     * Of m.\n     */\n    @A\n    fun m() {}\n}\n",
                "C/m",
                Delete,
                "class C {\n    val x = 1\n}\n",
            ),
            ("val x = 1\n\n// note\nfun m() {}\n", "m", Delete, "val x = 1\n\n// note\n"),
            ("enum class E { /** Of A. */ A, B }\n", "E/A", Delete, "enum class E { B }\n"),
            ("enum class E { A, B }\n", "E/A", Delete, "enum class E { B }\n"),
            ("enum class E { A, B }\n", "E/B", Delete, "enum class E { A }\n"),
            (
                "val (a, b) = p\n",
                "a",
                Delete,
                "Error: 'a' is bound together with 'b' by one statement (src/f:1); replace that statement instead",
            ),
            (
                "class C(val x: Int)\n",
                "C/x",
                Delete,
                "Error: 'C/x' is a parameter; change the signature at src/f:1 instead: `class C(val x: Int)`",
            ),
        ],
    );
    check(
        "typescript",
        &[
            ("export const a = 1;\r\n\r\nexport class B {}\r\n", "a", Delete, "export class B {}\r\n"),
            ("class A {\n  x = 1;\n  m() {} // m\n}\n", "A/m", Delete, "class A {\n  x = 1;\n}\n"),
            ("class A {\n  x = 1;\n  m() {}\n}\n", "A/x", Delete, "class A {\n  m() {}\n}\n"),
            (
                "const a = 1, b = 2;\n",
                "b",
                Delete,
                "Error: 'b' is bound together with 'a' by one statement (src/f:1); replace that statement instead",
            ),
        ],
    );
}

#[test]
fn what_goes_beside_a_member_stays_in_what_holds_the_member() {
    let head = |name: &str, text: &str, body: &str| {
        format!(
            "Error: '{name}' is on the same line as the head of its block (src/f:1: `{}`), and no other line can belong to that block; \
             put the block on lines of its own first{body}",
            text.lines().next().expect("one")
        )
    };
    let python = "class K: x = 1; y = 2\nz = 3\n";
    let function = "def h(): x = 1; y = 2\n";
    let parameter = "Error: 'P/x' is a parameter; change the signature at src/f:1 instead: `class P(val x: Int, val y: Int)`";
    let one_line: [(&str, &str, &str, Act<'_>, &str); 23] = [
        (
            "java",
            "class A { void f() {} void g() {} }\n",
            "A/f",
            After("void n() {}"),
            "class A { void f() {}\n\n    void n() {}\n\n    void g() {} }\n",
        ),
        (
            "java",
            "class A { void f() {} void g() {} }\n",
            "A/g",
            After("void n() {\n}"),
            "class A { void f() {} void g() {}\n\n    void n() {\n    }\n}\n",
        ),
        (
            "java",
            "class A { void f() {} void g() {} }\n",
            "A/f",
            Before("void n() {}"),
            "class A {\n    void n() {}\n\n    void f() {} void g() {} }\n",
        ),
        (
            "java",
            "class A { void f() {} void g() {} }\n",
            "A/g",
            Before("void n() {}"),
            "class A { void f() {}\n\n    void n() {}\n\n    void g() {} }\n",
        ),
        (
            "java",
            "class A { int a, b = 2; void f() {} }\n",
            "A/b",
            After("int c;"),
            "class A { int a, b = 2;\n    int c;\n    void f() {} }\n",
        ),
        (
            "java",
            "class O {\r\n\tclass A { void f() {} }\r\n}\r\n",
            "O/A/f",
            After("void n() {\n}"),
            "class O {\r\n\tclass A { void f() {}\r\n\r\n\t\tvoid n() {\r\n\t\t}\r\n\t}\r\n}\r\n",
        ),
        (
            "java",
            "class A { void f() {\n  } void g() {} }\n",
            "A/g",
            Before("void n() {}"),
            "class A { void f() {\n  }\n\n  void n() {}\n\n  void g() {} }\n",
        ),
        (
            "kotlin",
            "class A { fun f() = 1; fun g() = 2 }\n",
            "A/f",
            After("fun z() = 1"),
            "class A { fun f() = 1;\n\n    fun z() = 1\n\n    fun g() = 2 }\n",
        ),
        (
            "kotlin",
            "class A { fun f() = 1; fun g() = 2 }\n",
            "A/g",
            Before("fun z() = 1"),
            "class A { fun f() = 1;\n\n    fun z() = 1\n\n    fun g() = 2 }\n",
        ),
        ("kotlin", "enum class E { X, Y }\n", "E/X", After("Z,"), "enum class E { X,\n    Z,\n    Y }\n"),
        (
            "typescript",
            "class Q { m() {} n() {} }\n",
            "Q/n",
            After("z() {}"),
            "class Q { m() {} n() {}\n\n    z() {}\n}\n",
        ),
        (
            "typescript",
            "interface I { m(): void; n(): void }\n",
            "I/m",
            After("z(): void;"),
            "interface I { m(): void;\n\n    z(): void;\n\n    n(): void }\n",
        ),
        (
            "csharp",
            "class A { void F() {} void G() {} }\n",
            "A/F",
            Before("void N() {}"),
            "class A {\n    void N() {}\n\n    void F() {} void G() {} }\n",
        ),
        (
            "cpp",
            "class A { void f() {} void g() {} };\n",
            "A/f",
            After("void n() {}"),
            "class A { void f() {}\n\n    void n() {}\n\n    void g() {} };\n",
        ),
        // Not inserted into the body of the declaration on the same line, nor behind it.
        (
            "java",
            "class A { void f() {} void g() {\n  int x;\n} }\n",
            "A/f",
            After("void n() {}"),
            "class A { void f() {}\n\n  void n() {}\n\n  void g() {\n  int x;\n} }\n",
        ),
        (
            "cpp",
            "void f() {} void g() {\n  int x;\n}\n",
            "f",
            After("void n() {}"),
            "void f() {}\n\nvoid n() {}\n\nvoid g() {\n  int x;\n}\n",
        ),
        // The documentation stays with the member.
        (
            "java",
            "class A { /** Of f. */ void f() {} }\n",
            "A/f",
            Before("void n() {}"),
            "class A {\n    void n() {}\n\n    /** Of f. */ void f() {} }\n",
        ),
        ("python", python, "K/x", After("w = 0"), "head"),
        ("python", python, "K/y", Before("w = 0"), "head"),
        ("python", function, "h/y", After("w = 0"), "head"),
        ("kotlin", "class P(val x: Int, val y: Int)\n", "P/x", Before("val w: Int,"), parameter),
        ("kotlin", "class P(val x: Int, val y: Int)\n", "P/x", After("val w: Int,"), parameter),
        (
            "kotlin",
            "class P(\n    val x: Int,\n    val y: Int\n)\n",
            "P/x",
            After("val w: Int,"),
            "class P(\n    val x: Int,\n    val w: Int,\n    val y: Int\n)\n",
        ),
    ];
    for (language, text, name, act, expected) in one_line {
        for indentation in [Indentation::Auto, Indentation::ByContract] {
            let put = edited(language, text, name, act, indentation);
            match expected {
                "head" => assert_eq!(put, head(name, text, ""), "{act:?} {name} {text}"),
                _ if indentation == Indentation::ByContract => {
                    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert_eq!(words(&put), words(expected), "{act:?} {name} {text}");
                }
                _ => assert_eq!(put, expected, "{act:?} {name} {text}"),
            }
        }
    }
}

/// (language, text, symbol whose statement declares others, body that loses some, the lost ones, body that
/// declares all)
const JOINT: [(&str, &str, &str, &str, &str, &str); 14] = [
    ("python", "c, d = 3, 4\n", "c", "c = 9", "'d'", "c, d = 9, 9"),
    ("python", "e = f = 5\n", "e", "e = 9", "'f'", "e = f = 9"),
    ("python", "e = f = 5\n", "e", "e = 9", "'f'", "f = 9\ne = 4"),
    ("python", "class K:\n    a, b = 1, 2\n", "K/a", "a = 1", "'K/b'", "a = b = 3"),
    (
        "typescript",
        "export const a = 1, b = 2;\n",
        "a",
        "export const a = 9;",
        "'b'",
        "export const a = 9, b = 3;",
    ),
    ("typescript", "let { c, d } = o;\n", "d", "let d = 1", "'c'", "let { c, d } = p"),
    ("c", "int a, b = 2, *c;\n", "b", "int b = 3;", "'a', 'c'", "int a, *c, b = 9;"),
    ("c", "struct S { int x, y; };\n", "S/x", "int x;", "'S/y'", "long x, y;"),
    ("c", "int f(void), g(void);\n", "f", "int f(int);", "'g'", "int f(int), g(void);"),
    ("c", "struct S { int q; } s1;\n", "s1", "int s1;", "'S'", "struct S { int p; } s1;"),
    ("cpp", "int f(), g();\n", "g", "int g(int);", "'f'", "int g(int), f();"),
    ("java", "class A { int a, b = 2; }\n", "A/b", "int b = 1;", "'A/a'", "int b = 3, a;"),
    ("kotlin", "val (a, b) = 1 to 2\n", "a", "val a = 1", "'b'", "val (b, a) = p"),
    ("go", "package p\n\nvar a, b = 1, 2\n", "b", "var b = 1", "'a'", "var a, b = 3, 4"),
];

#[test]
fn what_is_declared_together_with_a_symbol_is_not_lost_with_it() {
    for (language, text, name, alone, others, all) in JOINT {
        for indentation in [Indentation::Auto, Indentation::ByContract] {
            let told = edited(language, text, name, Replace(alone), indentation);
            let expected =
                format!("Error: src/f: '{name}' is bound together with {others} by one statement (line ");
            assert!(told.starts_with(&expected), "{indentation:?} {alone}: {told}");
            let put = edited(language, text, name, Replace(all), indentation);
            assert!(put.contains(all.split('\n').next().expect("some")), "{indentation:?} {all}: {put}");
        }
        let told = edited(language, text, name, Delete, Indentation::Verbatim);
        assert!(
            told.starts_with(&format!("Error: '{name}' is bound together with {others} by one ")),
            "{told}"
        );
    }
    // An attribute that a method assigns belongs to the method.
    let python = "class A:\n    def m(self):\n        self.x = 1\n\n    def n(self):\n        pass\n";
    let put = edited("python", python, "A/m", Replace("def m(self):\n    pass"), Indentation::Auto);
    assert_eq!(put, python.replace("self.x = 1", "pass"));
}

#[test]
fn a_body_is_replaced_by_hardly_more_than_one_parse_of_the_text_to_come() {
    let python = "class A:\n    def m(self):\n        return 1\n";
    let kotlin = "class A {\n    fun m(): Int {\n        return 1\n    }\n}\n";
    let of_python = "def m(self):\n    if self:\n        return 2\n    return 3";
    let of_kotlin = "fun m(): Int {\n    if (true) {\n        return 2\n    }\n    return 3\n}";
    let indented =
        |body: &str| body.split('\n').map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n");
    for (language, one, body) in [("python", python, of_python), ("kotlin", kotlin, of_kotlin)] {
        let more = one.replace('A', "B").repeat(200);
        let text = format!("{one}{more}");
        let grammar = Grammar::named(language).expect("known");
        let outline = outline(grammar, &text, &Cancel::new()).expect("parsed");
        let row = (0..outline.rows.len()).find(|&row| outline.name_path(row) == "A/m").expect("there");
        let (path, parsers) = (RelPath::new("f").expect("fine"), Parsers::in_this_process());
        let target =
            EditTarget { path: &path, grammar, text: &text, outline: &outline, row, parsers: &parsers };
        for (indentation, guard) in
            [(Indentation::ByContract, Guard::SurroundingDeclarations), (Indentation::Auto, Guard::Full)]
        {
            let manner = PlacementOptions { placing: Placement::Replace, indentation, guard };
            let before = ParseCounters::of_this_thread();
            let body = indented(body);
            let placed = place_body(target, &body, manner, &Cancel::new()).expect("fits");
            let after = placed.edits.apply(&text).expect("inside");
            let parsed = before.since();
            assert!(
                parsed.bytes * 10 <= after.len() as u64 * 13,
                "{language}: {parsed:?} of {}",
                after.len()
            );
        }
    }
}

#[test]
fn what_the_scope_declares_already_is_not_inserted() {
    let refused = |language: &str, text: &str, place: &str, body: &str| {
        let told = edited(language, text, place, After(body), Indentation::Auto);
        told.contains("is declared there already")
    };
    let go = "package a\n\nfunc f() {}\n\ntype T struct{}\n\nfunc (t *T) m() {}\n\nfunc init() {}\n";
    for (body, is_refused) in [
        ("func f() int { return 1 }", true),
        ("func T() {}", true),
        ("var f = 1", true),
        ("func (t T) m() {}", true),
        ("func (u U) m() {}", false),
        ("func m() {}", false),
        ("func init() {}", false),
        ("func g() { f() }", false),
    ] {
        assert_eq!(refused("go", go, "f", body), is_refused, "{body}");
    }
    let python = "def f():\n    pass\n\n\nclass A:\n    def m(self):\n        pass\n\n    @property\n    def p(self):\n        return 1\n";
    for (place, body, is_refused) in [
        ("f", "def f(a):\n    pass", true),
        ("f", "class A:\n    pass", true),
        ("f", "async def f():\n    pass", true),
        ("A/m", "def m(self, a):\n    pass", true),
        ("A/p", "@p.setter\ndef p(self, value):\n    pass", false),
        ("A/m", "@overload\ndef m(self, a): ...", false),
        ("A/m", "def f(self):\n    pass", false),
        ("f", "def m():\n    pass", false),
        ("f", "def g():\n    def f(): pass\n    return f", false),
        ("f", "if True:\n    def f():\n        pass", false),
        ("f", "f = 1", false),
    ] {
        assert_eq!(refused("python", python, place, body), is_refused, "{body}");
    }
    let script = "function f() {}\nclass C {\n  m() {}\n  get p() { return 1 }\n}\ninterface I {}\n";
    for (place, body, is_refused) in [
        ("f", "function f(a: number) {}", true),
        ("f", "export class C {}", true),
        ("C/m", "m() { return 1 }", true),
        ("C/m", "static m() {}", false),
        ("C/p", "set p(v) {}", false),
        ("C/m", "m(a: number): void;", false),
        ("f", "interface C {}", false),
        ("f", "interface I { a: number }", false),
        ("f", "function m() {}", false),
    ] {
        assert_eq!(refused("typescript", script, place, body), is_refused, "{body}");
    }
    let overloads = "interface I {\n  m(a: string): { a: number };\n}\nfunction f(a: string): { a: number };\nfunction f(a: any): any { return a }\nfunction g(): { a: number } { return { a: 1 } }\n";
    for (place, body, is_refused) in [
        ("I/m", "m(b: number): { a: number }", false),
        ("I/m", "m(b: number): { a: number };", false),
        ("f[0]", "function f(b: number): { a: number };", false),
        ("g", "function g(): { a: number } { return { a: 2 } }", true),
    ] {
        assert_eq!(refused("typescript", overloads, place, body), is_refused, "{body}");
    }
    assert!(refused("javascript", "function f() {}\n", "f", "function f() {}"));
    assert!(!refused("java", "class A {\n    void f() {}\n}\n", "A/f", "void f(int a) {}"));
    let told = edited("go", go, "f", Before("func f() {}"), Indentation::Auto);
    assert!(told.contains("'f' is declared there already (line 3); replace that declaration, or give the new one another name"), "{told}");
}
