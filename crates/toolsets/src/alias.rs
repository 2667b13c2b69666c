//! Tools that are other tools under another name: what clients are shown where several tools are listed as one, or one
//! with fewer parameters. A call of one is put as a call of the tool that it means before anybody decides about it, so
//! that what the user has settled about that tool holds. Invariant: an alias does nothing of its own.

use serde_json::{Map, Value};

use super::arguments::ArgumentError;
use super::spelled::put;
use super::{Call, Offered, Reply, ReplyFuture, Tool, Toolset};

/// Another name of one or several tools of the same toolset.
#[derive(Debug)]
pub struct Alias {
    /// What clients are shown of it.
    pub tool: Tool,
    /// The tools that it stands for.
    pub of: &'static [&'static str],
    /// Which of them a call means. Takes the arguments away that tell it, and adds what they mean to that tool.
    pub read: ReadAlias,
}

/// Reads the arguments of an alias.
pub type ReadAlias = fn(&mut Map<String, Value>) -> Result<&'static str, ArgumentError>;

/// The alias that `offered` is, if it is one.
pub fn alias_of(offered: Offered) -> Option<&'static Alias> {
    offered.toolset.spells.aliases.iter().find(|alias| std::ptr::eq(&raw const alias.tool, offered.tool))
}

/// The tool or the alias of `toolset` with that name, the tool first: both make the same calls.
pub fn named(toolset: &'static Toolset, name: &str) -> Option<Offered> {
    let own = toolset.tools.iter().find(|tool| tool.name == name);
    let tool =
        own.or_else(|| Some(&toolset.spells.aliases.iter().find(|alias| alias.tool.name == name)?.tool))?;
    Some(Offered { toolset, tool })
}

/// How an alias runs where the call was not put as one of the tool that it means: by doing that first.
pub(super) fn run_alias(call: Call<'_>) -> ReplyFuture<'_> {
    let alias = call.toolset.spells.aliases.iter().find(|alias| alias.tool.name == call.tool);
    let failed = |why: String| -> ReplyFuture<'_> { Box::pin(std::future::ready(Reply::failed(why))) };
    let Some(alias) = alias else { return failed(format!("there is no tool {}", call.tool)) };
    let offered = Offered { toolset: call.toolset, tool: &alias.tool };
    match put(offered, call.project.root(), call.arguments) {
        Ok((Offered { tool, .. }, arguments)) => (tool.run)(Call { tool: tool.name, arguments, ..call }),
        Err(why) => failed(why),
    }
}
