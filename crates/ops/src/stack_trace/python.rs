//! Python's tracebacks. Invariant: each is given as a throwable with its frames the innermost first, and the exception that a
//! chain began with as the cause of the next, so that what reads traces knows nothing of languages.
//!
//! Form: <https://docs.python.org/3/library/traceback.html>.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::begins_log_line;
use super::parse::{MAX_MESSAGE_LINES, ParsedFrame, ParsedTrace, TraceRelation};

const HEAD: &str = "Traceback (most recent call last):";

/// What stands between an exception and the one that it led to.
const CHAINED: [&str; 2] = [
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
];

static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?$"#).ok()
});

/// The frame before stands there more often.
static REPEATED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\[Previous line repeated (?P<times>\d+) more times?\]$").ok());

static EXCEPTION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?P<type>[A-Za-z_][\w.<>]*)(?:: ?(?P<message>.*))?$").ok());

static THREAD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^Exception in thread (?P<name>[^:]+):$").ok());

/// The margin of a group of exceptions.
const MARGIN: [char; 3] = ['|', '+', '-'];

/// How often a frame that repeats stands in a traceback before that is said.
const SHOWN: usize = 3;

/// Directories of installed packages.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

/// Takes the tracebacks out of the lines; returns them, and the other lines.
pub(super) fn tracebacks(lines: &[String]) -> (Vec<ParsedTrace>, Vec<String>) {
    let (mut reader, mut others) = (TracebackReader::default(), Vec::new());
    for line in lines {
        if !reader.take(line) {
            others.push(line.clone());
        }
    }
    reader.end_chain();
    (reader.all, others)
}

/// Where a traceback is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    /// Its frames, which stand further to the right than its head.
    Frames {
        column: usize,
    },
    Message,
}

#[derive(Default)]
struct TracebackReader {
    /// What is read, causes behind what they led to.
    all: Vec<ParsedTrace>,
    /// The exceptions of one chain, each before what it led to.
    chain: Vec<ParsedTrace>,
    /// The place in the chain of the one that is read.
    current: usize,
    within: Within,
    /// Whether the next traceback goes on with the chain.
    is_chained: bool,
    /// The thread that was named last.
    thread: String,
}

impl TracebackReader {
    /// Takes a line; whether it is a traceback's.
    fn take(&mut self, line: &str) -> bool {
        let (column, text, is_in_group) = without_margin(line);
        let is_of_group = text.strip_prefix("Exception Group ") == Some(HEAD);
        if text == HEAD || is_of_group {
            self.begin(column, is_in_group && !is_of_group);
            return true;
        }
        if let Some(frame) = frame(text) {
            // The head of the traceback was cut off.
            if !matches!(self.within, Within::Frames { .. }) {
                self.begin(column.saturating_sub(2), false);
            }
            self.chain[self.current].frames.push(frame);
            return true;
        }
        if is_in_group && is_separator(text) {
            self.within = Within::Nothing;
            return true;
        }
        if CHAINED.contains(&text) {
            self.is_chained = !self.chain.is_empty();
            self.within = Within::Nothing;
            return self.is_chained;
        }
        let may_be_thread = text.starts_with("Exception in thread ");
        if let Some(found) =
            THREAD.as_ref().filter(|_| may_be_thread).and_then(|thread| thread.captures(text))
        {
            found["name"].clone_into(&mut self.thread);
            self.within = Within::Nothing;
            return false;
        }
        match self.within {
            Within::Nothing => false,
            Within::Frames { column: of_head } if column > of_head => {
                self.source(text);
                true
            }
            Within::Frames { .. } => self.exception(text),
            Within::Message => self.message(text),
        }
    }

    fn begin(&mut self, column: usize, is_in_group: bool) {
        if !self.is_chained && !is_in_group {
            self.end_chain();
        }
        let trace = ParsedTrace { thread: std::mem::take(&mut self.thread), ..ParsedTrace::default() };
        // A group stands before what is in it.
        self.current = if is_in_group { self.chain.len().saturating_sub(1) } else { self.chain.len() };
        self.chain.insert(self.current, trace);
        self.is_chained = false;
        self.within = Within::Frames { column };
    }

    /// Takes a line of source, or of marks beneath it.
    fn source(&mut self, text: &str) {
        let frames = &mut self.chain[self.current].frames;
        if let Some(found) = REPEATED.as_ref().and_then(|repeated| repeated.captures(text)) {
            let last = frames.last().cloned().unwrap_or_default();
            let shown = frames.iter().rev().take_while(|frame| **frame == last).count().min(SHOWN);
            let more: usize = found["times"].parse().unwrap_or(usize::MAX);
            frames.truncate(frames.len() + 1 - shown.max(1));
            if let Some(frame) = frames.last_mut() {
                frame.repeats = more.saturating_add(shown - 1);
            }
        } else if let Some(frame) = frames.last_mut().filter(|frame| frame.code.is_empty()) {
            text.clone_into(&mut frame.code);
        }
    }

    /// Takes the line that says what was raised.
    fn exception(&mut self, text: &str) -> bool {
        self.within = Within::Nothing;
        let Some(found) = EXCEPTION.as_ref().and_then(|exception| exception.captures(text)) else {
            return false;
        };
        let trace = &mut self.chain[self.current];
        found["type"].clone_into(&mut trace.error_type);
        found.name("message").map_or("", |message| message.as_str()).clone_into(&mut trace.message);
        self.within = Within::Message;
        true
    }

    /// Takes a further line of the message, or a note.
    fn message(&mut self, text: &str) -> bool {
        let is_logged = text.starts_with('[') || begins_log_line(text);
        let message = &mut self.chain[self.current].message;
        if text.is_empty() || is_logged || message.lines().count() >= MAX_MESSAGE_LINES {
            self.within = Within::Nothing;
            return false;
        }
        message.extend(["\n", text]);
        true
    }

    fn end_chain(&mut self) {
        let mut relation = TraceRelation::First;
        for mut trace in std::mem::take(&mut self.chain).into_iter().rev() {
            // A frame whose name was cut off may lack digits of its line, too; a syntax error has none, and has a source.
            trace.frames.retain(|frame| !frame.method.is_empty() || !frame.code.is_empty());
            trace.frames.reverse();
            trace.relation = std::mem::replace(&mut relation, TraceRelation::Cause);
            self.all.push(trace);
        }
        self.is_chained = false;
    }
}

/// `+---------------- 1 ----------------`, without its margin.
fn is_separator(text: &str) -> bool {
    text.ends_with("----") && text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// Returns the column of a line's text, the text, and whether it stands in a group of exceptions.
fn without_margin(line: &str) -> (usize, &str, bool) {
    let text = line.trim();
    if !text.starts_with(MARGIN) {
        return (line.len() - line.trim_start().len(), text, false);
    }
    let rest = text.trim_start_matches(|c: char| MARGIN.contains(&c) || c.is_whitespace());
    (line.len() - rest.len(), rest, true)
}

fn frame(text: &str) -> Option<ParsedFrame> {
    let found = FRAME.as_ref().filter(|_| text.starts_with("File "))?.captures(text)?;
    let path = found["path"].replace('\\', "/");
    let file = path.rsplit('/').next().unwrap_or(&path).to_owned();
    let method = found.name("name").map_or("", |name| name.as_str()).to_owned();
    Some(ParsedFrame {
        class: module(&path).to_owned(),
        method,
        file,
        line: found["line"].parse().ok(),
        path,
        ..ParsedFrame::default()
    })
}

/// Whether a file is of Python itself or of an installed package.
pub(super) fn is_installed(path: &str) -> bool {
    path.starts_with('<') || in_library(path).is_some()
}

/// Returns the part of a path that lies in the directory of a library.
fn in_library(path: &str) -> Option<&str> {
    let mut start = 0;
    let mut before = "";
    let mut inside = None;
    for component in path.split('/') {
        start += component.len() + 1;
        let is_of_python = component.starts_with("python3") && matches!(before, "lib" | "lib64");
        if is_of_python || PACKAGES.contains(&component) {
            inside = path.get(start..);
        }
        before = component;
    }
    inside
}

/// Returns the name by which frames of a file are told apart: the package of a library, or the module.
fn module(path: &str) -> &str {
    let within = in_library(path).unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path));
    let first = within.split('/').next().unwrap_or(within);
    first.strip_suffix(".py").unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_trace;
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let one = |trace: &ParsedTrace| {
            let frame = |frame: &ParsedFrame| {
                let times = if frame.repeats > 0 { format!(" +{}", frame.repeats) } else { String::new() };
                let code = if frame.code.is_empty() { String::new() } else { format!(" `{}`", frame.code) };
                format!("{}:{} {}{code}{times}", frame.path, frame.line.unwrap_or(0), frame.method)
            };
            let frames: Vec<String> = trace.frames.iter().map(frame).collect();
            format!("{:?} {}|{}|{}", trace.relation, trace.error_type, trace.message, frames.join(", "))
        };
        parse_trace(text).iter().map(one).collect()
    }

    const CHAIN: &str = "Traceback (most recent call last):\n  File \"/app/shop/till.py\", line 14, in take\n    return \
        self.stock[isbn]\n           ~~~~~~~~~~^^^^^^\nKeyError: '1'\n\nThe above exception was the direct cause of the following \
        exception:\n\nTraceback (most recent call last):\n  File \"/app/main.py\", line 4, in <module>\n    Till({}).take(\"1\")\n  \
        File \"/app/shop/till.py\", line 16, in take\n    raise OutOfStock(isbn) from error\nshop.till.OutOfStock: no 1\nin the \
        shelf\n2026-11-27 INFO restarted\n";

    #[test]
    fn the_exception_that_a_chain_began_with_is_the_cause() {
        let expected = [
            "First shop.till.OutOfStock|no 1\nin the shelf|/app/shop/till.py:16 take `raise OutOfStock(isbn) from error`, \
             /app/main.py:4 <module> `Till({}).take(\"1\")`",
            "Cause KeyError|'1'|/app/shop/till.py:14 take `return self.stock[isbn]`",
        ];
        assert_eq!(shown(CHAIN), expected);
        assert_eq!(shown(&CHAIN.replace('\n', "\r\n")), expected);
        let quoted: String = CHAIN.lines().map(|line| format!("> {line}\n")).collect();
        assert_eq!(shown(&quoted)[1], expected[1]);
    }

    #[test]
    fn whatever_is_cut_off_no_frame_has_another_line() {
        for at in (0..CHAIN.len()).filter(|at| CHAIN.is_char_boundary(*at)) {
            for part in [&CHAIN[..at], &CHAIN[at..]] {
                for trace in parse_trace(part) {
                    for frame in &trace.frames {
                        let place = (frame.path.as_str(), frame.line.unwrap_or(0));
                        assert!(
                            [("/app/shop/till.py", 14), ("/app/shop/till.py", 16), ("/app/main.py", 4)]
                                .contains(&place),
                            "cut at {at}: {frame:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn repetitions_syntax_errors_and_groups() {
        let frame =
            "  File \"/app/a.py\", line 30, in deep\n    return deep(n + 1)\n           ^^^^^^^^^^^\n";
        let deep = format!(
            "Traceback (most recent call last):\n{frame}{frame}{frame}  [Previous line repeated 996 more times]\nRecursionError: \
             maximum recursion depth exceeded\n"
        );
        let expected = "First RecursionError|maximum recursion depth exceeded|/app/a.py:30 deep `return deep(n + 1)` +998";
        assert_eq!(shown(&deep), [expected]);
        assert_eq!(
            shown("  File \"/app/bad.py\", line 1\n    x =\n       ^\nSyntaxError: invalid syntax\n"),
            ["First SyntaxError|invalid syntax|/app/bad.py:1  `x =`"]
        );
        let group = "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/a.py\", line 3, in f\n  |     raise \
            g\n  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent \
            call last):\n    |   File \"/app/a.py\", line 1, in g\n    |     raise e\n    | ValueError: a\n    \
            +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    |   File \"/app/a.py\", line 2, in \
            h\n    | KeyError: 'b'\n    +------------------------------------\n";
        assert_eq!(
            shown(group),
            [
                "First ExceptionGroup|many (2 sub-exceptions)|/app/a.py:3 f `raise g`",
                "Cause KeyError|'b'|/app/a.py:2 h",
                "Cause ValueError|a|/app/a.py:1 g `raise e`",
            ]
        );
    }

    #[test]
    fn files_of_libraries_have_the_names_of_their_packages() {
        for (path, name, is_foreign) in [
            ("/usr/lib/python3.11/json/decoder.py", "json", true),
            ("/usr/lib/python3.11/threading.py", "threading", true),
            ("/app/.venv/lib/python3.11/site-packages/django/db/models.py", "django", true),
            ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>", true),
            ("/app/shop/till.py", "till", false),
            ("/app/python3/till.py", "till", false),
        ] {
            assert_eq!((module(path), is_installed(path)), (name, is_foreign), "{path}");
        }
    }
}
