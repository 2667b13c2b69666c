//! Searches that would take too long: each is cut short, by its deadline or by its own limit, and blocks no
//! other work.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use symd::base::{Cancel, RelPath};
use symd::files::grep::grep;
use symd::files::search::{MatchContext, Pattern, SearchError, SearchQuery, search_files};
use symd::files::tree::Tree;
use symd::rewrite::{ExpectedCount, ReplaceError, ReplaceMode, Replacement, replace_content};
use symd::vfs::Root;

use crate::support::{PATIENCE, User, call, write};

/// The deadline of a search.
const DEADLINE: Duration = Duration::from_millis(300);
/// The tolerated delay: 200 ms would do on an idle machine; other tests run in parallel.
const LATER: Duration = Duration::from_millis(1_500);

/// Returns the matching lines (1-based), and whether the time ran out.
fn lines(
    text: &str,
    pattern: &Pattern,
    program: Option<&Path>,
    until: Option<Instant>,
) -> Result<(Vec<usize>, bool), SearchError> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), text).unwrap();
    let root = Root::open(dir.path()).unwrap();
    let path = RelPath::new("f").unwrap();
    let files = vec![path.clone()];
    let tree = Tree { files: &root, listed: &files, ignored: &|_, _| false, is_code: &|_| false, program };
    let query = SearchQuery::new(pattern.clone());
    let outcome = search_files(&tree, &query, &[&path], until, &Cancel::new(), |hits| {
        let mut lines = Vec::new();
        hits.for_each_match(|_, found| lines.push(found.lines.start + 1))?;
        Ok(lines)
    })?;
    Ok((outcome.files.into_iter().flatten().collect(), outcome.timed_out))
}

fn symd() -> Option<&'static Path> {
    Some(Path::new(env!("CARGO_BIN_EXE_symd")))
}

#[test]
fn a_process_finds_what_is_found_without_one() {
    let texts = ["", "a", "a\n", "ab\nab\n\nabab", "é\néé\n aa\taa\n", "x\r\ny\r\rz", "'a' \"b\"\n'c\"\n\n"];
    let patterns = [
        "(?=a)",
        "(?=(a))\\1b",
        "(\\w)\\1",
        "(?<=b)\\n",
        "(?!a)x*",
        "(?<!\\S)$",
        "^(?=.*b)",
        "(?=é)é*",
        "(?:(?=b)b)?",
        "(['\"])\\w\\1",
    ];
    for pattern in patterns {
        let many = texts.map(|text| text.repeat(400));
        for text in texts.iter().copied().chain(many.iter().map(String::as_str)) {
            for pattern in [
                Pattern::new(pattern).unwrap(),
                Pattern::within_lines(pattern, symd::files::search::Case::Insensitive).unwrap(),
            ] {
                let here = lines(text, &pattern, None, None).unwrap();
                let there = lines(text, &pattern, symd(), None).unwrap();
                assert_eq!(here, there, "{pattern:?} over {text:?}");
            }
        }
    }
}

/// Returns the matching lines (1-based) of each file, with the file's name.
fn lines_of_files(texts: &[String], pattern: &Pattern, program: Option<&Path>) -> Vec<(String, Vec<usize>)> {
    let dir = tempfile::tempdir().unwrap();
    let name = |number: usize| RelPath::new(&format!("f{number:03}")).unwrap();
    let files: Vec<RelPath> = (0..texts.len()).map(name).collect();
    for (file, text) in files.iter().zip(texts) {
        std::fs::write(dir.path().join(file.as_str()), text).unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    let tree = Tree { files: &root, listed: &files, ignored: &|_, _| false, is_code: &|_| false, program };
    let query = SearchQuery::new(pattern.clone());
    let paths: Vec<&RelPath> = files.iter().collect();
    let outcome = search_files(&tree, &query, &paths, None, &Cancel::new(), |hits| {
        let mut lines = Vec::new();
        hits.for_each_match(|_, found| lines.push(found.lines.start + 1))?;
        // Once more, by another way of iterating.
        let mut again = Vec::new();
        hits.for_each_matching_line(|_, line| {
            again.push(line + 1);
            std::ops::ControlFlow::Continue(())
        })?;
        assert!(again.iter().all(|line| lines.contains(line)), "{again:?} of {lines:?}");
        Ok((hits.path().to_string(), lines))
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.searched + outcome.binary, texts.len());
    outcome.files
}

#[test]
fn many_files_are_looked_at_together_with_the_same_result() {
    let many = "ab\nab b\nabab\n".repeat(25);
    let mut texts: Vec<String> = (0..90).map(|number| format!("x{number}\nab\nb\n")).collect();
    texts[3] = many.clone();
    texts[4] = String::new();
    texts[17] = "a\0b".to_owned();
    // Too long to be searched in a batch.
    texts[30] = format!("{}\nab\n", "xyz ".repeat(75_000));
    texts[31] = "é\r\nab\r\n".to_owned();
    for pattern in ["(?=a)", "(?=(a))\\1b", "(\\w)\\1", "(?<=b)\\n", "^(?=.*b)", "(?=q)"] {
        for pattern in [
            Pattern::new(pattern).unwrap(),
            Pattern::within_lines(pattern, symd::files::search::Case::Sensitive).unwrap(),
        ] {
            let here = lines_of_files(&texts, &pattern, None);
            let there = lines_of_files(&texts, &pattern, symd());
            assert!(here == there, "{}", pattern.source());
        }
    }
}

#[test]
fn one_text_without_end_among_many_is_named_and_the_others_are_searched() {
    let mut texts: Vec<String> = (0..20).map(|number| format!("zz = zz\n{number}\n")).collect();
    texts[10] = "value ".repeat(40_000);
    let dir = tempfile::tempdir().unwrap();
    let files: Vec<RelPath> = (0..20).map(|number| RelPath::new(&format!("f{number:02}")).unwrap()).collect();
    for (file, text) in files.iter().zip(&texts) {
        std::fs::write(dir.path().join(file.as_str()), text).unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    let tree =
        Tree { files: &root, listed: &files, ignored: &|_, _| false, is_code: &|_| false, program: symd() };
    let query = SearchQuery::new(Pattern::new("(zz) = \\1|(?=(v))\\2.*zzz").unwrap());
    let paths: Vec<&RelPath> = files.iter().collect();
    let until = Instant::now() + DEADLINE * 10;
    let cancel = Cancel::new();
    match search_files(&tree, &query, &paths, Some(until), &cancel, |hits| Ok(hits.path().to_string())) {
        Ok(outcome) => {
            // The other thread, if there is one, has continued.
            assert!(outcome.timed_out && outcome.files.len() >= 8, "{outcome:?}");
            assert!(!outcome.files.contains(&"f10".to_owned()));
        }
        Err(SearchError::BudgetSpent { path, .. }) => assert_eq!(path.as_str(), "f10"),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_large_pattern_without_backtracking_is_cut_short_too() {
    let mut random = fastrand::Rng::with_seed(5);
    let text: String = (0..400_000).map(|_| if random.bool() { 'a' } else { 'b' }).collect();
    for pattern in ["[ab]*a[ab]{6000}[c-d]", "(?:a[ab]{400}){40}[c-d]"] {
        for pattern in [Pattern::new(pattern).unwrap(), Pattern::of_lines(pattern).unwrap()] {
            let began = Instant::now();
            let outcome = lines(&text, &pattern, symd(), Some(began + DEADLINE));
            let took = began.elapsed();
            println!("{}: {took:?}", pattern.source());
            assert!(took < DEADLINE + LATER, "{took:?}");
            assert_eq!(outcome.unwrap(), (Vec::new(), true));
        }
    }
}

#[test]
fn a_line_of_megabytes_is_gone_through_once() {
    // Scanning the whole line for each match took time by the square of its length.
    let text = "value ".repeat(4_000_000);
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), &text).unwrap();
    std::fs::write(dir.path().join("g"), "value\n").unwrap();
    let root = Root::open(dir.path()).unwrap();
    let files = vec![RelPath::new("f").unwrap(), RelPath::new("g").unwrap()];
    let tree =
        Tree { files: &root, listed: &files, ignored: &|_, _| false, is_code: &|_| false, program: symd() };
    for pattern in [Pattern::literal("value").unwrap(), Pattern::of_lines("v[a-z]+e").unwrap()] {
        let began = Instant::now();
        let found =
            grep(&tree, pattern, &|_| true, 10, began + Duration::from_secs(20), &Cancel::new()).unwrap();
        println!("{:?}", began.elapsed());
        assert!(!found.timed_out, "{:?}", began.elapsed());
        let lines: Vec<(&str, usize)> = found.lines.iter().map(|one| (one.path.as_str(), one.line)).collect();
        assert_eq!((lines, found.total), (vec![("f", 1), ("g", 1)], 2));
    }
}

#[test]
fn grep_tells_the_lines_that_it_counted_before_its_deadline() {
    // Enough lines for a second, and then a search that does not end.
    let text = format!("{}{}", "zz zz\n".repeat(300_000), "ab".repeat(4_000_000));
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), &text).unwrap();
    let root = Root::open(dir.path()).unwrap();
    let files = vec![RelPath::new("f").unwrap()];
    let tree =
        Tree { files: &root, listed: &files, ignored: &|_, _| false, is_code: &|_| false, program: symd() };
    let pattern = Pattern::of_lines("zz$|[ab]*a[ab]{6000}[c-d]").unwrap();
    let began = Instant::now();
    let found = grep(&tree, pattern, &|_| true, 5, began + DEADLINE * 3, &Cancel::new()).unwrap();
    let took = began.elapsed();
    println!("{took:?}, {}", found.total);
    assert!(found.timed_out && took < DEADLINE * 3 + LATER, "{took:?}");
    let lines: Vec<usize> = found.lines.iter().map(|one| one.line).collect();
    // On a busy machine only few are counted.
    assert_eq!(lines, (1..=found.total.min(5)).collect::<Vec<_>>(), "{}", found.total);
}

fn replaced(
    text: &str,
    needle: &str,
    program: Option<&Path>,
    cancel: &Cancel,
) -> Result<Replacement, ReplaceError> {
    let means = MatchContext { program, cancel };
    replace_content("f", text, needle, "<$!1>", ReplaceMode::Regex, ExpectedCount::Any, means)
}

#[test]
fn a_process_replaces_what_is_replaced_without_one() {
    let texts = ["", "a", "aa\nbb\n", "ab\nab\n\nabab", "é\néé\n aa\taa\n", "x\r\nxx\r\rx", "'a' \"b\"\n"];
    let needles =
        ["(?=(a))", "(\\w)\\1", "(?=(a))\\1b", "(?<=(b))\\n", "(?:(?=b)(b))?", "(.)(?!x)", "(?=a).(.)*?\\1"];
    let mut compared = 0;
    for needle in needles {
        let many = texts.map(|text| text.repeat(50));
        for text in texts.iter().copied().chain(many.iter().map(String::as_str)) {
            let here = replaced(text, needle, None, &Cancel::new());
            assert_eq!(here, replaced(text, needle, symd(), &Cancel::new()), "{needle} in {text:?}");
            compared += usize::from(here.is_ok());
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn an_expression_that_never_ends_replaces_nothing_and_ends_with_its_client() {
    let text = "value ".repeat(480_000);
    let needle = "(?=(v))\\1.*zzz";
    let cancel = Cancel::new();
    let (raiser, began) = (cancel.clone(), Instant::now());
    let (_kept, never) = std::sync::mpsc::channel::<()>();
    let (refused, took) = std::thread::scope(|scope| {
        scope.spawn(move || {
            // The client disconnects in the middle.
            let _ = never.recv_timeout(DEADLINE);
            raiser.cancel();
        });
        let refused = replaced(&text, needle, symd(), &cancel);
        (refused, began.elapsed())
    });
    assert!(matches!(refused, Err(ReplaceError::Cancelled(_))), "{refused:?}");
    assert!(took < DEADLINE + LATER, "{took:?}");
    let began = Instant::now();
    let refused = replaced(&text, needle, symd(), &Cancel::new());
    println!("{:?}: {refused:?}", began.elapsed());
    assert!(matches!(refused, Err(ReplaceError::BudgetSpent { .. })), "{refused:?}");
    // 5 s, and 1 s for each whole MiB.
    assert!(began.elapsed() < Duration::from_secs(7) + LATER, "{:?}", began.elapsed());
}

#[test]
fn no_search_goes_on_behind_its_deadline() {
    let value = "value ".repeat(480_000);
    let many = "a".repeat(200_000);
    let words = "lorem ipsum dolor 'sit' amet = \"zz ".repeat(60_000);
    let cases = [
        (&value, "(?=(v))\\1.*zzz"),
        (&many, "(?=(a+)+$)b"),
        (&many, "(a+)+\\1b"),
        (&many, "(?!.*b)(?:a|aa)+c"),
        (&many, "(?:(?=(a*))\\1)*b"),
        (&many, "(.*)\\1\\1zz"),
        (&words, "(['\"]).*\\1.*zzz"),
        (&words, "(?=.*.*.*=zzz)l"),
        (&words, "^(?=(?:.*z){40}q)"),
        (&words, "(\\w+) .*\\1\\1zz"),
        (&words, "(?<=m).*(?<=q)zz"),
        (&words, "(?=(\\w+\\s?)*!)x"),
    ];
    for (text, source) in cases {
        let pattern = Pattern::new(source).unwrap();
        let began = Instant::now();
        let outcome = lines(text, &pattern, symd(), Some(began + DEADLINE));
        let took = began.elapsed();
        println!("{source}: {took:?} {outcome:?}");
        assert!(took < DEADLINE + LATER, "{source}: {took:?}");
        match outcome {
            Ok((lines, _)) => assert!(lines.is_empty(), "{source}: {lines:?}"),
            Err(error) => assert!(matches!(error, SearchError::BudgetSpent { .. }), "{source}: {error}"),
        }
    }
}

#[test]
fn what_was_found_before_the_deadline_is_told() {
    // A quick match on each of the first lines, and then a search that does not end.
    let text = format!("{}{}", "zz = zz\n".repeat(10), "value ".repeat(480_000));
    let pattern = Pattern::new("(zz) = \\1|(?=(v))\\2.*zzz").unwrap();
    let (lines, late) = lines(&text, &pattern, symd(), Some(Instant::now() + DEADLINE * 3)).unwrap();
    // Not the last ones: they had not been sent yet.
    assert!(
        late && lines.len() >= 5 && (1..).zip(&lines).all(|(line, found)| line == *found),
        "{lines:?} {late}"
    );
}

/// Returns the number of search processes of the daemon `pid`.
fn searching(pid: u64) -> usize {
    let children = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let of_thread = |task: std::fs::DirEntry| {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        let is_one = |child: &&str| {
            let line = std::fs::read_to_string(format!("/proc/{child}/cmdline")).unwrap_or_default();
            line.split('\0').nth(1) == Some("match")
        };
        children.split_whitespace().filter(is_one).count()
    };
    children.flatten().map(of_thread).sum()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
    began.elapsed()
}

#[test]
fn searches_without_end_hold_up_nobody_and_end_with_their_client() {
    let user = User::new();
    write(&user.path("project/long.txt"), &"value ".repeat(480_000));
    write(&user.path("project/a.py"), "def found(): pass\n");
    user.check(&["start"], 0);
    let pid = user.pid();
    let searches: Vec<_> = (1..9)
        .map(|id| {
            let mut wire = user.connect();
            wire.ask(&json!({ "symd": { "protocol": [1, 1], "version": "9", "toolset": ["native"] } }));
            wire.initialize();
            wire.send(&call(id, "search_for_pattern", json!({ "substring_pattern": "(?=(v))\\1.*zzz" })));
            wire
        })
        .collect();
    wait_until("none is searching", || searching(pid) > 0);
    let began = Instant::now();
    assert!(user.find("found").contains("a.py:1"));
    println!("another question: {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(3));
    drop(searches);
    let took = wait_until("they go on without their clients", || searching(pid) == 0);
    println!("ended {took:?} after their clients left");
    assert!(took < Duration::from_secs(1), "{took:?}");
}
