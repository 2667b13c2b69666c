//! The project's own settings for symd: since they restrict tools, no tool's edit may change them. Does not
//! interpret their content, and does not cover `.symd`'s other files (memories are edited like any file).
//! Invariant: the answer depends neither on the case of a name, nor on the name by which a link leads to the
//! file.

use symd_base::RelPath;
use symd_vfs::{EntryKind, Root};

/// The directory of the files.
const DIRECTORY: &str = ".symd";

/// The files, relative to the root.
const FILES: [&str; 3] = [".symd/approvals.toml", ".symd/config.toml", ".symd/languages.toml"];

/// The locations of a project's settings.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Targets of links, where those lead to another name.
    elsewhere: Vec<RelPath>,
}

impl Settings {
    /// Returns the locations in the project at `root`, as it is now.
    pub(super) fn of(root: &Root) -> Settings {
        // Most projects have no link there; checking that takes one system call per file instead of four.
        let directory =
            RelPath::new(DIRECTORY).ok().and_then(|path| root.open_directory_no_follow(&path).ok());
        let is_itself = |file: &str| match (&directory, file.rsplit('/').next()) {
            (Some(directory), Some(name)) => match Root::stat_in(directory, name) {
                Ok((kind, _)) => kind != EntryKind::Link,
                Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            },
            _ => false,
        };
        let others = FILES.iter().filter(|file| !is_itself(file));
        Settings { elsewhere: others.filter_map(|file| elsewhere(root, file)).collect() }
    }

    /// Reports whether `path`, as written or with links resolved, is a settings file, or would lie beneath
    /// one.
    pub(super) fn contains(&self, path: &RelPath) -> bool {
        let folded = path.as_str().to_ascii_lowercase();
        let is_named = |file: &str| {
            folded.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        FILES.into_iter().any(is_named) || self.elsewhere.iter().any(|file| path.is_within(file))
    }
}

/// Returns the actual location of `file`, existing or not, if that differs from its name.
fn elsewhere(root: &Root, file: &str) -> Option<RelPath> {
    let named = RelPath::new(file).ok()?;
    let above = || Some(root.resolve(&named.parent()?).ok()?.join(named.file_name()));
    root.resolve(&named).ok().or_else(above).filter(|found| *found != named)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_known_by_any_name() {
        let scratch = tempfile::tempdir().expect("a directory");
        let path = |text: &str| RelPath::new(text).expect("valid");
        let root = Root::open(scratch.path()).expect("opened");
        let settings = Settings::of(&root);
        for text in [
            ".symd/approvals.toml",
            ".symd/config.toml",
            ".symd/languages.toml",
            ".SYMD/Approvals.TOML",
            ".symd/config.toml/x",
        ] {
            assert!(settings.contains(&path(text)), "{text}");
        }
        for text in
            [".symd", ".symd/approvals.toml2", ".symd/memories/config.toml", "a/.symd/config.toml", ""]
        {
            assert!(!settings.contains(&path(text)), "{text}");
        }
        std::fs::create_dir(scratch.path().join("kept")).expect("made");
        std::fs::write(scratch.path().join("own"), "").expect("written");
        std::os::unix::fs::symlink("kept", scratch.path().join(".symd")).expect("linked");
        std::os::unix::fs::symlink("../own", scratch.path().join("kept/languages.toml")).expect("linked");
        let settings = Settings::of(&root);
        for text in [".symd/config.toml", "kept/config.toml", "kept/approvals.toml", "own"] {
            assert!(settings.contains(&path(text)), "{text}");
        }
        assert!(!settings.contains(&path("kept/other.toml")));
        std::fs::remove_file(scratch.path().join(".symd")).expect("removed");
        std::fs::rename(scratch.path().join("kept"), scratch.path().join(".symd")).expect("moved");
        let settings = Settings::of(&root);
        assert!(settings.contains(&path("own")), "a link in the directory itself");
        assert!(!settings.contains(&path("kept/config.toml")));
    }
}
