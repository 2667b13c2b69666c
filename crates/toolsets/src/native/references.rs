//! `find_referencing_symbols` of `native`: references, grouped by file.

use serde_json::{Value, json};

use super::answer::{Format, format};
use super::batch::answer_each;
use super::files::{failed, limit};
use super::grouped::{grouped_json, grouped_text};
use super::reference_text::{UnreportedUses, UsesThroughFamily, references_json, references_text};
use super::server_tools::{format_refusal, name_path, relative_path, schema, selector, server_wait};
use super::symbols::kinds;
use crate::arguments::Arguments;
use crate::server_questions::within;
use crate::{Call, Reply, Tool};
use symd_ops::references::{FindReferences, references_of_overloads};
use symd_ops::target::{AmbiguityPolicy, SymbolSelector};

pub(super) const FIND_REFERENCING_SYMBOLS: Tool = Tool::read_only(
    "find_referencing_symbols",
    "Find references",
    "Find all references to a symbol: where a class, function, method or variable \
     is used, imported or called, with the line and the symbol around each use. Answered by a language server and \
     checked against every occurrence of the name; from syntax where there is none. Use it before changing or removing \
     anything; for call chains use find_callers.",
    references_schema,
    |call| answer_each(call, "name_path", |call| Box::pin(run(call))),
);

fn references_schema() -> Value {
    let own = json!({
        "name_path": name_path(),
        "relative_path": relative_path(),
        "include_kinds": {"type": "array", "items": {"type": "string"}, "default": [], "description": "Only uses inside symbols of these kinds: function, method, class, file (top level) …"},
        "exclude_kinds": {"type": "array", "items": {"type": "string"}, "default": [], "description": "Not inside these; wins over include_kinds."},
        "family": {"type": "boolean", "default": false, "description": "Also list the uses of what the member overrides and of what overrides it."},
        "show_unlisted": {"type": "boolean", "default": false, "description": "Also list likely uses that the server does not tell, all possible ones, and those in other languages."},
    });
    schema(own, &["name_path"])
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    let wanted =
        SymbolSelector { several: AmbiguityPolicy::Overloads, ..selector(&arguments).map_err(failed)? };
    let ask = FindReferences { wanted, waiting: patience.waiting };
    let (include, exclude) = (
        kinds(&arguments, "include_kinds").map_err(failed)?,
        kinds(&arguments, "exclude_kinds").map_err(failed)?,
    );
    let unlisted = if arguments.boolean_or("show_unlisted", false).map_err(failed)? {
        UnreportedUses::Shown
    } else {
        UnreportedUses::Counted
    };
    let family = match arguments.boolean_or("family", false).map_err(failed)? {
        true => UsesThroughFamily::Listed,
        false => UsesThroughFamily::Counted,
    };
    let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
    let op = references_of_overloads(call.project, &ask);
    let mut all = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
    all.iter_mut().for_each(|one| one.answer.keep_kinds(&include, &exclude));
    let languages = &call.project.languages;
    Ok(match format {
        Format::Json => Reply::done(grouped_json(&all, limit, |found, limit| {
            references_json(found, languages, family, limit)
        })),
        Format::Text => {
            grouped_text(&all, limit, |found, limit| references_text(found, call, (unlisted, family), limit))
        }
    })
}
