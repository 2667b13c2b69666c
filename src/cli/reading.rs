//! Determines which requests only read, so that they can be repeated if the daemon exits before it answers:
//! repeating them does no harm. Invariant: a request counts as one that only reads only if that is certain.

use serde_json::Value;

use crate::toolsets::{self, Reach, Risk, Toolset};

/// Whether the tool `name` changes nothing, in every toolset that has it.
pub(super) fn is_reading_tool(name: &str) -> bool {
    let every =
        |set: &'static Toolset| set.tools.iter().chain(set.spells.aliases.iter().map(|alias| &alias.tool));
    let all = toolsets::all().iter().flat_map(|set| every(set));
    let mut tools = all.filter(|tool| tool.name == name).peekable();
    tools.peek().is_some() && tools.all(|tool| tool.risk == Risk::ReadOnly && tool.reach == Reach::Project)
}

/// Whether the JSON-RPC message `message` is a request that changes nothing.
pub(super) fn is_reading(message: &Value) -> bool {
    match message["method"].as_str() {
        Some("tools/call") => message["params"]["name"].as_str().is_some_and(is_reading_tool),
        Some("tools/list" | "ping") => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_writes_or_reaches_out_is_not_read_twice() {
        let calls = |name: &str| is_reading(&json!({ "method": "tools/call", "params": { "name": name } }));
        assert!(calls("references") && calls("overview") && calls("search"));
        assert!(calls("find_symbol") && calls("search_for_pattern") && calls("get_symbols_overview"));
        for name in [
            "code_actions",
            "undo",
            "replace_symbol_body",
            "write_file",
            "execute_shell_command",
            "fetch_webpage",
            "nothing",
        ] {
            assert!(!calls(name), "{name}");
        }
        assert!(is_reading(&json!({ "method": "tools/list" })));
        assert!(!is_reading(&json!({ "method": "initialize" })) && !is_reading(&json!([])));
    }
}
