//! The commands and options of the command line, and their help. They must not change incompatibly: scripts
//! rely on them.

mod approvals;
mod groups;
mod selected_tools;
mod shared;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use self::approvals::{ApprovalsCommand, PolicyWord};
pub(super) use self::groups::{ConfigCommand, ProjectsCommand, ServerCommand, SolutionsCommand};
pub(super) use self::selected_tools::{Shown, ToolsFormat, Toolset};
pub(super) use self::shared::{Length, Patience, PlaceOrSymbol, Symbol};

/// symd keeps every symbol of a project indexed and serves coding agents, people and editors from it.
#[derive(Debug, Parser)]
#[command(
    name = "symd",
    version,
    disable_help_subcommand = true,
    after_help = "Examples:
  symd find UserService           where is it declared?
  symd overview                   what is in the project, and in which files?
  symd overview src/app.py        what does a file declare?
  symd refs UserService           where is it used?
  symd mcp                        serve an agent over stdio (put this into its MCP configuration)
  symd status                     what is the daemon doing?
  symd install                    get the language servers that the project needs

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
        /// Report on stdout whether the start succeeded, to the symd process that started this one
        #[arg(long, hide = true)]
        spawned: bool,
    },
    /// Run a language server in a process group that is killed with the daemon (for the daemon's own use)
    #[command(hide = true)]
    Supervise {
        /// The program and its arguments
        #[arg(last = true, required = true)]
        program: Vec<std::ffi::OsString>,
    },
    /// Start the daemon if it does not run
    Start,
    /// Stop the daemon; requests in flight get five seconds to finish
    Stop {
        /// Stop the daemons of all projects
        #[arg(long)]
        all: bool,
    },
    /// Stop the daemon and start it again
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
        /// Keep printing new lines
        #[arg(short, long)]
        follow: bool,
    },
    /// Print the path of the daemon's socket, starting it if necessary
    Socket,
    /// Serve an MCP client over stdin and stdout
    #[command(
        after_help = "Example (Claude Code):\n  claude mcp add symd -- symd mcp --profile coding-agent"
    )]
    Mcp(Shown),
    /// Serve an editor over stdin and stdout, as a language server: symd sees what is not saved yet
    #[command(after_help = "The editor starts it, once; docs/editors.md has its settings.")]
    Lsp,
    /// List the tools that clients see
    Tools {
        #[command(flatten)]
        shown: Shown,
        /// How to print them
        #[arg(long, default_value = "text")]
        format: ToolsFormat,
    },
    /// Call a tool and print its text
    #[command(after_help = "Examples:
  symd call status
  symd call find_symbol '{\"name_path_pattern\": \"UserService\"}'
  echo '{\"name_path_pattern\": \"UserService\"}' | symd call find_symbol -
  echo '{\"tool\": \"find_symbol\", \"parameters\": {\"name_path_pattern\": \"UserService\"}}' | symd call -")]
    Call {
        #[command(flatten)]
        toolset: Toolset,
        /// The tool's name; `symd tools` lists them. `-` alone reads {"tool", "parameters"} from stdin
        #[arg(value_name = "TOOL|-")]
        tool: String,
        /// Its arguments as a JSON object; `-` reads them from stdin
        #[arg(value_name = "JSON|-")]
        arguments: Option<String>,
        /// Approve this one call, where the user would be asked; a policy `deny` stays in force
        #[arg(long)]
        yes: bool,
        /// Print the answer of a cli_agent tool as JSON
        #[arg(long)]
        json: bool,
    },
    /// What tools may do without asking you
    Approvals {
        #[command(subcommand)]
        command: ApprovalsCommand,
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
        #[command(flatten)]
        length: Length,
    },
    /// Find the uses of a symbol
    #[command(after_help = "Examples:
  symd refs UserService/validate
  symd refs validate --in src/models.py --kind method --wait")]
    Refs {
        #[command(flatten)]
        symbol: Symbol,
        /// Only uses inside symbols of this kind: function, class, file (top level) …; may be repeated
        #[arg(long = "kind", value_name = "KIND")]
        kinds: Vec<String>,
        /// Also list uses that the language server does not report
        #[arg(long)]
        unlisted: bool,
        /// Also list the uses of what the member overrides and of what overrides it
        #[arg(long)]
        family: bool,
        #[command(flatten)]
        patience: Patience,
    },
    /// Show the usual bundle about a symbol: source, callees, users, overrides, tests that reach it
    #[command(after_help = "Examples:
  symd explore UserService/validate
  symd explore validate --in src/models.py --depth 2 --budget 3000")]
    Explore {
        #[command(flatten)]
        symbol: Symbol,
        /// How many levels of users
        #[arg(long)]
        depth: Option<u32>,
        /// The most characters to answer with [default: 6000]
        #[arg(long, value_name = "CHARACTERS")]
        budget: Option<u32>,
        #[command(flatten)]
        patience: Patience,
    },
    /// Show what a change of a symbol reaches: users, overrides, tests to run
    #[command(after_help = "Examples:
  symd impact UserService/validate
  symd impact validate --in src/models.py --change removal")]
    Impact {
        #[command(flatten)]
        symbol: Symbol,
        /// What is changed
        #[arg(long, value_enum)]
        change: Option<ChangeArgument>,
        /// How many levels of users
        #[arg(long)]
        depth: Option<u32>,
        #[command(flatten)]
        patience: Patience,
    },
    /// Find the callers of a function
    Callers {
        #[command(flatten)]
        symbol: Symbol,
        /// How many levels
        #[arg(long)]
        depth: Option<u32>,
        #[command(flatten)]
        patience: Patience,
    },
    /// Find the functions that a function calls
    Callees {
        #[command(flatten)]
        symbol: Symbol,
        /// How many levels
        #[arg(long)]
        depth: Option<u32>,
        #[command(flatten)]
        patience: Patience,
    },
    /// Go to the definition of a name on a line, or of a symbol
    #[command(after_help = "Examples:
  symd def src/app.py:12 validate
  symd def UserService/validate
  symd def src/app.py:12 user --type")]
    Def {
        #[command(flatten)]
        place: PlaceOrSymbol,
        /// To the declaration
        #[arg(long, conflicts_with = "of_type")]
        declaration: bool,
        /// To the definition of its type
        #[arg(long = "type", id = "of_type")]
        of_type: bool,
        #[command(flatten)]
        patience: Patience,
    },
    /// Find what implements an interface, a class or a method
    Impls {
        #[command(flatten)]
        symbol: Symbol,
        #[command(flatten)]
        patience: Patience,
    },
    /// Show type, signature and documentation of a name on a line, or of a symbol
    Hover {
        #[command(flatten)]
        place: PlaceOrSymbol,
        #[command(flatten)]
        patience: Patience,
    },
    /// Show what the language servers find wrong in a file, or in the project
    Diagnostics {
        /// The file [default: the whole project]
        file: Option<String>,
        /// Only diagnostics of at least this severity: error, warning, information, hint
        #[arg(long, value_name = "SEVERITY")]
        severity: Option<String>,
        #[command(flatten)]
        patience: Patience,
    },
    /// Show what a file declares, or the files of a directory, the most important first
    #[command(after_help = "Examples:
  symd overview                   the project
  symd overview src/models
  symd overview src/models/user.py --depth 2")]
    Overview {
        /// The file or directory [default: the whole project]
        #[arg(value_name = "PATH")]
        file: Option<String>,
        /// How many levels of nested symbols of a file
        #[arg(long)]
        depth: Option<u32>,
        #[command(flatten)]
        length: Length,
    },
    /// Search the project's text by regular expression
    Search {
        /// A regular expression
        pattern: String,
        /// Only in this file or directory
        #[arg(long = "in", value_name = "PATH")]
        within: Option<String>,
        #[command(flatten)]
        length: Length,
    },
    /// Rename a symbol everywhere in the project, all files or none
    #[command(after_help = "Examples:
  symd rename UserService/validate check --dry-run
  symd rename UserService AccountService --in src/models.py --include docs --include strings")]
    Rename {
        /// The symbol: a name, or a name path (`Class/method`)
        name_path: String,
        /// The new name, as written in the source
        new_name: String,
        /// The file, file:line or directory that declares it, where several have that name
        #[arg(long = "in", value_name = "PATH")]
        within: Option<String>,
        /// Show the diff, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Also rename mentions in: comments, strings, docs, other_languages; unchecked: also uses that
        /// cannot be resolved; may be repeated
        #[arg(long, value_name = "WHERE")]
        include: Vec<String>,
        /// Rename even if something is uncertain
        #[arg(long)]
        force: bool,
        /// Seconds to wait for the language server
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3_600))]
        deadline: u32,
        #[command(flatten)]
        length: Length,
    },
    /// Format a file with its language server
    Format {
        /// The file
        file: String,
        /// Show the diff, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Seconds to wait for the language server
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3_600))]
        deadline: u32,
        #[command(flatten)]
        length: Length,
    },
    /// Undo an edit made through symd: the last one, or the one of that number
    #[command(after_help = "Examples:\n  symd history\n  symd undo\n  symd undo 7 --dry-run")]
    Undo {
        /// The operation's number, from `symd history`
        id: Option<u64>,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        length: Length,
    },
    /// Resolve an edit that a crash interrupted and that symd could not roll back, because its files had been
    /// changed since
    #[command(
        after_help = "Examples:\n  symd status                    names the edit and its files\n  symd resolve 7 put-back --dry-run"
    )]
    Resolve {
        /// The operation's number
        id: u64,
        /// keep the files as they are, or put back what was there before the edit
        resolution: Resolution,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Make an edit's changes in the files that an editor closed without saving them
    #[command(
        after_help = "Examples:\n  symd history                   marks such an edit as half saved\n  symd finish 7 --dry-run"
    )]
    Finish {
        /// The operation's number
        id: u64,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Redo the edit that was undone last
    Redo {
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        length: Length,
    },
    /// List the edits made through symd, newest first
    History {
        /// How many edits
        #[arg(short = 'n', long)]
        count: Option<u32>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Apply a patch to the project, wholly or not at all
    #[command(after_help = "Examples:\n  git diff | symd patch -\n  symd patch change.diff --dry-run")]
    Patch {
        /// A unified diff, or the form with `*** Begin Patch`; `-` reads it from stdin
        #[arg(value_name = "FILE|-")]
        file: String,
        /// Show what would change, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Apply the patch even if a file that parses now would no longer parse
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        length: Length,
    },
    /// Wait until the project is indexed; show how fast that goes
    Index {
        /// Retry files that are no longer parsed because the parser failed on them
        #[arg(long)]
        retry: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// The project's language servers
    Server {
        #[command(subcommand)]
        command: Option<ServerCommand>,
    },
    /// See symd at work on a small project in a scratch folder
    Demo,
    /// Remove what daemons left behind, and show how big the caches are
    Gc,
    /// List and change the projects that agents may switch to by name: those in which symd was started
    #[command(
        after_help = "Examples:\n  symd projects\n  symd projects add ~/src/app\n  symd projects remove app"
    )]
    Projects {
        #[command(subcommand)]
        command: Option<ProjectsCommand>,
    },
    /// Resolve a stack trace on stdin to the project's declarations
    #[command(
        after_help = "Examples:\n  symd trace < crash.txt\n  symd trace --rev v1.2 < crash.txt\n  symd trace --mapping app/mapping.txt < crash.txt\n  symd trace --callers < crash.txt"
    )]
    Trace {
        /// A file with the trace [default: stdin]
        file: Option<PathBuf>,
        /// The mapping.txt of an obfuscated program, a path in the project [default: that of a build beneath build/outputs/mapping]
        #[arg(long)]
        mapping: Option<String>,
        /// The variant of an Android build that the trace is of, such as paidRelease [default: that of the mapping, or one that the text names]
        #[arg(long)]
        variant: Option<String>,
        /// The tag, branch or commit that was built: sources are read from git [default: those on the disk]
        #[arg(long)]
        rev: Option<String>,
        /// Add the callers of the first places in this project
        #[arg(long)]
        callers: bool,
        #[command(flatten)]
        length: Length,
    },
    /// Investigate any text that reports an error: its cause, places, callers, recent changes, similar past solutions
    #[command(
        after_help = "Examples:\n  adb logcat -d | symd investigate\n  ./gradlew test 2>&1 | symd investigate"
    )]
    Investigate {
        /// A file with the text [default: stdin]
        file: Option<PathBuf>,
        /// The mapping.txt of an obfuscated program, a path in the project [default: that of a build beneath build/outputs/mapping]
        #[arg(long)]
        mapping: Option<String>,
        /// The variant of an Android build that the trace is of, such as paidRelease [default: that of the mapping, or one that the text names]
        #[arg(long)]
        variant: Option<String>,
        /// The tag, branch or commit that was built: sources are read from git [default: those on the disk]
        #[arg(long)]
        rev: Option<String>,
        /// The most characters to answer with [default: 8000]
        #[arg(long, value_name = "CHARACTERS")]
        limit: Option<u32>,
    },
    /// Find the root cause in a failed build's output on stdin
    #[command(after_help = "Example:\n  ./gradlew build 2>&1 | symd build-errors")]
    BuildErrors {
        /// A file with the output [default: stdin]
        file: Option<PathBuf>,
        #[command(flatten)]
        length: Length,
    },
    /// Past solutions of errors, which agents find and add: list, show, confirm, delete, export, import
    #[command(
        after_help = "Examples:\n  symd solutions\n  symd solutions export > solutions.jsonl\n  symd solutions import < solutions.jsonl"
    )]
    Solutions {
        #[command(subcommand)]
        command: Option<SolutionsCommand>,
    },
    /// The settings
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Trust the project: its own code may run (build scripts, its interpreter), and the commands that its
    /// files name
    #[command(
        after_help = "Trust is bound to what .symd/languages.toml and .symd/config.toml hold, and lapses when they change."
    )]
    Trust {
        /// Revoke the trust
        #[arg(long, conflicts_with_all = ["show", "yes"])]
        revoke: bool,
        /// Show whether it is trusted and what that allows, and change nothing
        #[arg(long, conflicts_with = "yes")]
        show: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Install language servers: of these languages, by their own names, or for all languages of the project
    #[command(after_help = "Examples:
  symd install                    for every language that the project has
  symd install python             ty, the first of python's servers that can be installed here
  symd install basedpyright       this one
  symd install --list             what there is, and what is installed")]
    Install {
        /// Languages or servers
        #[arg(value_name = "LANGUAGE|SERVER")]
        names: Vec<String>,
        /// Only show what could be installed and what is
        #[arg(long, conflicts_with = "force")]
        list: bool,
        /// Reinstall servers that are already installed
        #[arg(long)]
        force: bool,
    },
    /// Check what symd needs, and advise how to fix what is missing
    Doctor {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  symd completions bash > ~/.local/share/bash-completion/completions/symd"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Show how to use symd, or one of its commands; `agents` is for agents that work by shell
    #[command(after_help = "Examples:
  symd help refs
  symd help agents                                     what an agent needs to know of symd's commands
  symd help agents > ~/.claude/skills/symd/SKILL.md    the same, for clients that read skills")]
    Help {
        /// A command, or agents
        #[arg(value_name = "COMMAND|agents")]
        words: Vec<String>,
    },
    /// Print the manual page
    #[command(after_help = "Example:\n  symd man | man -l -")]
    Man,
}

/// The kind of change of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ChangeArgument {
    /// Its parameters or its result
    Signature,
    /// Its behaviour
    Behaviour,
    /// It is removed
    Removal,
}

/// How to resolve an edit that a crash interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Resolution {
    /// Keep the files as they are
    Keep,
    /// Restore the files as they were before the edit
    PutBack,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_words_do_not_contradict_each_other() {
        super::Arguments::command().debug_assert();
    }
}
