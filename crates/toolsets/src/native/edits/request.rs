//! Parses the arguments of native's edit tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::files::{failed, limit};
use super::super::server_tools::edit_selector;
use super::{Read, RunMode, json_or, refusal, run_mode};
use crate::arguments::{ArgumentError, Arguments};
use crate::{Call, Reply};
use symd_base::RelPath;
use symd_ops::edits::{
    Breaking, EditAction, ExpectedRevisions, IgnoredEdits, LastRead, NamedRevisions, Request, SymbolAction,
    TextAction,
};
use symd_rewrite::{ExpectedCount, Indentation, ReplaceMode};

/// An edit, and the options of its answer.
pub(super) struct EditCall {
    pub(super) request: Request,
    pub(super) mode: RunMode,
    /// The maximum length of the answer, in characters.
    pub(super) limit: usize,
}

/// Parses the arguments of one call.
pub(super) fn parse_call(call: &Call<'_>, read: Read) -> Result<EditCall, Reply> {
    parse_fields(&call.arguments, read, Some(last_read(call)))
}

/// Rejects an edit whose arguments alone show that it cannot be made.
pub(super) fn check(arguments: &Map<String, Value>, read: Read) -> Result<(), Reply> {
    let asked = parse_fields(arguments, read, None)?;
    asked.request.what.check().map_err(|problem| refusal(problem.into()))
}

fn parse_fields(
    arguments: &Map<String, Value>,
    read: Read,
    last_read: Option<Arc<LastRead>>,
) -> Result<EditCall, Reply> {
    let (all, arguments) = (arguments, Arguments::new(arguments));
    let what = read(&arguments)?;
    let force = arguments.boolean_or("force", false).map_err(failed)?;
    let request = Request {
        what,
        base: ExpectedRevisions { given: given(all)?, last_read },
        breaking: if force { Breaking::Allowed } else { Breaking::Refused },
        ignored: IgnoredEdits::Refused,
    };
    Ok(EditCall { request, mode: run_mode(&arguments)?, limit: limit(&arguments).map_err(failed)? })
}

/// Returns the versions that the client expects: those `given`, else what it read last on this connection.
pub(in crate::native) fn base(call: &Call<'_>, given: Option<NamedRevisions>) -> ExpectedRevisions {
    ExpectedRevisions { given, last_read: Some(last_read(call)) }
}

fn last_read(call: &Call<'_>) -> Arc<LastRead> {
    let client = Arc::clone(&call.client);
    Arc::new(move |path: &RelPath| client.last_read(path))
}

/// Parses `expect`.
pub(in crate::native) fn given(arguments: &Map<String, Value>) -> Result<Option<NamedRevisions>, Reply> {
    let expect = json_or(arguments.get("expect"));
    let arguments = Arguments::new(arguments);
    Ok(match expect {
        Some(value) if value.is_object() => Some(NamedRevisions::Each(each(&arguments, value)?)),
        Some(_) => {
            let revision = arguments.string("expect").map_err(failed)?;
            let is_revision = revision.len() >= MIN_DIGITS && revision.bytes().all(|b| b.is_ascii_hexdigit());
            if !is_revision {
                return Err(failed(arguments.invalid("expect", "a file revision, as reading tools show it")));
            }
            Some(NamedRevisions::One(revision.to_owned()))
        }
        None => None,
    })
}

/// The minimum number of digits of a revision; fewer could match another revision by chance.
const MIN_DIGITS: usize = 8;

fn each(arguments: &Arguments<'_>, value: &Value) -> Result<BTreeMap<RelPath, String>, Reply> {
    let wrong = || failed(arguments.invalid("expect", "an object of file revisions by path"));
    let entries = value.as_object().ok_or_else(wrong)?;
    let read = |(path, revision): (&String, &Value)| {
        let revision = revision.as_str().filter(|text| text.len() >= MIN_DIGITS)?;
        Some((RelPath::new(path).ok()?, revision.to_owned()))
    };
    entries.iter().map(|entry| read(entry).ok_or_else(wrong)).collect()
}

pub(super) fn replace_symbol_body(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    symbol(arguments, SymbolAction::Replace)
}

pub(super) fn insert_before_symbol(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    symbol(arguments, SymbolAction::InsertBefore)
}

pub(super) fn insert_after_symbol(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    symbol(arguments, SymbolAction::InsertAfter)
}

fn symbol(arguments: &Arguments<'_>, act: fn(String) -> SymbolAction) -> Result<EditAction, Reply> {
    let indents = ["auto", "given", "symbol"];
    let indentation = match arguments.one_of_or("indent", &indents, "auto").map_err(failed)? {
        "given" => Indentation::Verbatim,
        "symbol" => Indentation::SymbolColumn,
        _ => Indentation::Auto,
    };
    let body = arguments.string("body").map_err(failed)?.to_owned();
    Ok(EditAction::Symbol { wanted: edit_selector(arguments).map_err(failed)?, act: act(body), indentation })
}

pub(super) fn create_text_file(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    Ok(EditAction::Write {
        path: arguments.string("relative_path").map_err(failed)?.to_owned(),
        content: arguments.string("content").map_err(failed)?.to_owned(),
    })
}

pub(super) fn replace_content(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    let mode = arguments.one_of_or("mode", &["literal", "regex"], "literal").map_err(failed)?;
    let many = arguments.boolean_or("allow_multiple_occurrences", false).map_err(failed)?;
    let act = TextAction::Replace {
        needle: arguments.string("needle").map_err(failed)?.to_owned(),
        replacement: arguments.string("repl").map_err(failed)?.to_owned(),
        mode: if mode == "regex" { ReplaceMode::Regex } else { ReplaceMode::Literal },
        how_many: if many { ExpectedCount::Any } else { ExpectedCount::One },
    };
    text(arguments, act)
}

pub(super) fn delete_lines(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    let (start, end) = range(arguments).map_err(failed)?;
    text(arguments, TextAction::DeleteLines { start, end })
}

pub(super) fn replace_lines(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    let (start, end) = range(arguments).map_err(failed)?;
    let content = arguments.string("content").map_err(failed)?.to_owned();
    // No text in their place is no blank line.
    let act = match content.is_empty() {
        true => TextAction::DeleteLines { start, end },
        false => TextAction::ReplaceLines { start, end, content },
    };
    text(arguments, act)
}

pub(super) fn insert_at_line(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    let line = line(arguments, "line").map_err(failed)?;
    let content = arguments.string("content").map_err(failed)?.to_owned();
    if content.is_empty() {
        return Err(failed(arguments.invalid("content", "text; for a blank line, a line break")));
    }
    text(arguments, TextAction::InsertAtLine { line, content })
}

pub(super) fn apply_patch(arguments: &Arguments<'_>) -> Result<EditAction, Reply> {
    Ok(EditAction::Patch(arguments.string("patch").map_err(failed)?.to_owned()))
}

fn text(arguments: &Arguments<'_>, act: TextAction) -> Result<EditAction, Reply> {
    Ok(EditAction::Text { path: arguments.string("relative_path").map_err(failed)?.to_owned(), act })
}

fn range(arguments: &Arguments<'_>) -> Result<(i64, i64), ArgumentError> {
    Ok((line(arguments, "start_line")?, line(arguments, "end_line")?))
}

/// Parses a 1-based line and returns it 0-based.
fn line(arguments: &Arguments<'_>, name: &str) -> Result<i64, ArgumentError> {
    match arguments.integer(name)? {
        line @ 1.. => Ok(line - 1),
        _ => Err(arguments.invalid(name, "a 1-based line")),
    }
}
