//! Processes that are there, as others can tell without asking them: each holds the lock of a file of its own in
//! one directory. Invariant: a process that has ended, in whatever way, is not there.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags};
use symd_sys::processes;

use super::{StateError, private_dir};

/// The most bytes that are read of an owner's name.
const MAX_OWNER: u64 = 200;

/// The presence of this process, until it is dropped.
#[derive(Debug)]
pub struct Presence {
    name: String,
    path: PathBuf,
    _locked: File,
}

impl Presence {
    /// Announces this process in `directory`, which is created if it is missing. `owner` is the program for which it runs, as
    /// people know it ([`owner_of`]).
    pub fn begin(directory: &Path, owner: &str) -> Result<Presence, StateError> {
        private_dir(directory)?;
        loop {
            let name = format!("{}-{:016x}", std::process::id(), fastrand::u64(..));
            let path = directory.join(&name);
            let failed = |source| StateError::Io { what: "cannot lock", path: path.clone(), source };
            let locked = lock(&path, OFlags::CREATE | OFlags::EXCL, FlockOperation::LockShared);
            let mut locked = locked.map_err(failed)?;
            // Its absence only makes messages vaguer.
            let _ = locked.write_all(owner.as_bytes());
            // Else it was taken for the file of a process that has ended, before it was locked.
            if rustix::fs::fstat(&locked).is_ok_and(|stat| stat.st_nlink > 0) {
                return Ok(Presence { name, path, _locked: locked });
            }
        }
    }

    /// Returns the name of this presence among those of its directory.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Returns the names of the presences in `directory`, and removes what processes left that have ended.
pub fn present_in(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut present = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        match lock(&path, OFlags::empty(), FlockOperation::NonBlockingLockExclusive) {
            Ok(_unused) => {
                let _ = std::fs::remove_file(&path);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                present.extend(entry.file_name().into_string());
            }
            Err(_) => {}
        }
    }
    present
}

/// Returns the program for which the process of the presence with this name runs, if it said so.
pub fn owner_of(directory: &Path, name: &str) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(directory.join(name), flags, Mode::empty()).ok()?);
    let mut owner = String::new();
    file.take(MAX_OWNER).read_to_string(&mut owner).ok()?;
    owner.retain(|c| !c.is_control());
    (!owner.is_empty()).then_some(owner)
}

/// Returns the ID of the process of the presence with this name; `None` for the name of another file.
pub fn process_id(name: &str) -> Option<i32> {
    name.split_once('-')?.0.parse().ok()
}

/// Whether the process of the presence with this name is stopped by a signal or a debugger, as a shell's Ctrl-Z does.
pub fn is_suspended(name: &str) -> bool {
    let process = || processes::by_pid(processes::id(process_id(name)?)?);
    process().is_some_and(|process| process.is_stopped)
}

fn lock(path: &Path, flags: OFlags, operation: FlockOperation) -> io::Result<File> {
    let flags = flags | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
    rustix::fs::flock(&file, operation)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_presence_ends_with_its_process_or_before() {
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().join("state/editors");
        assert_eq!(present_in(&at), Vec::<String>::new());
        let one = Presence::begin(&at, "Emacs 28").unwrap();
        let two = Presence::begin(&at, "").unwrap();
        assert_eq!(owner_of(&at, one.name()).as_deref(), Some("Emacs 28"));
        assert_eq!(owner_of(&at, two.name()), None);
        assert_eq!(owner_of(&at, "none"), None);
        std::fs::write(at.join("left by a process that was killed"), "").unwrap();
        let mut names = [one.name(), two.name()];
        names.sort_unstable();
        let mut present = present_in(&at);
        present.sort_unstable();
        assert_eq!(present, names);
        assert!(!is_suspended(one.name()));
        assert_eq!(process_id(one.name()), std::process::id().try_into().ok());
        assert_eq!(process_id("a-file"), None);
        drop(one);
        assert_eq!(present_in(&at), [two.name()]);
        assert_eq!(std::fs::read_dir(&at).unwrap().count(), 1);
    }

    #[test]
    fn a_stopped_process_is_suspended() {
        use rustix::process::{Signal, WaitOptions, kill_process, waitpid};
        let mut cat = std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let pid = processes::id(cat.id()).unwrap();
        let name = format!("{}-0123456789abcdef", cat.id());
        assert!(!is_suspended(&name));
        kill_process(pid, Signal::STOP).unwrap();
        let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped());
        assert!(is_suspended(&name));
        kill_process(pid, Signal::CONT).unwrap();
        cat.kill().unwrap();
        cat.wait().unwrap();
        assert!(!is_suspended(&name));
    }
}
