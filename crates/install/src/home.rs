//! The layout of one server's installation directory:
//!
//! `bin` → `current/bin`, `installed.json` → `current/installed.json`, `current` → one directory with a
//! random name that is never written to again. Invariant: `current` changes by one rename, and a directory is
//! removed only when no process runs from it, so neither a reader nor a running server ever sees a partial
//! installation.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::InstallError;
use super::manifest::Manifest;
use symd_base::programs::is_program;
use symd_base::state::{self, StateDirs};

const CURRENT: &str = "current";
const MANIFEST: &str = "installed.json";

/// Returns the directory in which all servers of the user are installed, each in a subdirectory of its name.
pub fn servers_directory(dirs: &StateDirs) -> PathBuf {
    dirs.persistent.data.join("servers")
}

/// The installation directory of one server.
#[derive(Clone, Debug)]
pub struct Home {
    directory: PathBuf,
}

impl Home {
    /// Takes the directory of `server` (a plain name, not a path) below `servers`.
    pub fn new(servers: &Path, server: &str) -> Home {
        Home { directory: servers.join(server) }
    }

    /// Returns the directory with the installed programs.
    pub(super) fn bin(&self) -> PathBuf {
        self.directory.join("bin")
    }

    /// Returns the path by which the program `command` is run, installed or not.
    pub fn program(&self, command: &str) -> PathBuf {
        self.bin().join(command)
    }

    /// Returns the path of the program `command` if it is installed.
    pub fn installed_program(&self, command: &str) -> Option<PathBuf> {
        Some(self.program(command)).filter(|program| is_program(program))
    }

    /// Reads the manifest of the current installation; `None` if nothing is installed or the manifest is not
    /// readable.
    pub fn manifest(&self) -> Option<Manifest> {
        let text = state::read_file(&self.directory.join(MANIFEST)).ok().flatten()?;
        serde_json::from_slice(&text).ok()
    }

    /// Creates a new directory to install into. The caller holds the install lock.
    pub(super) fn fresh(&self) -> Result<StagedInstall, InstallError> {
        state::private_dir(&self.directory)?;
        let directory = self.directory.join(format!("{:08x}", fastrand::u32(..)));
        let fresh = StagedInstall { directory, shown: false };
        state::private_dir(&fresh.bin())?;
        state::private_dir(&fresh.workspace())?;
        Ok(fresh)
    }

    /// Publishes `fresh` as the current installation, in place of the previous one.
    pub(super) fn publish(&self, mut fresh: StagedInstall, manifest: &Manifest) -> Result<(), InstallError> {
        state::remove_tree(&fresh.workspace())?;
        let text = serde_json::to_vec_pretty(manifest).unwrap_or_default();
        state::replace_file(&fresh.directory.join(MANIFEST), &[&text])?;
        for name in ["bin", MANIFEST] {
            state::replace_link(&self.directory.join(name), &Path::new(CURRENT).join(name))?;
        }
        let name = fresh.directory.file_name().unwrap_or_default();
        state::replace_link(&self.directory.join(CURRENT), Path::new(name))?;
        fresh.shown = true;
        Ok(())
    }

    /// Removes the directories of earlier installations from which no process runs. The caller holds the
    /// install lock.
    pub(super) fn sweep(&self) {
        let Ok(entries) = self.directory.read_dir() else { return };
        let current = std::fs::read_link(self.directory.join(CURRENT)).ok();
        for entry in entries.flatten() {
            let old = entry.file_type().is_ok_and(|kind| kind.is_dir())
                && Some(Path::new(&entry.file_name())) != current.as_deref();
            if old && !is_in_use(&entry.path()) {
                // A directory that cannot be removed now is tried again at the next installation.
                if let Err(error) = state::remove_tree(&entry.path()) {
                    tracing::warn!(%error, "cannot remove an old installation; the next one tries again");
                }
            }
        }
    }
}

/// Whether a process runs a program in `directory`, or names it on its command line (scripts). True if /proc
/// cannot be listed.
fn is_in_use(directory: &Path) -> bool {
    let Ok(processes) = Path::new("/proc").read_dir() else { return true };
    let wanted = directory.as_os_str().as_bytes();
    processes.flatten().any(|process| {
        let process = process.path();
        let runs = std::fs::read_link(process.join("exe")).is_ok_and(|exe| exe.starts_with(directory));
        runs || {
            let line = state::read_file(&process.join("cmdline")).ok().flatten().unwrap_or_default();
            memchr::memmem::find(&line, wanted).is_some()
        }
    })
}

/// An installation in progress; its directory is removed on drop unless [`Home::publish`] has published it.
#[derive(Debug)]
pub(super) struct StagedInstall {
    directory: PathBuf,
    shown: bool,
}

impl StagedInstall {
    /// Returns the directory that becomes the server's `bin`.
    pub(super) fn bin(&self) -> PathBuf {
        self.directory.join("bin")
    }

    /// Returns the directory for the files of one registry.
    pub(super) fn part(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Returns the working directory of the registries' programs; it is removed before the installation is
    /// published.
    pub(super) fn workspace(&self) -> PathBuf {
        self.directory.join("workspace")
    }
}

impl Drop for StagedInstall {
    fn drop(&mut self) {
        if !self.shown
            && let Err(error) = state::remove_tree(&self.directory)
        {
            tracing::warn!(%error, "cannot remove a failed installation; the next one tries again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = directory.read_dir().expect("listed").flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn install(home: &Home, script: &str) -> PathBuf {
        let fresh = home.fresh().expect("made");
        state::create_program(&fresh.bin().join("x-ls"), script.as_bytes()).expect("made");
        let directory = fresh.directory.clone();
        home.publish(fresh, &Manifest::now("x", &[])).expect("shown");
        directory
    }

    #[test]
    fn what_is_not_shown_vanishes() {
        let scratch = tempfile::tempdir().expect("scratch");
        let home = Home::new(scratch.path(), "x");
        drop(home.fresh().expect("made"));
        assert_eq!(names(&scratch.path().join("x")), Vec::<String>::new());
        assert!(home.manifest().is_none() && home.installed_program("x-ls").is_none());
    }

    #[test]
    fn the_new_one_replaces_the_old_one_which_goes_when_nothing_runs_from_it() {
        let scratch = tempfile::tempdir().expect("scratch");
        let home = Home::new(scratch.path(), "x");
        let old = install(&home, "#!/bin/sh\n");
        assert!(home.installed_program("x-ls").is_some());
        // A program of the old installation that runs until its stdin is closed.
        state::create_program(
            &old.join("bin/reader"),
            &state::read_file(Path::new("/bin/cat")).expect("read").expect("there"),
        )
        .expect("copied");
        let mut running = std::process::Command::new(old.join("bin/reader"))
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("started");
        let new = install(&home, "#!/bin/sh\nnew");
        home.sweep();
        assert!(old.exists() && new.exists());
        drop(running.stdin.take());
        running.wait().expect("ended");
        let dead = home.directory.join("0000dead");
        state::private_dir(&dead).expect("made");
        home.sweep();
        assert!(!old.exists() && !dead.exists() && new.exists());
        let script = state::read_file(&home.program("x-ls")).expect("read").expect("there");
        assert!(script.ends_with(b"new") && !new.join("workspace").exists());
        assert_eq!(home.manifest().expect("there").server, "x");
    }
}
