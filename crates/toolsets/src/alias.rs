//! Aliases: tools that stand for other tools, where a listing shows several tools as one, or one with fewer
//! parameters. A call of an alias is rewritten to a call of the tool that it means before approval is
//! decided, so that the user's policies and rules for that tool apply. Invariant: an alias does nothing of
//! its own.

use serde_json::{Map, Value};

use super::arguments::ArgumentError;
use super::spellings::normalize_call;
use super::{Call, Offered, Reply, ReplyFuture, Tool, Toolset};

/// Another name for one or several tools of the same toolset.
#[derive(Debug)]
pub struct Alias {
    /// The alias as clients are shown it; says which tools it stands for ([`Tool::stands_for`]).
    pub tool: Tool,
    /// Decides which of them a call means. Removes the arguments that select the tool, and adds those that
    /// the selection implies.
    pub read: ReadAlias,
}

/// Reads the arguments of an alias; returns the name of the tool that the call means.
pub type ReadAlias = fn(&mut Map<String, Value>) -> Result<&'static str, ArgumentError>;

/// Returns the alias behind `offered`, if it is one.
pub fn alias_of(offered: Offered) -> Option<&'static Alias> {
    // A tool and an alias may have one name, so the name alone does not tell.
    let mut aliases = offered.toolset.spells.aliases.iter();
    aliases.find(|alias| offered.tool.is_alias() && alias.tool.name == offered.tool.name)
}

/// Finds the tool or alias of `toolset` with that name. Tools take precedence: both make the same calls.
pub fn named(toolset: &'static Toolset, name: &str) -> Option<Offered> {
    let own = toolset.tools.iter().find(|tool| tool.name == name);
    let tool =
        own.or_else(|| Some(&toolset.spells.aliases.iter().find(|alias| alias.tool.name == name)?.tool))?;
    Some(Offered { toolset, tool })
}

/// Runs a call of an alias that was not rewritten to a call of the tool that it means: rewrites it first.
pub(super) fn run_alias(call: Call<'_>) -> ReplyFuture<'_> {
    let alias = call.toolset.spells.aliases.iter().find(|alias| alias.tool.name == call.tool);
    let failed = |why: String| -> ReplyFuture<'_> { Box::pin(std::future::ready(Reply::failed(why))) };
    let Some(alias) = alias else { return failed(format!("there is no tool {}", call.tool)) };
    let offered = Offered { toolset: call.toolset, tool: &alias.tool };
    match normalize_call(offered, call.project.root(), call.arguments) {
        Ok((Offered { tool, .. }, arguments)) => tool.run(Call { tool: tool.name, arguments, ..call }),
        Err(why) => failed(why),
    }
}
