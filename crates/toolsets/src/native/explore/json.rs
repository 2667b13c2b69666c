//! `explore` as JSON, with the facts of its text. Invariant: the answer keeps to the budget as far as its
//! lists can be cut; `left_out` counts what was.

use serde_json::{Value, json};

use crate::Client;
use crate::native::server_tools::{reading_json, source_json};
use crate::native::users_text::{file_of, gaps_json, is_whole, user_json};
use symd_ops::explore::{Explored, LinkedDeclaration};
use symd_ops::relations::RelatedSymbol;
use symd_ops::symbol::Symbol;

/// Formats the answer about one symbol, else `overloads` with one entry for each.
pub(super) fn explored_json(all: &[Explored], budget: usize, client: &Client) -> String {
    let share = budget / all.len().max(1);
    let mut objects: Vec<Value> = all.iter().map(|one| object(one, share, client)).collect();
    match objects.pop() {
        Some(only) if objects.is_empty() => only.to_string(),
        last => {
            objects.extend(last);
            let is_complete = objects.iter().all(|one| one["complete"] == json!(true));
            json!({ "overloads": objects, "complete": is_complete }).to_string()
        }
    }
}

fn object(found: &Explored, budget: usize, client: &Client) -> Value {
    let (declaration, symbol) = (&found.declaration, &found.declaration.symbol);
    let body = symbol.body.as_deref().unwrap_or_default();
    let is_shown = json!(body).to_string().chars().count() <= budget / 2;
    if is_shown {
        client.record_read(&found.target.at.path, declaration.hash);
    }
    let documentation = declaration.above.as_ref().or(declaration.within.as_ref());
    let mut object = json!({
        "symbol": symbol_json(symbol), "documentation": documentation, "body": is_shown.then_some(body),
        "head": declaration.head, "revision": found.revision, "may_be_linked": found.links.perhaps.one_by_one,
        "outside_callees": found.callees.as_ref().map_or(&[][..], |callees| &callees.unresolved),
    });
    gaps_json(&found.reach, &mut object);
    reading_json(found.target.read_as.as_ref(), &mut object);
    source_json(&found.reach.source, &mut object);
    let all = &found.reach.reached;
    let callees = found.callees.as_ref().map_or(&[][..], |callees| &callees.branches);
    let lists: [(&str, Vec<Value>); 6] = [
        ("members", symbol.children.iter().map(symbol_json).collect()),
        ("callees", callees.iter().map(branch_json).collect()),
        ("users", found.users().into_iter().map(|one| user_json(one, all)).collect()),
        ("above", found.links.above.iter().map(link_json).collect()),
        ("below", found.links.below.iter().map(link_json).collect()),
        ("tests", found.tests().into_iter().map(|one| user_json(one, all)).collect()),
    ];
    let mut left_out = json!({});
    let mut left = budget.saturating_sub(object.to_string().chars().count());
    let mut is_all = is_shown;
    // Short lists first, so that the room that they leave is for the long ones.
    let mut by_length: Vec<&(&str, Vec<Value>)> = lists.iter().collect();
    by_length.sort_by_key(|(_, list)| list.len());
    for (at, (name, list)) in by_length.into_iter().enumerate() {
        let shown = fitting(list, left / (lists.len() - at));
        left = left.saturating_sub(Value::from(&list[..shown]).to_string().chars().count());
        object[*name] = Value::from(&list[..shown]);
        left_out[*name] = json!(list.len() - shown);
        is_all &= shown == list.len();
    }
    object["left_out"] = left_out;
    let is_sure = callees.iter().all(|one| one.is_likely)
        && found.links.perhaps.one_by_one.is_empty()
        && is_whole(&found.reach);
    object["complete"] = json!(is_all && is_sure);
    object
}

/// Returns how many of `list` fit into `room` characters.
fn fitting(list: &[Value], mut room: usize) -> usize {
    let fits = |one: &&Value| {
        let rest = room.checked_sub(one.to_string().chars().count() + 1);
        room = rest.unwrap_or(0);
        rest.is_some()
    };
    list.iter().take_while(fits).count()
}

fn symbol_json(symbol: &Symbol) -> Value {
    json!({
        "name_path": symbol.name_path, "path": symbol.path.as_str(), "kind": symbol.kind.word(),
        "start_line": symbol.start_line + 1, "end_line": symbol.end_line + 1,
        "signature": symbol.signature.as_ref().map(|signature| signature.full()),
    })
}

fn branch_json(branch: &RelatedSymbol) -> Value {
    let lines: Vec<u32> = branch.lines.iter().map(|line| line + 1).collect();
    json!({
        "name_path": branch.summary.name_path, "kind": branch.summary.kind.word(), "path": file_of(&branch.key.file),
        "line": branch.summary.line + 1, "at_lines": lines, "likely": branch.is_likely,
    })
}

fn link_json(one: &LinkedDeclaration) -> Value {
    json!({
        "name_path": one.summary.name_path, "kind": one.summary.kind.word(), "path": file_of(&one.file),
        "line": one.summary.line + 1, "likely": one.is_likely,
    })
}
