#![allow(clippy::disallowed_methods)]
//! The watcher on real directories: the sum of its notices must equal what is on disk.

mod changes;
mod fake;
mod limits;
mod quiet;
mod random;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use super::*;
use symd_vfs::{Ignore, IgnoreSettings, Root, Stat, Vendored};

/// How long a notice may take on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// A watched project on disk, and the sum of its notices.
struct Scene {
    // Dropped first: dropping the watch waits for its thread, which may be waiting to send.
    notices: Receiver<Vec<Notice>>,
    watch: Watch,
    scratch: tempfile::TempDir,
    seen: Mirror,
}

/// The files of a project and their bytes, as known from the notices alone.
#[derive(Debug, Default)]
struct Mirror {
    root: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
    /// Every notice so far.
    log: Vec<Notice>,
}

impl Mirror {
    fn take(&mut self, notice: Notice) {
        match &notice {
            Notice::Listed { directory, files, directories, .. } => {
                let listed = |path: &RelPath| {
                    files.contains(path)
                        || directories.iter().any(|child| path.is_within(child) && path != child)
                };
                self.files.retain(|path, _| {
                    let path = RelPath::new(path).expect("valid");
                    path == *directory || !path.is_within(directory) || listed(&path)
                });
                files.iter().for_each(|path| self.look(path));
            }
            Notice::Unlisted { directory, .. } => self.files.retain(|path, _| {
                let path = RelPath::new(path).expect("valid");
                path == *directory || !path.is_within(directory)
            }),
            Notice::Changed(path) => self.look(path),
            Notice::Removed(path) => {
                self.files.retain(|other, _| !RelPath::new(other).expect("valid").is_within(path));
            }
            Notice::Crawled | Notice::Barrier(_) | Notice::RootGone => {}
        }
        self.log.push(notice);
    }

    fn look(&mut self, path: &RelPath) {
        let at = self.root.join(path.as_str());
        match std::fs::symlink_metadata(&at).and_then(|_| std::fs::read(&at)) {
            Ok(bytes) => self.files.insert(path.to_string(), bytes),
            Err(_) => self.files.remove(path.as_str()),
        };
    }
}

fn settings() -> IgnoreSettings {
    IgnoreSettings {
        vendored: Vendored {
            names: vec!["node_modules".to_owned()],
            holding: Vec::new(),
            beside: vec![("target".to_owned(), vec!["Cargo.toml".to_owned()])],
        },
        global: None,
    }
}

impl Scene {
    fn new() -> Scene {
        Scene::with(WatchOptions::default())
    }

    fn with(options: WatchOptions) -> Scene {
        Scene::prepared(options, |_| {})
    }

    /// Returns a scene whose project is created before it is watched.
    fn prepared(options: WatchOptions, prepare: impl FnOnce(&std::path::Path)) -> Scene {
        let scratch = tempfile::tempdir().expect("scratch");
        std::fs::create_dir(scratch.path().join("run")).expect("made");
        let project = scratch.path().join("project");
        std::fs::create_dir(&project).expect("made");
        prepare(&project);
        let root = Arc::new(Root::open(&project).expect("opened"));
        let ignore = Arc::new(Ignore::new(&root, settings()));
        // A full channel blocks the watch thread, which the tests rely on.
        let (send, notices) = sync_channel(16);
        let sink = move |batch| match send.send(batch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let watch = Watch::start(Arc::clone(&root), ignore, &scratch.path().join("run"), &options, sink)
            .expect("started");
        let seen = Mirror { root: root.path().to_owned(), ..Mirror::default() };
        let mut scene = Scene { notices, watch, scratch, seen };
        scene.settle();
        scene
    }

    fn at(&self, path: &str) -> PathBuf {
        self.scratch.path().join("project").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.at(path), text).expect(path);
    }

    fn mkdir(&self, path: &str) {
        std::fs::create_dir_all(self.at(path)).expect(path);
    }

    fn rename(&self, from: &str, to: &str) {
        std::fs::rename(self.at(from), self.at(to)).expect(from);
    }

    /// Waits for a barrier and returns the notices up to it.
    fn settle(&mut self) -> Vec<Notice> {
        let number = self.watch.barrier().expect("asked");
        self.until(&Notice::Barrier(number))
    }

    fn until(&mut self, last: &Notice) -> Vec<Notice> {
        let start = self.seen.log.len();
        loop {
            for notice in self.notices.recv_timeout(DEADLINE).expect("a notice in time") {
                self.seen.take(notice);
            }
            if self.seen.log[start..].contains(last) {
                return self.seen.log[start..].to_vec();
            }
        }
    }

    /// The names of all files known, joined by blanks.
    fn files(&self) -> String {
        self.seen.files.keys().cloned().collect::<Vec<_>>().join(" ")
    }

    /// Waits for a barrier, then checks that the known files are those on disk.
    fn check(&mut self) {
        self.settle();
        let disk = on_disk(&self.seen.root);
        let known = &self.seen.files;
        for (path, bytes) in &disk {
            assert!(known.get(path) == Some(bytes), "{path}: {:?} instead of {bytes:?}", known.get(path));
        }
        for path in known.keys() {
            assert!(disk.contains_key(path), "{path} is not on disk, or left out");
        }
    }
}

/// Returns the regular files of a project that are not ignored, computed by an independent implementation of
/// the rules.
fn on_disk(root: &std::path::Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let walk = ::ignore::WalkBuilder::new(root)
        .hidden(false)
        .ignore(false)
        .git_global(false)
        .parents(false)
        .require_git(false)
        .add_custom_ignore_filename(".symdignore")
        .filter_entry(|entry| {
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            let beside = |marker| {
                entry.path().parent().is_some_and(|parent| parent.join(marker).symlink_metadata().is_ok())
            };
            match entry.file_name().to_str() {
                Some(".git") => false,
                Some("node_modules") => !is_directory,
                Some("target") => !is_directory || !beside("Cargo.toml"),
                _ => true,
            }
        })
        .build();
    for entry in walk {
        let entry = entry.expect("walked");
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            let path = entry.path().strip_prefix(root).expect("beneath").to_str().expect("UTF-8");
            files.insert(path.to_owned(), std::fs::read(entry.path()).expect("read"));
        }
    }
    files
}
