//! The schemas of native's edit tools.

use serde_json::{Value, json};

use super::super::files::{DEFAULT_LIMIT, LIMIT};
use super::super::server_tools::{self, name_path, relative_path};

/// Returns a schema of these properties and those that all edits share.
fn with_common(properties: Value, required: &[&str]) -> Value {
    with_force("Make the edit although a file that parsed would not parse afterwards.", properties, required)
}

/// Returns such a schema for an edit of a symbol.
fn of_symbol(properties: Value, required: &[&str]) -> Value {
    let force = "Make the edit although a file that parsed would not parse afterwards, a declaration beside the symbol \
                 would be lost, renamed or moved, or the body is not one declaration of the symbol's kind.";
    with_force(force, properties, required)
}

fn with_force(force: &str, properties: Value, required: &[&str]) -> Value {
    let mut all = json!({
        "dry_run": dry_run(),
        "force": {"type": "boolean", "default": false, "description": force},
        "limit": {"type": "integer", "default": DEFAULT_LIMIT, "minimum": 1, "description": LIMIT},
    });
    if let (Value::Object(all), Value::Object(own)) = (&mut all, properties) {
        all.extend(own);
    }
    json!({ "type": "object", "properties": all, "required": required })
}

pub(super) fn dry_run() -> Value {
    json!({"type": "boolean", "default": false, "description": "Write nothing, show the change as a unified diff."})
}

pub(in crate::native) fn expect() -> Value {
    json!({"type": "string", "description": "The file revision that the edit is made for, as reading tools show it; when absent, the one that this connection read last. Refused if the file has another."})
}

fn file() -> Value {
    json!({"type": "string", "description": "The file, relative to the project root."})
}

fn indent() -> Value {
    json!({"type": "string", "enum": ["auto", "given", "symbol"], "default": "auto", "description": "auto: the lines are moved to the symbol's column as a block when they were written for another; given: they go in as they are; symbol: the outermost are moved to the symbol's column. Lines inside string literals keep their bytes."})
}

pub(super) fn replace_symbol_body() -> Value {
    let own = json!({
        "name_path": name_path(), "relative_path": relative_path(), "expect": expect(), "indent": indent(),
        "body": {"type": "string", "description": "The new code of the whole symbol, its signature included: one declaration. It may be written from any column."},
    });
    of_symbol(own, &["name_path", "body"])
}

pub(super) fn insert_at_symbol() -> Value {
    let own = json!({
        "name_path": name_path(), "relative_path": relative_path(), "expect": expect(), "indent": indent(),
        "body": {"type": "string", "description": "The code to insert, written from any column. Blank lines between it and its neighbours are seen to."},
    });
    of_symbol(own, &["name_path", "body"])
}

pub(super) fn safe_delete() -> Value {
    let own = json!({
        "name_path": name_path(), "relative_path": relative_path(), "expect": expect(), "dry_run": dry_run(),
        "force": {"type": "boolean", "default": false, "description": "Delete it although it is referenced, or although the file would not parse or another declaration would be lost afterwards."},
    });
    server_tools::schema(own, &["name_path"])
}

pub(super) fn create_text_file() -> Value {
    let own = json!({
        "relative_path": file(), "expect": expect(),
        "content": {"type": "string", "description": "The whole file, written as it is."},
    });
    with_common(own, &["relative_path", "content"])
}

pub(super) fn replace_content() -> Value {
    let own = json!({
        "relative_path": file(), "expect": expect(),
        "needle": {"type": "string", "description": "The text or expression to search for. Line breaks are matched as \\n whatever the file has."},
        "repl": {"type": "string", "description": "What takes its place. In regex mode $!1, $!2 … stand for the expression's groups; everything else is literal."},
        "mode": {"type": "string", "enum": ["literal", "regex"], "default": "literal", "description": "How needle is read. In a regex . matches line breaks, ^ and $ match at lines."},
        "allow_multiple_occurrences": {"type": "boolean", "default": false, "description": "Replace all occurrences; else more than one is refused."},
    });
    with_common(own, &["relative_path", "needle", "repl"])
}

fn start_line() -> Value {
    json!({"type": "integer", "minimum": 1, "description": "The first line, 1-based."})
}

fn end_line() -> Value {
    json!({"type": "integer", "minimum": 1, "description": "The last line, 1-based, inclusive."})
}

pub(super) fn delete_lines() -> Value {
    let own = json!({ "relative_path": file(), "expect": expect(), "start_line": start_line(), "end_line": end_line() });
    with_common(own, &["relative_path", "start_line", "end_line"])
}

pub(super) fn replace_lines() -> Value {
    let own = json!({
        "relative_path": file(), "expect": expect(), "start_line": start_line(), "end_line": end_line(),
        "content": {"type": "string", "description": "What takes their place; a missing final newline is added. Empty: the lines are deleted."},
    });
    with_common(own, &["relative_path", "start_line", "end_line", "content"])
}

pub(super) fn insert_at_line() -> Value {
    let own = json!({
        "relative_path": file(), "expect": expect(),
        "line": {"type": "integer", "minimum": 1, "description": "The line before which to insert, 1-based; one past the last appends."},
        "content": {"type": "string", "description": "What to insert; a missing final newline is added."},
    });
    with_common(own, &["relative_path", "line", "content"])
}

pub(super) fn apply_patch() -> Value {
    let own = json!({
        "patch": {"type": "string", "description": "A unified diff (`--- a/file`, `+++ b/file`, `@@ -1,3 +1,3 @@`; /dev/null creates or deletes, `rename from`/`rename to` moves), or `*** Begin Patch` with `*** Update File: path`, `*** Add File: path`, `*** Delete File: path` and `*** End Patch`."},
        "expect": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Revisions by file, as reading tools show them; for files not named, what this connection read last. Refused if a file has another."},
    });
    with_common(own, &["patch"])
}
