//! What a directory holds, read from the disk and not from the index. Invariant: links are listed and never
//! descended, so a listing ends and stays inside the project.

use super::tree::{FileOpError, LocateError, Tree};
use symd_base::{Cancel, RelPath};
use symd_vfs::{EntryKind, VfsError};

/// How far a listing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The directory's own entries.
    Flat,
    /// Everything beneath it, except what is inside a `.git`.
    Recursive,
}

/// Whether the ignore rules count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// What is on the disk is listed.
    Listed,
    /// What the rules leave out is left out, with everything beneath it.
    LeftOut,
}

/// What a directory holds; both lists in byte order of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryListing {
    /// Directories, and links to directories of the project.
    pub dirs: Vec<RelPath>,
    /// Everything else: files, links to files, links that lead outside or nowhere, FIFOs, sockets.
    pub files: Vec<RelPath>,
    /// How many names are not UTF-8, and therefore left out.
    pub unnamed: usize,
    /// Directories that could not be opened, in byte order.
    pub unreadable: Vec<RelPath>,
}

/// Lists the directory that a client wrote as `directory` (empty is the root). [`LocateError::Missing`] when
/// there is none, also when there is something else of that name.
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
            // Removed since its parent was listed: there is nothing to tell.
            Err(VfsError::NotFound { .. }) => {}
            Err(_) => listing.unreadable.push(path),
        }
    }
    listing.dirs.sort_unstable();
    listing.files.sort_unstable();
    listing.unreadable.sort_unstable();
    Ok(listing)
}

/// Adds the entries of one directory; gives the directories to descend into.
fn one_directory(
    tree: &Tree<'_>,
    path: &RelPath,
    ignored: Ignored,
    listing: &mut DirectoryListing,
) -> Result<Vec<RelPath>, VfsError> {
    let (entries, unnamed) = tree.root.list(path, tree.root.open_directory(path)?)?;
    listing.unnamed += unnamed;
    let mut below = Vec::new();
    for entry in entries {
        let child = path.join(&entry.name);
        let kind = match entry.kind {
            // A link that leads outside or nowhere is only a name.
            EntryKind::Link => tree.root.stat(&child).map_or(EntryKind::Link, |(kind, _)| kind),
            kind => kind,
        };
        if ignored == Ignored::LeftOut && (tree.ignored)(&child, kind) {
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
