//! Reads the one line with which a compiler reports a problem. Each form names where it is documented or was seen.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::parse::is_closing;
use super::{BuildProblem, BuildSeverity, BuildTool, OutputPlace};

/// A form of such a line.
struct MessageForm {
    pattern: Regex,
    tool: BuildTool,
    /// Whether further lines belong to the message: the source, the symbol, candidates.
    continues: bool,
}

/// A line that begins a problem.
pub(super) struct BegunProblem {
    pub(super) problem: BuildProblem,
    pub(super) continues: bool,
}

/// A path of a file with one of these ends; a drive letter may stand before it.
const CODE: &str = r"(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?[^:\s]\.(?:kt|kts|java))";
const XML: &str = r"(?P<path>(?:[A-Za-z]:[\\/])?[^\r\n]*?[^:\s]\.(?:xml|png|webp|9\.png))";

static FORMS: LazyLock<Vec<MessageForm>> = LazyLock::new(|| {
    use BuildTool::{
        Aapt, Bazel, Clang, Compose, Gradle, Javac, Kapt, Kotlinc, Lint, Manifest, Maven, Other, R8, Style,
    };
    // Maven writes a slash before a drive letter.
    let code_of_maven = CODE.replacen("(?:[A-Za-z]", "(?:/?[A-Za-z]", 1);
    let forms: [(String, BuildTool, bool); 47] = [
        // Gradle with Kotlin from 1.9 on (and KSP, kapt): `e: file:///p/A.kt:3:5 Unresolved reference 'x'.`; made by K2 itself here.
        (format!(r"^(?P<s>[ew]): (?:\[(?P<p>ksp|kapt)\] )?(?:file:///??)?{CODE}:(?P<l>\d+):(?P<c>\d+):?(?:\s+(?P<m>.*))?$"), Kotlinc, true),
        // Gradle with Kotlin before 1.8.20: `e: /p/A.kt: (3, 5): Unresolved reference: x`.
        (format!(r"^(?P<s>[ew]): (?:\[(?P<p>ksp|kapt)\] )?(?:file:///??)?{CODE}: \((?P<l>\d+), (?P<c>\d+)\): (?P<m>.*)$"), Kotlinc, true),
        // kapt: javac's messages about stubs, `e: /p/build/tmp/kapt3/stubs/debug/A.java:12: error: [Dagger/MissingBinding] …`.
        (format!(r"^(?P<s>[ew]): (?:\[(?P<p>ksp|kapt)\] )?(?:file:///??)?{CODE}:(?P<l>\d+): (?:(?:error|warning): )?(?P<m>.*)$"), Kapt, true),
        // kotlinc's own command line: `A.kt:3:5: error: unresolved reference 'x'.`; made by K2 itself here.
        (format!(r"^{CODE}:(?P<l>\d+):(?P<c>\d+): (?P<s>error|warning): (?P<m>.*)$"), Kotlinc, true),
        // Maven: `[ERROR] /p/A.kt: (3, 5) Unresolved reference: x` and `[ERROR] /p/A.java:[3,5] cannot find symbol`.
        (format!(r"^\[(?P<s>ERROR|WARNING)\] (?:file:///??)?{code_of_maven}:? ?[\[(](?P<l>\d+),\s?(?P<c>\d+)[\])]:? (?P<m>.*)$"), Kotlinc, true),
        // Android lint: `/p/A.kt:12: Error: Call requires API level 26 (current min is 21): x [NewApi]`.
        (r"^(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?[^:\s]\.\w+)(?::(?P<l>\d+))?: (?P<s>Error|Warning): (?P<m>.*\[\w+(?: from [^\]]*)?\])$".to_owned(), Lint, true),
        // javac: `/p/A.java:3: error: cannot find symbol`; made by javac 17 here, which says `error` in Chinese, Japanese and German, too.
        (format!(r"^{CODE}:(?P<l>\d+): (?P<s>error|warning|错误|警告|エラー|Fehler|Warnung): ?(?P<m>.*)$"), Javac, true),
        // The same where the text was read in another encoding than javac wrote it in: no word of it is known. gradle_compile_out.txt of
        // <https://github.com/Emberstar1201/enchantment-expansion>, gradle_out2.txt of <https://github.com/neo-industrial-mc/IC2R>.
        (format!(r"^{CODE}:(?P<l>\d+): [^\x00-\x7f]{{2,6}}: ?(?P<m>.*)$"), Javac, true),
        // The manifest merger: `/p/AndroidManifest.xml:12:9-40 Error:`, the message in the next lines.
        (r"^(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?AndroidManifest\.xml)(?::(?P<l>\d+):(?P<c>\d+)\S*)? (?P<s>Error|Warning):\s*(?P<m>.*)$".to_owned(), Manifest, true),
        // AAPT2 through the Android Gradle plugin: `ERROR:/p/res/layout/a.xml:12: AAPT: error: resource string/x (aka …) not found.`
        (format!(r"^(?P<s>ERROR|WARN|AGPBI|error|warn): ?{XML}(?::(?P<l>\d+)(?::(?P<c>\d+))?(?:-[\d:-]+)?)?: AAPT: (?:error|warn): (?P<m>.*)$"), Aapt, false),
        // AAPT2 itself: `com.x.app-main-38:/layout/a.xml:12: error: resource color/x not found.`
        (format!(r"^{XML}:(?P<l>\d+)(?::(?P<c>\d+))?(?:-[\d:-]+)?: (?:AAPT: )?(?P<s>error|warn): (?P<m>.*)$"), Aapt, false),
        // Resources that do not parse: `/p/res/values/strings.xml:5:9: Error: The element type "string" must be terminated …`
        (format!(r"^(?:\[Fatal Error\] )?{XML}:(?P<l>\d+):(?P<c>\d+): (?P<s>Error: )?(?P<m>.*)$"), Aapt, false),
        (r"^(?P<s>ERROR|error): (?:AAPT: )?error: (?P<m>.*)$".to_owned(), Aapt, false),
        // R8: <https://developer.android.com/topic/performance/app-optimization/troubleshoot-the-optimization>.
        (r"^(?P<s>ERROR|error|WARNING|warning|AGPBI): ?(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?[^:\s]\.\w+):(?P<l>\d+)(?::(?P<c>\d+))?: (?:R8|D8): (?P<m>.*)$".to_owned(), R8, false),
        (r"^(?P<s>ERROR|error|WARNING|warning|AGPBI): ?(?:[^\r\n]*?: )?(?:R8|D8): (?P<m>.*)$".to_owned(), R8, false),
        (r"^(?P<m>Missing class(?:es)? (?:detected while running R8|\S+ \(referenced from: ).*)$".to_owned(), R8, false),
        (r"^(?P<m>Duplicate class \S+ found in modules .*)$".to_owned(), BuildTool::Dependencies, false),
        // The same where only the message was pasted: <https://github.com/singhkshitij/MagicPrint-ECommerce-App-Android/issues/13>.
        (r"^(?:[^\r\n]*?(?:Exception|Error|error): ?)?(?P<m>Manifest merger failed ?: .*)$".to_owned(), Manifest, true),
        // <https://github.com/mergehez/ArgPlayer/issues/6>
        (r"^AAPT: (?P<s>error|warn): (?P<m>.*)$".to_owned(), Aapt, false),
        // <https://github.com/flutter/flutter/issues/20760>, <https://github.com/square/leakcanary/issues/1485>
        (r"^(?:D8|R8): (?P<m>.*)$".to_owned(), R8, false),
        (r"^(?P<m>Program type already present: .*|Type \S+ is defined multiple times: .*|Cannot fit requested classes in a single dex file.*)$".to_owned(), R8, false),
        // Kotlin's messages that lost their mark: <https://github.com/line/flutter_line_sdk/issues/123>, <https://github.com/iaphub/react-native-iaphub/issues/120>.
        (format!(r"^file:///??{CODE}:(?P<l>\d+):(?P<c>\d+):? (?P<m>.*)$"), Kotlinc, true),
        (format!(r"^{CODE}: \((?P<l>\d+), (?P<c>\d+)\): (?P<m>.*)$"), Kotlinc, true),
        (r"^(?P<path>(?:(?:[A-Za-z]:[\\/])?[^:\r\n]*[\\/])?[^:\s]+\.kts?):(?P<l>\d+):(?P<c>\d+) (?P<m>[A-Z'].*)$".to_owned(), Kotlinc, true),
        (r"^(?:[ew]: )?(?P<m>\S[^\r\n]*\.kotlin_module: Module was compiled with an incompatible version of Kotlin.*)$".to_owned(), Kotlinc, false),
        // ktlint and detekt: `/p/A.kt:30:45: Missing newline after ","`, <https://github.com/mozilla-mobile/android-components/issues/11162>.
        (format!(r"^{CODE}:(?P<l>\d+):(?P<c>\d+): (?P<m>.*)$"), Style, false),
        // Checkstyle, by itself and in Ant's and Gradle's tasks: <https://github.com/checkstyle/checkstyle/blob/master/src/main/java/com/puppycrawl/tools/checkstyle/AuditEventDefaultFormatter.java>.
        (format!(r"^(?:\[ant:checkstyle\] )?\[(?P<s>ERROR|WARN)\] {CODE}:(?P<l>\d+)(?::(?P<c>\d+))?: (?P<m>.*\[\w+\])$"), Style, false),
        // detekt's list: <https://github.com/mozilla-mobile/android-components/issues/2740>.
        (format!(r"^(?P<m>\w+ - .*?) at {CODE}:(?P<l>\d+):(?P<c>\d+)$"), Style, false),
        // A version catalog: <https://github.com/element-hq/element-x-android/issues/6706>.
        (r"^- Problem: (?P<m>In version catalog .*)$".to_owned(), Gradle, false),
        // How the Android Gradle plugin finds C++'s tools: <https://github.com/lzhiyong/termux-ndk/issues/121>.
        (r"^\[CXX1\d{3}\] (?P<m>.*)$".to_owned(), Clang, false),
        // ProGuard: <https://github.com/Tourenathan-G5organisation/SiliCompressor/issues/44>; `proguard` tells whether it stopped.
        (r"^(?P<s>Warning): ?(?P<m>[\w.$]+: can't (?:find|access) .*|there were \d+ .* references? to .*|Exception while processing task .*)$".to_owned(), R8, false),
        // A processor that failed on a file: <https://github.com/isaac-udy/Enro/issues/192>.
        (format!(r"^{CODE}: (?P<m>(?:[\w.]+\.)?\w+(?:Exception|Error): .*)$"), Other, false),
        // <https://github.com/mitchtabian/Food2Fork-KMM/pull/7>
        (r"^(?P<m>This version \(\S+\) of the Compose Compiler requires Kotlin version .*)$".to_owned(), Compose, false),
        // Clang, its linker and CMake: <https://github.com/react/react-native/issues/26425>, <https://github.com/wzj5530/Vins-On-Android/issues/15>.
        (r"^(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?[^:\s]\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm|swift)):(?P<l>\d+)(?::(?P<c>\d+))?: (?:fatal )?(?P<s>error|warning): (?P<m>.*)$".to_owned(), Clang, true),
        // Other compilers in the form of GCC: Dart's, in gradle_error.txt of <https://github.com/MeddyTz/fundihub>.
        (r"^(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?[^:\s]\.\w+):(?P<l>\d+):(?P<c>\d+): (?:fatal )?(?P<s>error|Error|warning|Warning): (?P<m>.*)$".to_owned(), Other, true),
        // Flutter's own build: build_debug.txt of <https://github.com/Ahmed-Alariqi/WebVault>.
        (r"^Target \w+ failed: [A-Z]\w*: (?P<m>\S.*)$".to_owned(), Other, false),
        (r"^(?:ld(?:\.lld|64\.lld)?|clang(?:\+\+)?(?:\.exe)?): (?P<s>error|warning): (?P<m>.*)$".to_owned(), Clang, false),
        // android/build_log.txt of <https://github.com/rshashank-r/personal-life-app>.
        (r"^ninja: error: (?P<m>.*)$".to_owned(), Clang, false),
        // <https://github.com/JetBrains/kotlin-native/issues/4035>
        (r"^ld: (?P<m>[a-z].*)$".to_owned(), Clang, false),
        (r"^CMake (?P<s>Error|Warning) at (?P<path>[^:\r\n]+):(?P<l>\d+)(?: \([^)]*\))?:\s*(?P<m>.*)$".to_owned(), Clang, true),
        // <https://github.com/Kotlin/kotlin-examples/issues/78>
        (r"^(?:\S+: )?\[ERROR\] (?P<m>Failed to execute goal .*?)(?: -> \[Help \d+\])?$".to_owned(), Maven, false),
        // What Maven says beneath the goal of a project whose dependencies are missing, since 3.9:
        // <https://github.com/apache/maven/blob/maven-3.9.9/maven-core/src/main/java/org/apache/maven/project/DependencyResolutionException.java>.
        (r"^\[ERROR\]\s+(?P<m>(?:Could not find|Could not transfer|Failed to read) artifact \S.*)$".to_owned(), BuildTool::Dependencies, false),
        // <https://github.com/cgruber/rules_kotlin/issues/24>
        (r"^ERROR: (?P<path>[^\r\n]*?/BUILD(?:\.bazel)?):(?P<l>\d+):(?P<c>\d+): (?P<m>.*)$".to_owned(), Bazel, false),
        // Gradle's process ended: <https://github.com/ionic-team/ionic-framework/issues/13493>, <https://github.com/apache/eventmesh/issues/2229>.
        (r"^(?P<m>The message received from the daemon indicates that the daemon has disappeared.*|Gradle build daemon disappeared unexpectedly.*|Expiring Daemon because JVM (?:heap space|Metaspace) is exhausted.*|The Daemon will expire .* after running out of JVM .*)$".to_owned(), Gradle, false),
        // Kotlin/Native: `error: Compilation failed: …`, <https://github.com/theolm/Rinku/issues/89>; it begins so alone, too.
        (r"^(?:error: |exception: )?(?P<m>[Cc]ompilation failed: .*)$".to_owned(), Kotlinc, false),
        // What any program may print: <https://github.com/KevinnZou/compose-webview-multiplatform/issues/44>.
        (r"^(?:[A-Z][\w ]{1,40}: )?(?P<s>error|ERROR|Error|fatal error|warning|WARNING|Warning|错误|警告|エラー|Fehler|Warnung): ?(?P<m>\S.*)$".to_owned(), Other, true),
        // A message of Kotlin's compiler, KSP or kapt without a place.
        (r"^(?P<s>[ew]): (?:\[(?P<p>ksp|kapt)(?:\]|\*\*\*) )?(?P<m>.*)$".to_owned(), Kotlinc, true),
    ];
    let compiled = forms.into_iter().filter_map(|(pattern, tool, continues)| {
        Some(MessageForm { pattern: Regex::new(&pattern).ok()?, tool, continues })
    });
    compiled.collect()
});

/// What only says that others have been said, or will be, without a place.
const ANNOUNCEMENTS: [&str; 2] = ["Missing classes detected while running R8", "failed linking "];

/// Reads a line that begins a problem.
pub(super) fn begun(line: &str) -> Option<BegunProblem> {
    // Most lines of a log are none; each form has one of these.
    if !line.contains(": ")
        && !line.contains("Error:")
        && !line.contains("aemon")
        && !line.contains(" artifact ")
        && ![".kt", ".java:"].iter().any(|end| line.contains(end))
        && !["CMake ", "Cannot fit", "[CXX", "Warning:"].iter().any(|start| line.starts_with(start))
        && !line.starts_with(['错', '警', 'エ'])
        && !line.starts_with("Duplicate class")
        && !line.starts_with("Missing class")
        && !line.starts_with("This version (")
    {
        return None;
    }
    FORMS.iter().find_map(|form| {
        let found = form.pattern.captures(line)?;
        if form.tool == BuildTool::Other && ANNOUNCEMENTS.iter().any(|start| found["m"].starts_with(start)) {
            return None;
        }
        let text = |name: &str| found.name(name).map_or("", |found| found.as_str());
        let severity = match text("s") {
            "w" | "warning" | "WARNING" | "WARN" | "warn" | "Warning" | "警告" | "Warnung" => {
                BuildSeverity::Warning
            }
            "" if form.tool == BuildTool::Javac && is_of_javacs_lint(text("m")) => BuildSeverity::Warning,
            _ => BuildSeverity::Error,
        };
        let problem = BuildProblem::error(tool(form.tool, &found), text("m").trim())
            .of_severity(severity)
            .at(place(&found));
        Some(BegunProblem { problem, continues: form.continues })
    })
}

fn place(found: &Captures<'_>) -> Option<OutputPlace> {
    let number = |name: &str| found.name(name).and_then(|found| found.as_str().parse().ok());
    let path = found.name("path")?.as_str();
    // What stands before the path is of no use: `Output:  /p/values.xml`.
    let path = path.rsplit_once(": ").map_or(path, |(_, path)| path).trim();
    Some(OutputPlace { path: path.to_owned(), line: number("l"), column: number("c") })
}

fn tool(of_form: BuildTool, found: &Captures<'_>) -> BuildTool {
    let text = |name: &str| found.name(name).map_or("", |found| found.as_str());
    let (message, path) = (text("m"), text("path"));
    match (of_form, text("p")) {
        (_, "ksp") => BuildTool::Ksp,
        (_, "kapt") => BuildTool::Kapt,
        _ if message.contains("Compose Compiler requires") || message.contains("@Composable") => {
            BuildTool::Compose
        }
        // KSP has no columns; kapt reports about its stubs.
        (BuildTool::Kapt, _) if path.contains("/kapt") || path.contains("\\kapt") => BuildTool::Kapt,
        (BuildTool::Kapt, _) if path.ends_with(".java") => BuildTool::Javac,
        (BuildTool::Kapt, _) => BuildTool::Ksp,
        (BuildTool::Kotlinc, _) if path.ends_with(".java") => BuildTool::Javac,
        (BuildTool::Kotlinc, _) if path.is_empty() && message.contains("kapt") => BuildTool::Kapt,
        (BuildTool::Other, _) if is_about_resources(message) => BuildTool::Aapt,
        (BuildTool::Other, _) if message.contains("AndroidManifest.xml") => BuildTool::Manifest,
        (tool, _) => tool,
    }
}

/// Whether a message of javac is a warning by its lint: `[removal] Till in shop is deprecated`.
fn is_of_javacs_lint(message: &str) -> bool {
    let lint = message.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    lint.is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
}

/// Whether a message without a place is one of AAPT.
fn is_about_resources(message: &str) -> bool {
    (message.starts_with("resource ") || message.starts_with("style attribute "))
        && message.contains("not found")
        || message.contains("No resource found that matches")
        || message.contains("No resource identifier found")
}

/// Whether a line ends a message that continues: another kind of line begins.
pub(super) fn ends_message(line: &str) -> bool {
    static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:> Task |FAILURE: |BUILD |\* |\d+ (?:errors?|warnings?)\b|Note: |\[(?:INFO|ERROR|WARNING)\]|Explanation for issues|Caused by: |at |INFO: |Target //|FAILED: |\*\* BUILD FAILED)").ok()
    });
    line.trim().is_empty()
        || ENDS.as_ref().is_some_and(|ends| ends.is_match(line.trim_start()))
        || is_closing(line.trim_start())
        || begun(line).is_some()
}

/// Whether a line is the mark beneath a line of source.
pub(super) fn is_caret(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.chars().all(|c| matches!(c, '^' | '~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_javac_in_another_encoding() {
        let read = |line: &str| {
            let problem = begun(line)?.problem;
            Some((problem.tool, problem.severity, problem.place?.line?))
        };
        let path = "D:\\shop\\src\\Till.java";
        let (error, warning) = (BuildSeverity::Error, BuildSeverity::Warning);
        for (word, message, severity) in [
            ("閿欒", "鎵句笉鍒扮鍙?", error),
            ("\u{fffd}\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}\u{fffd} open", error),
            ("璀﹀憡", "[removal] Till 涓殑 open()", warning),
            ("警告", "[removal] Till", warning),
            ("错误", "[Till] x", error),
        ] {
            let line = format!("{path}:36: {word}: {message}");
            assert_eq!(read(&line), Some((BuildTool::Javac, severity, 36)), "{line}");
        }
    }

    #[test]
    fn an_error_of_ninjas() {
        let problem =
            begun("ninja: error: Stat(till.o): Filename longer than 260 characters").unwrap().problem;
        assert_eq!((problem.tool, problem.headline().starts_with("Stat(")), (BuildTool::Clang, true));
    }

    #[test]
    fn violations_of_checkstyle() {
        for (line, severity) in [
            (
                "[ant:checkstyle] [ERROR] /p/A.java:10:5: Missing a comment. [MissingJavadocMethod]",
                BuildSeverity::Error,
            ),
            ("[WARN] /p/A.java:10: Line is too long. [LineLength]", BuildSeverity::Warning),
        ] {
            let problem = begun(line).unwrap().problem;
            assert_eq!((problem.tool, problem.severity), (BuildTool::Style, severity), "{line}");
            assert_eq!(problem.place.unwrap().line, Some(10));
        }
    }

    #[test]
    fn a_target_of_flutters_that_failed() {
        let problem = begun("Target till_bundle failed: Error: The till is open.").unwrap().problem;
        assert_eq!((problem.tool, problem.headline()), (BuildTool::Other, "The till is open."));
        assert!(begun("Target till_bundle failed: Exception").is_none());
    }

    #[test]
    fn paths_of_windows() {
        let path = |line: &str| begun(line).unwrap().problem.place.unwrap().path;
        for line in [
            "e: file:///C:/p/A.kt:3:5 Unresolved reference 'x'.",
            "e: file:///C:/p/A.kt: (3, 5): Unresolved reference: x",
            "e: [ksp] file:///C:/p/A.kt:3: x",
            "file:///C:/p/A.kt:3:5: Unresolved reference 'x'.",
        ] {
            assert_eq!(path(line), "C:/p/A.kt", "{line}");
        }
        assert_eq!(path("e: file:///p/A.kt:3:5 Unresolved reference 'x'."), "/p/A.kt");
        assert_eq!(path("[ERROR] /C:/p/A.java:[3,5] cannot find symbol"), "/C:/p/A.java");
    }
}
