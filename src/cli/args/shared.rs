//! Options that several commands have: the symbol or the place that is meant, the wait for servers, the length of the answer.

use clap::Args;

/// A symbol by name.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct Symbol {
    /// A name, a name path (`Class/method`), or one from the file's top level (`/Class`)
    #[arg(value_name = "NAME_PATH")]
    pub(in crate::cli) name_path: String,
    /// The file (or directory, or FILE:LINE) that declares it
    #[arg(long = "in", value_name = "PATH")]
    pub(in crate::cli) within: Option<String>,
}

/// A name on a line, or a symbol.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct PlaceOrSymbol {
    /// FILE:LINE of a use, or a symbol's name path
    #[arg(value_name = "FILE:LINE|NAME_PATH")]
    pub(in crate::cli) place: String,
    /// The name on that line
    pub(in crate::cli) name: Option<String>,
    /// The file (or directory, or FILE:LINE) that declares the symbol
    #[arg(long = "in", value_name = "PATH")]
    pub(in crate::cli) within: Option<String>,
}

/// Whether to wait for language servers.
#[derive(Clone, Copy, Debug, Args)]
pub(in crate::cli) struct Patience {
    /// Wait for a language server that is still starting, instead of answering from syntax
    #[arg(long)]
    pub(in crate::cli) wait: bool,
    /// How long, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "wait")]
    pub(in crate::cli) deadline: u32,
    #[command(flatten)]
    pub(in crate::cli) length: Length,
}

/// The limit of what is printed.
#[derive(Clone, Copy, Debug, Args)]
pub(in crate::cli) struct Length {
    /// The most characters to answer with [default: 20000]
    #[arg(long, value_name = "CHARACTERS")]
    pub(in crate::cli) limit: Option<u32>,
}
