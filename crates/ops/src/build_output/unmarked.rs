//! Reads what tools say where nothing marks it as an error: only the message was pasted, or a window shows no more. It is used
//! only where no marked message names a cause. The tool that wrote the message stays unknown.

use std::sync::LazyLock;

use regex::Regex;

use super::{BuildProblem, BuildTool};

/// Maximum number of messages.
const MAX_MESSAGES: usize = 20;

/// How messages of Kotlin's and Java's compilers begin, and those of tools that otherwise announce others.
/// Sources: <https://github.com/InsertKoinIO/koin/issues/876>, <https://github.com/SuddenH4X/awesome-app-rating/issues/53>,
/// <https://github.com/SimenCodes/react-native-imei/issues/2>, <https://github.com/moisoni97/google-inapp-billing/issues/26>.
const DIAGNOSTICS: [&str; 23] = [
    "Unresolved reference",
    "Type mismatch: ",
    "Argument type mismatch: ",
    "Return type mismatch: ",
    "Initializer type mismatch: ",
    "None of the following functions can be called ",
    "None of the following candidates ",
    "Overload resolution ambiguity",
    "Smart cast to ",
    "Only safe (?.) or non-null asserted ",
    "Cannot inline bytecode built with ",
    "Cannot access ",
    "Conflicting declarations",
    "Conflicting overloads",
    "cannot find symbol",
    "cannot access ",
    "incompatible types: ",
    "bad class file: ",
    "method does not override or implement a method",
    "class file has wrong version ",
    "Missing classes detected while running R8",
    "failed linking ",
    "source release ",
];

/// Returns the messages among the lines; `is_failed` if the output says besides that something failed.
pub(super) fn read(lines: &[String], is_failed: bool) -> Vec<BuildProblem> {
    let known = messages(lines, |line| of_window(line).or_else(|| diagnostic(line)));
    if !known.is_empty() || is_failed {
        return known;
    }
    messages(lines, failure)
}

fn messages<'l>(lines: &'l [String], read: impl Fn(&'l str) -> Option<&'l str>) -> Vec<BuildProblem> {
    let found = lines.iter().filter_map(|line| read(line.trim_start_matches(['>', ' ', '\t'])));
    found.take(MAX_MESSAGES).map(|message| BuildProblem::error(BuildTool::Other, message)).collect()
}

fn diagnostic(line: &str) -> Option<&str> {
    let line =
        ["ERROR: ", "Error: ", "error: "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    DIAGNOSTICS.iter().any(|start| line.starts_with(start)).then_some(line)
}

/// Reads IntelliJ's own builds: `java: cannot find symbol`, `Kotlin: Unresolved reference: x`. What lists versions has that form, too.
/// Sources: <https://github.com/fanghon/antiplag/issues/14>, <https://github.com/KaterinaPetrova/mpp-sample-lib/issues/8>.
fn of_window(line: &str) -> Option<&str> {
    let message = line.strip_prefix("java: ").or_else(|| line.strip_prefix("Kotlin: "))?.trim();
    let first = message.split_whitespace().next().unwrap_or_default();
    let is_version = first.contains(|c: char| c.is_ascii_digit());
    (!is_version && message.split_whitespace().count() > 1 || !message.is_ascii()).then_some(message)
}

/// Reads a sentence that says that something failed, as tools write it; people who ask say what they did.
/// Sources: <https://github.com/jangrewe/gitlab-ci-android/issues/47>, <https://github.com/zeevy/grblcontroller/issues/98>.
fn failure(line: &str) -> Option<&str> {
    static FAILURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:Failed to|Could not|Cannot|Unable to|Unsupported|Invalid|No such) \w|(?:File|Plugin|Class|Module|Task|Project|Keystore file|Package|Directory)\b.*?\b(?:is missing|not found|does not exist|was not found))").ok()
    });
    static PERSON: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(?:I|I'm|we|my|me|anyone|[Pp]lease help)\b").ok());
    let is_failure = FAILURE.as_ref()?.is_match(line) && !PERSON.as_ref()?.is_match(line);
    is_failure.then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, is_failed: bool) -> Vec<String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        read(&lines, is_failed).into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn messages_without_a_mark() {
        let diagnostic = "method does not override or implement a method from a supertype";
        assert_eq!(found(&format!("{diagnostic}\n    @Override\n    ^\n1 error"), true), [diagnostic]);
        assert_eq!(
            found("java: 无法访问shop.Till\n  错误的类文件: /p/till.jar", false),
            ["无法访问shop.Till"]
        );
        assert_eq!(found("Kotlin: Unresolved reference: till", false), ["Unresolved reference: till"]);
        let missing = "File till.json is missing. The plugin cannot function without it.";
        assert_eq!(found(missing, false), [missing]);
        // Where it is known that a task failed, a sentence beside it need not be why.
        assert_eq!(found(missing, true), Vec::<String>::new());
    }

    #[test]
    fn what_people_write_is_no_message() {
        let text = "Kotlin: 2.1.0\njava: 17\nKotlin: yes\nCould not make it work, what did I miss?\nThe till is open.";
        assert_eq!(found(text, false), Vec::<String>::new());
    }
}
