//! Emacs with Debian's eglot, in batch mode, against the real daemon: a client that knows nothing of symd.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::neovim;
use crate::servers::{real_program, unrun};
use crate::support::{User, write};

/// Returns the directory of Debian's eglot.
fn eglot() -> Option<std::path::PathBuf> {
    let packages = std::fs::read_dir("/usr/share/emacs/site-lisp/elpa").ok()?;
    let mut found = packages.flatten().map(|entry| entry.path());
    found.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("eglot-")))
}

/// Runs `script` in Emacs in the user's project; returns what it reported, a line for each fact. `None`: there is no Emacs with
/// eglot, which has been recorded.
#[track_caller]
fn play(user: &User, script: &str) -> Option<String> {
    if !real_program("emacs") {
        return None;
    }
    let Some(eglot) = eglot() else {
        unrun("eglot is not in /usr/share/emacs/site-lisp/elpa");
        return None;
    };
    let stage = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/symd/emacs.el");
    write(&user.path("script.el"), script);
    let mut command = user.dressed(Command::new("emacs"));
    let ran = command
        .args(["-Q", "--batch", "-L"])
        .arg(eglot)
        .args(["--eval", "(package-initialize)", "-l"])
        .arg(stage)
        .env("LANG", "C.UTF-8")
        .env("SYMD", env!("CARGO_BIN_EXE_symd"))
        .env("REPORT", user.path("report"))
        .env("SCRIPT", user.path("script.el"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let report = std::fs::read_to_string(user.path("report")).unwrap_or_default();
    assert!(ran.status.success(), "{report}\n{}", String::from_utf8_lossy(&ran.stderr));
    Some(report)
}

#[test]
fn emacs_shows_its_unsaved_text_and_makes_an_agents_edit() {
    let user = neovim::user();
    let script = r##"
(goto-char (point-min))
(insert "# é𝒳 typed\n")
(settle)
(say "seen" (has (agent "read_file" "{\"relative_path\": \"a.py\"}") "typed"))
(say "edit" (has (agent "replace_content" "{\"relative_path\": \"a.py\", \"needle\": \"return\", \"repl\": \"yield\", \"mode\": \"literal\"}")
                 "a build sees the file as it was saved"))
(say "buffer" (equal (buffer-string) "# é𝒳 typed\ndef saved():\n    yield \"𝒳\"\n"))
(say "unsaved" (and (buffer-modified-p) (equal (disk) "def saved():\n    return \"𝒳\"\n")))
(agent "undo" "{}")
(say "undone" (equal (buffer-string) "# é𝒳 typed\ndef saved():\n    return \"𝒳\"\n"))
(save-buffer)
(settle)
(say "saved" (not (has (agent "read_file" "{\"relative_path\": \"a.py\"}") "unsaved")))
    "##;
    let Some(report) = play(&user, script) else { return };
    let expected = "seen: true\nedit: true\nbuffer: true\nunsaved: true\nundone: true\nsaved: true\n";
    assert_eq!(report, expected);
}

#[test]
fn an_agent_waits_while_emacs_asks_its_user_before_an_edit() {
    let user = neovim::user();
    // The test answers eglot's question itself: Emacs in batch mode has no user.
    let script = r##"
(setq eglot-confirm-server-initiated-edits 'confirm)
(defvar answer nil)
(defun y-or-n-p (question)
  (say "asked" (and (has question "Server wants to edit") (has question "a.py")))
  ;; The user looks at the question: the agent waits, and another one sees the text before the edit.
  (say "waits" (process-live-p the-agent))
  (say "before" (has (shell-command-to-string (format "%s call read_file '{\"relative_path\": \"a.py\"}'" symd)) "return"))
  answer)
(defun edit () (agent "replace_content" "{\"relative_path\": \"a.py\", \"needle\": \"return\", \"repl\": \"yield\", \"mode\": \"literal\"}"))
(goto-char (point-min))
(insert "# typed\n")
(settle)
(let ((told (edit))) (say "refused" (and (has told "did not change a.py") (has told "nothing was written"))))
(say "kept" (and (has (buffer-string) "return") (has (disk) "return")))
(setq answer t)
(say "edit" (has (edit) "a build sees the file as it was saved"))
(say "buffer" (and (has (buffer-string) "yield") (has (disk) "return")))
    "##;
    let Some(report) = play(&user, script) else { return };
    let asked = "asked: true\nwaits: true\nbefore: true\n";
    let expected = format!("{asked}refused: true\nkept: true\n{asked}edit: true\nbuffer: true\n");
    assert_eq!(report, expected);
}
