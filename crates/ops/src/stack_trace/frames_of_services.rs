//! Frames in other forms than Java's: those of services that collect crashes, of IntelliJ's debugger, and of Kotlin/Native.

use std::sync::LazyLock;

use regex::Regex;

use super::parse::ParsedFrame;
use super::platform::FramePlatform;

/// HockeyApp's `a.B;c;B.kt;12`, Bugsnag's `B.kt:12 a.B.c`.
static OF_SERVICE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:(?P<class>[\w$.]+);(?P<method>[\w$<>-]+);(?P<file>[\w$-]+\.(?:kt|java));(?P<line>\d+);?",
        r"|(?P<file2>[\w$-]+\.(?:kt|java)):(?P<line2>\d+) (?P<class2>[\w$.]+)\.(?P<method2>[\w$<>-]+))$"
    ))
    .ok()
});

/// `sell:12, Till$Companion (shop)`, as IntelliJ's debugger shows frames; without the package where there is none. The line is -1 where none
/// is known, and the file may be shown, too.
static OF_DEBUGGER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?P<method>[\p{L}_$<][^:,()]*):(?P<line>-1|\d+), (?P<class>[\p{L}_$][^\s:,()/.]*)",
        r"(?: \((?P<package>[\w$]+(?:\.[\w$]+)*)\))?(?:, (?P<file>[\w$-]+\.(?:kts?|java)))?$"
    ))
    .ok()
});

/// `at 2   shop   0x10a1b2c5d   kfun:a#f(){} + 55 (/p/B.kt:12:19)`; before `#` stands the class, or the package alone.
static OF_NATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^at \d+\s+\S+\s+0x[0-9a-f]+\s+kfun:(?P<owner>[\w.$]*)#(?P<method>[^({]+)[({].*?",
        r"(?: \([^()]*?(?P<file>[\w$-]+)\.kt:(?P<line>\d+)(?::\d+)?\))?$"
    ))
    .ok()
});

/// Returns the frame that a line is in one of these forms.
pub(super) fn frame_of_service(line: &str) -> Option<ParsedFrame> {
    if line.starts_with("at ") {
        return of_native(line);
    }
    of_service(line).or_else(|| frame_of_debugger(line).filter(|frame| frame.class.contains('.')))
}

/// Returns the frame that a line of IntelliJ's debugger is; one without a package is known only by the frame before it.
pub(super) fn frame_of_debugger(line: &str) -> Option<ParsedFrame> {
    let found = OF_DEBUGGER.as_ref().filter(|_| line.contains(", "))?.captures(line)?;
    let text = |name: &str| found.name(name).map_or("", |group| group.as_str());
    let class = match text("package") {
        "" => text("class").to_owned(),
        package => format!("{package}.{}", text("class")),
    };
    Some(ParsedFrame {
        class,
        method: text("method").to_owned(),
        file: text("file").to_owned(),
        line: text("line").parse().ok(),
        ..ParsedFrame::default()
    })
}

fn of_service(line: &str) -> Option<ParsedFrame> {
    let has_file = line.contains(".kt") || line.contains(".java");
    let found = OF_SERVICE.as_ref().filter(|_| has_file)?.captures(line)?;
    let text =
        |name: &str, other: &str| found.name(name).or(found.name(other)).map_or("", |group| group.as_str());
    Some(ParsedFrame {
        class: text("class", "class2").to_owned(),
        method: text("method", "method2").to_owned(),
        file: text("file", "file2").to_owned(),
        line: text("line", "line2").parse().ok(),
        ..ParsedFrame::default()
    })
}

fn of_native(line: &str) -> Option<ParsedFrame> {
    let found = OF_NATIVE.as_ref().filter(|_| line.contains("kfun:"))?.captures(line)?;
    let owner = &found["owner"];
    let file = found.name("file").map_or("", |file| file.as_str());
    let is_class = owner.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase));
    // What the compiler for the JVM would call the file's class.
    let facade = || if owner.is_empty() { format!("{file}Kt") } else { format!("{owner}.{file}Kt") };
    Some(ParsedFrame {
        class: if is_class || file.is_empty() { owner.to_owned() } else { facade() },
        method: found["method"].rsplit('.').next().unwrap_or_default().to_owned(),
        file: if file.is_empty() { String::new() } else { format!("{file}.kt") },
        line: found.name("line").and_then(|line| line.as_str().parse().ok()),
        platform: FramePlatform::KotlinNative,
        ..ParsedFrame::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_forms_of_frames() {
        let native = "at 2   shop.kexe                0x10a1b2c5d        kfun:";
        for (line, expected) in [
            ("shop.Till;sell;Till.kt;12", Some("shop.Till.sell Till.kt:12")),
            ("shop.Till$1;<init>;Till.java;12;", Some("shop.Till$1.<init> Till.java:12")),
            ("Till.kt:12 shop.Till.sell-rv58m34", Some("shop.Till.sell-rv58m34 Till.kt:12")),
            (
                &format!("{native}shop.Till#sell(kotlin.Int){{}}kotlin.Int + 55 (/p/src/Till.kt:12:19)"),
                Some("shop.Till.sell Till.kt:12"),
            ),
            (
                &format!("{native}shop#sell(){{}} + 55 (/p/src/Till.kt:12:19)"),
                Some("shop.TillKt.sell Till.kt:12"),
            ),
            (&format!("{native}#main(){{}} + 5 (Till.kt:1:1)"), Some("TillKt.main Till.kt:1")),
            ("sell:12, Till (shop.core)", Some("shop.core.Till.sell :12")),
            (
                "invoke:-1, Till$Companion$sell$1 (shop.core)",
                Some("shop.core.Till$Companion$sell$1.invoke :0"),
            ),
            ("<init>:3, Till (shop), Till.kt", Some("shop.Till.<init> Till.kt:3")),
            ("sells pre-ordered ones:3, TillTest (shop)", Some("shop.TillTest.sells pre-ordered ones :3")),
            ("main:6, TillKt", None),
            ("see line:12, Till (or below)", None),
            ("Till.kt:12 is wrong", None),
            ("a;b;Till.kt", None),
            (
                &format!("{native}kotlin.Throwable#<init>(kotlin.String?){{}} + 93"),
                Some("kotlin.Throwable.<init> :0"),
            ),
        ] {
            let shown = frame_of_service(line)
                .map(|f| format!("{}.{} {}:{}", f.class, f.method, f.file, f.line.unwrap_or(0)));
            assert_eq!(shown.as_deref(), expected, "{line}");
        }
    }
}
