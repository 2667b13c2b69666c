//! What Android logs of an application that does not respond: its process and the reason.

use super::parse::ParsedTrace;

/// How many lines behind the head the reason stands at most.
const MAX_LINES: usize = 12;

/// What stands in place of the type of an error.
const NOT_RESPONDING: &str = "ANR";

/// How reasons begin in the file of traces, which names no process.
const REASONS: [&str; 5] = [
    "Input dispatching timed out",
    "Broadcast of ",
    "executing service ",
    "ContentProvider not responding",
    "Context.startForegroundService",
];

/// Gives the reason to the main thread, if the text has no error; without a thread it stands alone.
pub(super) fn tell_reason(text: &str, all: &mut Vec<ParsedTrace>) {
    if all.iter().any(|trace| !trace.error_type.is_empty()) {
        return;
    }
    let Some(message) = reason(text) else { return };
    let error_type = NOT_RESPONDING.to_owned();
    match all.iter_mut().find(|trace| trace.thread == "main") {
        Some(main) => (main.error_type, main.message) = (error_type, message),
        None => all.insert(0, ParsedTrace { error_type, message, ..ParsedTrace::default() }),
    }
}

/// Returns the reason: `shop.app: Input dispatching timed out (…)`.
fn reason(text: &str) -> Option<String> {
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let subject = line.trim().strip_prefix("Subject: ");
        if let Some(said) = subject.filter(|said| REASONS.iter().any(|reason| said.starts_with(reason))) {
            return Some(said.to_owned());
        }
        let Some((_, process)) = line.split_once("ANR in ") else { continue };
        let process = process.split_whitespace().next().unwrap_or_default();
        let mut behind = lines.clone().take(MAX_LINES).filter_map(|line| line.split_once("Reason: "));
        if let Some((_, said)) = behind.next().filter(|_| process.contains('.')) {
            return Some(format!("{process}: {}", said.trim()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::parse::{ParsedTrace, parse_trace};

    #[test]
    fn the_reason_is_that_of_the_main_thread() {
        let shown = |text: &str| -> Vec<String> {
            let one =
                |trace: &ParsedTrace| format!("{} ({}): {}", trace.error_type, trace.thread, trace.message);
            parse_trace(text).iter().map(one).collect()
        };
        let logged = "01-05 12:34:56.789  1000  1020 E ActivityManager: ANR in a.b (a.b/.Main)\n01-05 12:34:56.789  1000  1020 E ActivityManager: PID: 4711\n\
                      01-05 12:34:56.789  1000  1020 E ActivityManager: Reason: Input dispatching timed out (x)\n";
        let main =
            "\"main\" prio=5 tid=1 Blocked\n  at a.B.c(B.kt:1)\n  - waiting to lock <0x1> held by thread 2\n";
        assert_eq!(shown(logged), ["ANR (): a.b: Input dispatching timed out (x)"]);
        assert_eq!(
            shown(&format!("{logged}{main}")),
            ["ANR (main): a.b: Input dispatching timed out (x)\nwaits for <0x1>, which thread 2 holds"]
        );
        assert_eq!(
            shown(&format!("Subject: Broadcast of Intent {{ act=x }}\n{main}"))[0],
            "ANR (main): Broadcast of Intent { act=x }\nwaits for <0x1>, which thread 2 holds"
        );
        assert_eq!(shown(&format!("{logged}a.Gone: x\n\tat a.B.c(B.kt:3)\n")), ["a.Gone (): x"]);
        assert_eq!(shown("an ANR in my app\nReason: none\n"), Vec::<String>::new());
    }
}
