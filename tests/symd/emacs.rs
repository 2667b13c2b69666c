//! Emacs with Debian's eglot, in batch mode, against the real daemon: a client that knows nothing of symd.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::neovim;
use crate::servers::{real_program, unrun};

/// Returns the directory of Debian's eglot.
fn eglot() -> Option<std::path::PathBuf> {
    let packages = std::fs::read_dir("/usr/share/emacs/site-lisp/elpa").ok()?;
    let mut found = packages.flatten().map(|entry| entry.path());
    found.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("eglot-")))
}

#[test]
fn emacs_shows_its_unsaved_text_and_makes_an_agents_edit() {
    if !real_program("emacs") {
        return;
    }
    let Some(eglot) = eglot() else { return unrun("eglot is not in /usr/share/emacs/site-lisp/elpa") };
    let user = neovim::user();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/symd/emacs.el");
    let mut command = user.dressed(Command::new("emacs"));
    let ran = command
        .args(["-Q", "--batch", "-L"])
        .arg(eglot)
        .args(["--eval", "(package-initialize)", "-l"])
        .arg(script)
        .env("LANG", "C.UTF-8")
        .env("SYMD", env!("CARGO_BIN_EXE_symd"))
        .env("REPORT", user.path("report"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let report = std::fs::read_to_string(user.path("report")).unwrap_or_default();
    assert!(ran.status.success(), "{report}\n{}", String::from_utf8_lossy(&ran.stderr));
    let expected = "seen: true\nedit: true\nbuffer: true\nunsaved: true\nundone: true\nsaved: true\n";
    assert_eq!(report, expected);
}
