//! Reads the throwables and frames of a trace as people paste it. Invariant: any text can be read; what is no trace is
//! left out.

use std::sync::LazyLock;

use regex::Regex;

use super::anr::tell_reason;
use super::hotspot_report;
use super::json_frames;
use super::lines::streams;
use super::locks::{ThreadLocks, tell_holders};
use super::platform::FramePlatform;
use super::python::tracebacks;
use super::surefire::failures;
use super::throwables::throwables;

/// A throwable or a thread with its frames.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
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
    /// What a thread of a dump says of locks.
    pub locks: ThreadLocks,
}

/// What a throwable is to the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TraceRelation {
    /// It begins a trace.
    #[default]
    First,
    /// It caused the one before.
    Cause,
    /// It was thrown while the one before was.
    Suppressed,
    /// It caused one that was suppressed, not the one that the trace is about.
    CauseOfSuppressed,
    /// It is the one before, with its frames in the other process that threw it.
    Remote,
}

/// One frame, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ParsedFrame {
    /// The class with its package, `$` before nested ones; of Python the module or the library; empty where only a file is
    /// named.
    pub class: String,
    /// Whether the text names classes without their packages.
    pub is_without_package: bool,
    /// The method; empty where only a file is named.
    pub method: String,
    /// The file's name; empty if it is unknown.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// What that number counts.
    pub number: FrameNumber,
    /// The platform of its program.
    pub platform: FramePlatform,
    /// The identity of R8's mapping that stands in place of the file: `r8-map-id-1a2b3c`.
    pub map_id: Option<String>,
    /// What else the frame may be, by an ambiguous mapping.
    pub alternatives: Vec<ParsedFrame>,
    /// The first and the last line that a mapping has for the method, where they are the source's own.
    pub mapped_lines: Option<(usize, usize)>,
    /// Whether the compiler made the method, by a mapping: the build keeps lines, and the frame has none.
    pub is_made: bool,
    /// The file's path with `/`, where a frame of the JVM or a place alone names more than the file.
    pub file_path: String,
    /// Why its place is not sure even if it seems so: another mapping reads it differently, or it has no line.
    pub reading_doubt: Option<String>,
    /// The file's path with `/`, as Python writes it; empty for other frames.
    pub path: String,
    /// The line of source, as Python writes it.
    pub code: String,
    /// The library, or the file of compiled classes, of a frame of a native crash; empty for other frames.
    pub library: String,
    /// How many more times it stands there than is written.
    pub repeats: usize,
}

/// What the number of a frame counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrameNumber {
    /// Lines of the source.
    #[default]
    SourceLines,
    /// Offsets in the method's bytecode, which Android prints behind `Unknown Source` where it knows no line.
    Offsets,
}

impl ParsedFrame {
    /// Returns the line of the source, from 1; `None` for a line of R8's, which only its mapping gives back.
    pub(super) fn source_line(&self) -> Option<usize> {
        let is_source = self.number == FrameNumber::SourceLines && self.map_id.is_none();
        self.line.filter(|line| *line > 0 && is_source)
    }

    /// Whether it is a frame of machine code that no class was compiled to.
    pub fn is_native(&self) -> bool {
        !self.library.is_empty() && self.class.is_empty()
    }
}

/// Maximum number of lines of a message that are kept.
pub(super) const MAX_MESSAGE_LINES: usize = 20;

/// A place alone: `Till.kt:12`.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s(/])(?P<directory>/?(?:[\w.@+~-]+/)*)(?P<file>[A-Za-z_][\w$-]*\.(?:kt|kts|java)):(?P<line>\d+)\b").ok()
});

/// Returns the traces of a text; that of a crash comes before those of other threads.
pub fn parse_trace(text: &str) -> Vec<ParsedTrace> {
    let printed = json_frames::printed(text);
    let text = printed.as_deref().unwrap_or(text);
    let mut all = Vec::new();
    if let Some(crash) = hotspot_report::read(text) {
        let is_whole = !crash.frames.is_empty();
        all.push(crash);
        // What else it lists of the process is no trace.
        if is_whole {
            return all;
        }
    }
    for stream in streams(text) {
        let (of_python, others) = tracebacks(&stream.lines);
        all.extend(of_python);
        all.extend(throwables(&others));
    }
    if all.is_empty() {
        let failures = failures(text);
        if !failures.is_empty() {
            return failures;
        }
        all.extend(places_alone(text));
    }
    leave_out_announced(&mut all);
    doubt_cut_frame(text, &mut all);
    tell_reason(text, &mut all);
    // Stable: causes stay behind what they caused.
    let has_error = all.iter().any(|trace: &ParsedTrace| !trace.error_type.is_empty());
    if has_error {
        all.sort_by_key(|trace| trace.error_type.is_empty());
    } else {
        all.sort_by_key(|trace| trace.thread != "main");
    }
    tell_holders(&mut all);
    all
}

/// Doubts the frame without a place in which a text ends: more of its name may have been cut off.
fn doubt_cut_frame(text: &str, all: &mut [ParsedTrace]) {
    let frames = all.iter_mut().flat_map(|trace| &mut trace.frames);
    for frame in frames.filter(|frame| frame.file.is_empty() && frame.path.is_empty() && !frame.is_native()) {
        let name = format!("{}.{}", frame.class, frame.method);
        if !frame.method.is_empty() && text.ends_with(&name) && frame.reading_doubt.is_none() {
            frame.reading_doubt = Some("the text ends in this frame, and its name may be cut".to_owned());
        }
    }
}

/// Leaves out what a process logged of its signal if the text has the frames of that crash, too: another process writes those.
fn leave_out_announced(all: &mut Vec<ParsedTrace>) {
    let crashes: Vec<(String, String)> = all
        .iter()
        .filter(|trace| trace.frames.iter().any(ParsedFrame::is_native))
        .map(|trace| (trace.error_type.clone(), trace.thread.clone()))
        .collect();
    // The process's name is cut to 15 bytes in the one, and whole in the other.
    let is_same = |announced: &str, thread: &str| {
        // Older lines name no process.
        let (own, process) = announced.split_once(" of ").unwrap_or((announced, ""));
        let (of_crash, whole) = thread.split_once(" of ").unwrap_or((thread, ""));
        own == of_crash && whole.ends_with(process)
    };
    all.retain(|trace| {
        let is_announced = trace.frames.is_empty() && trace.error_type.starts_with("SIG");
        !is_announced
            || !crashes
                .iter()
                .any(|(name, thread)| *name == trace.error_type && is_same(&trace.thread, thread))
    });
}

/// Returns the path of a file; none if only its name is known.
pub(super) fn path_of(directory: &str, file: &str) -> String {
    if directory.is_empty() { String::new() } else { format!("{directory}{file}") }
}

/// Returns the places that a text without any trace names.
fn places_alone(text: &str) -> Option<ParsedTrace> {
    let place = PLACE.as_ref()?;
    let frames: Vec<ParsedFrame> = place
        .captures_iter(text)
        .map(|found| ParsedFrame {
            file: found["file"].to_owned(),
            file_path: path_of(&found["directory"], &found["file"]),
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
    fn the_cause_of_a_suppressed_throwable_is_another() {
        let text = "a.Outer: x\n\tat a.B.c(B.kt:3)\n\tSuppressed: a.Closing: y\n\t\tat a.B.d(B.kt:4)\n\tCaused by: a.Socket\n\t\tat \
                    a.B.e(B.kt:5)\n\t\tSuppressed: a.Deep\n\t\t\tat a.B.f(B.kt:6)\nCaused by: a.Root\n\tat a.B.g(B.kt:7)\n";
        let kinds = |text: &str| -> Vec<String> {
            parse_trace(text).iter().map(|one| format!("{:?} {}", one.relation, one.error_type)).collect()
        };
        let expected = [
            "First a.Outer",
            "Suppressed a.Closing",
            "CauseOfSuppressed a.Socket",
            "Suppressed a.Deep",
            "Cause a.Root",
        ];
        assert_eq!(kinds(text), expected);
        // In a report, all lines stand further to the right.
        let indented: String = text.lines().map(|line| format!("    {line}\n")).collect();
        assert_eq!(kinds(&indented), expected);
        // Where a chat removed the indentation, the order alone counts.
        let flat: String = text.lines().map(|line| format!("{}\n", line.trim_start())).collect();
        assert_eq!(kinds(&flat)[2], "Cause a.Socket");
    }

    #[test]
    fn throwables_without_frames_are_links_of_their_chain() {
        // kotlinx.coroutines gives it no frames.
        let suppressed = "\tSuppressed: k.DiagnosticCoroutineContextException: [StandaloneCoroutine{Cancelling}@5f2e, Dispatchers.Main]\n";
        let context = "k.DiagnosticCoroutineContextException|[StandaloneCoroutine{Cancelling}@5f2e, Dispatchers.Main]||0";
        let crash = "a.Gone: x\n\tat a.B.c(B.kt:3)\n";
        assert_eq!(
            shown(&format!("{crash}{suppressed}Caused by: a.Root: y\n\tat a.D.e(D.kt:4)\n")),
            [
                "First a.Gone|x|a.B.c B.kt:3|0".to_owned(),
                format!("Suppressed {context}"),
                "Cause a.Root|y|a.D.e D.kt:4|0".to_owned()
            ]
        );
        assert_eq!(
            shown(&format!("{crash}Caused by: a.Lost: z\n{suppressed}\nThat was all.\n")),
            [
                "First a.Gone|x|a.B.c B.kt:3|0".to_owned(),
                "Cause a.Lost|z||0".to_owned(),
                format!("Suppressed {context}")
            ]
        );
    }

    // https://android.googlesource.com/platform/frameworks/base/+/refs/heads/main/core/java/android/os/Parcel.java
    #[test]
    fn frames_of_another_process_are_no_cause() {
        let text = "a.Outer: x\n\tat a.B.c(B.kt:3)\nCaused by: java.lang.SecurityException: no\n\tat android.os.Parcel.readException(Parcel.java:9)\nCaused by: \
                    android.os.RemoteException: Remote stack trace:\n\tat com.android.server.D.e(D.java:4)\n\tat com.android.server.D.f(D.java:5)\n";
        let crash = [
            "First a.Outer|x|a.B.c B.kt:3|0",
            "Cause java.lang.SecurityException|no|android.os.Parcel.readException Parcel.java:9|0",
            "Remote android.os.RemoteException||com.android.server.D.e D.java:4,com.android.server.D.f D.java:5|0",
        ];
        assert_eq!(shown(text), crash);
        let log: String = text
            .lines()
            .map(|line| format!("01-05 12:34:56.789  4711  4711 E AndroidRuntime: {line}\n"))
            .collect();
        assert_eq!(shown(&log), crash);
        // Any other message may end with a colon, too.
        let text = "a.Outer: x\n\tat a.B.c(B.kt:3)\nCaused by: a.Gone: these:\n\tat a.D.e(D.kt:4)\n";
        assert_eq!(shown(text)[1], "Cause a.Gone|these:|a.D.e D.kt:4|0");
    }

    #[test]
    fn frames_that_intellij_copies() {
        let text = "take:30, Catalog (shop.core)\ninvoke:-1, Catalog$Companion$of$1 (shop.core)\nrun:1583, Thread (java.lang)\nmain:6, MainKt\n";
        let frames = "shop.core.Catalog.take :30,shop.core.Catalog$Companion$of$1.invoke :0,java.lang.Thread.run :1583,MainKt.main :6";
        assert_eq!(shown(text), [format!("First ||{frames}|0")]);
        // A line of a message.
        assert_eq!(
            shown("a.b.GoneException: one\nmain:6, MainKt\n\tat a.B.c(B.kt:3)\n"),
            ["First a.b.GoneException|one\nmain:6, MainKt|a.B.c B.kt:3|0"]
        );
    }

    #[test]
    fn messages_as_crashlytics_shows_them_on_its_page() {
        let expected = "First java.lang.IllegalStateException|no item: 3|a.B.c B.kt:3,a.D.e D.kt:4|0";
        for text in [
            "Fatal Exception: java.lang.IllegalStateException\nno item: 3\na.B.c (B.kt:3)\na.D.e (D.kt:4)\n",
            "Fatal Exception: java.lang.IllegalStateException\nno item: 3\n       at a.B.c(B.kt:3)\n       at a.D.e(D.kt:4)\n",
            "<p>Fatal Exception: java.lang.IllegalStateException: no item: 3<br/>at a.B.c(B.kt:3)<br/>at a.D.e(D.kt:4)</p>",
            "<p>&quot;java.lang.IllegalStateException: no item: 3<br/>&nbsp;&nbsp;at a.B.c(B.kt:3)<br/>\n&nbsp;&nbsp;at a.D.e(D.kt:4)&quot;</p>",
            "It says &quot;oh&quot;:<br/>java.lang.IllegalStateException: no item: 3<br/>&nbsp;&nbsp;at a.B.c(B.kt:3)<br/>\n&nbsp;&nbsp;at a.D.e(D.kt:4)<br/>",
            "It says &quot;oh&quot;:<br/>Fatal Exception: java.lang.IllegalStateException<br/>no item: 3<br/>a.B.c (B.kt:3)<br/>a.D.e (D.kt:4)<br/>",
        ] {
            assert_eq!(shown(text), [expected], "{text}");
        }
    }

    #[test]
    fn causes_as_crashlytics_writes_them() {
        let text = "Fatal Exception: java.lang.RuntimeException: outer\n       at a.B.c(B.kt:3)\nCaused by a.Gone: inner\n       at a.D.e(D.kt:4)\n";
        assert_eq!(
            shown(text),
            ["First java.lang.RuntimeException|outer|a.B.c B.kt:3|0", "Cause a.Gone|inner|a.D.e D.kt:4|0"]
        );
        assert_eq!(
            shown("a.Gone: x\n\tat a.B.c(B.kt:3)\nCaused by us: see\n\tat a.D.e(D.kt:4)\n"),
            ["First a.Gone|x|a.B.c B.kt:3,a.D.e D.kt:4|0"]
        );
    }

    // https://github.com/pacien/tincapp/issues/42, https://github.com/react/react-native/issues/33916
    #[test]
    fn play_console_leaves_out_messages_and_places() {
        let text = "Exception a.b.GoneException:\n  at a.B.c (B.kt:3)\n  at java.lang.reflect.Method.invoke\n  at a.D.e (D.java)\nCaused by: \
                    a.b.LostException: \n  at a.F.g\n  at a.H.<init> (H.kt:4)\nit happens (often) on Android 12\nException a.b.GoneException:\n  at a.B.c (B.kt:5)\n";
        assert_eq!(
            shown(text),
            [
                "First a.b.GoneException||a.B.c B.kt:3,java.lang.reflect.Method.invoke :0,a.D.e D.java:0|0",
                "Cause a.b.LostException||a.F.g :0,a.H.<init> H.kt:4|0",
                "First a.b.GoneException||a.B.c B.kt:5|0",
            ]
        );
        // Frames that end a text, and words that are none.
        assert_eq!(
            shown("a.Gone: x\n  at a.B.c\nhappening in Android 7, 10\n"),
            ["First a.Gone|x|a.B.c :0|0"]
        );
        for prose in ["at shop.core.Till", "at noon", "at 3.14", "at a.b is c"] {
            assert_eq!(
                shown(&format!("a.Gone: x\n  at a.B.c(B.kt:3)\n{prose}\n")),
                ["First a.Gone|x|a.B.c B.kt:3|0"]
            );
        }
    }

    #[test]
    fn a_frame_in_which_the_text_ends_is_doubted() {
        let doubted = |text: &str| parse_trace(text)[0].frames.iter().any(|one| one.reading_doubt.is_some());
        assert!(doubted("a.Gone: x\n  at a.B.c(B.kt:3)\n  at a.D.e"));
        for whole in [
            "a.Gone: x\n  at a.D.e\n",
            "a.Gone: x\n  at a.B.c(B.kt:3)",
            "a.Gone: x\n  at a.D.e(Unknown Source)",
        ] {
            assert!(!doubted(whole), "{whole}");
        }
    }

    // https://github.com/firebase/firebase-android-sdk/issues/1823, https://github.com/SiriusSochi/front/issues/72
    #[test]
    fn marks_of_markdown_and_of_app_center() {
        let expected = ["First a.Gone|x|a.B.c B.kt:3|0", "Cause a.Lost|y|a.D.e D.kt:4|0"];
        for text in [
            "`a.Gone: x\nat a.B.c(B.kt:3)\nCaused by: a.Lost: y\nat a.D.e(D.kt:4)`",
            "a.Gone: x\nat a.B.c(B.kt:3)\n**Caused by: a.Lost: y\nat a.D.e(D.kt:4)**",
            "```a.Gone: x\nat a.B.c(B.kt:3)\nCaused by: a.Lost: y\nat a.D.e(D.kt:4)```",
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
        assert_eq!(shown("a.B.c (B.kt:3);\n\na.D.e (D.kt);"), ["First ||a.B.c B.kt:3,a.D.e D.kt:0|0"]);
    }

    // https://github.com/K1rakishou/Kuroba-Experimental/issues/170
    #[test]
    fn the_prefix_of_logcat_stands_once_before_indented_lines() {
        let expected = ["First a.Gone|x|a.B.c B.kt:3|0"];
        for text in [
            "E/Till | UNCAUGHT: a.Gone: x\nE/Till | UNCAUGHT: \tat a.B.c(B.kt:3)\n",
            "E/Till: a.Gone: x\n    at a.B.c(B.kt:3)\n",
            "08-24 16:07:42.680 6647-6647/com.shop E/AndroidRuntime: a.Gone: x\n        at a.B.c(B.kt:3)\n",
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_message_of_a_log_may_have_empty_lines() {
        // What React Native throws.
        let text = "E/AndroidRuntime: FATAL EXCEPTION: mqt_native_modules\n    Process: a.b, PID: 47\n    a.b.JavascriptException: TypeError: x, stack:\n    take@1:12345\n\n    \n    \tat \
                    a.B.c(B.kt:3)\n\nE/Other: y\n";
        assert_eq!(
            shown(text),
            ["First a.b.JavascriptException|TypeError: x, stack:\ntake@1:12345|a.B.c B.kt:3|0"]
        );
    }

    #[test]
    fn what_intellij_folds_in_its_console_is_no_part_of_a_frame() {
        let text = "a.Gone: x\n\tat a.B.c(B.kt:3) <4 internal calls>\n\tat a.D.e(D.kt:4) <1 folded frame>\n";
        assert_eq!(shown(text), ["First a.Gone|x|a.B.c B.kt:3,a.D.e D.kt:4|0"]);
    }

    #[test]
    fn threads_as_crashlytics_writes_them() {
        let threads = |text: &str| -> Vec<String> {
            let one = |one: &ParsedTrace| format!("{}|{}|{}", one.error_type, one.thread, one.frames.len());
            parse_trace(text).iter().map(one).collect()
        };
        let crash = "Fatal Exception: a.Gone: x\n       at a.B.c(B.kt:3)\n       at a.B.d(B.kt:4)\n\n";
        let frame = "       at a.D.e(D.kt:4)\n";
        assert_eq!(
            threads(&format!("{crash}main:\n{frame}\nOkHttp https://a.example/...:\n{frame}{frame}")),
            ["a.Gone||2", "|main|1", "|OkHttp https://a.example/...|2"]
        );
        assert_eq!(
            threads(&format!("{crash}--\n\n#1. Pool worker: 0 0 0x0000000000000000\n{frame}")),
            ["a.Gone||2", "|Pool worker|1"]
        );
        // A line of a message, one that no frame follows, and a throwable whose message is empty.
        assert_eq!(
            threads(&format!("a.GoneException: one of:\nthese:\n{frame}see:\nthat\n{frame}")),
            ["a.GoneException||2"]
        );
        assert_eq!(threads(&format!("{crash}a.b.Lost:\n{frame}")), ["a.Gone||2", "a.b.Lost||1"]);
    }

    #[test]
    fn throwables_at_the_end_of_a_log_line() {
        let frames = "\tat a.B.c(B.kt:3)\n";
        let expected = ["First java.io.IOException|x: y|a.B.c B.kt:3|0"];
        for line in [
            "Non-fatal Exception: java.io.IOException: x: y",
            "Fatal Exception: java.io.IOException: x: y",
            "2024-01-05 12:00:01,003 ERROR [worker-1] c.s.Till - failed: java.io.IOException: x: y",
            "12:00:01 WARN c.s.Till: java.io.IOException: x: y",
            "INSTRUMENTATION_RESULT: longMsg=java.io.IOException: x: y",
        ] {
            assert_eq!(shown(&format!("{line}\n{frames}")), expected, "{line}");
        }
        // What is logged after a throwable is no part of it.
        assert_eq!(
            shown(&format!("a.Gone: z\n{frames}12:00 ERROR t - shop.core.OutOfStock: no 3\n{frames}")),
            ["First a.Gone|z|a.B.c B.kt:3|0", "First shop.core.OutOfStock|no 3|a.B.c B.kt:3|0"]
        );
        assert_eq!(
            shown(&format!("a.b.BadError: said\nby java.io.IOException: x\n{frames}")),
            ["First a.b.BadError|said\nby java.io.IOException: x|a.B.c B.kt:3|0"]
        );
    }

    #[test]
    fn a_throwable_of_any_name_with_a_message_of_several_lines() {
        let custom = "shop.core.OutOfStock: no 3\nin the shelf\n\tat a.D.e(D.kt:4)\n";
        let expected = "First shop.core.OutOfStock|no 3\nin the shelf|a.D.e D.kt:4|0";
        assert_eq!(shown(custom), [expected]);
        assert_eq!(shown(&format!("java.io.IOException\n\tat a.B.c(B.kt:3)\n{custom}"))[1], expected);
        // A logger's line, and a long text before frames that are of another trace.
        let text = "java.io.IOException\n\tat a.B.c(B.kt:3)\n";
        for between in [
            "shop.core.Till: opened\n12:00:01 closed\n".to_owned(),
            "shop.core.Till: a\n".to_owned() + &"b\n".repeat(30),
        ] {
            assert_eq!(shown(&format!("{text}{between}\tat a.D.e(D.kt:4)\n")).len(), 1);
        }
        // A throwable that was logged without frames.
        assert_eq!(
            shown(
                "java.io.IOException: x\n12:00:01 ERROR t - failed: java.io.EOFException: y\n\tat a.B.c(B.kt:3)\n"
            ),
            ["First java.io.EOFException|y|a.B.c B.kt:3|0"]
        );
    }

    #[test]
    fn a_native_crash() {
        let text = "*** *** *** *** *** *** *** ***\nABI: 'arm64'\npid: 47, tid: 48, name: Render Thread  >>> com.shop <<<\nuid: 10123\nsignal 11 (SIGSEGV), code 1 \
                    (SEGV_MAPERR), fault addr 0x10\nCause: null pointer dereference\nAbort message: 'no till'\n    x0  0000000000000010  x1  \
                    0000000000000000\nbacktrace:\n      #00 pc 0000000000001000  /data/libtill.so (sum+12)\n      #01 pc 0000000000001000  \
                    /data/base.odex (shop.Till.sell+44)\n--- --- ---\npid: 47, tid: 50, name: Pool  >>> com.shop <<<\n      #00 pc 00001000  \
                    /lib/libc.so (syscall+28)\n";
        let crash = "First SIGSEGV|signal 11, code 1 (SEGV_MAPERR), fault addr 0x10\nCause: null pointer dereference\nAbort message: 'no till'";
        let frames = "|.sum :0,shop.Till.sell :0|0";
        assert_eq!(shown(text), [format!("{crash}{frames}"), "First ||.syscall :0|0".to_owned()]);
        let threads: Vec<String> = parse_trace(text).into_iter().map(|trace| trace.thread).collect();
        assert_eq!(threads, ["Render Thread of com.shop", "Pool of com.shop"]);
        // Cut off before its frames.
        assert_eq!(shown(text.split("backtrace").next().unwrap()), [format!("{crash}||0")]);
        // As logcat shows it, among what other processes write.
        let logged: String = text
            .lines()
            .map(|line| format!("01-05 12:34:56.789  4711  4711 F DEBUG   : {line}\n01-05 12:34:56.789     1     1 I other   : x\n"))
            .collect();
        assert_eq!(shown(&logged), shown(text));
    }

    #[test]
    fn a_fatal_signal_without_its_tombstone_is_named() {
        let signal = "Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10 in tid 48 (Render Thread), pid 47 (com.shop)";
        let crash = "First SIGSEGV|signal 11, code 1 (SEGV_MAPERR), fault addr 0x10||0";
        for line in [
            format!("01-05 12:34:56.789    47    48 F libc    : {signal}"),
            format!("A/libc: {signal}"),
            format!("A/libc    (   47): {signal}"),
            format!(
                "2024-01-05 12:34:56.789 47-48 libc                    com.shop                A  {signal}"
            ),
        ] {
            let found = parse_trace(&line);
            assert_eq!(shown(&line), [crash], "{line}");
            assert_eq!(found[0].thread, "Render Thread of com.shop", "{line}");
        }
        for (line, expected, thread) in [
            (
                "Fatal signal 11 (SIGSEGV) at 0x0000001c (code=1), thread 48 (com.shop)",
                "signal 11 at 0x0000001c (code=1)",
                "com.shop",
            ),
            ("Fatal signal 6 (SIGABRT), code -6 in tid 48 (Pool)", "signal 6, code -6", "Pool"),
            ("Fatal signal 6 (SIGABRT), code -6 in tid 4", "signal 6, code -6 in tid 4", ""),
        ] {
            let found = parse_trace(line);
            assert_eq!((found[0].message.as_str(), found[0].thread.as_str()), (expected, thread), "{line}");
        }
        // A crash comes before what was caught, and its frames are not told apart from it.
        let caught = "W/System.err(47): java.io.IOException: x\nW/System.err(47): \tat a.B.c(B.kt:3)\n";
        let log = format!("{caught}F/libc    (   47): {signal}\n");
        assert_eq!(shown(&log), [crash, "First java.io.IOException|x|a.B.c B.kt:3|0"]);
        let tombstone = "F/DEBUG   (   60): *** *** *** *** ***\nF/DEBUG   (   60): pid: 47, tid: 48, name: Render Thread  >>> org.com.shop <<<\nF/DEBUG   (   60): signal 11 \
            (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10\nF/DEBUG   (   60):       #00 pc 0000000000001000  /data/libtill.so (sum+12)\n";
        let frames = "First SIGSEGV|signal 11, code 1 (SEGV_MAPERR), fault addr 0x10|.sum :0|0";
        assert_eq!(shown(&format!("F/libc    (   47): {signal}\n{tombstone}")), [frames]);
        let older = "F/libc    (   47): Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10 in tid 48 (Render Thread)\n";
        assert_eq!(shown(&format!("{older}{tombstone}")), [frames]);
        // That of another process is another crash.
        let other = signal.replace("com.shop", "com.till");
        assert_eq!(shown(&format!("F/libc    (   47): {other}\n{tombstone}")).len(), 2);
        assert_eq!(shown("it says Fatal signal 11 (SIGSEGV) and no more"), Vec::<String>::new());
    }

    #[test]
    fn traces_in_chats_pages_and_json() {
        let expected = ["First a.Gone|it's <b>|a.B.<init> B.kt:3,a.D.e D.kt:4|0"];
        for text in [
            "a.Gone: it&#39;s &lt;b&gt;\n\tat a.B.&lt;init&gt;(B.kt:3)\n\tat a.D.e(D.kt:4)\n",
            "<h1>till</h1>\n<pre>a.Gone: it&#39;s &lt;b&gt;\n\tat a.B.&lt;init&gt;(B.kt:3)\n\tat a.D.e(D.kt:4)</pre>\n",
            "<div>a.Gone: it&#39;s &lt;b&gt;</div><div>at a.B.&lt;init&gt;(B.kt:3)</div><div>at a.D.e(D.kt:4)</div>",
            r#"{"level":"ERROR","stack":"a.Gone: it's <b>\n\tat a.B.<init>(B.kt:3)\n\tat a.D.e(D.kt:4)","thread":"main"}"#,
            r#"2024-01-05T12:00:00Z {"stack":"a.Gone: it's \u003cb\u003e\r\n\tat a.B.<init>(B.kt:3)\r\n\tat a.D.e(D.kt:4)\r\n"}"#,
            r"a.Gone: it's <b>\n\tat a.B.<init>(B.kt:3)\n\tat a.D.e(D.kt:4)",
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn frames_that_are_left_out() {
        for (said, count) in
            [("... 12 more", 12), ("… 12 more", 12), ("…12 more", 12), ("... 3 common frames omitted", 3)]
        {
            let text =
                format!("a.Gone: x\n\tat a.B.c(B.kt:3)\nCaused by: a.Lost\n\tat a.D.e(D.kt:4)\n\t{said}\n");
            assert_eq!(shown(&text)[1], format!("Cause a.Lost||a.D.e D.kt:4|{count}"));
        }
        assert_eq!(
            shown("a.Gone: x\n\tat a.B.c(B.kt:3)\nCaused by: a.Lost\n\t... 1 more\n"),
            ["First a.Gone|x|a.B.c B.kt:3|0", "Cause a.Lost|||1"]
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
            ["First |waits for <0x1>|a.B.c B.kt:3|0", "First ||a.D.e D.kt:4|0"]
        );
        assert_eq!(shown("it breaks in Till.kt:12, I think"), ["First ||. Till.kt:12|0"]);
        assert_eq!(
            shown(
                "java.lang.AssertionError: no\n\tat a.TillTest.adds two numbers(TillTest.kt:7)\n\tat app//a.F.g(F.kt:1)"
            ),
            ["First java.lang.AssertionError|no|a.TillTest.adds two numbers TillTest.kt:7,a.F.g F.kt:1|0"]
        );
        assert_eq!(
            shown("a.Gone: x\n\tat app//a.B$$Lambda$14/0x0000000800c03000.run(Unknown Source)\n"),
            ["First a.Gone|x|a.B$$Lambda$14.run :0|0"]
        );
        assert_eq!(shown("bk: empty\n\tat be.a(SourceFile:3)\n"), ["First bk|empty|be.a :3|0"]);
        assert_eq!(shown("nothing (to) see here"), Vec::<String>::new());
    }
}
