//! `symd refs`, `explore`, `impact`, `callers`, `callees`, `def`, `impls`, `hover`, `diagnostics`: native's
//! tools that use language servers, under shorter names.

use serde_json::{Value, json};

use crate::cli::args::{ChangeArgument, Patience, PlaceOrSymbol, Symbol};
use crate::cli::commands::ask;
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};

/// What is listed, not only counted, beside the references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Uses that the server does not report.
    pub(super) unlisted: bool,
    /// Uses of other members of the override family.
    pub(super) family: bool,
}

pub(super) fn refs(
    context: &Context,
    symbol: &Symbol,
    kinds: &[String],
    listed: Listed,
    patience: Patience,
) -> Result<(), Failure> {
    let mut wanted = of_symbol(context, symbol);
    wanted["include_kinds"] = if kinds.is_empty() { Value::Null } else { json!(kinds) };
    let when = |is_wanted: bool| if is_wanted { json!(true) } else { Value::Null };
    wanted["show_unlisted"] = when(listed.unlisted);
    wanted["family"] = when(listed.family);
    run(context, "find_referencing_symbols", wanted, patience)
}

/// Runs a tool that takes a symbol and a depth: callers, callees, implementations.
pub(super) fn tree(
    context: &Context,
    tool: &str,
    symbol: &Symbol,
    depth: Option<u32>,
    patience: Patience,
) -> Result<(), Failure> {
    let mut wanted = of_symbol(context, symbol);
    wanted["depth"] = json!(depth);
    run(context, tool, wanted, patience)
}

/// Runs `explore` with `depth` levels of users and at most `budget` characters.
pub(super) fn explore(
    context: &Context,
    symbol: &Symbol,
    (depth, budget): (Option<u32>, Option<u32>),
    patience: Patience,
) -> Result<(), Failure> {
    let mut wanted = of_symbol(context, symbol);
    (wanted["depth"], wanted["budget"]) = (json!(depth), json!(budget));
    run(context, "explore", wanted, patience)
}

pub(super) fn impact(
    context: &Context,
    symbol: &Symbol,
    change: Option<ChangeArgument>,
    depth: Option<u32>,
    patience: Patience,
) -> Result<(), Failure> {
    let mut wanted = of_symbol(context, symbol);
    let change = change.map(|change| match change {
        ChangeArgument::Signature => "signature",
        ChangeArgument::Behaviour => "behaviour",
        ChangeArgument::Removal => "removal",
    });
    (wanted["change"], wanted["depth"]) = (json!(change), json!(depth));
    run(context, "impact", wanted, patience)
}

pub(super) fn def(
    context: &Context,
    place: &PlaceOrSymbol,
    which: &str,
    patience: Patience,
) -> Result<(), Failure> {
    let mut wanted = of_place(context, place)?;
    wanted["which"] = json!(which);
    run(context, "find_definition", wanted, patience)
}

pub(super) fn hover(context: &Context, place: &PlaceOrSymbol, patience: Patience) -> Result<(), Failure> {
    let wanted = of_place(context, place)?;
    run(context, "hover", wanted, patience)
}

pub(super) fn diagnostics(
    context: &Context,
    file: Option<&str>,
    severity: Option<&str>,
    patience: Patience,
) -> Result<(), Failure> {
    let file = file.map(|file| context.in_project(file));
    run(context, "diagnostics", json!({ "relative_path": file, "min_severity": severity }), patience)
}

fn of_symbol(context: &Context, symbol: &Symbol) -> Value {
    let within = symbol.within.as_ref().map(|path| context.in_project(path));
    json!({ "name_path": symbol.name_path, "relative_path": within })
}

/// Parses `FILE:LINE NAME`, else a name path.
fn of_place(context: &Context, place: &PlaceOrSymbol) -> Result<Value, Failure> {
    let Some(name) = &place.name else {
        if file_and_line(&place.place).is_some() {
            return Err(Exit::Usage.because(format!(
                "which name on that line? `symd def {} NAME`; for a symbol give its name path alone",
                place.place
            )));
        }
        let symbol = Symbol { name_path: place.place.clone(), within: place.within.clone() };
        return Ok(of_symbol(context, &symbol));
    };
    let (file, line) = file_and_line(&place.place).ok_or_else(|| {
        Exit::Usage.because(format!("{:?} is not FILE:LINE; a symbol takes no further name", place.place))
    })?;
    Ok(json!({ "relative_path": context.in_project(file), "line": line, "name": name }))
}

fn file_and_line(place: &str) -> Option<(&str, u32)> {
    let (file, line) = place.rsplit_once(':')?;
    Some((file, line.parse().ok().filter(|&line| line > 0)?))
}

fn run(context: &Context, tool: &str, mut wanted: Value, patience: Patience) -> Result<(), Failure> {
    if patience.wait {
        wanted["wait"] = json!("ready");
        wanted["deadline_seconds"] = json!(patience.deadline);
    }
    wanted["limit"] = json!(patience.length.limit);
    ask::run(context, tool, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_and_a_line() {
        assert_eq!(file_and_line("src/a.py:12"), Some(("src/a.py", 12)));
        assert_eq!(file_and_line("a:b.py:1"), Some(("a:b.py", 1)));
        for other in ["Class/method", "a.py:0", "a.py:x", "a.py"] {
            assert_eq!(file_and_line(other), None, "{other}");
        }
    }
}
