//! The patterns of one directory, linked to those of the directory above. Invariant: precedence is git's: the
//! deepest file with a matching pattern decides, within a file the last matching line; a repository inside
//! another one is not affected by the outer one's files.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use ::ignore::Match;
use ::ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Vendored;
use crate::EntryKind;
use symd_base::RelPath;

/// What one directory adds to the rules of the directory above.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) parent: Option<Arc<Level>>,
    pub(super) base: Base,
    pub(super) symdignore: Option<Gitignore>,
    pub(super) gitignore: Option<Gitignore>,
    /// `info/exclude` of the repository whose work tree starts here; on the topmost level the global excludes.
    pub(super) exclude: Option<Gitignore>,
    /// Whether a work tree starts here.
    pub(super) repository: bool,
    /// Names in this directory that make folders next to them, or this directory, vendored.
    pub(super) markers: Vec<String>,
    /// Whether everything in this directory is ignored: a marker in it makes it vendored.
    pub(super) ignores_all_content: bool,
}

/// The directory to which a level's patterns are relative.
#[derive(Debug)]
pub(super) enum Base {
    /// A directory of the project.
    Inside(RelPath),
    /// A directory above the root: the path from there down to the root, joined by `/`.
    Above(String),
}

impl Level {
    /// Returns the topmost level, with nothing but the global excludes.
    pub(super) fn top(global: Option<Gitignore>) -> Level {
        Level {
            parent: None,
            base: Base::Above(String::new()),
            symdignore: None,
            gitignore: None,
            exclude: global,
            repository: false,
            markers: Vec::new(),
            ignores_all_content: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.symdignore.is_none() && self.gitignore.is_none() && !self.repository && self.markers.is_empty()
    }

    /// Whether `path`, an entry of the directory to which these rules belong, is ignored. The directories
    /// above it are not considered.
    pub(super) fn ignores(&self, path: &str, kind: EntryKind, vendored: &Vendored) -> bool {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name == ".git" {
            return true;
        }
        // First of all: `.symdignore` must be able to bring back a vendored folder.
        for level in self.upwards() {
            if let Some(verdict) = level.verdict(level.symdignore.as_ref(), path, kind) {
                return verdict;
            }
        }
        if self.ignores_all_content {
            return true;
        }
        if kind == EntryKind::Directory {
            let here = matches!(&self.base, Base::Inside(directory) if directory.as_str() == parent);
            if vendored.ignores(name, if here { &self.markers } else { &[] }) {
                return true;
            }
        }
        self.git_ignores(path, kind)
    }

    pub(super) fn git_ignores(&self, path: &str, kind: EntryKind) -> bool {
        let mut work_tree: Option<&Level> = None;
        for level in self.upwards() {
            // Above the work tree that contains `path`, only the user's excludes still count.
            if work_tree.is_none() {
                let exclude = level.exclude.as_ref().filter(|_| level.repository);
                for patterns in [level.gitignore.as_ref(), exclude] {
                    if let Some(verdict) = level.verdict(patterns, path, kind) {
                        return verdict;
                    }
                }
                work_tree = level.repository.then_some(level);
            }
            if level.parent.is_none() {
                // The user's patterns are relative to the work tree, whichever that is.
                let base = work_tree.unwrap_or(level);
                return base.verdict(level.exclude.as_ref(), path, kind).unwrap_or(false);
            }
        }
        false
    }

    fn upwards(&self) -> impl Iterator<Item = &Level> {
        std::iter::successors(Some(self), |level| level.parent.as_deref())
    }

    /// Returns whether `patterns`, relative to this level, ignore `path` (`true`) or keep it (`false`);
    /// `None` when none match.
    fn verdict(&self, patterns: Option<&Gitignore>, path: &str, kind: EntryKind) -> Option<bool> {
        let patterns = patterns?;
        let joined;
        let relative = match &self.base {
            Base::Inside(directory) if directory.is_root() => path,
            Base::Inside(directory) => path.get(directory.as_str().len() + 1..)?,
            Base::Above(way) if way.is_empty() => path,
            Base::Above(way) => {
                joined = format!("{way}/{path}");
                &joined
            }
        };
        match patterns.matched(relative, kind == EntryKind::Directory) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

/// Parses the patterns of a file. A line that is not a pattern, or not UTF-8 (it could match no path of the
/// project), is skipped; `None` when no pattern is left.
pub(super) fn parse(bytes: &[u8]) -> Option<Gitignore> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut builder = GitignoreBuilder::new("");
    for line in bytes.split(|byte| *byte == b'\n') {
        // A pattern that is empty or has an empty component matches nothing in git; the matcher would let it
        // match something.
        let says_something = |line: &&str| {
            !line.contains("//") && !line.trim_start_matches('!').trim_matches(['/', ' ']).is_empty()
        };
        if let Some(line) = std::str::from_utf8(line).ok().filter(says_something) {
            let _ = builder.add_line(None, &to_git_semantics(line.strip_suffix('\r').unwrap_or(line)));
        }
    }
    builder.build().ok().filter(|patterns| !patterns.is_empty())
}

/// Rewrites what the matcher would interpret differently from git: braces, which git takes literally, and
/// runs of stars that are not a whole component, which mean one star to git. Source: gitignore(5), wildmatch.
fn to_git_semantics(line: &str) -> String {
    if line.starts_with('#') {
        return line.to_owned();
    }
    let (sign, pattern) = line.strip_prefix('!').map_or(("", line), |pattern| ("!", pattern));
    let trimmed = pattern.trim_end();
    let anchored = trimmed.strip_suffix('/').unwrap_or(trimmed).contains('/');
    // The matcher would add this itself, but the slashes that are put into classes prevent it.
    let anywhere = if anchored { "" } else { "**/" };
    format!("{sign}{anywhere}{}", glob_to_git_semantics(pattern))
}

fn glob_to_git_semantics(line: &str) -> String {
    let mut meant = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let mut taken = next.len_utf8();
        match next {
            '\\' => {
                let escaped = rest[1..].chars().next();
                taken += escaped.map_or(0, char::len_utf8);
                meant.push_str(&rest[..taken]);
            }
            '{' | '}' => meant.extend(['\\', next]),
            '*' => {
                taken = rest.len() - rest.trim_start_matches('*').len();
                let starts = matches!(meant.as_bytes(), [] | [.., b'/']);
                let ends = matches!(rest[taken..].trim_end().as_bytes(), [] | [b'/', ..]);
                meant.push_str(if taken > 1 && starts && ends { "**" } else { "*" });
            }
            '[' => {
                if let Some((class, length)) = class_to_git_semantics(rest) {
                    meant.push_str(&class);
                    taken = length;
                } else {
                    meant.push('[');
                }
            }
            other => meant.push(other),
        }
        rest = &rest[taken..];
    }
    meant
}

/// Returns the bracket expression that `text` starts with, rewritten, and its length in `text`; `None` when
/// it has no end.
fn class_to_git_semantics(text: &str) -> Option<(String, usize)> {
    const NAMED: [(&str, &str); 7] = [
        ("[:alnum:]", "a-zA-Z0-9"),
        ("[:alpha:]", "a-zA-Z"),
        ("[:blank:]", " \t"),
        ("[:digit:]", "0-9"),
        ("[:lower:]", "a-z"),
        ("[:upper:]", "A-Z"),
        ("[:xdigit:]", "0-9a-fA-F"),
    ];
    let members = text[1..].strip_prefix(['!', '^']);
    let mut class = String::from(if members.is_some() { "[!" } else { "[" });
    let mut rest = members.unwrap_or(&text[1..]);
    // `]` as the first member does not end the class.
    if let Some(more) = rest.strip_prefix(']') {
        class.push(']');
        rest = more;
    }
    if members.is_some() {
        // A negated class such as "anything but a" must not match a slash either.
        class.push('/');
    }
    loop {
        if let Some((name, range)) = NAMED.iter().find(|(name, _)| rest.starts_with(name)) {
            class.push_str(range);
            rest = &rest[name.len()..];
            continue;
        }
        let next = rest.chars().next()?;
        class.push(next);
        rest = &rest[next.len_utf8()..];
        if next == ']' {
            return Some((class, text.len() - rest.len()));
        }
    }
}

/// Returns the entries of `directory` and everything beneath it, from a map ordered by path.
pub(super) fn beneath<'a, T>(
    map: &'a BTreeMap<RelPath, T>,
    directory: &'a RelPath,
) -> impl Iterator<Item = (&'a RelPath, &'a T)> {
    // `a-b` sorts between `a` and `a/b`, hence the test of each entry in the range.
    map.range::<RelPath, _>((Bound::Included(directory), Bound::Unbounded))
        .take_while(|(path, _)| path.as_str().starts_with(directory.as_str()))
        .filter(|(path, _)| path.is_within(directory))
}
