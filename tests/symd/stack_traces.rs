//! `symd trace` on what the programs of fixtures/traces print when they crash: `fixtures/traces/make.sh` compiles and runs
//! them. `fixtures/traces/jvm-17.expected.txt` is read line by line when it changes; `UPDATE_EXPECT=1` writes it.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use expect_test::expect_file;

use crate::support::{User, open_terminal, terminal, write};

fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces")
}

/// Copies the fixture's project into the user's.
fn user() -> User {
    let user = User::new();
    copy(&traces().join("shop"), &user.path("project"));
    user
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

fn trace(user: &User, text: &str) -> String {
    let mut command = user.symd();
    command.arg("trace").current_dir(user.path("project"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
}

/// The crashes, each with its name.
fn crashes() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(traces().join("jvm-17.txt")).unwrap();
    let cases = text.split("### ").skip(1);
    cases
        .map(|case| case.split_once('\n').unwrap())
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect()
}

#[test]
fn every_crash_is_placed() {
    let user = user();
    let mut all = String::new();
    for (name, text) in crashes() {
        all.push_str(&format!("### {name}\n{}\n", trace(&user, &text).trim_end()));
    }
    expect_file![traces().join("jvm-17.expected.txt")].assert_eq(&all);
}

/// The mapping of a build in the project is found, and what is placed without a doubt is a frame of ProGuard's own ReTrace.
#[test]
fn an_obfuscated_crash_is_placed_by_the_mapping_of_a_build() {
    let user = user();
    let obfuscated = |name: &str| std::fs::read_to_string(traces().join("obfuscated").join(name)).unwrap();
    write(&user.path("project/app/build.gradle.kts"), "plugins {}\n");
    let mapping = "app/build/outputs/mapping/release/mapping.txt";
    std::fs::create_dir_all(user.path("project/app/build/outputs/mapping/release")).unwrap();
    write(&user.path("project").join(mapping), &obfuscated("mapping.txt"));
    let place = regex::Regex::new(r"(?m)^(\? )?\S+/(\w+)\.(?:kt|java):(\d+)").unwrap();
    let judge_line = regex::Regex::new(r"at [\w.$-]+\(\w+\.java:(\d+)\)").unwrap();
    let cases = |text: &str| text.split("### ").skip(1).map(str::to_owned).collect::<Vec<_>>();
    let (mut placed, mut doubts) = (0, 0);
    for (crash, judge) in cases(&obfuscated("crashes.txt")).iter().zip(cases(&obfuscated("retraced.txt"))) {
        let title = crash.lines().next().unwrap();
        // Hundreds of frames, folded.
        if title == "overflow" {
            continue;
        }
        let answer = trace(&user, crash);
        assert!(answer.contains(&format!("; names by {mapping}]")), "{title}: {answer}");
        let lines: Vec<String> = judge_line.captures_iter(&judge).map(|found| found[1].to_owned()).collect();
        for found in place.captures_iter(&answer) {
            if found.get(1).is_some() {
                doubts += 1;
                continue;
            }
            placed += 1;
            // A frame without a line is placed at its declaration.
            let is_known = lines.contains(&found[3].to_owned()) || lines.contains(&"0".to_owned());
            assert!(is_known, "{title}: {}\n{answer}\n{judge}", &found[0]);
        }
    }
    assert!(placed >= 40, "{placed} placed, {doubts} in doubt");
    // ProGuard writes no names of files: those of Kotlin's classes come from the index.
    let companion = trace(&user, "bk: empty\n\tat be.a(SourceFile:47)\n");
    assert!(
        companion.contains("core/src/main/kotlin/shop/core/Catalog.kt:47 in Catalog/Companion/check"),
        "{companion}"
    );
    // Without a line, the only method of the name is meant.
    let without = trace(&user, "bk: empty\n\tat be.a(Unknown Source)\n");
    let place = "core/src/main/kotlin/shop/core/Catalog.kt:46 in Catalog/Companion/check";
    assert!(without.contains(place) && !without.contains("? "), "{without}");
    // A trace that is not obfuscated is left alone, and a mapping of another build is named.
    let plain = trace(&user, "java.lang.Error: x\n\tat shop.app.MainKt.main(Main.kt:101)\n");
    assert!(!plain.contains("names by"), "{plain}");
    let other = trace(&user, "java.lang.Error: x\n\tat q.q.q(SourceFile:3)\n");
    assert!(other.contains("is not used: it has none of the classes of the trace"), "{other}");
}

/// The crash of docs/debugging.md has the answer that stands there. The project has no build script of a module; without a mapping,
/// that is said.
#[test]
fn an_obfuscated_crash_of_a_project_without_build_scripts() {
    let user = user();
    let page = include_str!("../../docs/debugging.md");
    let block = page.split("$ cat release-crash.txt\n").nth(1).unwrap().split("```").next().unwrap();
    let (crash, answer) = block.split_once("$ symd trace release-crash.txt\n").unwrap();
    let without = trace(&user, crash);
    assert!(
        without.contains(
            "no mapping.txt beneath build/outputs/mapping of a module has them: give one by --mapping]"
        ),
        "{without}"
    );
    let mapping = "app/build/outputs/mapping/release/mapping.txt";
    std::fs::create_dir_all(user.path("project/app/build/outputs/mapping/release")).unwrap();
    std::fs::copy(traces().join("obfuscated/mapping.txt"), user.path("project").join(mapping)).unwrap();
    write(&user.path("project/release-crash.txt"), crash);
    assert_eq!(user.check(&["trace", "release-crash.txt"], 0), answer);
}

/// Builds of two variants, of which the trace does not say which one it is of.
#[test]
fn mappings_that_read_a_frame_differently_are_both_given() {
    let user = user();
    write(&user.path("project/app/build.gradle.kts"), "plugins {}\n");
    let mapping = |variant: &str, lines: &str| {
        let at = user.path("project/app/build/outputs/mapping").join(variant);
        std::fs::create_dir_all(&at).unwrap();
        write(
            &at.join("mapping.txt"),
            &format!("shop.core.Catalog -> a.b:\n{lines}shop.core.OutOfStock -> a.c:\n"),
        );
    };
    let size = "    1:1:int getSize():18:18 -> a\n";
    mapping("freeRelease", size);
    mapping("paidRelease", "    1:1:int hidden():43:43 -> a\n");
    let crash = "a.c: x\n\tat a.b.a(SourceFile:1)\n";
    let answer = trace(&user, crash);
    let file = "core/src/main/kotlin/shop/core/Catalog.kt";
    for line in [18, 43] {
        assert!(answer.contains(&format!("? {file}:{line} in Catalog/")), "{answer}");
    }
    assert!(
        answer.contains("2 mappings fit and read it differently") && answer.contains("OutOfStock"),
        "{answer}"
    );
    assert!(answer.contains("freeRelease/mapping.txt or app/build/outputs/mapping/paidRelease"), "{answer}");
    // Those that agree are no doubt.
    mapping("paidRelease", size);
    assert!(!trace(&user, crash).contains("? "), "{}", trace(&user, crash));
}

/// The class of a file's functions is found by the name that the source gives to it, without the file's.
#[test]
fn a_facade_is_found_without_its_file() {
    let user = user();
    let at = user.path("project/core/src/main/kotlin/shop/core");
    write(&at.join("words.kt"), "@file:JvmName(\"Texts\")\npackage shop.core\n\nfun shorten() = Unit\n");
    write(&at.join("more-words.kt"), "package shop.core\n\n\nfun lengthen() = Unit\n");
    let answer = trace(
        &user,
        "java.lang.Error: x\n\tat shop.core.Texts.shorten(Unknown Source)\n\tat shop.core.More_wordsKt.lengthen(Unknown Source:3)\n",
    );
    for place in
        ["core/src/main/kotlin/shop/core/words.kt:4 in shorten", "shop/core/more-words.kt:4 in lengthen"]
    {
        assert!(answer.contains(place), "{answer}");
    }
    assert!(!answer.contains("? "), "{answer}");
}

/// Each frame of the project has the file and the line that it names, a doubt, or the remark that its code was inlined.
#[test]
fn no_frame_has_another_place_without_a_doubt() {
    let user = user();
    let frame = regex::Regex::new(r"at shop\.[^(]*\((\w+\.(?:kt|java)):(\d+)\)").unwrap();
    let placed = regex::Regex::new(r"(?m)^(\? )?\S*/(\w+\.(?:kt|java)):(\d+)").unwrap();
    let (mut frames, mut doubts, mut copies) = (0, 0, 0);
    for (name, text) in crashes().into_iter().filter(|(name, _)| name != "overflow") {
        let answer = trace(&user, &text);
        let named: Vec<(&str, &str)> = frame
            .captures_iter(&text)
            .map(|found| (found.get(1).unwrap().as_str(), found.get(2).unwrap().as_str()))
            .collect();
        let is_copy =
            |line: &&str| line.contains("$$inlined$") && line.contains("code that was inlined here");
        copies += answer.lines().filter(is_copy).count();
        for found in placed.captures_iter(&answer) {
            let (file, line) = (&found[2], &found[3]);
            frames += 1;
            doubts += usize::from(found.get(1).is_some());
            let has_no_line = text.contains(&format!("({file})"));
            let is_named = named.contains(&(file, line)) || has_no_line;
            assert!(found.get(1).is_some() || is_named, "{name}: {file}:{line} without a doubt\n{answer}");
        }
    }
    // A class that was copied from an inline function of a library has the library's lines.
    assert!(frames > 120 && doubts == 0 && copies == 1, "{doubts} of {frames} are in doubt");
}

/// Sources that were changed after the build: the named method counts, not the line.
#[test]
fn a_method_that_moved_is_found_and_the_difference_said() {
    let user = user();
    let path = user.path("project/core/src/main/kotlin/shop/core/Catalog.kt");
    let text = std::fs::read_to_string(&path).unwrap();
    write(
        &path,
        &text.replacen("class OutOfStock", &format!("{}class OutOfStock", "// moved\n".repeat(30)), 1),
    );
    let answer = trace(
        &user,
        "shop.core.OutOfStock: no 3\n\tat shop.core.Catalog.take-rv58m34(Catalog.kt:30)\n\tat shop.core.CatalogKt.shout(Catalog.kt:71)\n",
    );
    assert!(
        answer.contains("? core/src/main/kotlin/shop/core/Catalog.kt:59 in Catalog/take as Catalog.take-rv58m34 (sources differ from the build: line 30 is not in take)"),
        "{answer}"
    );
    assert!(
        answer.contains("? core/src/main/kotlin/shop/core/Catalog.kt:101 in shout (sources differ"),
        "{answer}"
    );
}

/// What a long answer leaves out can be asked for on the command line.
#[test]
fn an_answer_that_is_cut_names_the_option_that_gives_the_rest() {
    let user = user();
    let frames: String =
        (1..=900).map(|n| format!("\tat shop.core.Catalog.take{n}(Catalog.kt:30)\n")).collect();
    write(&user.path("project/crash.txt"), &format!("java.lang.Error: x\n{frames}"));
    let cut = user.check(&["trace", "crash.txt"], 0);
    assert!(
        cut.contains("\n… cut; raise --limit for the rest\n[") && !cut.contains("has no take900"),
        "{cut}"
    );
    let whole = user.check(&["trace", "--limit", "200000", "crash.txt"], 0);
    assert!(whole.contains("Catalog.kt has no take900") && !whole.contains("… cut"), "{whole}");
    let errors: String =
        (1..=400).map(|n| format!("e: file:///ci/A.kt:{n}:1 Unresolved reference 'x{n}'.\n")).collect();
    write(&user.path("project/build.log"), &errors);
    let cut = user.check(&["build-errors", "build.log"], 0);
    assert!(cut.contains("\n… cut; raise --limit for the rest\n["), "{cut}");
    assert!(user.check(&["build-errors", "--limit", "200000", "build.log"], 0).contains("'x400'"));
}

#[test]
fn hostile_texts_are_answered() {
    let user = user();
    let long = "\tat shop.core.Catalog.take(Catalog.kt:30)\r\n".repeat(20_000);
    for text in [
        "",
        "at (",
        "at .(:)",
        "\0\0\u{feff}at a.b(c.kt:99999999999999999999)",
        "at a.b(Catalog.kt:0)",
        &long,
        &long[..800_003],
    ] {
        let answer = trace(&user, text);
        assert!(!answer.trim().is_empty() && !answer.contains("panicked"), "{answer}");
    }
}

/// Returns what a terminal receives from a command in the project, which reads `input`.
fn on_a_terminal(user: &User, arguments: &[&str], input: &str) -> String {
    let (mut master, name) = terminal();
    let mut command = user.symd();
    command.args(arguments).current_dir(user.path("project"));
    command
        .env_remove("NO_COLOR")
        .env_remove("TERM_PROGRAM")
        .env_remove("TERMINAL_EMULATOR")
        .env("TERM", "xterm");
    command.stdin(Stdio::piped()).stdout(open_terminal(&name));
    let mut child = command.spawn().unwrap();
    // The command holds the terminal's other end: reads must fail after the child has exited.
    drop(command);
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let (mut seen, mut some) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = master.read(&mut some) {
        seen.extend_from_slice(&some[..count]);
    }
    assert!(child.wait().unwrap().success());
    String::from_utf8(seen).unwrap()
}

#[test]
fn on_a_terminal_places_are_links_and_pasted_control_characters_are_escaped() {
    let user = user();
    let crash = "java.lang.Error: \u{1b}[2J\n\tat shop.app.MainKt.main(Main.kt:101)\n";
    let seen = on_a_terminal(&user, &["trace"], crash);
    assert!(seen.contains("\x1b]8;;file:///") && seen.contains("\x1b[36m"), "{seen:?}");
    assert!(seen.contains("\\u{1b}[2J") && !seen.contains("\x1b[2J"), "{seen:?}");
    let seen = on_a_terminal(&user, &["rename", "--dry-run", "--force", "shout", "cry"], "");
    assert!(seen.contains("\x1b[32m+"), "{seen:?}");
}
