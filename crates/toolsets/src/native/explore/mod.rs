//! `explore` of `native`: the usual bundle about a symbol in one answer, most useful first, within a budget.

mod json;
mod section;
mod text;

use serde_json::{Value, json};

use super::answer::{Format, format};
use super::batch::{answer_each, symbol_names};
use super::files::{failed, limit};
use super::server_tools::{format_refusal, name_path, relative_path, schema, selector, server_wait};
use crate::arguments::{ArgumentError, Arguments};
use crate::server_questions::within;
use crate::{Call, Reply, ReplyFuture, Tool};
use symd_ops::explore::{Explore, explore as explore_symbol};
use symd_ops::target::{AmbiguityPolicy, SymbolSelector};

pub(super) const EXPLORE: Tool = Tool::read_only(
    "explore",
    "Explore",
    "Explore a symbol in one call: its source or members, documentation, callees, callers \
     to a depth, overrides and the tests that reach it, most useful first, within a budget of characters.",
    explore_schema,
    explore,
);

/// The default budget of an answer about one symbol, in characters.
const DEFAULT_BUDGET: usize = 6_000;
/// The default budget of each of several symbols.
const BUDGET_OF_EACH: usize = 3_000;
/// The minimum budget: less has no room for a declaration and the facts about it.
const MIN_BUDGET: usize = 500;

/// The default and the maximum of levels of users.
const DEPTH: usize = 1;
const MAX_DEPTH: usize = 10;

fn explore_schema() -> Value {
    let own = json!({
        "name_path": name_path(),
        "relative_path": relative_path(),
        "depth": {"type": "integer", "minimum": 1, "maximum": MAX_DEPTH, "default": DEPTH, "description": "Levels of callers."},
        "budget": {"type": "integer", "minimum": MIN_BUDGET, "default": DEFAULT_BUDGET, "description": "The most characters of the answer; of several symbols together, 3000 for each if absent."},
    });
    schema(own, &["name_path"])
}

fn explore(mut call: Call<'_>) -> ReplyFuture<'_> {
    let asked = symbol_names(&call.arguments, "name_path").len().max(1);
    let is_list = call.arguments.get("name_path").is_some_and(Value::is_array);
    match budget(
        &Arguments::new(&call.arguments),
        if is_list { BUDGET_OF_EACH * asked } else { DEFAULT_BUDGET },
    ) {
        Err(why) => return Box::pin(std::future::ready(failed(why))),
        // The given budget is that of all symbols together.
        Ok(budget) => {
            let share = (budget / asked).max(MIN_BUDGET);
            call.arguments.insert("budget".to_owned(), json!(share));
        }
    }
    answer_each(call, "name_path", |call| Box::pin(run(call)))
}

/// Parses the argument `budget`; `run` applies `limit` as well.
fn budget(arguments: &Arguments<'_>, default: usize) -> Result<usize, ArgumentError> {
    let budget = arguments.count_or("budget", default)?;
    if budget < MIN_BUDGET {
        return Err(arguments.invalid("budget", &format!("an integer of at least {MIN_BUDGET}")));
    }
    Ok(budget)
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let depth = arguments.count_or("depth", DEPTH).map_err(failed)?;
    if !(1..=MAX_DEPTH).contains(&depth) {
        return Err(failed(arguments.invalid("depth", &format!("an integer from 1 to {MAX_DEPTH}"))));
    }
    let budget = budget(&arguments, DEFAULT_BUDGET).map_err(failed)?;
    let budget = budget.min(limit(&arguments).map_err(failed)?);
    let format = format(&arguments).map_err(failed)?;
    let wanted =
        SymbolSelector { several: AmbiguityPolicy::Overloads, ..selector(&arguments).map_err(failed)? };
    let ask = Explore { wanted, depth, waiting: patience.waiting };
    let op = explore_symbol(call.project, &ask);
    let all = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
    Ok(match format {
        Format::Json => Reply::done(json::explored_json(&all, budget, &call.client)),
        Format::Text => text::explored_text(&all, budget, &call.client),
    })
}
