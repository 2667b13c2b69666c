//! Lists a directory's tree breadth first, page by page, nearest entries first. Reads the disk, ignored files
//! included, and not the index. Invariant: links are listed and never descended.

use std::ops::{ControlFlow, Range};

use super::tree::{FileOpError, Tree};
use symd_base::{Cancel, RelPath};
use symd_vfs::{Entry, EntryKind, TreeWalk};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelEntry {
    /// The path from the project's root.
    pub path: RelPath,
    /// Whether the entry is a directory, or a link to a directory of the project.
    pub is_directory: bool,
}

/// Returns the entries with the numbers in `page` (0-based, half-open) beneath `directory` (as the client
/// wrote it; empty is the root), down to `depth` levels. The order is level by level; in each directory the
/// directories come first, then everything else, in byte order. The content of a `.git` directory is not
/// listed, nor are names that are not UTF-8.
pub fn list_by_level(
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
    let walk = TreeWalk { follows_start: true, levels: depth, ..TreeWalk::whole(tree.files, cancel) };
    let look = |path: &RelPath, entries: Vec<Entry>, _| in_directory(tree, path, entries);
    walk.run(&found.path, look, |path, held| {
        let held = match held {
            Ok(held) => held,
            Err(error) if *path == found.path => return Err(FileOpError::from(error)),
            // Removed since its parent was listed, or not readable for this user.
            Err(_) => return Ok(ControlFlow::Continue(())),
        };
        for ListedEntry { name, is_directory } in held {
            if number >= page.end {
                return Ok(ControlFlow::Break(()));
            }
            if page.contains(&number) {
                listed.push(LevelEntry { path: path.join(&name), is_directory });
            }
            number += 1;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(listed)
}

/// An entry of a directory.
struct ListedEntry {
    name: String,
    is_directory: bool,
}

/// Returns the entries of the directory `path`, in the order of the listing, and the names of those whose entries are
/// listed too.
fn in_directory(tree: &Tree<'_>, path: &RelPath, entries: Vec<Entry>) -> (Vec<ListedEntry>, Vec<String>) {
    let (mut directories, mut others, mut below) = (Vec::new(), Vec::new(), Vec::new());
    for Entry { name, kind } in entries {
        let is_directory = match kind {
            EntryKind::Link => matches!(tree.files.stat(&path.join(&name)), Ok((EntryKind::Directory, _))),
            kind => kind == EntryKind::Directory,
        };
        // A linked directory may be its own ancestor.
        if kind == EntryKind::Directory && name != ".git" {
            below.push(name.clone());
        }
        let list = if is_directory { &mut directories } else { &mut others };
        list.push(ListedEntry { name, is_directory });
    }
    directories.append(&mut others);
    (directories, below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn listed(scratch: &Scratch, directory: &str, depth: usize, page: Range<usize>) -> String {
        let entries = list_by_level(&scratch.tree(), directory, depth, page, &Cancel::new()).expect("listed");
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
        let refused = list_by_level(&scratch.tree(), "a", 1, 0..1, &Cancel::new());
        assert!(matches!(refused, Err(FileOpError::IsFile(_))));
    }

    #[test]
    fn pages_of_a_large_tree_are_cut_from_the_whole() {
        let wide: Vec<String> = (0..150).map(|number| format!("d{number:03}/s/t/f")).collect();
        let files: Vec<(&str, &[u8])> = wide.iter().map(|path| (path.as_str(), b"".as_slice())).collect();
        let scratch = Scratch::new(&files);
        let level = |tail: &str| (0..150).map(|number| format!("d{number:03}/{tail}")).collect::<Vec<_>>();
        let whole = [level(""), level("s/"), level("s/t/"), level("s/t/f")].concat();
        assert_eq!(listed(&scratch, "", 9, 0..usize::MAX), whole.join(" "));
        for page in [0..1, 140..160, 299..460, 599..700] {
            let expected = whole[page.start..page.end.min(600)].join(" ");
            assert_eq!(listed(&scratch, "", 9, page), expected);
        }
        let cancel = Cancel::new();
        cancel.cancel();
        let cancelled = list_by_level(&scratch.tree(), "", 9, 0..usize::MAX, &cancel);
        assert!(matches!(cancelled, Err(FileOpError::Cancelled(_))));
    }
}
