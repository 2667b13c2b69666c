//! Opens files beneath a directory: by `openat2(RESOLVE_BENEATH)` where the kernel has it, otherwise
//! component by component. Invariant: the returned descriptor names something inside the root, even if a
//! directory is replaced by a link during the lookup.

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// Links followed in one resolution before it counts as a loop; Linux has the same limit.
const MAX_LINKS: usize = 40;

/// Set once the kernel has answered ENOSYS (older than 5.6, or a sandbox that filters the call).
static WITHOUT_OPENAT2: AtomicBool = AtomicBool::new(false);

/// Opens `path` beneath `root`. `canonical_root` is the root's own absolute path without links: an absolute
/// link that points back inside is followed, as an editor would do.
pub fn open(
    root: BorrowedFd<'_>,
    canonical_root: &Path,
    path: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    if !WITHOUT_OPENAT2.load(Ordering::Relaxed) {
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(root, path, flags | OFlags::CLOEXEC, Mode::empty(), how) {
            // EAGAIN: something was renamed during the lookup. EXDEV: a link left the root, perhaps only to
            // return by an absolute path. EPERM: some sandboxes reject calls that they do not know with it.
            Err(Errno::AGAIN | Errno::XDEV | Errno::PERM) => {}
            Err(Errno::NOSYS) => WITHOUT_OPENAT2.store(true, Ordering::Relaxed),
            answer => return answer,
        }
    }
    by_components(root, canonical_root, path, flags)
}

/// The directory that a walk beneath `root` has reached. Holds one descriptor, however deep the directory is:
/// several concurrent walks must not use up the descriptors of the process.
struct WalkPosition<'r> {
    root: BorrowedFd<'r>,
    /// The names of the components from the root to here.
    names: Vec<OsString>,
    /// `None` at the root.
    directory: Option<OwnedFd>,
}

impl<'r> WalkPosition<'r> {
    fn at(root: BorrowedFd<'r>) -> WalkPosition<'r> {
        WalkPosition { root, names: Vec::new(), directory: None }
    }

    fn enter(&mut self, name: OsString, directory: OwnedFd) {
        self.names.push(name);
        self.directory = Some(directory);
    }

    fn reset_to_root(&mut self) {
        self.names.clear();
        self.directory = None;
    }

    /// Moves to the parent directory, by walking down from the root again: the kernel's `..` would follow a
    /// directory that was moved out of the root.
    fn up(&mut self) -> Result<(), Errno> {
        self.names.pop().ok_or(Errno::XDEV)?;
        self.directory = None;
        let how = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for name in &self.names {
            let next = rustix::fs::openat(self.as_fd(), name, how, Mode::empty())?;
            self.directory = Some(next);
        }
        Ok(())
    }
}

impl AsFd for WalkPosition<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_ref().map_or(self.root, AsFd::as_fd)
    }
}

/// Walks `path` one component at a time, and reads each link itself instead of letting the kernel follow it.
fn by_components(
    root: BorrowedFd<'_>,
    canonical_root: &Path,
    path: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let mut links_left = MAX_LINKS;
    let mut here = WalkPosition::at(root);
    let mut ahead: Vec<OsString> = reversed(path)?;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            here.up()?;
            continue;
        }
        let found = rustix::fs::openat(
            &here,
            &name,
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&found)?.st_mode);
        if kind == rustix::fs::FileType::Symlink {
            if flags.contains(OFlags::NOFOLLOW) && ahead.is_empty() {
                // O_PATH with O_NOFOLLOW asks for a descriptor of the link itself.
                return if flags.contains(OFlags::PATH) { Ok(found) } else { Err(Errno::LOOP) };
            }
            links_left = links_left.checked_sub(1).ok_or(Errno::LOOP)?;
            follow(&found, canonical_root, &mut here, &mut ahead)?;
        } else if ahead.is_empty() {
            // The last component: open it with the caller's flags, without following a link put there
            // meanwhile.
            return rustix::fs::openat(
                &here,
                &name,
                flags | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                Mode::empty(),
            );
        } else {
            here.enter(name, found);
        }
    }
    rustix::fs::openat(&here, ".", flags | OFlags::CLOEXEC, Mode::empty())
}

/// Opens `path` beneath `root`; no component may be a link. Writes use it on what [`resolve`] returned.
pub fn open_no_symlinks(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC;
    if !WITHOUT_OPENAT2.load(Ordering::Relaxed) {
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(root, path, flags, Mode::empty(), how) {
            Err(Errno::AGAIN | Errno::PERM) => {}
            Err(Errno::NOSYS) => WITHOUT_OPENAT2.store(true, Ordering::Relaxed),
            answer => return answer,
        }
    }
    exactly_by_components(root, path, flags)
}

fn exactly_by_components(root: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut ahead = reversed(path)?;
    let mut here: Option<OwnedFd> = None;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            return Err(Errno::XDEV);
        }
        let from = here.as_ref().map_or(root, AsFd::as_fd);
        let how = if ahead.is_empty() { flags } else { OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC };
        here = Some(rustix::fs::openat(from, &name, how | OFlags::NOFOLLOW, Mode::empty())?);
    }
    here.map_or_else(|| rustix::fs::openat(root, ".", flags, Mode::empty()), Ok)
}

/// Returns the path without links that `path` names. From the first component that does not exist, components
/// are kept as they are (`..` among them is rejected, since its meaning is unknown).
pub fn resolve(root: BorrowedFd<'_>, canonical_root: &Path, path: &Path) -> Result<PathBuf, Errno> {
    // Most paths exist and contain no link, which one call tells, however many components they have.
    let is_plain = path.components().all(|component| matches!(component, Component::Normal(_)));
    if is_plain && open_no_symlinks(root, path, OFlags::PATH).is_ok() {
        return Ok(path.components().collect());
    }
    by_links(root, canonical_root, path)
}

fn by_links(root: BorrowedFd<'_>, canonical_root: &Path, path: &Path) -> Result<PathBuf, Errno> {
    let mut links_left = MAX_LINKS;
    let mut here = WalkPosition::at(root);
    let mut ahead = reversed(path)?;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            here.up()?;
            continue;
        }
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = match rustix::fs::openat(&here, &name, flags, Mode::empty()) {
            Err(Errno::NOENT) => {
                let mut missing: PathBuf = here.names.iter().collect();
                missing.push(name);
                while let Some(name) = ahead.pop() {
                    if name == ".." {
                        return Err(Errno::XDEV);
                    }
                    missing.push(name);
                }
                return Ok(missing);
            }
            answer => answer?,
        };
        let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&found)?.st_mode);
        if kind != rustix::fs::FileType::Symlink {
            here.enter(name, found);
            continue;
        }
        links_left = links_left.checked_sub(1).ok_or(Errno::LOOP)?;
        follow(&found, canonical_root, &mut here, &mut ahead)?;
    }
    Ok(here.names.iter().collect())
}

/// Puts the target of `link` before what is `ahead`; an absolute target starts again at the root, wherever
/// `here` was.
fn follow(
    link: &OwnedFd,
    canonical_root: &Path,
    here: &mut WalkPosition<'_>,
    ahead: &mut Vec<OsString>,
) -> Result<(), Errno> {
    let target = rustix::fs::readlinkat(link, "", Vec::new())?;
    let target = Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(target.as_bytes()));
    if target.is_absolute() {
        let inside = target.strip_prefix(canonical_root).map_err(|_| Errno::XDEV)?;
        here.reset_to_root();
        ahead.extend(reversed(inside)?);
    } else {
        ahead.extend(reversed(target)?);
    }
    Ok(())
}

/// Returns the components of a relative path, last first, without `.`.
fn reversed(path: &Path) -> Result<Vec<OsString>, Errno> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => names.push("..".into()),
            Component::Normal(name) => names.push(name.to_owned()),
            Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    names.reverse();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    type Opener = fn(BorrowedFd<'_>, &Path, &Path, OFlags) -> Result<OwnedFd, Errno>;

    /// Both ways of opening must agree on every kind of path.
    #[test]
    #[allow(clippy::disallowed_methods)]
    fn links_are_followed_inside_and_refused_outside() {
        let scratch = tempfile::tempdir().expect("scratch");
        let root = scratch.path().canonicalize().expect("canonical").join("root");
        std::fs::create_dir_all(root.join("d/e")).expect("made");
        std::fs::write(root.join("d/f"), "inside").expect("written");
        std::fs::write(scratch.path().join("secret"), "outside").expect("written");
        let link = |target: &str, name: &str| symlink(target, root.join(name)).expect("linked");
        link("d/f", "relative");
        link("../d/f", "d/up");
        link("../secret", "out");
        link("d/../../secret", "sneaky");
        link("loop", "loop");
        symlink(root.join("d/f"), root.join("absolute")).expect("linked");
        symlink(scratch.path().join("secret"), root.join("absolute_out")).expect("linked");
        link("../..", "d/e/top");

        let fd = rustix::fs::open(&root, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).expect("opened");
        let open_with = |opener: Opener, path: &str| {
            opener(fd.as_fd(), &root, Path::new(path), OFlags::RDONLY)
                .map(|_| ())
                .map_err(|errno| errno == Errno::XDEV)
        };
        for opener in [open as Opener, by_components as Opener] {
            for inside in ["d/f", "relative", "d/up", "absolute", ".", "d/e/top/d/f", "d/e/top"] {
                assert_eq!(open_with(opener, inside), Ok(()), "{inside}");
            }
            for outside in ["out", "sneaky", "absolute_out", "d/e/top/../secret", "../secret"] {
                assert_eq!(open_with(opener, outside), Err(true), "{outside}");
            }
            for broken in ["loop", "missing"] {
                assert_eq!(open_with(opener, broken), Err(false), "{broken}");
            }
        }
        let resolved = |path: &str| {
            let all = [resolve, by_links].map(|resolve| resolve(fd.as_fd(), &root, Path::new(path)));
            assert_eq!(all[0], all[1], "{path}");
            all[0].clone().map(|found| found.to_string_lossy().into_owned())
        };
        for (path, target) in [
            ("relative", "d/f"),
            ("d/up", "d/f"),
            ("absolute", "d/f"),
            ("d/e/top/d/new/er", "d/new/er"),
            ("d/e/top", ""),
            ("d/f", "d/f"),
            ("./d//f", "d/f"),
            ("d/../d/f", "d/f"),
            ("missing", "missing"),
        ] {
            assert_eq!(resolved(path).as_deref(), Ok(target), "{path}");
        }
        for outside in ["out", "sneaky", "absolute_out", "../secret", "missing/../../secret"] {
            assert_eq!(resolved(outside), Err(Errno::XDEV), "{outside}");
        }
        assert_eq!(resolved("loop"), Err(Errno::LOOP));
        for opener in [open_no_symlinks, exactly_by_components] {
            let exactly = |path: &str| opener(fd.as_fd(), Path::new(path), OFlags::RDONLY).map(|_| ());
            for plain in ["d/f", ".", "d/e"] {
                assert_eq!(exactly(plain), Ok(()), "{plain}");
            }
            for link in ["relative", "out", "d/e/top/d/f"] {
                assert!(matches!(exactly(link), Err(Errno::LOOP | Errno::NOTDIR)), "{link}");
            }
            assert_eq!(exactly("../secret"), Err(Errno::XDEV));
        }
    }
}
