//! Consistency checks of a snapshot's tables. For tests, including those of `engine`, and not behind a
//! feature: cargo would build every crate above twice for it.

use std::collections::BTreeMap;

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
