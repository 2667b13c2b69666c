//! The report that HotSpot writes when it ends itself (`hs_err_pid47.log`): by which signal, in which thread, native frames and Java's. Of
//! Java's frames it has the method and no line.
//!
//! Form: <https://docs.oracle.com/en/java/javase/17/troubleshoot/fatal-error-log.html>.

use std::sync::LazyLock;

use regex::Regex;

use super::parse::{ParsedFrame, ParsedTrace};

const BANNER: &str = "# A fatal error has been detected by the Java Runtime Environment:";

/// Maximum number of lines of the report that are read, and of frames.
const MAX_LINES: usize = 4_000;

/// `#  SIGSEGV (0xb) at pc=0x00007f1, pid=47, tid=48`
static REASON: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^#\s+(?P<name>[A-Z][\w ]*?) \((?P<more>[^)]*\).*?)(?:, pid=\d+.*)?$").ok());

/// `Current thread (0x00007f2):  JavaThread "main" [_thread_in_native, id=48, stack(…)]`
static THREAD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^Current thread \(0x[0-9a-f]+\): .*?"(?P<name>[^"]*)""#).ok());

/// `j  shop.Till.sell(I)V+10`, or compiled `J 123 c2 shop.Till.sell(I)V (12 bytes) @ 0x00007f3 [0x00007f3+0x10]`.
static JAVA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:j  |J +\d+%?!? *(?:c[12] +)?|A  )(?P<class>[\p{L}_$][^\s(]*)\.(?P<method>[^.(]+)\([^)]*\)\S",
    )
    .ok()
});

/// `C  [libtill.so+0x1139]  sum+0x9`, `V  [libjvm.so+0x8a2f1]`
static NATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^[CV]  \[(?P<library>[^\]]+?)\+0x[0-9a-f]+\](?:\s+(?P<function>\S.*?)(?:\+0x[0-9a-f]+)?)?$")
        .ok()
});

/// Returns the crash that a report tells of; without frames where only what HotSpot prints of it is there.
pub(super) fn read(text: &str) -> Option<ParsedTrace> {
    let start = text.find(BANNER)?;
    let lines: Vec<&str> =
        text[start + BANNER.len()..].lines().take(MAX_LINES).map(|line| line.trim_end()).collect();
    let mut trace = ParsedTrace::default();
    let reason = lines.iter().find_map(|line| REASON.as_ref()?.captures(line))?;
    trace.error_type = reason["name"].to_owned();
    trace.message = format!("({}", &reason["more"]);
    // Beneath it stands the frame.
    let of_frame = lines.iter().position(|line| *line == "# Problematic frame:");
    if let Some(frame) = of_frame.and_then(|at| lines.get(at + 1)) {
        trace.message.extend(["\nproblematic frame: ", frame.trim_start_matches(['#', ' '])]);
    }
    let thread = lines.iter().find_map(|line| THREAD.as_ref()?.captures(line));
    trace.thread = thread.map_or_else(String::new, |found| found["name"].to_owned());
    let section = |head: &str| {
        let at = lines.iter().position(|line| line.starts_with(head));
        at.map_or(&[][..], |at| &lines[at + 1..]).iter().take_while(|line| !line.is_empty()).copied()
    };
    // The frames of Java's on top of native ones stand in both.
    let mut java = section("Java frames: ").filter_map(java_frame).peekable();
    let is_first = java.peek().is_none();
    trace.frames = section("Native frames: ")
        .map_while(|line| native_frame(line).or_else(|| java_frame(line).filter(|_| is_first)))
        .collect();
    trace.frames.extend(java);
    Some(trace)
}

fn java_frame(line: &str) -> Option<ParsedFrame> {
    let found = JAVA.as_ref()?.captures(line)?;
    let (class, method) = (found["class"].to_owned(), found["method"].to_owned());
    Some(ParsedFrame { class, method, ..ParsedFrame::default() })
}

fn native_frame(line: &str) -> Option<ParsedFrame> {
    let found = NATIVE.as_ref()?.captures(line)?;
    let function = found.name("function").map_or("", |name| name.as_str());
    Some(ParsedFrame {
        library: found["library"].to_owned(),
        method: function.to_owned(),
        ..ParsedFrame::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse::{ParsedFrame, parse_trace};

    const REPORT: &str = "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  SIGSEGV (0xb) at pc=0x00007f1, pid=47, tid=48\n#\n# JRE version: \
                          OpenJDK Runtime Environment (17.0.1)\n# Problematic frame:\n# C  [libtill.so+0x1139]  sum+0x9\n#\n";
    const FRAMES: &str = "Current thread (0x00007f2):  JavaThread \"main\" [_thread_in_native, id=48, stack(0x1,0x2)]\n\nNative frames: (J=compiled Java code, \
                          j=interpreted, Vv=VM code, C=native code)\nC  [libtill.so+0x1139]  sum+0x9\nC  [libtill.so+0x1200]\nj  a.B.take-rv58m34(Ljava/lang/String;I)La/C;+0\n\nJava \
                          frames: (J=compiled Java code, j=interpreted, Vv=VM code)\nj  a.B.take-rv58m34(Ljava/lang/String;I)La/C;+0\nJ 123% c2 a.D$Companion.<init>()V (12 bytes) @ \
                          0x00007f3 [0x00007f3+0x10]\nv  ~StubRoutines::call_stub\nj  a.MainKt.main()V+3 app@1\n\nEvent: 0.1 Exception <a 'java/lang/Error'>\n";

    fn shown(text: &str) -> Vec<String> {
        let frame = |f: &ParsedFrame| format!("{}{}.{}", f.library, f.class, f.method);
        let one = |one: super::ParsedTrace| {
            let frames: Vec<String> = one.frames.iter().map(frame).collect();
            format!("{} ({}): {}|{}", one.error_type, one.thread, one.message, frames.join(","))
        };
        parse_trace(text).into_iter().map(one).collect()
    }

    #[test]
    fn a_report_of_hotspots() {
        let reason = "(0xb) at pc=0x00007f1\nproblematic frame: C  [libtill.so+0x1139]  sum+0x9";
        let native = "libtill.so.sum,libtill.so.";
        let java = "a.B.take-rv58m34,a.D$Companion.<init>,a.MainKt.main";
        assert_eq!(
            shown(&format!("{REPORT}{FRAMES}")),
            [format!("SIGSEGV (main): {reason}|{native},{java}")]
        );
        // What is printed, among what the program printed.
        let text = format!("{REPORT}a.Gone: x\n\tat a.B.c(B.kt:3)\n");
        assert_eq!(shown(&text), [format!("SIGSEGV (): {reason}|"), "a.Gone (): x|a.B.c".to_owned()]);
        let cut = FRAMES.split("Java frames").next().unwrap();
        assert_eq!(
            shown(&format!("{REPORT}{cut}")),
            [format!("SIGSEGV (main): {reason}|{native},a.B.take-rv58m34")]
        );
        let internal = REPORT.replace("SIGSEGV (0xb) at pc=0x00007f1", "Internal Error (till.cpp:12)");
        assert!(
            shown(&internal)[0].starts_with("Internal Error (): (till.cpp:12)\n"),
            "{:?}",
            shown(&internal)
        );
    }
}
