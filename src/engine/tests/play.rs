//! Random changes of a small tree, as programs, people and git make them. A small tree, so that names meet.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, OFlags, RenameFlags};

/// Files on each of the two branches.
const BRANCH_FILES: usize = 150;
const BRANCHES: [&str; 2] = ["first", "second"];
const DIRECTORIES: [&str; 6] = ["a", "a-b", "b", "x.py", "src0", "src1"];
const FILES: [&str; 9] = ["m.py", "n.py", "K.kt", "L.kt", "notes.txt", "script", "x.py", "a", "binary.py"];

pub(super) struct Player {
    random: fastrand::Rng,
    root: PathBuf,
    /// What was done, for whoever has to understand a failure.
    pub(super) log: Vec<String>,
}

pub(super) fn git(root: &Path, arguments: &[&str]) -> bool {
    let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "core.autocrlf=false"];
    Command::new("git")
        .arg("-C")
        .arg(root)
        .args(identity)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("git runs")
        .success()
}

/// A repository with two branches whose files share half of their names.
pub(super) fn prepare(root: &Path) {
    assert!(git(root, &["init", "-q", "-b", "trunk"]));
    assert!(git(root, &["commit", "-q", "--allow-empty", "-m", "empty"]));
    for (skip, branch) in BRANCHES.iter().enumerate() {
        assert!(git(root, &["checkout", "-q", "-b", branch, "trunk"]));
        for number in skip * BRANCH_FILES / 2..BRANCH_FILES + skip * BRANCH_FILES / 2 {
            let directory = root.join(format!("src{}/deep", number % 7));
            std::fs::create_dir_all(&directory).expect("made");
            let text = format!("class {branch}_{number}:\n    def method(self): pass\n");
            std::fs::write(directory.join(format!("{number}.py")), text).expect("written");
        }
        assert!(git(root, &["add", "."]) && git(root, &["commit", "-q", "-m", branch]));
    }
}

impl Player {
    pub(super) fn new(root: &Path, random: fastrand::Rng) -> Player {
        Player { random, root: root.to_owned(), log: Vec::new() }
    }

    pub(super) fn play(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    fn directory(&mut self) -> PathBuf {
        let mut path = self.root.clone();
        for _ in 0..self.random.usize(..3) {
            path.push(DIRECTORIES[self.random.usize(..DIRECTORIES.len())]);
        }
        path
    }

    fn file(&mut self) -> PathBuf {
        if self.random.u8(..8) == 0 {
            let number = self.random.usize(..BRANCH_FILES);
            return self.root.join(format!("src{}/deep/{number}.py", number % 7));
        }
        self.directory().join(FILES[self.random.usize(..FILES.len())])
    }

    fn any(&mut self) -> PathBuf {
        let path = if self.random.bool() { self.file() } else { self.directory() };
        if path == self.root { self.root.join("a") } else { path }
    }

    /// One change. What does not go, does not go: the tree is what it is in the end.
    fn step(&mut self) {
        let (one, other) = (self.any(), self.any());
        let (what, paths) = match self.random.u32(..100) {
            0..30 => {
                let (path, text) = (self.file(), self.text());
                let _ = put(&path, &text, OFlags::TRUNC);
                ("write", [path, PathBuf::new()])
            }
            30..36 => {
                let (path, text) = (self.file(), self.text());
                let _ = put(&path, &text, OFlags::APPEND);
                ("append", [path, PathBuf::new()])
            }
            36..40 => {
                let path = self.file();
                let _ = truncate(&path, self.random.u64(..40));
                ("truncate", [path, PathBuf::new()])
            }
            40..48 => {
                let path = self.directory();
                let _ = std::fs::create_dir_all(&path);
                ("mkdir", [path, PathBuf::new()])
            }
            48..64 => {
                let _ = std::fs::rename(&one, &other);
                ("rename", [one, other])
            }
            64..67 => {
                let _ = rustix::fs::renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                ("exchange", [one, other])
            }
            67..70 => {
                // Out of the tree and, changed there, back again.
                let outside = self.root.with_file_name("outside");
                let _ = std::fs::rename(&one, &outside);
                let _ = put(&outside, &self.text(), OFlags::TRUNC);
                let _ = put(&outside.join("m.py"), &self.text(), OFlags::TRUNC);
                let _ = std::fs::rename(&outside, &other);
                ("out and in", [one, other])
            }
            70..75 => {
                let _ = std::fs::remove_file(&one);
                ("remove", [one, PathBuf::new()])
            }
            75..78 => {
                let _ = std::fs::remove_dir_all(&one);
                ("remove all", [one, PathBuf::new()])
            }
            78..82 => {
                let path = self.file();
                let _ = std::fs::remove_file(&path);
                let _ = put(&path, &self.text(), OFlags::TRUNC);
                ("recreate", [path, PathBuf::new()])
            }
            82..86 => {
                let mode = [0o000, 0o644, 0o755][self.random.usize(..3)];
                if std::fs::symlink_metadata(&one).is_ok_and(|meta| meta.is_dir() || meta.nlink() == 1) {
                    let _ = std::fs::set_permissions(&one, std::fs::Permissions::from_mode(mode));
                }
                ("chmod", [one, format!("{mode:o}").into()])
            }
            86..91 => {
                let name = [".gitignore", ".symdignore"][self.random.usize(..2)];
                let path = self.directory().join(name);
                let text = ["*.kt\n", "b\n", "!m.py\n/a\n", "a/b\n", "x.py/\nn.py\n", "", "/src*/deep\n"];
                let text = text[self.random.usize(..text.len())];
                let _ = put(&path, text.as_bytes(), OFlags::TRUNC);
                ("ignore", [path, text.into()])
            }
            91..94 => {
                let _ = std::os::unix::fs::symlink(&other, &one);
                ("link", [one, other])
            }
            94..96 => {
                let _ = std::fs::hard_link(&one, &other);
                ("hard link", [one, other])
            }
            96..97 => {
                let _ = rustix::fs::mknodat(CWD, &one, FileType::Fifo, Mode::RWXU, 0);
                ("fifo", [one, PathBuf::new()])
            }
            _ => {
                let branch = BRANCHES[self.random.usize(..2)];
                git(&self.root, &["checkout", "-q", "-f", branch]);
                ("checkout", [branch.into(), PathBuf::new()])
            }
        };
        let shown = |path: &Path| path.strip_prefix(&self.root).unwrap_or(path).display().to_string();
        self.log.push(format!("{what} {} {}", shown(&paths[0]), shown(&paths[1])));
    }

    /// A small file, in any of the languages whatever the name says.
    fn text(&mut self) -> Vec<u8> {
        let mut text = match self.random.u8(..8) {
            0 => "#!/usr/bin/env python3\n".to_owned(),
            1 => "\u{FEFF}".to_owned(),
            2 => "class Broken(:\n  def (\n".to_owned(),
            3 => "a\0b".to_owned(),
            _ => String::new(),
        };
        for _ in 0..self.random.usize(..4) {
            let (name, number) = (["A", "b", "name", "größe"][self.random.usize(..4)], self.random.u8(..4));
            text += &match self.random.u8(..4) {
                0 => format!("class {name}{number}:\n    def f(self, a): return a\n    x = {number}\n"),
                1 => format!("def {name}(a, b={number}):\n    c = a\n    return b\n"),
                2 => format!("class {name}{number} {{ fun f(a: Int) = a\n val x = {number} }}\n"),
                _ => format!("{name} = {number}\n"),
            };
        }
        text.into_bytes()
    }
}

/// Writes without ever waiting for the other end of a FIFO, and never to a file of several names: that is seen at
/// the name written to only, as the documentation says.
fn put(path: &Path, bytes: &[u8], how: OFlags) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|meta| meta.nlink() > 1) {
        std::fs::remove_file(path)?;
    }
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .append(how == OFlags::APPEND)
        .truncate(how == OFlags::TRUNC)
        .create(true)
        .custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed())
        .open(path)?;
    file.write_all(bytes)
}

fn truncate(path: &Path, length: u64) -> std::io::Result<()> {
    let meta = std::fs::symlink_metadata(path)?;
    if !meta.is_file() || meta.nlink() > 1 {
        return Ok(());
    }
    std::fs::OpenOptions::new().write(true).open(path)?.set_len(meta.len().min(length))
}
