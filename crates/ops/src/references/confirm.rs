//! Asks the server for the definition of likely occurrences that it did not report, to see whether they refer
//! to the symbol. Asks only about a few, evenly spread, and about none twice.

use tokio::task::JoinSet;

use super::compare::{Verdict, Verdicts};
use super::judge::JudgedOccurrence;
use crate::Project;
use crate::question::QuestionError;
use crate::spot::{Expect, Spot, check};
use crate::target::Target;
use symd_base::RelPath;
use symd_index::Content;
use symd_lsp::{DocumentPosition, Goto, Span, WaitPolicy};

/// Maximum number of occurrences that the server is asked about.
const ASKED: usize = 8;

/// Asks about some of `silent` and records the verdicts in `standing`.
pub(crate) async fn confirm(
    project: &Project,
    target: &Target,
    silent: &[JudgedOccurrence],
    standing: &mut Verdicts,
) -> Result<(), QuestionError> {
    let Ok(language) = project.language_of(target) else { return Ok(()) };
    let new: Vec<&JudgedOccurrence> = silent.iter().filter(|one| standing.of(one).is_none()).collect();
    let chosen = spread(&new, ASKED.saturating_sub(standing.asked()));
    if chosen.is_empty() {
        return Ok(());
    }
    let places = places(project, &chosen).await?;
    let mut asked = JoinSet::new();
    for (number, at) in places.into_iter().enumerate() {
        let Some(at) = at else { continue };
        let servers = project.servers.clone();
        asked.spawn(async move {
            let said = servers.goto(language, &at, Goto::Definition, WaitPolicy::ForAnswer).await;
            said.ok().map(|said| (number, said.value))
        });
    }
    let answers = asked.join_all().await.into_iter().flatten().collect();
    let verdicts = verdicts(project, target, answers).await?;
    chosen.iter().for_each(|one| standing.note(one, Verdict::Undetermined));
    verdicts.into_iter().for_each(|(number, verdict)| standing.note(chosen[number], verdict));
    Ok(())
}

/// Selects up to `count` of `all`, evenly spread.
fn spread<'a>(all: &[&'a JudgedOccurrence], count: usize) -> Vec<&'a JudgedOccurrence> {
    let count = count.min(all.len());
    (0..count).map(|number| all[number * all.len() / count]).collect()
}

/// Returns the positions of the occurrences in the current versions of their files; `None` for a file that is
/// gone.
async fn places(
    project: &Project,
    chosen: &[&JudgedOccurrence],
) -> Result<Vec<Option<DocumentPosition>>, QuestionError> {
    let wanted: Vec<(RelPath, u32)> = chosen.iter().map(|one| (one.path.clone(), one.range.start)).collect();
    project
        .with_view(move |view, _| {
            let place = |(path, offset): (RelPath, u32)| {
                let file = view.snapshot.files.get(path.as_str())?;
                let Content::Code { hash, .. } = &file.content else { return None };
                Some(DocumentPosition { hash: *hash, revision: view.snapshot.revision, path, offset })
            };
            wanted.into_iter().map(place).collect()
        })
        .await
}

/// Derives verdicts from the answers: the definition is the symbol, is something else, or is unknown.
async fn verdicts(
    project: &Project,
    target: &Target,
    answers: Vec<(usize, Vec<Span>)>,
) -> Result<Vec<(usize, Verdict)>, QuestionError> {
    let (path, name, range) = (target.at.path.clone(), target.name_range, target.range);
    let work = move |view: &_, cancel: &_| {
        // A server may point at the name, at the whole declaration, or at the beginning of its head.
        let is_it = |spot: &Spot| {
            let in_head = range.start <= spot.range.start && spot.range.start <= name.start;
            spot.path == path && (spot.range.contains(name) || in_head)
        };
        let verdict = |(number, spans): &(usize, Vec<Span>)| {
            let checked = check(view, spans, Expect::Anything, cancel)?;
            let leads_nowhere = checked.spots.is_empty() && checked.outside.is_empty();
            let verdict = match checked.spots.iter().any(is_it) {
                true => Verdict::Confirmed,
                false if leads_nowhere => Verdict::Undetermined,
                false => Verdict::Refuted,
            };
            Ok((*number, verdict))
        };
        answers.iter().map(verdict).collect()
    };
    project.with_view(work).await?
}
