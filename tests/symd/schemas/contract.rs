//! Compares the tools with what their contracts say about them, in
//! `fixtures/schemas/contracts/<toolset>.json`: the description, which is the first sentence of ours, the
//! risk, whether the user is asked by default, and every keyword of the given schema; a tool marked `exact`
//! publishes exactly that schema.

use std::path::Path;

use serde_json::{Map, Value};
use symd::toolsets::{self, ApprovalDefault, Reach, Risk, Tool, Toolset};

use super::{unless, walk};

fn contract(toolset: &str) -> Option<Map<String, Value>> {
    let name = format!("fixtures/schemas/contracts/{toolset}.json");
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn every_tool_is_what_its_contract_says() {
    walk(|toolset, tool| {
        let Some(contract) = contract(toolset.name) else { return Vec::new() };
        match contract.get(tool.name) {
            Some(says) => compare(toolset, tool, says),
            None => vec!["the contract has no such tool".to_owned()],
        }
    });
}

/// The tools that are not built yet: docs/contracts.md shows them as missing.
const MISSING: [&str; 0] = [];

#[test]
fn every_tool_of_the_contracts_is_there() {
    let mut missing = Vec::new();
    for toolset in toolsets::all() {
        for name in contract(toolset.name).unwrap_or_default().keys() {
            if toolset.tools.iter().all(|tool| tool.name != name) {
                missing.push(format!("{}/{name}", toolset.name));
            }
        }
    }
    assert_eq!(missing, MISSING);
}

fn compare(toolset: &Toolset, tool: &Tool, says: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(description) = says["description"].as_str() {
        let opens = is_first_sentence(tool.description, description);
        wrong.extend(unless(opens, &format!("its description does not begin with {description:?}")));
    }
    if let Some(risk) = says["risk"].as_str() {
        wrong.extend(unless(tool.risk.name() == risk, &format!("its risk is not {risk}")));
    }
    if let Some(asks) = says["requires_approval"].as_bool() {
        let word = if asks { "asks by default" } else { "runs without asking" };
        wrong.extend(unless(asks_by_default(toolset, tool) == asks, &format!("the contract's {word}")));
    }
    let published = (tool.schema)();
    if says["exact"] == true {
        wrong.extend(unless(published == says["schema"], &format!("its schema is not {}", says["schema"])));
    } else if !says["schema"].is_null() {
        lacks(&published, &says["schema"], "schema", &mut wrong);
    }
    wrong
}

fn asks_by_default(toolset: &Toolset, tool: &Tool) -> bool {
    tool.reach == Reach::BeyondProject
        || toolset.asks_for == ApprovalDefault::Changes && tool.risk != Risk::ReadOnly
}

fn is_first_sentence(description: &str, contract: &str) -> bool {
    let rest = description.strip_prefix(contract.trim_end_matches('.'));
    rest.is_some_and(|rest| {
        rest.is_empty() || rest == "." || rest.starts_with(". ") || rest.starts_with(".\n")
    })
}

/// Records which parts of `expected` are missing in `published`. `required` lists are compared whole.
fn lacks(published: &Value, expected: &Value, place: &str, wrong: &mut Vec<String>) {
    match (published, expected) {
        (Value::Object(published), Value::Object(expected)) => {
            for (key, expected) in expected {
                match published.get(key) {
                    Some(published) => lacks(published, expected, &format!("{place}.{key}"), wrong),
                    None => wrong.push(format!("{place} has no {key}: {expected}")),
                }
            }
        }
        (Value::Array(published), Value::Array(expected)) if place.ends_with(".required") => {
            let same =
                published.len() == expected.len() && expected.iter().all(|name| published.contains(name));
            wrong.extend(unless(same, &format!("{place} is {published:?} instead of {expected:?}")));
        }
        _ => wrong
            .extend(unless(published == expected, &format!("{place} is {published} instead of {expected}"))),
    }
}

#[test]
fn a_first_sentence_is_one() {
    assert!(is_first_sentence("Apply a unified diff. Or so.", "Apply a unified diff."));
    assert!(is_first_sentence("Execute a shell command", "Execute a shell command"));
    assert!(!is_first_sentence("Execute a shell command, or two", "Execute a shell command"));
    assert!(!is_first_sentence("Please execute a shell command", "Execute a shell command"));
}
