//! Reads the one line with which a compiler reports a problem. Each form names where it is documented or was seen.

use std::sync::LazyLock;

use regex::{Captures, Regex};

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
    use BuildTool::{Aapt, Javac, Kapt, Kotlinc, Lint, Manifest, R8};
    let forms: [(String, BuildTool, bool); 17] = [
        // Gradle with Kotlin from 1.9 on (and KSP, kapt): `e: file:///p/A.kt:3:5 Unresolved reference 'x'.`; made by K2 itself here.
        (format!(r"^(?P<s>[ew]): (?:\[(?P<p>ksp|kapt)\] )?(?:file:///??)?{CODE}:(?P<l>\d+):(?P<c>\d+):? (?P<m>.*)$"), Kotlinc, true),
        // Gradle with Kotlin before 1.8.20: `e: /p/A.kt: (3, 5): Unresolved reference: x`.
        (format!(r"^(?P<s>[ew]): (?:\[(?P<p>ksp|kapt)\] )?(?:file:///??)?{CODE}: \((?P<l>\d+), (?P<c>\d+)\): (?P<m>.*)$"), Kotlinc, true),
        // kapt: javac's messages about stubs, `e: /p/build/tmp/kapt3/stubs/debug/A.java:12: error: [Dagger/MissingBinding] …`.
        (format!(r"^(?P<s>[ew]): (?:\[(?P<p>ksp|kapt)\] )?(?:file:///??)?{CODE}:(?P<l>\d+): (?:(?:error|warning): )?(?P<m>.*)$"), Kapt, true),
        // kotlinc's own command line: `A.kt:3:5: error: unresolved reference 'x'.`; made by K2 itself here.
        (format!(r"^{CODE}:(?P<l>\d+):(?P<c>\d+): (?P<s>error|warning): (?P<m>.*)$"), Kotlinc, true),
        // Maven: `[ERROR] /p/A.kt: (3, 5) Unresolved reference: x` and `[ERROR] /p/A.java:[3,5] cannot find symbol`.
        (format!(r"^\[(?P<s>ERROR|WARNING)\] (?:file:///??)?{CODE}:? ?[\[(](?P<l>\d+),\s?(?P<c>\d+)[\])]:? (?P<m>.*)$"), Kotlinc, false),
        // Android lint: `/p/A.kt:12: Error: Call requires API level 26 (current min is 21): x [NewApi]`.
        (r"^(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?[^:\s]\.\w+)(?::(?P<l>\d+))?: (?P<s>Error|Warning): (?P<m>.*\[\w+(?: from [^\]]*)?\])$".to_owned(), Lint, true),
        // javac: `/p/A.java:3: error: cannot find symbol`; made by javac 17 here.
        (format!(r"^{CODE}:(?P<l>\d+): (?P<s>error|warning): (?P<m>.*)$"), Javac, true),
        // The manifest merger: `/p/AndroidManifest.xml:12:9-40 Error:`, the message in the next lines.
        (r"^(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?AndroidManifest\.xml)(?::(?P<l>\d+):(?P<c>\d+)\S*)? (?P<s>Error|Warning):\s*(?P<m>.*)$".to_owned(), Manifest, true),
        // AAPT2 through the Android Gradle plugin: `ERROR:/p/res/layout/a.xml:12: AAPT: error: resource string/x (aka …) not found.`
        (format!(r"^(?P<s>ERROR|WARN|AGPBI|error|warn): ?{XML}:(?P<l>\d+)(?::(?P<c>\d+))?(?:-[\d:-]+)?: AAPT: (?:error|warn): (?P<m>.*)$"), Aapt, false),
        // AAPT2 itself: `com.x.app-main-38:/layout/a.xml:12: error: resource color/x not found.`
        (format!(r"^{XML}:(?P<l>\d+)(?::(?P<c>\d+))?(?:-[\d:-]+)?: (?:AAPT: )?(?P<s>error|warn): (?P<m>.*)$"), Aapt, false),
        // Resources that do not parse: `/p/res/values/strings.xml:5:9: Error: The element type "string" must be terminated …`
        (format!(r"^(?:\[Fatal Error\] )?{XML}:(?P<l>\d+):(?P<c>\d+): (?P<s>Error: )?(?P<m>.*)$"), Aapt, false),
        (r"^(?P<s>ERROR|error): (?:AAPT: )?error: (?P<m>.*)$".to_owned(), Aapt, false),
        // R8: <https://developer.android.com/topic/performance/app-optimization/troubleshoot-the-optimization>.
        (r"^(?P<s>ERROR|error|WARNING|warning|AGPBI): ?(?P<path>(?:[A-Za-z]:[\\/])?[^:\r\n]*?[^:\s]\.\w+):(?P<l>\d+)(?::(?P<c>\d+))?: (?:R8|D8): (?P<m>.*)$".to_owned(), R8, false),
        (r"^(?P<s>ERROR|error|WARNING|warning|AGPBI): ?(?:[^\r\n]*?: )?(?:R8|D8): (?P<m>.*)$".to_owned(), R8, false),
        (r"^(?P<m>Missing classes? (?:detected while running R8|\S+ \(referenced from: ).*)$".to_owned(), R8, false),
        (r"^(?P<m>Duplicate class \S+ found in modules .*)$".to_owned(), BuildTool::Dependencies, false),
        // A message of Kotlin's compiler, KSP or kapt without a place.
        (r"^(?P<s>[ew]): (?:\[(?P<p>ksp|kapt)\] )?(?P<m>.*)$".to_owned(), Kotlinc, true),
    ];
    let compiled = forms.into_iter().filter_map(|(pattern, tool, continues)| {
        Some(MessageForm { pattern: Regex::new(&pattern).ok()?, tool, continues })
    });
    compiled.collect()
});

/// Reads a line that begins a problem.
pub(super) fn begun(line: &str) -> Option<BegunProblem> {
    // Most lines of a log are none; each form has one of these.
    if !line.contains(": ")
        && !line.contains(" Error:")
        && !line.starts_with("Duplicate class")
        && !line.starts_with("Missing class")
    {
        return None;
    }
    FORMS.iter().find_map(|form| {
        let found = form.pattern.captures(line)?;
        let text = |name: &str| found.name(name).map_or("", |found| found.as_str());
        let severity = match text("s") {
            "w" | "warning" | "WARNING" | "WARN" | "warn" | "Warning" => BuildSeverity::Warning,
            _ => BuildSeverity::Error,
        };
        let problem = BuildProblem {
            tool: tool(form.tool, &found),
            severity,
            place: place(&found),
            message: text("m").trim().to_owned(),
            tasks: Vec::new(),
            times: 1,
        };
        Some(BegunProblem { problem, continues: form.continues })
    })
}

fn place(found: &Captures<'_>) -> Option<OutputPlace> {
    let number = |name: &str| found.name(name).and_then(|found| found.as_str().parse().ok());
    let path = found.name("path")?.as_str().trim();
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
        (tool, _) => tool,
    }
}

/// Whether a line ends a message that continues: another kind of line begins.
pub(super) fn ends_message(line: &str) -> bool {
    static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:> Task |FAILURE: |BUILD |\* |\d+ (?:errors?|warnings?)\b|Note: |\[(?:INFO|ERROR|WARNING)\]|Explanation for issues|Caused by: |at )").ok()
    });
    line.trim().is_empty()
        || ENDS.as_ref().is_some_and(|ends| ends.is_match(line.trim_start()))
        || begun(line).is_some()
}

/// Whether a line is the mark beneath a line of source.
pub(super) fn is_caret(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.chars().all(|c| matches!(c, '^' | '~'))
}
