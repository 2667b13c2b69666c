//! Answers that were made while an editor had not told its unsaved texts: none is complete, whatever its tool says.

use serde_json::{Value, json};

pub use super::answer::Format;
use crate::Reply;

/// The tools whose answers depend on no text that an editor may have open.
const WITHOUT_TEXTS: [&str; 8] =
    ["status", "editor_context", "history", "undo", "redo", "resolve_edit", "finish_edit", "record_solution"];

/// The tools whose answers end with a line about themselves ([`super::answer::Footer`]). What the others end with may be a
/// file's own text.
const WITH_FOOTER: [&str; 16] = [
    "find_symbol",
    "get_symbols_overview",
    "find_referencing_symbols",
    "find_callers",
    "find_callees",
    "explore",
    "impact",
    "find_definition",
    "find_implementations",
    "type_hierarchy",
    "hover",
    "diagnostics",
    "list_code_actions",
    "rename_symbol",
    "format",
    "apply_code_action",
];

/// The end of a last line that calls the answer complete.
const COMPLETE: &str = "; complete]";

/// Has the answer of a tool say that it is incomplete, and why.
pub fn mark(tool: &str, format: Format, reply: &mut Reply, why: &str) {
    if WITHOUT_TEXTS.contains(&tool) {
        return;
    }
    let text = &mut reply.text;
    if format == Format::Json
        && let Ok(Value::Object(mut object)) = serde_json::from_str(text)
    {
        object.values_mut().for_each(deny_complete);
        object.insert("complete".to_owned(), json!(false));
        object.insert("incomplete".to_owned(), json!(why));
        *text = Value::Object(object).to_string();
        return;
    }
    let mut ends = std::mem::take(&mut reply.ends);
    if WITH_FOOTER.contains(&tool) {
        ends.push(text.trim_end_matches('\n').len());
    }
    ends.retain(|end| text.get(..*end).is_some_and(is_called_complete));
    ends.dedup();
    for end in ends.iter().rev() {
        text.replace_range(end - COMPLETE.len()..*end, &format!("; incomplete: {why}]"));
    }
    if !ends.is_empty() {
        return;
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("[incomplete: {why}]"));
}

/// Whether the last line of an answer calls it complete.
fn is_called_complete(answer: &str) -> bool {
    let last = answer.rsplit('\n').next().unwrap_or_default();
    last.starts_with('[') && last.ends_with(COMPLETE)
}

/// Changes what the parts of an answer for programs say of themselves.
fn deny_complete(part: &mut Value) {
    match part {
        Value::Object(object) => {
            if let Some(complete) = object.get_mut("complete") {
                *complete = json!(false);
            }
            object.values_mut().for_each(deny_complete);
        }
        Value::Array(all) => all.iter_mut().for_each(deny_complete),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::joined::JoinedAnswers;

    fn marked(tool: &str, reply: Reply) -> String {
        let mut reply = reply;
        let format = if reply.text.starts_with('{') { Format::Json } else { Format::Text };
        mark(tool, format, &mut reply, "why");
        reply.text
    }

    fn joined(answers: &[&str], last: &str) -> Reply {
        let mut joined = JoinedAnswers::default();
        for answer in answers {
            joined.add_line("# name");
            joined.add_answer(answer, &[]);
        }
        joined.add_line(last);
        joined.into()
    }

    #[test]
    fn no_part_of_an_answer_is_called_complete() {
        let one = |tool: &str, text: &str| marked(tool, Reply::done(text));
        assert_eq!(one("find_symbol", "[0 symbols; complete]"), "[0 symbols; incomplete: why]");
        let each = joined(&["[1 use; ty; complete]", "[1 use; ty; unchecked: 1]"], "[2 names; see each]");
        assert_eq!(
            marked("find_referencing_symbols", each),
            "# name\n[1 use; ty; incomplete: why]\n# name\n[1 use; ty; unchecked: 1]\n[2 names; see each]"
        );
        let all = joined(&["[1 use; complete]", "[2 uses; complete]"], "[2 names; complete]");
        assert_eq!(
            marked("find_callers", all),
            "# name\n[1 use; incomplete: why]\n# name\n[2 uses; incomplete: why]\n[2 names; incomplete: why]"
        );
        let unchecked = one("find_symbol", "[1 use; unchecked: 1]");
        assert_eq!(unchecked, "[1 use; unchecked: 1]\n[incomplete: why]");
        let json = one("impact", r#"{"answers":[{"complete":true}],"complete":true}"#);
        assert_eq!(json, r#"{"answers":[{"complete":false}],"complete":false,"incomplete":"why"}"#);
        assert_eq!(one("rename_symbol", "No symbol"), "No symbol\n[incomplete: why]");
    }

    #[test]
    fn a_files_own_text_is_left_as_it_is() {
        let one = |tool: &str, text: &str| marked(tool, Reply::done(text));
        let text = "[a.md: lines 1-1 of 1]\n[0 symbols; complete]";
        assert_eq!(one("read_file", text), format!("{text}\n[incomplete: why]"));
        assert_eq!(one("history", "[1 edit; complete]"), "[1 edit; complete]");
        let body = "let _ = r\"\n[1; complete]\n\";";
        assert_eq!(
            one("find_symbol", &format!("{body}\n[1 symbol; complete]")),
            format!("{body}\n[1 symbol; incomplete: why]")
        );
        let mut shared = JoinedAnswers::default();
        shared.add_line("# name: 1 symbol");
        shared.add_body("[1; complete]", &[]);
        shared.add_line("[1 name; complete]");
        assert_eq!(
            marked("find_symbol", shared.into()),
            "# name: 1 symbol\n[1; complete]\n[1 name; incomplete: why]"
        );
    }
}
