//! A client that edits as agents do: it calls random tools of `native` that change files, without knowledge
//! of the other clients. It only asserts that every rejection has such a cause; the caller must check the
//! tree.

use std::path::Path;

use serde_json::{Value, json};

use super::edit_agent::Agent;
use crate::support::write;

/// Numbers of text files in three directories, and of Python modules.
const TEXTS: u8 = 12;
const MODULES: u8 = 5;

/// Parts of the messages of rejections that are caused by other clients' edits, or by there being nothing to
/// do.
const EXPECTED: &[&str] = &[
    "conflict",
    "changed",
    "exists already",
    "does not exist",
    "there is no such file",
    "past the end",
    "past its end",
    "does not apply",
    "is ambiguous",
    "no line",
    "No matches",
    "occurrences",
    "No symbol",
    "symbols match",
    "no occurrence of",
    "look at these places",
    "there is nothing to undo",
    "there is nothing to redo",
];

/// Creates the files to edit.
pub fn plant(project: &Path) {
    for number in 0..TEXTS {
        let directory = project.join(format!("d{}", number % 3));
        std::fs::create_dir_all(&directory).unwrap();
        write(&directory.join(format!("f{number}.txt")), &format!("{number}\r\none\ntwo\n"));
    }
    for number in 0..MODULES {
        let module =
            format!("def f{number}():\n    return {number}\n\n\ndef g{number}():\n    return f{number}()\n");
        write(&project.join(format!("p{number}.py")), &module);
        let user = format!("from p{number} import f{number}, g{number}\n\nprint(f{number}(), g{number}())\n");
        write(&project.join(format!("use{number}.py")), &user);
    }
}

/// Calls tools until the daemon is gone; calls `tell` for each operation that was made.
pub fn edit_until_it_is_gone(mut agent: Agent, project: &Path, mut random: fastrand::Rng, tell: impl Fn()) {
    let mut has_undone = false;
    loop {
        // A redo succeeds only if no other client has committed since the undo: asked at random it rarely does.
        let is_redo = std::mem::take(&mut has_undone) && random.u8(..4) > 0;
        let drawn = if is_redo { Some(("redo", json!({}))) } else { call(project, &mut random) };
        let Some((tool, arguments)) = drawn else { continue };
        let shown = format!("{tool} {arguments}");
        let path = arguments["relative_path"].as_str().map(str::to_owned);
        match agent.try_call(tool, arguments) {
            None => return,
            Some((text, false)) => {
                if text.lines().last().is_some_and(|facts| facts.contains("operation ")) {
                    tell();
                }
                has_undone = tool == "undo";
            }
            Some((text, true)) => {
                assert!(EXPECTED.iter().any(|one| text.contains(one)), "{shown}: {text}");
                // The client knows an old state of the file: it reads the file again, as the message says.
                if let Some(path) = path
                    && agent.try_call("read_file", json!({ "relative_path": path })).is_none()
                {
                    return;
                }
            }
        }
    }
}

/// Returns one call; `None` if its file does not exist.
fn call(project: &Path, random: &mut fastrand::Rng) -> Option<(&'static str, Value)> {
    // Mostly at its original path; some files have been moved.
    let text = random.u8(..TEXTS);
    let directory = if random.u8(..4) == 0 { random.u8(..3) } else { text % 3 };
    let text = format!("d{directory}/f{text}.txt");
    let module = format!("p{}.py", random.u8(..MODULES));
    let number = random.u32(..);
    Some(match random.u8(..16) {
        0 => {
            let path = format!("new/{}.txt", random.u8(..30));
            ("create_text_file", json!({ "relative_path": path, "content": number.to_string() }))
        }
        1 => ("delete_lines", json!({ "relative_path": text, "start_line": 1, "end_line": 1 })),
        2 | 3 => {
            let line = number.to_string();
            ("insert_at_line", json!({ "relative_path": text, "line": 1, "content": line }))
        }
        4 | 5 => (
            "replace_content",
            json!({ "relative_path": text, "needle": "two", "repl": format!("{number} two") }),
        ),
        6 | 7 => {
            let name = names(project, &module)?.pop()?;
            let body = format!("def {name}():\n    return {number}\n");
            ("replace_symbol_body", json!({ "relative_path": module, "name_path": name, "body": body }))
        }
        8 | 9 => {
            let name = names(project, &module)?.into_iter().next()?;
            let arguments = json!({
                "relative_path": module, "name_path": name, "new_name": format!("n{number}"), "wait": "no",
            });
            ("rename_symbol", arguments)
        }
        10 => ("undo", json!({})),
        11 => ("redo", json!({})),
        _ => ("apply_patch", json!({ "patch": patch(project, &text, random)? })),
    })
}

/// Returns the current functions of a module.
fn names(project: &Path, module: &str) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(project.join(module)).ok()?;
    let name = |line: &str| Some(line.strip_prefix("def ")?.split('(').next()?.to_owned());
    Some(text.lines().filter_map(name).collect())
}

fn patch(project: &Path, path: &str, random: &mut fastrand::Rng) -> Option<String> {
    let number = random.u32(..);
    let mut patch = String::from("*** Begin Patch\n");
    for at in 0..random.u8(1..4) {
        patch.push_str(&format!("*** Add File: many/{number}/{at}.txt\n+{}\n", random.u64(..)));
    }
    let text = std::fs::read_to_string(project.join(path)).ok()?;
    let first = text.lines().next()?;
    let moved = format!("d{}/f{}.txt", random.u8(..3), random.u8(..TEXTS));
    patch.push_str(&match random.u8(..5) {
        0 => format!("*** Delete File: {path}\n"),
        1 => format!("*** Update File: {path}\n*** Move to: {moved}\n"),
        2 => format!("*** Update File: {path}\n*** Move to: {moved}\n@@\n-{first}\n+{number}\n"),
        _ => format!("*** Update File: {path}\n@@\n-{first}\n+{number}\n+{first}\n"),
    });
    patch.push_str("*** End Patch\n");
    Some(patch)
}
