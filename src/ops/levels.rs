//! A directory's tree breadth first, page by page: what lies near comes first. Read from the disk, ignored or not, and not
//! from the index. Invariant: links are listed and never descended, so a listing ends and stays inside the project.

use std::collections::VecDeque;
use std::ops::Range;

use super::tree::{FileOpError, Tree};
use crate::base::{Cancel, RelPath};
use crate::vfs::EntryKind;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelEntry {
    /// Where, from the root of the project.
    pub path: RelPath,
    /// Whether it is a directory, or a link to one of the project.
    pub is_directory: bool,
}

/// The entries of number `page` (0-based, half-open) beneath `directory` (as a client wrote it; empty is the root), down to
/// `depth` levels: level by level, of each directory first the directories, then everything else, in byte order. What is
/// inside a `.git` is not listed, and neither are names that are not UTF-8.
pub fn levels(
    tree: &Tree<'_>,
    directory: &str,
    depth: usize,
    page: Range<usize>,
    cancel: &Cancel,
) -> Result<Vec<LevelEntry>, FileOpError> {
    let found = tree.locate(directory)?;
    if found.kind != EntryKind::Directory {
        return Err(FileOpError::IsFile(directory.to_owned()));
    }
    let mut listed = Vec::new();
    let mut number = 0;
    let mut waiting = VecDeque::from([(found.path.clone(), 1)]);
    while let Some((path, level)) = waiting.pop_front() {
        cancel.check()?;
        let opened = tree.root.open_directory(&path);
        let entries = match opened.and_then(|opened| tree.root.list(&path, opened)) {
            Ok((entries, _)) => entries,
            Err(error) if path == found.path => return Err(error.into()),
            // Removed since its parent was listed, or not ours to read.
            Err(_) => continue,
        };
        let (mut directories, mut others) = (Vec::new(), Vec::new());
        for entry in entries {
            let child = path.join(&entry.name);
            let is_directory = match entry.kind {
                EntryKind::Link => matches!(tree.root.stat(&child), Ok((EntryKind::Directory, _))),
                kind => kind == EntryKind::Directory,
            };
            // A linked directory may be its own ancestor.
            if entry.kind == EntryKind::Directory && entry.name != ".git" && level < depth {
                waiting.push_back((child.clone(), level + 1));
            }
            let list = if is_directory { &mut directories } else { &mut others };
            list.push(LevelEntry { path: child, is_directory });
        }
        for entry in directories.into_iter().chain(others) {
            if number >= page.end {
                return Ok(listed);
            }
            if page.contains(&number) {
                listed.push(entry);
            }
            number += 1;
        }
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::scratch::Scratch;

    fn listed(scratch: &Scratch, directory: &str, depth: usize, page: Range<usize>) -> String {
        let entries = levels(&scratch.tree(), directory, depth, page, &Cancel::new()).expect("listed");
        let shown: Vec<String> = entries
            .iter()
            .map(|entry| format!("{}{}", entry.path, if entry.is_directory { "/" } else { "" }))
            .collect();
        shown.join(" ")
    }

    #[test]
    fn what_is_near_comes_first() {
        let scratch = Scratch::new(&[
            ("b", b""),
            ("a", b""),
            ("y/x/deep", b""),
            ("y/f", b""),
            ("c/f", b""),
            (".git/HEAD", b""),
            ("ignored/f", b""),
        ]);
        scratch.link("y", "link");
        scratch.link("..", "y/x/again");
        let all = ".git/ c/ ignored/ link/ y/ a b c/f ignored/f y/x/ y/f y/x/again/ y/x/deep";
        assert_eq!(listed(&scratch, "", 9, 0..usize::MAX), all);
        assert_eq!(listed(&scratch, "", 2, 4..9), "y/ a b c/f ignored/f");
        assert_eq!(listed(&scratch, "", 1, 0..100), ".git/ c/ ignored/ link/ y/ a b");
        assert_eq!(listed(&scratch, "", 0, 0..100), listed(&scratch, "", 1, 0..100));
        assert_eq!(listed(&scratch, "y", 2, 0..100), "y/x/ y/f y/x/again/ y/x/deep");
        assert_eq!(listed(&scratch, "", 9, 50..60), "");
        let refused = levels(&scratch.tree(), "a", 1, 0..1, &Cancel::new());
        assert!(matches!(refused, Err(FileOpError::IsFile(_))));
    }
}
