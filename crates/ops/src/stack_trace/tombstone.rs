//! The lines of a native crash of Android: who crashed, by which signal, and native frames. Invariant: a native frame has no
//! place in the project; a method that ART compiled has its name, and a doubt.
//!
//! Form: <https://source.android.com/docs/core/tests/debug/native-crash>.

use std::sync::LazyLock;

use regex::Regex;

use super::parse::ParsedFrame;

/// A line before the frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TombstoneLine {
    /// The thread, and the process that it is of.
    Process { thread: String },
    /// The signal's name, and what else is said of it.
    Signal { name: String, message: String },
    /// What the process itself logs when it gets a signal, before another one writes the rest; without a name the thread is empty.
    Fatal { thread: String, name: String, message: String },
    /// The abort message, or the cause that Android supposes.
    Reason(String),
}

static PROCESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^pid: \d+, tid: \d+(?:, name: (?P<thread>.*?))?\s+>>> (?P<process>.*) <<<").ok()
});

static SIGNAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^signal (?P<number>-?\d+) \((?P<name>SIG\w+)\)(?P<more>.*)$").ok());

/// `Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 48 (Render Thread), pid 47 (com.shop)`; older versions
/// write `Fatal signal 11 (SIGSEGV) at 0x0 (code=1), thread 48 (com.shop)`.
static FATAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:[AF]/libc\s*(?:\(\s*\d+\))?: )?Fatal signal (?P<number>-?\d+) \((?P<name>SIG\w+)\)(?P<more>.*?)",
        r"(?:,? (?:in tid|thread) \d+ \((?P<thread>[^)]*)\)(?:, pid \d+ \((?P<process>[^)]*)\))?)?$"
    ))
    .ok()
});

/// How the line of a fatal signal begins.
pub(super) const FATAL_SIGNAL: &str = "Fatal signal ";

/// `#05 pc 000000000006b1a4  /system/lib64/libc.so (abort+164) (BuildId: 1a2b)`
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:native: )?#\d+\s+pc\s+(?:0x)?[0-9a-fA-F]+\s+(?P<library>[^\s(][^(]*?)",
        r"(?:\s+\((?:deleted|offset [^)]*)\))*(?:\s+\((?P<symbol>.+?)\s*\+\s*\d+\))?(?:\s+\(.*\))?$"
    ))
    .ok()
});

/// A method of Java with its class, and `+44` taken away; before it its result, behind it its parameters, in older versions.
static METHOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[\w.$\[\]]+ )?(?P<class>[A-Za-z_][\w$]*(?:\.[\w$]+)*)\.(?P<method>[\w$<>-]+)(?:\(.*\))?$",
    )
    .ok()
});

/// Reads a line before the frames.
pub(super) fn tombstone_line(line: &str) -> Option<TombstoneLine> {
    if ["Abort message: ", "Cause: "].iter().any(|start| line.starts_with(start)) {
        return Some(TombstoneLine::Reason(line.to_owned()));
    }
    if line.starts_with("pid: ") {
        let found = PROCESS.as_ref()?.captures(line)?;
        let process = &found["process"];
        let thread = found.name("thread").map(|thread| format!("{} of {process}", thread.as_str().trim()));
        return Some(TombstoneLine::Process { thread: thread.unwrap_or_else(|| process.to_owned()) });
    }
    if line.starts_with("signal ") {
        let found = SIGNAL.as_ref()?.captures(line)?;
        let message = format!("signal {}{}", &found["number"], &found["more"]);
        return Some(TombstoneLine::Signal { name: found["name"].to_owned(), message });
    }
    if line.contains(FATAL_SIGNAL) {
        let found = FATAL.as_ref()?.captures(line)?;
        let named = |group: &str| found.name(group).map_or("", |name| name.as_str());
        let thread = match (named("thread"), named("process")) {
            (thread, "") => thread.to_owned(),
            (thread, process) => format!("{thread} of {process}"),
        };
        let message = format!("signal {}{}", &found["number"], &found["more"]);
        return Some(TombstoneLine::Fatal { thread, name: found["name"].to_owned(), message });
    }
    None
}

/// Reads a native frame, or one of a method that ART compiled.
pub(super) fn native_frame(line: &str) -> Option<ParsedFrame> {
    if !line.starts_with('#') && !line.starts_with("native: #") {
        return None;
    }
    let found = FRAME.as_ref()?.captures(line)?;
    let path = &found["library"];
    let library = match path.strip_prefix('<') {
        // `<anonymous:7a1b2c3000>`: each such memory is another.
        Some(memory) => format!("<{}>", memory.split([':', '>']).next().unwrap_or(memory)),
        None => path.rsplit(['/', '!']).next().unwrap_or(path).to_owned(),
    };
    let symbol = found.name("symbol").map_or("", |symbol| symbol.as_str());
    let method =
        METHOD.as_ref().filter(|_| holds_methods(&library)).and_then(|method| method.captures(symbol));
    let (class, method) = match &method {
        Some(found) => (&found["class"], &found["method"]),
        None => ("", symbol.split('(').next().unwrap_or(symbol)),
    };
    Some(ParsedFrame {
        class: class.to_owned(),
        method: method.to_owned(),
        library,
        reading_doubt: (!class.is_empty()).then(|| "a native backtrace names no line".to_owned()),
        ..ParsedFrame::default()
    })
}

/// Whether code that ART compiled from classes lies in a file or memory of this name.
fn holds_methods(library: &str) -> bool {
    const ENDS: [&str; 7] = [".odex", ".oat", ".vdex", ".dex", ".apk", ".jar", ".art"];
    ENDS.iter().any(|end| library.ends_with(end))
        || ["jit-cache", "jit-code-cache", "<anonymous>"].iter().any(|memory| library.contains(memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        for (line, library, class, method) in [
            (
                "#00 pc 000000000006b1a4  /apex/lib64/bionic/libc.so (abort+164) (BuildId: 1a2b)",
                "libc.so",
                "",
                "abort",
            ),
            ("#01  pc 0x9c1c4  /apex/lib64/libc.so (__epoll_pwait + 8)", "libc.so", "", "__epoll_pwait"),
            (
                "#02 pc 00001000  /data/app/x/base.apk!libtill.so (offset 0x4000) (sum(int, long)+12)",
                "libtill.so",
                "",
                "sum",
            ),
            (
                "#03 pc 00001000  /data/app/x/oat/arm64/base.odex (com.shop.app.Till.run+44)",
                "base.odex",
                "com.shop.app.Till",
                "run",
            ),
            (
                "#04 pc 00001000  /memfd:jit-cache (deleted) (com.shop.app.Till$a.<init>+44)",
                "memfd:jit-cache",
                "com.shop.app.Till$a",
                "<init>",
            ),
            (
                "#05 pc 00001000  /dev/ashmem/dalvik-jit-code-cache_deleted (void com.shop.app.Till.run(int)+44)",
                "dalvik-jit-code-cache_deleted",
                "com.shop.app.Till",
                "run",
            ),
            (
                "#06 pc 00001000  /system/framework/arm64/boot.oat (art_jni_trampoline+124)",
                "boot.oat",
                "",
                "art_jni_trampoline",
            ),
            ("#07 pc 00001000  <anonymous:7a1b2c3000>", "<anonymous>", "", ""),
            ("#08 pc 00001000  /system/lib64/libart.so (a.llvm.12.b+3)", "libart.so", "", "a.llvm.12.b"),
            (
                "#09 pc 00001000  /data/app/x/base.odex (com.shop.app.Till.run [DEDUPED]+44)",
                "base.odex",
                "",
                "com.shop.app.Till.run [DEDUPED]",
            ),
            ("native: #10 pc 0004c35c  /system/lib/libc.so (syscall+28)", "libc.so", "", "syscall"),
        ] {
            let frame = native_frame(line).unwrap();
            assert_eq!((&*frame.library, &*frame.class, &*frame.method), (library, class, method), "{line}");
        }
        for line in [
            "#1. main: 0 0 0x0",
            "#03 pc 00001000  /data/base.odex (com.shop.app.Till.ru",
            "#03 pc 00001000  /data/base.odex (a.B.c+4",
        ] {
            assert_eq!(native_frame(line), None, "{line}");
        }
    }
}
