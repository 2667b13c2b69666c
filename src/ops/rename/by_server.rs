//! A server's rename, held against what syntax finds: what it leaves out though it leads there itself, and, of a server
//! whose renames are unproven, what it changes though package and imports say otherwise.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::answer::{Note, RenameError};
use super::places::listed;
use super::unseen::Unseen;
use super::{Doubts, Draft, Rename, ask_server, counted, names};
use crate::base::{Cancel, RelPath, TextEdit, TextRange};
use crate::config::server::Trustworthiness;
use crate::engine::View;
use crate::index::Snapshot;
use crate::lsp::{NoAnswer, Renaming, Said, Span, Waiting, WorkspaceEdit};
use crate::ops::Project;
use crate::ops::question::{QuestionError, Source};
use crate::ops::references::{Compared, Found, Judged, Standing, compare, confirm};
use crate::ops::server_edit::{self, ServerEdit, ServerEditError};
use crate::ops::spot::Source as SourceText;
use crate::ops::target::Target;
use crate::resolve::{Judgement, Role};

/// How often a server that may still be indexing is asked in all when its edit lacks something.
const ROUNDS: usize = 8;

/// Makes the server's edit a draft, or says why not.
pub(super) async fn draft(
    project: &Project,
    target: &Target,
    ask: &Rename,
    (mut said, mut asked): (Said<Renaming>, Arc<Snapshot>),
    judged: Judged,
    unseen: &Unseen,
) -> Result<Draft, RenameError> {
    let mut standing = Standing::default();
    let mut before: Option<usize> = None;
    let mut round = 1;
    loop {
        let edit = checked(project, target, ask, &said, &asked).await?;
        let compared = held_against(project, target, &edit, &judged);
        confirm(project, target, &compared.silent, &mut standing).await?;
        let lacks = standing.confirmed_among(&compared.silent) > 0 || !declares(target, &edit);
        let count = edit.files.values().map(|file| file.edits.len()).sum();
        let is_settled = !lacks || !said.maybe_indexing || before == Some(count);
        if is_settled || round >= ROUNDS || ask.waiting == Waiting::No {
            let note = passed_by(&edit, unseen, target);
            let mut draft =
                judged_draft(project, target, ask, said, edit, compared, &standing, &judged).await?;
            draft.notes.extend(note);
            return Ok(draft);
        }
        before = Some(count);
        round += 1;
        asked = project.snapshot().await?;
        said = ask_server(project, target, ask, &asked).await.map_err(QuestionError::from)?;
    }
}

/// What to say of files that symd does not parse and that the edit does not change: the server may not have read them.
fn passed_by(edit: &ServerEdit, unseen: &Unseen, target: &Target) -> Option<Note> {
    let mut left = unseen.clone();
    left.places.retain(|one| !edit.files.contains_key(&one.path));
    left.unread.retain(|(path, _)| !edit.files.contains_key(path));
    if left.is_empty() {
        return None;
    }
    let text = format!(
        "{} of '{}' left as they are in files that symd does not parse{}",
        counted(left.places.len(), "mention", "mentions"),
        target.name,
        left.unread_text()
    );
    Some(Note { text, places: left.places })
}

/// The server's edit, every part of which renames the symbol; with what follows from files' new names.
async fn checked(
    project: &Project,
    target: &Target,
    ask: &Rename,
    said: &Said<Renaming>,
    asked: &Arc<Snapshot>,
) -> Result<ServerEdit, RenameError> {
    let asked = Arc::clone(asked);
    let server = || said.server.clone();
    let wrong = |problem| wrong(server(), problem);
    let (of, new_name, renaming) = (target.clone(), ask.new_name.clone(), said.value.clone());
    let is_unproven = is_unproven(project, &said.server);
    let work = move |view: &View, cancel: &Cancel| {
        if let Some(prepared) = &renaming.prepared {
            is_meant(view, &of, prepared)?;
        }
        let fits = |text: &str, edit: TextEdit| {
            let place =
                is_unproven.then(|| names::widened(text, edit.clone(), &of.name, &new_name)).flatten();
            place.or_else(|| names::fit(text, edit, &of.name, &new_name))
        };
        server_edit::check(view, &renaming.edit, &asked, &fits, cancel)
    };
    let mut edit = project.look(work).await?.map_err(wrong)?;
    let renamed = edit.renamed();
    if !renamed.is_empty() {
        let asked = project.snapshot().await?;
        let more = follows(project, target, &renamed, &asked).await?;
        let work = move |view: &View, cancel: &Cancel| {
            server_edit::check(view, &more, &asked, &server_edit::anything, cancel)
        };
        let more = project.look(work).await?.map_err(wrong)?;
        edit.join(more).map_err(wrong)?;
    }
    Ok(edit)
}

/// Whether every edit of the server is held against syntax.
fn is_unproven(project: &Project, server: &str) -> bool {
    project.languages.server(server).is_some_and(|known| known.rename == Trustworthiness::Unproven)
}

/// Whether the server means the same name: what it says stands there must hold it.
fn is_meant(view: &View, target: &Target, prepared: &Span) -> Result<(), ServerEditError> {
    let Some(source) = SourceText::read(view, &target.at.path) else { return Ok(()) };
    let name = target.name_range;
    match prepared.resolve(&source.text) {
        Some(range) if range.start <= name.start && name.start < range.end.max(name.end) => Ok(()),
        _ => Err(ServerEditError::OutsideText {
            path: target.at.path.clone(),
            line: prepared.start.line,
            column: prepared.start.character,
        }),
    }
}

/// What else changes when files get other names.
async fn follows(
    project: &Project,
    target: &Target,
    renamed: &[(RelPath, RelPath)],
    asked: &Snapshot,
) -> Result<WorkspaceEdit, RenameError> {
    let Ok(language) = project.language_of(target) else { return Ok(WorkspaceEdit::default()) };
    let said = project.servers.will_rename_files(language, renamed, asked.revision, Waiting::No).await;
    match said {
        Ok(said) => Ok(said.value),
        Err(NoAnswer::Unsupported { .. }) => Ok(WorkspaceEdit::default()),
        Err(why) => Err(QuestionError::from(why).into()),
    }
}

fn wrong(server: String, problem: ServerEditError) -> RenameError {
    match problem {
        ServerEditError::Changed(path) => {
            QuestionError::from(NoAnswer::Changed { path: path.to_string() }).into()
        }
        ServerEditError::Cancelled(cancelled) => QuestionError::from(cancelled).into(),
        problem => RenameError::Server { server, problem },
    }
}

/// What syntax finds and the edit does not touch.
fn held_against(project: &Project, target: &Target, edit: &ServerEdit, judged: &Judged) -> Compared {
    let touched = edit
        .files
        .iter()
        .flat_map(|(path, file)| file.edits.iter().map(move |edit| (path, edit.range.start)));
    let touched: HashSet<(&RelPath, u32)> = touched.collect();
    compare(judged, &touched, &project.languages, target.language)
}

/// Whether the declaration itself is renamed.
fn declares(target: &Target, edit: &ServerEdit) -> bool {
    let file = edit.files.get(&target.at.path);
    file.is_some_and(|file| file.edits.iter().any(|edit| edit.range.start == target.name_range.start))
}

/// Draws the conclusions.
#[expect(clippy::too_many_arguments, reason = "each is a finding of its own, and this is where they meet")]
async fn judged_draft(
    project: &Project,
    target: &Target,
    ask: &Rename,
    said: Said<Renaming>,
    edit: ServerEdit,
    compared: Compared,
    standing: &Standing,
    judged: &Judged,
) -> Result<Draft, RenameError> {
    let server = said.server.clone();
    let is_unproven = is_unproven(project, &server);
    let mut doubts: Vec<(String, Vec<(RelPath, TextRange)>)> = Vec::new();
    let mut remarks: Vec<(String, Vec<(RelPath, TextRange)>)> = Vec::new();
    if !declares(target, &edit) {
        let why = format!("{server} leaves the declaration of '{}' as it is", target.name);
        doubts.push((why, vec![(target.at.path.clone(), target.name_range)]));
    }
    let silent = standing.not_refuted(&compared.silent);
    if !silent.is_empty() {
        let why = format!(
            "{server} leaves {} as they are that likely mean '{}'",
            counted(silent.len(), "occurrence", "occurrences"),
            target.name
        );
        // Of a server that is right as far as known, only what it says itself counts against it.
        let is_doubt = is_unproven || standing.confirmed_among(&silent) > 0;
        if is_doubt { &mut doubts } else { &mut remarks }.push((why, places_of(&silent)));
    }
    if is_unproven {
        let odd = unlikely(target, &edit, judged);
        if !odd.is_empty() {
            let why = format!(
                "{server}'s renames are wrong at times, and package and imports speak against {} of this one",
                counted(odd.len(), "edit", "edits")
            );
            doubts.push((why, odd));
        }
    }
    if !compared.other_languages.is_empty() {
        let why = format!(
            "{} in files of other languages, which {server} does not serve, likely mean '{}' and are left as they are",
            counted(compared.other_languages.len(), "occurrence", "occurrences"),
            target.name
        );
        remarks.push((why, places_of(&compared.other_languages)));
    }
    let open = open(&edit, judged);
    if !open.is_empty() {
        let why = format!(
            "{} of the name left as they are, of which syntax cannot tell whether they mean '{}'",
            counted(open.len(), "occurrence", "occurrences"),
            target.name
        );
        remarks.push((why, open));
    }
    if ask.doubts == Doubts::Note {
        remarks.splice(0..0, std::mem::take(&mut doubts));
    }
    let (doubts, notes) = project
        .look(move |view, cancel| {
            let list = |all: Vec<(String, Vec<(RelPath, TextRange)>)>| {
                all.into_iter()
                    .map(|(text, places)| Ok(Note { text, places: listed(view, &places, cancel)? }))
                    .collect::<Result<Vec<Note>, crate::base::cancel::Cancelled>>()
            };
            Ok::<_, QuestionError>((list(doubts)?, list(remarks)?))
        })
        .await??;
    if !doubts.is_empty() {
        let why: Vec<String> = doubts.iter().map(|doubt| doubt.text.clone()).collect();
        let places = doubts.into_iter().flat_map(|doubt| doubt.places).collect();
        return Err(RenameError::Doubtful { why: why.join("; "), places });
    }
    if edit.is_empty() {
        let reason = format!("{server} gave an empty edit");
        return Err(QuestionError::Place(reason).into());
    }
    Ok(Draft { edit, source: Source::Server(server), maybe_indexing: said.maybe_indexing, notes })
}

fn places_of(found: &[Found]) -> Vec<(RelPath, TextRange)> {
    found.iter().map(|one| (one.path.clone(), one.range)).collect()
}

/// The edits that package and imports speak against, or that stand where no identifier does.
fn unlikely(target: &Target, edit: &ServerEdit, judged: &Judged) -> Vec<(RelPath, TextRange)> {
    let known: HashMap<(&RelPath, u32), Judgement> =
        judged.occurrences.iter().map(|one| ((&one.path, one.range.start), one.judgement)).collect();
    let mut odd = Vec::new();
    for (path, file) in &edit.files {
        for edit in &file.edits {
            let is_own = *path == target.at.path && edit.range.start == target.name_range.start;
            let judgement = known.get(&(path, edit.range.start));
            if !is_own && judgement.is_none_or(|&judgement| judgement == Judgement::Unlikely) {
                odd.push((path.clone(), edit.range));
            }
        }
    }
    odd
}

/// Occurrences that are left and of which nothing can be said.
fn open(edit: &ServerEdit, judged: &Judged) -> Vec<(RelPath, TextRange)> {
    let is_left = |path: &RelPath, start: u32| {
        let file = edit.files.get(path);
        !file.is_some_and(|file| file.edits.iter().any(|edit| edit.range.start == start))
    };
    let left = judged.of(Judgement::Unchecked).filter(|one| is_left(&one.path, one.range.start));
    left.filter(|one| one.role != Role::Declaration).map(|one| (one.path.clone(), one.range)).collect()
}
