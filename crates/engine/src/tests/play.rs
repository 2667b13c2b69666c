//! Random changes of a small tree, as made by programs, people and git. The tree is small, so that names
//! collide.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, OFlags, RenameFlags};

/// Number of files on each of the two branches.
const BRANCH_FILES: usize = 150;
const BRANCHES: [&str; 2] = ["first", "second"];
const DIRECTORIES: [&str; 6] = ["a", "a-b", "b", "x.py", "src0", "src1"];
const FILES: [&str; 9] = ["m.py", "n.py", "K.kt", "L.kt", "notes.txt", "script", "x.py", "a", "binary.py"];

pub(super) struct Player {
    random: fastrand::Rng,
    root: PathBuf,
    /// The changes made, for the analysis of a failure.
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

/// Creates a repository with two branches whose files share half of their names.
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

    /// Makes one change. Errors are ignored: only the final state of the tree matters.
    fn step(&mut self) {
        let (one, other) = (self.any(), self.any());
        let (what, paths) = match self.random.u32(..100) {
            0..30 => {
                let (path, text) = (self.file(), self.text());
                let _ = self.put(&path, &text, OFlags::TRUNC);
                ("write", [path, PathBuf::new()])
            }
            30..36 => {
                let (path, text) = (self.file(), self.text());
                let _ = self.put(&path, &text, OFlags::APPEND);
                ("append", [path, PathBuf::new()])
            }
            36..40 => {
                let path = self.file();
                let length = self.random.u64(..40);
                if !self.may_be_ignored(&path) {
                    let _ = truncate(&path, length);
                }
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
                // Out of the tree and, changed there, back in.
                let outside = self.root.with_file_name("outside");
                let _ = std::fs::rename(&one, &outside);
                // Not to a file that also has a name in the tree: only the sweep sees such a write, as
                // documented.
                for path in [outside.clone(), outside.join("m.py")] {
                    let _ = put_alone(&path, &self.text(), OFlags::TRUNC);
                }
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
            94..95 => {
                let _ = std::fs::hard_link(&one, &other);
                ("hard link", [one, other])
            }
            95..96 => {
                // Two names of one file, and a write through the older one.
                let (path, text) = (self.file(), self.text());
                let _ = std::fs::hard_link(&path, &other);
                let _ = self.put(&path, &text, OFlags::TRUNC);
                ("hard link and write", [path, other])
            }
            96..97 if self.random.bool() => {
                // A file that appears complete, since it had no name while it was written.
                let path = self.file();
                let _ = self.appear(&path);
                ("linkat", [path, PathBuf::new()])
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

    /// Writes to a file through any of its names, except through an ignored one, which is not watched.
    fn put(&self, path: &Path, bytes: &[u8], how: OFlags) -> std::io::Result<()> {
        if self.may_be_ignored(path) { put_alone(path, bytes, how) } else { put(path, bytes, how) }
    }

    fn appear(&mut self, path: &Path) -> std::io::Result<()> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY;
        let file = rustix::fs::open(&self.root, flags, Mode::RUSR | Mode::WUSR)?;
        let text = self.text();
        std::fs::File::from(file.try_clone()?).write_all(&text)?;
        let name = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
        rustix::fs::linkat(CWD, name, CWD, path, rustix::fs::AtFlags::SYMLINK_FOLLOW)?;
        Ok(())
    }

    /// Reports whether there are ignore files above `path`.
    fn may_be_ignored(&self, path: &Path) -> bool {
        let real = path.parent().and_then(|parent| parent.canonicalize().ok());
        let root = self.root.canonicalize().expect("there");
        real.is_none_or(|parent| {
            let above = parent.ancestors().take_while(|above| above.starts_with(&root));
            above
                .flat_map(|above| [".gitignore", ".symdignore"].map(|name| above.join(name)))
                .any(|rules| rules.symlink_metadata().is_ok())
        })
    }

    /// Returns the text of a small file, in any of the languages, whatever the name says.
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

/// Like [`put`], but first removes this name of a file that has several.
fn put_alone(path: &Path, bytes: &[u8], how: OFlags) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|meta| meta.nlink() > 1) {
        std::fs::remove_file(path)?;
    }
    put(path, bytes, how)
}

/// Writes without ever blocking on the other end of a FIFO.
fn put(path: &Path, bytes: &[u8], how: OFlags) -> std::io::Result<()> {
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
    if !meta.is_file() {
        return Ok(());
    }
    std::fs::OpenOptions::new().write(true).open(path)?.set_len(meta.len().min(length))
}
