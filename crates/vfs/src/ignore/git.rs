//! Git's patterns from outside the work tree's `.gitignore` files, found by reading git's own files, never by
//! running git. Not a git implementation: of a configuration only `core.excludesFile` is read. Reads outside
//! the project, and therefore only regular files of a bounded size.

use std::ffi::OsString;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags};

use super::level::{self, Base, Level};
use super::{GITIGNORE, is_there};
use crate::{EntryKind, Root};
use symd_base::RelPath;

/// Ignore files and configurations are truncated at this size: patterns are written by hand.
const MAX_BYTES: usize = 1 << 20;
/// How deep configurations may include one another; git has the same limit.
const MAX_INCLUDES: usize = 10;

/// Reads an ignore file of the project.
pub(super) fn read_beneath(root: &Root, path: &RelPath) -> Option<Vec<u8>> {
    root.read_at(path, 0, MAX_BYTES).ok().map(|file| file.bytes)
}

/// Reads a regular file anywhere. Devices and FIFOs are opened without blocking and not read.
pub(super) fn read_outside(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(file.as_fd()).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::from(file).take(MAX_BYTES as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the git directory that all work trees of the repository of `directory` share; absolute.
pub(crate) fn common_directory(root: &Root, directory: &RelPath) -> Option<PathBuf> {
    let work_tree = root.path().join(directory.as_path());
    let dot_git = directory.join(".git");
    match root.stat_link(&dot_git).ok()?.0 {
        EntryKind::Directory => Some(work_tree.join(".git")),
        EntryKind::File => common_of(&work_tree, &read_beneath(root, &dot_git)?),
        EntryKind::Link | EntryKind::Other => None,
    }
}

/// Follows the `.git` file of a linked work tree or submodule.
fn common_of(work_tree: &Path, dot_git: &[u8]) -> Option<PathBuf> {
    let git = work_tree.join(first_line(dot_git.strip_prefix(b"gitdir:")?));
    Some(match read_outside(&git.join("commondir")) {
        Some(common) => git.join(first_line(&common)),
        None => git,
    })
}

fn first_line(bytes: &[u8]) -> PathBuf {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or(bytes);
    PathBuf::from(OsString::from_vec(line.trim_ascii().to_vec()))
}

/// Returns the rules of the repository that contains `root`, on top of `global`; only `global` when there is
/// none, or when that repository ignores the root: such a repository is taken for a home directory under
/// version control, whose general patterns are not meant for this project.
pub(super) fn enclosing_repository(root: &Path, global: Level) -> Level {
    let Some(work_tree) = root.ancestors().skip(1).find(|directory| is_there(&directory.join(".git"))) else {
        return global;
    };
    let Some(way) = root.strip_prefix(work_tree).ok().and_then(Path::to_str) else {
        return global;
    };
    let git = work_tree.join(".git");
    let common = match read_outside(&git) {
        Some(dot_git) => common_of(work_tree, &dot_git),
        None => Some(git),
    };
    let exclude = common.and_then(|common| read_outside(&common.join("info/exclude")));
    let global_patterns = global.exclude.clone();
    let mut level = Level {
        parent: Some(Arc::new(global)),
        base: Base::Above(way.to_owned()),
        symdignore: None,
        gitignore: read_outside(&work_tree.join(GITIGNORE)).and_then(|bytes| level::parse(&bytes)),
        exclude: exclude.and_then(|bytes| level::parse(&bytes)),
        repository: true,
        markers: Vec::new(),
        ignores_all_content: false,
    };
    let mut directory = work_tree.to_owned();
    let mut rest = way;
    while !rest.is_empty() {
        let (name, below) = rest.split_once('/').unwrap_or((rest, ""));
        // The patterns are matched against each directory in between as if it were an entry beneath the
        // level's base.
        if is_ignored_above(&level, way, rest, name) {
            return Level::top(global_patterns);
        }
        directory.push(name);
        if !below.is_empty() {
            let patterns = read_outside(&directory.join(GITIGNORE)).and_then(|bytes| level::parse(&bytes));
            level = Level {
                parent: Some(Arc::new(level)),
                base: Base::Above(below.to_owned()),
                symdignore: None,
                gitignore: patterns,
                exclude: None,
                repository: false,
                markers: Vec::new(),
                ignores_all_content: false,
            };
        }
        rest = below;
    }
    level
}

/// Whether the levels so far ignore the directory `name`, the first component of `rest`, which is the
/// remainder of `way`.
fn is_ignored_above(level: &Level, way: &str, rest: &str, name: &str) -> bool {
    let done = way.len() - rest.len();
    let mut at = Some(level);
    while let Some(here) = at {
        let Base::Above(below) = &here.base else { return false };
        let start = if below.is_empty() { 0 } else { way.len() - below.len() };
        let relative = &way[start..done + name.len()];
        for patterns in [here.gitignore.as_ref(), here.exclude.as_ref()].into_iter().flatten() {
            match patterns.matched(relative, true) {
                ::ignore::Match::None => {}
                other => return other.is_ignore(),
            }
        }
        at = here.parent.as_deref();
    }
    false
}

/// See [`super::IgnoreSettings::global_excludes`].
pub(super) fn global_excludes(var: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = path("HOME");
    let xdg = path("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    // In git's order: later settings override earlier ones.
    let mut files = vec![path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"))];
    match path("GIT_CONFIG_GLOBAL") {
        Some(instead) => files.push(instead),
        None => {
            files.extend(xdg.as_ref().map(|xdg| xdg.join("git/config")));
            files.extend(home.as_ref().map(|home| home.join(".gitconfig")));
        }
    }
    let mut found = None;
    for file in files {
        read_configuration(&file, home.as_deref(), MAX_INCLUDES, &mut found);
    }
    match found {
        Some(value) if value.is_empty() => None,
        Some(value) => Some(expand(&value, home.as_deref(), None)),
        None => xdg.map(|xdg| xdg.join("git/ignore")),
    }
}

fn read_configuration(file: &Path, home: Option<&Path>, includes_left: usize, found: &mut Option<Vec<u8>>) {
    let Some(bytes) = read_outside(file) else { return };
    for (section, key, value) in Assignments::new(&bytes) {
        match (section.as_str(), key.as_str()) {
            ("core", "excludesfile") => *found = Some(value),
            ("include", "path") if includes_left > 0 => {
                let included = expand(&value, home, file.parent());
                read_configuration(&included, home, includes_left - 1, found);
            }
            _ => {}
        }
    }
}

fn expand(value: &[u8], home: Option<&Path>, relative_to: Option<&Path>) -> PathBuf {
    if let (Some(rest), Some(home)) = (value.strip_prefix(b"~/"), home) {
        return home.join(std::ffi::OsStr::from_bytes(rest));
    }
    let path = Path::new(std::ffi::OsStr::from_bytes(value));
    relative_to.map_or_else(|| path.to_owned(), |directory| directory.join(path))
}

/// The assignments of a git configuration file, in order: section (with its subsection after a dot) and
/// key in lower case, value without its quotes. Syntax: git-config(1), "Syntax".
struct Assignments<'a> {
    rest: &'a [u8],
    section: String,
}

impl<'a> Assignments<'a> {
    fn new(bytes: &'a [u8]) -> Assignments<'a> {
        Assignments { rest: bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), section: String::new() }
    }

    fn next_byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip_line(&mut self) {
        while self.next_byte().is_some_and(|byte| byte != b'\n') {}
    }

    fn header(&mut self) {
        let mut name = String::new();
        let mut quoted = false;
        while let Some(byte) = self.next_byte() {
            match byte {
                b'"' => quoted = !quoted,
                b'\\' if quoted => name.extend(self.next_byte().map(char::from)),
                b']' if !quoted => break,
                b'\n' => break,
                b' ' | b'\t' if !quoted => name.push('.'),
                byte if quoted => name.push(char::from(byte)),
                byte => name.push(char::from(byte.to_ascii_lowercase())),
            }
        }
        self.section = name;
    }

    /// Reads the value up to the end of the line, without trailing blanks and comments, quotes and escapes
    /// resolved.
    fn value(&mut self) -> Vec<u8> {
        let mut value = Vec::new();
        let mut kept = 0;
        let mut quoted = false;
        while let Some(byte) = self.next_byte() {
            match byte {
                b'\n' => break,
                b'"' => quoted = !quoted,
                b'\\' => match self.next_byte() {
                    Some(b'n') => value.push(b'\n'),
                    Some(b't') => value.push(b'\t'),
                    Some(b'\n') | None => {}
                    Some(b'\r') if self.rest.first() == Some(&b'\n') => {
                        self.next_byte();
                    }
                    Some(other) => value.push(other),
                },
                b'#' | b';' if !quoted => {
                    self.skip_line();
                    break;
                }
                b' ' | b'\t' | b'\r' if !quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                other => value.push(other),
            }
            kept = value.len();
        }
        value.truncate(kept);
        value
    }
}

impl Iterator for Assignments<'_> {
    type Item = (String, String, Vec<u8>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_byte()? {
                b'[' => self.header(),
                b'#' | b';' => self.skip_line(),
                byte if byte.is_ascii_alphabetic() => {
                    let mut key = String::from(char::from(byte.to_ascii_lowercase()));
                    while let Some(byte) = self.rest.first().copied() {
                        if !(byte.is_ascii_alphanumeric() || byte == b'-') {
                            break;
                        }
                        key.push(char::from(byte.to_ascii_lowercase()));
                        self.next_byte();
                    }
                    while matches!(self.rest.first(), Some(b' ' | b'\t')) {
                        self.next_byte();
                    }
                    if self.rest.first() == Some(&b'=') {
                        self.next_byte();
                        let value = self.value();
                        return Some((self.section.clone(), key, value));
                    }
                    // A key without a value means "true".
                    self.skip_line();
                }
                _ => {}
            }
        }
    }
}
