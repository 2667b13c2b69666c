//! Finds every file on the disk beneath a directory, ignored or not. Does not use the index: contracts
//! without ignore rules see what a shell would see. Invariant: `.git` is never entered.

use std::ops::ControlFlow;
use std::time::Instant;

use super::tree::{FileOpError, Tree};
use symd_base::{Cancel, RelPath};
use symd_vfs::{Entry, EntryKind, TreeWalk, VfsError};

/// The limits of a walk.
#[derive(Clone, Copy, Debug)]
pub struct WalkLimits {
    /// The maximum number of path components that a file may have below the start.
    pub levels: usize,
    /// The deadline.
    pub until: Instant,
    /// Whether links to files count as files.
    pub links: Links,
}

/// Whether links to regular files are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Links to files are listed under their own names.
    Listed,
    /// Links are omitted: their targets within the project are listed themselves.
    Omitted,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub struct Walked {
    /// Regular files, in byte order of their paths.
    pub files: Vec<RelPath>,
    /// Whether there were directories below the last level.
    pub is_deeper: bool,
    /// Whether the time ran out before every directory was read.
    pub timed_out: bool,
    /// The number of entries that were omitted because their names are not UTF-8.
    pub non_utf8_names: usize,
    /// The number of directories that could not be opened.
    pub unreadable: usize,
}

/// Walks `start`, which must be a directory.
pub fn walk(
    tree: &Tree<'_>,
    start: &RelPath,
    reach: WalkLimits,
    cancel: &Cancel,
) -> Result<Walked, FileOpError> {
    let mut walked = Walked::default();
    let whole = TreeWalk::whole(tree.files, cancel);
    let walk = TreeWalk { follows_start: true, levels: reach.levels, until: Some(reach.until), ..whole };
    let look = |path: &RelPath, entries: Vec<Entry>, unnamed| {
        let (files, below) = in_directory(tree, path, entries, reach.links);
        ((files, unnamed), below)
    };
    let rest = walk.run(start, look, |path, looked| {
        match looked {
            Ok((mut files, unnamed)) => {
                walked.files.append(&mut files);
                walked.non_utf8_names += unnamed;
            }
            Err(error) if path == start => return Err(FileOpError::from(error)),
            // Removed since its parent was listed: not an error.
            Err(VfsError::NotFound { .. }) => {}
            Err(_) => walked.unreadable += 1,
        }
        Ok(ControlFlow::Continue(()))
    })?;
    (walked.is_deeper, walked.timed_out) = (rest.is_deeper, rest.timed_out);
    walked.files.sort_unstable();
    Ok(walked)
}

/// Returns the files of one directory, and the names of the directories to enter.
fn in_directory(
    tree: &Tree<'_>,
    path: &RelPath,
    entries: Vec<Entry>,
    links: Links,
) -> (Vec<RelPath>, Vec<String>) {
    let (mut files, mut below) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry.kind {
            _ if entry.name == ".git" => {}
            EntryKind::Directory => below.push(entry.name),
            EntryKind::File => files.push(path.join(&entry.name)),
            EntryKind::Link if links == Links::Listed => {
                let child = path.join(&entry.name);
                if tree.files.stat(&child).is_ok_and(|(kind, _)| kind == EntryKind::File) {
                    files.push(child);
                }
            }
            EntryKind::Link | EntryKind::Other => {}
        }
    }
    (files, below)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::scratch::Scratch;

    fn reach(levels: usize, seconds: u64, links: Links) -> WalkLimits {
        WalkLimits { levels, until: Instant::now() + Duration::from_secs(seconds), links }
    }

    #[test]
    fn everything_is_seen_but_git_and_what_links_lead_to() {
        let scratch =
            Scratch::new(&[("a/b/c", b""), ("a/.x", b""), ("ignored/y", b""), (".git/z", b""), ("z", b"")]);
        scratch.link("..", "a/up");
        scratch.link("a/.x", "link");
        scratch.link("nowhere", "dangling");
        scratch.fifo("pipe");
        let walked = |start: &str, reach: WalkLimits| {
            walk(&scratch.tree(), &RelPath::new(start).expect(start), reach, &Cancel::new()).expect("walked")
        };
        let names = |walked: &Walked| walked.files.iter().map(RelPath::to_string).collect::<Vec<_>>();
        let all = walked("", reach(20, 60, Links::Omitted));
        assert_eq!(names(&all), ["a/.x", "a/b/c", "ignored/y", "z"]);
        assert!(!all.is_deeper && !all.timed_out);
        assert_eq!(
            names(&walked("", reach(20, 60, Links::Listed))),
            ["a/.x", "a/b/c", "ignored/y", "link", "z"]
        );
        let flat = walked("a", reach(1, 60, Links::Omitted));
        assert_eq!((names(&flat), flat.is_deeper), (vec!["a/.x".to_owned()], true));
        assert!(walked("", reach(20, 0, Links::Omitted)).timed_out);
    }

    #[test]
    fn a_large_tree_is_in_order_and_ends_at_its_level() {
        let mut paths: Vec<String> =
            (0..150).flat_map(|number| [format!("d{number}/f"), format!("d{number}/s/f")]).collect();
        let files: Vec<(&str, &[u8])> = paths.iter().map(|path| (path.as_str(), b"".as_slice())).collect();
        let scratch = Scratch::new(&files);
        let walked = |levels: usize, cancel: &Cancel| {
            walk(&scratch.tree(), &RelPath::root(), reach(levels, 60, Links::Omitted), cancel)
        };
        let names = |walked: &Walked| walked.files.iter().map(RelPath::to_string).collect::<Vec<_>>();
        let all = walked(3, &Cancel::new()).expect("walked");
        paths.sort_unstable();
        assert_eq!((names(&all), all.is_deeper), (paths.clone(), false));
        let flat = walked(2, &Cancel::new()).expect("walked");
        paths.retain(|path| !path.contains("/s/"));
        assert_eq!((names(&flat), flat.is_deeper), (paths, true));
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(matches!(walked(3, &cancel), Err(FileOpError::Cancelled(_))));
    }
}
