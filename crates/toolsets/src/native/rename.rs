//! `rename_symbol` of `native`.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::answer::{Footer, Format, format};
use super::diagnostics::caused_json;
use super::edits::request::{base, given};
use super::edits::text::{add_unsettled_buffers, caused_text, operation_of};
use super::files::{failed, limit};
use super::server_edit_text::{
    counts, diff_text, dry_run, expect_of_each, file_lines, files_json, note_lines, notes_json, place_lines,
    remember_expected,
};
use super::server_tools::{
    edit_selector, edit_server_wait, format_refusal, name_path, note_source, relative_path, schema,
};
use crate::arguments::Arguments;
use crate::server_questions::{NoAnswerReason, in_time};
use crate::{Call, Client, Reply, Tool};
use symd_edit::Originator;
use symd_index::Locals;
use symd_ops::edits::{
    ApplyError, AttemptError, DiagnosticsReport, ExpectForm, MultiFileOptions, NamedRevisions, RetryPolicy,
    check_base, plan_and_apply, preview,
};
use symd_ops::rename::{DoubtPolicy, Medium, PlannedRename, Rename, RenameError, UncheckedUses, plan};
use symd_ops::target::{AmbiguityPolicy, SymbolSelector};

pub(super) const RENAME_SYMBOL: Tool = Tool::changing(
    "rename_symbol",
    "Rename symbol",
    "Renames a class, function, method, variable … everywhere in the project, all files or none, by the \
     language server, and checks its edit. Refused with the places where something is in doubt. Can be undone.",
    rename_schema,
    |call| Box::pin(async move { run(&call).await.unwrap_or_else(|reply| reply) }),
)
.checked_by(|proposed| {
    let RenameArgs { ask, .. } = RenameArgs::read(proposed.arguments)?;
    ask.wanted.check().map_err(|problem| format_refusal(NoAnswerReason::Question(problem.into())))
});

fn rename_schema() -> Value {
    let media = includable();
    let own = json!({
        "name_path": name_path(),
        "relative_path": relative_path(),
        "new_name": {"type": "string", "description": "The new simple name, as written in the source."},
        "dry_run": dry_run(),
        "expect": expect_of_each(),
        "include": {"type": "array", "items": {"type": "string", "enum": media}, "default": [], "description": "Where mentions of the name, which servers leave alone, are changed too; unchecked: also uses of which nothing tells what they mean. Without it they are listed."},
        "force": {"type": "boolean", "default": false, "description": "Rename although something is in doubt; it is listed."},
        "wait": {"type": "string", "enum": ["no", "ready"], "default": "ready", "description": "ready: wait for a language server that is still starting; no: fail then."},
    });
    schema(own, &["name_path", "new_name"])
}

/// The arguments of `rename_symbol`.
struct RenameArgs {
    ask: Rename,
    at_most: Duration,
    given: Option<NamedRevisions>,
    is_shown_only: bool,
    limit: usize,
    format: Format,
}

impl RenameArgs {
    fn read(arguments: &Map<String, Value>) -> Result<RenameArgs, Reply> {
        let (all, arguments) = (arguments, Arguments::new(arguments));
        let patience = edit_server_wait(&arguments).map_err(failed)?;
        let (limit, format) = (limit(&arguments).map_err(failed)?, format(&arguments).map_err(failed)?);
        let is_forced = arguments.boolean_or("force", false).map_err(failed)?;
        let is_shown_only = arguments.boolean_or("dry_run", false).map_err(failed)?;
        let (include, unchecked) = include(&arguments)?;
        let ask = Rename {
            wanted: SymbolSelector {
                locals: Locals::Included,
                several: AmbiguityPolicy::OneEntity,
                ..edit_selector(&arguments).map_err(failed)?
            },
            new_name: arguments.string("new_name").map_err(failed)?.to_owned(),
            include,
            unchecked,
            doubts: if is_forced { DoubtPolicy::Note } else { DoubtPolicy::Refuse },
            waiting: patience.waiting,
        };
        let (at_most, given) = (patience.at_most, given(all)?);
        Ok(RenameArgs { ask, at_most, given, is_shown_only, limit, format })
    }
}

async fn run(call: &Call<'_>) -> Result<Reply, Reply> {
    let RenameArgs { ask, at_most, given, is_shown_only, limit, format } = RenameArgs::read(&call.arguments)?;
    let base = base(call, given);
    let options = MultiFileOptions {
        retry: RetryPolicy::Allowed,
        dry_run: is_shown_only,
        report: DiagnosticsReport::NewDiagnostics,
    };
    let planning = || async {
        let planned = in_time(call.project, at_most, plan(call.project, &ask)).await;
        let planned = planned.map_err(|why| AttemptError::Final(format_refusal(why)))?;
        let planned: PlannedRename =
            planned.map_err(|error| AttemptError::new(error, |error| error.is_conflict()).map(refusal))?;
        check_base(&planned, &base, ExpectForm::ByPath)
            .map_err(|stale| AttemptError::Final(failed(stale)))?;
        let title = format!("rename {} to {}", planned.target.symbol.name_path, planned.new_name);
        let by = Originator { who: call.client.name().to_owned(), tool: call.tool.to_owned(), title };
        Ok((planned, by))
    };
    let refused = |error: ApplyError| refusal(error.into());
    let (planned, carried) = plan_and_apply(call.project, options, planning, refused).await?;
    let Some(carried) = carried else {
        return dry_run_reply(call, &planned, limit, format).await;
    };
    let base = base.of_file(&planned.target.at.path);
    remember_expected(&call.client, &carried.applied, &base);
    let applied = carried.applied.clone();
    let caused = carried.caused(call.project).await;
    Ok(Reply::done(match format {
        Format::Json => {
            let mut object = facts(&planned, caused.new_errors());
            object["operation"] = json!(applied.id.map(|id| id.0));
            add_unsettled_buffers(&applied, &mut object);
            object["new_diagnostics"] = caused_json(&caused);
            object.to_string()
        }
        Format::Text => {
            let mut lines = file_lines(&planned.files, &planned.renamed);
            let mut new = String::new();
            let fact = caused_text(&caused, &mut new);
            lines.extend(new.lines().map(str::to_owned));
            let broken = match caused.new_errors() {
                0 => None,
                1 => Some("the new diagnostic is an error".to_owned()),
                count => Some(format!("{count} new diagnostics are errors")),
            };
            text(&planned, &call.client, lines, &format!("{}; {fact}", operation_of(&applied)), broken)
        }
    }))
}

/// Formats a dry run: the diff that would be applied.
async fn dry_run_reply(
    call: &Call<'_>,
    planned: &PlannedRename,
    limit: usize,
    format: Format,
) -> Result<Reply, Reply> {
    let diffs = preview(call.project, planned.plan.clone()).await.map_err(failed)?;
    let (diff, is_cut) = diff_text(&diffs, limit);
    Ok(Reply::done(match format {
        Format::Json => {
            let mut object = facts(planned, 0);
            object["diff"] = json!(diff);
            object["complete"] = json!(!is_cut && planned.open().is_empty());
            object.to_string()
        }
        Format::Text => {
            let cut = is_cut.then(|| format!("the diff is cut at {limit} characters; raise limit"));
            text(planned, &call.client, vec![diff], "nothing is changed yet", cut)
        }
    }))
}

/// Returns the accepted values of `include`.
fn includable() -> Vec<&'static str> {
    Medium::ALL.into_iter().map(Medium::name).chain([UncheckedUses::NAME]).collect()
}

fn include(arguments: &Arguments<'_>) -> Result<(BTreeSet<Medium>, UncheckedUses), Reply> {
    let words = arguments.strings_or_empty("include").map_err(failed)?;
    let (mut media, mut unchecked) = (BTreeSet::new(), UncheckedUses::Left);
    for word in words {
        match Medium::ALL.into_iter().find(|medium| medium.name() == word) {
            Some(medium) => drop(media.insert(medium)),
            None if word == UncheckedUses::NAME => unchecked = UncheckedUses::Renamed,
            None => {
                let expected = format!("a list of any of {}", includable().join(", "));
                return Err(failed(arguments.invalid("include", &expected)));
            }
        }
    }
    Ok((media, unchecked))
}

fn text(
    planned: &PlannedRename,
    client: &Client,
    mut lines: Vec<String>,
    done: &str,
    missing: Option<String>,
) -> String {
    lines.extend(note_lines(&planned.notes));
    let mut footer = Footer::new(counts(&planned.files));
    note_source(&planned.source, client, &mut footer);
    footer.add_note(done.to_owned());
    planned.open().into_iter().for_each(|why| footer.add_incomplete(why));
    missing.into_iter().for_each(|why| footer.add_incomplete(why));
    format!("{}\n{footer}", lines.join("\n"))
}

/// Returns the fields of an answer as JSON, after an edit that caused so many new errors.
fn facts(planned: &PlannedRename, new_errors: usize) -> Value {
    let renamed: Vec<Value> = planned
        .renamed
        .iter()
        .map(|(from, to)| json!({ "from": from.as_str(), "to": to.as_str() }))
        .collect();
    json!({
        "name_path": planned.target.symbol.name_path, "old_name": planned.target.name, "new_name": planned.new_name,
        "changes": planned.changes(), "files": files_json(&planned.files), "renamed_files": renamed,
        "notes": notes_json(&planned.notes), "source": planned.source.name(), "revision": planned.revision,
        "maybe_indexing": planned.maybe_indexing, "complete": planned.open().is_empty() && new_errors == 0,
    })
}

/// Formats a refusal: why nothing was renamed, with the places.
fn refusal(error: RenameError) -> Reply {
    match error {
        RenameError::Question(error) => format_refusal(NoAnswerReason::Question(error)),
        error => {
            let advice = match error {
                RenameError::Collides { .. } => "; choose another name, or give force: true",
                RenameError::Linked { .. } => "; nothing was written; force: true renames it nevertheless",
                RenameError::Doubtful { .. } => {
                    "; nothing was written; look at these places; change them by hand, or give force: true to leave them as they are"
                }
                _ => "",
            };
            let mut lines = vec![format!("{error}{advice}")];
            lines.extend(place_lines(error.places()));
            failed(lines.join("\n"))
        }
    }
}
