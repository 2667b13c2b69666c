//! Emacs with Debian's eglot, in batch mode, against the real daemon: a client that knows nothing of symd, and one with symd's package.

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
    play_with(user, script, |_| {})
}

/// Like [`play`], in a changed environment.
#[track_caller]
fn play_with(user: &User, script: &str, change: impl FnOnce(&mut Command)) -> Option<String> {
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
    command
        .args(["-Q", "--batch", "-L"])
        .arg(eglot)
        .args(["--eval", "(package-initialize)", "-l"])
        .arg(stage)
        .env("LANG", "C.UTF-8")
        .env("SYMD", env!("CARGO_BIN_EXE_symd"))
        .env("REPORT", user.path("report"))
        .env("SCRIPT", user.path("script.el"))
        .stdin(Stdio::null());
    change(&mut command);
    let ran = command.output().unwrap();
    let report = std::fs::read_to_string(user.path("report")).unwrap_or_default();
    assert!(ran.status.success(), "{report}\n{}", String::from_utf8_lossy(&ran.stderr));
    Some(report)
}

/// Has Emacs load symd's package, and find `symd` on its PATH.
fn with_package(user: &User) -> impl FnOnce(&mut Command) {
    std::fs::create_dir(user.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_symd"), user.path("bin/symd")).unwrap();
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/emacs/symd.el");
    let path = std::env::var_os("PATH").unwrap();
    let directories = std::iter::once(user.path("bin")).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(directories).unwrap();
    move |command| {
        command.env("PACKAGE", package).env("PATH", path);
    }
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

#[test]
fn the_package_for_emacs_reads_changed_files_again_and_has_commands() {
    let user = neovim::user();
    let script = r##"
(defun edit (from to)
  (agent "replace_content" (format "{\"relative_path\": \"a.py\", \"needle\": \"%s\", \"repl\": \"%s\", \"mode\": \"literal\"}" from to)))
(say "package" (eglot-symd-p (eglot-current-server)))
(defvar reverted nil)
(add-hook 'after-revert-hook (lambda () (setq reverted t)))
(let ((told (edit "return" "yield"))) (say "edit" (and (has told "operation 1") (not (has told "saved")) (not (has told "reloaded")))))
(say "buffer" (and (has (buffer-string) "yield") (has (disk) "yield") (not (buffer-modified-p))))
(say "by itself" (and (not reverted) (verify-visited-file-modtime (current-buffer))))
(undo-boundary)
(undo)
(say "undo" (and (has (buffer-string) "return") (buffer-modified-p)))
(undo-boundary)
(undo)
(save-buffer)
(settle)
;; Line ends of both kinds, which Emacs would change: symd writes the file, and Emacs reads it again.
(say "read again" (progn (with-temp-file "mixed.py" (insert "a = 1\r\nb = 2\n"))
  (with-current-buffer (find-file-noselect "mixed.py")
    (python-mode) (eglot--maybe-activate-editing-mode)
    (settle)
    (agent "replace_content" "{\"relative_path\": \"mixed.py\", \"needle\": \"b = 2\", \"repl\": \"b = 3\", \"mode\": \"literal\"}")
    (and reverted (has (buffer-string) "b = 3") (not (buffer-modified-p))))))
(goto-char (point-min))
(insert "# typed\n")
(settle)
(let ((told (edit "yield" "return"))) (say "unsaved" (has told "[unsaved: a.py in Emacs ")))
(say "both" (and (has (buffer-string) "# typed") (has (buffer-string) "return") (has (disk) "yield")))
(symd-undo)
(say "undone" (and (has (buffer-string) "# typed") (has (buffer-string) "yield")))
(defun messages () (with-current-buffer "*Messages*" (buffer-string)))
(say "agreed" (and (has (messages) "undone: replace content") (not (has (messages) "its text is another one"))))
(symd-history)
(say "told" (has (messages) "cli replace_content"))
    "##;
    let Some(report) = play_with(&user, script, with_package(&user)) else { return };
    let expected = "package: true\nedit: true\nbuffer: true\nby itself: true\nundo: true\nread again: true\nunsaved: true\nboth: true\nundone: true\nagreed: true\n\
         told: true\n";
    assert_eq!(report, expected);
}

#[test]
fn each_edit_of_an_agent_is_undone_by_itself_in_emacs() {
    let user = neovim::user();
    let script = r##"
(goto-char (point-min))
(insert "# typed\n")
(settle)
(agent "replace_content" "{\"relative_path\": \"a.py\", \"needle\": \"return\", \"repl\": \"yield\", \"mode\": \"literal\"}")
(agent "replace_content" "{\"relative_path\": \"a.py\", \"needle\": \"yield\", \"repl\": \"raise\", \"mode\": \"literal\"}")
(say "both" (has (buffer-string) "raise"))
(undo-boundary)
(undo)
(say "one" (and (has (buffer-string) "yield") (has (buffer-string) "# typed")))
    "##;
    let Some(report) = play_with(&user, script, with_package(&user)) else { return };
    assert_eq!(report, "both: true\none: true\n");
}
