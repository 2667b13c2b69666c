//! The line that names a Kotlin file's package, in a file with syntax errors: the parser may have taken it for a part of something else.

use symd_index::FileEntry;

/// Whether a line of the file names a package that the file is not known to declare, because of a syntax error: then the files that use
/// what it declares may name that package. `text` is the file's.
pub fn may_lack_package(file: &FileEntry, text: &str) -> bool {
    if !file.has_errors() {
        return false;
    }
    let known = file.imports().and_then(|imports| imports.package());
    let written = text.lines().filter_map(|line| line.strip_prefix("package "));
    let mut names = written.filter_map(|rest| rest.split([' ', ';', '\t', '\r']).next());
    names.any(|name| Some(name) != known.as_deref())
}
