//! Answers that were made while an editor had not told its unsaved texts: none is complete, whatever its tool says.

use serde_json::{Value, json};

/// The tools whose answers depend on no text that an editor may have open.
const WITHOUT_TEXTS: [&str; 8] =
    ["status", "editor_context", "history", "undo", "redo", "resolve_edit", "finish_edit", "record_solution"];

/// The tools that show lines of files unchanged: such a line may look like the status line of an answer.
const VERBATIM: [&str; 2] = ["read_file", "search_for_pattern"];

/// The end of a last line that calls the answer complete.
const COMPLETE: &str = "; complete]";

/// Has the answer of a tool say that it is incomplete, and why.
pub fn mark(tool: &str, answer: &mut String, why: &str) {
    if WITHOUT_TEXTS.contains(&tool) {
        return;
    }
    if answer.starts_with('{')
        && let Ok(Value::Object(mut object)) = serde_json::from_str(answer)
    {
        object.values_mut().for_each(deny_complete);
        object.insert("complete".to_owned(), json!(false));
        object.insert("incomplete".to_owned(), json!(why));
        *answer = Value::Object(object).to_string();
        return;
    }
    let is_claim = |line: &&str| line.starts_with('[') && line.ends_with(COMPLETE);
    if !VERBATIM.contains(&tool) && answer.lines().any(|line| is_claim(&line)) {
        let marked =
            answer.lines().map(|line| match line.strip_suffix(COMPLETE).filter(|_| is_claim(&line)) {
                Some(claim) => format!("{claim}; incomplete: {why}]"),
                None => line.to_owned(),
            });
        *answer = marked.collect::<Vec<_>>().join("\n");
        return;
    }
    if !answer.is_empty() && !answer.ends_with('\n') {
        answer.push('\n');
    }
    answer.push_str(&format!("[incomplete: {why}]"));
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

    fn marked(tool: &str, answer: &str) -> String {
        let mut answer = answer.to_owned();
        mark(tool, &mut answer, "why");
        answer
    }

    #[test]
    fn no_part_of_an_answer_is_called_complete() {
        assert_eq!(marked("find_symbol", "[0 symbols; complete]"), "[0 symbols; incomplete: why]");
        let each =
            marked("find_referencing_symbols", "# a\n[1 use; ty; complete]\n# b\n[1 use; ty; unchecked: 1]");
        assert_eq!(each, "# a\n[1 use; ty; incomplete: why]\n# b\n[1 use; ty; unchecked: 1]");
        let unchecked = marked("find_symbol", "[1 use; unchecked: 1]");
        assert_eq!(unchecked, "[1 use; unchecked: 1]\n[incomplete: why]");
        let json = marked("impact", r#"{"answers":[{"complete":true}],"complete":true}"#);
        assert_eq!(json, r#"{"answers":[{"complete":false}],"complete":false,"incomplete":"why"}"#);
        assert_eq!(marked("rename_symbol", "No symbol"), "No symbol\n[incomplete: why]");
    }

    #[test]
    fn a_files_own_text_is_left_as_it_is() {
        let text = "[a.md: lines 1-1 of 1]\n[0 symbols; complete]";
        assert_eq!(marked("read_file", text), format!("{text}\n[incomplete: why]"));
        assert_eq!(marked("history", "[1 edit; complete]"), "[1 edit; complete]");
    }
}
