//! One server's installation from beginning to end. Needs a tokio runtime.

use std::path::{Path, PathBuf};

use super::child::Children;
use super::home::Home;
use super::manifest::Manifest;
use super::registry::Work;
use super::wanted::{ServerSource, source_of};
use super::{InstallError, InstallLock, Surroundings};
use symd_base::programs::is_program;
use symd_config::LanguageServer;
use symd_config::server::Install;

/// Whether what is there already is installed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// Only what is missing or of another version.
    No,
    /// Again.
    Yes,
}

impl From<bool> for Force {
    fn from(forced: bool) -> Force {
        if forced { Force::Yes } else { Force::No }
    }
}

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallOutcome {
    /// The same version was there, whole.
    AlreadyThere(Manifest),
    /// It is there now.
    Installed(Manifest),
    /// symd does not install it, and need not: it is on PATH.
    OnPath(PathBuf),
}

/// What is told while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallProgress<'a> {
    /// These parts are being installed.
    Begins(&'a [String]),
    /// symd has no hashes for this version, so that only the version is pinned.
    WithoutHashes,
    /// A line that a registry's program printed.
    Line(&'a str),
}

/// Installs servers, one after the other, while it holds the lock.
#[derive(Debug)]
pub struct Installer {
    servers: PathBuf,
    children: Children,
    _lock: InstallLock,
}

impl Installer {
    /// Into the directory `servers`. From now on ctrl-C interrupts the installation instead of the process.
    pub fn new(servers: &Path, lock: InstallLock, here: Surroundings) -> std::io::Result<Installer> {
        Ok(Installer { servers: servers.to_owned(), children: Children::new(here)?, _lock: lock })
    }

    /// Installs `server`, called `name`, unless it is there.
    pub async fn install(
        &mut self,
        name: &str,
        server: &LanguageServer,
        force: Force,
        tell: &mut dyn FnMut(InstallProgress<'_>),
    ) -> Result<InstallOutcome, InstallError> {
        if !matches!(source_of(server), ServerSource::Registry(_)) {
            return self.by_hand(server);
        }
        let home = Home::new(&self.servers, name);
        let manifest = Manifest::now(name, &server.install);
        if force == Force::No
            && let Some(there) = home.manifest()
            && there.same_as(&manifest)
            && home.installed_program(&server.command).is_some()
        {
            return Ok(InstallOutcome::AlreadyThere(there));
        }
        tell(InstallProgress::Begins(&manifest.parts));
        if manifest.pins.is_none() {
            tell(InstallProgress::WithoutHashes);
        }
        home.sweep();
        let fresh = home.fresh()?;
        let mut line = |line: &str| tell(InstallProgress::Line(line));
        let mut work = Work {
            server: name,
            parts: &server.install,
            fresh: &fresh,
            children: &mut self.children,
            tell: &mut line,
        };
        work.install().await?;
        if !is_program(&fresh.bin().join(&server.command)) {
            let (parts, command) = (manifest.parts.join(", "), server.command.clone());
            return Err(InstallError::NoProgram { parts, command });
        }
        home.show(fresh, &manifest)?;
        home.sweep();
        Ok(InstallOutcome::Installed(manifest))
    }

    fn by_hand(&self, server: &LanguageServer) -> Result<InstallOutcome, InstallError> {
        if let Some(found) = self.children.surroundings().find(&server.command) {
            return Ok(InstallOutcome::OnPath(found));
        }
        let hints: Vec<&str> = hints(&server.install).collect();
        let hint = if hints.is_empty() {
            format!("put {:?} on PATH as its authors say", server.command)
        } else {
            hints.join("; ")
        };
        Err(InstallError::ByHand { hint })
    }
}

/// What the user has to do for a server's parts by hand.
fn hints(parts: &[Install]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(Install::by_hand)
}
