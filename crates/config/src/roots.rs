//! Finds the project's root: the nearest `.symd/` above, else the innermost git work tree, else the outermost
//! build marker. Looks only at names, never into files; only [`repository_of`] reads the `.git` file of a
//! linked work tree. Invariant: neither `/` nor the home directory is a root unless the user named it.

use std::path::{Path, PathBuf};

use symd_base::state;

/// Why there is no project root.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// The directory does not exist or cannot be read.
    #[error("cannot use {} as a project: {source}", path.display())]
    Unusable { path: PathBuf, source: std::io::Error },
    /// A file instead of a directory.
    #[error("cannot use {} as a project: it is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// No directory above marks a project.
    #[error("{} is not in a project: neither it nor a directory above contains .symd/, .git or a build file", .0.display())]
    NoProject(PathBuf),
}

/// What to do when there is no project; the second half of the error message.
pub const HOW_TO_CHOOSE: &str = "name one with `--project DIR`, start inside a git work tree, or create a `.symd` directory at the project's root (mkdir .symd)";

/// Returns the root that the user named: any directory, as it is, links resolved.
pub fn canonical_root(directory: &Path) -> Result<PathBuf, RootError> {
    let root = directory
        .canonicalize()
        .map_err(|source| RootError::Unusable { path: directory.to_owned(), source })?;
    if root.is_dir() { Ok(root) } else { Err(RootError::NotADirectory(root)) }
}

/// Finds the root of the project that contains `start`. `home` is the user's home directory, which is never a
/// root, however many build files it contains.
pub fn find_root_above(start: &Path, home: Option<&Path>, markers: &[&str]) -> Result<PathBuf, RootError> {
    let start = canonical_root(start)?;
    let home = home.and_then(|home| home.canonicalize().ok());
    let candidates: Vec<&Path> = start
        .ancestors()
        .filter(|directory| directory.parent().is_some() && Some(*directory) != home.as_deref())
        .collect();
    let own = || candidates.iter().find(|directory| directory.join(".symd").is_dir());
    // A linked work tree and a submodule have a file `.git`; each is a root of its own.
    let git = || candidates.iter().find(|directory| directory.join(".git").exists());
    let build = || candidates.iter().rev().find(|directory| holds_marker(directory, markers));
    own().or_else(git).or_else(build).map(|root| root.to_path_buf()).ok_or(RootError::NoProject(start))
}

/// The longest text of git's that names a directory, in bytes.
const MAX_PATH_TEXT: u64 = 16 << 10;

/// Returns what the work trees of one repository share: the repository's own directory, or `root` where there
/// is none.
pub fn repository_of(root: &Path) -> PathBuf {
    let git = root.join(".git");
    if git.is_dir() {
        return git.canonicalize().unwrap_or(git);
    }
    let line_of = |path: PathBuf| {
        let bytes = state::read_start(&path, MAX_PATH_TEXT)?;
        Some(String::from_utf8(bytes).ok()?.trim().to_owned())
    };
    // The `.git` file of a linked work tree names its own part of the repository, which names the common
    // directory.
    let common = || {
        let own = root.join(line_of(git)?.strip_prefix("gitdir: ")?);
        own.join(line_of(own.join("commondir"))?).canonicalize().ok()
    };
    common().unwrap_or_else(|| root.to_owned())
}

fn holds_marker(directory: &Path, markers: &[&str]) -> bool {
    let (patterns, names): (Vec<&str>, Vec<&str>) =
        markers.iter().partition(|marker| marker.starts_with('*'));
    if names.iter().any(|name| directory.join(name).is_file()) {
        return true;
    }
    let Ok(entries) = directory.read_dir() else { return false };
    !patterns.is_empty()
        && entries.flatten().any(|entry| {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { return false };
            patterns.iter().any(|pattern| name.ends_with(&pattern[1..]))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Languages;

    fn tree(directories: &[&str], files: &[&str]) -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        for directory in directories {
            std::fs::create_dir_all(scratch.path().join(directory)).unwrap();
        }
        for file in files {
            std::fs::OpenOptions::new().write(true).create_new(true).open(scratch.path().join(file)).unwrap();
        }
        scratch
    }

    fn check(directories: &[&str], files: &[&str], start: &str, home: &str, expected: Option<&str>) {
        let scratch = tree(directories, files);
        let base = scratch.path().canonicalize().unwrap();
        let found =
            find_root_above(&base.join(start), Some(&base.join(home)), &Languages::builtin().root_markers());
        assert_eq!(found.ok(), expected.map(|path| base.join(path)), "{directories:?} {files:?} {start}");
    }

    #[test]
    fn the_nearest_symd_directory_wins() {
        check(&["h", "p/.symd", "p/q/.git", "p/q/r"], &[], "p/q/r", "h", Some("p"));
        check(&["h", "p/.symd", "p/q/.symd"], &[], "p/q", "h", Some("p/q"));
    }

    #[test]
    fn then_the_innermost_work_tree_linked_ones_included() {
        check(
            &["h", "p/.git", "p/sub/src"],
            &["p/sub/.git", "p/Cargo.toml"],
            "p/sub/src",
            "h",
            Some("p/sub"),
        );
    }

    #[test]
    fn then_the_outermost_build_marker() {
        check(&["h", "p/a/b"], &["p/pom.xml", "p/a/pom.xml"], "p/a/b", "h", Some("p"));
        check(&["h", "p/a"], &["p/all.sln"], "p/a", "h", Some("p"));
    }

    #[test]
    fn the_home_directory_is_no_project() {
        check(&["h/.git", "h/x"], &["h/package.json"], "h/x", "h", None);
        let scratch = tree(&["h/.git"], &[]);
        let home = scratch.path().join("h").canonicalize().unwrap();
        assert_eq!(canonical_root(&home).unwrap(), home);
    }

    #[test]
    fn a_file_is_no_project() {
        let scratch = tree(&[], &["f"]);
        assert!(matches!(canonical_root(&scratch.path().join("f")), Err(RootError::NotADirectory(_))));
        assert!(matches!(canonical_root(&scratch.path().join("none")), Err(RootError::Unusable { .. })));
    }
}
