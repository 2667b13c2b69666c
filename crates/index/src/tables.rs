//! Consistency checks of a snapshot's tables, and damage to what is on disk of an index. For tests, including those of `engine`, and not behind a
//! feature: cargo would build every crate above twice for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use symd_base::RelPath;

use crate::Snapshot;

/// Asserts that every row of every file is in exactly one table or loose file, and that these contain nothing
/// else.
pub fn assert_tables(snapshot: &Snapshot) {
    let mut found: BTreeMap<(RelPath, usize), usize> = BTreeMap::new();
    for live in &snapshot.segments {
        for (file, row) in live.segment.all().flat_map(|postings| live.living(postings)) {
            *found.entry((file.path.clone(), row)).or_default() += 1;
        }
    }
    for file in snapshot.loose.iter() {
        for row in 0..file.symbol_count() {
            *found.entry((file.path.clone(), row)).or_default() += 1;
        }
    }
    let twice = found.iter().find(|(_, count)| **count > 1);
    assert_eq!(twice, None, "a symbol is found twice");
    let rows = |path: &RelPath| found.range((path.clone(), 0)..=(path.clone(), usize::MAX)).count();
    for file in snapshot.files.iter() {
        assert_eq!(rows(&file.path), file.symbol_count(), "{}", file.path);
    }
    assert_eq!(found.len(), snapshot.symbols, "symbols of files that are not there");
    let counted: usize = snapshot.files.iter().map(|file| file.symbol_count()).sum();
    assert_eq!(counted, snapshot.symbols);
}

/// Cuts the file without a name that was made in `directory`.
#[allow(clippy::disallowed_methods, reason = "it damages a file")]
pub fn cut_unnamed_file(directory: &Path) {
    let descriptors = std::fs::read_dir("/proc/self/fd").expect("listed");
    let is_it = |path: &PathBuf| {
        std::fs::read_link(path).is_ok_and(|to| {
            // The path that it had, with a remark.
            to.parent() == Some(directory) && to.to_string_lossy().contains("unnamed.tmp")
        })
    };
    let descriptor = descriptors.filter_map(|one| Some(one.ok()?.path())).find(is_it).expect("open");
    std::fs::File::options().write(true).open(descriptor).expect("opened").set_len(0).expect("cut");
}
