//! `safe_delete`: deletes a symbol if nothing refers to it and no member is linked to it by overriding. A
//! possible reference counts as one.

use std::time::Duration;

use serde_json::{Map, Value};

use super::super::files::{counted, failed, limit};
use super::super::reference_text::{UnreportedUses, UsesThroughFamily, references_text};
use super::super::server_tools::{ServerWait, edit_selector, format_refusal, server_wait};
use super::request::{base, given};
use super::{EditCall, RunMode, done_reply, perform, refusal, run_mode, schema};
use crate::arguments::Arguments;
use crate::server_questions::within;
use crate::{Call, Reply, Tool};
use symd_edit::Originator;
use symd_ops::edits::{
    AttemptError, Breaking, Deletable, DiagnosticsReport, EditAction, IgnoredEdits, NameUsers,
    NamedRevisions, PlanningError, Request, SymbolAction, check_deletable, delete_unused,
};
use symd_ops::overrides::OverrideLinks;
use symd_ops::references::{FindReferences, References};
use symd_ops::rename::{Listed, MentionPlace};
use symd_ops::target::{AmbiguityPolicy, SymbolSelector, Target};
use symd_resolve::{PositionUse, UnseenUser};
use symd_rewrite::Indentation;

/// The maximum number of linked members, or of mentions, that a refusal lists.
const MAX_LISTED: usize = 20;

pub(in super::super) const SAFE_DELETE: Tool = Tool::changing(
    "safe_delete",
    "Delete unused symbol",
    "Deletes a symbol, with its documentation, if nothing refers to it; else lists the references and deletes nothing.",
    schema::safe_delete,
    |call| Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| {
    let DeleteArgs { wanted, .. } = DeleteArgs::read(proposed.arguments)?;
    wanted.check().map_err(|problem| refusal(PlanningError::from(problem).into()))
});

/// The arguments of `safe_delete`.
struct DeleteArgs {
    wanted: SymbolSelector,
    patience: ServerWait,
    force: bool,
    given: Option<NamedRevisions>,
    mode: RunMode,
    limit: usize,
}

impl DeleteArgs {
    fn read(arguments: &Map<String, Value>) -> Result<DeleteArgs, Reply> {
        let (all, arguments) = (arguments, Arguments::new(arguments));
        let patience = server_wait(&arguments).map_err(failed)?;
        let wanted = edit_selector(&arguments).map_err(failed)?;
        // All declarations of one thing are deleted together.
        let wanted = SymbolSelector { several: AmbiguityPolicy::OneEntity, ..wanted };
        let force = arguments.boolean_or("force", false).map_err(failed)?;
        let limit = limit(&arguments).map_err(failed)?;
        let given = given(all)?;
        Ok(DeleteArgs { wanted, patience, force, given, mode: run_mode(&arguments)?, limit })
    }
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let DeleteArgs { wanted, patience, force, given, mode, limit } = DeleteArgs::read(&call.arguments)?;
    let what = EditAction::Symbol {
        wanted: wanted.clone(),
        act: SymbolAction::Delete,
        indentation: Indentation::Verbatim,
    };
    let breaking = if force { Breaking::Allowed } else { Breaking::Refused };
    let request = Request { what, base: base(call, given), breaking, ignored: IgnoredEdits::Refused };
    if force {
        return perform(call, EditCall { request, mode, limit }).await;
    }
    let ask = FindReferences { wanted, waiting: patience.waiting };
    let by =
        Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title: String::new() };
    let is_dry_run = mode == RunMode::DryRun;
    let check = || checked(call, &ask, patience.at_most, limit);
    let edit = (request.clone(), DiagnosticsReport::NewDiagnostics, by);
    match delete_unused(call.project, edit, is_dry_run, check, refusal).await? {
        Some(deleted) => Ok(done_reply(call, &deleted, limit)),
        None => perform(call, EditCall { request, mode, limit }).await,
    }
}

/// Returns the users of the symbol's name if it can be deleted.
async fn checked(
    call: &Call<'_>,
    ask: &FindReferences,
    at_most: Duration,
    limit: usize,
) -> Result<NameUsers, AttemptError<Reply>> {
    let answer = within(call.project, at_most, check_deletable(call.project, ask)).await;
    match answer.map_err(|why| AttemptError::Final(format_refusal(why)))? {
        Deletable::Yes(users) => Ok(users),
        Deletable::Used(used) => {
            let listed =
                references_text(&used, call, (UnreportedUses::Shown, UsesThroughFamily::Counted), limit);
            Err(AttemptError::Final(failed(format!(
                "{} is still used; nothing was written; remove the uses first, or give force: true\n{listed}",
                described(&used)
            ))))
        }
        Deletable::Unsure { unread, is_being_parsed } => {
            let why = failed(format!(
                "cannot determine whether {} is used; nothing was written: {}; fix that, or give force: true",
                described(&unread),
                unread.unread.clauses().join("; ")
            ));
            Err(if is_being_parsed { AttemptError::NotReady(why) } else { AttemptError::Final(why) })
        }
        Deletable::Linked(linked) => Err(AttemptError::Final(linked_refusal(&linked.0, &linked.1))),
        Deletable::UsedUnseen(used) => {
            let why = match &used.1 {
                UnseenUser::Reader(reader) => format!("{reader} finds it by its name"),
                UnseenUser::Annotation(annotation) => {
                    format!("{annotation} may register it, and what is registered is called without its name")
                }
                UnseenUser::Interface => "an interface may ask for a method of its name".to_owned(),
                UnseenUser::Embedding => {
                    "it embeds its type, whose methods and fields code and interfaces reach without its name; declare those that are needed on the struct itself first"
                        .to_owned()
                }
                UnseenUser::Effect(effect) => {
                    format!("its value is computed by {effect}, which may have an effect that would be lost")
                }
                UnseenUser::Trait(implemented) => format!(
                    "it implements {implemented}, which code may call or ask for without naming the implementation"
                ),
                UnseenUser::Position => {
                    "the constants after it would get other values, which count by position".to_owned()
                }
                UnseenUser::Default => {
                    "#[default] makes it the value of its type's Default; move that to another variant first"
                        .to_owned()
                }
                UnseenUser::PositionRead(read) => format!(
                    "the constants after it would get other positions, which {} reads; change that code first, or write the positions out as values",
                    shown(read)
                ),
                UnseenUser::FieldByPosition(given) => format!(
                    "{} gives the fields by position; name them there first, or take its value out",
                    shown(given)
                ),
            };
            Err(AttemptError::Final(failed(counts_as_used(&used.0, &why))))
        }
        Deletable::NameComputed(computed) => {
            let (target, places) = &*computed;
            let why = "its class reaches members by computed names, and this may be one of them; make sure that none of these computes its name";
            let place = |one: &Listed| format!("  {}:{} {}", one.path, one.line + 1, one.text);
            let lines = listed(places, place);
            Err(AttemptError::Final(failed(format!("{}\n{lines}", counts_as_used(target, why)))))
        }
        Deletable::Mentioned(mentioned) => {
            let (target, places) = &*mentioned;
            let why = "a program may look it up by texts that name it";
            let place =
                |one: &MentionPlace| format!("  {}:{} in {}", one.path, one.line + 1, one.medium.name());
            let lines = listed(places, place);
            Err(AttemptError::Final(failed(format!("{}\n{lines}", counts_as_used(target, why)))))
        }
    }
}

/// Returns the sentence that refuses to delete `target`, and why.
fn counts_as_used(target: &Target, why: &str) -> String {
    let symbol = &target.symbol;
    format!(
        "{} in {} counts as used: {why}; nothing was written; give force: true to delete it nevertheless",
        symbol.name_path, symbol.path
    )
}

/// Returns the code and where it stands.
fn shown(code: &PositionUse) -> String {
    format!("'{}' at {}:{}", code.code, code.path, code.line + 1)
}

/// Returns a line for each of `all`, up to `MAX_LISTED`.
fn listed<T>(all: &[T], line: impl Fn(&T) -> String) -> String {
    let mut lines: Vec<String> = all.iter().take(MAX_LISTED).map(line).collect();
    if all.len() > MAX_LISTED {
        lines.push(format!("  … and {} more", all.len() - MAX_LISTED));
    }
    lines.join("\n")
}

/// Rejects the deletion of a member that overrides another, is overridden, or may be: callers reach it
/// through the others.
fn linked_refusal(target: &Target, links: &OverrideLinks) -> Reply {
    let others: Vec<_> = links.others(target).collect();
    let mut why = Vec::new();
    if !others.is_empty() {
        why.push(format!(
            "it overrides, or is overridden by, {}",
            counted(others.len(), "member", "members")
        ));
    }
    if !links.objections.is_empty() {
        why.push(links.objection());
    }
    let refused = counts_as_used(target, &why.join("; "));
    if others.is_empty() {
        return failed(refused);
    }
    let line =
        |(one, line): &(&Target, u32)| format!("  {}:{} {}", one.at.path, line + 1, one.symbol.name_path);
    failed(format!("{refused}\n{}", listed(&others, line)))
}

fn described(found: &References) -> String {
    let symbol = &found.target.symbol;
    format!("{} in {}", symbol.name_path, symbol.path)
}
