#![allow(clippy::disallowed_methods)]
//! Tests of the engine with watchers that are controlled by the test, and with real trees.

mod answers;
mod by_need;
mod growing;
mod kotlin_facts;
mod letting_go;
mod oracle;
mod order;
mod overlay_files;
mod play;
mod restart;
mod unsaved;
mod uses_by_need;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::event::Event;
use super::pool::{Pool, Queued};
use super::recorded::Clock;
use super::run::{Run, scanner};
use super::scan::Scanner;
use super::*;
use symd_base::RelPath;
use symd_watch::fake::FakeHandle;

/// Longer than any step here takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

fn path(text: &str) -> RelPath {
    RelPath::new(text).expect(text)
}

fn paths(text: &str) -> Vec<RelPath> {
    text.split_whitespace().map(path).collect()
}

fn listed(directory: &str, files: &str, directories: &str) -> Notice {
    let (directory, files, directories) = (path(directory), paths(files), paths(directories));
    Notice::Listed { directory, files, states: Vec::new(), directories }
}

fn changed(file: &str) -> Notice {
    Notice::Changed(path(file))
}

/// Returns caches and a ceiling of memory.
fn memory_of(options: MemoryOptions) -> (QuestionCaches, Arc<Ceiling>) {
    let ceiling = Ceiling::new(options);
    (QuestionCaches::new(ceiling.for_caches(0)), Arc::new(ceiling))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

/// Returns `path:symbol:symbol` for every file, joined by blanks.
fn shown(view: &View) -> String {
    let file = |file: &Arc<symd_index::FileEntry>| {
        let names = |outline: &Arc<symd_syntax::Outline>| {
            outline.rows.iter().map(|row| format!(":{}", outline.name(row))).collect::<String>()
        };
        format!("{}{}", file.path, file.outline().map(names).unwrap_or_default())
    };
    view.snapshot.files.iter().map(file).collect::<Vec<_>>().join(" ")
}

/// A project directory that is not watched.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(tempfile::tempdir().expect("scratch"))
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.at(path), text).expect(path);
    }

    fn parts(&self) -> (Arc<Scanner>, Arc<Ignore>) {
        self.parts_with(None)
    }

    /// Returns a scanner of the directory's files that keeps outlines in `cache`.
    fn parts_with(&self, cache: Option<Arc<Cache>>) -> (Arc<Scanner>, Arc<Ignore>) {
        self.parts_at(cache, None)
    }

    /// Like [`Scratch::parts_with`], with the index that the last daemon stored there, if there is a clock.
    fn parts_at(&self, cache: Option<Arc<Cache>>, clock: Option<Clock>) -> (Arc<Scanner>, Arc<Ignore>) {
        let root = Arc::new(Root::open(self.0.path()).expect("opened"));
        let ignore = Arc::new(Ignore::new(&root, IgnoreSettings::default()));
        let settled = (clock.and_then(|_| root.settled_device()), clock.unwrap_or(ClockReading::now));
        (scanner(root, Languages::builtin().clone(), cache, settled, Parsers::in_this_process()), ignore)
    }
}
