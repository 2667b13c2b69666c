//! Formats the cli_agent contract's answers for people ("Output Formatting"): ✓ or ✗ and the output, the path
//! of the affected file if there is only one, and the time taken. With `--json`, prints the envelope itself
//! with the tool's name first. Other contracts' answers are printed unchanged.

use crate::base::escaped;
use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;

use crate::cli::commands::Form;
use crate::toolsets;
use crate::toolsets::cli_agent::CLI_AGENT;
use crate::toolsets::listing::{choose, offered};

/// The parts of the envelope that are shown to people.
#[derive(Deserialize)]
struct Envelope {
    success: bool,
    output: String,
    files_affected: Vec<String>,
    execution_time_ms: u64,
}

/// Formats `text`, the answer of `tool` (in the first of the toolsets `names` that has it) about the project
/// at `root`.
pub(super) fn shown<'t>(
    form: Form,
    text: &'t str,
    names: &[String],
    tool: &str,
    root: &Path,
) -> Cow<'t, str> {
    if !is_of_cli_agent(names, tool) {
        return Cow::Borrowed(text);
    }
    let shown = match form {
        Form::Text => human(text, root),
        Form::Json => with_tool(text, tool),
    };
    shown.map_or(Cow::Borrowed(text), Cow::Owned)
}

fn is_of_cli_agent(names: &[String], tool: &str) -> bool {
    // The daemon rejects unknown names.
    let listings = choose(toolsets::all(), names).unwrap_or_default();
    offered(&listings, tool).is_some_and(|offered| offered.toolset.name == CLI_AGENT.name)
}

fn human(text: &str, root: &Path) -> Option<String> {
    let envelope: Envelope = serde_json::from_str(text).ok()?;
    let sign = if envelope.success { '✓' } else { '✗' };
    let mut shown = format!("{sign} {}\n", envelope.output.trim_end_matches('\n'));
    if let [file] = envelope.files_affected.as_slice() {
        shown.push_str(&format!("  Location: {}\n", escaped(&root.join(file).display().to_string())));
    }
    shown.push_str(&format!("  Time: {}ms\n", envelope.execution_time_ms));
    Some(shown)
}

/// Adds the tool's name to the envelope. Edits the text, so that its keys keep the contract's order.
fn with_tool(text: &str, tool: &str) -> Option<String> {
    let rest = text.strip_prefix('{')?;
    Some(format!("{{\"tool\":{},{rest}", serde_json::Value::from(tool)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATED: &str = "{\"success\":true,\"output\":\"Created file: hello.py (125 bytes)\",\
        \"files_affected\":[\"hello.py\"],\"execution_time_ms\":5}";

    fn shown(form: Form, text: &str, toolsets: &[&str]) -> String {
        let names: Vec<String> = toolsets.iter().map(ToString::to_string).collect();
        super::shown(form, text, &names, "create_file", Path::new("/home/user/project")).into_owned()
    }

    #[test]
    fn people_are_told_what_the_contract_says() {
        assert_eq!(
            shown(Form::Text, CREATED, &["cli_agent"]),
            "✓ Created file: hello.py (125 bytes)\n  Location: /home/user/project/hello.py\n  Time: 5ms\n"
        );
        let failed = "{\"success\":false,\"output\":\"Error: no\",\"files_affected\":[],\"execution_time_ms\":0,\
            \"error\":{}}";
        assert_eq!(shown(Form::Text, failed, &["native", "cli_agent"]), "✗ Error: no\n  Time: 0ms\n");
    }

    #[test]
    fn programs_get_the_envelope_with_the_tool_first() {
        assert_eq!(
            shown(Form::Json, CREATED, &["cli_agent"]),
            "{\"tool\":\"create_file\",\"success\":true,\"output\":\"Created file: hello.py (125 bytes)\",\
             \"files_affected\":[\"hello.py\"],\"execution_time_ms\":5}"
        );
    }

    #[test]
    fn other_contracts_are_printed_as_they_are() {
        for form in [Form::Text, Form::Json] {
            assert_eq!(shown(form, CREATED, &["serena"]), CREATED);
            assert_eq!(shown(form, CREATED, &[]), CREATED);
            assert_eq!(shown(form, "no envelope", &["cli_agent"]), "no envelope");
        }
    }
}
