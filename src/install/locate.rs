//! Where a server is found: where symd installs servers, else on PATH, never in the project. Runs nothing.

use std::path::{Path, PathBuf};

use super::home::Home;
use super::manifest::Manifest;
use super::{Surroundings, programs};
use crate::config::LanguageServer;

/// Who put a server where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `symd install`.
    Installed(Manifest),
    /// Somebody else: it is on PATH, or was put by hand where symd installs.
    Path,
}

/// A server that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Its program.
    pub program: PathBuf,
    /// Who put it there.
    pub origin: Origin,
    /// Programs it needs that are neither on PATH nor installed with it.
    pub missing: Vec<String>,
}

/// Where `server`, called `name`, is; `servers` is where symd installs them.
pub fn locate(servers: &Path, name: &str, server: &LanguageServer, here: &Surroundings) -> Option<Located> {
    let home = Home::new(servers, name);
    let installed = home
        .manifest()
        .and_then(|manifest| Some((home.installed_program(&server.command)?, Origin::Installed(manifest))));
    let on_path = || {
        // A command may be a path in the user's own languages.toml.
        let absolute = Some(PathBuf::from(&server.command)).filter(|path| path.is_absolute());
        let absolute = absolute.filter(|path| programs::is_program(path));
        Some((absolute.or_else(|| here.find(&server.command))?, Origin::Path))
    };
    // Put there by hand: the daemon takes it too.
    let by_hand = || Some((home.installed_program(&server.command)?, Origin::Path));
    let (program, origin) = installed.or_else(by_hand).or_else(on_path)?;
    let has = |program: &str| home.installed_program(program).is_some() || here.find(program).is_some();
    let missing = server.requires.iter().filter(|needed| !has(needed)).cloned().collect();
    Some(Located { program, origin, missing })
}
