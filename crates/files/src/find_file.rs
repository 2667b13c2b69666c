//! Files whose name fits a mask. Not a search by path or content. Invariant: what the ignore rules leave out
//! is neither listed nor searched.

use super::glob::Glob;
use super::scope::NamedDirectory;
use super::tree::{FileOpError, Tree, check_every};
use symd_base::{Cancel, RelPath};
use symd_vfs::EntryKind;

/// Files looked at between two looks at the cancel flag.
const STEP: usize = 1024;

/// The files beneath `directory` (as a client wrote it; empty is the root) whose file name fits `mask`, a
/// [`Glob::name`], in byte order of their paths, which begin as the client wrote it.
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
    for path in tree.files.within(scope.real()) {
        check_every(STEP, &mut seen, cancel)?;
        if mask.matches(path.file_name()) {
            files.push(scope.shown(path).into_owned());
        }
    }
    Ok(files)
}
