//! Judged occurrences, as marks under the code: `fixtures/uses/<family>.txt`. A case begins with `=== what it shows`, a
//! file with `//- path`, and `$0` stands before the name of the target. A line of `^` marks an occurrence of the name in
//! the line above, with its judgement and role; every occurrence is marked.
//! `UPDATE_EXPECT=1 cargo test -p symd-resolve marked` writes the marks: read them line by line.

use std::path::Path;

use super::*;

/// Returns a case with the marks that belong there.
fn marked(case: &str) -> String {
    let lines: Vec<&str> = case.lines().filter(|line| !is_mark(line)).collect();
    let (texts, (path, at)) = files(&format!("{}\n", lines.join("\n")));
    let memory = memory(texts);
    let target = target(&memory, &path, at);
    let found = judged_occurrences(&memory, &target);
    check(&memory, &found, target.name());
    let mut shown = Vec::new();
    let mut file = None;
    for line in lines {
        shown.push(line.to_owned());
        if let Some(path) = line.strip_prefix("//- ") {
            file = Some((path.trim(), 0));
            continue;
        }
        let Some((path, start)) = &mut file else { continue };
        let plain = line.replace("$0", "");
        let end = *start + plain.len();
        for one in found.iter().filter(|one| one.path.as_str() == *path) {
            let at = one.range.start as usize;
            if (*start..=end).contains(&at) {
                shown.push(mark(line, &plain, at - *start, one));
            }
        }
        *start = end + 1;
    }
    shown.join("\n")
}

/// Returns the mark of an occurrence at byte `at` of a line, which is written with or without `$0`.
fn mark(written: &str, plain: &str, at: usize, one: &Occurrence) -> String {
    // `$0` takes two columns, for what is behind it and for the target itself.
    let target = written.find("$0").filter(|&target| target <= at);
    let columns = plain[..at].chars().map(|c| if c == '\t' { '\t' } else { ' ' });
    let columns: String = columns.chain(target.into_iter().flat_map(|_| "  ".chars())).collect();
    let length = one.range.end - one.range.start;
    let name = plain[at..at + length as usize].chars().map(|_| '^');
    let (judgement, role) = (format!("{:?}", one.judgement), format!("{:?}", one.role));
    format!("{columns}{} {} {}", name.collect::<String>(), judgement.to_lowercase(), role.to_lowercase())
}

fn is_mark(line: &str) -> bool {
    line.trim_start().starts_with('^')
}

#[test]
fn every_occurrence_is_judged_as_marked() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/uses");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory).expect("readable") {
        let path = entry.expect("an entry").path();
        names.push(path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8").to_owned());
        #[allow(clippy::disallowed_methods, reason = "fixtures are no project's files")]
        let text = std::fs::read_to_string(&path).expect("text");
        let mut cases = text.split("=== ");
        assert_eq!(cases.next(), Some(""), "{} begins with a case", path.display());
        let all: Vec<String> = cases.map(|case| format!("=== {}\n", marked(case.trim_end()))).collect();
        expect_test::expect_file![&path].assert_eq(&all.join("\n"));
    }
    names.sort_unstable();
    assert_eq!(names, ["c", "ecma", "jvm", "others", "python"]);
}
