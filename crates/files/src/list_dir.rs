//! Lists a directory, from the disk and not from the index. Invariant: links are listed and never descended,
//! so a listing ends and stays inside the project.

use super::tree::{FileOpError, LocateError, Tree};
use symd_base::{Cancel, RelPath};
use symd_vfs::{EntryKind, VfsError};

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
    let mut waiting = vec![found.path.clone()];
    while let Some(path) = waiting.pop() {
        cancel.check()?;
        match one_directory(tree, &path, ignored, &mut listing) {
            Ok(below) if depth == Depth::Recursive => waiting.extend(below),
            Ok(_) => {}
            Err(error) if path == found.path => return Err(error.into()),
            // Removed since its parent was listed: not an error.
            Err(VfsError::NotFound { .. }) => {}
            Err(_) => listing.unreadable.push(path),
        }
    }
    listing.dirs.sort_unstable();
    listing.files.sort_unstable();
    listing.unreadable.sort_unstable();
    Ok(listing)
}

/// Adds the entries of one directory to `listing`; returns the directories to descend into.
fn one_directory(
    tree: &Tree<'_>,
    path: &RelPath,
    ignored: Ignored,
    listing: &mut DirectoryListing,
) -> Result<Vec<RelPath>, VfsError> {
    let (entries, unnamed) = tree.files.list(path)?;
    listing.non_utf8_names += unnamed;
    let mut below = Vec::new();
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
            listing.files.push(child);
            continue;
        }
        // A linked directory may be its own ancestor.
        if entry.kind == EntryKind::Directory && entry.name != ".git" {
            below.push(child.clone());
        }
        listing.dirs.push(child);
    }
    Ok(below)
}
