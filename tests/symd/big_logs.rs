//! Crashes in texts as they come from the world: 10 MB of a log, more than one question takes, cut files, other line breaks and
//! encodings. What is cut off is missing in the answer; nothing of it is taken for something else.

use std::io::Write;
use std::process::{Output, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::git_stage::{CRASH, shop};
use crate::support::{User, call, write};

/// The place of the crash's first frame.
const PLACE: &str = "core/src/main/kotlin/shop/core/Catalog.kt:30 in Catalog/take as Catalog.take-rv58m34";

fn given(user: &User, arguments: &[&str], bytes: &[u8]) -> Output {
    let mut command = user.symd();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A text that is too long is not read to its end.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8([output.stdout.clone(), output.stderr.clone()].concat()).unwrap()
}

/// A log of a device, of at least `bytes`: many processes and threads, caught exceptions of the project itself among them,
/// and in the middle a crash.
fn logcat(bytes: usize) -> String {
    let mut log = String::with_capacity(bytes + 1_000);
    let mut has_crashed = false;
    let mut number = 0;
    while log.len() < bytes {
        number += 1;
        let (time, process) = (
            format!("11-27 10:{:02}:{:02}.{:03}", number / 60_000 % 60, number / 1_000 % 60, number % 1_000),
            900 + number % 700,
        );
        log.push_str(&format!(
            "{time} {process:>5} {:>5} D Tag{}: connecting to \"{number}\" (again) at 10.0.0.1:80\n",
            process + number % 9,
            number % 90
        ));
        if number % 50 == 0 {
            for line in [
                "java.lang.IllegalStateException: wrapped",
                "\tat shop.app.MainKt.wrapped(Main.kt:45)",
                "\tat shop.app.MainKt.main(Main.kt:100)",
            ] {
                log.push_str(&format!("{time} {process:>5} {process:>5} W System.err: {line}\n"));
            }
        }
        if !has_crashed && log.len() > bytes / 2 {
            has_crashed = true;
            for line in
                ["FATAL EXCEPTION: main", "Process: shop.app, PID: 4711"].into_iter().chain(CRASH.lines())
            {
                log.push_str(&format!("{time}  4711  4711 E AndroidRuntime: {line}\n"));
                log.push_str(&format!(
                    "{time}   1204  1310 I ActivityManager: Process shop.app (pid 4711) has died\n"
                ));
            }
        }
    }
    log
}

#[test]
fn the_crash_in_10_mb_of_a_log_comes_first() {
    let user = shop();
    let log = logcat(10_000_000);
    for command in ["trace", "investigate"] {
        let started = Instant::now();
        let answer = said(&given(&user, &[command], log.as_bytes()));
        println!("{command}: {:?} for {} bytes", started.elapsed(), log.len());
        assert!(answer.starts_with(&format!("shop.core.OutOfStock: no 3\n{PLACE}\n")), "{:.600}", answer);
    }
    let mut wire = user.connect();
    wire.ask(&json!({ "symd": { "protocol": [1, 1], "version": "9", "toolset": ["native"] } }));
    wire.initialize();
    let answer = wire.ask(&call(1, "resolve_stack_trace", json!({ "text": log, "limit": 2_000 })));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(PLACE) && text.chars().count() <= 2_000, "{text}");
}

#[test]
fn a_log_that_is_too_long_for_a_question_says_what_to_do() {
    let user = shop();
    write(&user.path("config/config.toml"), "[limits]\nmax_line_bytes = 500000\n");
    let log = format!("{CRASH}{}", "I/Tag( 4711): \"nothing\"\ttold\n".repeat(40_000));
    let answer = said(&given(&user, &["trace"], log.as_bytes()));
    assert!(answer.contains(PLACE), "{:.300}", answer);
    assert!(answer.contains("only the first ") && answer.contains("`tail -c 10M FILE`"), "{:.300}", answer);

    let mut wire = user.connect();
    wire.ask(&json!({ "symd": { "protocol": [1, 1], "version": "9", "toolset": ["native"] } }));
    wire.initialize();
    let refused = wire.ask(&call(1, "resolve_stack_trace", json!({ "text": log })));
    let message = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(
        message.contains("of a log the part with the error") && message.contains("max_line_bytes"),
        "{message}"
    );
    let answer = wire.ask(&call(2, "resolve_stack_trace", json!({ "text": CRASH })));
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains(PLACE), "{answer}");
}

#[test]
fn line_breaks_and_encodings_of_windows_are_read() {
    let user = shop();
    let expected = said(&given(&user, &["trace"], CRASH.as_bytes()));
    assert!(expected.contains(PLACE), "{expected}");
    let windows = CRASH.replace('\n', "\r\n");
    let wrapped = windows.replace("(Catalog.kt", "(\r\n        Catalog.kt");
    let wide = |text: &str| -> Vec<u8> {
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    for bytes in [
        windows.clone().into_bytes(),
        wrapped.into_bytes(),
        format!("\u{feff}{CRASH}").into_bytes(),
        // What `adb logcat > crash.txt` writes in the PowerShell of Windows.
        wide(&windows),
    ] {
        let answer = said(&given(&user, &["trace"], &bytes));
        assert_eq!(answer, expected, "{}", String::from_utf8_lossy(&bytes));
    }
}

/// The places of an answer that are not in doubt.
fn sure_places(answer: &str) -> Vec<String> {
    let is_place = |line: &&str| line.split(' ').next().is_some_and(|place| place.contains(".kt:"));
    answer.lines().filter(is_place).map(str::to_owned).collect()
}

#[test]
fn a_trace_that_is_cut_anywhere_has_no_other_place() {
    let user = shop();
    let crash = CRASH.replace("no 3", "kein Bücherregal – 3");
    let known = sure_places(&said(&given(&user, &["trace"], crash.as_bytes())));
    assert_eq!(known.len(), 2, "{known:?}");
    // In frames, and in the characters of the message: cut in the middle, they are no UTF-8.
    for at in (1..crash.len()).step_by(3) {
        for part in [&crash.as_bytes()[..at], &crash.as_bytes()[at..]] {
            let answer = said(&given(&user, &["trace"], part));
            assert!(!answer.trim().is_empty() && !answer.contains("panicked"), "cut at {at}: {answer}");
            for place in sure_places(&answer) {
                assert!(known.contains(&place), "cut at {at}: {place}");
            }
        }
    }
    assert!(said(&given(&user, &["trace"], &crash.as_bytes()[..crash.len() - 3])).contains(&known[0]));
}

/// Bytes of other programs among the lines of a log.
#[test]
fn what_is_no_text_hides_no_frame() {
    let user = shop();
    let mut bytes = b"\x00\xFF\xFE\xC3\n".to_vec();
    bytes.extend_from_slice(CRASH.as_bytes());
    bytes.extend_from_slice(b"\xF0\x9F\n\x00");
    assert!(said(&given(&user, &["trace"], &bytes)).contains(PLACE));
    write(&user.path("project/crash.txt"), CRASH);
    assert!(user.check(&["trace", "crash.txt"], 0).contains(PLACE));
}
