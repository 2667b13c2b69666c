//! Questions about several symbols in one call, where `name_path` is a list. Each name is answered like a
//! single one, and the answers follow in the order of the names. Invariants: a name that is not found is
//! reported in its place and does not fail the others; what the last lines of all answers share is written
//! once.

use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::answer::{Format, format};
use super::files::{failed, limit};
use super::joined::JoinedAnswers;
use super::server_tools::{DEFAULT_DEADLINE, is_waiting};
use crate::arguments::{ArgumentError, Arguments};
use crate::{Call, Outcome, Reply, ReplyFuture};
use symd_base::escaped;

/// The maximum number of names in a call. An answer about more would be unreadable.
const MAX_NAMES: usize = 20;

/// The function that answers a call about one symbol.
pub(super) type AskOne =
    for<'c> fn(&'c Call<'c>) -> Pin<Box<dyn Future<Output = Result<Reply, Reply>> + Send + 'c>>;

/// Answers a call whose `parameter` names one symbol, or several.
pub(super) fn answer_each<'a>(call: Call<'a>, parameter: &'static str, one: AskOne) -> ReplyFuture<'a> {
    Box::pin(async move {
        match read(&call.arguments, parameter) {
            Err(why) => failed(why),
            Ok(None) => one(&call).await.unwrap_or_else(|reply| reply),
            Ok(Some(several)) => {
                let begun = Instant::now();
                let mut replies = Vec::new();
                for name in &several.names {
                    let arguments = several.about(name, begun);
                    let call = Call {
                        arguments,
                        client: call.client.clone(),
                        outgoing: None,
                        cancel: call.cancel.clone(),
                        ..call
                    };
                    replies.push(one(&call).await.unwrap_or_else(|reply| reply));
                }
                several.joined(replies)
            }
        }
    })
}

/// Answers such a call from a single view, without waiting.
pub(super) fn answer_each_sync(
    arguments: &Map<String, Value>,
    parameter: &'static str,
    one: impl Fn(&Map<String, Value>) -> Reply,
) -> Reply {
    match read(arguments, parameter) {
        Err(why) => failed(why),
        Ok(None) => one(arguments),
        Ok(Some(several)) => {
            let begun = Instant::now();
            let about = |name: &String| one(&several.about(name, begun));
            several.joined(several.names.iter().map(about).collect())
        }
    }
}

/// Returns the names in a call: one or several.
pub(crate) fn symbol_names<'a>(arguments: &'a Map<String, Value>, parameter: &str) -> Vec<&'a str> {
    match arguments.get(parameter) {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        one => one.and_then(Value::as_str).into_iter().collect(),
    }
}

/// A call about several symbols.
struct Several<'a> {
    arguments: &'a Map<String, Value>,
    parameter: &'static str,
    names: Vec<String>,
    limit: usize,
    format: Format,
    /// The seconds to wait for servers in total, if the client wants to wait.
    patience: Option<usize>,
}

/// Parses a call that names several symbols; returns `None` if it names one.
fn read<'a>(
    all: &'a Map<String, Value>,
    parameter: &'static str,
) -> Result<Option<Several<'a>>, ArgumentError> {
    let arguments = Arguments::new(all);
    if !all.get(parameter).is_some_and(Value::is_array) {
        return Ok(None);
    }
    let names: Vec<String> = arguments.strings(parameter)?.into_iter().map(str::to_owned).collect();
    if !(1..=MAX_NAMES).contains(&names.len()) {
        return Err(arguments.invalid(parameter, &format!("a name, or a list of 1 to {MAX_NAMES} names")));
    }
    let patience = is_waiting(&arguments)?.then(|| arguments.count_or("deadline_seconds", DEFAULT_DEADLINE));
    Ok(Some(Several {
        limit: limit(&arguments)?,
        format: format(&arguments)?,
        patience: patience.transpose()?,
        arguments: all,
        parameter,
        names,
    }))
}

impl Several<'_> {
    /// Returns the arguments of the same call about one of the names, with its share of the limit and what is
    /// left of the time.
    fn about(&self, name: &str, begun: Instant) -> Map<String, Value> {
        let mut arguments = self.arguments.clone();
        arguments.insert(self.parameter.to_owned(), Value::from(name));
        let share = (self.limit / self.names.len()).max(1);
        arguments.insert("limit".to_owned(), Value::from(share));
        if let Some(seconds) = self.patience {
            let passed = usize::try_from(begun.elapsed().as_secs()).unwrap_or(usize::MAX);
            match seconds.saturating_sub(passed) {
                // The time is over: a server that is not ready by now is not waited for again.
                0 => arguments.insert("wait".to_owned(), Value::from("no")),
                left => arguments.insert("deadline_seconds".to_owned(), Value::from(left)),
            };
        }
        arguments
    }

    /// Joins the answers. The whole call has failed if every part has.
    fn joined(&self, replies: Vec<Reply>) -> Reply {
        let outcome = match replies.iter().any(|reply| reply.outcome == Outcome::Done) {
            true => Outcome::Done,
            false => replies.first().map_or(Outcome::Failed, |reply| reply.outcome),
        };
        let joined = match self.format {
            Format::Json => Reply::done(self.json(&replies)),
            Format::Text => self.text(&replies).into(),
        };
        Reply { outcome, ..joined }
    }

    fn text(&self, replies: &[Reply]) -> JoinedAnswers {
        let parts: Vec<Part<'_>> = replies.iter().map(Part::of).collect();
        // Only the first answer gives the reason for a missing server.
        let shared = parts.first().and_then(|part| part.last).filter(|first| {
            parts.iter().all(|part| part.last.is_some_and(|last| last.same_except_reason(*first)))
        });
        let shared = shared.map(|first| first.tail);
        let count = crate::native::files::counted(self.names.len(), "name", "names");
        let mut joined = JoinedAnswers::default();
        for ((name, part), reply) in self.names.iter().zip(&parts).zip(replies) {
            let counts = match (shared, part.last) {
                (Some(_), Some(last)) => format!(": {}", last.counts),
                _ => String::new(),
            };
            joined.add_line(&format!("# {}{counts}", escaped(name)));
            match shared {
                Some(_) => joined.add_body(part.body, &reply.ends),
                None => joined.add_answer(part.whole, &reply.ends),
            }
        }
        let is_complete = parts.iter().all(|part| part.last.is_some_and(|last| last.is_complete()));
        joined.add_line(&match (shared, is_complete) {
            (Some(tail), _) => format!("[{count}; {tail}]"),
            (None, true) => format!("[{count}; complete]"),
            (None, false) => format!("[{count}; the last line of each answer says how far to trust it]"),
        });
        joined
    }

    fn json(&self, replies: &[Reply]) -> String {
        let answer = |(name, reply): (&String, &Reply)| match serde_json::from_str::<Value>(&reply.text) {
            Ok(Value::Object(mut object)) => {
                object.insert("asked".to_owned(), json!(name));
                Value::Object(object)
            }
            _ => json!({ "asked": name, "error": reply.text, "complete": false }),
        };
        let answers: Vec<Value> = self.names.iter().zip(replies).map(answer).collect();
        let is_complete = answers.iter().all(|answer| answer["complete"] == json!(true));
        json!({ "answers": answers, "complete": is_complete }).to_string()
    }
}

/// The answer about one name.
struct Part<'a> {
    whole: &'a str,
    /// The answer without its last line.
    body: &'a str,
    last: Option<LastLine<'a>>,
}

/// The content of an answer's last line ([`super::answer::Footer`]).
#[derive(Clone, Copy)]
struct LastLine<'a> {
    counts: &'a str,
    /// Everything but the counts.
    tail: &'a str,
}

impl LastLine<'_> {
    /// Whether both are the same, apart from the reason why the answer is from syntax.
    fn same_except_reason(self, other: LastLine<'_>) -> bool {
        fn split(tail: &str) -> (&str, &str) {
            match tail.strip_prefix("syntax (").and_then(behind_bracket) {
                Some(rest) => ("syntax", rest),
                None => tail.split_at(tail.find("; ").unwrap_or(tail.len())),
            }
        }
        split(self.tail) == split(other.tail)
    }

    fn is_complete(self) -> bool {
        self.tail.ends_with("complete") && !self.tail.contains("incomplete")
    }
}

/// Returns what follows the bracket that closes the one open at the beginning of `text`.
fn behind_bracket(text: &str) -> Option<&str> {
    let mut open = 1_usize;
    let closes = |&(_, letter): &(usize, char)| {
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        open == 0
    };
    text.char_indices().find(closes).map(|(end, _)| &text[end + 1..])
}

impl<'a> Part<'a> {
    fn of(reply: &'a Reply) -> Part<'a> {
        let whole = reply.text.trim_end_matches('\n');
        let (body, last) = whole.rsplit_once('\n').unwrap_or(("", whole));
        let inner = last.strip_prefix('[').and_then(|last| last.strip_suffix(']'));
        let said = inner.and_then(|inner| inner.split_once("; ")).filter(|_| reply.outcome == Outcome::Done);
        match said {
            Some((counts, tail)) => Part { whole, body, last: Some(LastLine { counts, tail }) },
            None => Part { whole, body: whole, last: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn several(names: &[&str], arguments: &Value, one: impl Fn(&Map<String, Value>) -> Reply) -> Reply {
        let mut arguments = arguments.as_object().expect("an object").clone();
        arguments.insert("name_path".to_owned(), json!(names));
        answer_each_sync(&arguments, "name_path", one)
    }

    #[test]
    fn what_all_answers_say_stands_once() {
        let one = |about: &Map<String, Value>| {
            let name = about["name_path"].as_str().expect("one name");
            assert_eq!(about["limit"], 10);
            let why = if name == "a" { " (no server (none); get one)" } else { "" };
            Reply::done(format!("f.py:1 {name}\n[1 use; syntax{why}; complete]"))
        };
        let reply = several(&["a", "b"], &json!({ "limit": 20 }), one);
        assert_eq!(
            reply.text,
            "# a: 1 use\nf.py:1 a\n# b: 1 use\nf.py:1 b\n[2 names; syntax (no server (none); get one); complete]"
        );
    }

    #[test]
    fn what_is_said_of_one_stands_with_it() {
        let one = |about: &Map<String, Value>| match about["name_path"].as_str() {
            Some("a") => Reply::done("x\n[1 use; syntax; complete]"),
            Some("b") => Reply::done("y?\n[1 use; syntax; unchecked: 1 marked ?]"),
            _ => Reply::failed("No symbol matching 'c' found"),
        };
        let reply = several(&["a", "b", "c"], &json!({}), one);
        assert_eq!(reply.outcome, Outcome::Done);
        assert_eq!(
            reply.text,
            "# a\nx\n[1 use; syntax; complete]\n# b\ny?\n[1 use; syntax; unchecked: 1 marked ?]\n\
             # c\nNo symbol matching 'c' found\n[3 names; the last line of each answer says how far to trust it]"
        );
        let none = several(&["c"], &json!({}), one);
        assert_eq!(none.outcome, Outcome::Failed);
    }

    #[test]
    fn programs_get_an_object_for_each_name() {
        let one = |about: &Map<String, Value>| match about["name_path"].as_str() {
            Some("a") => Reply::done(r#"{"complete":true,"left_out":0}"#),
            _ => Reply::failed("none"),
        };
        let reply = several(&["a", "b"], &json!({ "format": "json" }), one);
        let json: Value = serde_json::from_str(&reply.text).expect("JSON");
        let answers = json!([
            { "asked": "a", "complete": true, "left_out": 0 },
            { "asked": "b", "error": "none", "complete": false },
        ]);
        assert_eq!(json, json!({ "answers": answers, "complete": false }));
    }

    #[test]
    fn none_and_too_many_are_refused() {
        let one = |_: &Map<String, Value>| Reply::done("");
        let refused = "Invalid parameter 'name_path': expected a name, or a list of 1 to 20 names, got: []";
        assert_eq!(several(&[], &json!({}), one), Reply::failed(refused));
        assert!(several(&["a"; 21], &json!({}), one).text.starts_with("Invalid parameter 'name_path'"));
    }
}
