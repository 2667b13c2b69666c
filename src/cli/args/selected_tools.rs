//! Which tools a client is shown, and how they are printed.

use clap::{Args, ValueEnum};

use crate::cli::failure::{Exit, Failure};
use crate::toolsets::listing::with_profile;

#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct Toolset {
    /// Which tools, comma-separated [default: native, or `toolset` of config.toml]
    #[arg(long = "toolset", value_name = "LIST", value_delimiter = ',')]
    pub(in crate::cli) names: Vec<String>,
}

/// The selection of tools for a client.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct Shown {
    #[command(flatten)]
    pub(in crate::cli) toolset: Toolset,
    /// Which of native's tools: coding-agent, for clients that read, search and edit text themselves;
    /// debugging
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) profile: Option<String>,
}

impl Shown {
    /// Returns the toolsets by name, none for those of config.toml; the profile replaces the toolset that it
    /// belongs to.
    pub(in crate::cli) fn names(self) -> Result<Vec<String>, Failure> {
        let names = self.toolset.names;
        let Some(profile) = self.profile else { return Ok(names) };
        with_profile(names, &profile).map_err(|message| Exit::Usage.because(message))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ToolsFormat {
    /// Name and first sentence
    Text,
    /// All that clients receive, with each tool's risk and whether the user is asked first
    Json,
    /// Function calling: the `tools` of OpenAI's chat completions
    Openai,
    /// Text for a system prompt; `symd call -` reads the calls that it asks the model to write
    Prompt,
}
