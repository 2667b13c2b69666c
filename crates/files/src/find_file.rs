//! Finds files whose name matches a mask. Not a search by path or content. Invariant: paths that the ignore
//! rules exclude are neither listed nor searched.

use super::glob::Glob;
use super::scope::NamedDirectory;
use super::tree::{FileOpError, Tree, check_every};
use symd_base::{Cancel, RelPath};
use symd_vfs::EntryKind;

/// Files between two checks of the cancel flag.
const STEP: usize = 1024;

/// Returns the files beneath `directory` (as the client wrote it; empty is the root) whose file name matches
/// `mask`, a [`Glob::name`], in byte order of their real paths. The returned paths begin with `directory` as
/// the client wrote it.
pub fn find_file(
    tree: &Tree<'_>,
    mask: &str,
    directory: &str,
    cancel: &Cancel,
) -> Result<Vec<RelPath>, FileOpError> {
    let mask = Glob::name(mask)?;
    let found = tree.locate_unignored(directory)?;
    if found.kind != EntryKind::Directory {
        return Err(FileOpError::IsFile(directory.to_owned()));
    }
    let scope = NamedDirectory::unignored(tree, &found, directory)?;
    let mut files = Vec::new();
    let mut seen = 0;
    for path in tree.listed.within(scope.real()) {
        check_every(STEP, &mut seen, cancel)?;
        if mask.matches(path.file_name()) {
            files.push(scope.shown(path).into_owned());
        }
    }
    Ok(files)
}
