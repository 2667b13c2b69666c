//! Toolsets for the tests of this module, with tools of every risk and reach. The tools are never run.

use std::path::Path;

use serde_json::{Value, json};

use super::ApprovalRequest;
use symd_toolsets::spellings::AcceptedSpellings;
use symd_toolsets::{ApprovalDefault, Offered, Reach, Reply, Risk, Tool, Toolset};

const fn tool(name: &'static str, risk: Risk, reach: Reach) -> Tool {
    Tool { risk, reach, ..Tool::read_only(name, name, name, schema, |_| Box::pin(async { Reply::done("") })) }
}

fn schema() -> Value {
    json!({ "type": "object", "properties": {}, "required": ["path", "content"] })
}

static TOOLS: [Tool; 4] = [
    tool("look", Risk::ReadOnly, Reach::Project),
    tool("create_file", Risk::SafeWrite, Reach::Project),
    tool("command", Risk::Dangerous, Reach::BeyondProject),
    tool("fetch", Risk::ReadOnly, Reach::BeyondProject),
];

const fn toolset(name: &'static str, asks_for: ApprovalDefault) -> Toolset {
    Toolset {
        name,
        instructions: "",
        asks_for,
        refuse: |not_run| Reply::failed(not_run.message.clone()),
        disabled: |_, _| None,
        spells: AcceptedSpellings::NONE,
        tools: &TOOLS,
    }
}

static CAREFUL: Toolset = toolset("careful", ApprovalDefault::Changes);
static EASY: Toolset = toolset("easy", ApprovalDefault::BeyondProject);

/// Returns a request for a call; `name` is `toolset/tool`.
pub(super) fn wanted(name: &str, arguments: Value) -> ApprovalRequest {
    let (toolset, tool) = name.split_once('/').expect("toolset/tool");
    let toolset = if toolset == "careful" { &CAREFUL } else { &EASY };
    let tool = TOOLS.iter().find(|known| known.name == tool).expect("a tool");
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    ApprovalRequest::new(Offered { toolset, tool }, arguments, Path::new("/p"))
}
