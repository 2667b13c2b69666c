//! The edit tools of both toolsets through the real daemon, with whole texts compared: their effects, their
//! answers, and what they reject.

use std::path::Path;

use serde_json::{Value, json};

use super::edit_agent::{Agent, CALC, of_file, put, revision, text_of, things};
use super::edit_support::Thing;
use crate::support::{User, Wire};

/// (tool, arguments, text of `calc.py` afterwards)
type Case = (&'static str, Value, String);

/// Returns the effect of every tool on the file; `first` is the number of the first line.
fn cases(first: u64) -> Vec<Case> {
    let replaced = |old: &str, new: &str| CALC.replace(old, new);
    vec![
        (
            "replace_symbol_body",
            of_file(
                json!({ "name_path": "Calc/add", "body": "def add(self, *all):\n        return sum(all)\n" }),
            ),
            replaced(
                "def add(self, a, b):\n        return a + b",
                "def add(self, *all):\n        return sum(all)",
            ),
        ),
        (
            "insert_after_symbol",
            of_file(json!({ "name_path": "Calc/add", "body": "    def neg(self, a):\n        return -a" })),
            replaced("a + b\n", "a + b\n\n    def neg(self, a):\n        return -a\n"),
        ),
        (
            "insert_before_symbol",
            of_file(json!({ "name_path": "main", "body": "X = 1" })),
            replaced(
                "\n\ndef main",
                if first == 0 { "\n\nX = 1\n\ndef main" } else { "\n\nX = 1\n\n\ndef main" },
            ),
        ),
        (
            "replace_content",
            of_file(
                json!({ "needle": "return a (.) b", "repl": "return b $!1 a", "mode": "regex", "allow_multiple_occurrences": true }),
            ),
            replaced("a + b", "b + a").replace("a - b", "b - a"),
        ),
        (
            "replace_content",
            of_file(json!({ "needle": "a + b\n", "repl": "b + a\n", "mode": "literal" })),
            replaced("a + b", "b + a"),
        ),
        (
            "delete_lines",
            of_file(json!({ "start_line": first + 3, "end_line": first + 5 })),
            replaced("\n    def sub(self, a, b):\n        return a - b\n", ""),
        ),
        (
            "replace_lines",
            of_file(json!({ "start_line": first + 9, "end_line": first + 9, "content": "    pass" })),
            replaced("    print(Calc().add(1, 2))\n", "    pass\n"),
        ),
        (
            "insert_at_line",
            of_file(json!({ "line": first + 10, "content": "main()" })),
            format!("{CALC}main()\n"),
        ),
        (
            "create_text_file",
            of_file(json!({ "content": "x = 1\r\ny = '\u{1F600}'" })),
            "x = 1\r\ny = '\u{1F600}'".to_owned(),
        ),
    ]
}

#[test]
fn every_tool_of_both_toolsets_does_what_it_says_and_is_undone() {
    let user = User::new();
    put(&user, "calc.py", CALC);
    let first = things(&user);
    let mut native = Agent::new(&user, "native");
    let mut serena = Agent::new(&user, "serena");
    for (tool, arguments, expected) in cases(0) {
        let answer = serena.done(tool, arguments);
        let says =
            if tool == "create_text_file" { "File created: calc.py. Overwrote existing file." } else { "OK" };
        assert_eq!(answer, says, "{tool}");
        assert_eq!(text_of(&user, "calc.py"), expected, "{tool}");
        native.done("undo", json!({}));
        assert_eq!(text_of(&user, "calc.py"), CALC, "{tool}");
    }
    for (tool, arguments, expected) in cases(1) {
        let mut trial = arguments.clone();
        trial["dry_run"] = true.into();
        let diff = native.done(tool, trial);
        assert!(diff.starts_with("--- a/calc.py\n+++ b/calc.py\n@@ -"), "{tool}: {diff}");
        assert!(diff.contains("\n[dry run, nothing was written; 1 file would change, +"), "{tool}: {diff}");
        assert_eq!(text_of(&user, "calc.py"), CALC, "{tool}: nothing was written");
        let answer = native.done(tool, arguments);
        assert_eq!(text_of(&user, "calc.py"), expected, "{tool}");
        assert!(answer.starts_with("calc.py +") && answer.contains("[operation "), "{tool}: {answer}");
        let ends = "; new diagnostics unknown: no server is ready]";
        assert!(answer.ends_with(ends), "{tool}: {answer}");
        // The next question sees what was written.
        assert!(native.done("read_file", of_file(json!({}))).contains(&revision(&expected)), "{tool}");
        native.done("undo", json!({}));
        native.done("redo", json!({}));
        assert_eq!(text_of(&user, "calc.py"), expected, "{tool}: made again");
        native.done("undo", json!({}));
        assert_eq!(text_of(&user, "calc.py"), CALC, "{tool}");
    }
    assert_eq!(things(&user), first);
    let history: Value =
        serde_json::from_str(&native.done("history", json!({ "count": 1000, "format": "json" }))).unwrap();
    let operations = history["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 2 * 9 + 4 * 9);
    assert!(operations.iter().all(|one| one["what"] != "edit" || one["undone"] == true), "{history}");
    assert_eq!(operations[0]["who"], "test 1");
    assert_eq!(native.refused("undo", json!({})), "there is nothing to undo; nothing was written");
}

#[test]
fn the_first_edit_of_a_file_says_all_there_is_to_say() {
    let user = User::new();
    put(&user, "calc.py", CALC);
    let mut agent = Agent::new(&user, "native");
    let body = "def main():\n    pass\n    pass";
    let answer = agent.done("replace_symbol_body", of_file(json!({ "name_path": "main", "body": body })));
    assert_eq!(answer, "calc.py +2 -1\n[operation 1; new diagnostics unknown: no server is ready]");
    assert_eq!(text_of(&user, "calc.py"), CALC.replace("def main():\n    print(Calc().add(1, 2))", body));
    assert_eq!(
        agent.done("replace_symbol_body", of_file(json!({ "name_path": "main", "body": body }))),
        "[nothing changed: the content is the same]"
    );
    assert_eq!(
        agent.done("create_text_file", json!({ "relative_path": "new/deep/a.txt", "content": "a" })),
        "new/deep/a.txt +1 -0, new\n[operation 2; new diagnostics unknown: no server is ready]"
    );
    let undone = agent.done("undo", json!({ "dry_run": true }));
    assert!(undone.contains("deleted") || undone.contains("/dev/null"), "{undone}");
    assert_eq!(
        agent.done("undo", json!({ "id": 2 })),
        "undone: create new/deep/a.txt\nnew/deep/a.txt, removed\n[operation 3; redo reapplies it]"
    );
    assert!(!user.path("project/new").exists(), "the directories that it made went with it");
    let listed = agent.done("history", json!({}));
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines[0].starts_with("3 20")
            && lines[0].ends_with(" test 1 undo: undo of operation 2; new/deep/a.txt"),
        "{listed}"
    );
    assert!(
        lines[1].ends_with(" test 1 create_text_file: create new/deep/a.txt (undone); new/deep/a.txt"),
        "{listed}"
    );
    assert!(lines[2].ends_with(" test 1 replace_symbol_body: replace main in calc.py; calc.py"), "{listed}");
    assert_eq!(lines[3], "[3 operations]");
}

#[test]
fn a_patch_over_several_files_is_applied_whole_or_not_at_all() {
    let user = User::new();
    put(&user, "a.txt", "one\r\ntwo\r\nthree\r\n");
    put(&user, "b.py", "x = 1\n");
    put(&user, "c.txt", "c\n");
    let first = things(&user);
    let mut agent = Agent::new(&user, "native");
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+zwei\n three\n*** Update File: b.py\n\
                 *** Move to: d/b.py\n@@\n-x = 1\n+x = 2\n*** Delete File: c.txt\n*** Add File: new.txt\n+new\n*** End Patch\n";
    let broken = patch.replace("x = 2", "x = (");
    let refusal = agent.refused("apply_patch", json!({ "patch": broken }));
    assert!(refusal.contains("b.py: the file would no longer parse: line 1: `x = (`"), "{refusal}");
    assert!(refusal.contains("nothing was written"), "{refusal}");
    let stale = json!({ "patch": patch, "expect": { "c.txt": revision("other") } });
    let refusal = agent.refused("apply_patch", stale);
    assert!(
        refusal.starts_with(&format!(
            "conflict: c.txt has revision {}, not {}",
            revision("c\n"),
            revision("other")
        )),
        "{refusal}"
    );
    assert_eq!(things(&user), first);
    let answer = agent.done("apply_patch", json!({ "patch": patch }));
    assert!(answer.contains("\n[operation 1;") && answer.lines().count() == 6, "{answer}");
    assert_eq!(text_of(&user, "a.txt"), "one\r\nzwei\r\nthree\r\n");
    assert_eq!(text_of(&user, "d/b.py"), "x = 2\n");
    assert_eq!(text_of(&user, "new.txt"), "new\n");
    assert!(!user.path("project/b.py").exists() && !user.path("project/c.txt").exists());
    // A patch in git's format, from the command line.
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-zwei\n+two\n three\n";
    std::fs::write(user.path("change.diff"), diff).unwrap();
    let file = user.path("change.diff");
    let shown = user.check(&["patch", file.to_str().unwrap(), "--dry-run"], 0);
    assert!(shown.contains("\n-zwei\r\n+two\r\n three\r\n[dry run,"), "{shown:?}");
    user.check(&["patch", file.to_str().unwrap()], 0);
    assert_eq!(text_of(&user, "a.txt"), "one\r\ntwo\r\nthree\r\n");
    assert!(user.check(&["history"], 0).contains(" cli apply_patch: patch a.txt; a.txt\n"));
    let json: Value = serde_json::from_str(&user.check(&["history", "--json"], 0)).unwrap();
    assert_eq!(json["operations"][1]["files"].as_array().unwrap().len(), 5, "{json}");
    user.check(&["undo", "1"], 1);
    user.check(&["undo"], 0);
    user.check(&["undo"], 0);
    assert_eq!(things(&user), first);
    user.check(&["redo"], 0);
    assert_eq!(text_of(&user, "d/b.py"), "x = 2\n");
}

#[test]
fn a_patch_that_calls_one_file_by_two_names_is_refused() {
    let user = User::new();
    put(&user, "d/a.py", "a = 1\nb = 2\nc = 3\nd = 4\n");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, user.path("project").join(name)).unwrap();
    };
    link("d", "dl");
    link("d/a.py", "link.py");
    let first = things(&user);
    let mut agent = Agent::new(&user, "native");
    let one = "*** Update File: d/a.py\n@@\n-a = 1\n+a = 1111\n+aa = 1\n";
    for (other, names) in [
        ("*** Update File: link.py\n@@\n-d = 4\n+d = 44\n", "d/a.py and link.py are one file (d/a.py)"),
        ("*** Update File: dl/a.py\n@@\n-d = 4\n+d = 44\n", "d/a.py and dl/a.py are one file (d/a.py)"),
        ("*** Update File: dl/a.py\n*** Move to: b.py\n", "d/a.py and dl/a.py are one file (d/a.py)"),
        ("*** Delete File: dl/a.py\n", "d/a.py and dl/a.py are one file (d/a.py)"),
        (
            "*** Add File: d/n.py\n+x = 1\n*** Add File: dl/n.py\n+y = 1\n",
            "d/n.py and dl/n.py are one file (d/n.py)",
        ),
    ] {
        let patch = format!("*** Begin Patch\n{one}{other}*** End Patch\n");
        let refusal = agent.refused("apply_patch", json!({ "patch": patch }));
        assert_eq!(refusal, format!("{names}; nothing was written; give its changes under one name"));
        assert_eq!(things(&user), first);
    }
    // A path through a link works as well, and expectations about the file apply under both paths.
    let patch = |section: &str| format!("*** Begin Patch\n*** {section}*** End Patch\n");
    for (section, name) in [
        ("Update File: dl/a.py\n@@\n-a = 1\n+a = 11\n", "dl/a.py"),
        ("Update File: link.py\n@@\n-a = 1\n+a = 11\n", "link.py"),
        ("Delete File: dl/a.py\n", "dl/a.py"),
    ] {
        let arguments = json!({ "patch": patch(section), "expect": { name: revision("old") } });
        let refusal = agent.refused("apply_patch", arguments);
        assert!(refusal.starts_with(&format!("conflict: {name} has revision ")), "{refusal}");
    }
    agent.done("apply_patch", json!({ "patch": patch("Add File: dl/n.py\n+x = 1\n") }));
    agent.done(
        "apply_patch",
        json!({ "patch": patch("Update File: dl/n.py\n*** Move to: dl/m.py\n@@\n-x = 1\n+x = 2\n") }),
    );
    agent.done("apply_patch", json!({ "patch": patch("Update File: link.py\n@@\n-a = 1\n+a = 11\n") }));
    assert_eq!(text_of(&user, "d/m.py"), "x = 2\n");
    assert_eq!(text_of(&user, "d/a.py"), "a = 11\nb = 2\nc = 3\nd = 4\n");
    agent.done("apply_patch", json!({ "patch": patch("Delete File: dl/m.py\n") }));
    agent.done("undo", json!({}));
    agent.done("undo", json!({}));
    agent.done("undo", json!({}));
    agent.done("undo", json!({}));
    assert_eq!(things(&user), first);
}

#[test]
fn what_changed_since_it_was_read_is_not_edited() {
    let user = User::new();
    put(&user, "calc.py", CALC);
    let (mut one, mut other) = (Agent::new(&user, "native"), Agent::new(&user, "native"));
    let edit = |needle: &str, repl: &str| of_file(json!({ "needle": needle, "repl": repl }));
    for (tool, arguments) in [
        ("read_file", of_file(json!({}))),
        ("get_symbols_overview", of_file(json!({}))),
        ("find_symbol", json!({ "name_path_pattern": "main", "include_body": true })),
    ] {
        one.done(tool, arguments);
        let before = text_of(&user, "calc.py");
        put(&user, "calc.py", format!("{before}# more\n"));
        let refusal = one.refused("replace_content", edit("class Calc", "class Sum"));
        let (old, new) = (revision(&before), revision(text_of(&user, "calc.py")));
        assert_eq!(
            refusal,
            format!(
                "conflict: calc.py changed since it was read here (revision {old}, now {new}); nothing was written; read \
                 it again and repeat the edit, or give expect: \"{new}\" to edit it as it is"
            ),
            "{tool}"
        );
        // The other connection has read nothing: it edits the current content.
        other.done("replace_content", edit("# more\n", "# less\n"));
        other.done("replace_content", edit("# less\n", "# none\n"));
        other.done("undo", json!({}));
        other.done("undo", json!({}));
        let mut named = edit("# more\n", "");
        named["expect"] = new.into();
        one.done("replace_content", named.clone());
        let refusal = one.refused("replace_content", named);
        assert!(refusal.starts_with("conflict: calc.py has revision "), "{refusal}");
    }
    assert_eq!(text_of(&user, "calc.py"), CALC);
    let mut odd = edit("a", "b");
    odd["expect"] = "xyz".into();
    assert!(
        one.refused("replace_content", odd)
            .starts_with("Invalid parameter 'expect': expected a file revision")
    );
    // A later change by another program prevents undo.
    one.done("replace_content", edit("class Calc", "class Sum"));
    put(&user, "calc.py", "mine\n");
    let refusal = one.refused("undo", json!({}));
    assert!(refusal.starts_with("conflict: calc.py changed; nothing was written"), "{refusal}");
    std::fs::remove_file(user.path("project/calc.py")).unwrap();
    let refusal = one.refused("undo", json!({}));
    assert!(refusal.starts_with("conflict: calc.py is gone; nothing was written"), "{refusal}");
}

#[test]
fn undoing_what_others_did_is_not_reading_it() {
    let user = User::new();
    let first = "one\ntwo\nthree\n";
    let line =
        |line: u64, content: &str| json!({ "relative_path": "a.txt", "line": line, "content": content });
    let replace =
        |at: u64| json!({ "relative_path": "a.txt", "start_line": at, "end_line": at, "content": "TWO" });
    let read = json!({ "relative_path": "a.txt" });
    put(&user, "a.txt", first);
    let (mut one, mut other) = (Agent::new(&user, "native"), Agent::new(&user, "native"));
    let stale = |agent: &mut Agent, now: &str| {
        let refusal = agent.refused("replace_lines", replace(2));
        let (read, now) = (revision(first), revision(now));
        let starts = format!("conflict: a.txt changed since it was read here (revision {read}, now {now});");
        assert!(refusal.starts_with(&starts), "{refusal}");
    };
    one.done("read_file", read.clone());
    other.done("insert_at_line", line(1, "zero"));
    let once = text_of(&user, "a.txt");
    other.done("insert_at_line", line(1, "minus one"));
    let twice = text_of(&user, "a.txt");
    one.done("undo", json!({}));
    stale(&mut one, &once);
    one.done("redo", json!({}));
    stale(&mut one, &twice);
    // A file that was read, then changed, deleted and restored.
    other.done("apply_patch", json!({ "patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n" }));
    one.done("undo", json!({}));
    stale(&mut one, &twice);
    one.done("redo", json!({}));
    one.done("undo", json!({}));
    stale(&mut one, &twice);
    // Before and after an undo the connection knows the same, as no other client changed the file.
    one.done("undo", json!({}));
    one.done("undo", json!({}));
    assert_eq!(text_of(&user, "a.txt"), first);
    one.done("replace_lines", replace(2));
    one.done("undo", json!({}));
    one.done("redo", json!({}));
    one.done("replace_lines", replace(1));
    assert_eq!(text_of(&user, "a.txt"), "TWO\nTWO\nthree\n");
    // It also knows a file of its own that was removed and restored.
    one.done("create_text_file", json!({ "relative_path": "made.txt", "content": first }));
    one.done("undo", json!({}));
    one.done("redo", json!({}));
    other.done("insert_at_line", json!({ "relative_path": "made.txt", "line": 1, "content": "zero" }));
    let mut made = replace(2);
    made["relative_path"] = "made.txt".into();
    let refusal = one.refused("replace_lines", made);
    assert!(refusal.starts_with("conflict: made.txt changed since it was read here"), "{refusal}");
}

#[test]
fn what_breaks_a_file_needs_force_and_the_column_can_be_the_symbols() {
    let user = User::new();
    put(&user, "calc.py", CALC);
    let mut agent = Agent::new(&user, "native");
    let mut edit = of_file(json!({ "name_path": "Calc/sub", "body": "def sub(self:\n        return 1" }));
    let refusal = agent.refused("replace_symbol_body", edit.clone());
    assert_eq!(
        refusal,
        "calc.py: the file would no longer parse: line 5: `def sub(self:`; nothing was written; correct the text, or give \
         force: true"
    );
    assert_eq!(text_of(&user, "calc.py"), CALC);
    edit["force"] = true.into();
    agent.done("replace_symbol_body", edit);
    // The file no longer parses at this point: that is not the fault of this edit.
    agent.done("insert_at_line", of_file(json!({ "line": 1, "content": "# (" })));
    agent.done("undo", json!({}));
    agent.done("undo", json!({}));
    agent.done(
        "insert_after_symbol",
        of_file(json!({ "name_path": "Calc/sub", "body": "def neg(self, a):\n    return -a", "indent": "symbol" })),
    );
    let expected = CALC.replace("a - b\n", "a - b\n\n    def neg(self, a):\n        return -a\n");
    assert_eq!(text_of(&user, "calc.py"), expected);
}

#[test]
fn a_symbol_is_deleted_only_if_nothing_refers_to_it() {
    let user = User::new();
    put(&user, "calc.py", "def used():\n    pass\n\n\ndef unused(n):\n    return unused(n)\n");
    put(&user, "main.py", "from calc import used\n\nused()\n");
    let mut agent = Agent::new(&user, "native");
    let refusal = agent.refused("safe_delete", json!({ "name_path": "used" }));
    assert!(refusal.starts_with("used in calc.py is still used; nothing was written;"), "{refusal}");
    assert!(
        refusal.contains("main.py\n 1: from calc import used\n 3: used()\n[2 references in 1 file;"),
        "{refusal}"
    );
    agent.done("safe_delete", json!({ "name_path": "unused" }));
    assert_eq!(text_of(&user, "calc.py"), "def used():\n    pass\n");
    agent.done("safe_delete", json!({ "name_path": "used", "force": true }));
    assert_eq!(text_of(&user, "calc.py"), "");
    // It does not delete symbols that are declared in the same statement either.
    put(&user, "pair.c", "int left(void), right(void);\nint sum(void) { return right(); }\n");
    assert_eq!(
        agent.refused("safe_delete", json!({ "name_path": "left" })),
        "'left' is bound together with 'right' by one statement (pair.c:1); replace that statement instead; nothing was written"
    );
    // The documentation is deleted, too.
    put(&user, "Box.kt", "val x = 1\n\n/** Of Box. */\nclass Box\n");
    agent.done("safe_delete", json!({ "name_path": "Box" }));
    assert_eq!(text_of(&user, "Box.kt"), "val x = 1\n");
    user.check(&["undo"], 0);
    user.check(&["undo"], 0);
    user.check(&["undo"], 0);
}

#[test]
fn nobody_sees_half_of_an_edit_or_what_is_staged_for_it() {
    use std::sync::atomic::{AtomicBool, Ordering};
    const FILES: usize = 40;
    const EDITS: usize = 25;
    let user = User::new();
    for number in 0..FILES {
        put(&user, &format!("d{}/f{number}.py", number % 5), "version_0 = 1\n");
    }
    // Started before the threads, all of which would start it otherwise.
    let socket = user.socket();
    let ended = AtomicBool::new(false);
    let questions: usize = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|reader| {
                let (socket, ended) = (&socket, &ended);
                scope.spawn(move || {
                    let mut agent = Agent::over(Wire::connect(socket), "serena");
                    let mut asked = 0;
                    while !ended.load(Ordering::Relaxed) {
                        asked += 1;
                        match reader {
                            0 => one_version(&agent.done(
                                "search_for_pattern",
                                json!({ "substring_pattern": "version_[0-9]+" }),
                            )),
                            1 => one_version(&agent.done(
                                "find_symbol",
                                json!({ "name_path_pattern": "version_", "substring_matching": true, "include_body": true }),
                            )),
                            _ => {
                                let all = json!({ "relative_path": ".", "recursive": true });
                                let listed = agent.done("list_dir", all);
                                assert!(!listed.contains(symd::vfs::TEMPORARY_PREFIX), "{listed}");
                                assert_eq!(listed.matches(".py").count(), FILES, "{listed}");
                            }
                        }
                    }
                    asked
                })
            })
            .collect();
        let mut writer = Agent::over(Wire::connect(&socket), "native");
        for edit in 0..EDITS {
            let (old, new) = (format!("version_{edit} = 1"), format!("version_{} = 1", edit + 1));
            let one = |number: usize| {
                let path = format!("d{}/f{number}.py", number % 5);
                format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n")
            };
            let patch: String = (0..FILES).map(one).collect();
            writer.done("apply_patch", json!({ "patch": patch }));
        }
        ended.store(true, Ordering::Relaxed);
        readers.into_iter().map(|reader| reader.join().unwrap()).sum()
    });
    assert!(questions > EDITS, "{questions} questions: too few to meet an edit");
    let left = things(&user).into_keys().find(|path| path.to_string_lossy().contains("symd-edit"));
    assert_eq!(left, None);

    fn one_version(answer: &str) {
        let versions: std::collections::BTreeSet<&str> = answer
            .split("version_")
            .skip(1)
            .map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap())
            .collect();
        assert_eq!(versions.len(), 1, "{versions:?}: {answer}");
        assert_eq!(answer.matches(".py").count(), FILES);
    }
}

/// A way to encode a text.
type Spell = fn(&str) -> Vec<u8>;

#[test]
fn all_bytes_but_those_meant_stay_as_they_are() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    let plain: Spell = |text| text.as_bytes().to_vec();
    let marked: Spell = |text| [b"\xEF\xBB\xBF", text.as_bytes()].concat();
    let little: Spell =
        |text| [b"\xFF\xFE".to_vec(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
    let big: Spell =
        |text| [b"\xFE\xFF".to_vec(), text.encode_utf16().flat_map(u16::to_be_bytes).collect()].concat();
    // (name, text, ending of its first line, encoding)
    let files = [
        ("lf", "a = 1\neins = 2\nb = 3\n", "\n", plain),
        ("crlf", "a = 1\r\neins = 2\r\nb = 3\r\n", "\r\n", plain),
        ("cr", "a = 1\reins = 2\r", "\r", plain),
        ("mixed", "a = 1\r\neins = 2\nb = 3\r", "\r\n", plain),
        ("bom", "eins = 2\r\nb = 3\r\n", "\r\n", marked),
        ("unended", "a = 1\neins = 2", "\n", plain),
        ("utf16le", "a = '\u{1F600}'\r\neins = 2\r\n", "\r\n", little),
        ("utf16be", "a = '\u{1F600}'\neins = 2", "\n", big),
        ("astral", "a = '\u{1F600}\u{1F600}'; eins = '\u{1F600}'\n", "\n", plain),
        ("tabs", "if a:\n\teins = 2\n\t\n", "\n", plain),
        ("separators", "a = '\u{2028}\u{85}'\neins = 2\n", "\n", plain),
    ];
    for (toolset, first_line) in [("serena", 0), ("native", 1)] {
        let mut agent = Agent::new(&user, toolset);
        let undo = |agent: &mut Agent| match toolset {
            "native" => agent.done("undo", json!({})),
            _ => user.check(&["undo"], 0),
        };
        for (name, text, ending, spell) in files {
            let path = format!("{name}.py");
            let file = |text: &str| Thing::File { bytes: spell(text), mode: 0o751 };
            put(&user, &path, spell(text));
            let mode = std::fs::Permissions::from_mode(0o751);
            std::fs::set_permissions(user.path("project").join(&path), mode).unwrap();
            let link = format!("link_to_{name}.py");
            let _ = std::os::unix::fs::symlink(&path, user.path("project").join(&link));
            // Edited through the link: the target changes, the link stays.
            let edit = json!({ "relative_path": link, "needle": "eins", "repl": "one", "mode": "literal" });
            agent.done("replace_content", edit);
            let now = things(&user);
            assert_eq!(now[Path::new(&path)], file(&text.replace("eins", "one")), "{toolset} {name}");
            assert_eq!(now[Path::new(&link)], Thing::Link(path.clone().into()), "{toolset} {name}");
            undo(&mut agent);
            assert_eq!(things(&user)[Path::new(&path)], file(text), "{toolset} {name}");
            // Inserted text gets the file's own line ending.
            let edit = json!({ "relative_path": path, "line": first_line, "content": "# one\n# two" });
            agent.done("insert_at_line", edit);
            let expected = format!("# one{ending}# two{ending}{text}");
            assert_eq!(things(&user)[Path::new(&path)], file(&expected), "{toolset} {name}");
            undo(&mut agent);
            assert_eq!(things(&user)[Path::new(&path)], file(text), "{toolset} {name}");
        }
    }
}
