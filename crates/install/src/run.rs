//! Installs one server, from the check of what is there to the published directory. Needs a tokio runtime.

use std::path::{Path, PathBuf};

use super::child::Children;
use super::home::Home;
use super::manifest::Manifest;
use super::registry::Work;
use super::wanted::{ServerSource, source_of};
use super::{InstallEnvironment, InstallError, InstallLock};
use symd_base::programs::is_program;
use symd_config::LanguageServer;
use symd_config::server::Install;

/// Whether a server that is already installed is installed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reinstall {
    /// Install only if the server is missing or has another version or other hash lists.
    IfNeeded,
    Always,
}

impl From<bool> for Reinstall {
    fn from(forced: bool) -> Reinstall {
        if forced { Reinstall::Always } else { Reinstall::IfNeeded }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallOutcome {
    /// The same version was already installed completely.
    AlreadyThere(Manifest),
    Installed(Manifest),
    /// symd does not install this server, and its program is on PATH.
    OnPath(PathBuf),
}

/// Progress reports during an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallProgress<'a> {
    /// The installation of these parts begins.
    Begins(&'a [String]),
    /// symd has no hash list for this version, so only the version is pinned.
    WithoutHashes,
    /// A line that a registry's program printed.
    Line(&'a str),
}

/// Installs servers one after the other; holds the install lock.
#[derive(Debug)]
pub struct Installer {
    servers: PathBuf,
    children: Children,
    _lock: InstallLock,
}

impl Installer {
    /// Installs into the directory `servers`. From now on SIGINT, SIGTERM and SIGHUP interrupt the
    /// installation instead of killing the process.
    pub fn new(servers: &Path, lock: InstallLock, here: InstallEnvironment) -> std::io::Result<Installer> {
        Ok(Installer { servers: servers.to_owned(), children: Children::new(here)?, _lock: lock })
    }

    /// Installs the server `name` unless it is installed already; reports progress through `tell`.
    pub async fn install(
        &mut self,
        name: &str,
        server: &LanguageServer,
        force: Reinstall,
        tell: &mut dyn FnMut(InstallProgress<'_>),
    ) -> Result<InstallOutcome, InstallError> {
        if !matches!(source_of(server), ServerSource::Registry(_)) {
            return self.by_hand(server);
        }
        let home = Home::new(&self.servers, name);
        let manifest = Manifest::now(name, &server.install);
        if force == Reinstall::IfNeeded
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
        home.publish(fresh, &manifest)?;
        home.sweep();
        Ok(InstallOutcome::Installed(manifest))
    }

    fn by_hand(&self, server: &LanguageServer) -> Result<InstallOutcome, InstallError> {
        if let Some(found) = self.children.surroundings().find(&server.command) {
            return Ok(InstallOutcome::OnPath(found));
        }
        let hints: Vec<&str> = hints(&server.install).collect();
        let hint = if hints.is_empty() {
            format!("install {:?} as its authors describe, so that it is on PATH", server.command)
        } else {
            hints.join("; ")
        };
        Err(InstallError::ByHand { hint })
    }
}

/// Returns the instructions for the parts that the user has to install by hand.
fn hints(parts: &[Install]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(Install::manual_instruction)
}
