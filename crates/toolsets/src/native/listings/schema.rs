//! The schemas of the listed tools: what a model needs often, under short names. The instructions describe
//! the parameters of all tools, `symd help agents` the rest.

use serde_json::{Value, json};

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "default": false, "description": description })
}

fn count(description: &str, default: usize) -> Value {
    json!({ "type": "integer", "default": default, "description": description })
}

fn line(description: &str) -> Value {
    json!({ "type": "integer", "description": description })
}

fn word(words: &[&str], default: &str, description: &str) -> Value {
    json!({ "type": "string", "enum": words, "default": default, "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

fn one_name() -> Value {
    text("`name`, `Class/method`, `/top_level`, `name[1]` for the second of several.")
}

fn names() -> Value {
    json!({
        "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }],
        "description": "`name`, `Class/method`, `/top_level`, `name[1]` for the second of several; or a list of these.",
    })
}

fn declared_in() -> Value {
    text("File (or directory, or `file:line`) that declares it; needed where several have that name.")
}

fn dry_run() -> Value {
    flag("Show the diff, change nothing.")
}

pub(super) fn overview() -> Value {
    object(
        json!({
            "path": text("File or directory; empty: the project."),
            "depth": count("Levels beneath top-level symbols.", 1),
        }),
        &[],
    )
}

pub(super) fn find_symbol() -> Value {
    object(
        json!({
            "name_path": names(),
            "path": text("Look only in this file or directory."),
            "body": flag("Show the source."),
            "depth": count("Levels of members to show.", 0),
            "substring": flag("The last part may be any part of a name."),
            "kinds": texts("Only these: class, interface, function, method, property, constant …"),
        }),
        &["name_path"],
    )
}

pub(super) fn explore() -> Value {
    object(
        json!({
            "name_path": names(),
            "path": declared_in(),
            "depth": count("Levels of users.", 1),
            "budget": line("Most characters of the answer (6000 if absent; of a list 3000 for each)."),
        }),
        &["name_path"],
    )
}

/// The values of `relation` in `references`.
pub(super) const RELATIONS: [&str; 6] =
    ["uses", "callers", "callees", "implementations", "supertypes", "subtypes"];

pub(super) fn references() -> Value {
    object(
        json!({
            "name_path": names(),
            "path": declared_in(),
            "relation": word(
                &RELATIONS,
                "uses",
                "uses: every place, imports included; callers and callees: functions; implementations: also overriding methods.",
            ),
            "depth": line("Levels of callers, callees (1 if absent) or types (4)."),
        }),
        &["name_path"],
    )
}

pub(super) fn impact() -> Value {
    object(
        json!({
            "name_path": names(),
            "path": declared_in(),
            "change": word(
                &["signature", "behaviour", "removal"],
                "signature",
                "signature: uses and overrides; behaviour: callers over any number of calls; removal: every mention, imports and \
                 texts included.",
            ),
            "depth": count("Levels of users.", 3),
        }),
        &["name_path"],
    )
}

pub(super) fn definition() -> Value {
    object(
        json!({
            "path": text("The file you see the name in."),
            "line": line("Its line, 1-based."),
            "name": text("The name on that line."),
            "which": word(&["definition", "declaration", "type_definition"], "definition", "Where to go."),
        }),
        &["path", "line", "name"],
    )
}

pub(super) fn search() -> Value {
    object(
        json!({
            "pattern": text("Python regular expression; `.` matches line ends too."),
            "path": text("Only in this file or directory."),
            "glob": text("Only files that match, e.g. `**/*.yaml`."),
            "context": count("Lines before and after.", 0),
        }),
        &["pattern"],
    )
}

pub(super) fn diagnostics() -> Value {
    object(
        json!({
            "path": text("File; empty: the project."),
            "name_path": text("Only within this symbol."),
            "min_severity": word(&["error", "warning", "information", "hint"], "warning", "Nothing milder."),
        }),
        &[],
    )
}

pub(super) fn rename() -> Value {
    object(
        json!({
            "name_path": one_name(),
            "path": declared_in(),
            "new_name": text("The name alone."),
            "include": texts("Also change mentions in: comments, docs, strings, other_languages, unchecked."),
            "dry_run": dry_run(),
        }),
        &["name_path", "new_name"],
    )
}

pub(super) fn replace_symbol_body() -> Value {
    object(
        json!({
            "name_path": one_name(),
            "path": declared_in(),
            "body": text("The whole declaration, head included, from any column."),
        }),
        &["name_path", "body"],
    )
}

pub(super) fn insert_symbol() -> Value {
    object(
        json!({
            "name_path": one_name(),
            "path": declared_in(),
            "position": word(&["before", "after"], "after", "Which side of the symbol."),
            "body": text("The code, from any column."),
        }),
        &["name_path", "body"],
    )
}

pub(super) fn safe_delete() -> Value {
    object(json!({ "name_path": one_name(), "path": declared_in(), "dry_run": dry_run() }), &["name_path"])
}

pub(super) fn apply_patch() -> Value {
    object(
        json!({
            "patch": text(
                "`--- a/file` `+++ b/file` `@@` hunks; or `*** Begin Patch`, `*** Update|Add|Delete File: path`, `@@` with -, + \
                 and context lines, `*** End Patch`.",
            ),
            "dry_run": dry_run(),
        }),
        &["patch"],
    )
}

pub(super) fn code_actions() -> Value {
    object(
        json!({
            "path": text("The file."),
            "start_line": line("First line, 1-based."),
            "end_line": line("Last line, inclusive."),
            "name_path": text("Instead of lines: a symbol."),
            "title": text("What to do, as listed."),
            "dry_run": dry_run(),
        }),
        &[],
    )
}

pub(super) fn undo() -> Value {
    object(
        json!({
            "id": line("Number of the operation, as the edit told it."),
            "redo": flag("Make the edit again that was undone last."),
            "dry_run": dry_run(),
        }),
        &[],
    )
}
