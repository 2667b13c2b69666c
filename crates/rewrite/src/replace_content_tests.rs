use super::ExpectedCount::{Any, One};
use super::ReplaceMode::{Literal, Regex};
use super::*;

fn replaced(
    text: &str,
    needle: &str,
    replacement: &str,
    mode: ReplaceMode,
    how_many: ExpectedCount,
) -> String {
    match replace_content(
        "src/main.py",
        text,
        needle,
        replacement,
        mode,
        how_many,
        MatchContext { program: None, cancel: &symd_base::Cancel::new() },
    ) {
        Err(error) => format!("Error: {error}"),
        Ok(replaced) => {
            let after = replaced.edits.apply(text).expect("inside");
            assert_eq!(replaced.edits.inverse(text).expect("inside").apply(&after).expect("inside"), text);
            assert!(replaced.count >= 1);
            after
        }
    }
}

const MAIN: &str = "import os\nimport sys\n\ndef main():\n    print('Hello, world!')\n";

#[test]
fn the_contracts_test_data() {
    assert_eq!(
        replaced(MAIN, "Hello, world!", "Hello, Rust!", Literal, One),
        MAIN.replace("Hello, world!", "Hello, Rust!")
    );
    assert_eq!(
        replaced(MAIN, "def (\\w+)\\(\\):", "async def $!1():", Regex, Any),
        MAIN.replace("def main():", "async def main():")
    );
    assert_eq!(
        replaced(MAIN, "nonexistent_pattern", "replacement", Literal, One),
        "Error: No matches of search expression found in file 'src/main.py'."
    );
    assert_eq!(
        replaced("import a\nimport b\nimport c\n", "import", "from", Literal, One),
        "Error: Expression matches 3 occurrences in file 'src/main.py'. Please revise the expression to be more specific or enable allow_multiple_occurrences if this is expected."
    );
}

#[test]
fn literal_text_is_literal() {
    let cases = [
        ("a.c abc", "a.c", "$!1\\n", One, "$!1\\n abc"),
        ("aaa", "aa", "b", One, "ba"),
        ("\tx 😀 y\n", "😀 y", "é", One, "\tx é\n"),
        ("x=1;x=2", "x=", "😀", Any, "😀1;😀2"),
        // Line breaks in the needle match any line break; the replacement gets those of its place.
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", One, "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\nc", "b\r\nc", "d\r\n", One, "a\r\nd\r\n"),
        ("a\rb\rc", "a\nb\n", "x\n", One, "x\rc"),
        ("a\r\nb\nc\r\nd\n", "b\n", "x\ny\n", One, "a\r\nx\ny\nc\r\nd\n"),
        ("a\r\nb\nc\r\nd\n", "b\nc", "x\ny", One, "a\r\nx\ny\r\nd\n"),
        ("a\r\nb\r\n", "\n", "", Any, "ab"),
        ("a", "", "x", One, "Error: The pattern is empty; give at least one character to search for"),
    ];
    for (text, needle, replacement, how_many, expected) in cases {
        assert_eq!(replaced(text, needle, replacement, Literal, how_many), expected, "{text:?} {needle:?}");
    }
}

#[test]
fn expressions_are_pythons() {
    let ten = "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)";
    let cases = [
        // Dots match line breaks, anchors match at lines.
        ("a\nb\nc\n", "^b.c$", "x", One, "a\nx\n"),
        ("one\ntwo\n", "^", "> ", Any, "> one\n> two\n> "),
        ("one\r\ntwo\r\n", "$", ";", Any, "one;\r\ntwo;\r\n;"),
        ("a\r\nb\r\n", "a\\nb\\n", "$!0x\n", One, "a\r\nb\r\nx\r\n"),
        // Groups, in one pass.
        ("key=value", "(\\w+)=(\\w+)", "$!2=$!1", One, "value=key"),
        ("$!2=x", "(\\S+)=(x)", "$!1", One, "$!2"),
        ("abcdefghij", ten, "$!10$!1", One, "ja"),
        ("ac", "(a)(b)?(c)", "[$!2]$!3", One, "[]c"),
        ("a", "a", "\\1 $1 $! $!x ${1}", One, "\\1 $1 $! $!x ${1}"),
        // The content of a group keeps its line endings.
        ("[a\r\nb\nc]\r\n", "\\[(.*)\\]", "<$!1\n>", One, "<a\r\nb\nc\r\n>\r\n"),
        ("abc", "(?<=a)b(?=c)", "x", One, "axc"),
        ("'a' \"b\"", "(['\"])(\\w)\\1", "$!2", Any, "a b"),
        ("abxd", "x*", "-", Any, "-a-b--d-"),
        ("😀😀", "", "x", One, "Error: The pattern is empty; give at least one character to search for"),
        ("😀é", "(?=.)", "·", Any, "·😀·é"),
        ("x", "y", "", Any, "Error: No matches of search expression found in file 'src/main.py'."),
        (
            "a",
            "(a)",
            "$!2",
            One,
            "Error: The replacement refers to group $!2, but the expression has 1 group",
        ),
        (
            "a",
            "a",
            "$!1",
            One,
            "Error: The replacement refers to group $!1, but the expression has no groups",
        ),
        (
            "a",
            "(a)(b)?",
            "$!99999999999999999999",
            One,
            "Error: The replacement refers to group $!99999999999999999999, but the expression has 2 groups",
        ),
        ("a", "(", "", One, "Error: Invalid regular expression '(': the '(' at position 0 is never closed"),
        ("a", "[a", "", One, "Error: Invalid regular expression '[a': the '[' at position 0 is never closed"),
    ];
    for (text, needle, replacement, how_many, expected) in cases {
        assert_eq!(replaced(text, needle, replacement, Regex, how_many), expected, "{text:?} {needle:?}");
    }
}

#[test]
fn a_match_over_lines_that_holds_another_is_ambiguous() {
    let ambiguous = "Error: Match is ambiguous: the search pattern matches multiple overlapping occurrences. Please revise the search pattern to be more specific to avoid ambiguity.";
    let text = "begin\nbegin\nend\nend\n";
    // Checked before the count, whatever number is allowed.
    assert_eq!(replaced(text, "begin.*?end", "", Regex, One), ambiguous);
    assert_eq!(replaced("begin\nbegin\nend\nbegin\nend", "begin.*?end", "", Regex, Any), ambiguous);
    assert_eq!(replaced("begin\r\nbegin\r\nend", "begin.*?end", "", Regex, Any), ambiguous);
    assert_eq!(replaced(text, "begin\nend", "x", Regex, One), "begin\nx\nend\n");
    // On one line it is not ambiguous.
    assert_eq!(replaced("begin begin end", "begin.*?end", "", Regex, One), "");
    // The second character may be any.
    assert_eq!(replaced("😀\nx", "😀?\nx", "", Regex, One), ambiguous);
}

#[test]
fn a_budget_ends_what_would_take_for_ever() {
    let text = "a".repeat(40);
    assert_eq!(
        replaced(&text, "(?:(a|aa)\\1?)+b", "", Regex, One),
        "Error: The expression '(?:(a|aa)\\1?)+b' takes too many steps to match in file 'src/main.py'; write it without nested repetition"
    );
}
