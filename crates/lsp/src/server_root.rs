//! Chooses the directory that a language's server gets as its root: the project's root, unless all files of
//! that language are in one subdirectory that is marked as a root (an Android project in `app/` beside a
//! Python server). Reads only. Invariant: no file of the language in the searched part of the tree is outside
//! the chosen root.

use std::collections::VecDeque;

use symd_base::RelPath;
use symd_config::{LanguageId, Languages};
use symd_vfs::{EntryKind, Files};

/// The maximum depth of searched directories below the project's root.
const DEPTH: usize = 4;
/// The maximum number of searched directories; if the search is not over by then, the project's root is used.
const DIRECTORIES: usize = 2_000;

/// Returns the root for servers of `language`: the only outermost directory with one of its markers, if it
/// contains all files of the language; else the project's root. For a Gradle build that is the directory of
/// the outermost settings file.
pub(super) fn root_of(files: &dyn Files, languages: &Languages, language: LanguageId) -> RelPath {
    let markers = &languages.get(language).roots;
    let mut found: Option<RelPath> = None;
    let mut queue = VecDeque::from([RelPath::root()]);
    let mut looked_at = 0;
    while let Some(directory) = queue.pop_front() {
        looked_at += 1;
        if looked_at > DIRECTORIES {
            return RelPath::root();
        }
        let Ok((entries, _)) = files.list_no_follow(&directory) else { continue };
        let regular = || entries.iter().filter(|entry| entry.kind == EntryKind::File);
        if regular().any(|file| markers.iter().any(|marker| is_marked(marker, &file.name))) {
            if found.is_some() || directory.is_root() {
                return RelPath::root();
            }
            // All files below a marked directory belong to it.
            found = Some(directory);
            continue;
        }
        if regular().any(|file| languages.language_of(&directory.join(&file.name)) == Some(language)) {
            return RelPath::root();
        }
        if directory.components().count() < DEPTH {
            let inner = entries.iter().filter(|entry| entry.kind == EntryKind::Directory);
            queue.extend(
                inner.filter(|entry| !is_skipped(languages, &entry.name)).map(|e| directory.join(&e.name)),
            );
        }
    }
    found.unwrap_or_else(RelPath::root)
}

/// Whether a file name matches a marker; `*.sln` matches any name with that ending.
fn is_marked(marker: &str, name: &str) -> bool {
    marker.strip_prefix('*').map_or(marker == name, |ending| name.ends_with(ending))
}

/// Whether a directory is not searched: hidden ones, and those that may hold dependencies or build output.
fn is_skipped(languages: &Languages, name: &str) -> bool {
    name.starts_with('.') || languages.vendored_rules().any(|rule| rule.name == name)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, files: &[&str], expected: &str) {
        let scratch = tempfile::tempdir().unwrap();
        for file in files {
            let path = scratch.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let languages = Languages::builtin();
        let root = symd_vfs::Root::open(scratch.path()).unwrap();
        let found = root_of(&root, languages, languages.by_name(language).unwrap());
        assert_eq!(found.as_str(), expected, "{files:?}");
    }

    #[test]
    fn the_outermost_marker_of_the_only_build() {
        check("kotlin", &["a/settings.gradle.kts", "a/app/build.gradle", "a/app/M.kt", "tool.py"], "a");
        check("kotlin", &["settings.gradle", "a/settings.gradle"], "");
        check("kotlin", &["a/settings.gradle", "b/settings.gradle"], "");
        check("kotlin", &["a/settings.gradle", "b/Loose.kt"], "");
        check("kotlin", &["x/build/settings.gradle", ".x/settings.gradle"], "");
        check("python", &["docs/requirements.txt", "src/a.py"], "");
        check("python", &[], "");
    }
}
