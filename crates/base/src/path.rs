//! Project paths as clients write them and as answers print them: relative to the root, UTF-8, separated by
//! `/` on every system. Invariant: a [`RelPath`] names something beneath the root, as far as its text shows
//! (`vfs` checks links).

use std::borrow::Borrow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::escape::escaped;

/// A path relative to the project root: components joined by `/`, none of them empty, `.` or `..`. The root
/// itself is the empty path. Ordered by bytes, as contracts sort paths; in that order everything beneath a
/// directory is contiguous. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(Arc<str>);

/// Why a text is not a path beneath the root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A path that starts at the root of the file system, or names a drive or a network share.
    #[error("Path must be relative, got: {0}")]
    Absolute(String),
    /// A path that leaves the project by `..`.
    #[error("Path is outside the project: {0}")]
    Outside(String),
    /// A path that contains a NUL byte or is not UTF-8, and so cannot name a file.
    #[error("Path is not valid: {0}")]
    Invalid(String),
}

impl RelPath {
    /// Returns the path of the project root.
    pub fn root() -> RelPath {
        RelPath(Arc::from(""))
    }

    /// Parses a path as a client wrote it. `.` and empty components are dropped, `..` removes the component
    /// before it. Drive letters, UNC paths and `..\` are rejected on every system; any other backslash is an
    /// ordinary character.
    pub fn new(text: &str) -> Result<RelPath, PathError> {
        if text.contains('\0') {
            return Err(PathError::Invalid(text.replace('\0', "\\0")));
        }
        if text.starts_with('/') || text.starts_with("\\\\") || has_drive_letter(text) {
            return Err(PathError::Absolute(text.to_owned()));
        }
        if text.starts_with("..\\") || text.contains("\\..\\") || text.contains("/..\\") {
            return Err(PathError::Outside(text.to_owned()));
        }
        let mut components: Vec<&str> = Vec::new();
        for component in text.split('/') {
            match component {
                "" | "." => {}
                ".." => {
                    components.pop().ok_or_else(|| PathError::Outside(text.to_owned()))?;
                }
                name => components.push(name),
            }
        }
        Ok(RelPath(components.join("/").into()))
    }

    /// Returns this path with one more component. `name` must be a file name: not empty, no `/`.
    pub fn join(&self, name: &str) -> RelPath {
        debug_assert!(!name.is_empty() && !name.contains('/'), "not a file name: {name:?}");
        if self.is_root() { RelPath(name.into()) } else { RelPath([&self.0, "/", name].concat().into()) }
    }

    /// Returns the path as text; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path for the operating system; `.` for the root.
    pub fn as_path(&self) -> &Path {
        Path::new(if self.is_root() { "." } else { &self.0 })
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the last component; empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or("")
    }

    /// Returns the file name without its last extension: `a/b.tar.gz` → `b.tar`, `.profile` → `.profile`.
    pub fn file_stem(&self) -> &str {
        let name = self.file_name();
        name.rfind('.').filter(|&dot| dot > 0).map_or(name, |dot| &name[..dot])
    }

    /// Returns what follows the last dot of the file name; `None` without an extension (`.profile` has none).
    pub fn extension(&self) -> Option<&str> {
        let name = self.file_name();
        name.rfind('.').filter(|&dot| dot > 0).map(|dot| &name[dot + 1..])
    }

    /// Returns the directory that contains this path; `None` for the root.
    pub fn parent(&self) -> Option<RelPath> {
        if self.is_root() {
            return None;
        }
        Some(self.0.rfind('/').map_or_else(RelPath::root, |slash| RelPath(self.0[..slash].into())))
    }

    /// Whether this is `directory` itself or lies somewhere beneath it.
    pub fn is_within(&self, directory: &RelPath) -> bool {
        directory.is_root()
            || self
                .0
                .strip_prefix(directory.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Iterates over the components, outermost first; none for the root.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|component| !component.is_empty())
    }
}

/// Whether `text` begins with a Windows drive: `C:\x`, `C:/x`, or just `C:`. `C:x` does not: here a colon is
/// an ordinary character in names, files such as `B::Concise.3pm` exist and are listed, and such a text can
/// reach nothing but a file of that name.
fn has_drive_letter(text: &str) -> bool {
    match text.as_bytes() {
        [letter, b':', rest @ ..] => letter.is_ascii_alphabetic() && matches!(rest, [] | [b'/' | b'\\', ..]),
        _ => false,
    }
}

impl TryFrom<String> for RelPath {
    type Error = PathError;

    fn try_from(text: String) -> Result<RelPath, PathError> {
        RelPath::new(&text)
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> String {
        path.as_str().to_owned()
    }
}

impl Borrow<str> for RelPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Writes the path for lines of text: [`escaped`], `.` for the root. Use [`RelPath::as_str`] for data.
impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() { f.write_str(".") } else { f.write_str(&escaped(&self.0)) }
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_clients_write() {
        let cases = [
            ("", ""),
            (".", ""),
            ("a", "a"),
            ("./a//b/", "a/b"),
            ("a/../b", "b"),
            ("a\\b", "a\\b"),
            ("c:x", "c:x"),
            ("B::Concise.3pm", "B::Concise.3pm"),
        ];
        for (text, expected) in cases {
            assert_eq!(RelPath::new(text).expect(text).as_str(), expected, "{text:?}");
        }
    }

    #[test]
    fn refuses_what_leaves_the_root() {
        for text in ["/etc", "C:/x", "C:", "C:\\x", "\\\\host\\share"] {
            assert!(matches!(RelPath::new(text), Err(PathError::Absolute(_))), "{text:?}");
        }
        for text in ["..", "a/../../b", "..\\x", "a\\..\\b", "a/..\\b"] {
            assert!(matches!(RelPath::new(text), Err(PathError::Outside(_))), "{text:?}");
        }
        assert!(matches!(RelPath::new("a\0b"), Err(PathError::Invalid(_))));
    }

    #[test]
    fn knows_its_parts() {
        let path = RelPath::new("src/a.tar.gz").expect("valid");
        assert_eq!((path.file_name(), path.file_stem(), path.extension()), ("a.tar.gz", "a.tar", Some("gz")));
        assert_eq!(path.parent().expect("has one").as_str(), "src");
        assert!(path.is_within(&RelPath::new("src").expect("valid")));
        assert!(!path.is_within(&RelPath::new("sr").expect("valid")));
        assert!(RelPath::new(".profile").expect("valid").extension().is_none());
    }
}
