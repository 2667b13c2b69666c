//! `impact` as JSON, with the facts of its text.

use serde_json::{Value, json};

use super::counts::{PARTS, by_part, files, media, modules};
use super::word;
use crate::native::answer::fitting;
use crate::native::server_tools::{reading_json, source_json};
use crate::native::users_text::{file_of, gaps_json, is_whole, part_word, user_json};
use symd_ops::explore::LinkedDeclaration;
use symd_ops::impact::Impact;
use symd_ops::relations::TransitiveUser;
use symd_ops::rename::MentionPlace;

/// Formats the answer about one symbol, else `overloads` with one entry for each.
pub(super) fn impacts_json(all: &[Impact], limit: usize) -> String {
    if let [only] = all {
        return impact_json(only, limit).to_string();
    }
    let share = (limit / all.len().max(1)).max(1);
    let answers: Vec<Value> = all.iter().map(|one| impact_json(one, share)).collect();
    let is_complete = answers.iter().all(|one| one["complete"] == json!(true));
    json!({ "overloads": answers, "complete": is_complete }).to_string()
}

fn impact_json(found: &Impact, limit: usize) -> Value {
    let symbol = &found.target.symbol;
    let all = &found.reach.reached;
    let direct: Vec<Value> = found.direct().into_iter().map(|one| user_json(one, all)).collect();
    let further: Vec<Value> =
        (2..=found.depth).flat_map(|depth| found.at(depth)).map(|one| user_json(one, all)).collect();
    let mentions: Vec<Value> = found.mentioned.places.iter().map(mention_json).collect();
    let tests: Vec<Value> = found.test_files().iter().map(test_json).collect();
    // Direct users first: the room that they leave is for the others.
    let shown = fitting(&direct, limit);
    let left = limit.saturating_sub(Value::from(&direct[..shown]).to_string().chars().count());
    let (of_further, of_mentions) = (fitting(&further, left / 2), fitting(&mentions, left / 4));
    let of_tests = fitting(&tests, left / 4);
    let levels: Vec<Value> = (1..=found.depth).map(|depth| level_json(depth, &found.at(depth))).collect();
    let modules: Vec<Value> = modules(found)
        .iter()
        .map(|(module, direct, further)| json!({ "module": module, "direct": direct, "further": further }))
        .collect();
    let left_out = json!({
        "direct": direct.len() - shown, "further": further.len() - of_further,
        "mentions": mentions.len() - of_mentions, "tests": tests.len() - of_tests,
    });
    let is_all = left_out.as_object().is_some_and(|all| all.values().all(|count| *count == json!(0)));
    let mut object = json!({
        "symbol": {
            "name_path": symbol.name_path, "path": symbol.path.as_str(), "line": symbol.start_line + 1,
            "kind": symbol.kind.word(),
        },
        "change": word(found.change), "levels": levels, "modules": modules, "direct": direct[..shown],
        "further": further[..of_further], "mentions": mentions[..of_mentions], "tests": tests[..of_tests],
        "mentioned": media(&found.mentioned).iter().map(|(medium, count)| json!({ "in": medium.name(), "count": count })).collect::<Vec<Value>>(),
        "above": found.links.above.iter().map(link_json).collect::<Vec<Value>>(),
        "below": found.links.below.iter().map(link_json).collect::<Vec<Value>>(),
        "may_be_linked": found.links.perhaps.one_by_one, "links_left_out": found.links_left_out, "goes_on": found.reach.may_have_more,
        "left_out": left_out, "revision": found.revision,
        "complete": is_all && is_whole(&found.reach) && found.links.perhaps.one_by_one.is_empty() && found.links_left_out == 0
            && !found.mentioned.is_cut && found.has_all_behaviour() && found.mentioned.unsearched.is_empty(),
    });
    gaps_json(&found.reach, &mut object);
    reading_json(found.target.read_as.as_ref(), &mut object);
    source_json(&found.reach.source, &mut object);
    object
}

fn level_json(depth: usize, all: &[&TransitiveUser]) -> Value {
    let mut object = json!({ "depth": depth, "symbols": all.len(), "files": files(all) });
    for (part, count) in PARTS.iter().zip(by_part(all)) {
        object[part_word(*part)] = json!(count);
    }
    object
}

fn mention_json(one: &MentionPlace) -> Value {
    json!({ "path": one.path.as_str(), "line": one.line + 1, "in": one.medium.name() })
}

fn test_json((file, depth, is_likely): &(String, usize, bool)) -> Value {
    json!({ "path": file, "depth": depth, "likely": is_likely })
}

fn link_json(one: &LinkedDeclaration) -> Value {
    json!({
        "name_path": one.summary.name_path, "kind": one.summary.kind.word(), "path": file_of(&one.file),
        "line": one.summary.line + 1, "likely": one.is_likely,
    })
}
