//! Finds the uses of a symbol: a server's answer, validated against the text and compared with what syntax
//! finds; without a server, what syntax finds. Invariant: gaps are reported; each reference occurs in the
//! text at its range, none is listed twice, and the definition is not among them.

mod aliases;
mod answer;
mod compare;
mod confirm;
mod family;
mod judge;
mod overloads;
mod places;

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::Instant;

pub(super) use self::aliases::import_alias;
pub use self::answer::{Completeness, Reference, References, UsesOfKin};
use self::compare::compare_ordered;
pub(super) use self::compare::{Unreported, Verdicts, compare};
pub(super) use self::confirm::confirm;
use self::confirm::settle_open;
use self::judge::listed;
pub(super) use self::judge::{JudgedOccurrence, JudgedOccurrences, judge};
pub use self::overloads::references_of_overloads;
pub(super) use self::places::{UsePlaces, use_places};
use super::Project;
use super::question::{QuestionError, Source};
use super::spot::{self, Checked, Dropped, Expect, Placed};
use super::target::{SymbolSelector, Target};
use super::unproven_servers::{judged_by_types, not_needed};
use super::unsearched::{self, UnsearchedFiles};
use symd_base::RelPath;
use symd_config::server::Reliability;
use symd_engine::View;
use symd_index::Content;
use symd_lsp::{ServerAnswer, ServerError, Span, WaitPolicy};
use symd_resolve::{self as resolve, Judgement, Role};

/// Maximum number of requests to a server whose answer seems incomplete, if the client does not wait for a
/// complete one.
const ROUNDS: usize = 2;
/// The same maximum if the client waits. Servers send no notification when they have indexed more.
const PATIENT_ROUNDS: usize = 8;

/// Parameters of `references`.
#[derive(Clone, Debug)]
pub struct FindReferences {
    pub wanted: SymbolSelector,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// Finds the uses of a symbol.
pub async fn references(project: &Project, ask: &FindReferences) -> Result<References, QuestionError> {
    project
        .by_need(|project| async move {
            let project = &project;
            let target = project.target(&ask.wanted).await?;
            of_target(project, &target, ask.waiting).await
        })
        .await
}

/// Finds the uses of each declaration that a name resolves to, where these are one entity
/// ([`AmbiguityPolicy::OneEntity`](super::target::AmbiguityPolicy)), and possible uses through the names of accessors. Never
/// returns an empty list.
pub async fn references_of_declarations(
    project: &Project,
    ask: &FindReferences,
) -> Result<Vec<References>, QuestionError> {
    project
        .by_need(|project| async move {
            let project = &project;
            let mut all = Vec::new();
            for target in project.declarations_of(&ask.wanted).await? {
                let mut found = of_target(project, &target, ask.waiting).await?;
                add_accessor_uses(project, &target, &mut found).await?;
                all.push(found);
            }
            Ok(all)
        })
        .await
}

/// Adds possible uses in other languages through accessor names, which neither a server nor the symbol's name
/// leads to.
async fn add_accessor_uses(
    project: &Project,
    target: &Target,
    found: &mut References,
) -> Result<(), QuestionError> {
    let target = target.clone();
    let work = move |view: &View, cancel: &_| {
        let (mut list, mut unread) = (Vec::new(), UnsearchedFiles::default());
        let uses = resolve::accessor_uses(view, &target.resolved(), cancel)?;
        // Certain ones are among the uses.
        for (name, one) in uses.into_iter().filter(|(_, one)| one.judgement != Judgement::Likely) {
            list.extend(listed(view, &[JudgedOccurrence::of(&one)], &name, cancel)?);
        }
        for name in resolve::foreign_names(view, &target.resolved(), cancel) {
            unread.join(unsearched::unsearched_for_word(view, &name));
        }
        Ok::<_, QuestionError>((list, unread))
    };
    let (list, unread) = project.with_view(work).await??;
    found.in_other_languages.extend(list);
    found.unread.join(unread);
    Ok(())
}

/// Finds the uses of a resolved symbol.
pub(super) async fn of_target(
    project: &Project,
    target: &Target,
    waiting: WaitPolicy,
) -> Result<References, QuestionError> {
    let answered = ask_and_judge(project, target, waiting).await?;
    from_answer(project, target, answered, waiting).await
}

/// Asks a server about the uses of a symbol while syntax judges its occurrences; a server whose answer types judge only if they leave
/// something open, or if the client waits for the server.
async fn ask_and_judge(
    project: &Project,
    target: &Target,
    waiting: WaitPolicy,
) -> Result<(Result<ServerAnswer<Vec<Span>>, ServerError>, JudgedOccurrences), QuestionError> {
    let server = judged_server(project, target, waiting);
    if server.is_none() {
        return tokio::try_join!(
            async { Ok(ask_server(project, target, waiting).await) },
            judge(project, std::slice::from_ref(target)),
        );
    }
    let judged = judge(project, std::slice::from_ref(target)).await?;
    Ok((ask_if_needed(project, target, (server, &judged), waiting).await, judged))
}

/// Asks a server about the uses of a symbol, unless it is one whose answer types judge, and these leave nothing open.
async fn ask_if_needed(
    project: &Project,
    target: &Target,
    (judged_server, judged): (Option<String>, &JudgedOccurrences),
    waiting: WaitPolicy,
) -> Result<ServerAnswer<Vec<Span>>, ServerError> {
    match judged_server.and_then(|server| not_needed(&server, judged)) {
        Some(why) => Err(why),
        None => ask_server(project, target, waiting).await,
    }
}

/// Returns the server whose answer types judge, unless the client waits for it.
fn judged_server(project: &Project, target: &Target, waiting: WaitPolicy) -> Option<String> {
    match waiting {
        WaitPolicy::DontWait | WaitPolicy::ForAnswer => {
            judged_by_types(project, target, |server| server.references)
        }
        WaitPolicy::Until(_) => None,
    }
}

/// Finds the uses of a resolved symbol whose occurrences syntax has judged already.
pub(super) async fn of_judged(
    project: &Project,
    target: &Target,
    judged: JudgedOccurrences,
    waiting: WaitPolicy,
) -> Result<References, QuestionError> {
    let server = judged_server(project, target, waiting);
    let said = ask_if_needed(project, target, (server, &judged), waiting).await;
    from_answer(project, target, (said, judged), waiting).await
}

async fn from_answer(
    project: &Project,
    target: &Target,
    (said, judged): (Result<ServerAnswer<Vec<Span>>, ServerError>, JudgedOccurrences),
    waiting: WaitPolicy,
) -> Result<References, QuestionError> {
    match said {
        Ok(said) => from_server(project, target, said, judged, waiting).await,
        Err(changed @ ServerError::Changed { .. }) => Err(changed.into()),
        Err(why) => from_syntax(project, target, judged, why).await,
    }
}

async fn ask_server(
    project: &Project,
    target: &Target,
    waiting: WaitPolicy,
) -> Result<ServerAnswer<Vec<Span>>, ServerError> {
    let language = project.language_of(target)?;
    project.servers.references(language, &target.at, waiting).await
}

async fn from_syntax(
    project: &Project,
    target: &Target,
    judged: JudgedOccurrences,
    why: ServerError,
) -> Result<References, QuestionError> {
    let mut unchecked = judged.undecided().count();
    let possible = judged.occurrences.iter().filter(|one| one.judgement != Judgement::Unlikely);
    let found = possible.filter(|one| !judged.is_definition(one)).map(JudgedOccurrence::of).collect();
    let (mut list, _) = show(project, target, found, Vec::new()).await?;
    unchecked += add_indirect_uses(project, target, &mut list).await?;
    let is_possible =
        |one: &mut Reference| one.judgement == Judgement::Unchecked && one.role != Role::Declaration;
    let possible = match resolve::has_types(&target.file) {
        true => list.extract_if(.., is_possible).collect(),
        false => Vec::new(),
    };
    Ok(References {
        target: target.clone(),
        list,
        possible,
        unreported: Vec::new(),
        in_other_languages: Vec::new(),
        of_kin: Vec::new(),
        outside: Vec::new(),
        completeness: if unchecked == 0 {
            Completeness::Complete
        } else {
            Completeness::Unchecked(unchecked)
        },
        dropped: Dropped::default(),
        source: Source::Syntax(why),
        unread: judged.unread,
        maybe_indexing: false,
        revision: target.at.revision,
    })
}

/// Adds the uses that neither the symbol's name nor its scope leads to; returns how many of these are unchecked.
async fn add_indirect_uses(
    project: &Project,
    target: &Target,
    list: &mut Vec<Reference>,
) -> Result<usize, QuestionError> {
    let target = target.resolved();
    let work = move |view: &View, cancel: &_| {
        let mut uses = Vec::new();
        let by_operators = resolve::operator_uses(view, &target, cancel)?;
        let unnamed = resolve::unnamed_uses(view, &target, cancel)?;
        for (name, one) in resolve::indirect_uses(view, &target, cancel)?.into_iter().chain(by_operators.uses)
        {
            uses.extend(listed(view, &[JudgedOccurrence::of(&one)], &name, cancel)?);
        }
        Ok::<_, QuestionError>((uses, by_operators.unchecked + unnamed))
    };
    let (mut uses, not_read) = project.with_view(work).await??;
    let known: HashSet<(RelPath, u32)> =
        list.iter().map(|one| (one.spot.path.clone(), one.spot.range.start)).collect();
    uses.retain(|one| !known.contains(&(one.spot.path.clone(), one.spot.range.start)));
    let unchecked = uses.iter().filter(|one| one.judgement.is_open()).count();
    if !uses.is_empty() {
        list.extend(uses);
        list.sort_by(|a, b| (&a.spot.path, a.spot.range.start).cmp(&(&b.spot.path, b.spot.range.start)));
    }
    Ok(unchecked + not_read)
}

/// Converts two lists of occurrences to references with their lines and context.
async fn show(
    project: &Project,
    target: &Target,
    first: Vec<JudgedOccurrence>,
    second: Vec<JudgedOccurrence>,
) -> Result<(Vec<Reference>, Vec<Reference>), QuestionError> {
    if first.is_empty() && second.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let name = target.name.clone();
    let work = move |view: &_, cancel: &_| {
        Ok((listed(view, &first, &name, cancel)?, listed(view, &second, &name, cancel)?))
    };
    project.with_view(work).await?
}

/// A server's answer that is not asked for again.
struct SettledAnswer<P> {
    said: ServerAnswer<Vec<Span>>,
    checked: Checked<P>,
    compared: Unreported,
    standing: Verdicts,
}

/// Validates a server's answer, and asks again as long as it may lack something.
async fn settle<P: Placed>(
    project: &Project,
    target: &Target,
    mut said: ServerAnswer<Vec<Span>>,
    judged: &Arc<JudgedOccurrences>,
    waiting: WaitPolicy,
) -> Result<SettledAnswer<P>, QuestionError> {
    let mut standing = Verdicts::default();
    let mut before: Option<Vec<(RelPath, u32)>> = None;
    let mut round = 1;
    loop {
        let spans = std::mem::take(&mut said.value);
        let (checked, compared) = validate_and_compare::<P>(project, target, spans, judged).await?;
        confirm(project, target, &compared.silent, &mut standing).await?;
        let lacks = standing.confirmed_among(&compared.silent).next().is_some();
        if !lacks && !said.maybe_indexing {
            return with_open(project, target, SettledAnswer { said, checked, compared, standing }).await;
        }
        let now: Vec<(RelPath, u32)> =
            checked.spots.iter().map(|spot| (spot.path().clone(), spot.range().start)).collect();
        let is_same = before.as_ref() == Some(&now);
        // If the server is ready, an incomplete answer is final once repeated; if it may still be indexing,
        // an answer that seems complete is final once repeated.
        let is_settled = is_same && !(lacks && said.maybe_indexing);
        if is_settled || round >= rounds(waiting) || is_over(waiting) {
            return with_open(project, target, SettledAnswer { said, checked, compared, standing }).await;
        }
        before = Some(now);
        round += 1;
        match ask_server(project, target, waiting).await {
            Ok(again) => said = again,
            Err(changed @ ServerError::Changed { .. }) => return Err(changed.into()),
            // The server has answered once; a later failure does not invalidate that answer.
            Err(_) => return Ok(SettledAnswer { said, checked, compared, standing }),
        }
    }
}

/// Asks the server what the open occurrences are that it does not report, if it is ready and may be relied on.
async fn with_open<P>(
    project: &Project,
    target: &Target,
    mut settled: SettledAnswer<P>,
) -> Result<SettledAnswer<P>, QuestionError> {
    if !settled.said.maybe_indexing && !is_imprecise(project, &settled.said.server) {
        settle_open(project, target, &settled.compared.open, &mut settled.standing).await?;
    }
    Ok(settled)
}

async fn from_server(
    project: &Project,
    target: &Target,
    said: ServerAnswer<Vec<Span>>,
    judged: JudgedOccurrences,
    waiting: WaitPolicy,
) -> Result<References, QuestionError> {
    let judged = Arc::new(judged);
    let settled = settle(project, target, said, &judged, waiting).await?;
    let SettledAnswer { said, checked, compared, standing } = settled;
    let checked: Checked = checked;
    let is_judged = is_imprecise(project, &said.server) && resolve::has_types(&target.file);
    let (mut completeness, joining, missing) = match is_judged {
        true => (judged_completeness(&judged), compared.silent, Vec::new()),
        false => {
            let (joining, missing) = match said.maybe_indexing {
                // It lacks more than it was asked about, and may report all of it when it is asked again.
                true => (Vec::new(), standing.not_refuted(&compared.silent)),
                false => standing.joining_and_missing(&compared),
            };
            (standing.completeness(&compared, &missing), joining, missing)
        }
    };
    let missing = match completeness {
        Completeness::Incomplete { .. } => missing,
        _ => Vec::new(),
    };
    let (silent, elsewhere) = show(project, target, missing, compared.other_languages).await?;
    let (mut joining, _) = show(project, target, joining, Vec::new()).await?;
    let list = checked.spots.into_iter().map(|spot| {
        let role = judged.role_at(&spot);
        Reference { spot, role, judgement: Judgement::Likely }
    });
    let mut list: Vec<Reference> = list.collect();
    if !joining.is_empty() {
        list.append(&mut joining);
        list.sort_by(|a, b| (&a.spot.path, a.spot.range.start).cmp(&(&b.spot.path, b.spot.range.start)));
    }
    if is_judged {
        judge_list(&mut list, &judged);
    }
    let mut possible = match is_judged {
        true => untold(project, target, &mut list, &judged).await?,
        false => Vec::new(),
    };
    completeness = match (completeness, add_indirect_uses(project, target, &mut list).await?) {
        (completeness, 0) | (completeness @ Completeness::Incomplete { .. }, _) => completeness,
        (Completeness::Complete, more) => Completeness::Unchecked(more),
        (Completeness::Unchecked(some), more) => Completeness::Unchecked(some + more),
    };
    if is_judged {
        let is_doubtful =
            |one: &mut Reference| one.judgement == Judgement::Unchecked && one.role == Role::Operator;
        possible.extend(list.extract_if(.., is_doubtful));
    }
    Ok(References {
        target: target.clone(),
        list,
        possible,
        unreported: silent,
        in_other_languages: elsewhere,
        of_kin: Vec::new(),
        outside: checked.outside,
        completeness,
        dropped: checked.dropped,
        source: Source::Server(said.server),
        unread: judged.unread.clone(),
        maybe_indexing: said.maybe_indexing,
        revision: target.at.revision,
    })
}

/// Whether a server's references are known to hold other symbols' uses, and to lack some.
fn is_imprecise(project: &Project, server: &str) -> bool {
    project.languages.server(server).is_some_and(|known| known.references == Reliability::Unproven)
}

/// Returns whether what types tell of all occurrences leaves none open.
fn judged_completeness(judged: &JudgedOccurrences) -> Completeness {
    match judged.undecided().filter(|one| one.role != Role::Declaration).count() {
        0 => Completeness::Complete,
        open => Completeness::Unchecked(open),
    }
}

/// Takes out of a server's references what cannot be one by its types, and marks those that types do not tell.
fn judge_list(list: &mut Vec<Reference>, judged: &JudgedOccurrences) {
    list.retain_mut(|one| {
        match judged.judgement_at(&one.spot) {
            Some(Judgement::Unlikely) => return false,
            // Types do not rule it out, and the server lists it.
            Some(Judgement::Unchecked | Judgement::Probable) => one.judgement = Judgement::Probable,
            Some(Judgement::Likely) | None => {}
        }
        true
    });
}

/// Adds what types tell as probable to a server's references, and returns what they leave undecided and the server does not
/// list.
async fn untold(
    project: &Project,
    target: &Target,
    list: &mut Vec<Reference>,
    judged: &JudgedOccurrences,
) -> Result<Vec<Reference>, QuestionError> {
    let known: HashSet<(&RelPath, u32)> =
        list.iter().map(|one| (&one.spot.path, one.spot.range.start)).collect();
    let is_untold = |one: &&resolve::Occurrence| {
        one.role != Role::Declaration && !known.contains(&(&one.path, one.range.start))
    };
    let (probable, undecided): (Vec<_>, Vec<_>) = judged
        .open()
        .filter(is_untold)
        .map(JudgedOccurrence::of)
        .partition(|one| one.judgement == Judgement::Probable);
    let (mut probable, undecided) = show(project, target, probable, undecided).await?;
    list.append(&mut probable);
    list.sort_by(|a, b| (&a.spot.path, a.spot.range.start).cmp(&(&b.spot.path, b.spot.range.start)));
    Ok(undecided)
}

fn rounds(waiting: WaitPolicy) -> usize {
    match waiting {
        WaitPolicy::DontWait | WaitPolicy::ForAnswer => ROUNDS,
        WaitPolicy::Until(_) => PATIENT_ROUNDS,
    }
}

fn is_over(waiting: WaitPolicy) -> bool {
    matches!(waiting, WaitPolicy::Until(deadline) if deadline <= Instant::now())
}

/// Validates an answer against the text, and compares it with what syntax found.
async fn validate_and_compare<P: Placed>(
    project: &Project,
    target: &Target,
    spans: Vec<Span>,
    judged: &Arc<JudgedOccurrences>,
) -> Result<(Checked<P>, Unreported), QuestionError> {
    let (judged, names, languages) = (judged.clone(), target.spellings(), project.languages.clone());
    let (own_path, own_start) = (target.at.path.clone(), target.name_range.start);
    let (language, hash) = (target.language, target.at.hash);
    let work = move |view: &View, cancel: &_| {
        let now = view.snapshot.files.get(own_path.as_str()).map(|file| &file.content);
        if !matches!(now, Some(Content::Code { hash: now, .. }) if *now == hash) {
            return Err(ServerError::changed(&own_path).into());
        }
        let mut checked = spot::check_places::<P>(view, &spans, Expect::Names(&names), cancel)?;
        checked.spots.retain(|spot| !(spot.range().start == own_start && *spot.path() == own_path));
        let compared = compare_ordered(&judged, &checked.spots, &languages, language);
        Ok((checked, compared))
    };
    project.with_view(work).await?
}
