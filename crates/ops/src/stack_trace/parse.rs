//! Reads the throwables and frames of a trace as people paste it. Invariant: any text can be read; what is no trace is
//! left out.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::streams;
use super::python::tracebacks;

/// A throwable or a thread with its frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedTrace {
    /// The type of the throwable; empty for a thread of a dump.
    pub error_type: String,
    /// The message; several lines if it has them.
    pub message: String,
    /// What the throwable is to the one before.
    pub relation: TraceRelation,
    /// The name of the thread, if it is said.
    pub thread: String,
    /// The frames, the innermost first.
    pub frames: Vec<ParsedFrame>,
    /// The number of frames that the text leaves out, as they are those of the throwable before.
    pub omitted: usize,
}

/// What a throwable is to the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceRelation {
    /// It begins a trace.
    #[default]
    First,
    /// It caused the one before.
    Cause,
    /// It was thrown while the one before was.
    Suppressed,
}

/// One frame, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ParsedFrame {
    /// The class with its package, `$` before nested ones; of Python the module or the library; empty where only a file is
    /// named.
    pub class: String,
    /// The method; empty where only a file is named.
    pub method: String,
    /// The file's name; empty if it is unknown.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The identity of R8's mapping that stands in place of the file: `r8-map-id-1a2b3c`.
    pub map_id: Option<String>,
    /// What else the frame may be, by an ambiguous mapping.
    pub alternatives: Vec<ParsedFrame>,
    /// The file's path with `/`, as Python writes it; empty for other frames.
    pub path: String,
    /// The line of source, as Python writes it.
    pub code: String,
    /// How many more times it stands there than is written.
    pub repeats: usize,
}

/// Maximum number of lines of a message that are kept.
pub(super) const MAX_MESSAGE_LINES: usize = 20;

static HEADER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"^\s*(?:Exception in thread "(?P<thread>[^"]*)"\s+|Fatal Exception: |Exception |(?P<cause>Caused by: )|"#,
        r"(?P<suppressed>Suppressed: )|\[CIRCULAR REFERENCE: ?)?",
        r"(?P<type>[A-Za-z_][\w$]*(?:\.[\w$]+)*)(?:: ?(?P<message>.*)|\s*)$"
    ))
    .ok()
});

/// `java.lang.AssertionError at TillTest.kt:12`, as Gradle prints failed tests.
static SHORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?P<cause>Caused by: )?(?P<type>[A-Za-z_][\w$]*(?:\.[\w$]+)+) at (?P<file>[\w$-]+\.(?:kt|kts|java)):(?P<line>\d+)\s*$")
        .ok()
});

static THREAD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^"(?P<name>[^"]*)".*\b(?:prio|tid|sysTid|nid)=?"#).ok());

/// A place alone: `Till.kt:12`.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s(/])(?P<file>[A-Za-z_][\w$-]*\.(?:kt|kts|java)):(?P<line>\d+)\b").ok()
});

/// Returns the traces of a text; that of a crash comes before those of other threads.
pub fn parse_trace(text: &str) -> Vec<ParsedTrace> {
    let mut all = Vec::new();
    for stream in streams(text) {
        let (of_python, others) = tracebacks(&stream.lines);
        all.extend(of_python);
        all.extend(of_lines(&others));
    }
    if all.is_empty() {
        all.extend(places_alone(text));
    }
    // Stable: causes stay behind what they caused.
    let has_error = all.iter().any(|trace: &ParsedTrace| !trace.error_type.is_empty());
    if has_error {
        all.sort_by_key(|trace| trace.error_type.is_empty());
    } else {
        all.sort_by_key(|trace| trace.thread != "main");
    }
    all
}

fn of_lines(lines: &[String]) -> Vec<ParsedTrace> {
    let mut all: Vec<ParsedTrace> = Vec::new();
    // What may be the head of the frames that follow.
    let mut head: Option<(ParsedTrace, HeadStrength)> = None;
    for line in lines {
        let trimmed = line.trim();
        if let Some(count) = omitted(trimmed) {
            if let Some(last) = all.last_mut() {
                last.omitted = count;
            }
        } else if let Some(short) = short(line) {
            head = None;
            all.push(short);
        } else if let Some(frame) = frame(trimmed) {
            match head.take() {
                Some((head, _)) => all.push(ParsedTrace { frames: vec![frame], ..head }),
                None => match all.last_mut() {
                    Some(last) => last.frames.push(frame),
                    None => all.push(ParsedTrace { frames: vec![frame], ..ParsedTrace::default() }),
                },
            }
        } else if let Some(thread) = THREAD.as_ref().and_then(|thread| thread.captures(trimmed)) {
            let thread = ParsedTrace { thread: thread["name"].to_owned(), ..ParsedTrace::default() };
            head = Some((thread, HeadStrength::Sure));
        } else if let Some(found) = header(line).filter(|(_, strength)| {
            // A line of a message is no head, however it looks.
            *strength == HeadStrength::Sure || !matches!(head, Some((_, HeadStrength::Sure)))
        }) {
            head = Some(found);
        } else if matches!(head, Some((_, HeadStrength::IfFrameFollows))) && !trimmed.is_empty() {
            head = None;
        } else if let Some((head, _)) = &mut head
            && !head.error_type.is_empty()
            && head.message.lines().count() < MAX_MESSAGE_LINES
            && !trimmed.is_empty()
        {
            head.message.extend(["\n", trimmed]);
        }
    }
    // A throwable whose frames were cut off.
    all.extend(head.map(|(head, _)| head).filter(|head| head.relation == TraceRelation::Cause));
    all
}

/// How sure it is that a line is the head of a trace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadStrength {
    Sure,
    IfFrameFollows,
}

fn header(line: &str) -> Option<(ParsedTrace, HeadStrength)> {
    let found = HEADER.as_ref()?.captures(line)?;
    let error_type = &found["type"];
    let simple = error_type.rsplit('.').next().unwrap_or(error_type);
    let is_said = !line[..found.name("type")?.start()].trim().is_empty();
    // The rest of a frame that was cut in two, `talog.kt:30)`.
    if matches!(simple, "kt" | "kts" | "java") {
        return None;
    }
    let has_known_end =
        ["Exception", "Error", "Throwable", "Failure"].iter().any(|end| simple.ends_with(end));
    // Any class may be a throwable: with another name it is one if a frame follows at once.
    let strength = match is_said || has_known_end && error_type.contains('.') {
        true => HeadStrength::Sure,
        false => HeadStrength::IfFrameFollows,
    };
    if strength == HeadStrength::IfFrameFollows && !error_type.contains('.') {
        return None;
    }
    let relation = match (found.name("cause"), found.name("suppressed")) {
        (Some(_), _) => TraceRelation::Cause,
        (_, Some(_)) => TraceRelation::Suppressed,
        (None, None) => TraceRelation::First,
    };
    let text = |name: &str| found.name(name).map_or("", |found| found.as_str()).trim().to_owned();
    let trace = ParsedTrace {
        error_type: error_type.to_owned(),
        message: text("message"),
        relation,
        thread: text("thread"),
        ..ParsedTrace::default()
    };
    Some((trace, strength))
}

fn short(line: &str) -> Option<ParsedTrace> {
    let found = SHORT.as_ref()?.captures(line)?;
    let frame = ParsedFrame {
        file: found["file"].to_owned(),
        line: found["line"].parse().ok(),
        ..ParsedFrame::default()
    };
    let relation = if found.name("cause").is_some() { TraceRelation::Cause } else { TraceRelation::First };
    Some(ParsedTrace {
        error_type: found["type"].to_owned(),
        relation,
        frames: vec![frame],
        ..ParsedTrace::default()
    })
}

/// `... 12 more`
fn omitted(line: &str) -> Option<usize> {
    line.strip_prefix("...")?
        .trim()
        .strip_suffix("more")
        .or_else(|| line.strip_prefix("...")?.trim().strip_suffix("common frames omitted"))?
        .trim()
        .parse()
        .ok()
}

/// `at a.B.c(B.kt:12)`, also without "at" and with a blank before the parenthesis.
fn frame(line: &str) -> Option<ParsedFrame> {
    let (said, rest) = match line.strip_prefix("at ").or_else(|| line.strip_prefix("• at ")) {
        Some(rest) => (true, rest.trim()),
        None => (false, line),
    };
    // What some tools append: `[app:1.2]`, ` ~[classes/:?]`.
    let rest = match rest.rfind(')') {
        Some(end) if rest[end + 1..].trim_start().starts_with(['[', '~']) => &rest[..=end],
        _ => rest,
    };
    let inner = rest.strip_suffix(')')?;
    let (name, place) = inner.rsplit_once('(')?;
    // Class loader and module: `app//`, `java.base@17/`.
    let name = name.trim_end();
    let name =
        name.rsplit_once('/').filter(|(module, _)| !module.contains(' ')).map_or(name, |(module, last)| {
            // `$$Lambda$14/0x0000000800c03000.run`
            if last.starts_with("0x") { module } else { last }
        });
    let (class, method) = name.rsplit_once('.')?;
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (file, line.trim().parse().ok()),
        None => (place, None),
    };
    let is_file = [".kt", ".kts", ".java", ".groovy", ".scala"].iter().any(|end| file.ends_with(end));
    let is_known =
        is_file || matches!(file, "Native Method" | "Native method" | "Unknown Source" | "SourceFile" | "");
    let is_class = !class.is_empty() && !class.contains(char::is_whitespace);
    if !is_class || method.is_empty() || !(is_known || said) || (!said && !is_file) {
        return None;
    }
    Some(ParsedFrame {
        class: class.to_owned(),
        method: method.to_owned(),
        file: if is_file { file.to_owned() } else { String::new() },
        line,
        map_id: file.strip_prefix("r8-map-id-").map(str::to_owned),
        ..ParsedFrame::default()
    })
}

/// Returns the places that a text without any trace names.
fn places_alone(text: &str) -> Option<ParsedTrace> {
    let place = PLACE.as_ref()?;
    let frames: Vec<ParsedFrame> = place
        .captures_iter(text)
        .map(|found| ParsedFrame {
            file: found["file"].to_owned(),
            line: found["line"].parse().ok(),
            ..ParsedFrame::default()
        })
        .collect();
    (!frames.is_empty()).then(|| ParsedTrace { frames, ..ParsedTrace::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        parse_trace(text)
            .iter()
            .map(|trace| {
                let frames: Vec<String> = trace
                    .frames
                    .iter()
                    .map(|f| format!("{}.{} {}:{}", f.class, f.method, f.file, f.line.unwrap_or(0)))
                    .collect();
                format!(
                    "{:?} {}|{}|{}|{}",
                    trace.relation,
                    trace.error_type,
                    trace.message,
                    frames.join(","),
                    trace.omitted
                )
            })
            .collect()
    }

    #[test]
    fn a_chain_of_causes() {
        let text = "Exception in thread \"main\" java.lang.RuntimeException: outer\nsecond line\n\tat a.B.c(B.kt:3)\n\tat \
                    java.base/java.lang.Thread.run(Thread.java:840)\nCaused by: a.Gone: inner\n\tat a.B$d$1.invoke(B.kt:9)\n\t... \
                    2 more\n\tSuppressed: java.io.IOException\n\t\tat a.E.<init>(E.java)\n";
        assert_eq!(
            shown(text),
            [
                "First java.lang.RuntimeException|outer\nsecond line|a.B.c B.kt:3,java.lang.Thread.run Thread.java:840|0",
                "Cause a.Gone|inner|a.B$d$1.invoke B.kt:9|2",
                "Suppressed java.io.IOException||a.E.<init> E.java:0|0",
            ]
        );
    }

    #[test]
    fn other_forms() {
        assert_eq!(
            shown("Fatal Exception: java.lang.NullPointerException: x\n       at a.B.c (B.kt:3)\n"),
            ["First java.lang.NullPointerException|x|a.B.c B.kt:3|0"]
        );
        assert_eq!(
            shown("TillTest > sells FAILED\n    java.lang.AssertionError at TillTest.kt:12\n"),
            ["First java.lang.AssertionError||. TillTest.kt:12|0"]
        );
        assert_eq!(
            shown(
                "\"main\" prio=5 tid=1 Blocked\n  at a.B.c(B.kt:3)\n  - waiting to lock <0x1>\n\"Pool\" prio=5 tid=2 Runnable\n  at \
                   a.D.e(D.kt:4)\n"
            ),
            ["First ||a.B.c B.kt:3|0", "First ||a.D.e D.kt:4|0"]
        );
        assert_eq!(shown("it breaks in Till.kt:12, I think"), ["First ||. Till.kt:12|0"]);
        assert_eq!(
            shown(
                "java.lang.AssertionError: no\n\tat a.TillTest.adds two numbers(TillTest.kt:7)\n\tat app//a.F.g(F.kt:1)"
            ),
            ["First java.lang.AssertionError|no|a.TillTest.adds two numbers TillTest.kt:7,a.F.g F.kt:1|0"]
        );
        assert_eq!(shown("nothing (to) see here"), Vec::<String>::new());
    }
}
