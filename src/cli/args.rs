//! The words of the command line, and their help. Fixed: later work and people's scripts rely on them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// symd keeps every symbol of a project indexed and serves coding agents, people and editors from it.
#[derive(Debug, Parser)]
#[command(
    name = "symd",
    version,
    after_help = "Examples:
  symd find UserService           where is it declared?
  symd overview src/app.py        what does a file declare?
  symd mcp                        serve an agent over stdio (put this into its MCP configuration)
  symd status                     what is the daemon doing?

Exit codes: 0 done, 1 the tool failed, 2 usage, 3 no daemon, 4 no language server,
5 not ready or timed out, 6 approval denied."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Clone, Debug, Args)]
pub(super) struct Global {
    /// The project's root [default: the nearest .symd/ above, else the git work tree, else the outermost
    /// build file's directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) project: Option<PathBuf>,
    /// Fail (exit 3) instead of starting a daemon
    #[arg(long, global = true)]
    pub(super) no_spawn: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the daemon in the foreground
    Daemon {
        /// Started by another symd: tell it on stdout how the start went
        #[arg(long, hide = true)]
        spawned: bool,
    },
    /// Start the daemon, if it does not run
    Start,
    /// End the daemon; requests under way get five seconds
    Stop {
        /// End the daemons of all projects
        #[arg(long)]
        all: bool,
    },
    /// End the daemon and start it again
    Restart,
    /// Show what the daemon is doing
    Status {
        /// As JSON
        #[arg(long)]
        json: bool,
        /// The daemons of all projects
        #[arg(long)]
        all: bool,
    },
    /// Print the daemon's log
    Logs {
        /// Go on as it grows
        #[arg(short, long)]
        follow: bool,
    },
    /// Print the path of the daemon's socket, starting it if necessary
    Socket,
    /// Serve an MCP client over stdin and stdout
    #[command(after_help = "Example (Claude Code):\n  claude mcp add symd -- symd mcp")]
    Mcp(Toolset),
    /// List the tools that clients see
    Tools {
        #[command(flatten)]
        toolset: Toolset,
        /// How to print them
        #[arg(long, default_value = "text")]
        format: ToolsFormat,
    },
    /// Call a tool and print its text
    #[command(after_help = "Examples:
  symd call status
  symd call find_symbol '{\"name_path_pattern\": \"UserService\"}'
  echo '{\"name_path_pattern\": \"UserService\"}' | symd call find_symbol -")]
    Call {
        #[command(flatten)]
        toolset: Toolset,
        /// The tool's name; `symd tools` lists them
        tool: String,
        /// Its arguments as a JSON object; `-` reads them from stdin
        #[arg(value_name = "JSON|-")]
        arguments: Option<String>,
    },
    /// Find symbols by name or name path
    #[command(after_help = "Examples:
  symd find UserService
  symd find UserService/validate --body
  symd find User --substring --kind class --in src/models")]
    Find {
        /// A name, a name path (`Class/method`), or one from the file's top level (`/Class`)
        pattern: String,
        /// Only in this file or directory
        #[arg(long = "in", value_name = "PATH")]
        within: Option<String>,
        /// With the source text
        #[arg(long)]
        body: bool,
        /// Only this kind: class, function, method …; may be repeated
        #[arg(long = "kind", value_name = "KIND")]
        kinds: Vec<String>,
        /// The name only has to contain the pattern
        #[arg(long)]
        substring: bool,
    },
    /// Show what a file declares
    Overview {
        /// The file
        file: String,
        /// How many levels of nested symbols
        #[arg(long)]
        depth: Option<u32>,
    },
    /// Search the project's text by regular expression
    Search {
        /// A regular expression
        pattern: String,
        /// Only in this file or directory
        #[arg(long = "in", value_name = "PATH")]
        within: Option<String>,
    },
    /// Wait until the project is indexed; show how fast that goes
    Index {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// See symd at work on a small project in a scratch folder
    Demo,
    /// Remove what daemons left behind, and show how big the caches are
    Gc,
    /// The settings
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Check what symd needs, and say what to do about what is missing
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the completions of a shell
    #[command(
        after_help = "Example:\n  symd completions bash > ~/.local/share/bash-completion/completions/symd"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example:\n  symd man | man -l -")]
    Man,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Show the settings in effect and where each comes from
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Debug, Args)]
pub(super) struct Toolset {
    /// Which tools, comma-separated [default: native, or `toolset` of config.toml]
    #[arg(long = "toolset", value_name = "LIST", value_delimiter = ',')]
    pub(super) names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ToolsFormat {
    /// Name and first sentence
    Text,
    /// Everything, as clients get it
    Json,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_words_do_not_contradict_each_other() {
        super::Arguments::command().debug_assert();
    }
}
