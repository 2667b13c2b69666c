//! Lists the entries of one directory as read from the disk, by name, not by path. Not recursive. Invariant:
//! every omitted entry is counted, except those that the client excluded.

use symd_base::RelPath;
use symd_engine::View;
use symd_files::glob::Glob;
use symd_files::tree::{FileOpError, LocateError};
use symd_vfs::{EntryKind, VfsError};

/// Whether entries that git ignores are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitIgnored {
    /// Ignored entries are counted instead.
    LeftOut,
    /// Ignored entries are listed.
    Listed,
}

/// The entries of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// Names of directories and of links to directories of the project, sorted by their lower-case form.
    pub directories: Vec<String>,
    /// Names of everything else, in the same order.
    pub files: Vec<String>,
    /// Number of entries that git ignores, if these are omitted.
    pub git_ignored: usize,
    /// Number of entries that are omitted because their names are not UTF-8.
    pub unnamed: usize,
    /// Whether the directory holds nothing at all.
    pub is_empty: bool,
}

/// Lists the entries of the directory `path`, except those whose names match one of `without`.
pub fn entries(
    view: &View,
    path: &RelPath,
    without: &[Glob],
    git_ignored: GitIgnored,
) -> Result<Entries, FileOpError> {
    let shown = || path.as_str().to_owned();
    let (kind, _) = view.files.stat(path).map_err(|error| located(error, path))?;
    if kind != EntryKind::Directory {
        return Err(FileOpError::IsFile(shown()));
    }
    let (listed, unnamed) = view.files.list(path).map_err(|error| located(error, path))?;
    let mut found = Entries { unnamed, is_empty: listed.is_empty() && unnamed == 0, ..Entries::default() };
    for entry in listed {
        if without.iter().any(|glob| glob.matches(&entry.name)) {
            continue;
        }
        let child = path.join(&entry.name);
        let kind = match entry.kind {
            // A link that leads outside the project or nowhere is listed like a file.
            EntryKind::Link => view.files.stat(&child).map_or(EntryKind::Link, |(kind, _)| kind),
            kind => kind,
        };
        if git_ignored == GitIgnored::LeftOut && view.is_git_ignored(&child, entry.kind) {
            found.git_ignored += 1;
        } else if kind == EntryKind::Directory {
            found.directories.push(entry.name);
        } else {
            found.files.push(entry.name);
        }
    }
    // The listing is in byte order; the stable sort keeps that order among equal lower-case names.
    found.directories.sort_by_cached_key(|name| name.to_lowercase());
    found.files.sort_by_cached_key(|name| name.to_lowercase());
    Ok(found)
}

fn located(error: VfsError, path: &RelPath) -> FileOpError {
    match error {
        VfsError::NotFound { .. } => LocateError::Missing(path.as_str().to_owned()).into(),
        VfsError::Outside { .. } => LocateError::Outside(path.as_str().to_owned()).into(),
        other => other.into(),
    }
}
