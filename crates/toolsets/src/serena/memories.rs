//! serena's memory tools, with the texts of the rulings. `ops::memory` defines memories.

use serde_json::{Map, Value, json};

use super::answer::{AnswerLimit, bad_argument, error, invalid_path, io_error, path_error, replace_error};
use super::edits::{not_applied, replace_mode};
use super::files::MAX_ANSWER_CHARS;
use super::json as text;
use crate::arguments::Arguments;
use crate::{Call, Outcome, PendingCall, Reply, Tool};
use symd_edit::Originator;
use symd_ops::memory::{self, MemoryError, MemoryName};
use symd_ops::question::QuestionError;
use symd_rewrite::ReplaceMode;

pub(super) const WRITE_MEMORY: Tool = Tool::changing(
    "write_memory",
    "Write memory",
    "Writes a memory: a note about this project, in Markdown, that helps with later tasks. One that \
     exists is overwritten.",
    || {
        json!({
            "type": "object",
            "properties": {
                "memory_file_name": name_schema(),
                "content": {"type": "string", "description": "What to remember, as Markdown."},
                "max_answer_chars": {"type": "integer", "default": -1, "description": "The most characters that the content may have. -1 (the default) is the configured limit."},
            },
            "required": ["memory_file_name", "content"],
        })
    },
    |call| Box::pin(async move { write(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| WriteArgs::read(proposed).map(drop));

pub(super) const READ_MEMORY: Tool = Tool::read_only(
    "read_memory",
    "Read memory",
    "Reads the content of a memory. Read only those whose name has to do with the task.",
    || {
        json!({
            "type": "object",
            "properties": {
                "memory_file_name": name_schema(),
                "max_answer_chars": {"type": "integer", "default": -1, "description": MAX_ANSWER_CHARS},
            },
            "required": ["memory_file_name"],
        })
    },
    |call| Box::pin(async move { read(&call).await.unwrap_or_else(|reply| reply) }),
);

pub(super) const LIST_MEMORIES: Tool = Tool::read_only(
    "list_memories",
    "List memories",
    "Lists the names of all memories of this project, as a JSON array.",
    || {
        json!({
            "type": "object",
            "properties": {
                "max_answer_chars": {"type": "integer", "default": -1, "description": MAX_ANSWER_CHARS},
            },
            "required": [],
        })
    },
    |call| Box::pin(async move { list(&call).await.unwrap_or_else(|reply| reply) }),
);

pub(super) const DELETE_MEMORY: Tool = Tool::changing(
    "delete_memory",
    "Delete memory",
    "Deletes a memory. Only where the user asks for it, or what it says is wrong or about nothing any \
     more.",
    || {
        json!({
            "type": "object",
            "properties": { "memory_file_name": name_schema() },
            "required": ["memory_file_name"],
        })
    },
    |call| Box::pin(async move { delete(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| name(&Arguments::new(proposed.arguments), "memory_file_name").map(drop));

pub(super) const RENAME_MEMORY: Tool = Tool::changing(
    "rename_memory",
    "Rename memory",
    "Gives a memory another name. A / in the new name puts it under a topic.",
    || {
        json!({
            "type": "object",
            "properties": {
                "old_name": {"type": "string", "description": "The name of the memory."},
                "new_name": {"type": "string", "description": "Its new name, which must be free."},
            },
            "required": ["old_name", "new_name"],
        })
    },
    |call| Box::pin(async move { rename(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| names(proposed.arguments).map(drop));

pub(super) const EDIT_MEMORY: Tool = Tool::changing(
    "edit_memory",
    "Edit memory",
    "Replaces the one occurrence of a pattern in a memory.",
    || {
        json!({
            "type": "object",
            "properties": {
                "memory_file_name": name_schema(),
                "needle": {"type": "string", "description": "The string or regular expression to search for. It must occur exactly once."},
                "repl": {"type": "string", "description": "The replacement; in regex mode $!1, $!2 … refer to the groups."},
                "mode": {"type": "string", "enum": ["literal", "regex"], "description": "Whether needle is a literal string or a regular expression (with DOTALL and MULTILINE)."},
            },
            "required": ["memory_file_name", "needle", "repl", "mode"],
        })
    },
    |call| Box::pin(async move { edit(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| EditArgs::read(proposed.arguments).map(drop));

fn name_schema() -> Value {
    json!({"type": "string", "description": "The memory's name, one that says what it is about; topics are separated by /."})
}

/// The arguments of `write_memory`.
struct WriteArgs<'a> {
    name: MemoryName,
    content: &'a str,
}

impl<'a> WriteArgs<'a> {
    fn read(proposed: &PendingCall<'a>) -> Result<WriteArgs<'a>, Reply> {
        let arguments = Arguments::new(proposed.arguments);
        let name = name(&arguments, "memory_file_name")?;
        let content = arguments.string("content").map_err(bad_argument)?;
        let limit = AnswerLimit::read(&arguments, proposed.max_answer_chars)?.chars();
        if content.chars().nth(limit).is_some() {
            return Err(Reply::failed(format!(
                "Content for {name} is too long. Max length is {limit} characters. Please make the content shorter."
            )));
        }
        Ok(WriteArgs { name, content })
    }
}

async fn write(call: &Call<'_>) -> Result<Reply, Reply> {
    let WriteArgs { name, content } = WriteArgs::read(&call.proposed())?;
    memory::write(call.project, &name, content.to_owned(), by(call)).await.map_err(format_refusal)?;
    Ok(Reply::done(format!("Memory {name} written.")))
}

async fn read(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let name = name(&arguments, "memory_file_name")?;
    let limit = AnswerLimit::read(&arguments, call.project.max_answer_chars)?;
    Ok(match memory::read(call.project, name.clone()).await.map_err(format_refusal)? {
        Some(text) => limit.reply(text),
        // The contract answers a missing memory with a result, not with a failure.
        None => Reply::done(format!(
            "Memory file {name} not found, consider creating it with the `write_memory` tool if you need it."
        )),
    })
}

async fn list(call: &Call<'_>) -> Result<Reply, Reply> {
    let limit = AnswerLimit::read(&Arguments::new(&call.arguments), call.project.max_answer_chars)?;
    let names = memory::list(call.project).await.map_err(format_refusal)?;
    Ok(limit.reply(names_json(&names)))
}

async fn delete(call: &Call<'_>) -> Result<Reply, Reply> {
    let name = name(&Arguments::new(&call.arguments), "memory_file_name")?;
    memory::delete(call.project, &name, by(call)).await.map_err(format_refusal)?;
    Ok(Reply::done(format!("Memory {name} deleted.")))
}

async fn rename(call: &Call<'_>) -> Result<Reply, Reply> {
    let (old, new) = names(&call.arguments)?;
    memory::rename(call.project, &old, &new, by(call)).await.map_err(format_refusal)?;
    Ok(Reply::done(format!("Memory {old} renamed to {new}.")))
}

/// The arguments of `edit_memory`.
struct EditArgs {
    name: MemoryName,
    needle: String,
    replacement: String,
    mode: ReplaceMode,
}

impl EditArgs {
    fn read(arguments: &Map<String, Value>) -> Result<EditArgs, Reply> {
        let arguments = &Arguments::new(arguments);
        Ok(EditArgs {
            name: name(arguments, "memory_file_name")?,
            needle: arguments.string("needle").map_err(bad_argument)?.to_owned(),
            replacement: arguments.string("repl").map_err(bad_argument)?.to_owned(),
            mode: replace_mode(arguments)?,
        })
    }
}

async fn edit(call: &Call<'_>) -> Result<Reply, Reply> {
    let EditArgs { name, needle, replacement, mode } = EditArgs::read(&call.arguments)?;
    memory::edit(call.project, &name, needle, replacement, mode, by(call)).await.map_err(format_refusal)?;
    Ok(Reply::done(super::edits::SUCCESS))
}

/// Formats the names as a JSON array.
pub(super) fn names_json(names: &[MemoryName]) -> String {
    text::to_string(&names.iter().map(MemoryName::as_str).collect::<Vec<_>>())
}

/// Parses a memory's old name and its new one.
fn names(arguments: &Map<String, Value>) -> Result<(MemoryName, MemoryName), Reply> {
    let arguments = Arguments::new(arguments);
    Ok((name(&arguments, "old_name")?, name(&arguments, "new_name")?))
}

fn name(arguments: &Arguments<'_>, parameter: &str) -> Result<MemoryName, Reply> {
    MemoryName::new(arguments.string(parameter).map_err(bad_argument)?).map_err(format_refusal)
}

fn by(call: &Call<'_>) -> Originator {
    Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: String::new() }
}

/// Formats a failure in the contract's words.
pub(super) fn format_refusal(problem: MemoryError) -> Reply {
    match problem {
        MemoryError::Missing(name) => {
            error(format!("Memory {name} not found; list_memories names those that exist."))
        }
        MemoryError::Path(problem) => path_error(&problem.into()),
        MemoryError::Link(_) => invalid_path(problem),
        MemoryError::Vfs(problem) => io_error(&problem),
        MemoryError::Replace(problem) => replace_error(&problem),
        MemoryError::Apply(problem) => not_applied(problem),
        MemoryError::Question(QuestionError::Engine(problem)) => {
            Reply { outcome: Outcome::NotReady, ..error(problem) }
        }
        other => error(other),
    }
}
