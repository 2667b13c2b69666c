//! Finds a server's program and tells who installed it. The rules by which a program is chosen are
//! `symd_base::programs`'. Runs nothing.

use std::path::{Path, PathBuf};

use super::InstallEnvironment;
use super::home::Home;
use super::manifest::Manifest;
use symd_base::programs::ProgramError;
use symd_config::LanguageServer;

/// Who installed a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerOrigin {
    /// `symd install`.
    Installed(Manifest),
    /// Someone else: the program is on PATH, or was put by hand into symd's installation directory.
    Path,
}

/// A server whose program was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedServer {
    pub program: PathBuf,
    pub origin: ServerOrigin,
    /// Programs that the server requires and that cannot be started.
    pub missing: Vec<String>,
}

/// Finds the program that symd would start for the server `name`, by the same rules as when it is started;
/// the error says why there is none. `servers` is the directory into which symd installs.
pub fn locate(
    servers: &Path,
    name: &str,
    server: &LanguageServer,
    here: &InstallEnvironment,
) -> Result<LocatedServer, ProgramError> {
    let home = Home::new(servers, name);
    let programs = here.programs().clone().after(home.bin());
    let program = programs.find(&server.command)?;
    // A program in symd's directory without a manifest was put there by hand.
    let manifest = home.manifest().filter(|_| program == home.program(&server.command));
    let origin = manifest.map_or(ServerOrigin::Path, ServerOrigin::Installed);
    let missing = server.requires.iter().filter(|needed| programs.find(needed).is_err()).cloned().collect();
    Ok(LocatedServer { program, origin, missing })
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_base::state;
    use symd_config::Languages;
    use symd_config::layers::LayerText;
    use symd_config::trust::Trust;

    #[test]
    fn what_would_not_be_started_is_not_located() {
        let scratch = tempfile::tempdir().expect("scratch");
        let scratch = scratch.path().canonicalize().expect("there");
        let (project, usr, servers) = (scratch.join("project"), scratch.join("usr"), scratch.join("servers"));
        let bin = servers.join("x").join("bin");
        for directory in [&project, &usr, &bin] {
            state::private_dir(directory).expect("made");
        }
        let toml = "[language-server.x]\ncommand = \"x-ls\"\nrequires = [\"node\"]";
        let layer = LayerText { file: "test.toml", text: toml };
        let languages = Languages::load(Some(layer), None, &Trust::Never).expect("sound").languages;
        let here = InstallEnvironment::new([("PATH".into(), usr.clone().into_os_string())], Some(&project));
        let located = || locate(&servers, "x", languages.server("x").expect("known"), &here);
        let of_path = |program: &Path, missing: &[&str]| {
            let missing = missing.iter().map(|name| (*name).to_owned()).collect();
            Ok(LocatedServer { program: program.to_owned(), origin: ServerOrigin::Path, missing })
        };
        assert_eq!(located(), Err(ProgramError::Missing("x-ls".to_owned())));

        state::create_program(&project.join("x-ls"), b"#!/bin/sh\n").expect("made");
        state::replace_link(&usr.join("x-ls"), &project.join("x-ls")).expect("linked");
        state::replace_link(&usr.join("node"), &project.join("x-ls")).expect("linked");
        assert_eq!(located(), Err(ProgramError::InProject(usr.join("x-ls"))));

        state::create_program(&bin.join("x-ls"), b"#!/bin/sh\n").expect("made");
        assert_eq!(located(), of_path(&bin.join("x-ls"), &["node"]));
        state::create_program(&bin.join("node"), b"#!/bin/sh\n").expect("made");
        assert_eq!(located(), of_path(&bin.join("x-ls"), &[]));

        let manifest = Manifest::now("x", &[]);
        let text = serde_json::to_vec(&manifest).expect("written");
        state::replace_file(&servers.join("x").join("installed.json"), &[&text]).expect("written");
        assert_eq!(located().map(|located| located.origin), Ok(ServerOrigin::Installed(manifest)));
    }
}
