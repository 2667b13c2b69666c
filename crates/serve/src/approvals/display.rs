//! A call as the user sees it before approving it: the cli_agent contract's "Approval Display". Invariant:
//! untrusted text can neither forge a line of it nor control a terminal.

use std::fmt::Write;

use serde_json::{Map, Value};

use symd_toolsets::{Reach, Tool};

use super::ApprovalRequest;
use super::affected::affected;
use super::decide::Offer;

/// Bytes above which an edit tool's value is shown only as its length.
const LONG: usize = 80;

/// Characters shown of a value of a tool that reaches beyond the project: users read commands before they
/// approve them.
const MAX_SHOWN: usize = 4_000;

/// The parameter that holds a file's text, in all toolsets. The contract's example shows even 20 bytes as a
/// length.
const CONTENT: &str = "content";

/// Returns the display of a call. `because` says why the user is asked if the reason is not the approval
/// settings.
pub(super) fn display(wanted: &ApprovalRequest, because: Option<&str>, offer: Offer) -> String {
    let (tool, arguments) = (wanted.offered.tool, wanted.shown());
    let mut text = format!("Tool: {}\n", tool.name);
    if arguments.is_empty() {
        text.push_str("Parameters: (none)\n");
    } else {
        text.push_str("Parameters:\n");
    }
    for name in in_order(tool, arguments) {
        let value = arguments.get(name).map(|value| shown(tool, name, value)).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {}: {value}", plain(name));
    }
    let files = affected(tool, &wanted.arguments);
    let files: Vec<String> = files.iter().map(|file| plain(file)).collect();
    let files = if files.is_empty() { "(none)".to_owned() } else { files.join(", ") };
    let question = match offer {
        Offer::Once => "Approve? (y/n):",
        Offer::Always => "Approve? (y/n/always):",
    };
    let _ = writeln!(text, "Files affected: {files}\nRisk level: {}", tool.risk.name());
    if let Some(because) = because {
        let _ = writeln!(text, "Asked because: {}", plain(because));
    }
    if let Some(outgoing) = &wanted.outgoing {
        let _ = writeln!(text, "Covers: {}", outgoing.covers);
    }
    let _ = write!(text, "\n{question}");
    text
}

/// Returns the required parameters in the schema's order, then the others by name.
fn in_order<'a>(tool: &Tool, arguments: &'a Map<String, Value>) -> Vec<&'a str> {
    let schema = (tool.schema)();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let place = |name: &str| required.iter().position(|known| *known == name).unwrap_or(usize::MAX);
    let mut names: Vec<&str> = arguments.keys().map(String::as_str).collect();
    names.sort_by_key(|name| (place(name), *name));
    names
}

fn shown(tool: &Tool, name: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let counted = format!("<{} bytes>", text.len());
    if tool.reach == Reach::BeyondProject {
        return match text.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}… {counted}", plain(&text[..end])),
            None => plain(&text),
        };
    }
    let of_lines = text.contains(['\n', '\r']);
    if name == CONTENT || text.len() > LONG || of_lines { counted } else { plain(&text) }
}

/// Returns the text on one line without characters that control a terminal; quoted where that changes the
/// text.
pub(super) fn plain(text: &str) -> String {
    if text.chars().any(steers) { format!("{text:?}") } else { text.to_owned() }
}

/// Whether `c` is a control, a line or paragraph separator, changes the text direction, or is invisible.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
#[path = "display_tests.rs"]
mod tests;
