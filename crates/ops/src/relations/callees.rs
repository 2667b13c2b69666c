//! The functions that one function calls: from the server's call hierarchy, or, without one, every called
//! identifier of the body, resolved to its definition by the server or by syntax.

use tokio::task::JoinSet;

use super::Omitted;
use super::level::{FileLocation, Level, PlacesBySymbol, SymbolKey, SymbolSummary};
use crate::Project;
use crate::declared::declared_by;
use crate::question::{QuestionError, Source};
use crate::spot::{Expect, Spot, check};
use crate::target::{Target, identifier_at};
use symd_base::{Cancel, TextRange};
use symd_engine::View;
use symd_lsp::{CallSite, Direction, DocumentPosition, FileRef, Goto, ServerError, Span, WaitPolicy};
use symd_resolve as resolve;
use symd_syntax::SymbolKind;
use symd_syntax::call_site::is_called;

/// Maximum number of calls of one body that a server is asked to resolve; all requests run concurrently.
const MAX_FOLLOWED: usize = 256;

/// Maximum number of declarations that syntax shows for one call; a call that may mean more counts as unresolved.
const MAX_CANDIDATES: usize = 8;

#[derive(Clone, Debug)]
struct Site {
    name: String,
    range: TextRange,
    line: u32,
}

pub(crate) async fn callees(
    project: &Project,
    function: &Target,
    waiting: WaitPolicy,
) -> Result<Level, QuestionError> {
    let said = match project.language_of(function) {
        Ok(language) => project.servers.calls(language, &function.at, Direction::Down, waiting).await,
        Err(why) => Err(why),
    };
    match said {
        Ok(said) => from_hierarchy(project, said.value, Source::Server(said.server)).await,
        Err(changed @ ServerError::Changed { .. }) => Err(changed.into()),
        Err(why) => from_body(project, function, waiting, why).await,
    }
}

async fn from_hierarchy(
    project: &Project,
    calls: Vec<CallSite>,
    source: Source,
) -> Result<Level, QuestionError> {
    let languages = project.languages.clone();
    let work = move |view: &View, cancel: &Cancel| {
        let mut gathered = PlacesBySymbol::default();
        for call in &calls {
            let sites = check(view, &call.sites, Expect::Anything, cancel)?.spots;
            let lines: Vec<Option<u32>> = match sites.is_empty() {
                true => vec![None],
                false => sites.iter().map(|site| Some(site.line)).collect(),
            };
            let (key, summary) =
                pointed_at(view, &call.item.name, call.item.kind, &call.item.name_range, cancel)?;
            lines.into_iter().for_each(|line| gathered.add(key.clone(), line, true, summary.clone()));
        }
        Ok::<_, QuestionError>(gathered.branches(view, &languages))
    };
    let branches = project.with_view(work).await??;
    Ok(Level { branches, source, omitted: Omitted::default() })
}

/// Returns the key and the description of the symbol that a server points at.
pub(super) fn pointed_at(
    view: &View,
    name: &str,
    kind: SymbolKind,
    place: &Span,
    cancel: &Cancel,
) -> Result<(SymbolKey, Option<SymbolSummary>), QuestionError> {
    let summary = Some(SymbolSummary { name_path: name.to_owned(), kind, line: place.start.line });
    let path = match &place.file {
        FileRef::Outside(path) => {
            return Ok((
                SymbolKey { file: FileLocation::Outside(path.clone()), at: Some(place.start.line) },
                summary,
            ));
        }
        FileRef::Project(path) => path,
    };
    let spot = check(view, std::slice::from_ref(place), Expect::Anything, cancel)?.spots.pop();
    let declared = |spot: Spot| declared_by(view, &spot).map_or(spot.range.start, |(_, start)| start);
    let at = spot.map(declared);
    Ok((SymbolKey { file: FileLocation::Project(path.clone()), at }, summary))
}

async fn from_body(
    project: &Project,
    function: &Target,
    waiting: WaitPolicy,
    why: ServerError,
) -> Result<Level, QuestionError> {
    let body = function.clone();
    let sites = project.with_view(move |view, _| sites(view, &body)).await?;
    // A server without a call hierarchy may still resolve definitions.
    if matches!(why, ServerError::Unsupported { .. })
        && let Some((server, answers)) = follow(project, function, &sites, waiting).await?
    {
        return followed(project, sites, answers, Source::Server(server)).await;
    }
    let (path, languages) = (function.at.path.clone(), project.languages.clone());
    let work = move |view: &View, cancel: &Cancel| {
        let mut gathered = PlacesBySymbol::default();
        let mut omitted = Omitted::default();
        for site in &sites {
            let found = resolve::definitions(view, &path, site.range.start, cancel)?;
            let declarations = &found.declarations;
            if declarations.is_empty() || declarations.len() > MAX_CANDIDATES {
                omitted.unresolved.push(site.name.clone());
                continue;
            }
            let is_sure = declarations.len() == 1 && !found.is_guess;
            for one in declarations {
                let Some((_, row)) = one.row() else { continue };
                let file = FileLocation::Project(one.file.path.clone());
                let key = SymbolKey { file, at: Some(row.name_start) };
                gathered.add(key, Some(site.line), is_sure, None);
            }
        }
        Ok::<_, QuestionError>((gathered.branches(view, &languages), omitted))
    };
    let (branches, omitted) = project.with_view(work).await??;
    Ok(Level { branches, source: Source::Syntax(why), omitted })
}

/// Returns the calls in a function's range, in order of position.
fn sites(view: &View, function: &Target) -> Vec<Site> {
    let Some(grammar) = function.file.grammar() else { return Vec::new() };
    let Ok(current) = view.current(&function.file) else { return Vec::new() };
    if current.hash != function.at.hash {
        return Vec::new();
    }
    let outline = &current.outline;
    let all = outline.occurrences.hashes.iter().flat_map(|&hash| outline.occurrences.offsets_of_hash(hash));
    let mut starts: Vec<u32> =
        all.filter(|start| (function.name_range.end..function.range.end).contains(start)).collect();
    starts.sort_unstable();
    let is_declared = |start: u32| outline.rows.iter().any(|row| row.name_start == start);
    let site = |start: u32| {
        let name = identifier_at(&current.text, start);
        let range = TextRange::new(start, start + u32::try_from(name.len()).ok()?);
        let is_call = !name.is_empty() && is_called(grammar, current.text.as_str(), range);
        let line = current.text.line_column(start).line;
        (is_call && !is_declared(start)).then(|| Site { name: name.to_owned(), range, line })
    };
    starts.into_iter().filter_map(site).collect()
}

/// Asks the server for the definition of each call. Returns the server's name and its answers, or `None` if
/// it gives none.
async fn follow(
    project: &Project,
    function: &Target,
    sites: &[Site],
    waiting: WaitPolicy,
) -> Result<Option<(String, Vec<Option<Vec<Span>>>)>, QuestionError> {
    let Ok(language) = project.language_of(function) else { return Ok(None) };
    let mut asked = JoinSet::new();
    for (number, site) in sites.iter().take(MAX_FOLLOWED).enumerate() {
        let servers = project.servers.clone();
        let at = DocumentPosition { offset: site.range.start, ..function.at.clone() };
        asked.spawn(async move { (number, servers.goto(language, &at, Goto::Definition, waiting).await) });
    }
    let mut server = None;
    let mut answers: Vec<Option<Vec<Span>>> = vec![None; sites.len()];
    while let Some(Ok((number, said))) = asked.join_next().await {
        match said {
            Ok(said) => {
                server.get_or_insert(said.server);
                answers[number] = Some(said.value);
            }
            Err(changed @ ServerError::Changed { .. }) => return Err(changed.into()),
            Err(_) => {}
        }
    }
    Ok(server.map(|server| (server, answers)))
}

async fn followed(
    project: &Project,
    sites: Vec<Site>,
    answers: Vec<Option<Vec<Span>>>,
    source: Source,
) -> Result<Level, QuestionError> {
    let languages = project.languages.clone();
    let work = move |view: &View, cancel: &Cancel| {
        let mut gathered = PlacesBySymbol::default();
        let mut omitted = Omitted::default();
        for (site, spans) in sites.iter().zip(&answers) {
            let Some(span) = spans.as_ref().and_then(|spans| spans.first()) else {
                omitted.unresolved.push(site.name.clone());
                continue;
            };
            let (key, summary) = pointed_at(view, &site.name, SymbolKind::Function, span, cancel)?;
            gathered.add(key, Some(site.line), true, summary);
        }
        Ok::<_, QuestionError>((gathered.branches(view, &languages), omitted))
    };
    let (branches, omitted) = project.with_view(work).await??;
    Ok(Level { branches, source, omitted })
}

/// Reports for each of these functions whether it calls anything.
pub(super) async fn have_callees(
    project: &Project,
    functions: Vec<Target>,
) -> Result<Vec<bool>, QuestionError> {
    project.with_view(move |view, _| functions.iter().map(|one| !sites(view, one).is_empty()).collect()).await
}
