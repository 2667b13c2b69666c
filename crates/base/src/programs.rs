//! Looks up programs: on the user's PATH, after a directory of symd's own where there is one, never in the
//! project. Starts no process. Invariant: a program that is found is an executable file outside the project,
//! also once its links are resolved.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::Access;

/// The directories that are searched for programs, in search order.
#[derive(Clone, Debug)]
pub struct Programs {
    directories: Vec<PathBuf>,
    project: Option<PathBuf>,
}

/// Why a program cannot be used. Displayed as the middle of a sentence: "ty is not installed".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// A program that no directory contains.
    #[error("{0} is not installed")]
    Missing(String),
    /// A file of that name which this user may not execute.
    #[error("{} is not executable; `chmod +x` it, or remove it", .0.display())]
    NotExecutable(PathBuf),
    /// Neither a program name nor an absolute path.
    #[error("{0:?} is not a program name; name a program on PATH, or give its absolute path")]
    NotAName(String),
    /// A program that only the project contains.
    #[error("{} is inside the project, and symd runs no programs from there; install it elsewhere", .0.display())]
    InProject(PathBuf),
}

impl Programs {
    /// Creates the list from `search_path`, in PATH's form, without entries that are relative or inside
    /// `project` (absolute, its links resolved).
    pub fn on(search_path: &OsStr, project: Option<&Path>) -> Programs {
        let directories = std::env::split_paths(search_path).collect();
        Programs { directories, project: project.map(Path::to_owned) }
    }

    /// Puts `first` before the other directories, unless it is relative or inside the project.
    pub fn after(mut self, first: PathBuf) -> Programs {
        self.directories.insert(0, first);
        self
    }

    fn is_allowed(&self, directory: &Path) -> bool {
        directory.is_absolute() && self.project.as_ref().is_none_or(|project| !is_within(directory, project))
    }

    /// Returns the PATH for programs started from here and everything that they start.
    pub fn path(&self) -> OsString {
        // Joining fails for a directory whose name contains `:`. Directories split from PATH contain none,
        // nor does symd's own.
        let allowed = self.directories.iter().filter(|directory| self.is_allowed(directory));
        std::env::join_paths(allowed).unwrap_or_default()
    }

    /// Finds the program called `command`, or the one at that absolute path.
    pub fn find(&self, command: &str) -> Result<PathBuf, ProgramError> {
        if command.is_empty() || (command.contains('/') && !command.starts_with('/')) {
            return Err(ProgramError::NotAName(command.to_owned()));
        }
        // Joining a directory and an absolute command yields the command.
        let mut problem = ProgramError::Missing(command.to_owned());
        for directory in &self.directories {
            let path = directory.join(command);
            // Links are followed only where there is something: a question may look for programs hundreds of times.
            if !path.is_file() || !self.is_allowed(directory) {
                continue;
            }
            let Ok(resolved) = path.canonicalize() else { continue };
            if self.project.as_ref().is_some_and(|project| resolved.starts_with(project)) {
                problem = ProgramError::InProject(path);
            } else if !is_program(&path) {
                problem = ProgramError::NotExecutable(path);
            } else {
                return Ok(path);
            }
        }
        Err(problem)
    }
}

/// Whether `path`, links followed, is a file that this process may execute.
pub fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// Whether `path`, as written or with its links resolved, lies in `root`.
pub fn is_within(path: &Path, root: &Path) -> bool {
    path.starts_with(root) || path.canonicalize().is_ok_and(|path| path.starts_with(root))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn program(path: &Path, mode: u32) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn nothing_is_found_in_the_project() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().canonicalize().unwrap().join(name);
        let (root, installed) = (at("project"), at("installed/bin"));
        program(&at("project/node_modules/.bin/ls1"), 0o755);
        program(&at("installed/bin/both"), 0o755);
        program(&at("usr/both"), 0o755);
        program(&at("usr/plain"), 0o644);
        program(&at("late/plain2"), 0o755);
        std::os::unix::fs::symlink(at("project/node_modules/.bin"), at("sly")).unwrap();
        std::os::unix::fs::symlink(at("project/node_modules/.bin/ls1"), at("usr/linked")).unwrap();
        let path = std::env::join_paths([
            at("project/node_modules/.bin"),
            at("sly"),
            ".".into(),
            "node_modules/.bin".into(),
            at("usr"),
            at("late"),
        ])
        .unwrap();
        let programs = Programs::on(&path, Some(&root)).after(installed.clone());
        assert_eq!(
            programs.path(),
            std::env::join_paths([installed.clone(), at("usr"), at("late")]).unwrap()
        );
        assert_eq!(programs.find("both"), Ok(installed.join("both")));
        assert_eq!(programs.find("plain2"), Ok(at("late/plain2")));
        assert_eq!(programs.find("plain"), Err(ProgramError::NotExecutable(at("usr/plain"))));
        assert_eq!(programs.find("ls1"), Err(ProgramError::Missing("ls1".to_owned())));
        assert_eq!(programs.find("linked"), Err(ProgramError::InProject(at("usr/linked"))));
        assert!(matches!(programs.find("bin/ls1"), Err(ProgramError::NotAName(_))));
        let inside = at("project/node_modules/.bin/ls1");
        assert_eq!(programs.find(inside.to_str().unwrap()), Err(ProgramError::InProject(inside)));
        assert_eq!(programs.find(at("usr/both").to_str().unwrap()), Ok(at("usr/both")));
        let anywhere = Programs::on(&path, None);
        assert_eq!(anywhere.find("ls1"), Ok(at("project/node_modules/.bin/ls1")));
        let of_the_project = programs.after(at("project/bin"));
        assert_eq!(of_the_project.find("both"), Ok(installed.join("both")));
    }
}
