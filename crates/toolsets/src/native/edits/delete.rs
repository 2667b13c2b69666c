//! `safe_delete`: deletes a symbol if nothing refers to it and no member is linked to it by overriding. A
//! possible reference counts as one.

use std::time::Duration;

use super::super::files::{counted, failed, limit};
use super::super::reference_text::{UnreportedUses, references_text};
use super::super::server_tools::{edit_selector, format_refusal, server_wait};
use super::request::base;
use super::{EditCall, RunMode, done_reply, perform, refusal, run_mode};
use crate::arguments::Arguments;
use crate::server_questions::within;
use crate::{Call, Reply, ReplyFuture};
use symd_base::{RelPath, TextRange};
use symd_edit::Originator;
use symd_ops::edits::{
    Breaking, DiagnosticsReport, EditAction, IgnoredEdits, NameUsers, PerformError, Request, SymbolAction,
    perform_while,
};
use symd_ops::overrides::{FindOverrides, overrides};
use symd_ops::references::{FindReferences, Reference, References, references_of_declarations};
use symd_ops::target::{AmbiguityPolicy, SymbolSelector};
use symd_rewrite::Indentation;

/// The maximum number of linked members that a refusal lists.
const MAX_LINKED: usize = 20;

/// The maximum number of searches for uses. A search is repeated if files with the name changed before the
/// symbol was deleted.
const ATTEMPTS: usize = 16;

pub(super) fn safe_delete(call: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) })
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let arguments = Arguments::new(&call.arguments);
    let patience = server_wait(&arguments).map_err(failed)?;
    // All declarations of one thing are deleted together.
    let wanted =
        SymbolSelector { several: AmbiguityPolicy::OneEntity, ..edit_selector(&arguments).map_err(failed)? };
    let force = arguments.boolean_or("force", false).map_err(failed)?;
    let limit = limit(&arguments).map_err(failed)?;
    let what = EditAction::Symbol {
        wanted: wanted.clone(),
        act: SymbolAction::Delete,
        indentation: Indentation::Verbatim,
    };
    let breaking = if force { Breaking::Allowed } else { Breaking::Refused };
    let request = Request { what, base: base(call)?, breaking, ignored: IgnoredEdits::Refused };
    let trial = run_mode(&arguments)?;
    if force {
        return perform(call, EditCall { request, trial, limit }).await;
    }
    let ask = FindReferences { wanted, waiting: patience.waiting };
    let mut turn = call.project.engine.turn_if_contended().await;
    for attempt in 1..=ATTEMPTS {
        // Taken before the search for references: it shows whether the name came into use afterwards.
        let op = NameUsers::of(call.project, &ask.wanted);
        let users = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
        let op = references_of_declarations(call.project, &ask);
        let mut found = within(call.project, patience.at_most, op).await.map_err(format_refusal)?;
        leave_out_own(&mut found);
        if let Some(used) = found.iter().find(|one| is_used(one)) {
            let listed = references_text(used, call, UnreportedUses::Shown, limit);
            return Err(failed(format!(
                "{} is still used; nothing was written; remove the uses first, or give force: true\n{listed}",
                described(used)
            )));
        }
        if found.iter().any(|one| one.unread.is_being_parsed()) && attempt < ATTEMPTS {
            continue;
        }
        if let Some(unsure) = found.iter().find(|one| !one.unread.is_empty()) {
            return Err(failed(format!(
                "cannot determine whether {} is used; nothing was written: {}; fix that, or give force: true",
                described(unsure),
                unsure.unread.clauses().join("; ")
            )));
        }
        refuse_linked(call, &ask, patience.at_most).await?;
        if trial == RunMode::DryRun {
            return perform(call, EditCall { request, trial, limit }).await;
        }
        let by = Originator {
            who: call.client.name().to_owned(),
            tool: call.tool.to_owned(),
            title: String::new(),
        };
        let report = DiagnosticsReport::NewDiagnostics;
        match perform_while(call.project, request.clone(), report, by, turn.take(), &users).await {
            Err(PerformError::UsersChanged) => turn = Some(call.project.engine.turn().await),
            done => return Ok(done_reply(call, &done.map_err(refusal)?, limit)),
        }
    }
    Err(refusal(PerformError::UsersChanged))
}

/// Rejects the deletion of a member that overrides another, is overridden, or may be: callers reach it
/// through the others.
async fn refuse_linked(call: &Call<'_>, ask: &FindReferences, at_most: Duration) -> Result<(), Reply> {
    let ask = FindOverrides { wanted: ask.wanted.clone(), waiting: ask.waiting };
    let op = overrides(call.project, &ask);
    let (target, links) = within(call.project, at_most, op).await.map_err(format_refusal)?;
    let others: Vec<String> = links
        .others(&target)
        .take(MAX_LINKED)
        .map(|(one, line)| format!("  {}:{} {}", one.at.path, line + 1, one.symbol.name_path))
        .collect();
    let count = links.others(&target).count();
    if count == 0 && links.objections.is_empty() {
        return Ok(());
    }
    let mut why = Vec::new();
    if count > 0 {
        why.push(format!("it overrides, or is overridden by, {}", counted(count, "member", "members")));
    }
    if !links.objections.is_empty() {
        why.push(links.objection());
    }
    let symbol = &target.symbol;
    let more = count.saturating_sub(others.len());
    let mut lines = vec![format!(
        "{} in {} counts as used: {}; nothing was written; give force: true to delete it nevertheless",
        symbol.name_path,
        symbol.path,
        why.join("; ")
    )];
    lines.extend(others);
    if more > 0 {
        lines.push(format!("  … and {more} more"));
    }
    Err(failed(lines.join("\n")))
}

fn described(found: &References) -> String {
    let symbol = &found.target.symbol;
    format!("{} in {}", symbol.name_path, symbol.path)
}

fn is_used(found: &References) -> bool {
    let lists = [&found.list, &found.unreported, &found.in_other_languages];
    !found.outside.is_empty() || lists.iter().any(|list| !list.is_empty())
}

/// Drops references from inside a declaration, or inside another declaration of the same thing: they are
/// deleted with it.
fn leave_out_own(found: &mut [References]) {
    let own: Vec<(RelPath, TextRange)> =
        found.iter().map(|one| (one.target.at.path.clone(), one.target.range)).collect();
    let is_use = |one: &Reference| {
        !own.iter().any(|(path, range)| one.spot.path == *path && range.contains(one.spot.range))
    };
    for one in found {
        one.list.retain(is_use);
        one.unreported.retain(is_use);
    }
}
