//! A directory to search, under the path that a client gave and under its real path, which differ where a
//! link is on the way. Files are listed by real path and reported to the client by its own. Invariant: where
//! the path contains no link, both are the same and nothing is copied.

use std::borrow::Cow;

use super::tree::{LocateError, Located, Tree};
use symd_base::RelPath;
use symd_vfs::{Files, VfsError};

/// A directory to search, with the path that the client gave and the real one.
#[derive(Clone, Debug)]
pub struct NamedDirectory {
    named: RelPath,
    real: RelPath,
}

impl NamedDirectory {
    /// Returns the project's root directory.
    pub fn project() -> NamedDirectory {
        NamedDirectory { named: RelPath::root(), real: RelPath::root() }
    }

    /// Resolves the directory that a client called `named`.
    pub fn of(files: &dyn Files, named: &RelPath) -> Result<NamedDirectory, VfsError> {
        let real = if named.is_root() { RelPath::root() } else { files.resolve(named)? };
        Ok(NamedDirectory { named: named.clone(), real })
    }

    /// As [`NamedDirectory::of`], for the path `found` that was located from the client's `text`; fails if
    /// the ignore rules exclude the directory under either path.
    pub fn unignored(tree: &Tree<'_>, found: &Located, text: &str) -> Result<NamedDirectory, LocateError> {
        let scope =
            NamedDirectory::of(tree.files, &found.path).map_err(|error| LocateError::of(error, text))?;
        let is_elsewhere = scope.real != scope.named && !scope.real.is_root();
        if is_elsewhere && (tree.ignored)(&scope.real, found.kind) {
            return Err(LocateError::Ignored(text.to_owned()));
        }
        Ok(scope)
    }

    /// Returns the path without links.
    pub fn real(&self) -> &RelPath {
        &self.real
    }

    /// Returns the client's name of `path`, a file beneath the directory given by its real path.
    pub fn shown<'p>(&self, path: &'p RelPath) -> Cow<'p, RelPath> {
        if self.named == self.real {
            return Cow::Borrowed(path);
        }
        let below = match self.real.is_root() {
            true => Some(path.as_str()),
            false => path.as_str().strip_prefix(self.real.as_str()).and_then(|rest| rest.strip_prefix('/')),
        };
        below.map_or(Cow::Borrowed(path), |below| {
            Cow::Owned(below.split('/').fold(self.named.clone(), |path, name| path.join(name)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn files_are_shown_under_the_name_that_was_given() {
        let scratch = Scratch::new(&[("src/sub/a.py", b""), ("ignored/b", b"")]);
        for (target, name) in [("src", "way"), (".", "all"), ("ignored", "open"), ("..", "out")] {
            scratch.link(target, name);
        }
        let tree = scratch.tree();
        let shown = |text: &str, file: &str| {
            let found = tree.locate_unignored(text).expect(text);
            let scope = NamedDirectory::unignored(&tree, &found, text)?;
            Ok::<_, LocateError>(format!(
                "{} {}",
                scope.real(),
                scope.shown(&RelPath::new(file).expect(file))
            ))
        };
        assert_eq!(shown("src", "src/sub/a.py").expect("found"), "src src/sub/a.py");
        assert_eq!(shown("way", "src/sub/a.py").expect("found"), "src way/sub/a.py");
        assert_eq!(shown("way/sub", "src/sub/a.py").expect("found"), "src/sub way/sub/a.py");
        assert_eq!(shown("all", "src/sub/a.py").expect("found"), ". all/src/sub/a.py");
        assert!(matches!(shown("open", "ignored/b"), Err(LocateError::Ignored(path)) if path == "open"));
        let out = RelPath::new("out").expect("valid");
        assert!(matches!(NamedDirectory::of(tree.files, &out), Err(VfsError::Outside { .. })));
    }
}
