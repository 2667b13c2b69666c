//! `symd build-errors` on what compilers print about known breakages: `fixtures/builds/make.py` breaks the project in
//! `fixtures/builds/shop`, compiles it by Kotlin's K2 compiler and javac, and names each cause.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::{User, write};

fn builds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/builds")
}

/// A breakage and what the compilers said.
#[derive(Default)]
struct Case {
    name: String,
    /// Any of them is the root: `path:line`.
    causes: Vec<String>,
    /// The files that were broken, with their texts.
    changed: BTreeMap<String, String>,
    log: String,
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(builds().join("compilers.txt")).unwrap();
    text.split("### ").skip(1).map(case).collect()
}

fn case(text: &str) -> Case {
    let (head, log) = text.split_once("\nlog\n").unwrap();
    let mut lines = head.lines();
    let mut case = Case { name: lines.next().unwrap().to_owned(), log: log.to_owned(), ..Case::default() };
    let mut file = String::new();
    for line in lines {
        if let Some(cause) = line.strip_prefix("cause ") {
            case.causes.push(cause.to_owned());
        } else if let Some(changed) = line.strip_prefix("changed ") {
            changed.clone_into(&mut file);
            case.changed.insert(file.clone(), String::new());
        } else {
            let text = case.changed.get_mut(&file).unwrap();
            text.push_str(line.strip_prefix('|').unwrap());
            text.push('\n');
        }
    }
    case
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn explain(user: &User, log: &str) -> String {
    let mut command = user.symd();
    command.arg("build-errors").current_dir(user.path("project"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(log.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_root_cause_is_first() {
    let user = User::new();
    copy(&builds().join("shop"), &user.path("project"));
    let place =
        regex::Regex::new(r"(?m)^root cause: [^\n]*\n(?:  [^\n]*\n)*?  (\S+\.(?:kt|java):\d+)").unwrap();
    let any_place = regex::Regex::new(r"(?m)^  (\? )?(\S+\.(?:kt|java)):(\d+)").unwrap();
    let (mut right, mut wrong) = (0, Vec::new());
    for case in cases() {
        for (file, text) in &case.changed {
            write(&user.path("project").join(file), text);
        }
        let answer = explain(&user, &case.log);
        let first = place.captures(&answer).map(|found| found[1].to_owned());
        let is_right = match case.causes.as_slice() {
            [] => answer.starts_with("the build succeeded\n[0 errors;"),
            causes => first.is_some_and(|first| causes.contains(&first)),
        };
        match is_right {
            true => right += 1,
            false => wrong.push(format!("{}: {:?}\n{answer}", case.name, case.causes)),
        }
        // Every place is one that the log names, and none is in doubt: the project is the one that was built.
        for found in any_place.captures_iter(&answer) {
            let (file, line) = (&found[2], &found[3]);
            assert!(found.get(1).is_none(), "{}: {answer}", case.name);
            let places = [format!("{file}:{line}:"), format!("{file}: ({line},")];
            assert!(
                places.iter().any(|place| case.log.contains(place)),
                "{}: {}\n{answer}",
                case.name,
                &found[0]
            );
        }
        for file in case.changed.keys() {
            let original = std::fs::read_to_string(builds().join("shop").join(file)).unwrap();
            write(&user.path("project").join(file), &original);
        }
    }
    let all = right + wrong.len();
    println!("{right} of {all}");
    assert!(all >= 40, "{all} logs");
    assert!(right * 10 >= all * 9, "{right} of {all}:\n{}", wrong.join("\n"));
}

#[test]
fn a_log_of_another_machine_and_many_megabytes_is_read() {
    let user = User::new();
    copy(&builds().join("shop"), &user.path("project"));
    let noise = "> Task :app:something UP-TO-DATE\nw: file:///x/y/Other.kt:1:1 unused\n".repeat(100_000);
    let error = "e: file:///Users/other/ci/shop/core/src/main/kotlin/shop/core/Prices.kt:5:5 Return type mismatch\r\n";
    let answer = explain(&user, &format!("{noise}{error}"));
    assert!(
        answer.starts_with(
            "root cause: kotlinc: Return type mismatch\n  core/src/main/kotlin/shop/core/Prices.kt:5:5 in gross\n"
        ),
        "{answer}"
    );
    let cut = explain(&user, "e: file:///Users/other/ci/shop/core/src/main/kotlin/shop/core/Prices.kt:5");
    assert!(
        cut.starts_with("there is no error in the text") || cut.starts_with("root cause: kotlinc"),
        "{cut}"
    );
}
