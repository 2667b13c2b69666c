//! A directory to look in, under the name that a client gave it and under its own: they differ where a link is on the way.
//! Files are listed under their own names alone, and answered under the client's. Invariant: of a directory without links
//! on the way, both are the same and nothing is copied.

use std::borrow::Cow;

use super::tree::{LocateError, Located, Tree};
use symd_base::RelPath;
use symd_vfs::{Root, VfsError};

/// A directory to look in.
#[derive(Clone, Debug)]
pub struct NamedDirectory {
    named: RelPath,
    real: RelPath,
}

impl NamedDirectory {
    /// The project.
    pub fn project() -> NamedDirectory {
        NamedDirectory { named: RelPath::root(), real: RelPath::root() }
    }

    /// The directory that a client called `named`.
    pub fn of(root: &Root, named: &RelPath) -> Result<NamedDirectory, VfsError> {
        let real = if named.is_root() { RelPath::root() } else { root.resolve(named)? };
        Ok(NamedDirectory { named: named.clone(), real })
    }

    /// The same of what was found for `text`; what the rules leave out is refused under either name.
    pub fn unignored(tree: &Tree<'_>, found: &Located, text: &str) -> Result<NamedDirectory, LocateError> {
        let scope =
            NamedDirectory::of(tree.root, &found.path).map_err(|error| LocateError::of(error, text))?;
        let is_elsewhere = scope.real != scope.named && !scope.real.is_root();
        if is_elsewhere && (tree.ignored)(&scope.real, found.kind) {
            return Err(LocateError::Ignored(text.to_owned()));
        }
        Ok(scope)
    }

    /// Its own name.
    pub fn real(&self) -> &RelPath {
        &self.real
    }

    /// What the client calls `path`, a file beneath it.
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
        assert!(matches!(NamedDirectory::of(tree.root, &out), Err(VfsError::Outside { .. })));
    }
}
