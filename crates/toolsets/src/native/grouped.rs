//! Answers about all overloads of a name: a single answer if it is the same for all, else one per overload,
//! under its signature.

use serde_json::{Value, json};

use super::joined::JoinedAnswers;
use super::render::{Signatures, line};
use crate::Reply;
use symd_ops::target::{OverloadAnswer, Target};

/// Formats the answers as text, within `limit` characters in total. An answer about a single symbol has no
/// heading. `text` formats one answer within a number of characters.
pub(super) fn grouped_text<T>(
    all: &[OverloadAnswer<T>],
    limit: usize,
    text: impl Fn(&T, usize) -> String,
) -> Reply {
    if let [OverloadAnswer { targets, answer }] = all
        && targets.len() == 1
    {
        return Reply::done(text(answer, limit));
    }
    let share = share(limit, all.len());
    let mut joined = JoinedAnswers::default();
    for (place, one) in all.iter().enumerate() {
        if place > 0 {
            joined.add_line("");
        }
        one.targets.iter().for_each(|target| joined.add_line(&heading(target)));
        joined.add_answer(&text(&one.answer, share), &[]);
    }
    joined.into()
}

/// Formats the answers as JSON: the only one, if it is about a single symbol, else `overloads` with one entry
/// per answer. A symbol of C or C++ is single with all its declarations, which `symbols` lists. `object` formats one answer
/// within a number of characters.
pub(super) fn grouped_json<T>(
    all: &[OverloadAnswer<T>],
    limit: usize,
    object: impl Fn(&T, usize) -> Value,
) -> String {
    if let [OverloadAnswer { targets, answer }] = all
        && targets.len() == 1
    {
        return object(answer, limit).to_string();
    }
    let share = share(limit, all.len());
    let group = |one: &OverloadAnswer<T>| {
        let mut object = object(&one.answer, share);
        object["symbols"] = one.targets.iter().map(symbol_json).collect();
        object
    };
    if let [only] = all
        && only.targets.iter().all(Target::has_prototypes)
    {
        return group(only).to_string();
    }
    let groups: Vec<Value> = all.iter().map(group).collect();
    let is_complete = groups.iter().all(|group| group["complete"] == json!(true));
    json!({ "overloads": groups, "complete": is_complete }).to_string()
}

fn share(limit: usize, groups: usize) -> usize {
    (limit / groups.max(1)).max(1)
}

/// Formats a heading: `# bookshop/pricing.py:30-31 function price_of[0](books: Book) -> int`.
fn heading(target: &Target) -> String {
    let symbol = &target.symbol;
    format!("# {}:{}", symbol.path, line(symbol, &symbol.name_path, Signatures::Shown))
}

fn symbol_json(target: &Target) -> Value {
    let symbol = &target.symbol;
    json!({
        "name_path": symbol.name_path, "path": symbol.path.as_str(), "line": symbol.start_line + 1,
        "kind": symbol.kind.word(), "signature": symbol.signature.as_ref().map(|signature| signature.full()),
    })
}
