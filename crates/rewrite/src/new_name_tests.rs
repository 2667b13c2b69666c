use super::*;

fn checked(language: &str, old: &str, new: &str) -> String {
    let grammar = Grammar::named(language).expect("known");
    check_new_name(grammar, old, new).map_or_else(|error| error.to_string(), |()| "fine".to_owned())
}

#[test]
fn names_that_will_do() {
    let cases = [
        ("python", "größe"),
        ("python", "_"),
        ("python", "match"),
        ("python", "名前"),
        ("kotlin", "data"),
        ("kotlin", "`two words`"),
        ("kotlin", "`fun`"),
        ("java", "$a_1"),
        ("java", "record"),
        ("typescript", "$"),
        ("typescript", "type"),
        ("tsx", "Größe"),
        ("javascript", "async"),
        ("rust", "r#type"),
        ("rust", "union"),
        ("go", "größe"),
        ("c", "class"),
        ("cpp", "final"),
        ("csharp", "@class"),
        ("csharp", "value"),
    ];
    for (language, new) in cases {
        assert_eq!(checked(language, "old", new), "fine", "{language} {new}");
    }
    assert_eq!(checked("typescript", "#a", "#b"), "fine");
    assert_eq!(checked("kotlin", "two words", "words"), "fine");
}

#[test]
fn names_that_will_not_do_and_why() {
    let cases = [
        ("python", "", "The new name is empty; give an identifier"),
        ("python", "old", "'old' is already its name; give another"),
        ("python", "1bad", "'1bad' cannot begin with '1' in python; begin with a letter or '_'"),
        ("python", "-x", "'-x' cannot begin with '-' in python; begin with a letter or '_'"),
        ("python", "a b", "'a b' contains white space; give one word, such as 'a_b'"),
        ("python", "a\n", "'a\n' contains white space; give one word, such as 'a'"),
        (
            "kotlin",
            "a/b",
            "'a/b' is a path; give the last component alone. To move a symbol, use another tool",
        ),
        (
            "kotlin",
            "A.b",
            "'A.b' is a path; give the last component alone. To move a symbol, use another tool",
        ),
        (
            "cpp",
            "A::b",
            "'A::b' is a path; give the last component alone. To move a symbol, use another tool",
        ),
        ("c", "a\\b", "'a\\b' is a path; give the last component alone. To move a symbol, use another tool"),
        (
            "python",
            "a-b",
            "'a-b' contains '-', which python does not allow in a name; use letters, digits and '_'",
        ),
        (
            "python",
            "a$",
            "'a$' contains '$', which python does not allow in a name; use letters, digits and '_'",
        ),
        ("go", "😀", "'😀' contains '😀', which go does not allow in a name; use letters, digits and '_'"),
        (
            "java",
            "a\0",
            "'a\0' contains '\0', which java does not allow in a name; use letters, digits and '_'",
        ),
        ("kotlin", "``", "The new name is empty; give an identifier"),
        (
            "kotlin",
            "`a",
            "'`a' contains '`', which kotlin does not allow in a name; use letters, digits and '_'",
        ),
        (
            "kotlin",
            "`a.b`",
            "'`a.b`' contains '.', which kotlin does not allow in a name; use letters, digits and '_'",
        ),
        ("csharp", "@", "The new name is empty; give an identifier"),
        ("rust", "r#", "The new name is empty; give an identifier"),
        ("python", "class", "'class' is a keyword of python; give another, such as 'class_'"),
        ("typescript", "new", "'new' is a keyword of typescript; give another, such as 'new_'"),
        ("tsx", "let", "'let' is a keyword of tsx; give another, such as 'let_'"),
        ("javascript", "enum", "'enum' is a keyword of javascript; give another, such as 'enum_'"),
        ("kotlin", "fun", "'fun' is a keyword of kotlin; write it in backticks, `fun`, or give another"),
        ("java", "int", "'int' is a keyword of java; give another, such as 'int_'"),
        ("rust", "fn", "'fn' is a keyword of rust; write r#fn, or give another"),
        ("rust", "crate", "'crate' is a keyword of rust; give another, such as 'crate_'"),
        (
            "rust",
            "r#self",
            "'r#self' is a keyword of rust; it cannot be a raw identifier either; give another",
        ),
        ("go", "func", "'func' is a keyword of go; give another, such as 'func_'"),
        ("c", "int", "'int' is a keyword of c; give another, such as 'int_'"),
        ("cpp", "class", "'class' is a keyword of cpp; give another, such as 'class_'"),
        ("csharp", "class", "'class' is a keyword of csharp; write @class, or give another"),
        (
            "typescript",
            "#a",
            "'old' and '#a' differ in the leading '#', which changes its visibility; keep it",
        ),
    ];
    for (language, new, expected) in cases {
        assert_eq!(checked(language, "old", new), expected, "{language} {new}");
    }
    let long = "a".repeat(1025);
    assert_eq!(checked("python", "old", &long), "The new name has 1025 bytes; the longest allowed has 1024");
    for (language, old) in
        [("rust", "impl Size"), ("cpp", "operator+"), ("kotlin", "constructor"), ("python", "__init__")]
    {
        let expected = format!(
            "'{old}' is not a name that can be changed by itself; rename the type it belongs to instead"
        );
        assert_eq!(checked(language, old, "x"), expected);
    }
}
