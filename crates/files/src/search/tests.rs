use super::*;
use crate::scratch::Scratch;

/// Returns the blocks of every file, as `path: block | block`.
fn blocks(scratch: &Scratch, query: &SearchQuery) -> Result<Vec<String>, SearchError> {
    let found = search(&scratch.tree(), query, &Cancel::new(), |hits| {
        let mut blocks = Vec::new();
        hits.for_each_match(|hits, found| {
            let lines: Vec<_> = found.block.map(|line| hits.line(line)).collect();
            blocks.push(lines.join("/"));
        })?;
        Ok(format!("{}: {}", hits.path(), blocks.join(" | ")))
    })?;
    Ok(found.files)
}

fn one(text: &[u8], pattern: &str) -> String {
    let scratch = Scratch::new(&[("f", text)]);
    let query = SearchQuery::new(Pattern::new(pattern).expect(pattern));
    let found = blocks(&scratch, &query).expect(pattern);
    found.first().map_or_else(String::new, |file| file[3..].to_owned())
}

#[test]
fn blocks_are_the_lines_that_matches_touch() {
    let cases: &[(&[u8], &str, &str)] = &[
        (b"a\nb\nc\n", "b", "b"),
        (b"a\nb\nc\n", "a.b", "a/b"),
        // A match that ends at a line break does not touch the next line; one that begins with a line break
        // touches the line before.
        (b"a\nb\nc\n", "a\\n", "a"),
        (b"a\nb\nc\n", "\\nb", "a/b"),
        (b"aa a\nb a", "a", "aa a | aa a | aa a | b a"),
        (b"a\nb", "b$", "b"),
        (b"a\nb\n", "\\Aa", "a"),
        (b"a\nb\n", "^b", "b"),
        (b"a\nb", "b\\Z", "b"),
        (b"a\nb\n", "zzz", ""),
        // Matches without text count once per line.
        (b"aa\n\nb\n", "x*", "aa |  | b"),
        (b"axa\nb", "x*", "axa | b"),
        (b"ab\ncd\n", "$", "ab | cd"),
        (b"ab\ncd", "(b.c)?", "ab | ab/cd"),
        (b"\n", "^", ""),
        (b"", "x*", ""),
        // All three line endings, read as Python reads text.
        (b"a\r\nb\r\nc", "a$", "a"),
        (b"a\r\nb\r\nc", "a\\nb", "a/b"),
        (b"a\rb\rc", "^b$", "b"),
        (b"a\r\r\nb", "\\n\\nb", "a//b"),
        (b"a\r\nb\n", "\\r\\n", "a"),
        // Invalid UTF-8, byte-order marks, UTF-16.
        (b"a\xFFb\n", "a.?", "a\u{FFFD}b"),
        (b"\xEF\xBB\xBFab", "^a", "ab"),
        (b"\xFF\xFEa\0\n\0b\0", "b", "b"),
        (b"\xFE\xFF\0a\0b", "a", "ab"),
        (b"a\0b", "a", ""),
        // The backtracking engine.
        (b"foo bar\nfoo baz\n", "foo (?!bar)", "foo baz"),
        (b"'a' \"b\" 'c\"\n", "(?P<q>['\"])\\w(?P=q)", "'a' \"b\" 'c\" | 'a' \"b\" 'c\""),
        (b"a\xFFb\xC3\xA9\n", "(?<=b).", "a\u{FFFD}b\u{e9}"),
        (b"ab\ncd\n", "(?=x)|$", "ab | cd"),
        ("é\nü\n".as_bytes(), "(?=x)|()", "é | ü"),
        (b"interface Foo {\n}\n", "Foo {", "interface Foo {"),
    ];
    for (text, pattern, expected) in cases {
        assert_eq!(one(text, pattern), *expected, "{pattern} in {:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn context_is_clipped_at_the_ends() {
    let scratch = Scratch::new(&[("f", b"1\n2\n3\n4\n")]);
    let mut query = SearchQuery::new(Pattern::new("[14]").expect("valid"));
    (query.before, query.after) = (1, 2);
    assert_eq!(blocks(&scratch, &query).expect("found"), ["f: 1/2/3 | 3/4"]);
    (query.before, query.after) = (usize::MAX, usize::MAX);
    assert_eq!(blocks(&scratch, &query).expect("found"), ["f: 1/2/3/4 | 1/2/3/4"]);
}

#[test]
fn only_what_is_asked_for_is_searched() {
    let scratch = Scratch::new(&[
        ("a.py", b"x"),
        ("a.txt", b"x"),
        ("b/c.py", b"x"),
        ("b/test/d.py", b"x"),
        ("b-c", b"x"),
        ("ignored/e.py", b"x"),
        (".git/config", b"x"),
    ]);
    let ask = |change: &dyn Fn(&mut SearchQuery)| {
        let mut query = SearchQuery::new(Pattern::new("x").expect("valid"));
        change(&mut query);
        blocks(&scratch, &query).map(|found| {
            found.iter().map(|file| file.trim_end_matches(": x").to_owned()).collect::<Vec<_>>().join(" ")
        })
    };
    assert_eq!(ask(&|_| {}).expect("found"), "a.py a.txt b-c b/c.py b/test/d.py");
    assert_eq!(ask(&|q| q.scope = "b".to_owned()).expect("found"), "b/c.py b/test/d.py");
    assert_eq!(ask(&|q| q.scope = "b/../a.py".to_owned()).expect("found"), "a.py");
    assert_eq!(ask(&|q| q.among = FileSelection::CodeFiles).expect("found"), "a.py b/c.py b/test/d.py");
    let excluding = |q: &mut SearchQuery| {
        q.include = Some(Glob::path("*.py").expect("valid"));
        q.exclude = Some(Glob::path("*test*").expect("valid"));
    };
    assert_eq!(ask(&excluding).expect("found"), "a.py b/c.py");
    for scope in ["ignored", "ignored/e.py", ".git", "nope", "/etc", ".."] {
        assert!(matches!(ask(&|q| q.scope = scope.to_owned()), Err(SearchError::Locate(_))), "{scope}");
    }
}

#[test]
fn order_and_errors_do_not_depend_on_threads() {
    let names: Vec<String> = (0..400).map(|n| format!("d{:03}/f", n)).collect();
    let mut files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x\n"[..])).collect();
    let scratch = Scratch::new(&files);
    let query = SearchQuery::new(Pattern::new("x").expect("valid"));
    let found = blocks(&scratch, &query).expect("found");
    assert_eq!(found.len(), 400);
    assert!(found.is_sorted());

    let endless = [b"a".repeat(60), b"!\n".to_vec()].concat();
    files[70].1 = &endless;
    files[300].1 = &endless;
    let scratch = Scratch::new(&files);
    let query = SearchQuery::new(Pattern::new(r"(?=a)(a|a|aa)+\b(?!!)$\1x").expect("valid"));
    let error = blocks(&scratch, &query).expect_err("endless").to_string();
    assert!(error.contains("d070/f") && error.contains(query.pattern.source()), "{error}");
}

#[test]
fn a_file_asked_for_by_name_says_why_it_cannot_be_searched() {
    let scratch = Scratch::new(&[("bin", b"a\0b"), ("dir/f", b"a")]);
    scratch.fifo("fifo");
    scratch.link("dir/f", "link");
    let ask = |scope: &str| {
        let mut query = SearchQuery::new(Pattern::new("a").expect("valid"));
        query.scope = scope.to_owned();
        blocks(&scratch, &query)
    };
    assert!(matches!(ask("bin"), Err(SearchError::Binary(_))));
    assert!(matches!(ask("fifo"), Err(SearchError::Vfs(VfsError::NotAFile { .. }))));
    assert_eq!(ask("link").expect("found"), ["link: a"]);
    assert_eq!(ask("").expect("found"), ["dir/f: a"]);
}

#[test]
fn what_does_not_compile_is_said() {
    assert_eq!(Pattern::new("").expect_err("refused"), PatternError::Empty);
    for pattern in
        ["(", "a)", "[a", "*a", r"\2(?=a)", "(?P<n>a", r"\N{DASH}", "a{99999}{99999}", "(?<=a+)b\\"]
    {
        let error = Pattern::new(pattern).expect_err(pattern);
        let text = error.to_string();
        assert!(text.starts_with(&format!("Invalid regular expression '{pattern}': ")), "{text}");
        assert!(!text.contains('\n'), "{text}");
        for case in [Case::Sensitive, Case::Insensitive] {
            assert_eq!(Pattern::within_lines(pattern, case).expect_err(pattern), error);
        }
    }
}

#[test]
fn the_other_engines_wider_syntax_opens_no_door() {
    for pattern in [
        r"\h",
        r"\G",
        r"\K",
        r"\R",
        r"\e",
        "a{2,1}",
        "(?P<n>a)(?P<n>b)",
        "(?P<1a>x)",
        r"(?P<n>a)\k<n>",
        "a**",
        "^*",
        "a{2}{3}",
        r"\z",
        "a(?i)b",
        "(?<n>a)",
        "(?(1)a|b)",
        "(?<=a+)b",
        "[[:alpha:]]",
        r"(?=a)\Qa\E",
        "(?=a)(*FAIL)",
    ] {
        assert!(Pattern::new(pattern).is_err(), "{pattern}");
        assert!(Pattern::within_lines(pattern, Case::Sensitive).is_err(), "{pattern}");
        assert!(compile_grouped(pattern, 10).is_err(), "{pattern}");
    }
}

#[test]
fn a_raised_flag_ends_the_search() {
    let scratch = Scratch::new(&[("f", b"a")]);
    let cancel = Cancel::new();
    cancel.cancel();
    let query = SearchQuery::new(Pattern::new("a").expect("valid"));
    let answer = search(&scratch.tree(), &query, &cancel, |_| Ok(()));
    assert!(matches!(answer, Err(SearchError::Cancelled(_))));
}

/// Returns the numbers (1-based) of the matching lines.
fn numbers(text: &[u8], pattern: &str, case: Case) -> Vec<usize> {
    let scratch = Scratch::new(&[("f", text)]);
    let query = SearchQuery::new(Pattern::within_lines(pattern, case).expect(pattern));
    let found = matching_lines(&scratch.tree(), &query, 100, &Cancel::new()).expect(pattern);
    let lines = found.files.into_iter().flat_map(|file| file.lines);
    let numbers: Vec<usize> = lines.map(|line| line.number + 1).collect();
    assert_eq!(numbers.len(), found.count);
    numbers
}

#[test]
fn within_lines_no_match_goes_over_a_line() {
    let cases: &[(&[u8], &str, &[usize])] = &[
        (b"a b\nb a\n", "a.*b", &[1]),
        (b"a\nb\n", "a\\s*b", &[]),
        (b"a\nb\n", "a[^x]b", &[]),
        (b"a\nb\n", "a\nb", &[]),
        (b"a\nb\n", "(?s)a.*", &[1]),
        (b"a\nb\n", "b|a\\nb", &[2]),
        (b"aa aa\nb\naa\n", "a", &[1, 3]),
        (b"a\n\nb", "^$", &[2]),
        (b"a\nb\n", "x*", &[1, 2]),
        (b"a\r\nb\r\n", "[ab]$", &[1, 2]),
        (b"ab\nba\nab", "\\Aa", &[1, 3]),
        (b"ab\nba\nab", "b\\Z", &[1, 3]),
        (b"aba\nabc\n", "(?=a)(.)b\\1", &[1]),
        (b"foo\nbar foo\n", "(?<!bar )foo", &[1]),
        ("é\nÉ\n".as_bytes(), "é", &[1]),
        (b"a\0b", "a", &[]),
    ];
    for (text, pattern, expected) in cases {
        assert_eq!(numbers(text, pattern, Case::Sensitive), *expected, "{pattern}");
    }
    assert_eq!(numbers("é\nÉ\nx".as_bytes(), "É|X", Case::Insensitive), [1, 2, 3]);
    assert_eq!(numbers(b"Abab\n", "(?=a)(.)b\\1", Case::Insensitive), [1]);
}

#[test]
fn the_first_lines_are_kept_and_all_are_counted() {
    let scratch = Scratch::new(&[("a", b"x\nx\n"), ("b", b"x\nx\nx\n"), ("c", b"x\n")]);
    let query = SearchQuery::new(Pattern::within_lines("x", Case::Sensitive).expect("valid"));
    let found = matching_lines(&scratch.tree(), &query, 3, &Cancel::new()).expect("found");
    let kept: Vec<(&str, usize)> =
        found.files.iter().map(|file| (file.path.as_str(), file.lines.len())).collect();
    assert_eq!((kept, found.count), (vec![("a", 2), ("b", 1)], 6));
}

#[test]
fn a_pattern_that_backtracks_for_ever_is_given_up_within_lines_too() {
    // Each letter doubles the number of steps: one line exceeds the budget, however fast the machine is.
    let long = format!("{}\n", "a".repeat(60));
    let scratch = Scratch::new(&[("f", long.as_bytes())]);
    let query =
        SearchQuery::new(Pattern::within_lines(r"(?:(?=a)a|a(?=a|$))+b", Case::Sensitive).expect("valid"));
    let error = matching_lines(&scratch.tree(), &query, 100, &Cancel::new()).expect_err("given up");
    assert!(matches!(error, SearchError::BudgetSpent { .. }), "{error}");
}
