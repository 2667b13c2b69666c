//! The commands within a command: those of `symd server`, `projects`, `solutions` and `config`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ServerCommand {
    /// List the servers: state, memory, last error
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Restart a server, even one that is down or was stopped
    Restart {
        /// Its name: ty, kmp-lsp …
        name: String,
    },
    /// Stop a server until it is restarted
    Stop {
        /// Its name: ty, kmp-lsp …
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ProjectsCommand {
    /// List them: name and root
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Register a project without starting symd in it
    Add {
        /// Its root
        path: PathBuf,
    },
    /// Unregister a project; its files are not changed
    Remove {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SolutionsCommand {
    /// List them, a line each
    List,
    /// Show one
    Show {
        /// Its id, such as rca-001
        id: String,
    },
    /// Confirm that one solved its error
    Validate {
        /// Its id
        id: String,
    },
    /// Delete one
    Delete {
        /// Its id
        id: String,
    },
    /// Print all as JSON lines
    Export {
        /// Those of this machine, although config.toml names a team's Chroma
        #[arg(long)]
        local: bool,
    },
    /// Add those on stdin, as JSON lines: copies replace what they are of, and ids that others have are given anew
    Import,
    /// Keep them in the team's Chroma from now on, which `[chroma]` in config.toml names; asks first, and makes the collection if
    /// there is none
    Connect {
        /// Connect without asking
        #[arg(long)]
        yes: bool,
    },
    /// Compute vectors again by the model of `[embedder]` in config.toml; asks before texts are sent. Goes on where it stopped
    Reembed {
        /// Send the texts without asking
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ConfigCommand {
    /// Show the settings in effect and where each comes from
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}
