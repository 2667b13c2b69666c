//! Asks the server for the definition of occurrences that it did not report, to see whether they refer
//! to the symbol. Asks about a bounded number, for a bounded time, and about none twice.

use std::time::Duration;

use super::compare::{Verdict, Verdicts};
use super::judge::JudgedOccurrence;
use crate::Project;
use crate::asked_definitions::{DefinitionBounds, ask_definitions};
use crate::question::QuestionError;
use crate::spot::{Expect, Spot, check};
use crate::target::Target;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;
use symd_lsp::Span;
use symd_resolve as resolve;

/// Maximum number of occurrences that the server is asked about.
const ASKED: usize = 64;

/// Bounds of the requests, since the client waits.
const BOUNDS: DefinitionBounds = DefinitionBounds { at_once: 8, time: Duration::from_secs(2) };

/// Asks about likely occurrences, some of them evenly spread if they are many, and records the verdicts in `standing`.
pub(crate) async fn confirm(
    project: &Project,
    target: &Target,
    silent: &[JudgedOccurrence],
    standing: &mut Verdicts,
) -> Result<(), QuestionError> {
    let new = standing.not_asked(silent);
    let asked = silent.len() - new.len();
    ask(project, target, &spread(&new, ASKED.saturating_sub(asked)), standing).await
}

/// Asks about occurrences whose meaning syntax cannot determine, unless they are many: then some would stay open anyway.
pub(crate) async fn settle_open(
    project: &Project,
    target: &Target,
    open: &[JudgedOccurrence],
    standing: &mut Verdicts,
) -> Result<(), QuestionError> {
    match open.len() <= ASKED {
        true => ask(project, target, &standing.not_asked(open), standing).await,
        false => Ok(()),
    }
}

async fn ask(
    project: &Project,
    target: &Target,
    chosen: &[&JudgedOccurrence],
    standing: &mut Verdicts,
) -> Result<(), QuestionError> {
    let Ok(language) = project.language_of(target) else { return Ok(()) };
    if chosen.is_empty() {
        return Ok(());
    }
    let places: Vec<(RelPath, TextRange)> = chosen.iter().map(|one| (one.path.clone(), one.range)).collect();
    let answers = ask_definitions(project, language, &places, BOUNDS).await?;
    for (one, verdict) in chosen.iter().zip(verdicts(project, target, answers).await?) {
        standing.note(one, verdict);
    }
    Ok(())
}

/// Selects up to `count` of `all`, evenly spread.
fn spread<'a>(all: &[&'a JudgedOccurrence], count: usize) -> Vec<&'a JudgedOccurrence> {
    let count = count.min(all.len());
    (0..count).map(|number| all[number * all.len() / count]).collect()
}

/// Derives verdicts from the answers about occurrences: the definition is the symbol, is something else, or is not known to the server.
async fn verdicts(
    project: &Project,
    target: &Target,
    answers: Vec<Option<Vec<Span>>>,
) -> Result<Vec<Verdict>, QuestionError> {
    let (path, name, range) = (target.at.path.clone(), target.name_range, target.range);
    let member = target.resolved();
    let work = move |view: &View, cancel: &Cancel| {
        // A server may point at the name, at the whole declaration, or at the beginning of its head.
        let is_it = |spot: &Spot| {
            let in_head = range.start <= spot.range.start && spot.range.start <= name.start;
            spot.path == path && (spot.range.contains(name) || in_head)
        };
        let assigns =
            |spot: &Spot| resolve::assigns_inherited(view, &member, (&spot.path, spot.range), cancel);
        let verdict = |spans: &Option<Vec<Span>>| {
            let Some(spans) = spans else { return Ok(Verdict::Unanswered) };
            let checked = check(view, spans, Expect::Anything, cancel)?;
            let mut is_confirmed = checked.spots.iter().any(is_it);
            for spot in &checked.spots {
                is_confirmed = is_confirmed || assigns(spot)?;
            }
            Ok(match is_confirmed {
                true => Verdict::Confirmed,
                false if spans.is_empty() => Verdict::Undefined,
                // It points at places that are in no text.
                false if checked.spots.is_empty() && checked.outside.is_empty() => Verdict::Unanswered,
                false => Verdict::Refuted,
            })
        };
        answers.iter().map(verdict).collect()
    };
    project.with_view(work).await?
}
