//! Whether a repository's files are its own: a project can come with a `.git` whose objects and references are links to those of
//! a private repository, or that names its objects as alternates; git would read them.

use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The files in which a repository names others whose objects it uses.
const ALTERNATES: [&str; 2] = ["objects/info/alternates", "objects/info/http-alternates"];

/// Directories of which everything is read.
const WHOLE: [&str; 4] = ["objects", "refs", "reftable", "worktrees"];

/// The deadline came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unfinished;

/// Returns a path in the repository at `common` that leads outside of it, if there is one.
pub(super) fn leading_out(common: &Path, until: Instant) -> Result<Option<PathBuf>, Unfinished> {
    if let Some(path) = ALTERNATES.iter().map(|name| common.join(name)).find(|path| path.exists()) {
        return Ok(Some(path));
    }
    let mut left = vec![(common.to_owned(), true)];
    while let Some((directory, is_top)) = left.pop() {
        if Instant::now() >= until {
            return Err(Unfinished);
        }
        // What cannot be listed is not read by git either.
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(FileType::is_symlink) {
                let path = entry.path();
                // A link to nowhere leads nowhere, until somebody makes what it names.
                if !path.canonicalize().is_ok_and(|path| path.starts_with(common)) {
                    return Ok(Some(path));
                }
            } else if kind.is_ok_and(|kind| kind.is_dir())
                && (!is_top || WHOLE.iter().any(|name| entry.file_name() == *name))
            {
                left.push((entry.path(), false));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;

    #[test]
    fn links_within_the_repository_are_its_own() {
        let scratch = tempfile::tempdir().unwrap();
        let common = scratch.path().canonicalize().unwrap().join("git");
        std::fs::create_dir_all(common.join("objects/pack")).unwrap();
        std::fs::create_dir_all(common.join("refs/heads")).unwrap();
        std::fs::write(common.join("refs/heads/main"), "").unwrap();
        symlink("refs/heads/main", common.join("HEAD")).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        assert_eq!(leading_out(&common, until), Ok(None));
        let elsewhere = scratch.path().join("elsewhere");
        std::fs::write(&elsewhere, "").unwrap();
        for name in ["packed-refs", "objects/pack/a.pack", "refs/heads/other"] {
            symlink(&elsewhere, common.join(name)).unwrap();
            assert_eq!(leading_out(&common, until), Ok(Some(common.join(name))));
            std::fs::remove_file(common.join(name)).unwrap();
        }
        assert_eq!(leading_out(&common, Instant::now()), Err(Unfinished));
    }
}
