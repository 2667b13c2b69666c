//! Digests that make two indexes comparable: a test of "incremental equals rebuilt" uses them. They exclude
//! revisions, and the states of files (times, inodes), which depend on when a file was examined.

use std::fmt::Write;

use super::file::{Content, FileEntry};
use super::snapshot::Snapshot;
use symd_base::ContentHash;

impl Snapshot {
    /// Returns a hash of the index's content, equal for two indexes that would answer every question alike.
    pub fn digest(&self) -> ContentHash {
        let mut text = String::new();
        self.describe().for_each(|line| text.extend([line.as_str(), "\n"]));
        ContentHash::of(text.as_bytes())
    }

    /// Iterates over the lines that are hashed: one for each file, one for each of its symbols, in path
    /// order.
    pub fn describe(&self) -> impl Iterator<Item = String> {
        self.files.iter().flat_map(|file| std::iter::once(describe_file(file)).chain(describe_rows(file)))
    }
}

fn describe_file(file: &FileEntry) -> String {
    let mut line = format!("{:?} ", file.path.as_str());
    let _ = match &file.content {
        Content::Plain => write!(line, "plain"),
        Content::Unread => write!(line, "unread"),
        Content::Skipped { why, .. } => write!(line, "{why:?}"),
        Content::Code { origin, hash, .. } => {
            let outline = file.outline_once().unwrap_or_default();
            let occurrences = &outline.occurrences;
            write!(
                line,
                "{:x} {hash} errors {} names {:?} {:?} {:?}",
                origin.fingerprint(),
                outline.has_errors,
                occurrences.hashes,
                occurrences.starts,
                occurrences.offsets
            )
        }
    };
    line
}

fn describe_rows(file: &FileEntry) -> impl Iterator<Item = String> {
    file.outline_once().into_iter().flat_map(|outline| {
        let line = |(at, row)| format!("  {} {row:?}", outline.name_path(at));
        outline.rows.iter().enumerate().map(line).collect::<Vec<_>>()
    })
}
