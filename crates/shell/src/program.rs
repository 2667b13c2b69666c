//! Finds the shell for a command. Invariant: a shell that is found is an executable file outside the project.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use super::environment::Environment;

/// A shell, which takes a command after `-c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell(PathBuf);

/// The kind of shell that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellChoice {
    /// bash, or sh if there is no bash.
    Bash,
    /// The user's shell (`SHELL`), or sh.
    Users,
}

impl Shell {
    /// Finds a shell in `environment`, outside the project `root`; `None` if there is none.
    pub fn find(wanted: ShellChoice, environment: &Environment, root: &Path) -> Option<Shell> {
        let users = || {
            let shell = PathBuf::from(environment.get("SHELL")?);
            (shell.is_absolute() && is_usable(&shell, root)).then_some(shell)
        };
        let first = match wanted {
            ShellChoice::Bash => on_path("bash", environment, root),
            ShellChoice::Users => users(),
        };
        first
            .or_else(|| on_path("sh", environment, root))
            .or_else(|| Some("/bin/sh".into()))
            .filter(|shell| is_usable(shell, root))
            .map(Shell)
    }

    /// Returns the program's absolute path.
    pub fn program(&self) -> &Path {
        &self.0
    }

    /// Returns the arguments that make the shell run `command`.
    pub(crate) fn arguments(&self, command: &str) -> [OsString; 2] {
        ["-c".into(), command.into()]
    }
}

fn on_path(name: &str, environment: &Environment, root: &Path) -> Option<PathBuf> {
    std::env::split_paths(environment.get("PATH")?)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|program| is_usable(program, root))
}

fn is_usable(program: &Path, root: &Path) -> bool {
    program.canonicalize().is_ok_and(|resolved| {
        !resolved.starts_with(root)
            && resolved.is_file()
            && rustix::fs::access(&resolved, Access::EXEC_OK).is_ok()
    })
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_shell_of_the_project_is_not_taken() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        for name in ["bash", "fish"] {
            std::fs::write(root.join(name), "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(root.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let of = |path: &str, shell: &str| {
            let variables = [("PATH".to_owned(), path.to_owned()), ("SHELL".to_owned(), shell.to_owned())];
            Environment::of_client(variables)
        };
        let found = |wanted, environment: &Environment, root: &Path| {
            Shell::find(wanted, environment, root).unwrap().program().to_owned()
        };
        let here = root.to_str().unwrap();
        let elsewhere = Path::new("/nowhere");
        let both = of(&format!("{here}:.:/usr/bin:/bin"), root.join("fish").to_str().unwrap());
        assert!(found(ShellChoice::Bash, &both, &root).ends_with("bin/bash"));
        assert_eq!(found(ShellChoice::Bash, &both, elsewhere), root.join("bash"));
        assert!(found(ShellChoice::Users, &both, &root).ends_with("bin/sh"));
        assert_eq!(found(ShellChoice::Users, &both, elsewhere), root.join("fish"));
        // bash is nowhere, and PATH is useless.
        assert!(found(ShellChoice::Bash, &of("/nowhere", "fish"), &root).ends_with("bin/sh"));
        assert!(found(ShellChoice::Users, &of("/nowhere", "fish"), &root).ends_with("bin/sh"));
    }
}
