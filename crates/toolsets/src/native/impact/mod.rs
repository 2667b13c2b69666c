//! `impact` of `native`: what a change of a symbol reaches.

mod counts;
mod json;
mod text;

use serde_json::{Value, json};

use super::answer::{Format, format};
use super::batch::answer_each;
use super::files::{failed, limit};
use super::server_tools::{format_refusal, name_path, relative_path, schema, selector, server_wait};
use crate::arguments::Arguments;
use crate::server_questions::within;
use crate::{Call, Reply, Tool};
use symd_ops::impact::{AskImpact, SymbolChange, impact as impact_of};
use symd_ops::target::{AmbiguityPolicy, SymbolSelector};

pub(super) const IMPACT: Tool = Tool::read_only(
    "impact",
    "Impact",
    "What a change of a symbol reaches, before you make it: a change of its signature, of its \
     behaviour, or its removal. Users in production, tests and generated code with counts, transitively to a depth, overrides, \
     mentions in texts, and the tests to run.",
    impact_schema,
    |call| answer_each(call, "name_path", |call| Box::pin(run(call))),
);

/// The default and the maximum of levels of users.
const DEPTH: usize = 3;
const MAX_DEPTH: usize = 10;

/// The kinds of change.
pub(super) const CHANGES: [&str; 3] = ["signature", "behaviour", "removal"];

fn impact_schema() -> Value {
    let own = json!({
        "name_path": name_path(),
        "relative_path": relative_path(),
        "change": {"type": "string", "enum": CHANGES, "default": "signature", "description": "signature: uses and overrides; behaviour: callers over any number of calls; removal: every mention, imports and texts included."},
        "depth": {"type": "integer", "minimum": 1, "maximum": MAX_DEPTH, "default": DEPTH, "description": "Levels of users."},
    });
    schema(own, &["name_path"])
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let change = match arguments.one_of_or("change", &CHANGES, "signature").map_err(failed)? {
        "behaviour" => SymbolChange::Behaviour,
        "removal" => SymbolChange::Removal,
        _ => SymbolChange::Signature,
    };
    let depth = arguments.count_or("depth", DEPTH).map_err(failed)?;
    if !(1..=MAX_DEPTH).contains(&depth) {
        return Err(failed(arguments.invalid("depth", &format!("an integer from 1 to {MAX_DEPTH}"))));
    }
    let wanted =
        SymbolSelector { several: AmbiguityPolicy::Overloads, ..selector(&arguments).map_err(failed)? };
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let ask = AskImpact { wanted, change, depth, waiting: patience.waiting };
    let op = impact_of(call.project, &ask);
    let all = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
    Ok(match format {
        Format::Json => Reply::done(json::impacts_json(&all, limit)),
        Format::Text => text::impacts_text(&all, limit, &call.client),
    })
}

/// Returns the word for a change.
fn word(change: SymbolChange) -> &'static str {
    match change {
        SymbolChange::Signature => "signature",
        SymbolChange::Behaviour => "behaviour",
        SymbolChange::Removal => "removal",
    }
}
