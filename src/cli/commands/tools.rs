//! `symd tools`: lists the tools that clients see. Needs no daemon: the tools are part of the program.

use std::fmt::Write;

use crate::cli::args::ToolsFormat;
use crate::cli::commands::print;
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::serve::forms;
use crate::toolsets::listing::{choose, union};
use crate::toolsets::{self, Offered};

pub(super) fn run(context: &Context, names: &[String], format: ToolsFormat) -> Result<(), Failure> {
    let default = context.settings()?.toolset;
    let names = if names.is_empty() { &default } else { names };
    let chosen = choose(toolsets::all(), names).map_err(|message| Exit::Usage.because(message))?;
    let tools = union(&chosen);
    match format {
        ToolsFormat::Text => print(&text(&tools)),
        ToolsFormat::Json => print(&format!("{:#}\n", forms::listed(&tools))),
        ToolsFormat::Openai => print(&format!("{:#}\n", forms::openai(&tools))),
        ToolsFormat::Prompt => print(&forms::prompt(&tools)),
    }
}

fn text(tools: &[Offered]) -> String {
    let width = tools.iter().map(|offered| offered.tool.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for Offered { tool, .. } in tools {
        let first = tool.description.split(['\n']).next().unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<width$}  {first}", tool.name);
    }
    text
}
