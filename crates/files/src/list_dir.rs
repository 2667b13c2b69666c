//! Lists a directory, from the disk and not from the index. Invariant: links are listed and never descended.

use std::ops::ControlFlow;

use super::tree::{FileOpError, LocateError, Tree};
use symd_base::{Cancel, RelPath};
use symd_vfs::{Entry, EntryKind, TreeWalk, VfsError};

/// The depth of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only the directory's own entries.
    Flat,
    /// Everything beneath the directory, except the content of a `.git`.
    Recursive,
}

/// Whether ignored paths are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Everything on the disk is listed.
    Listed,
    /// Paths that the ignore rules exclude are omitted, with everything beneath them.
    Omitted,
}

/// The entries of a directory; both lists are in byte order of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryListing {
    /// Directories, and links to directories of the project.
    pub dirs: Vec<RelPath>,
    /// Everything else: files, links to files, links that lead outside or nowhere, FIFOs, sockets.
    pub files: Vec<RelPath>,
    /// The number of entries that were omitted because their names are not UTF-8.
    pub non_utf8_names: usize,
    /// Directories that could not be opened, in byte order.
    pub unreadable: Vec<RelPath>,
}

/// Lists `directory`, a path as the client wrote it (empty is the root). Returns [`LocateError::Missing`] if
/// it does not exist, or is not a directory.
pub fn list_dir(
    tree: &Tree<'_>,
    directory: &str,
    depth: Depth,
    ignored: Ignored,
    cancel: &Cancel,
) -> Result<DirectoryListing, FileOpError> {
    let found = tree.locate(directory)?;
    if found.kind != EntryKind::Directory {
        return Err(LocateError::Missing(directory.to_owned()).into());
    }
    let mut listing = DirectoryListing::default();
    let levels = match depth {
        Depth::Flat => 1,
        Depth::Recursive => usize::MAX,
    };
    let walk = TreeWalk { follows_start: true, levels, ..TreeWalk::whole(tree.files, cancel) };
    let look = |path: &RelPath, entries, unnamed| {
        let (dirs, files, below) = in_directory(tree, path, entries, ignored);
        ((dirs, files, unnamed), below)
    };
    walk.run(&found.path, look, |path, looked| {
        match looked {
            Ok((mut dirs, mut files, unnamed)) => {
                listing.dirs.append(&mut dirs);
                listing.files.append(&mut files);
                listing.non_utf8_names += unnamed;
            }
            Err(error) if *path == found.path => return Err(FileOpError::from(error)),
            // Removed since its parent was listed: not an error.
            Err(VfsError::NotFound { .. }) => {}
            Err(_) => listing.unreadable.push(path.clone()),
        }
        Ok(ControlFlow::Continue(()))
    })?;
    listing.dirs.sort_unstable();
    listing.files.sort_unstable();
    listing.unreadable.sort_unstable();
    Ok(listing)
}

/// Returns the directories and the other entries of one directory, and the names of the directories to descend into.
fn in_directory(
    tree: &Tree<'_>,
    path: &RelPath,
    entries: Vec<Entry>,
    ignored: Ignored,
) -> (Vec<RelPath>, Vec<RelPath>, Vec<String>) {
    let (mut dirs, mut files, mut below) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        let child = path.join(&entry.name);
        let kind = match entry.kind {
            // A link that leads outside the project or nowhere is listed as a link.
            EntryKind::Link => tree.files.stat(&child).map_or(EntryKind::Link, |(kind, _)| kind),
            kind => kind,
        };
        if ignored == Ignored::Omitted && (tree.ignored)(&child, kind) {
            continue;
        }
        if kind != EntryKind::Directory {
            files.push(child);
            continue;
        }
        dirs.push(child);
        // A linked directory may be its own ancestor.
        if entry.kind == EntryKind::Directory && entry.name != ".git" {
            below.push(entry.name);
        }
    }
    (dirs, files, below)
}
