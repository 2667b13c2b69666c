//! Turns a server's entry in languages.toml into what is run: programs located, placeholders filled,
//! environment built. Starts nothing. Invariant: the program is outside the project.

use rustix::process::Pid;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::environment;
use super::process::LaunchCommand;
use super::server::Spec;
use super::session::SessionConfig;
use symd_base::programs::{ProgramError, Programs};
use symd_base::state;

impl Spec {
    /// Returns the program if it and all programs that it requires are found; else what is missing, as a
    /// sentence: "ty is not installed".
    pub(super) fn program(&self) -> Result<PathBuf, String> {
        let programs = self.programs();
        let program = programs.find(&self.config.command).map_err(|problem| match problem {
            // The message uses the server's name, by which people know it, rather than its command.
            ProgramError::Missing(command) if command != self.name => {
                format!("{} is not installed (there is no {command})", self.name)
            }
            problem => problem.to_string(),
        })?;
        for required in &self.config.requires {
            programs
                .find(required)
                .map_err(|problem| format!("{} cannot work without {required}: {problem}", self.name))?;
        }
        Ok(program)
    }

    /// Whether the program is not installed at all. One that exists but cannot be used does not count as
    /// missing.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self.programs().find(&self.config.command), Err(ProgramError::Missing(_)))
    }

    /// Builds the command to run. Creates the server's state directory.
    pub(super) fn launch(&self) -> Result<LaunchCommand, String> {
        let program = self.program()?;
        state::private_dir(&self.state).map_err(|error| error.to_string())?;
        if !self.directory.is_dir() {
            return Err(format!("the project's root {} is gone", self.directory.display()));
        }
        let own: BTreeMap<String, String> =
            self.config.environment.iter().map(|(name, value)| (name.clone(), self.filled(value))).collect();
        let path = self.programs().path();
        Ok(LaunchCommand {
            supervisor: self.supervisor.clone(),
            program,
            args: self.config.args.iter().map(|argument| self.filled(argument)).collect(),
            environment: environment::of_server(std::env::vars_os(), path, own, self.files.path()),
            directory: self.working_directory(),
            log: self.log.clone(),
        })
    }

    /// Returns the working directory. A server that may run in an untrusted project runs outside of it: a
    /// version manager (asdf) reads from `.tool-versions` in the working directory which `node` to run, and
    /// accepts `path:DIR` as a version.
    fn working_directory(&self) -> PathBuf {
        let needs_trust = self.config.runs_project_code.is_some();
        if needs_trust { self.directory.clone() } else { self.state.clone() }
    }

    /// Builds the settings of the server's session; `group` is its process group.
    pub(super) fn setup(&self, group: Pid) -> SessionConfig {
        let config = self.config.config.as_ref().and_then(|config| serde_json::to_value(config).ok());
        SessionConfig {
            server: self.name.clone(),
            server_root: self.directory.clone(),
            files: Arc::clone(&self.files),
            config: config.unwrap_or_default(),
            log_message: self.config.readiness.log_message.clone(),
            group: Some(group),
            timeout: Duration::from_secs(self.config.timeout),
            languages: Arc::clone(&self.languages),
            language: self.language,
        }
    }

    fn programs(&self) -> Programs {
        Programs::on(&self.search_path, Some(self.files.path()))
            .after(self.installed.join(&self.name).join("bin"))
    }

    fn filled(&self, text: &str) -> String {
        text.replace("{state}", &self.state.to_string_lossy())
            .replace("{root}", &self.directory.to_string_lossy())
    }
}
