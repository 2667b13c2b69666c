//! Which paths of the project symd ignores: what git ignores, what `.symdignore` names, vendored and
//! generated folders, and `.git`. Does not walk the tree: code that lists a directory calls [`Ignore::enter`]
//! with the listing. Invariant: a file is ignored when any directory above it is, as with git.

mod git;
mod level;
mod vendored;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::{Entry, EntryKind, Root};
pub(super) use git::common_directory;
use level::{Base, Level};
use symd_base::RelPath;
pub use vendored::Vendored;

/// The file with symd's own patterns, in the syntax of `.gitignore`; they take precedence over git's.
const SYMDIGNORE: &str = ".symdignore";
/// Git's patterns for one directory and everything beneath it.
const GITIGNORE: &str = ".gitignore";

/// Sources of the rules other than the project's own files.
#[derive(Clone, Debug, Default)]
pub struct IgnoreSettings {
    /// Folders of third-party or generated code.
    pub vendored: Vendored,
    /// The user's global excludes file, read once when the rules are created. See
    /// [`IgnoreSettings::global_excludes`].
    pub global: Option<PathBuf>,
}

impl IgnoreSettings {
    /// Finds the file in which this user's git keeps patterns for all repositories: `core.excludesFile` of
    /// the user's (or else the system's) configuration, else `$XDG_CONFIG_HOME/git/ignore`. Never runs git.
    /// `var` looks up an environment variable.
    pub fn global_excludes(var: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
        git::global_excludes(&var)
    }
}

/// The rules of a whole project, shared by the watcher, which keeps them up to date, and their readers.
#[derive(Debug)]
pub struct Ignore {
    settings: IgnoreSettings,
    /// Rules from above the root: global excludes, and the files of an enclosing repository.
    above: Rules,
    /// Rules of the directories that add some of their own.
    levels: RwLock<BTreeMap<RelPath, Rules>>,
}

/// The rules that apply in one directory: its own and those of all directories above it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Rules(Arc<Level>);

impl Ignore {
    /// Creates the rules of the project at `root`, before any directory has been entered. When the root lies
    /// inside a repository (and is not ignored there), that repository's patterns apply too; they are read
    /// now and not watched.
    pub fn new(root: &Root, settings: IgnoreSettings) -> Ignore {
        let global = settings.global.as_deref().and_then(git::read_outside).map(|bytes| level::parse(&bytes));
        let mut above = Level::top(global.flatten());
        if rustix::fs::statat(root.as_fd(), ".git", rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_err() {
            above = git::enclosing_repository(root.path(), above);
        }
        Ignore { settings, above: Rules(Arc::new(above)), levels: RwLock::default() }
    }

    /// Determines the rules that apply in `directory`, whose listing is `entries` (sorted by name), and
    /// stores them. The directories above must have been entered before.
    pub fn enter(&self, root: &Root, directory: &RelPath, entries: &[Entry]) -> Rules {
        let parent = directory.parent().map_or_else(|| self.above.clone(), |parent| self.rules_in(&parent));
        let kind_of = |name: &str| {
            entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).ok().map(|at| entries[at].kind)
        };
        // Like git, do not read a link: it could lead anywhere.
        let patterns = |name: &str| {
            kind_of(name).filter(|kind| *kind == EntryKind::File)?;
            level::parse(&git::read_beneath(root, &directory.join(name))?)
        };
        let repository = matches!(kind_of(".git"), Some(EntryKind::Directory | EntryKind::File));
        let markers = self.settings.vendored.markers_among(entries);
        let own = Level {
            ignores_all_content: self.settings.vendored.ignores_all_content(directory.file_name(), &markers),
            parent: Some(Arc::clone(&parent.0)),
            base: Base::Inside(directory.clone()),
            symdignore: patterns(SYMDIGNORE),
            gitignore: patterns(GITIGNORE),
            exclude: repository.then(|| self.exclude(root, directory)).flatten(),
            repository,
            markers,
        };
        let mut levels = self.levels.write().unwrap_or_else(PoisonError::into_inner);
        if own.is_empty() && !directory.is_root() {
            levels.remove(directory);
            return parent;
        }
        let rules = Rules(Arc::new(own));
        levels.insert(directory.clone(), rules.clone());
        rules
    }

    fn exclude(&self, root: &Root, directory: &RelPath) -> Option<::ignore::gitignore::Gitignore> {
        let info = self.git_info(root, directory)?;
        level::parse(&git::read_outside(&info.join("exclude"))?)
    }

    /// Returns the directory that contains the `exclude` file of the repository whose work tree is
    /// `directory`: `.git/info`, or, for a linked work tree or a submodule, that of the git directory which
    /// it names. Absolute; need not exist.
    pub fn git_info(&self, root: &Root, directory: &RelPath) -> Option<PathBuf> {
        git::common_directory(root, directory).map(|git| git.join("info"))
    }

    /// Forgets the rules of `directory` and everything beneath it.
    pub fn forget(&self, directory: &RelPath) {
        let mut levels = self.levels.write().unwrap_or_else(PoisonError::into_inner);
        if levels.is_empty() {
            return;
        }
        let gone: Vec<RelPath> = level::beneath(&levels, directory).map(|(path, _)| path.clone()).collect();
        for path in gone {
            levels.remove(&path);
        }
    }

    /// Whether an event for `name` in `directory` may have changed the rules there, so that everything
    /// beneath must be entered again. `exists` is whether `name` exists now.
    pub fn is_changed_by(&self, directory: &RelPath, name: &str, exists: bool) -> bool {
        match name {
            SYMDIGNORE | GITIGNORE => true,
            ".git" => self.own_level(directory).is_some_and(|rules| rules.0.repository) != exists,
            _ if self.settings.vendored.is_marker(name) => {
                let known =
                    self.own_level(directory).is_some_and(|rules| rules.0.markers.iter().any(|m| m == name));
                known != exists
            }
            _ => false,
        }
    }

    /// Whether `path`, an entry of this `kind`, is ignored. Correct for every path whose directories have
    /// been entered; the rules of other directories are not known.
    pub fn is_ignored(&self, path: &RelPath, kind: EntryKind) -> bool {
        let vendored = &self.settings.vendored;
        self.matches_self_or_ancestor(path, kind, |level, path, kind| level.ignores(path, kind, vendored))
    }

    /// Whether git ignores `path`, an entry of this `kind`, or it is a `.git` or in one; symd's other rules
    /// do not count. Correct under the same condition as [`Ignore::is_ignored`].
    pub fn is_git_ignored(&self, path: &RelPath, kind: EntryKind) -> bool {
        self.matches_self_or_ancestor(path, kind, |level, path, kind| {
            path.rsplit('/').next() == Some(".git") || level.git_ignores(path, kind)
        })
    }

    /// Whether `rule` applies to `path` or to a directory above it. `rule` gets the rules of the directory
    /// that contains each.
    fn matches_self_or_ancestor(
        &self,
        path: &RelPath,
        kind: EntryKind,
        rule: impl Fn(&Level, &str, EntryKind) -> bool,
    ) -> bool {
        let levels = self.levels.read().unwrap_or_else(PoisonError::into_inner);
        let mut rules = levels.get(&RelPath::root()).unwrap_or(&self.above);
        let text = path.as_str();
        // The end offsets of all directories above, then of the path itself.
        for end in text.match_indices('/').map(|(at, _)| at).chain([text.len()]) {
            let here = &text[..end];
            let kind = if end == text.len() { kind } else { EntryKind::Directory };
            if rule(&rules.0, here, kind) {
                return true;
            }
            rules = levels.get(here).unwrap_or(rules);
        }
        false
    }

    /// Whether `rules`, those of the directory that contains `path`, ignore it.
    pub fn ignores(&self, rules: &Rules, path: &RelPath, kind: EntryKind) -> bool {
        rules.0.ignores(path.as_str(), kind, &self.settings.vendored)
    }

    /// Returns the rules that apply in `directory`, as far as it and the directories above have been entered.
    pub fn rules_in(&self, directory: &RelPath) -> Rules {
        let levels = self.levels.read().unwrap_or_else(PoisonError::into_inner);
        let mut at = Some(directory.clone());
        while let Some(path) = at {
            if let Some(rules) = levels.get(&path) {
                return rules.clone();
            }
            at = path.parent();
        }
        self.above.clone()
    }

    fn own_level(&self, directory: &RelPath) -> Option<Rules> {
        self.levels.read().unwrap_or_else(PoisonError::into_inner).get(directory).cloned()
    }
}

impl Rules {
    /// Whether `directory`, for which these rules were made, is the work tree of a repository of its own.
    pub fn is_repository(&self, directory: &RelPath) -> bool {
        self.0.repository && matches!(&self.0.base, Base::Inside(path) if path == directory)
    }
}

/// Whether anything exists at `path`, even a dangling link.
fn is_there(path: &Path) -> bool {
    rustix::fs::lstat(path).is_ok()
}
