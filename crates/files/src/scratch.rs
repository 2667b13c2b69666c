//! A scratch project for the tests of ops and adapters: files on disk, a file list as the index would have it,
//! and two ignore rules (`.git`, `ignored`). No feature: cargo would build every crate above twice for it.
#![allow(clippy::disallowed_methods)]

use super::tree::Tree;
use symd_base::RelPath;
use symd_vfs::{EntryKind, Root};

/// A scratch project.
#[derive(Debug)]
pub struct Scratch {
    /// The project's directory, which is removed when this is dropped.
    pub dir: tempfile::TempDir,
    root: Root,
    files: Vec<RelPath>,
}

fn ignored(path: &RelPath, _: EntryKind) -> bool {
    path.components().any(|component| matches!(component, ".git" | "ignored"))
}

fn is_code(path: &RelPath) -> bool {
    path.extension() == Some("py")
}

impl Scratch {
    /// Creates a project with these files.
    pub fn new(files: &[(&str, &[u8])]) -> Scratch {
        let dir = tempfile::tempdir().expect("scratch");
        for (path, bytes) in files {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("made");
            std::fs::write(path, bytes).expect("written");
        }
        let root = Root::open(dir.path()).expect("opened");
        let mut files: Vec<RelPath> =
            files.iter().map(|(path, _)| RelPath::new(path).expect("valid")).collect();
        files.retain(|path| !ignored(path, EntryKind::File));
        files.sort();
        Scratch { dir, root, files }
    }

    /// Returns the project's files as a question sees them.
    pub fn tree(&self) -> Tree<'_> {
        Tree { files: &self.root, listed: &self.files, ignored: &ignored, is_code: &is_code, program: None }
    }

    /// Creates a symlink in the project, to any target.
    pub fn link(&self, target: &str, name: &str) {
        std::os::unix::fs::symlink(target, self.dir.path().join(name)).expect("linked");
    }

    /// Creates a FIFO in the project.
    pub fn fifo(&self, name: &str) {
        let path = self.dir.path().join(name);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .expect("made");
    }
}
