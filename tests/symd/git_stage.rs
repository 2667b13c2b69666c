//! A project in a real git repository, and `symd trace` and `symd investigate` on it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{User, write};

/// The file that the tests change, and a frame of it as it was first committed.
pub const CATALOG: &str = "core/src/main/kotlin/shop/core/Catalog.kt";
pub const CRASH: &str = "shop.core.OutOfStock: no 3\n\tat shop.core.Catalog.take-rv58m34(Catalog.kt:30)\n\tat \
                         shop.app.MainKt.wrapped(Main.kt:43)\n";

/// Copies the project of fixtures/traces into the user's.
pub fn shop() -> User {
    let user = User::new();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces/shop"), &user.path("project"));
    user
}

/// As [`shop`], committed and tagged `v1.0`.
pub fn committed_shop() -> User {
    let user = shop();
    git(&user, &["init", "-q", "-b", "main"]);
    commit(&user, "till: takes books", "v1.0");
    user
}

pub fn copy(from: &Path, to: &Path) {
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

/// Runs the user's git in the project, as a person would; returns what it printed, whether or not it failed.
pub fn git(user: &User, arguments: &[&str]) -> String {
    git_in(user, &user.path("project"), arguments)
}

pub fn git_in(user: &User, directory: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ann Bo", "-c", "user.email=ann@example.org"]).args(arguments);
    let mut command = user.dressed(command);
    let output = command.current_dir(directory).output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Commits everything, under a tag.
pub fn commit(user: &User, message: &str, tag: &str) {
    git(user, &["add", "-A"]);
    git(user, &["commit", "-q", "-m", message]);
    git(user, &["tag", tag]);
}

/// Adds lines at the start of the catalog's class, so that its lines move.
pub fn move_lines(user: &User, count: usize) {
    let path = user.path("project").join(CATALOG);
    let text = std::fs::read_to_string(&path).unwrap();
    let moved = format!("{}class OutOfStock", "// moved\n".repeat(count));
    write(&path, &text.replacen("class OutOfStock", &moved, 1));
}

/// Runs a command of symd with a text on stdin; returns what it printed, messages last.
pub fn given(user: &User, arguments: &[&str], text: &str) -> String {
    let mut command = user.symd();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
}

/// Writes a program.
pub fn program(path: PathBuf, text: &str) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    write(&path, text);
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}
