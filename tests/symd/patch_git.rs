//! Patches in git's format, applied through the tool: the old tree becomes the new one, byte for byte. Files
//! are edited, renamed, created and deleted at random, and change their modes, which patches do not apply.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use fastrand::Rng;
use serde_json::{Value, json};

use super::edit_agent::Agent;
use crate::support::{User, write};

/// Rounds of edits, each on the result of the last one.
const ROUNDS: u64 = 25;

struct Repository<'u> {
    user: &'u User,
}

impl Repository<'_> {
    fn git(&self, arguments: &[&str]) -> String {
        let output = self
            .user
            .dressed(Command::new("git"))
            .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false"])
            .args(["-c", "core.safecrlf=false", "-c", "diff.renames=true"])
            .args(arguments)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn root(&self) -> std::path::PathBuf {
        self.user.path("project")
    }

    /// Returns every file's bytes, except files of git and symd.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.root(), &self.root(), &mut files);
        files
    }
}

fn collect(root: &Path, directory: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with(".git") && !path.ends_with(".symd") {
                collect(root, &path, files);
            }
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

fn line(rng: &mut Rng, ending: &str) -> String {
    let lines = [
        "",
        "}",
        "\treturn x",
        "größe 日本 𝒳",
        "-- a",
        "++ b",
        "@@ -1 +1 @@",
        "\\ x",
        " ",
        "x\u{c}",
        "diff --git a/x b/x",
    ];
    let line = lines[rng.usize(..lines.len())];
    match rng.u8(..3) {
        0 => format!("{line}{ending}"),
        _ => format!("{line}{}{ending}", rng.u16(..)),
    }
}

fn text(rng: &mut Rng) -> String {
    let ending = ["\n", "\n", "\r\n"][rng.usize(..3)];
    let mut text: String = (0..rng.usize(..80)).map(|_| line(rng, ending)).collect();
    if rng.u8(..4) == 0 {
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    text
}

fn edited(rng: &mut Rng, text: &str) -> String {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(..=lines.len());
        match rng.u8(..4) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at] = line(rng, ending),
            // Not behind a line without a line break: that would be the same line.
            _ if at < lines.len() || lines.last().is_none_or(|last| last.ends_with('\n')) => {
                lines.insert(at, line(rng, ending));
            }
            _ => {}
        }
    }
    let mut text = lines.concat();
    match rng.u8(..6) {
        0 => text.truncate(text.trim_end_matches(['\r', '\n']).len()),
        1 if !text.is_empty() && !text.ends_with('\n') => text.push_str(ending),
        _ => {}
    }
    text
}

fn name(rng: &mut Rng) -> String {
    let folders = ["", "src/", "src/deep/er/", "größe/", "with blank/"];
    let names = ["a", "b c", "ü.txt", "quo\"te", "tab\tbed", "x.py", "b", "a b/b"];
    let (folder, name) = (folders[rng.usize(..folders.len())], names[rng.usize(..names.len())]);
    format!("{folder}{name}{}", rng.u8(..30))
}

/// Changes the working tree at random.
fn change(rng: &mut Rng, root: &Path, files: &BTreeMap<String, Vec<u8>>) {
    let names: Vec<&String> = files.keys().collect();
    for _ in 0..rng.usize(1..8) {
        let picked = names.get(rng.usize(..names.len().max(1)));
        let Some(old) = picked.map(|name| root.join(name)).filter(|path| path.is_file()) else {
            make(rng, root);
            continue;
        };
        match rng.u8(..10) {
            0 | 1 => make(rng, root),
            2 => std::fs::remove_file(&old).unwrap(),
            3 | 4 => {
                let new = root.join(name(rng));
                if is_vacant(root, &new) {
                    std::fs::create_dir_all(new.parent().unwrap()).unwrap();
                    std::fs::rename(&old, &new).unwrap();
                    if rng.bool() {
                        rewrite(rng, &new);
                    }
                }
            }
            5 => {
                use std::os::unix::fs::PermissionsExt;
                let mode = if rng.bool() { 0o755 } else { 0o644 };
                std::fs::set_permissions(&old, std::fs::Permissions::from_mode(mode)).unwrap();
            }
            _ => rewrite(rng, &old),
        }
    }
}

fn make(rng: &mut Rng, root: &Path) {
    let path = root.join(name(rng));
    if is_vacant(root, &path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, &text(rng));
    }
}

fn rewrite(rng: &mut Rng, path: &Path) {
    let old = String::from_utf8(std::fs::read(path).unwrap()).unwrap();
    write(path, &edited(rng, &old));
}

/// Whether a file can be created there: nothing exists at the path, and no parent is a file.
fn is_vacant(root: &Path, path: &Path) -> bool {
    !path.exists()
        && path.ancestors().skip(1).take_while(|above| *above != root).all(|above| !above.is_file())
}

#[test]
fn what_git_diff_says_is_what_the_tool_does() {
    let user = User::new();
    user.settles("[policy]\ntool_router = \"allow\"\n");
    let repository = Repository { user: &user };
    repository.git(&["init", "-q"]);
    write(&user.path("project/.git/info/exclude"), ".symd\n");
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    for _ in 0..12 {
        make(&mut rng, &repository.root());
    }
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-qm", "0"]);
    let mut agent = Agent::new(&user, "tool_router");
    let mut applied = 0;
    for round in 0..ROUNDS {
        let old = repository.files();
        change(&mut rng, &repository.root(), &old);
        let new = repository.files();
        repository.git(&["add", "-A"]);
        let context = format!("-U{}", [3, 3, 1, 0, 10][rng.usize(..5)]);
        let patch = repository.git(&["diff", "--cached", &context, "HEAD"]);
        repository.git(&["commit", "-qm", "next", "--allow-empty"]);
        // Restore the old tree, and let the tool produce the new one.
        repository.git(&["checkout", "-q", "HEAD~1", "--", "."]);
        let gone: Vec<String> = new.keys().filter(|name| !old.contains_key(*name)).cloned().collect();
        for name in gone {
            std::fs::remove_file(repository.root().join(name)).unwrap();
        }
        assert_eq!(repository.files(), old, "round {round}, seed {seed}");
        if patch.is_empty() {
            continue;
        }
        let (answer, is_error) = agent.call("apply_patch_json", json!({ "patch": patch }));
        assert!(!is_error, "round {round}, seed {seed}: {answer}\n{patch}");
        let now = repository.files();
        for name in new.keys().chain(now.keys()) {
            assert_eq!(now.get(name), new.get(name), "{name}: round {round}, seed {seed}\n{patch}");
        }
        check_results(&answer, &old, &new);
        applied += 1;
        repository.git(&["reset", "-q", "--hard"]);
    }
    assert!(applied > ROUNDS / 2, "{applied}");
}

/// The answer names what changed, with its size.
fn check_results(answer: &str, old: &BTreeMap<String, Vec<u8>>, new: &BTreeMap<String, Vec<u8>>) {
    let answer: Value = serde_json::from_str(answer).unwrap();
    for result in answer["results"].as_array().unwrap() {
        let path = result["path"].as_str().unwrap();
        let size = new.get(path).map_or(0, Vec::len);
        assert_eq!(result["bytes_written"], json!(size), "{path}: {answer}");
        if result["created"] == true {
            assert!(!old.contains_key(path), "{path}: {answer}");
        }
    }
}
