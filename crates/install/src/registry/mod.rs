//! Runs each registry's own client program. All parts of a server that come from the same registry (cargo
//! excepted) are installed together.

mod cargo;
mod npm;
mod pypi;

use std::ffi::OsString;
use std::path::PathBuf;

use super::InstallError;
use super::child::{Children, Job};
use super::home::StagedInstall;
use symd_config::server::Install;

/// An installation in progress.
pub(super) struct Work<'a> {
    pub(super) server: &'a str,
    pub(super) parts: &'a [Install],
    pub(super) fresh: &'a StagedInstall,
    pub(super) children: &'a mut Children,
    /// Called with every line that the registries' programs print.
    pub(super) tell: &'a mut dyn FnMut(&str),
}

impl Work<'_> {
    /// Installs all parts and links their programs into `bin`.
    pub(super) async fn install(&mut self) -> Result<(), InstallError> {
        let parts = self.parts;
        if parts.iter().any(|part| matches!(part, Install::PyPi { .. })) {
            pypi::install(self).await?;
        }
        if parts.iter().any(|part| matches!(part, Install::Npm { .. })) {
            npm::install(self).await?;
        }
        for part in parts {
            if let Install::Cargo { package, version } = part {
                cargo::install(self, package, version).await?;
            }
        }
        Ok(())
    }

    fn find(&self, tool: &'static str, hint: &'static str) -> Result<PathBuf, InstallError> {
        self.children.surroundings().find(tool).ok_or(InstallError::NoTool { tool, hint })
    }

    async fn run(
        &mut self,
        what: &'static str,
        program: PathBuf,
        arguments: Vec<OsString>,
    ) -> Result<(), InstallError> {
        let job = Job { what, program, arguments };
        self.children.run(job, &self.fresh.workspace(), self.tell).await
    }
}

fn words<const N: usize>(words: [&str; N]) -> Vec<OsString> {
    words.into_iter().map(OsString::from).collect()
}
