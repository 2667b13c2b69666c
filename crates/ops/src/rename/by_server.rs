//! A server's rename, compared with what syntax finds: an occurrence that the edit omits, though the server
//! resolves it to the symbol, is added; one that the server does not resolve is reported; one that also means
//! something else is rejected, and so is, of a server whose renames are unproven, a change that package and
//! imports contradict.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::answer::{RenameError, RenameNote};
use super::definition_index::{DefinitionIndex, PlaceMeaning, Placed};
use super::fixtures::FixtureValues;
use super::fluent::{follow_fluent, follow_objects};
use super::in_quotes::in_quotes;
use super::kept_exports::keep_exports;
use super::linked::LinkedSymbol;
use super::merged::{RenameAnswers, is_unproven, rename_error, united};
use super::places::listed;
use super::shorthand::{has_shorthand, is_shorthand};
use super::unparsed::UnparsedMentions;
use super::{DoubtPolicy, Draft, Rename, UncheckedUses, ask_server, counted};
use crate::Project;
use crate::naming;
use crate::question::{QuestionError, Source};
use crate::references::{JudgedOccurrence, JudgedOccurrences, compare};
use crate::server_edit::{ServerEdit, ServerEditError};
use crate::target::Target;
use symd_base::{RelPath, TextEdit};
use symd_engine::View;
use symd_index::Snapshot;
use symd_lsp::WaitPolicy;
use symd_resolve::{self as resolve, Judgement, Role};
use symd_syntax::SymbolKind;

/// Maximum number of requests to a server that may still be indexing, if its edit lacks something.
const ROUNDS: usize = 8;

/// Maximum number of changed places of which the server is asked whether they also mean something else.
const MAX_VERIFIED: usize = 150;

/// What syntax and the server's own definitions say of its edit.
#[derive(Default)]
struct Findings {
    /// Declarations of the symbol that are not renamed.
    undeclared: Vec<Placed>,
    /// Likely uses that the server does not resolve.
    silent: Vec<Placed>,
    /// Uses of which neither the server nor syntax can determine the meaning.
    open: Vec<Placed>,
    /// Places that mean the symbol and something else.
    both: Vec<Placed>,
    /// Likely uses in files of languages that the server does not serve.
    other_languages: Vec<Placed>,
    /// Occurrences that the edit omits and the server resolves to the symbol: they are renamed too.
    added: Vec<Placed>,
    /// Uses that are renamed at the client's request although their meaning is unknown.
    unchecked: Vec<Placed>,
}

/// Turns the server's edits into a draft, or returns why that is not possible.
pub(super) async fn draft(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    (mut said, mut asked): (RenameAnswers, Arc<Snapshot>),
    judged: &JudgedOccurrences,
    unseen: &UnparsedMentions,
) -> Result<Draft, RenameError> {
    let (mut leads, mut given) = (DefinitionIndex::default(), FixtureValues::default());
    let quoted = in_quotes(project, judged).await?;
    let mut before: Option<usize> = None;
    let mut round = 1;
    loop {
        let edit = united(project, symbol, ask, &said, &asked).await?;
        let count = edit.files.values().map(|file| file.edits.len()).sum();
        let places = in_question(project, symbol, &edit, judged);
        leads.ask(project, symbol, &places).await?;
        let kept = keep_exports(project, symbol, &edit, judged, &mut leads).await?;
        let silent = |place: &Placed| leads.sense(place, |_| false) == PlaceMeaning::Unsaid;
        let silent: Vec<Placed> = places.into_iter().filter(silent).collect();
        given.follow(project, symbol, &silent, &mut leads).await?;
        follow_fluent(project, symbol, &silent, &mut leads).await?;
        follow_objects(project, symbol, &silent, &mut leads).await?;
        rule_out(project, symbol, silent, &mut leads).await?;
        let (edit, findings) = complete_edit(project, symbol, ask, edit, judged, (&leads, &quoted)).await?;
        let lacks = !findings.added.is_empty() || !findings.undeclared.is_empty();
        let is_settled = !lacks || !said.maybe_indexing || before == Some(count);
        if is_settled || round >= ROUNDS || ask.waiting == WaitPolicy::DontWait {
            let note = unparsed_note(&edit, unseen, &symbol.target);
            let mut draft = to_draft(project, symbol, ask, said, edit, findings, judged).await?;
            draft.notes.extend(note.into_iter().chain(kept));
            return Ok(draft);
        }
        before = Some(count);
        round += 1;
        asked = project.snapshot().await?;
        said = ask_server(project, symbol, ask, &asked).await.map_err(QuestionError::from)?;
    }
}

/// Records which of `places` cannot mean the symbol, by what the project's text shows of their receivers.
async fn rule_out(
    project: &Project,
    symbol: &LinkedSymbol,
    mut places: Vec<Placed>,
    leads: &mut DefinitionIndex,
) -> Result<(), QuestionError> {
    places.retain(|place| leads.sense(place, |_| false) == PlaceMeaning::Unsaid);
    let (members, of) = (symbol.resolved(), places.clone());
    let out =
        project.with_view(move |view, cancel| resolve::rule_out_uses(view, &members, &of, cancel)).await??;
    for (place, _) in places.into_iter().zip(out).filter(|(_, is_out)| *is_out) {
        leads.record_other(place);
    }
    Ok(())
}

/// Returns a note on files that symd does not parse and the edit does not change: the server may not have
/// read them.
fn unparsed_note(edit: &ServerEdit, unseen: &UnparsedMentions, target: &Target) -> Option<RenameNote> {
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
    Some(RenameNote::doubt(text, left.places))
}

/// Returns the places that an edit changes: file and start offset.
pub(super) fn touched(edit: &ServerEdit) -> HashSet<(&RelPath, u32)> {
    let files = edit.files.iter();
    files.flat_map(|(path, file)| file.edits.iter().map(move |edit| (path, edit.range.start))).collect()
}

/// Returns the places where an edit turns a shorthand into a pair, `{ size }` into `{ size: width }`: the old name goes on there for
/// the other thing that it meant, so what leads there need not mean the symbol.
fn split_shorthands(edit: &ServerEdit) -> HashSet<(&RelPath, u32)> {
    let files = edit.files.iter();
    let is_pair = |edit: &&TextEdit| edit.new_text.contains(':');
    files
        .flat_map(|(path, file)| file.edits.iter().filter(is_pair).map(move |edit| (path, edit.range.start)))
        .collect()
}

/// Returns the keys of objects that keep the old name where the edit renames the value: of `{ run: go }`, which was `{ run }` or
/// `{ run: run }`. What leads there names the key.
fn kept_keys(edit: &ServerEdit, name: &str) -> HashSet<(RelPath, u32)> {
    let mut kept = HashSet::new();
    for (path, file) in &edit.files {
        for one in &file.edits {
            if one.new_text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':')) {
                kept.insert((path.clone(), one.range.start));
                continue;
            }
            let before = file.text.as_str().get(..one.range.start as usize).unwrap_or("").trim_end();
            let key =
                before.strip_suffix(':').map(str::trim_end).and_then(|before| before.strip_suffix(name));
            let key = key.filter(|before| before.trim_end().ends_with(['{', ',']));
            kept.extend(key.and_then(|key| Some((path.clone(), u32::try_from(key.len()).ok()?))));
        }
    }
    kept
}

/// Returns the places whose definition the server is asked for: what its edit omits and may mean the symbol,
/// and some of what it changes although syntax cannot judge it.
fn in_question(
    project: &Project,
    symbol: &LinkedSymbol,
    edit: &ServerEdit,
    judged: &JudgedOccurrences,
) -> Vec<Placed> {
    let touched = touched(edit);
    let compared = compare(judged, &touched, &project.languages, symbol.target.language);
    let mut places: Vec<Placed> = compared.silent.iter().map(placed).collect();
    places.extend(
        symbol.members.iter().map(declaration).filter(|one| !touched.contains(&(&one.0, one.1.start))),
    );
    places.extend(open(&touched, judged));
    if is_member(&symbol.target) {
        let unsure = judged.open().filter(|one| touched.contains(&(&one.path, one.range.start)));
        let unsure: Vec<Placed> = unsure.map(|one| (one.path.clone(), one.range)).collect();
        let count = unsure.len().min(MAX_VERIFIED);
        places.extend((0..count).map(|number| unsure[number * unsure.len() / count].clone()));
    }
    places
}

/// Whether other classes may have a member of the target's name where it is used.
fn is_member(target: &Target) -> bool {
    use SymbolKind::{Constant, Field, Method, Property, Variable};
    matches!(target.symbol.kind, Constant | Field | Method | Property | Variable)
}

fn placed(one: &JudgedOccurrence) -> Placed {
    (one.path.clone(), one.range)
}

fn declaration(target: &Target) -> Placed {
    (target.at.path.clone(), target.name_range)
}

/// Adds to the edit what the server resolves to the symbol, and finds what is left.
async fn complete_edit(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    mut edit: ServerEdit,
    judged: &JudgedOccurrences,
    (leads, quoted): (&DefinitionIndex, &HashSet<Placed>),
) -> Result<(ServerEdit, Findings), RenameError> {
    let mut added: Vec<Placed> = Vec::new();
    let mut shorthands: Vec<Placed> = Vec::new();
    loop {
        let mut findings = found(project, symbol, &edit, judged, (leads, quoted));
        // A place may lead to one that is only now added.
        let new = std::mem::take(&mut findings.added);
        let new: Vec<Placed> = new.into_iter().filter(|one| !shorthands.contains(one)).collect();
        if !new.is_empty() {
            let done = with_added(project, symbol, ask, edit, new).await?;
            edit = done.0;
            added.extend(done.1);
            shorthands.extend(done.2);
            continue;
        }
        if ask.unchecked == UncheckedUses::Renamed {
            let left: Vec<Placed> = findings.open.drain(..).chain(findings.silent.drain(..)).collect();
            let done = with_added(project, symbol, ask, edit, left).await?;
            edit = done.0;
            findings.unchecked = done.1;
            shorthands.extend(done.2);
        }
        added.sort();
        findings.added = added;
        findings.silent.extend(shorthands);
        return Ok((edit, findings));
    }
}

/// Renames `places` in the edit, too; see [`with_places`].
async fn with_added(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    edit: ServerEdit,
    places: Vec<Placed>,
) -> Result<(ServerEdit, Vec<Placed>, Vec<Placed>), RenameError> {
    let (old_name, new_name) = (symbol.target.name.clone(), ask.new_name.clone());
    let work = move |view: &View, _: &_| with_places(view, edit, places, (&old_name, &new_name));
    let done = project.with_view(work).await?;
    done.map_err(|problem| rename_error("symd".to_owned(), problem))
}

/// Renames these places in the edit, too. Returns the edit, the places renamed, and those that cannot be
/// renamed because the name there means two things.
fn with_places(
    view: &View,
    mut edit: ServerEdit,
    places: Vec<Placed>,
    (old_name, new_name): (&str, &str),
) -> Result<(ServerEdit, Vec<Placed>, Vec<Placed>), ServerEditError> {
    let (mut added, mut left) = (Vec::new(), Vec::new());
    for (path, range) in places {
        let has_shorthand =
            view.snapshot.files.get(path.as_str()).is_some_and(|file| has_shorthand(file.grammar()));
        let file = edit.file(view, &path)?;
        if file.text.slice(range) != old_name {
            return Err(ServerEditError::Changed(path));
        }
        if has_shorthand && is_shorthand(&file.text, range) {
            left.push((path, range));
            continue;
        }
        file.edits.push(TextEdit { range, new_text: new_name.to_owned() });
        added.push((path, range));
    }
    edit.settle()?;
    Ok((edit, added, left))
}

/// Compares an edit with what syntax and the server's definitions say.
fn found(
    project: &Project,
    symbol: &LinkedSymbol,
    edit: &ServerEdit,
    judged: &JudgedOccurrences,
    (leads, quoted): (&DefinitionIndex, &HashSet<Placed>),
) -> Findings {
    let touched = touched(edit);
    let split = split_shorthands(edit);
    let kept = kept_keys(edit, &symbol.target.name);
    let compared = compare(judged, &touched, &project.languages, symbol.target.language);
    let is_ours = |(path, range): &Placed| {
        let is_member = |one: &Target| {
            // A server may point at the name, at the whole declaration, or at the beginning of its head.
            let in_head = one.range.start <= range.start && range.start <= one.name_range.start;
            one.at.path == *path && (range.contains(one.name_range) || in_head)
        };
        let is_changed = touched.contains(&(path, range.start)) && !split.contains(&(path, range.start));
        is_changed || symbol.members.iter().any(is_member)
    };
    let arguments: HashSet<(&RelPath, u32)> = judged
        .occurrences
        .iter()
        .filter(|one| one.role == Role::Argument)
        .map(|one| (&one.path, one.range.start))
        .collect();
    let sense = |place: &Placed| match arguments.contains(&(&place.0, place.1.start)) {
        true => leads.sense_of_argument(place, is_ours),
        false => leads.sense(place, is_ours),
    };
    let mut findings = Findings::default();
    let names_key = |place: &Placed| leads.leads_to_any(place, &kept);
    for place in compared.silent.iter().map(placed).filter(|place| !names_key(place)) {
        match sense(&place) {
            PlaceMeaning::Symbol => findings.added.push(place),
            PlaceMeaning::Both => findings.both.push(place),
            PlaceMeaning::Other => {}
            PlaceMeaning::Unsaid
                if leads.is_declaration(&place)
                    || symbol.through_super.contains(&place)
                    || quoted.contains(&place) =>
            {
                findings.added.push(place);
            }
            PlaceMeaning::Unsaid => findings.silent.push(place),
        }
    }
    for place in open(&touched, judged).into_iter().filter(|place| !names_key(place)) {
        match sense(&place) {
            PlaceMeaning::Symbol => findings.added.push(place),
            PlaceMeaning::Both => findings.both.push(place),
            PlaceMeaning::Other => {}
            PlaceMeaning::Unsaid => findings.open.push(place),
        }
    }
    for place in symbol.members.iter().map(declaration) {
        if touched.contains(&(&place.0, place.1.start)) {
            continue;
        }
        let leads_here = leads.is_declaration(&place) || leads.sense(&place, is_ours) == PlaceMeaning::Symbol;
        // A server that does not rename the requested place itself is not trusted with the rest.
        if leads_here && place != declaration(&symbol.target) {
            &mut findings.added
        } else {
            &mut findings.undeclared
        }
        .push(place);
    }
    // A shorthand that becomes a pair serves both.
    let is_whole = |place: &(&RelPath, u32)| touched.contains(place) && !split.contains(place);
    let changed = judged.occurrences.iter().filter(|one| is_whole(&(&one.path, one.range.start)));
    let changed = changed.map(|one| (one.path.clone(), one.range));
    findings.both.extend(changed.filter(|one| leads.sense(one, is_ours) == PlaceMeaning::Both));
    findings.other_languages = compared.other_languages.iter().map(placed).collect();
    findings
}

/// Turns the findings into notes, or rejects the rename.
async fn to_draft(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    said: RenameAnswers,
    edit: ServerEdit,
    findings: Findings,
    judged: &JudgedOccurrences,
) -> Result<Draft, RenameError> {
    let (server, name) = (said.server.clone(), &symbol.target.name);
    let is_unproven = is_unproven(project, &server);
    let occurrences = |places: &[Placed]| counted(places.len(), "occurrence", "occurrences");
    let mut doubts: Vec<(String, Vec<Placed>)> = Vec::new();
    let mut remarks: Vec<(String, Vec<Placed>)> = Vec::new();
    if !findings.undeclared.is_empty() {
        let of = findings.undeclared.len();
        let declared = if of == 1 { "the declaration".to_owned() } else { format!("{of} declarations") };
        let why = format!("{server} does not rename {declared} of '{name}'");
        doubts.push((why, findings.undeclared));
    }
    if !findings.both.is_empty() {
        let why = format!(
            "{} may refer to this '{name}' or to another one, according to {server}",
            occurrences(&findings.both)
        );
        match ask.doubts {
            DoubtPolicy::Refuse => &mut doubts,
            DoubtPolicy::NoteUses | DoubtPolicy::Note => &mut remarks,
        }
        .push((why, findings.both));
    }
    if !findings.silent.is_empty() {
        let why =
            format!("{server} does not rename {} likely to refer to '{name}'", occurrences(&findings.silent));
        // For a server whose renames are proven, only its own definitions count against it.
        if is_unproven || ask.doubts_uses() { &mut doubts } else { &mut remarks }
            .push((why, findings.silent));
    }
    let early = before_bound(symbol, &edit);
    if !early.is_empty() {
        let why = format!(
            "{server} changes a decorator of '{name}' itself, where that name still refers to something else"
        );
        doubts.push((why, early));
    }
    let outside = said.files_outside();
    if !outside.is_empty() {
        let why = format!(
            "{server} would also rename '{name}' outside the project, which symd does not do: {}",
            outside.join(", ")
        );
        remarks.push((why, Vec::new()));
    }
    if is_unproven {
        let odd = unlikely(symbol, &edit, judged);
        if !odd.is_empty() {
            let why = format!(
                "{server}'s renames are not reliable, and package and imports contradict {} of this one",
                counted(odd.len(), "edit", "edits")
            );
            doubts.push((why, odd));
        }
    }
    if !findings.other_languages.is_empty() {
        let why = format!(
            "not renamed: {} likely to refer to '{name}', in languages that {server} does not serve",
            occurrences(&findings.other_languages)
        );
        remarks.push((why, findings.other_languages));
    }
    if !findings.open.is_empty() {
        let of = format!(
            "neither {server} nor syntax can determine the meaning of {} of '{name}'",
            occurrences(&findings.open)
        );
        if ask.doubts_uses() {
            let why = format!("{of}; include: [\"{}\"] renames them too", UncheckedUses::NAME);
            doubts.push((why, findings.open));
        } else {
            remarks.push((format!("{of}; not renamed"), findings.open));
        }
    }
    if !findings.unchecked.is_empty() {
        let why = format!(
            "{} of '{name}' renamed too, although neither {server} nor syntax can determine the meaning",
            occurrences(&findings.unchecked)
        );
        remarks.push((why, findings.unchecked));
    }
    if ask.doubts == DoubtPolicy::Note {
        remarks.splice(0..0, std::mem::take(&mut doubts));
    }
    let added = findings.added;
    let (doubts, mut notes, added) = project
        .with_view(move |view, cancel| {
            let list = |all: Vec<(String, Vec<Placed>)>| {
                all.into_iter()
                    .map(|(text, mut places)| {
                        places.sort();
                        Ok(RenameNote::doubt(text, listed(view, &places, cancel)?))
                    })
                    .collect::<Result<Vec<RenameNote>, symd_base::cancel::Cancelled>>()
            };
            Ok::<_, QuestionError>((
                list(doubts)?,
                list(remarks)?,
                (added.len(), listed(view, &added, cancel)?),
            ))
        })
        .await??;
    if !doubts.is_empty() {
        let why: Vec<String> = doubts.iter().map(|doubt| doubt.text.clone()).collect();
        let places = doubts.into_iter().flat_map(|doubt| doubt.places).collect();
        return Err(RenameError::Doubtful { why: why.join("; "), places });
    }
    if edit.is_empty() {
        let reason = format!("{server} returned an empty edit");
        return Err(QuestionError::Place(reason).into());
    }
    if added.0 > 0 {
        let text = format!(
            "{} that {server} omitted and that {} to '{name}', renamed too",
            counted(added.0, "occurrence", "occurrences"),
            if added.0 == 1 { "refers" } else { "refer" }
        );
        notes.push(RenameNote::fact(text, added.1));
    }
    Ok(Draft { edit, source: Source::Server(server), maybe_indexing: said.maybe_indexing, notes })
}

/// Returns the edits that package and imports contradict, or that are not at an identifier.
fn unlikely(symbol: &LinkedSymbol, edit: &ServerEdit, judged: &JudgedOccurrences) -> Vec<Placed> {
    let known: HashMap<(&RelPath, u32), Judgement> =
        judged.occurrences.iter().map(|one| ((&one.path, one.range.start), one.judgement)).collect();
    let mut odd = Vec::new();
    for (path, file) in &edit.files {
        for edit in &file.edits {
            let is_own = symbol.declares(path, edit.range.start);
            let judgement = known.get(&(path, edit.range.start));
            if !is_own && judgement.is_none_or(|&judgement| judgement == Judgement::Unlikely) {
                odd.push((path.clone(), edit.range));
            }
        }
    }
    odd
}

/// Returns the edits in decorators of the first declaration of a name: they are evaluated before the name is
/// bound.
fn before_bound(symbol: &LinkedSymbol, edit: &ServerEdit) -> Vec<Placed> {
    let mut early = Vec::new();
    for member in &symbol.members {
        let is_sibling = |other: &Target| {
            other.at.path == member.at.path
                && other.symbol.name_path.rsplit_once('/').map(|(around, _)| around)
                    == member.symbol.name_path.rsplit_once('/').map(|(around, _)| around)
        };
        let is_first =
            !symbol.members.iter().any(|other| is_sibling(other) && other.range.start < member.range.start);
        let edits = edit.files.get(&member.at.path).map_or(&[][..], |file| &file.edits);
        let is_early = |one: &&TextEdit| {
            member.range.start <= one.range.start && one.range.start < member.name_range.start
        };
        if is_first && naming::has_decorated_overloads(&member.file) {
            early.extend(edits.iter().filter(is_early).map(|one| (member.at.path.clone(), one.range)));
        }
    }
    early
}

/// Returns the uses that are left and that syntax cannot judge.
fn open(touched: &HashSet<(&RelPath, u32)>, judged: &JudgedOccurrences) -> Vec<Placed> {
    let left = judged.open().filter(|one| !touched.contains(&(&one.path, one.range.start)));
    // Whether a string is a key is told by the types, which the server knows.
    left.filter(|one| !matches!(one.role, Role::Declaration | Role::Key))
        .map(|one| (one.path.clone(), one.range))
        .collect()
}
