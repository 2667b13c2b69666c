//! Digests that make two indexes comparable: a test of "incremental equals rebuilt" uses them. They exclude
//! revisions, and the states of files (times, inodes), which depend on when a file was examined.

use std::fmt::Write;

use super::file::{Content, FileEntry};
use super::snapshot::Snapshot;
use symd_base::ContentHash;
use symd_syntax::Outline;

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
        self.files.iter().flat_map(|file| {
            let outline = file.outline_once().unwrap_or_default();
            std::iter::once(describe_file(file, &outline)).chain(describe_rows(&outline))
        })
    }
}

fn describe_file(file: &FileEntry, outline: &Outline) -> String {
    let mut line = format!("{:?} ", file.path.as_str());
    let _ = match &file.content {
        Content::Plain => write!(line, "plain"),
        Content::Unread => write!(line, "unread"),
        Content::Skipped { why, .. } => write!(line, "{why:?}"),
        Content::Code { origin, hash, .. } => {
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

fn describe_rows(outline: &Outline) -> Vec<String> {
    let line = |(at, row)| format!("  {} {row:?}", outline.name_path(at));
    outline.rows.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tests::OneOutline;
    use crate::{IndexState, Origin, OutlineSummaries};
    use symd_base::{Cancel, RelPath};
    use symd_syntax::{Grammar, outline};
    use symd_vfs::Stat;

    #[test]
    fn an_outline_on_disk_is_described_like_one_in_memory_and_read_once() {
        let grammar = Grammar::named("python").expect("is there");
        let text = "class A:\n    def f(self): pass\n";
        let outline = Arc::new(outline(grammar, text, &Cancel::new()).expect("not cancelled"));
        let resident = FileEntry {
            path: RelPath::new("a.py").expect("a path"),
            content: Content::Code {
                origin: Origin::Grammar(grammar),
                hash: ContentHash::of(text.as_bytes()),
                stat: Stat::default(),
                outline: outline.clone().into(),
            },
        };
        let stored = Arc::new(OneOutline::new(outline.clone()));
        let key = resident.key().expect("parsed");
        let summary = OutlineSummaries::summarize(&[(key, outline)], stored.clone(), None).remove(0);
        let on_disk = resident.without_outline(summary).expect("parsed");
        let described = |entry: FileEntry| {
            let mut state = IndexState::default();
            state.put(Arc::new(entry));
            state.snapshot().describe().collect::<Vec<_>>()
        };
        assert_eq!(described(on_disk), described(resident));
        assert_eq!(stored.reads(), 1);
    }
}
