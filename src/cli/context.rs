//! The common starting point of all commands: the user's directories, the settings, the project.

use std::path::PathBuf;

use crate::base::state::StateDirs;
use crate::config::Languages;
use crate::config::roots::{self, HOW_TO_CHOOSE, RootError};
use crate::config::settings::Settings;
use crate::serve::setup::{self, Setup};
use crate::serve::{DaemonPaths, SharedDirs, resolve_dirs};

use super::args::Global;
use super::commands::say;
use super::failure::{Exit, Failure};

/// Whether a command may start a daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spawning {
    Allowed,
    Forbidden,
}

/// The context of a command.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) dirs: StateDirs,
    pub(super) spawning: Spawning,
    global: Global,
}

impl Context {
    pub(super) fn new(global: Global) -> Result<Context, Failure> {
        let own = StateDirs::from_env().map_err(|error| Exit::Failed.because(error))?;
        let spawning = if global.no_spawn { Spawning::Forbidden } else { Spawning::Allowed };
        let mut context = Context { dirs: own.clone(), spawning, global };
        // A new daemon uses the directories in its environment.
        if let Ok(root) = context.find_root() {
            let SharedDirs { dirs, difference } = resolve_dirs(own, &root);
            context.dirs = dirs;
            if let Some(difference) = difference {
                say(&difference);
            }
        }
        Ok(context)
    }

    /// Returns a new context from the environment, after the daemon whose directories this one uses has
    /// exited.
    pub(super) fn again(&self) -> Result<Context, Failure> {
        let dirs = StateDirs::from_env().map_err(|error| Exit::Failed.because(error))?;
        Ok(Context { dirs, spawning: self.spawning, global: self.global.clone() })
    }

    fn find_root(&self) -> Result<PathBuf, RootError> {
        match &self.global.project {
            Some(directory) => roots::canonical_root(directory),
            None => {
                let here = std::env::current_dir()
                    .map_err(|source| RootError::Unusable { path: ".".into(), source })?;
                let home = std::env::var_os("HOME").map(PathBuf::from);
                roots::find_root_above(&here, home.as_deref(), &Languages::builtin().root_markers())
            }
        }
    }

    /// Returns the paths of the project's daemon, or why there is no project.
    pub(super) fn find_place(&self) -> Result<DaemonPaths, RootError> {
        Ok(DaemonPaths::new(&self.dirs, &self.find_root()?))
    }

    /// Returns the paths of the project's daemon; the failure explains how to choose a project.
    pub(super) fn place(&self) -> Result<DaemonPaths, Failure> {
        self.find_place().map_err(|error| match error {
            RootError::NoProject(_) => Exit::Usage.because(format!("{error}; {HOW_TO_CHOOSE}")),
            error => Exit::Usage.because(error),
        })
    }

    /// Converts a path that a person typed, relative to the working directory, to one relative to the
    /// project's root. A path that does not exist or is outside the project is returned unchanged, for the
    /// daemon to judge.
    pub(super) fn in_project(&self, path: &str) -> String {
        let (Ok(place), Ok(here)) = (self.find_place(), std::env::current_dir()) else {
            return path.to_owned();
        };
        let from_here = here.join(path).canonicalize().ok();
        let inside = from_here.as_deref().and_then(|path| path.strip_prefix(&place.root).ok());
        inside.and_then(|path| path.to_str()).map_or_else(|| path.to_owned(), str::to_owned)
    }

    /// Returns the project's configuration: its languages, and whether it is trusted.
    pub(super) fn setup(&self, place: &DaemonPaths) -> Result<Setup, Failure> {
        setup::load(&self.dirs.persistent.config, place).map_err(|error| Exit::Usage.because(error))
    }

    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        Settings::load(&self.dirs.persistent.config).map_err(|error| Exit::Usage.because(error))
    }
}
