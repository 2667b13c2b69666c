//! `safe_delete`: a symbol goes if nothing refers to it. What syntax cannot tell counts as a reference.

use super::super::asked::{patience, refused, wanted};
use super::super::files::{failed, limit};
use super::super::reference_text::{Unlisted, references_text};
use super::request::base;
use super::{Asked, perform, trial};
use crate::ops::edits::{Breaking, Ignored, Indentation, Request, SymbolAct, What};
use crate::ops::references::{FindReferences, Reference, References, references};
use crate::toolsets::arguments::Arguments;
use crate::toolsets::asked::within;
use crate::toolsets::{Call, Reply, Running};

pub(super) fn safe_delete(call: Call<'_>) -> Running<'_> {
    Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) })
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = patience(&arguments).map_err(failed)?;
    let wanted = wanted(&arguments).map_err(failed)?;
    let force = arguments.boolean_or("force", false).map_err(failed)?;
    let limit = limit(&arguments).map_err(failed)?;
    if !force {
        let ask = FindReferences { wanted: wanted.clone(), waiting: patience.waiting };
        let op = references(call.project, &ask);
        let mut found = within(call.project, patience.at_most, op).await.map_err(refused)?;
        leave_out_own(&mut found);
        let used = found.list.len() + found.silent.len() + found.elsewhere.len() + found.outside.len();
        if used > 0 {
            let listed = references_text(&found, &call.project.languages, Unlisted::Shown, limit);
            let symbol = &found.target.symbol;
            return Err(failed(format!(
                "{} in {} is still used; nothing was written; remove the uses first, or give force: true\n{listed}",
                symbol.name_path, symbol.path
            )));
        }
    }
    let what = What::Symbol { wanted, act: SymbolAct::Delete, indentation: Indentation::AsGiven };
    let breaking = if force { Breaking::Allowed } else { Breaking::Refused };
    let request = Request { what, base: base(call)?, breaking, ignored: Ignored::Refused };
    perform(call, Asked { request, trial: trial(&arguments)?, limit }).await
}

/// What refers to the symbol from inside goes with it.
fn leave_out_own(found: &mut References) {
    let (path, range) = (found.target.at.path.clone(), found.target.range);
    let is_own = |one: &Reference| one.spot.path == path && range.contains(one.spot.range);
    found.list.retain(|one| !is_own(one));
    found.silent.retain(|one| !is_own(one));
}
