//! The summary in which Maven's Surefire and Failsafe list failed tests: `CatalogTest.take:13->helper:20 » IllegalState no item`. It names classes
//! without their packages, and leaves the end of the exception's name out.

use std::sync::LazyLock;

use regex::Regex;

use super::parse::{MAX_MESSAGE_LINES, ParsedFrame, ParsedTrace};

/// A line of the summary up to its steps, from the test to where it failed. Names of methods may have blanks where the level of the log shows that
/// it is one.
static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:\[(?P<level>ERROR|WARNING)\])?\s*(?:Run \d+: )?",
        r"(?P<steps>[\p{Lu}_$][\w$]*[.>](?:[^\s:>»][^:>»]*:\d+)(?:->[^:>»]+:\d+)*)(?: +(?P<said>\S.*))?\s*$"
    ))
    .ok()
});

/// Stands before the name of an exception.
const THROWN: &str = "» ";

/// Why the place of such a frame is not sure.
const WITHOUT_PACKAGE: &str = "only the name of its class is known, not the package";

/// Returns the failures that a text without any trace lists in such a summary.
pub(super) fn failures(text: &str) -> Vec<ParsedTrace> {
    let mut all: Vec<ParsedTrace> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if let Some(failure) = failure(line) {
            all.push(failure);
            is_open = true;
            continue;
        }
        // A message of several lines goes on without a level.
        is_open &= !line.trim().is_empty() && !line.starts_with('[');
        if let Some(last) = all.last_mut().filter(|_| is_open)
            && last.message.lines().count() < MAX_MESSAGE_LINES
        {
            last.message.extend(["\n", line.trim()]);
        }
    }
    all
}

fn failure(line: &str) -> Option<ParsedTrace> {
    let found = LINE.as_ref().filter(|_| line.contains(':'))?.captures(line)?;
    let steps = &found["steps"];
    let (test, _) = steps.split_once(['.', '>'])?;
    let is_shown = found.name("level").is_some();
    // `CatalogTest>Base.take:13->Base.helper:20->check:3`: the test's class, that of each step unless it is the same.
    let written = steps[test.len() + 1..].split("->");
    let frames: Option<Vec<ParsedFrame>> = written.map(|step| frame(step, test, is_shown)).collect();
    let mut frames = frames?;
    frames.reverse();
    let said = found.name("said").map_or("", |said| said.as_str()).trim_end();
    let (error_type, message) = match said.strip_prefix(THROWN) {
        Some(thrown) => thrown.trim_start().split_once(' ').unwrap_or((thrown.trim_start(), "")),
        None => ("", said),
    };
    let (error_type, message) = (error_type.to_owned(), message.trim().to_owned());
    Some(ParsedTrace { error_type, message, frames, ..ParsedTrace::default() })
}

/// `helper:20`, `Base.helper:20`
fn frame(step: &str, test: &str, may_have_blanks: bool) -> Option<ParsedFrame> {
    let (named, line) = step.rsplit_once(':')?;
    let (class, method) = match named.split_once('.') {
        Some((class, method)) if !class.contains(' ') => (class, method),
        _ => (test, named),
    };
    // `Catalog.kt:12` is a place.
    let is_file = matches!(method, "kt" | "kts" | "java" | "groovy" | "scala" | "py");
    if is_file || method.contains(' ') && !may_have_blanks {
        return None;
    }
    Some(ParsedFrame {
        class: class.to_owned(),
        method: method.to_owned(),
        line: line.parse().ok(),
        is_without_package: true,
        reading_doubt: Some(WITHOUT_PACKAGE.to_owned()),
        ..ParsedFrame::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_trace;

    fn shown(text: &str) -> Vec<String> {
        let frame = |f: &super::ParsedFrame| format!("{}.{}:{}", f.class, f.method, f.line.unwrap_or(0));
        let one = |one: super::ParsedTrace| {
            let frames: Vec<String> = one.frames.iter().map(frame).collect();
            format!("{}|{}|{}", one.error_type, one.message, frames.join(","))
        };
        parse_trace(text).into_iter().map(one).collect()
    }

    // https://github.com/apache/maven-surefire/blob/master/surefire-providers/common-java5/src/main/java/org/apache/maven/surefire/report/SmartStackTraceParser.java
    #[test]
    fn failures_of_the_summary() {
        let text = "[ERROR] Failures: \n[ERROR]   CatalogTest.take:13->helper:20 expected: <1> but was: <2>\n[ERROR]   CatalogTest.sells pre-ordered ones:30 \
                    no\nsecond line\n[ERROR] Errors: \n[ERROR]   CatalogTest.take:13 » IllegalState no item: 3\n[ERROR]   \
                    CatalogTest>Base.setUp:5->Base.open:6->take:13 » NullPointer\n[INFO] \n[ERROR] Tests run: 4, Failures: 2, Errors: 2, Skipped: 0\n";
        let expected = [
            "|expected: <1> but was: <2>|CatalogTest.helper:20,CatalogTest.take:13",
            "|no\nsecond line|CatalogTest.sells pre-ordered ones:30",
            "IllegalState|no item: 3|CatalogTest.take:13",
            "NullPointer||CatalogTest.take:13,Base.open:6,Base.setUp:5",
        ];
        assert_eq!(shown(text), expected);
        // Without the level, as older versions print it.
        assert_eq!(
            shown("Failed tests: \n  CatalogTest$Empty.take:13 expected:<1> but was:<2>\n\nTests run: 1"),
            ["|expected:<1> but was:<2>|CatalogTest$Empty.take:13"]
        );
        assert_eq!(shown("[WARNING]   Run 1: CatalogTest.take:13\n"), ["||CatalogTest.take:13"]);
    }

    #[test]
    fn other_texts_are_no_summary() {
        for (text, expected) in [
            ("Catalog.kt:12 breaks", "||.:12"),
            (
                "[ERROR]   CatalogTest.take:13 no\na.b.GoneException: x\n\tat a.B.c(B.kt:3)\n",
                "a.b.GoneException|x|a.B.c:3",
            ),
        ] {
            assert_eq!(shown(text), [expected], "{text}");
        }
        for text in ["See. At half past 3:12 we go", "Till.open: 12", "Till.open:12:3", "T>x", "A.b -> C.d:1"]
        {
            assert_eq!(shown(text), Vec::<String>::new(), "{text}");
        }
    }
}
