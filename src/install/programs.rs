//! Finding programs on PATH. Invariant: never in the project, and never relative to where somebody happens to be.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The directories of `search_path` in which programs may be looked up: absolute ones outside `project`.
pub(super) fn allowed(search_path: &OsStr, project: Option<&Path>) -> Vec<PathBuf> {
    let inside = |directory: &Path| {
        // A link from elsewhere into the project is inside as well.
        let real = directory.canonicalize();
        let real = real.as_deref().unwrap_or(directory);
        project.is_some_and(|project| directory.starts_with(project) || real.starts_with(project))
    };
    std::env::split_paths(search_path)
        .filter(|directory| directory.is_absolute() && !inside(directory))
        .collect()
}

/// The first program called `name` in `directories`.
pub(super) fn find_in(name: &str, directories: &[PathBuf]) -> Option<PathBuf> {
    directories.iter().map(|directory| directory.join(name)).find(|path| is_program(path))
}

/// The first program called `name` on `search_path`, leaving out the directories of `project` and relative ones.
pub fn find_program(name: &str, search_path: &OsStr, project: Option<&Path>) -> Option<PathBuf> {
    find_in(name, &allowed(search_path, project))
}

/// Whether `path`, links followed, is a file that somebody may run.
pub(super) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::state;

    #[test]
    fn the_projects_own_programs_are_not_found() {
        let scratch = tempfile::tempdir().expect("scratch");
        let scratch = scratch.path().canonicalize().expect("there");
        let (project, outside) = (scratch.join("project"), scratch.join("outside"));
        for directory in [project.join("bin"), outside.clone()] {
            state::private_dir(&directory).expect("made");
            state::create_program(&directory.join("npm"), b"#!/bin/sh\n").expect("made");
        }
        state::replace_link(&scratch.join("link"), &project.join("bin")).expect("linked");
        state::replace_file(&outside.join("data"), &[b"not to be run"]).expect("written");
        let path = std::env::join_paths([
            &project.join("bin"),
            &scratch.join("link"),
            Path::new("."),
            Path::new(""),
            &outside,
        ]);
        let path = path.expect("joined");
        assert_eq!(find_program("npm", &path, Some(&project)), Some(outside.join("npm")));
        assert_eq!(find_program("npm", &path, None), Some(project.join("bin/npm")));
        assert_eq!(find_program("data", &path, None), None);
    }
}
