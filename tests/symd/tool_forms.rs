//! `symd tools --format json|openai|prompt`, of every toolset, held against the tables.

use serde_json::{Value, json};
use symd::toolsets::{self, AsksFor, Reach, Risk};

use crate::support::User;

fn tools(user: &User, toolset: &str, format: &str) -> String {
    user.check(&["tools", "--toolset", toolset, "--format", format], 0)
}

#[test]
fn json_says_the_risk_and_whether_the_user_is_asked() {
    let user = User::new();
    for toolset in toolsets::all() {
        let listed: Vec<Value> = serde_json::from_str(&tools(&user, toolset.name, "json")).unwrap();
        assert_eq!(listed.len(), toolset.tools.len(), "{}", toolset.name);
        for (listed, tool) in listed.iter().zip(toolset.tools) {
            assert_eq!(listed["name"], tool.name);
            assert_eq!(listed["toolset"], toolset.name);
            assert_eq!(listed["inputSchema"], (tool.schema)());
            let risk = match tool.risk {
                Risk::ReadOnly => "read_only",
                Risk::SafeWrite => "safe_write",
                Risk::Dangerous => "dangerous",
            };
            assert_eq!(listed["risk"], risk);
            // README of the contracts: what reaches beyond the project asks everywhere, changes where the contract says so.
            let asks = match toolset.asks_for {
                AsksFor::Changes => tool.risk != Risk::ReadOnly || tool.reach == Reach::Beyond,
                AsksFor::BeyondProject => tool.reach == Reach::Beyond,
            };
            assert_eq!(listed["requires_approval"], asks, "{}/{}", toolset.name, tool.name);
        }
    }
}

#[test]
fn openai_is_a_list_of_functions() {
    let user = User::new();
    for toolset in toolsets::all() {
        let listed: Vec<Value> = serde_json::from_str(&tools(&user, toolset.name, "openai")).unwrap();
        let expected: Vec<Value> = toolset
            .tools
            .iter()
            .map(|tool| {
                json!({ "type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": (tool.schema)(),
                } })
            })
            .collect();
        assert_eq!(listed, expected, "{}", toolset.name);
    }
}

#[test]
fn the_prompt_is_the_contracts_text() {
    let user = User::new();
    for toolset in toolsets::all().iter().filter(|toolset| !toolset.tools.is_empty()) {
        let text = tools(&user, toolset.name, "prompt");
        let object = text.strip_prefix("AVAILABLE TOOLS:\n").unwrap();
        let usage = "\n\nUSAGE FORMAT:\n{\n  \"tool\": \"tool_name\",\n  \"parameters\": { ... }\n}\n";
        let object: Value = serde_json::from_str(object.strip_suffix(usage).unwrap()).unwrap();
        assert_eq!(object.as_object().unwrap().len(), toolset.tools.len());
        for tool in toolset.tools {
            let (shown, schema) = (&object[tool.name], (tool.schema)());
            assert_eq!(shown["description"], tool.description);
            let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&shown["parameters"]), names(&schema["properties"]), "{}", tool.name);
            for (name, line) in shown["parameters"].as_object().unwrap() {
                let line = line.as_str().unwrap();
                let required = schema["required"].as_array().unwrap().contains(&json!(name));
                assert!(line.contains(if required { " (required) - " } else { " (optional" }), "{line}");
                assert!(
                    line.ends_with(schema["properties"][name]["description"].as_str().unwrap()),
                    "{line}"
                );
            }
        }
    }
    let text = tools(&user, "serena", "prompt");
    let line = "  \"find_file\": {\n    \"description\": \"Finds non-gitignored files matching the given file mask within the given relative path. ";
    assert!(text.contains(line), "{text}");
    assert!(
        text.contains(
            "    \"parameters\": {\n      \"file_mask\": \"string (required) - The file name or a mask"
        ),
        "{text}"
    );
    assert!(text.contains("\"end_line\": \"number (optional) - "), "{text}");
    assert!(text.contains("\"mode\": \"'literal' | 'regex' (required) - "), "{text}");
}

#[test]
fn of_several_toolsets_the_first_holder_of_a_name_is_listed() {
    let user = User::new();
    let output = user.check(&["tools", "--toolset", "serena,native", "--format", "json"], 0);
    let listed: Vec<Value> = serde_json::from_str(&output).unwrap();
    let of = |name: &str| {
        listed.iter().filter(|tool| tool["name"] == name).map(|tool| &tool["toolset"]).collect::<Vec<_>>()
    };
    assert_eq!(of("read_file"), ["serena"]);
    assert_eq!(of("status"), ["native"]);
}
