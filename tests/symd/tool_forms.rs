//! `symd tools --format json|openai|prompt` for every toolset, compared with the tables.

use serde_json::{Value, json};
use symd::toolsets::listing::listings;
use symd::toolsets::{self, ApprovalDefault, Offered, Reach, Risk};

use crate::support::{User, call, initialize, write};

fn tools(user: &User, toolset: &str, format: &str) -> String {
    user.check(&["tools", "--toolset", toolset, "--format", format], 0)
}

#[test]
fn json_says_the_risk_and_whether_the_user_is_asked() {
    let user = User::new();
    for listing in listings(toolsets::all()) {
        let listed: Vec<Value> = serde_json::from_str(&tools(&user, listing.name, "json")).unwrap();
        assert_eq!(listed.len(), listing.tools().len(), "{}", listing.name);
        for (listed, Offered { toolset, tool }) in listed.iter().zip(listing.tools()) {
            assert_eq!(listed["name"], tool.name);
            assert_eq!(listed["toolset"], toolset.name);
            assert_eq!(listed["inputSchema"], (tool.schema)());
            let risk = match tool.risk {
                Risk::ReadOnly => "read_only",
                Risk::SafeWrite => "safe_write",
                Risk::Dangerous => "dangerous",
            };
            assert_eq!(listed["risk"], risk);
            // README of the contracts: a tool that reaches beyond the project always asks, one that changes
            // files where its contract says so.
            let asks = match toolset.asks_for {
                ApprovalDefault::Changes => tool.risk != Risk::ReadOnly || tool.reach == Reach::BeyondProject,
                ApprovalDefault::BeyondProject => tool.reach == Reach::BeyondProject,
            };
            assert_eq!(listed["requires_approval"], asks, "{}/{}", toolset.name, tool.name);
        }
    }
}

#[test]
fn openai_is_a_list_of_functions() {
    let user = User::new();
    for listing in listings(toolsets::all()) {
        let listed: Vec<Value> = serde_json::from_str(&tools(&user, listing.name, "openai")).unwrap();
        let expected: Vec<Value> = listing
            .tools()
            .iter()
            .map(|Offered { tool, .. }| {
                json!({ "type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": (tool.schema)(),
                } })
            })
            .collect();
        assert_eq!(listed, expected, "{}", listing.name);
    }
}

#[test]
fn the_prompt_is_the_contracts_text() {
    let user = User::new();
    for listing in listings(toolsets::all()) {
        let text = tools(&user, listing.name, "prompt");
        let object = text.strip_prefix("AVAILABLE TOOLS:\n").unwrap();
        let usage = "\n\nUSAGE FORMAT:\n{\n  \"tool\": \"tool_name\",\n  \"parameters\": { ... }\n}\n";
        let object: Value = serde_json::from_str(object.strip_suffix(usage).unwrap()).unwrap();
        assert_eq!(object.as_object().unwrap().len(), listing.tools().len());
        for Offered { tool, .. } in listing.tools() {
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
    assert_eq!(of("references"), ["native"]);
}

#[test]
fn a_profile_is_chosen_where_the_client_is_configured() {
    let user = User::new();
    let names = |arguments: &[&str]| {
        let listed: Vec<Value> = serde_json::from_str(&user.check(arguments, 0)).unwrap();
        listed.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let of = |profile: &str| names(&["tools", "--profile", profile, "--format", "json"]);
    let native = names(&["tools", "--format", "json"]);
    assert!(of("coding-agent").iter().all(|name| native.contains(name)));
    assert!(native.iter().all(|name| of("debugging").contains(name)));
    let both = names(&["tools", "--toolset", "serena,native", "--profile", "debugging", "--format", "json"]);
    assert!(both.contains(&"history".to_owned()) && both.contains(&"write_memory".to_owned()));

    let unknown = "there is no profile \"coding\"; known: coding-agent, debugging";
    for command in ["tools", "mcp"] {
        let talk = user.fails(&[command, "--profile", "coding"], 2);
        assert!(talk.contains(unknown), "{talk}");
        let talk = user.fails(&[command, "--toolset", "serena", "--profile", "debugging"], 2);
        assert!(talk.contains("is not among those chosen: serena; leave out --toolset"), "{talk}");
    }
}

/// The listing is the profile's, the calls are the contract's; with a project and without.
#[test]
fn a_client_of_a_profile_may_call_everything() {
    let user = User::new();
    write(&user.path("project/a.py"), "def one():\n    return 1\n");
    for directory in ["project", "elsewhere"] {
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
        let read = call(3, "read_file", json!({ "relative_path": "a.py" }));
        let lines = [initialize("2025-11-25"), list, read];
        let answers = user.mcp_with(directory, &["--profile", "coding-agent"], &lines);
        let of = |id: u64| &answers.iter().find(|answer| answer["id"] == id).unwrap()["result"];
        let instructions = answers[0]["result"]["instructions"].as_str().unwrap();
        assert!(instructions.contains("Use your own tools for text search"), "{instructions}");
        let names: Vec<&str> =
            of(2)["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"references") && !names.contains(&"search"), "{names:?}");
        let text = of(3)["content"][0]["text"].as_str().unwrap();
        let expected = if directory == "project" { "def one():" } else { "outside any project" };
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_prompt_has_the_contracts_order_of_parameters() {
    let user = User::new();
    let text = tools(&user, "kotlin_debug", "prompt");
    let expected = "  \"read_file\": {
    \"description\": \"Read the complete contents of a file in the workspace, optionally specifying line range.\",
    \"parameters\": {
      \"filePath\": \"string (required) - Relative path from workspace root (e.g., \\\"src/utils/helper.ts\\\")\",
      \"lineStart\": \"number (optional) - Starting line number (1-indexed, inclusive)\",
      \"lineEnd\": \"number (optional) - Ending line number (1-indexed, inclusive)\",
      \"encoding\": \"'utf-8' | 'utf-16' | 'ascii' (optional, default: \\\"utf-8\\\") - File encoding\"
    }
  }";
    assert!(text.contains(expected), "{text}");
    // Where a contract has an order, it names every parameter.
    for listing in listings(toolsets::all()) {
        for Offered { tool, .. } in listing.tools().iter().filter(|offered| !offered.tool.order.is_empty()) {
            let mut order: Vec<String> = tool.order.iter().map(ToString::to_string).collect();
            order.sort();
            let schema = (tool.schema)();
            let names: Vec<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
            assert_eq!(order, names, "{}", tool.name);
        }
    }
}
