//! What the edit tools of both toolsets reject, and with which messages, through the real daemon: nothing is
//! written.

use std::path::Path;

use serde_json::{Value, json};

use super::edit_agent::{Agent, CALC, of_file, put, things};
use super::hostile_files::Ordinary;
use crate::support::User;

#[test]
fn what_cannot_be_meant_is_refused_in_the_toolsets_own_words() {
    let user = User::new();
    put(&user, "calc.py", CALC);
    put(&user, "binary", b"a\0b");
    put(&user, ".gitignore", "secret\n");
    put(&user, "secret", "s\n");
    put(&user, "directory/f", "f\n");
    std::fs::create_dir(user.path("outside")).unwrap();
    std::fs::write(user.path("outside/f"), "outside\n").unwrap();
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, user.path("project").join(name)).unwrap()
    };
    link(&user.path("outside/f"), "out");
    link(&user.path("outside"), "out_directory");
    let first = things(&user);
    let mut native = Agent::new(&user, "native");
    let mut serena = Agent::new(&user, "serena");
    // (path, message in serena, message in native)
    let outside = format!(
        "Path is outside the project: /etc/passwd (the project is {})",
        user.path("project").display()
    );
    let cases = [
        ("gone.py", "Path validation failed: Path does not exist: gone.py", "Path does not exist: gone.py"),
        ("/etc/passwd", "Path validation failed: Path must be relative, got: /etc/passwd", outside.as_str()),
        (
            "../outside/f",
            "Path validation failed: Path is outside the project: ../outside/f",
            "Path is outside the project: ../outside/f",
        ),
        (
            "out",
            "Path validation failed: Path is outside the project: out",
            "Path is outside the project: out",
        ),
        ("secret", "Path validation failed: Path is ignored: secret", "Path is ignored: secret"),
        (
            "directory",
            "Error: Expected a file path, but got a directory path: directory",
            "Expected a file path, but got a directory path: directory",
        ),
        (
            "binary",
            "Error: binary is a binary file, it has no text to show",
            "binary is a binary file, it has no text to show",
        ),
    ];
    for (path, for_serena, for_native) in cases {
        // A path outside that is absolute is refused before the tool is called.
        let for_native = match path.starts_with('/') {
            true => for_native.to_owned(),
            false => format!("{for_native}; nothing was written"),
        };
        let edits = [
            (
                "replace_content",
                json!({ "relative_path": path, "needle": "a", "repl": "b", "mode": "literal" }),
            ),
            ("delete_lines", json!({ "relative_path": path, "start_line": 1, "end_line": 1 })),
            ("insert_at_line", json!({ "relative_path": path, "line": 1, "content": "x" })),
        ];
        for (tool, arguments) in edits {
            assert_eq!(serena.refused(tool, arguments.clone()), for_serena, "{tool}");
            assert_eq!(native.refused(tool, arguments), for_native, "{tool}");
        }
        if !matches!(path, "gone.py" | "binary") {
            let write = json!({ "relative_path": path, "content": "x" });
            assert_eq!(serena.refused("create_text_file", write.clone()), for_serena);
            assert_eq!(native.refused("create_text_file", write), for_native);
        }
    }
    let cases = [
        (
            "create_text_file",
            json!({ "relative_path": "out_directory/new", "content": "" }),
            "Path validation failed: Path is outside the project: out_directory/new",
        ),
        (
            "create_text_file",
            json!({ "relative_path": "calc.py/new", "content": "" }),
            "IO error: cannot write calc.py/new: not a directory",
        ),
        (
            "replace_content",
            of_file(json!({ "needle": "nothing", "repl": "", "mode": "literal" })),
            "Error: No matches of search expression found in file 'calc.py'.",
        ),
        (
            "replace_content",
            of_file(json!({ "needle": "def", "repl": "", "mode": "literal" })),
            "Expression matches 3 occurrences in file 'calc.py'. Please revise the expression to be more specific or enable allow_multiple_occurrences if this is expected.",
        ),
        (
            "replace_content",
            of_file(json!({ "needle": "def", "repl": "", "mode": "glob" })),
            "Error: Invalid mode: 'glob', expected 'literal' or 'regex'",
        ),
        (
            "replace_content",
            of_file(json!({ "needle": "def", "repl": "" })),
            "Error: Missing required parameter 'mode' (expected a string)",
        ),
        (
            "delete_lines",
            of_file(json!({ "start_line": 8, "end_line": 10 })),
            "Error: Line 10 is past the end of the file, whose last line is 9 (lines are 0-based)",
        ),
        (
            "insert_at_line",
            of_file(json!({ "line": 11, "content": "x" })),
            "Error: Line 11 is past the end of the file; insert at line 10 to append",
        ),
        (
            "replace_symbol_body",
            of_file(json!({ "name_path": "Calc/mul", "body": "x" })),
            "Error: No symbol matching 'Calc/mul' found",
        ),
        (
            "insert_after_symbol",
            of_file(json!({ "name_path": "main", "body": " \n" })),
            "Error: The body is empty; give the text to insert",
        ),
    ];
    for (tool, arguments, says) in cases {
        assert_eq!(serena.refused(tool, arguments), says, "{tool}");
    }
    let cases = [
        (
            "delete_lines",
            of_file(json!({ "start_line": 9, "end_line": 11 })),
            "line 11 is past the end of the file, which has 10; nothing was written",
        ),
        (
            "delete_lines",
            of_file(json!({ "start_line": 0, "end_line": 1 })),
            "Invalid parameter 'start_line': expected a 1-based line, got: 0",
        ),
        (
            "replace_lines",
            of_file(json!({ "start_line": 3, "end_line": 2, "content": "x" })),
            "start_line 3 is after end_line 2; nothing was written",
        ),
        (
            "insert_at_line",
            of_file(json!({ "line": 12, "content": "x" })),
            "line 12 is past the end of the file; insert at line 11 to append; nothing was written",
        ),
        (
            "apply_patch",
            json!({ "patch": "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n" }),
            "line 1 of the patch: Path is outside the project: ../x; nothing was written",
        ),
        (
            "apply_patch",
            json!({ "patch": "--- a/out\n+++ b/out\n@@ -1 +1 @@\n-outside\n+b\n" }),
            "out: Path is outside the project: out; nothing was written",
        ),
        (
            "undo",
            json!({ "id": 99 }),
            "operation 99 is not in the history; list the history for the numbers that are; nothing was written",
        ),
        ("redo", json!({}), "there is nothing to redo: no undo since the last edit; nothing was written"),
    ];
    for (tool, arguments, says) in cases {
        assert_eq!(native.refused(tool, arguments), says, "{tool}");
    }
    assert_eq!(things(&user), first);
    assert_eq!(native.done("history", json!({})), "[0 operations]");
}

/// A hook that a tool writes would be run by the next user who commits; the configuration names programs,
/// too.
#[test]
fn nothing_is_written_where_git_keeps_its_hooks_in_any_toolset() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    user.settles("[policy]\ncli_agent = \"allow\"\ntool_router = \"allow\"\ngemini_cli = \"allow\"\n");
    let project = user.path("project").canonicalize().unwrap();
    let init = std::process::Command::new("git").args(["init", "-q", "--template="]).arg(&project).status();
    assert!(init.unwrap().success());
    put(&user, "run.sh", "#!/bin/sh\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(project.join("run.sh"), executable).unwrap();
    put(&user, ".git/hooks/post-commit.sample", "#!/bin/sh\n");
    // The hooks of a submodule, and a link that leads to hooks.
    put(&user, "module/.git", "gitdir: ../.git/modules/module\n");
    std::os::unix::fs::symlink(".git/hooks", project.join("hooks")).unwrap();
    let first = things(&user);
    let places = [
        ".git/hooks/post-commit",
        ".GIT/hooks/post-commit",
        "hooks/post-commit",
        "deep/.git/hooks/post-commit",
    ];
    let own = |path: &str| {
        format!("{path} belongs to git, which runs programs that are named there; symd does not write it")
    };
    let patches = |path: &str| {
        [
            format!("*** Add File: {path}\n+#!/bin/sh\n"),
            format!("*** Update File: run.sh\n*** Move to: {path}\n"),
            format!("*** Update File: run.sh\n*** Move to: {path}\n@@\n-#!/bin/sh\n+#!/bin/bash\n"),
        ]
        .map(|sections| json!({ "patch": format!("*** Begin Patch\n{sections}*** End Patch\n") }))
    };
    let mut native = Agent::new(&user, "native");
    let mut serena = Agent::new(&user, "serena");
    let mut gemini = Agent::new(&user, "gemini_cli");
    let mut cli_agent = Agent::new(&user, "cli_agent");
    let mut router = Agent::new(&user, "tool_router");
    for path in places {
        let nothing = format!("{}; nothing was written", own(path));
        let file = json!({ "relative_path": path, "content": "#!/bin/sh\n" });
        assert_eq!(native.refused("create_text_file", file.clone()), nothing);
        let mut trial = file.clone();
        trial["dry_run"] = true.into();
        assert_eq!(native.refused("create_text_file", trial), nothing);
        let ignored = format!("Path validation failed: Path is ignored: {path}");
        assert_eq!(serena.refused("create_text_file", file), ignored);
        let file = json!({ "file_path": format!("{}/{path}", project.display()), "content": "#!/bin/sh\n" });
        assert_eq!(gemini.refused("write_file", file), format!("Error writing to file: {nothing}"));
        let answer = cli_agent.refused("create_file", json!({ "path": path, "content": "#!/bin/sh\n" }));
        assert!(answer.contains("\"code\":\"permission_denied\""), "{answer}");
        // New files of a patch are named by their resolved path.
        let place = path.strip_prefix("hooks/").map_or(path.to_owned(), |name| format!(".git/hooks/{name}"));
        let nothing = format!("{}; nothing was written", own(&place));
        for patch in patches(path) {
            assert_eq!(native.refused("apply_patch", patch.clone()), nothing);
            let answer = router.refused("apply_patch_json", patch);
            assert!(answer.contains(&nothing), "{answer}");
        }
        let answer = cli_agent.refused("create_directory", json!({ "path": format!("{path}/d") }));
        assert!(answer.contains("\"code\":\"permission_denied\""), "{answer}");
        assert_eq!(things(&user), first, "{path}");
    }
    // Existing files: a tool without ignore rules cannot change them either.
    for (path, old, new) in [
        ("hooks/post-commit.sample", "#!/bin/sh", "#!/bin/bash"),
        (".git/config", "[core]", "[core]\n\tfsmonitor = ./run.sh"),
        ("module/.git", "gitdir: ../.git/modules/module", "gitdir: ./planted"),
    ] {
        let sections = format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n");
        let delete = format!("*** Delete File: {path}\n");
        for section in [sections, delete, format!("*** Update File: {path}\n*** Move to: taken\n")] {
            let patch = json!({ "patch": format!("*** Begin Patch\n{section}*** End Patch\n") });
            router.refused("apply_patch_json", patch.clone());
            native.refused("apply_patch", patch);
        }
        let replace = json!({ "path": path, "old_string": old, "new_string": new });
        cli_agent.refused("replace_string_in_file", replace);
        serena.refused("create_text_file", json!({ "relative_path": path, "content": new }));
        assert_eq!(things(&user), first, "{path}");
    }
    for path in [".gitignore", ".github/workflows/ci.yml", "a.git/x"] {
        native.done("create_text_file", json!({ "relative_path": path, "content": "" }));
    }
}

#[test]
fn what_may_not_be_written_is_refused_and_the_rest_of_the_edit_with_it() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let ordinary = Ordinary::new();
    let user = &ordinary.user;
    for file in ["good.py", "closed.py", "shut/in.py"] {
        put(user, file, "x = 1\n");
    }
    ordinary.own();
    let chmod = |name: &str, mode: u32| {
        let path = user.path("project").join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    chmod("closed.py", 0o444);
    chmod("shut", 0o555);
    let first = things(user);
    let status: Value = serde_json::from_str(&{
        ordinary.run(&["start"]);
        ordinary.run(&["status", "--json"])
    })
    .unwrap();
    let process = std::fs::metadata(format!("/proc/{}", status["pid"])).unwrap();
    assert_ne!(process.uid(), 0, "root may write everything");
    let closed = "closed.py is read-only";
    let shut = "shut/in.py is read-only (its directory cannot be written)";
    let new = "shut/new.py is read-only (its directory cannot be written)";
    let patch = |file: &str| {
        let hunk = "@@ -1 +1 @@\n-x = 1\n+x = 2\n";
        json!({ "patch": format!("--- a/good.py\n+++ b/good.py\n{hunk}--- a/{file}\n+++ b/{file}\n{hunk}") })
    };
    let replace =
        |file: &str| json!({ "relative_path": file, "needle": "1", "repl": "2", "mode": "literal" });
    let symbol = |file: &str| json!({ "name_path": "x", "relative_path": file, "body": "x = 2" });
    let cases = [
        ("replace_content", replace("closed.py"), closed),
        ("replace_content", replace("shut/in.py"), shut),
        ("replace_symbol_body", symbol("closed.py"), closed),
        ("replace_symbol_body", symbol("shut/in.py"), shut),
        ("create_text_file", json!({ "relative_path": "shut/new.py", "content": "" }), new),
        ("create_text_file", json!({ "relative_path": "closed.py", "content": "" }), closed),
        ("apply_patch", patch("closed.py"), closed),
        ("apply_patch", patch("shut/in.py"), shut),
    ];
    for (tool, arguments, says) in cases {
        let arguments = arguments.to_string();
        assert_eq!(
            ordinary.run(&["call", tool, &arguments]),
            format!("{says}; nothing was written\n"),
            "{tool}"
        );
        if tool != "apply_patch" {
            let answer = ordinary.run(&["call", "--toolset", "serena", tool, &arguments]);
            assert_eq!(answer, format!("IO error: {says}\n"), "{tool}");
        }
        assert_eq!(things(user), first, "{tool}");
    }
    // Another user's file, in a directory of ours: a rename could replace it, but it is not ours to write.
    if rustix::process::geteuid().is_root() {
        let path = user.path("project/good.py");
        std::os::unix::fs::chown(&path, Some(0), Some(0)).unwrap();
        chmod("good.py", 0o644);
        let answer = ordinary.run(&["call", "replace_content", &replace("good.py").to_string()]);
        assert_eq!(answer, "good.py is read-only; nothing was written\n");
    }
}
