//! Searches that would not come to an end: each is cut short, by its deadline or for taking too long, and holds up nobody.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use symd::base::{Cancel, RelPath};
use symd::ops::search::{Pattern, Query, SearchError, search_files};
use symd::ops::tree::Tree;
use symd::vfs::Root;

use crate::support::{PATIENCE, User, call, write};

/// How long a search gets.
const DEADLINE: Duration = Duration::from_millis(300);
/// And how much later it may end: 200 ms on a machine that has a processor to give; here others want it too.
const LATER: Duration = Duration::from_millis(1_500);

/// The lines (from 1) that match, and whether the time was up.
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
    let tree = Tree { root: &root, files: &files, ignored: &|_, _| false, is_code: &|_| false, program };
    let query = Query::new(pattern.clone());
    let outcome = search_files(&tree, &query, &[&path], until, &Cancel::new(), |hits| {
        let mut lines = Vec::new();
        hits.each(|_, found| lines.push(found.lines.start + 1))?;
        Ok(lines)
    })?;
    Ok((outcome.files.into_iter().flatten().collect(), outcome.late))
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
                Pattern::within_lines(pattern, symd::ops::search::Case::Insensitive).unwrap(),
            ] {
                let here = lines(text, &pattern, None, None).unwrap();
                let there = lines(text, &pattern, symd(), None).unwrap();
                assert_eq!(here, there, "{pattern:?} over {text:?}");
            }
        }
    }
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
    // A quick match on each of the first lines, and then a look that takes for ever.
    let text = format!("{}{}", "zz = zz\n".repeat(10), "value ".repeat(480_000));
    let pattern = Pattern::new("(zz) = \\1|(?=(v))\\2.*zzz").unwrap();
    let (lines, late) = lines(&text, &pattern, symd(), Some(Instant::now() + DEADLINE * 3)).unwrap();
    // Not the last ones: they were on their way.
    assert!(
        late && lines.len() >= 5 && (1..).zip(&lines).all(|(line, found)| line == *found),
        "{lines:?} {late}"
    );
}

/// Processes that search for the daemon `pid`.
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
