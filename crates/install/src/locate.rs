//! Where a server is found and who put it there. Which program is meant is not decided here but where all are looked up.
//! Runs nothing.

use std::path::{Path, PathBuf};

use super::Surroundings;
use super::home::Home;
use super::manifest::Manifest;
use symd_base::programs::Unusable;
use symd_config::LanguageServer;

/// Who put a server where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerOrigin {
    /// `symd install`.
    Installed(Manifest),
    /// Somebody else: it is on PATH, or was put by hand where symd installs.
    Path,
}

/// A server that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedServer {
    /// Its program.
    pub program: PathBuf,
    /// Who put it there.
    pub origin: ServerOrigin,
    /// Programs it needs that cannot be started.
    pub missing: Vec<String>,
}

/// The program that would be started for `server`, called `name`, or why none can be; `servers` is where symd installs
/// them. It is looked up as whoever starts it does.
pub fn locate(
    servers: &Path,
    name: &str,
    server: &LanguageServer,
    here: &Surroundings,
) -> Result<LocatedServer, Unusable> {
    let home = Home::new(servers, name);
    let programs = here.programs().clone().after(home.bin());
    let program = programs.find(&server.command)?;
    // What was put where symd installs without a manifest was put there by hand.
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
        let here = Surroundings::new([("PATH".into(), usr.clone().into_os_string())], Some(&project));
        let located = || locate(&servers, "x", languages.server("x").expect("known"), &here);
        let of_path = |program: &Path, missing: &[&str]| {
            let missing = missing.iter().map(|name| (*name).to_owned()).collect();
            Ok(LocatedServer { program: program.to_owned(), origin: ServerOrigin::Path, missing })
        };
        assert_eq!(located(), Err(Unusable::Missing("x-ls".to_owned())));

        state::create_program(&project.join("x-ls"), b"#!/bin/sh\n").expect("made");
        state::replace_link(&usr.join("x-ls"), &project.join("x-ls")).expect("linked");
        state::replace_link(&usr.join("node"), &project.join("x-ls")).expect("linked");
        assert_eq!(located(), Err(Unusable::InProject(usr.join("x-ls"))));

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
