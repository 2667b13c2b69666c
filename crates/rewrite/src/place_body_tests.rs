//! A body given for a symbol ends up at the right column, whatever column it was written for, or is rejected
//! with the line; nothing beside the symbol changes.

use super::Indentation;
use super::symbol_tests::{Act, After, Before, Replace, edited};

const BOTH: [Indentation; 2] = [Indentation::Auto, Indentation::ByContract];

/// Indents each line that begins with `|` by `indent`, and by one more `level` for each `>` after it; other
/// lines are literal.
fn written(text: &str, indent: &str, level: &str) -> String {
    let line = |line: &str| match line.strip_prefix('|') {
        Some(code) => {
            let rest = code.trim_start_matches('>');
            format!("{indent}{}{rest}", level.repeat(code.len() - rest.len()))
        }
        None => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// A symbol's text, with its position and its surroundings.
struct Home {
    language: &'static str,
    name_path: &'static str,
    symbol: &'static str,
    around: (&'static str, &'static str),
    indent: &'static str,
    level: &'static str,
}

const HOMES: [Home; 11] = [
    Home {
        language: "python",
        name_path: "Shop/sell",
        symbol: "|@timed\n|def sell(self, what, *, text='''\na\n'''):\n|>\"\"\"Sells.\n\n|>More.\n|>>Yet more.\n|>\"\"\"\n|>sql = '''\n  select\n'''\n|>if what:\n|>>return self.run(sql,\n|>>>>>what)\n|# done\n|>return f'''{\n  what}'''",
        around: (
            "import os\n\n\nclass Shop:\n    def open(self):\n        pass\n\n    ",
            "\n\n    def close(self):\n        pass\n\n\ndef main():\n    pass\n",
        ),
        indent: "    ",
        level: "    ",
    },
    Home {
        language: "python",
        name_path: "Shop/Inner/sell",
        symbol: "|def sell(\n|>>self,\n|>>what,\n|):\n|>return what",
        around: ("class Shop:\n  class Inner:\n    ", "\n\n    x = 1\n"),
        indent: "    ",
        level: "  ",
    },
    Home {
        language: "python",
        name_path: "sell",
        symbol: "|def sell(what):\n|>return what",
        around: ("import os\n\n\n", "\n\n\nx = 1\nclass A:\n    def f(self): pass\n"),
        indent: "",
        level: "    ",
    },
    Home {
        language: "kotlin",
        name_path: "Shop/sell",
        symbol: "|@Timed(\"x\")\n|override fun sell(what: Int): String {\n|>// of it\n|>val sql = \"\"\"\n  select $what\n \"\"\"\n|>return sql\n|>>.trim()\n|}",
        around: ("class Shop {\n    val x = 1\n\n    ", "\n\n    fun close() {}\n}\n"),
        indent: "    ",
        level: "    ",
    },
    Home {
        language: "kotlin",
        name_path: "Shop/sell",
        symbol: "|fun sell(what: Int) =\n|>what + 1",
        around: ("class Shop {\n    val x = 1\n\n    ", "\n\n    fun close() {}\n}\n"),
        indent: "    ",
        level: "    ",
    },
    Home {
        language: "typescript",
        name_path: "Shop/sell",
        symbol: "|async sell<T>(what: T): Promise<string> {\n|>const sql = `\n  select ${\nwhat}\n`;\n|>return sql;\n|}",
        around: ("export class Shop {\n  x = 1;\n\n  ", "\n\n  close() {}\n}\n"),
        indent: "  ",
        level: "  ",
    },
    Home {
        language: "rust",
        name_path: "impl Shop/sell",
        symbol: "|#[inline]\n|pub fn sell<T>(&self, what: T) -> &str\n|where\n|>T: Copy,\n|{\n|>let s = r#\"\n a\n\"#;\n|>s\n|}",
        around: ("struct Shop;\n\nimpl Shop {\n    fn open() {}\n\n    ", "\n\n    fn close() {}\n}\n"),
        indent: "    ",
        level: "    ",
    },
    Home {
        language: "java",
        name_path: "Shop/sell",
        symbol: "|@Override\n|public String sell(int what) {\n|>String s = \"\"\"\n   a\n   \"\"\";\n|>return s;\n|}",
        around: ("class Shop {\n\tint x = 1;\n\n\t", "\n\n\tvoid close() {}\n}\n"),
        indent: "\t",
        level: "\t",
    },
    Home {
        language: "csharp",
        name_path: "N/Shop/Sell",
        symbol: "|[Fact]\n|public string Sell(int what)\n|{\n#if A\n|>return @\"\n a\";\n#endif\n|}",
        around: (
            "namespace N\n{\n    class Shop\n    {\n        ",
            "\n\n        void Close() {}\n    }\n}\n",
        ),
        indent: "        ",
        level: "    ",
    },
    Home {
        language: "go",
        name_path: "Sell",
        symbol: "|func (s *Shop) Sell(what int) string {\n|>if what > 1 {\n|>>return `\n  a`\n|>}\n|>return \"\"\n|}",
        around: ("package shop\n\ntype Shop struct{}\n\n", "\n\nfunc Close() {}\n"),
        indent: "",
        level: "\t",
    },
    Home {
        language: "cpp",
        name_path: "Shop/sell",
        symbol: "|template <typename T>\n|int sell(T what)\n|{\n|>auto s = R\"(\n a)\";\n|>return 1;\n|}",
        around: ("class Shop {\npublic:\n  int x = 1;\n\n  ", "\n\n  void close() {}\n};\n"),
        indent: "  ",
        level: "  ",
    },
];

/// Columns for which a body may have been written, in the home's own kind of indentation and in the other
/// one.
fn columns(home: &Home) -> Vec<(String, &'static str)> {
    let own = home.level;
    let mut columns: Vec<(String, &'static str)> = (0..4).map(|levels| (own.repeat(levels), own)).collect();
    let other = if own == "\t" { "    " } else { "\t" };
    columns.extend((0..3).map(|levels| (other.repeat(levels), other)));
    columns
}

#[test]
fn a_body_is_put_back_byte_for_byte_whatever_column_it_was_written_for() {
    for home in &HOMES {
        let (before, behind) = home.around;
        let text = format!("{before}{}{behind}", written(home.symbol, home.indent, home.level).trim_start());
        for (indent, level) in columns(home) {
            let body = written(home.symbol, &indent, level);
            for indentation in BOTH {
                let edited = edited(home.language, &text, home.name_path, Replace(&body), indentation);
                assert_eq!(edited, text, "{indentation:?} {indent:?} {level:?} {body}");
            }
            // Without the white space of the first line only the other lines determine the column, and the
            // ruling accepts them further right.
            let bare = body.trim_start();
            let put = edited(home.language, &text, home.name_path, Replace(bare), Indentation::Auto);
            assert_eq!(put, text, "{indent:?} {level:?} {bare}");
            if indent.len() <= home.indent.len() && level == home.level {
                let put =
                    edited(home.language, &text, home.name_path, Replace(bare), Indentation::ByContract);
                assert_eq!(put, text, "ruled {indent:?} {level:?} {bare}");
            }
        }
    }
}

#[test]
fn an_inserted_text_stands_beside_the_symbol_whatever_column_it_was_written_for() {
    for home in &HOMES {
        let (before, behind) = home.around;
        let own = written(home.symbol, home.indent, home.level);
        let text = format!("{before}{}{behind}", own.trim_start());
        // The contracts fix one blank line.
        let gap = |indentation| match indentation {
            Indentation::ByContract => "\n\n",
            _ if before.ends_with("\n\n\n") => "\n\n\n",
            _ => "\n\n",
        };
        for (indent, level) in columns(home) {
            // A scope has only one of a name in some languages.
            let name = home.name_path.rsplit('/').next().unwrap_or("");
            let other = home.symbol.replacen(name, &format!("{name}2"), 1);
            let body = written(&other, &indent, level);
            let other = written(&other, home.indent, home.level);
            for indentation in BOTH {
                let gap = gap(indentation);
                for (act, first, second) in [(Before(&body), &other, &own), (After(&body), &own, &other)] {
                    let both = format!("{before}{}{gap}{second}{behind}", first.trim_start());
                    let edited = edited(home.language, &text, home.name_path, act, indentation);
                    assert_eq!(edited, both, "{indentation:?} {act:?} {indent:?} {level:?}");
                }
            }
        }
    }
}

const PYTHON: &str =
    "class A:\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n\n\nv = 3\n";

fn check(cases: &[(&str, Act<'_>, &str)], indentation: Indentation) {
    for &(name_path, act, expected) in cases {
        let edited = edited("python", PYTHON, name_path, act, indentation);
        assert_eq!(edited, expected, "{indentation:?} {act:?} of {name_path}");
    }
}

#[test]
fn what_would_harm_the_file_is_refused_with_the_line() {
    let broken = |line: usize, text: &str, what: &str| {
        format!(
            "Error: src/f: Python would not accept the file: line {line}: `{text}` {what}; nothing was written"
        )
    };
    let not_one = |what: &str| {
        format!(
            "Error: src/f: the body must be the whole symbol, as it is now (line 2: `def m(self):`), and {what}; nothing was \
             written"
        )
    };
    check(
        &[
            ("A/m", Replace("def m(self):"), &broken(2, "def m(self):", "would have an empty block")),
            (
                "A/m",
                Replace("def m(self):\n        x = 1\n          y = 2"),
                &broken(4, "y = 2", "would be at another column than its block"),
            ),
            (
                "A/m",
                Replace("def m(self:\n        return 1"),
                "Error: src/f: the file would no longer parse: line 2: `def m(self:`; nothing was written",
            ),
            ("A/m", Replace("return 9"), &not_one("it declares nothing")),
            ("A/m", Replace("class M:\n    pass"), &not_one("it declares the class 'M'")),
            (
                "A/m",
                Replace("def m(self):\n    pass\n\ndef k(self):\n    pass"),
                &not_one("it declares 2: method 'm', method 'k'"),
            ),
            ("A/m", Replace(""), &not_one("it declares nothing")),
            (
                "A/m",
                Replace("def other(self):\n    pass"),
                "class A:\n    def other(self):\n        pass\n\n    def n(self):\n        return 2\n\n\nv = 3\n",
            ),
        ],
        Indentation::Auto,
    );
    // A text with an unclosed block would swallow the text after it.
    let kotlin = "class A {\n    fun m() {\n    }\n\n    fun n() {\n    }\n}\n";
    let opened = "fun m() {\n        if (x) {\n    }";
    let told = edited("kotlin", kotlin, "A/m", Replace(opened), Indentation::ByContract);
    assert_eq!(told, "Error: src/f: 'A' (line 1) would no longer be declared; nothing was written");
    let told = edited("kotlin", kotlin, "A/m", Replace(opened), Indentation::Auto);
    assert!(told.starts_with("Error: src/f: the file would no longer parse: line "), "{told}");
    let closed = "fun m() {\n        }\n    }";
    for indentation in BOTH {
        let told = edited("kotlin", kotlin, "A/m", Replace(closed), indentation);
        assert!(told.starts_with("Error: src/f: ") && told.contains("line "), "{told}");
    }
}

#[test]
fn the_ruled_text_is_kept_where_it_is_a_block() {
    check(
        &[
            // Further lines are inserted verbatim.
            (
                "A/m",
                Replace("def m(self):\n            return 9"),
                "class A:\n    def m(self):\n            return 9\n\n    def n(self):\n        return 2\n\n\nv = 3\n",
            ),
            ("v", Replace("  v = [\n    4,\n]"), &PYTHON.replace("v = 3", "v = [\n    4,\n]")),
            // A text that does not parse is accepted, as long as everything else stays.
            ("v", Replace("this is no Python ("), &PYTHON.replace("v = 3", "this is no Python (")),
            // Two declarations in place of one: the contract allows it.
            ("v", Replace("v = 3\nw = 4"), &PYTHON.replace("v = 3", "v = 3\nw = 4")),
        ],
        Indentation::ByContract,
    );
    // The last method of a class: the class has no end of its own.
    let last = PYTHON.replace("2\n\n\nv", "2\n\n    def k(self):\n        pass\n\n\nv");
    for indentation in BOTH {
        check(&[("A/n", After("def k(self):\n    pass"), &last)], indentation);
    }
}

#[test]
fn a_symbol_that_is_laid_out_in_its_own_way_stays_so() {
    // Eight columns where the file has four, tabs beside spaces, a closing brace where none is expected.
    for (language, text, name_path, body) in [
        (
            "python",
            "class A:\n    def m(self):\n            return 1\n\n    def n(self):\n        pass\n",
            "A/m",
            "def m(self):\n            return 9",
        ),
        (
            "kotlin",
            "class A {\n    fun m() {\n\tg()\n        h()\n    }\n    fun n() {\n        g()\n    }\n}\n",
            "A/m",
            "fun m() {\n\tg()\n        k()\n    }",
        ),
        (
            "kotlin",
            "class A {\n    fun m() {\n        g()\n}\n    fun n() {\n        g()\n    }\n}\n",
            "A/m",
            "fun m() {\n        k()\n}",
        ),
    ] {
        let start = text.find(&body[..body.find('\n').unwrap()]).unwrap();
        let end = start + body.len();
        let expected = format!("{}{body}{}", &text[..start], &text[end..]);
        for indentation in BOTH {
            assert_eq!(edited(language, text, name_path, Replace(body), indentation), expected, "{body}");
        }
    }
}

#[test]
fn a_text_that_did_not_parse_is_judged_by_its_other_declarations() {
    let broken = "def f():\n    return 1\n\n\ndef g():\n    return 2\n\n\nx = (\n";
    let put = edited("python", broken, "f", Replace("f = 9"), Indentation::Auto);
    assert_eq!(put, broken.replace("def f():\n    return 1", "f = 9"));
    let broken = "fun f() {}\n\nfun g() {}\n\nval x = (\n";
    let told = edited("kotlin", broken, "f", Replace("fun f() {}\n/*"), Indentation::Auto);
    assert!(told.starts_with("Error: src/f: 'g' (line 3) would "), "{told}");
}
