//! A memory's name as clients write it. Invariant: it is never empty, and maps to one file of the folder and
//! to none outside.

use std::fmt;

use super::MemoryError;
use symd_base::RelPath;

/// The ending of a memory's file name.
const SUFFIX: &str = ".md";

/// The name of a memory: `style`, or with a topic, `build/release`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryName(RelPath);

impl MemoryName {
    /// Parses a name. Removes every `.md` in it: models write some names with it and some without.
    pub fn new(text: &str) -> Result<MemoryName, MemoryError> {
        let mut bare = text.to_owned();
        // Repeated, since removing one occurrence from `.m.mdd` leaves another.
        while bare.contains(SUFFIX) {
            bare = bare.replace(SUFFIX, "");
        }
        let path = RelPath::new(&bare)?;
        if path.is_root() {
            return Err(MemoryError::Nameless(text.to_owned()));
        }
        Ok(MemoryName(path))
    }

    /// Returns the name of the memory in the file `path` of the folder, if it is a memory's file.
    pub(super) fn of_file(folder: &RelPath, path: &RelPath) -> Option<MemoryName> {
        let name = path.as_str().strip_prefix(folder.as_str())?.strip_prefix('/')?.strip_suffix(SUFFIX)?;
        // No name maps to `a.md.md`.
        MemoryName::new(name).ok().filter(|found| found.as_str() == name)
    }

    /// Returns its file in the folder.
    pub(super) fn file(&self, folder: &RelPath) -> RelPath {
        let mut path = folder.clone();
        for component in self.0.parent().unwrap_or_else(RelPath::root).components() {
            path = path.join(component);
        }
        path.join(&format!("{}{SUFFIX}", self.0.file_name()))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for MemoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suffix_is_dropped_before_the_path_is_looked_at() {
        let folder = RelPath::new(".symd/memories").expect("valid");
        for (text, file) in [
            ("style", "style.md"),
            ("style.md", "style.md"),
            ("a.md/b.md.md", "a/b.md"),
            ("x.m.mdd", "x.md"),
            ("./a//b", "a/b.md"),
            ("Übersicht v1.2", "Übersicht v1.2.md"),
        ] {
            let name = MemoryName::new(text).expect(text);
            let path = name.file(&folder);
            assert_eq!(path.as_str(), format!(".symd/memories/{file}"), "{text:?}");
            assert_eq!(MemoryName::of_file(&folder, &path), Some(name));
        }
        for text in ["", ".md", "/", ".", "/etc/x", "../x", "a/../../x", "..md./x", "C:\\x", "a\0"] {
            assert!(MemoryName::new(text).is_err(), "{text:?}");
        }
        for file in [".symd/memories/a.md.md", ".symd/memories/a.txt", ".symd/memories/.md", "other/a.md"] {
            assert_eq!(MemoryName::of_file(&folder, &RelPath::new(file).expect("valid")), None, "{file}");
        }
    }
}
