use super::*;

#[test]
fn rewrites_where_the_syntaxes_differ() {
    let cases = [
        (r"a\Z", r"a\z"),
        (r"fn main() {", r"fn main() \{"),
        (r"a{2}b{2,}c{,3}d{,}e{}f{x}", r"a{2}b{2,}c{0,3}d*e\{}f\{x}"),
        (r"a{2}?", r"a{2}?"),
        (r"[[]", r"[\[]"),
        (r"[]a]", r"[\]a]"),
        (r"[^]a]", r"[^\]a]"),
        (r"[a&&b~~c]", r"[a\&\&b\~\~c]"),
        (r"[+--]", r"[+-\-]"),
        (r"[\w-]", r"[\w\-]"),
        (r"[\b\Wx]", r"[\x{8}\Wx]"),
        (r"[\12\0]", r"[\x{a}\x{0}]"),
        (r"a(?#why\))b", "ab"),
        (r"a(?#why)*", "a*"),
        (r"\<a\>\é\_", "<a>é_"),
        (r"\0\101\x41\u00e9\U0001F600", r"\x{0}AAé😀"),
        (r"(?P<n>x)(?i:y)", r"(?P<n>x)(?i:y)"),
        (r"(?xi) a [ ] \  # (", r"(?i)a[ ] "),
        (r"(?x:a b)c d", r"(?:ab)c d"),
        (r"(?iim-s:a)", r"(?im-s:a)"),
        (r"\(\[\{", r"\(\[\{"),
    ];
    for (python, rust) in cases {
        let translated = translate(python).expect(python);
        assert_eq!(translated.expression, rust, "{python}");
        assert!(!translated.needs_backtracking, "{python}");
    }
}

#[test]
fn knows_what_needs_backtracking() {
    for pattern in
        [r"a(?=b)", r"(?<!a)b", r"(a)\1", r"(?P<q>')x(?P=q)", r"a++b", r"a{2}+", r"(?>a)", r"(a)?(?(1)b|c)"]
    {
        assert!(translate(pattern).expect(pattern).needs_backtracking, "{pattern}");
    }
    assert_eq!(translate(r"(?P<q>')(?P=q)1").expect("fine").expression, r"(?P<q>')(?:\1)1");
    for (python, rust) in [
        ("(?!a)*b", "(?:(?!a)|)b"),
        ("(?:(?=a)(?<=b))*?c", "(?:|(?:(?=a)(?<=b)))c"),
        ("(?=a)?+b", "(?>(?=a)|)b"),
        ("x(?=a){2,3}b", "x(?=a)b"),
    ] {
        assert_eq!(translate(python).expect(python).expression, rust, "{python}");
    }
    assert_eq!(translate(r"(a)?(?(1)b|c)").expect("fine").expression, r"(a)?(?(1)(?:)b|c)");
    for pattern in [r"a\r\n", "[\\r]", r"\x0d", "\r", r"\015", r"\u000D"] {
        assert!(translate(pattern).expect(pattern).mentions_cr, "{pattern}");
    }
}

#[test]
fn refuses_what_cannot_be_had() {
    for pattern in ["(?a)b", "(?a:b)", "(a(?(1)b))", r"\N{DASH}", "[[:alpha:]_]"] {
        assert!(translate(pattern).is_err(), "{pattern}");
    }
}

/// Patterns that Python 3.11's `re.compile` rejects.
#[test]
fn refuses_what_python_refuses() {
    let refused = [
        "[a",
        "[",
        "[]",
        "[^]",
        "[a-",
        "a\\",
        "[\\",
        "(?#x",
        "(",
        "(a",
        "(?",
        "(?P",
        "(?P<",
        "(?P<n",
        ")",
        "a)",
        "*a",
        "|*",
        "(*)",
        "(?i)*",
        "a**",
        "a+*",
        "a???",
        "a{2}{3}",
        "a{2}*",
        "a*{2}",
        "a++*",
        "^*",
        "$+",
        r"\b?",
        r"\A{2}",
        "{2}",
        "a{2,1}",
        "a{4294967295}",
        r"\h",
        r"\z",
        r"\G",
        r"\K",
        r"\R",
        r"\e",
        r"\Q",
        r"\p{L}",
        r"\c",
        r"[\z]",
        r"[\B]",
        r"[\8]",
        r"\8",
        r"\9",
        r"\1",
        r"(a)\2",
        r"(a\1)",
        r"(a)\18",
        r"\400",
        r"[\777]",
        r"\x4",
        r"\u00e",
        r"\U00110000",
        r"\x{41}",
        "[b-a]",
        r"[\d-a]",
        r"[a-\d]",
        "(?P<n>a)(?P<n>b)",
        "(?P<1a>x)",
        "(?P<>x)",
        "(?P<a-b>x)",
        r"(?P<n>a)\k<n>",
        "(?P=n)",
        "(?P<n>a(?P=n))",
        "(?P>n)",
        "(?<n>a)",
        "(?'n'a)",
        "(?|a)",
        "(?&n)",
        "(?R)",
        "(?1)",
        "(?+1)",
        "(?~a)",
        "(?(1)a|b)",
        "(?(0)a)",
        "(?(n)a)",
        "(a)(?(1)a|b|c)",
        "(a)(?(1",
        "(?(?=a)b)",
        "a(?i)b",
        "(a(?i))",
        "a|(?i)b",
        "(?-i)a",
        "(?i-)a",
        "(?i-:a)",
        "(?-:a)",
        "(?i-i:a)",
        "(?-u:a)",
        "(?U)a",
        "(?iz:a)",
        "(?i",
        "(?i-s",
        "(?<=a+)b",
        "(?<=a|bc)d",
        "(?<!a?)b",
        r"(a+)(?<=\1)",
        r"(?<=(a)\1)b",
        "(?<=(?(1)a))(b)",
    ];
    for pattern in refused {
        assert!(translate(pattern).is_err(), "{pattern}");
    }
}

/// Patterns that it accepts, though they look like the above.
#[test]
fn takes_what_python_takes() {
    let taken = [
        "",
        "|",
        "()",
        "(|a)*",
        "(?:)*",
        "(?:a*)*",
        "(a*)*",
        "a*|b*",
        "(?=a)*",
        "a*?",
        "a*+",
        "a{2}?",
        "a{,2}+",
        "{",
        "}",
        "]",
        "a{",
        "{a}",
        "a{,",
        "x{1,2",
        r"\.",
        r"\-",
        r"\ ",
        r"\/",
        "[]]",
        "[^]]",
        "[]-a]",
        "[-a]",
        "[a-]",
        "[--/]",
        r"[\d-]",
        r"[\7]",
        r"\07",
        r"\377",
        "(?i)(?m)a",
        "(?#c)(?i)a",
        "(?x) a * # b**\n c",
        "(?x)a[#]",
        "(?i-s:a)",
        "(?u)a",
        "(?u:a)",
        "(?-x:a b)",
        "(?<=ab|cd)e",
        "(?<=a{2})b",
        "(?<!^)a",
        r"(a)(?<=\1)b",
        "(?<=(?=a+))b",
        "(?<=(a))b",
        "(?(1)a|b)(c)",
        "(a)(?(1))",
        "(a)(?(1)b)",
        "(?P<n>a)(?(n)b|c)",
        r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10",
        "(?P<größe>a)",
        "(?>a)",
        "[[a]",
        "[[:alpha]",
        "[a:]]",
    ];
    for pattern in taken {
        translate(pattern).unwrap_or_else(|problem| panic!("{pattern}: {problem}"));
    }
}

#[test]
fn nesting_is_not_bounded_by_the_stack() {
    let deep = format!("{}{}", "(".repeat(200_000), ")".repeat(200_000));
    assert!(translate(&deep).is_ok());
}
