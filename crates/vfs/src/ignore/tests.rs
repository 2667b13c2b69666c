#![allow(clippy::disallowed_methods)]
//! Ignore rules with git's meaning, checked against git.

use super::*;

pub(super) fn path(text: &str) -> RelPath {
    RelPath::new(text).expect(text)
}

/// Enters every directory of `root` that is not ignored.
fn enter_all(ignore: &Ignore, root: &Root) {
    let mut stack = vec![RelPath::root()];
    while let Some(directory) = stack.pop() {
        let fd = root.open_directory_no_follow(&directory).expect("opened");
        let (entries, _) = root.list_opened(&directory, &fd).expect("listed");
        let rules = ignore.enter(root, &directory, &entries);
        for entry in entries.iter().filter(|entry| entry.kind == EntryKind::Directory) {
            let child = directory.join(&entry.name);
            if !ignore.ignores(&rules, &child, entry.kind) {
                stack.push(child);
            }
        }
    }
}

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let scratch = tempfile::tempdir().expect("scratch");
    for (name, text) in files {
        let at = scratch.path().join(name);
        std::fs::create_dir_all(at.parent().expect("parent")).expect("made");
        std::fs::write(at, text).expect("written");
    }
    scratch
}

/// Checks each path: a leading `-` means ignored, `+` kept; a trailing `/` means a directory.
fn check(scratch: &Path, settings: IgnoreSettings, expected: &str) {
    let root = Root::open(scratch).expect("opened");
    let ignore = Ignore::new(&root, settings);
    enter_all(&ignore, &root);
    for word in expected.split_whitespace() {
        let (sign, name) = word.split_at(1);
        let kind = if name.ends_with('/') { EntryKind::Directory } else { EntryKind::File };
        assert_eq!(ignore.is_ignored(&path(name), kind), sign == "-", "{word}");
    }
}

#[test]
fn the_deepest_file_decides_and_a_left_out_directory_stays_so() {
    let scratch = tree(&[
        (".gitignore", "*.log\n/top\nbuild/\n!keep.log\nsub/*.tmp\r\n"),
        ("sub/.gitignore", "!a.log\n/only\n"),
        ("sub/deep/x", ""),
        ("build/.gitignore", "!*\n"),
        ("build/x", ""),
    ]);
    check(
        scratch.path(),
        IgnoreSettings::default(),
        "-x.log +keep.log -top +sub/top -build/ +build -build/x -sub/b.log +sub/a.log +sub/deep/a.log -sub/only \
         +sub/deep/only -sub/a.tmp +sub/deep/a.tmp -.git/ -sub/.git/ -.git +.gitignore",
    );
}

#[test]
fn symdignore_wins_and_vendored_folders_stand_beside_their_marker() {
    let scratch = tree(&[
        (".gitignore", "*.gen\n"),
        (".symdignore", "!wanted.gen\nprivate/\n!vendor/\n"),
        ("rust/Cargo.toml", ""),
        ("rust/src/x", ""),
        ("cs/a.csproj", ""),
        ("venv/pyvenv.cfg", ""),
        ("src/venv/x.py", ""),
    ]);
    let settings = IgnoreSettings {
        vendored: Vendored {
            names: vec!["node_modules".to_owned(), "vendor".to_owned()],
            holding: vec![("venv".to_owned(), vec!["pyvenv.cfg".to_owned()])],
            beside: vec![
                ("target".to_owned(), vec!["Cargo.toml".to_owned()]),
                ("obj".to_owned(), vec!["*.csproj".to_owned()]),
            ],
        },
        global: None,
    };
    check(
        scratch.path(),
        settings,
        "-a.gen +wanted.gen -private/ +private -sub/private/x +vendor/ -node_modules/ -a/node_modules/x/y \
         +node_modules -rust/target/ +rust/target -rust/target/x +target/ +rust/src/target/ -cs/obj/ +obj/ -venv/x.py -venv/lib/x.py +src/venv/x.py",
    );
}

#[test]
fn excludes_of_the_repository_and_of_the_user_come_last() {
    let scratch = tree(&[
        ("home/ignore", "*.swp\n*.bak\n"),
        ("p/.git/info/exclude", "*.local\n!x.bak\n"),
        ("p/.gitignore", "!y.local\n*.out\n"),
        ("p/inner/.git/HEAD", ""),
        ("p/inner/.gitignore", "*.inner\n"),
        ("p/inner/d/x", ""),
    ]);
    check(
        &scratch.path().join("p"),
        IgnoreSettings { vendored: Vendored::default(), global: Some(scratch.path().join("home/ignore")) },
        "-a.swp -a.bak +x.bak -a.local +y.local -a.out +inner/a.out +inner/a.local -inner/a.swp -inner/x.bak \
         -inner/d/a.inner +inner/d/a.out",
    );
}

#[test]
fn a_linked_work_tree_reads_the_common_exclude_file() {
    let scratch = tree(&[
        ("main/.git/info/exclude", "*.local\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("w/.git", "gitdir: ../main/.git/worktrees/w\n"),
    ]);
    check(&scratch.path().join("w"), IgnoreSettings::default(), "-a.local +a");
}

#[test]
fn an_enclosing_repository_holds_unless_it_ignores_the_root() {
    let files = [(".git/info/exclude", "*.x\n"), ("a/.gitignore", "/b/c.y\n*.z\n"), ("a/b/f", "")];
    let scratch = tree(&files);
    std::fs::write(scratch.path().join(".gitignore"), "/a/b/gen\n").expect("written");
    check(&scratch.path().join("a/b"), IgnoreSettings::default(), "-q.x -c.y +d.y -d/e.z -gen +d/gen");
    for pattern in ["*\n", "/a/b\n", "b/\n", "a\n"] {
        std::fs::write(scratch.path().join(".gitignore"), pattern).expect("written");
        check(&scratch.path().join("a/b"), IgnoreSettings::default(), "+q.x +c.y +d/e.z +gen");
    }
}

#[test]
fn a_linked_ignore_file_is_not_read() {
    let scratch = tree(&[("outside", "*\n"), ("p/f", ""), ("p/inside", "*.log\n")]);
    std::os::unix::fs::symlink("../outside", scratch.path().join("p/.gitignore")).expect("linked");
    std::os::unix::fs::symlink("inside", scratch.path().join("p/.symdignore")).expect("linked");
    check(&scratch.path().join("p"), IgnoreSettings::default(), "+f +a.log");
}

#[test]
fn finds_the_global_excludes_as_git_does() {
    let scratch = tree(&[
        ("h/.gitconfig", "[user]\n name = a # c\n[include]\n path = more\n"),
        ("h/more", "[core \"x\"]\nexcludesfile=/wrong\n[Core]\n\tExcludesFile = \"~/my ignore\" ; c\n"),
        ("x/git/config", "[core]\nexcludesFile = /other\n"),
        ("c", "[core]\n excludesFile = /a\\\n/b\n"),
    ]);
    let at = |name: &str| scratch.path().join(name).into_os_string();
    let ask = |vars: &[(&str, std::ffi::OsString)]| {
        IgnoreSettings::global_excludes(|name| {
            if name == "GIT_CONFIG_SYSTEM" {
                return Some("/nonexistent".into());
            }
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone())
        })
    };
    assert_eq!(ask(&[("HOME", at("h")), ("XDG_CONFIG_HOME", at("x"))]), Some(at("h/my ignore").into()));
    assert_eq!(ask(&[("HOME", at("none")), ("XDG_CONFIG_HOME", at("x"))]), Some("/other".into()));
    assert_eq!(ask(&[("HOME", at("none"))]), Some(at("none/.config/git/ignore").into()));
    assert_eq!(ask(&[("HOME", at("h")), ("GIT_CONFIG_GLOBAL", at("c"))]), Some("/a/b".into()));
    assert_eq!(ask(&[]), None);
}

/// Random patterns in random places, compared with git itself.
#[test]
fn git_agrees() {
    const PIECES: [&str; 25] = [
        "a",
        "b",
        "c",
        "ab",
        "*",
        "**",
        "?",
        "/",
        "/",
        "/",
        "[ab]",
        "[!a]",
        "a*",
        "*b",
        "**/",
        "/**",
        "\\a",
        "!",
        "x ",
        "\\ ",
        ".c",
        "{a,b}",
        "[[:alpha:]]",
        "[!]b]",
        "[a-b.]",
    ];
    const NAMES: [&str; 8] = ["a", "b", "c", "ab", "x.c", "x", "{a,b}", "bb"];
    let git = |directory: &Path| {
        let mut command = std::process::Command::new("git");
        command.current_dir(directory).env("HOME", directory).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("XDG_CONFIG_HOME", directory);
        command
    };
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..20 {
        let scratch = tempfile::tempdir().expect("scratch");
        let Ok(made) = git(scratch.path()).args(["init", "-q"]).status() else { return };
        assert!(made.success());
        let mut paths = std::collections::BTreeSet::new();
        for _ in 0..60 {
            let depth = random.usize(1..=4);
            let names: Vec<&str> = (0..depth).map(|_| NAMES[random.usize(..NAMES.len())]).collect();
            let at = scratch.path().join(names.join("/"));
            let made = std::fs::create_dir_all(at.parent().expect("parent"));
            if made.is_ok() && (at.is_dir() || std::fs::write(&at, "").is_ok()) {
                paths.insert(names.join("/"));
            }
        }
        let mut patterns = |at: PathBuf| {
            let mut line = || {
                let sign = if random.u32(..4) == 0 { "!" } else { "" };
                let count = random.usize(1..=4);
                let pieces = (0..count).map(|_| PIECES[random.usize(..PIECES.len())]);
                sign.to_owned() + &pieces.collect::<String>() + "\n"
            };
            // Excluded: empty components, and `**` right after a literal, which git takes for a component
            // only because it compares the literal first.
            let odd = |line: &String| {
                let mut runs = line.match_indices("**").map(|(at, _)| line[..at].chars().next_back());
                line.contains("//") || runs.any(|before| !matches!(before, None | Some('/' | '*' | '!')))
            };
            let text: String = std::iter::repeat_with(&mut line).filter(|line| !odd(line)).take(4).collect();
            std::fs::write(at, text).expect("written");
        };
        patterns(scratch.path().join(".gitignore"));
        patterns(scratch.path().join(".git/info/exclude"));
        for name in ["a", "b", "a/b"] {
            if scratch.path().join(name).is_dir() {
                patterns(scratch.path().join(name).join(".gitignore"));
            }
        }
        let root = Root::open(scratch.path()).expect("opened");
        let ignore = Ignore::new(&root, IgnoreSettings::default());
        enter_all(&ignore, &root);
        let asked: Vec<&str> = paths.iter().map(String::as_str).collect();
        let output =
            git(scratch.path()).args(["check-ignore", "--"]).args(&asked).output().expect("git runs");
        let ignored = String::from_utf8(output.stdout).expect("UTF-8");
        for name in &asked {
            let kind =
                if scratch.path().join(name).is_dir() { EntryKind::Directory } else { EntryKind::File };
            let theirs = ignored.lines().any(|line| line == *name);
            let ours = ignore.is_ignored(&path(name), kind);
            if ours != theirs {
                let why =
                    git(scratch.path()).args(["check-ignore", "-vn", "--", name]).output().expect("runs");
                panic!("{name} {kind:?}: git says {theirs}: {}", String::from_utf8_lossy(&why.stdout));
            }
        }
    }
}
