//! The tools in the output forms of `symd tools --format`, for authors of agents. The list that MCP clients
//! receive is `session::describe`. Invariant: every form is derived from the tool tables alone.

use serde_json::{Value, json};

use crate::session::describe;
use symd_toolsets::Offered;

/// Returns the tools as MCP clients see them, each with its toolset, its risk, and whether the user is asked
/// by default.
pub fn listed(tools: &[Offered]) -> Value {
    let one = |offered: &Offered| {
        let mut tool = describe(offered.tool);
        tool["toolset"] = json!(offered.toolset.name);
        tool["risk"] = json!(offered.tool.risk.name());
        tool["requires_approval"] = json!(offered.asks_by_default());
        tool
    };
    tools.iter().map(one).collect()
}

/// Returns the value of `tools` for OpenAI's chat completions; each `function` has the form that the
/// cli_agent contract shows ("LLM Function Calling Format").
pub fn openai(tools: &[Offered]) -> Value {
    let one = |Offered { tool, .. }: &Offered| {
        let function =
            json!({ "name": tool.name, "description": tool.description, "parameters": (tool.schema)() });
        json!({ "type": "function", "function": function })
    };
    tools.iter().map(one).collect()
}

/// Returns text for a system prompt in the form of the kotlin_debug contract ("LLM System Prompt
/// Integration"). `symd call -` reads calls that a model writes in the usage format at its end.
pub fn prompt(tools: &[Offered]) -> String {
    let tools: Vec<String> = tools.iter().map(described).collect();
    format!(
        "AVAILABLE TOOLS:\n{{\n{}\n}}\n\nUSAGE FORMAT:\n{{\n  \"tool\": \"tool_name\",\n  \"parameters\": {{ ... }}\n}}\n",
        tools.join(",\n")
    )
}

fn described(Offered { tool, .. }: &Offered) -> String {
    let schema = (tool.schema)();
    let none = Vec::new();
    let required: Vec<&str> =
        schema["required"].as_array().unwrap_or(&none).iter().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object();
    let optional = properties.into_iter().flatten().map(|(name, _)| name.as_str());
    // Required parameters come first, unless the contract has an order of its own.
    let names = required.iter().copied().chain(optional.filter(|name| !required.contains(name)));
    let mut names: Vec<&str> = names.collect();
    names.sort_by_key(|name| tool.order.iter().position(|known| known == name));
    let parameters: Vec<String> = names
        .into_iter()
        .map(|name| {
            let must = if required.contains(&name) { Must::Given } else { Must::May };
            format!("      {}: {}", json!(name), json!(parameter(&schema["properties"][name], must)))
        })
        .collect();
    let parameters = if parameters.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{\n{}\n    }}", parameters.join(",\n"))
    };
    format!(
        "  {}: {{\n    \"description\": {},\n    \"parameters\": {parameters}\n  }}",
        json!(tool.name),
        json!(tool.description),
    )
}

/// Whether a parameter is required.
#[derive(Clone, Copy)]
enum Must {
    Given,
    May,
}

/// Describes a parameter: `string (required) - Relative path from workspace root`
fn parameter(schema: &Value, must: Must) -> String {
    let must = match (must, &schema["default"]) {
        (Must::Given, _) => "required".to_owned(),
        (Must::May, Value::Null) => "optional".to_owned(),
        (Must::May, default) => format!("optional, default: {default}"),
    };
    format!("{} ({must}) - {}", type_of(schema), schema["description"].as_str().unwrap_or_default())
}

/// Returns the type in TypeScript syntax, as in the contract's examples. `null` is dropped: "optional"
/// implies it.
fn type_of(schema: &Value) -> String {
    if let Some(one_of) = schema["anyOf"].as_array() {
        let types: Vec<String> = one_of.iter().filter(|one| one["type"] != "null").map(type_of).collect();
        return types.join(" | ");
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| value.to_string().replace('"', "'")).collect();
        return values.join(" | ");
    }
    match schema["type"].as_str().unwrap_or("any") {
        "integer" => "number".to_owned(),
        "array" => match type_of(&schema["items"]) {
            items if items.contains(' ') => format!("({items})[]"),
            items => format!("{items}[]"),
        },
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_the_contracts_examples() {
        let of = |schema: Value| type_of(&schema);
        assert_eq!(of(json!({ "type": "integer" })), "number");
        assert_eq!(of(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })), "string");
        assert_eq!(of(json!({ "type": "string", "enum": ["a", "b"] })), "'a' | 'b'");
        assert_eq!(of(json!({ "type": "array", "items": { "type": "integer" } })), "number[]");
        let one_of = json!({ "type": "string", "enum": ["a", "b"] });
        assert_eq!(of(json!({ "type": "array", "items": one_of })), "('a' | 'b')[]");
        assert_eq!(of(json!({ "type": "array" })), "any[]");
    }

    #[test]
    fn a_parameter_says_whether_it_must_be_given() {
        let schema = json!({ "type": "integer", "default": -1, "description": "d" });
        assert_eq!(parameter(&schema, Must::May), "number (optional, default: -1) - d");
        assert_eq!(parameter(&schema, Must::Given), "number (required) - d");
        let schema = json!({ "anyOf": [{ "type": "boolean" }, { "type": "null" }], "default": null, "description": "d" });
        assert_eq!(parameter(&schema, Must::May), "boolean (optional) - d");
    }
}
