//! Chooses the directory that a language's server gets as its root: the project's root, unless all files of
//! that language are in one subdirectory that is marked as a root (an Android project in `app/` beside a
//! Python server). Reads only. Invariant: no file of the language in the searched part of the tree is outside
//! the chosen root.

use std::ops::ControlFlow;

use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_config::{LanguageId, Languages};
use symd_vfs::{Entry, EntryKind, Files, TreeWalk};

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
    let (mut looked_at, mut is_root) = (0, false);
    let never = Cancel::new();
    let walk = TreeWalk { levels: DEPTH + 1, ..TreeWalk::whole(files, &never) };
    let look = |directory: &RelPath, entries: Vec<Entry>, _| {
        let regular = || entries.iter().filter(|entry| entry.kind == EntryKind::File);
        if regular().any(|file| markers.iter().any(|marker| is_marked(marker, &file.name))) {
            // All files below a marked directory belong to it.
            return (RootEvidence::Marker, Vec::new());
        }
        if regular().any(|file| languages.language_of(&directory.join(&file.name)) == Some(language)) {
            return (RootEvidence::SourceFile, Vec::new());
        }
        let inner = entries.iter().filter(|entry| entry.kind == EntryKind::Directory);
        let below = inner.filter(|entry| !is_skipped(languages, &entry.name)).map(|entry| entry.name.clone());
        (RootEvidence::None, below.collect())
    };
    // The walk fails only when it is cancelled, and this one cannot be.
    let _ = walk.run(&RelPath::root(), look, |directory, evidence| {
        looked_at += 1;
        is_root = looked_at > DIRECTORIES
            || match evidence {
                Ok(RootEvidence::Marker) if found.is_some() || directory.is_root() => true,
                Ok(RootEvidence::Marker) => {
                    found = Some(directory.clone());
                    false
                }
                Ok(RootEvidence::SourceFile) => true,
                Ok(RootEvidence::None) | Err(_) => false,
            };
        Ok::<_, Cancelled>(if is_root { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    if is_root { RelPath::root() } else { found.unwrap_or_else(RelPath::root) }
}

/// What the files of one directory say about the root.
enum RootEvidence {
    /// One of them marks this directory as a root.
    Marker,
    /// One of them is of the language.
    SourceFile,
    None,
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
