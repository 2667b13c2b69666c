//! Reads the throwables, threads and frames in the lines of one source. Invariant: every other line is left out, or belongs to a
//! throwable's message.

use std::sync::LazyLock;

use regex::Regex;

use super::frames_of_services::{frame_of_debugger, frame_of_service};
use super::lines::begins_log_line;
use super::parse::{FrameNumber, MAX_MESSAGE_LINES, ParsedFrame, ParsedTrace, TraceRelation, path_of};
use super::root_cause_first::{ReadThrowable, outermost_first};
use super::tombstone::{TombstoneLine, native_frame, tombstone_line};

static HEADER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"^\s*(?:=> )?(?:Exception in thread "(?P<thread>[^"]*)"\s+|(?:Non-f|F)atal Exception: |Uncaught Kotlin exception: |Exception |(?P<cause>Caused by:? )|"#,
        r"(?P<wrapper>Wrapped by: )|(?P<suppressed>Suppressed: )|\[CIRCULAR REFERENCE: ?)?",
        r"(?P<type>[A-Za-z_][\w$]*(?:\.[\w$]+)*)(?:: ?(?P<message>.*)|\s*)$"
    ))
    .ok()
});

/// What stands before the class in the head of a throwable that is linked to the one before.
pub(super) const LINKS: [&str; 3] = ["Caused by: ", "Suppressed: ", "Wrapped by: "];

/// The class and the message of the throwable whose frames are those of the other process that threw the one before.
const REMOTE: (&str, &str) = ("android.os.RemoteException", "Remote stack trace:");

/// What may stand before the class in a head.
const HEADS: [&str; 9] = [
    // The report of JUnit's console.
    "=> ",
    "Uncaught Kotlin exception",
    "Exception ",
    "Non-fatal Exception",
    "Fatal Exception",
    "Caused by",
    "Wrapped by",
    "Suppressed",
    "[CIRCULAR",
];

/// `java.lang.AssertionError at TillTest.kt:12`, as Gradle prints failed tests.
static SHORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?P<cause>Caused by: )?(?P<type>[A-Za-z_][\w$]*(?:\.[\w$]+)+) at (?P<file>[\w$-]+\.(?:kt|kts|java)):(?P<line>\d+)\s*$")
        .ok()
});

static THREAD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^"(?P<name>[^"]*)".*\b(?:prio|tid|sysTid|nid)=?"#).ok());

/// The number by which Android's other threads name one.
static THREAD_NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\btid=(\d+)\b").ok());

/// A coroutine of the debug agent's dump: `Coroutine "coroutine#2":StandaloneCoroutine{Active}@5f2e, state: SUSPENDED`.
static COROUTINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^Coroutine (?:"(?P<name>[^"]+)":)?(?P<object>[^,"]*), state: [A-Z]+"#).ok()
});

/// The longest name of a class without a package that is taken for a throwable, in bytes.
const MAX_OBFUSCATED: usize = 3;

/// The longest name of a thread, in bytes.
const MAX_THREAD_NAME: usize = 100;

/// How the names of most throwables end.
const THROWABLE_ENDS: [&str; 4] = ["Exception", "Error", "Throwable", "Failure"];

/// A throwable that a log line ends with: `12:00:01 ERROR [main] till - failed: java.io.IOException: x`.
static LOGGED_THROWABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"^.*?[\s:=>"'\]](?P<type>[a-z_][\w$]*(?:\.[\w$]+)*\.[\w$]*(?:Exception|Error|Throwable|Failure))"#,
        r"(?:: ?(?P<message>.*)|\s*)$"
    ))
    .ok()
});

/// The same with a class of any name.
static LOGGED_CLASS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^.*?(?:: | - |, )(?P<type>(?:[a-z_][\w$]*\.)+[A-Z][\w$]*)(?:: ?(?P<message>.*)|\s*)$").ok()
});

/// Returns the throwables and threads of the lines, in their order.
pub(super) fn throwables(lines: &[String]) -> Vec<ParsedTrace> {
    let mut reader = ThrowableReader::default();
    lines.iter().for_each(|line| reader.take(line));
    outermost_first(reader.finish())
}

#[derive(Default)]
struct ThrowableReader {
    all: Vec<ReadThrowable>,
    /// What may be the head of the frames that follow.
    head: Option<TraceHead>,
    nesting: Nesting,
}

impl ThrowableReader {
    fn take(&mut self, line: &str) {
        let trimmed = line.trim();
        if let Some(count) = omitted(trimmed) {
            // All frames of a throwable may be those of the one before.
            if let Some(head) = self.head.take_if(|head| head.trace.relation != TraceRelation::First) {
                self.add(head);
            }
            if let Some(last) = self.all.last_mut() {
                last.trace.omitted = count;
            }
        } else if let Some(short) = short(line) {
            self.head = None;
            self.add(TraceHead::sure(short, column(line)));
        } else if let Some(frame) = known_frame(trimmed).or_else(|| self.of_default_package(trimmed)) {
            self.frame(frame);
        } else if let Some(found) = tombstone_line(trimmed).filter(|found| self.is_of_tombstone(found)) {
            self.tombstone(found, column(line));
        } else if self.is_of_lock(trimmed) {
            // It is kept with its thread.
        } else if let Some((name, strength)) = self.thread(trimmed) {
            let mut trace = ParsedTrace { thread: name.to_owned(), ..ParsedTrace::default() };
            let number = THREAD_NUMBER.as_ref().and_then(|number| number.captures(trimmed));
            trace.locks.number = number.and_then(|found| found[1].parse().ok());
            self.add_cut_off();
            self.head = Some(TraceHead { strength, ..TraceHead::sure(trace, column(line)) });
        } else if let Some(found) = header(line).or_else(|| logged(line)).filter(|found| {
            // A line of a message is no head, however it looks.
            found.strength == HeadStrength::Sure || !self.has_sure_head() || begins_log_line(line)
        }) {
            self.add_cut_off();
            self.head = Some(found);
        } else {
            self.further(trimmed);
        }
    }

    /// Returns the name of the thread whose frames follow, if a line is the head of one.
    fn thread<'l>(&self, line: &'l str) -> Option<(&'l str, HeadStrength)> {
        if let Some(found) = THREAD.as_ref()?.captures(line) {
            return Some((found.name("name")?.as_str(), HeadStrength::Sure));
        }
        if let Some(found) = COROUTINE.as_ref().and_then(|coroutine| coroutine.captures(line)) {
            return Some((found.name("name").or(found.name("object"))?.as_str(), HeadStrength::Sure));
        }
        // HotSpot's report of a deadlock.
        if let Some(name) = line.strip_prefix('"').and_then(|line| line.strip_suffix("\":")) {
            return (!name.contains('"')).then_some((name, HeadStrength::IfFrameFollows));
        }
        // A line of a message may end with a colon, too.
        let may_be = self.head.is_none() && !self.all.is_empty();
        thread_of_report(line).filter(|_| may_be).map(|name| (name, HeadStrength::IfFrameFollows))
    }

    /// Returns the frame of a debugger that names no package, which only the frame before tells from other text.
    fn of_default_package(&self, line: &str) -> Option<ParsedFrame> {
        let is_beneath_frame = self.head.is_none() && !self.all.is_empty();
        frame_of_debugger(line).filter(|_| is_beneath_frame)
    }

    /// Takes a line about a lock, beneath a frame.
    fn is_of_lock(&mut self, line: &str) -> bool {
        let last = self.all.last_mut().filter(|_| self.head.is_none());
        last.is_some_and(|last| last.trace.locks.take(line))
    }

    fn is_in_tombstone(&self) -> bool {
        self.head.as_ref().is_some_and(|head| head.strength == HeadStrength::OfTombstone)
    }

    /// Whether a line is one of a native crash; other reports have lines that begin with `Cause:`, too.
    fn is_of_tombstone(&self, line: &TombstoneLine) -> bool {
        self.is_in_tombstone() || !matches!(line, TombstoneLine::Reason(_))
    }

    fn tombstone(&mut self, line: TombstoneLine, column: usize) {
        if !self.is_in_tombstone()
            || matches!(line, TombstoneLine::Process { .. } | TombstoneLine::Fatal { .. })
        {
            self.add_cut_off();
            let strength = HeadStrength::OfTombstone;
            self.head = Some(TraceHead { strength, ..TraceHead::sure(ParsedTrace::default(), column) });
        }
        let Some(TraceHead { trace, .. }) = &mut self.head else { return };
        match line {
            TombstoneLine::Process { thread } => trace.thread = thread,
            TombstoneLine::Signal { name, message } => {
                trace.error_type = name;
                trace.message = message;
            }
            TombstoneLine::Fatal { thread, name, message } => {
                *trace = ParsedTrace { thread, error_type: name, message, ..ParsedTrace::default() };
            }
            TombstoneLine::Reason(reason) => trace.message.extend(["\n", &reason]),
        }
    }

    fn has_sure_head(&self) -> bool {
        self.head
            .as_ref()
            .is_some_and(|head| matches!(head.strength, HeadStrength::Sure | HeadStrength::OfTombstone))
    }

    fn frame(&mut self, frame: ParsedFrame) {
        match (self.head.take(), self.all.last_mut()) {
            (Some(mut head), _) => {
                head.trace.frames.push(frame);
                self.add(head);
            }
            (None, Some(last)) => last.trace.frames.push(frame),
            (None, None) => {
                let trace = ParsedTrace { frames: vec![frame], ..ParsedTrace::default() };
                self.add(TraceHead::sure(trace, 0));
            }
        }
    }

    /// Takes a line that may be one of the head's message.
    fn further(&mut self, line: &str) {
        let Some(head) = self.head.as_mut() else { return };
        if line.is_empty() {
            head.paragraph.get_or_insert(head.trace.message.len());
            return;
        }
        let has_room = head.trace.message.lines().count() < MAX_MESSAGE_LINES;
        let is_logged = begins_log_line(line);
        match head.strength {
            // Registers.
            HeadStrength::OfTombstone => {}
            HeadStrength::IfFrameFollows => self.head = None,
            HeadStrength::IfFramesFollow if !has_room || is_logged => self.head = None,
            _ if head.trace.error_type.is_empty() || !has_room || is_logged => {}
            // Crashlytics' page shows the message beneath the class.
            _ if head.trace.message.is_empty() => head.trace.message.push_str(line),
            _ => head.trace.message.extend(["\n", line]),
        }
    }

    fn add(&mut self, head: TraceHead) {
        let TraceHead { trace, is_wrapper, column, .. } = head;
        let relation = self.nesting.relation(trace.relation, column);
        let depth = self.nesting.suppressed.len();
        self.all.push(ReadThrowable { trace: ParsedTrace { relation, ..trace }, depth, is_wrapper });
    }

    /// Adds the head if it is that of a link of a chain, or of a native crash, without frames: they were cut off, or the throwable has none.
    fn add_cut_off(&mut self) {
        let is_kept = |head: &mut TraceHead| {
            let is_crash = head.strength == HeadStrength::OfTombstone && !head.trace.error_type.is_empty();
            is_crash || head.trace.relation != TraceRelation::First
        };
        if let Some(mut head) = self.head.take_if(is_kept) {
            // What follows an empty line is known to be of a message only if frames follow.
            head.trace.message.truncate(head.paragraph.unwrap_or(usize::MAX));
            self.add(head);
        }
    }

    fn finish(mut self) -> Vec<ReadThrowable> {
        self.add_cut_off();
        self.all
    }
}

/// The columns of a chain's suppressed throwables, of which each holds those that stand as far to the right: Java indents
/// what belongs to a suppressed one. Where the indentation was lost, none holds another.
#[derive(Default)]
struct Nesting {
    /// The column of what begins the chain.
    first: usize,
    /// Each further to the right than the one before.
    suppressed: Vec<usize>,
}

impl Nesting {
    /// Returns the relation of the next throwable, which calls itself `said`.
    fn relation(&mut self, said: TraceRelation, column: usize) -> TraceRelation {
        match said {
            TraceRelation::First => *self = Nesting { first: column, suppressed: Vec::new() },
            TraceRelation::Remote => {}
            TraceRelation::Suppressed => {
                self.suppressed.truncate(self.suppressed.partition_point(|&of| of < column));
                self.suppressed.extend((column > self.first).then_some(column));
            }
            TraceRelation::Cause | TraceRelation::CauseOfSuppressed => {
                self.suppressed.truncate(self.suppressed.partition_point(|&of| of <= column));
                if !self.suppressed.is_empty() {
                    return TraceRelation::CauseOfSuppressed;
                }
            }
        }
        said
    }
}

fn column(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// What may be the head of a trace.
struct TraceHead {
    trace: ParsedTrace,
    strength: HeadStrength,
    /// Whether it calls itself the wrapper of the throwable before.
    is_wrapper: bool,
    /// The bytes before it.
    column: usize,
    /// The length of the message before the first empty line, in bytes.
    paragraph: Option<usize>,
}

impl TraceHead {
    fn sure(trace: ParsedTrace, column: usize) -> TraceHead {
        TraceHead { trace, strength: HeadStrength::Sure, is_wrapper: false, column, paragraph: None }
    }
}

/// How sure it is that a line is the head of a trace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadStrength {
    Sure,
    /// A native crash, with lines of its own.
    OfTombstone,
    /// If frames follow, after the lines of a message at most.
    IfFramesFollow,
    /// If a frame follows at once.
    IfFrameFollows,
}

/// Returns the message of a line that may be the head of a trace.
pub(super) fn message_of_head(line: &str) -> Option<String> {
    Some(header(line)?.trace.message)
}

/// Whether a line begins as a head does: most lines of a log do not, and need no pattern.
fn may_be_header(line: &str) -> bool {
    let line = line.trim_start();
    if HEADS.iter().any(|head| line.starts_with(head)) {
        return true;
    }
    let end = line.find(|c: char| !c.is_alphanumeric() && c.is_ascii() && !"_$.".contains(c));
    let rest = end.map_or("", |end| &line[end..]);
    !line.starts_with(|c: char| c.is_ascii_digit()) && (rest.starts_with(':') || rest.trim_start().is_empty())
}

fn header(line: &str) -> Option<TraceHead> {
    let found = HEADER.as_ref().filter(|_| may_be_header(line))?.captures(line)?;
    let error_type = &found["type"];
    let simple = error_type.rsplit('.').next().unwrap_or(error_type);
    let said = line[..found.name("type")?.start()].trim();
    let is_said = !said.is_empty();
    // Crashlytics writes no colon; a sentence may begin in the same way.
    if said == "Caused by" && !error_type.contains('.') {
        return None;
    }
    // The rest of a frame that was cut in two, `talog.kt:30)`.
    if matches!(simple, "kt" | "kts" | "java") {
        return None;
    }
    let has_known_end = THROWABLE_ENDS.iter().any(|end| simple.ends_with(end));
    let has_package = error_type.contains('.');
    // Any class may be a throwable: with another name it is one if frames follow. Other words with dots are hosts or loggers.
    let strength = match (is_said || has_known_end && has_package, simple.starts_with(char::is_uppercase)) {
        (true, _) => HeadStrength::Sure,
        (false, true) if has_package => HeadStrength::IfFramesFollow,
        (false, _) => HeadStrength::IfFrameFollows,
    };
    // An obfuscated class may have no package, and services leave it out.
    let is_obfuscated = simple.len() <= MAX_OBFUSCATED && found.name("message").is_some();
    let is_compound = simple.chars().filter(|c| c.is_uppercase()).count() > 1
        && simple.contains(char::is_lowercase)
        && found.name("message").is_some();
    let is_simple = (has_known_end || is_compound) && simple.starts_with(char::is_uppercase);
    if strength != HeadStrength::Sure && !has_package && !is_obfuscated && !is_simple {
        return None;
    }
    let is_wrapper = found.name("wrapper").is_some();
    let relation = match (found.name("cause").or(found.name("wrapper")), found.name("suppressed")) {
        (Some(_), _) => TraceRelation::Cause,
        (_, Some(_)) => TraceRelation::Suppressed,
        (None, None) => TraceRelation::First,
    };
    let text = |name: &str| found.name(name).map_or("", |found| found.as_str()).trim().to_owned();
    let message = text("message");
    // Android's `Parcel` links the frames of the other process as a cause.
    let is_remote =
        relation == TraceRelation::Cause && error_type == REMOTE.0 && message.trim_end() == REMOTE.1;
    let (relation, message) =
        if is_remote { (TraceRelation::Remote, String::new()) } else { (relation, message) };
    let trace = ParsedTrace {
        error_type: error_type.to_owned(),
        message,
        relation,
        thread: text("thread"),
        ..ParsedTrace::default()
    };
    Some(TraceHead { strength, is_wrapper, ..TraceHead::sure(trace, column(line)) })
}

/// Returns the name of a thread as Crashlytics writes it: `OkHttp ConnectionPool:` or `#1. main: 0 0 0x0000000000000000`.
fn thread_of_report(line: &str) -> Option<&str> {
    let numbered = line.strip_prefix('#').and_then(|line| line.split_once(". "));
    let name = match numbered {
        Some((_, rest)) => rest.split_once(": 0 0 0x")?.0.trim_start_matches("Crashed: "),
        None => line.strip_suffix(':')?,
    };
    let last = name.rsplit('.').next().unwrap_or(name);
    // A throwable whose message ends with a colon: `Caused by: android.os.RemoteException: Remote stack trace:`.
    if LINKS.iter().any(|link| line.starts_with(link)) && message_of_head(line).is_some() {
        return None;
    }
    // A throwable with an empty message.
    let said = LINKS.iter().chain(&["Exception "]).find_map(|said| name.strip_prefix(said));
    let is_class =
        name.contains('.') && last.starts_with(char::is_uppercase) && !said.unwrap_or(name).contains(' ');
    (!is_class && !name.trim().is_empty() && name.len() <= MAX_THREAD_NAME).then_some(name)
}

/// Reads the throwable that a log line ends with.
fn logged(line: &str) -> Option<TraceHead> {
    let of_known_end =
        LOGGED_THROWABLE.as_ref().filter(|_| THROWABLE_ENDS.iter().any(|end| line.contains(end)));
    let found = of_known_end.and_then(|pattern| pattern.captures(line));
    let (found, strength) = match found {
        Some(found) => (found, HeadStrength::IfFramesFollow),
        None => {
            let pattern = LOGGED_CLASS.as_ref().filter(|_| may_end_with_class(line))?;
            (pattern.captures(line)?, HeadStrength::IfFrameFollows)
        }
    };
    let message = found.name("message").map_or("", |message| message.as_str()).trim();
    let trace = ParsedTrace {
        error_type: found["type"].to_owned(),
        message: message.to_owned(),
        ..ParsedTrace::default()
    };
    Some(TraceHead { strength, ..TraceHead::sure(trace, column(line)) })
}

/// Whether a name with a dot stands behind `: `, ` - ` or `, `.
fn may_end_with_class(line: &str) -> bool {
    let mut starts = [": ", " - ", ", "].into_iter().flat_map(|before| {
        memchr::memmem::find_iter(line.as_bytes(), before).map(move |at| at + before.len())
    });
    starts.any(|start| {
        let mut names =
            line[start..].split(|c: char| c.is_ascii() && !c.is_alphanumeric() && !"_$.".contains(c));
        let name = names.next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && name.contains('.')
    })
}

fn short(line: &str) -> Option<ParsedTrace> {
    let found = SHORT.as_ref().filter(|_| line.contains(" at "))?.captures(line)?;
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

/// `... 12 more`; chats make one character of the dots.
fn omitted(line: &str) -> Option<usize> {
    let said = line.strip_prefix("...").or_else(|| line.strip_prefix('…'))?.trim();
    let count = ["more", "common frames omitted"].iter().find_map(|end| said.strip_suffix(end))?;
    count.trim().parse().ok()
}

/// The frame of a method of which Play Console knows no place: `java.lang.reflect.Method.invoke`.
fn without_place(name: &str) -> Option<ParsedFrame> {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '<'))
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '<' | '>' | '-'))
    };
    let (class, method) = name.rsplit_once('.')?;
    let is_frame = class.contains('.')
        && name.split('.').all(is_name)
        // A sentence may end with a class.
        && !method.starts_with(char::is_uppercase);
    let frame = ParsedFrame { class: class.to_owned(), method: method.to_owned(), ..ParsedFrame::default() };
    is_frame.then_some(frame)
}

/// Returns the frame that a line is in any form.
fn known_frame(line: &str) -> Option<ParsedFrame> {
    frame_of_service(line).or_else(|| frame(line)).or_else(|| native_frame(line))
}

/// `at a.B.c(B.kt:12)`, also without "at" and with a blank before the parenthesis.
fn frame(line: &str) -> Option<ParsedFrame> {
    let (said, rest) = match line.strip_prefix("at ").or_else(|| line.strip_prefix("• at ")) {
        Some(rest) => (true, rest.trim()),
        None => (false, line),
    };
    // What some tools append: `[app:1.2]`, ` ~[classes/:?]`, App Center's `;`, IntelliJ's ` <4 internal calls>`; the end of a quote.
    let rest = match rest.rfind(')') {
        Some(end) if rest[end + 1..].trim_start().starts_with(['[', '~', ';', '<', '"', '”', '\'']) => {
            &rest[..=end]
        }
        _ => rest,
    };
    let Some(inner) = rest.strip_suffix(')') else {
        return if said { without_place(rest) } else { None };
    };
    let (name, place) = inner.rsplit_once('(')?;
    let name = name.trim_end();
    // Class loader and module: `app//`, `java.base@17/`.
    let (class, method) = match name.rsplit_once('/').filter(|(module, _)| !module.contains(' ')) {
        // `$$Lambda$14/0x0000000800c03000.run`
        Some((class, hidden)) if hidden.starts_with("0x") => {
            let class = class.rsplit_once('/').map_or(class, |(_, class)| class);
            (class, hidden.split_once('.')?.1)
        }
        Some((_, name)) => name.rsplit_once('.')?,
        None => name.rsplit_once('.')?,
    };
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (file, line.trim().parse().ok()),
        None => (place, None),
    };
    let is_file = [".kt", ".kts", ".java", ".groovy", ".scala"].iter().any(|end| file.ends_with(end));
    let is_known =
        is_file || matches!(file, "Native Method" | "Native method" | "Unknown Source" | "SourceFile" | "");
    // A function's name may have blanks, and then that of a lambda's class in it.
    let is_class = !class.is_empty() && !class.split('$').next()?.contains(char::is_whitespace);
    if !is_class || method.is_empty() || !(is_known || said) || (!said && !is_file) {
        return None;
    }
    let (directory, file_name) = file.split_at(file.rfind('/').map_or(0, |slash| slash + 1));
    Some(ParsedFrame {
        class: class.to_owned(),
        method: method.to_owned(),
        file: if is_file { file_name.to_owned() } else { String::new() },
        file_path: if is_file { path_of(directory, file_name) } else { String::new() },
        line,
        number: match file {
            "Unknown Source" => FrameNumber::Offsets,
            _ => FrameNumber::SourceLines,
        },
        map_id: file.strip_prefix("r8-map-id-").map(str::to_owned),
        ..ParsedFrame::default()
    })
}
