//! Paths of a project that belong to git: everything beneath a `.git`, where hooks and configuration name
//! programs that git runs. Edits keep out of them. Independent of ignore rules; runs no git. Invariant: the
//! answer does not depend on how a name is spelled, as long as some file system takes the spelling for
//! `.git`.

use super::ignore::common_directory;
use super::{EntryKind, Root};
use symd_base::RelPath;

/// The parts of a project that are git's.
#[derive(Debug, Default)]
pub struct GitPaths {
    /// Where the `.git` of the root leads, if it is a link, or a file that names a directory inside the
    /// project.
    elsewhere: Option<RelPath>,
}

impl GitPaths {
    /// Returns those of `root` as it is now.
    pub fn of(root: &Root) -> GitPaths {
        let Ok(dot_git) = RelPath::new(".git") else { return GitPaths::default() };
        let elsewhere = match root.stat_link(&dot_git) {
            Ok((EntryKind::Link, _)) => root.resolve(&dot_git).ok(),
            Ok((EntryKind::File, _)) => common_directory(root, &RelPath::root()).and_then(|directory| {
                let inside = RelPath::new(directory.strip_prefix(root.path()).ok()?.to_str()?).ok()?;
                root.resolve(&inside).ok()
            }),
            _ => None,
        };
        // The root itself would cover the whole project.
        GitPaths { elsewhere: elsewhere.filter(|directory| !directory.is_root()) }
    }

    /// Whether `path` belongs to git. Check both the path as written and the path with its links resolved.
    pub fn contains(&self, path: &RelPath) -> bool {
        path.as_str().split('/').any(is_dot_git)
            || self.elsewhere.as_ref().is_some_and(|directory| path.is_within(directory))
    }
}

/// Whether some file system takes `name` for `.git`: most of them can ignore case, HFS+ and Linux's case
/// folding skip invisible characters, Windows drops dots and blanks at the end, has streams, and has short
/// names.
fn is_dot_git(name: &str) -> bool {
    let shown: String = name.chars().filter(|character| !shows_nothing(*character)).collect();
    let base = shown.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    base.eq_ignore_ascii_case(".git") || base.eq_ignore_ascii_case("git~1")
}

/// Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt).
fn shows_nothing(character: char) -> bool {
    matches!(
        character,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).expect(text)
    }

    #[test]
    fn names_that_some_file_system_takes_for_gits() {
        let own = GitPaths::default();
        for name in [
            ".git",
            ".git/hooks/post-commit",
            "a/b/.git/config",
            ".GIT/x",
            ".giT",
            ".g\u{200C}it/x",
            "\u{FEFF}.git",
            ".git.",
            ".git ./x",
            ".git::$INDEX_ALLOCATION/hooks",
            "GIT~1/config",
        ] {
            assert!(own.contains(&path(name)), "{name:?}");
        }
        for name in [
            "git",
            ".gitignore",
            ".github/workflows/ci.yml",
            "a.git/x",
            ".git2",
            ".gi",
            "git~",
            "x/.gitmodules",
        ] {
            assert!(!own.contains(&path(name)), "{name:?}");
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn the_roots_may_be_elsewhere() {
        let scratch = tempfile::tempdir().expect("scratch");
        let root = Root::open(scratch.path()).expect("opened");
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("store/data/hooks")).expect("made");
        let holds = |name: &str| GitPaths::of(&root).contains(&path(name));
        assert!(!holds("store/data/hooks/x"));
        for text in ["gitdir: store/data\n".to_owned(), format!("gitdir: {}\n", at("store/data").display())] {
            std::fs::write(at(".git"), text).expect("written");
            assert!(holds("store/data/hooks/x") && holds(".git") && !holds("store/other"));
        }
        for text in ["gitdir: .\n", "gitdir: ../elsewhere\n", "nonsense\n", "gitdir: /\n"] {
            std::fs::write(at(".git"), text).expect("written");
            assert!(!holds("store/data/hooks/x"), "{text}");
        }
        std::fs::remove_file(at(".git")).expect("removed");
        std::os::unix::fs::symlink("store/data", at(".git")).expect("linked");
        assert!(holds("store/data/hooks/x") && holds("store/data") && !holds("store/other"));
    }
}
