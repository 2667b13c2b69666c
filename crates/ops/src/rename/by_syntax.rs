//! A rename without a server: of a name of which every occurrence is known to mean the symbol. Where types are known,
//! what else declares the name, or is known to mean that, does not matter, nor for a local of Python whose uses two readings of
//! its file agree on; elsewhere nothing else in the project may have the name. Invariant: one doubtful occurrence rejects the whole rename.

use std::collections::HashSet;

use super::answer::{RenameError, RenameNote};
use super::file_of_class::rename_file;
use super::fluent::object_members;
use super::kept_exports::kept_text;
use super::linked::LinkedSymbol;
use super::merged::rename_error;
use super::places::listed;
use super::shared_imports::{ImportUsers, SharedImport, edit_of_import};
use super::shorthand::{has_shorthand, is_shorthand};
use super::unparsed::UnparsedMentions;
use super::{DoubtPolicy, Draft, Rename, UncheckedUses, counted};
use crate::Project;
use crate::question::{QuestionError, Source};
use crate::references::JudgedOccurrences;
use crate::server_edit::{ServerEdit, ServerEditError};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, TextEdit, TextRange};
use symd_engine::View;
use symd_index::{Locals, Query};
use symd_lsp::ServerError;
use symd_resolve::{self as resolve, AccessorPlace, FoundLocal, Judgement, Role};
use symd_syntax::{Matching, NamePattern, SymbolKind};

/// A place at which the name stands.
type NamePlace = (RelPath, TextRange);

/// Makes the edit from the occurrences that syntax judged.
pub(super) async fn draft(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    why: ServerError,
    judged: &JudgedOccurrences,
    unseen: UnparsedMentions,
) -> Result<Draft, RenameError> {
    let target = &symbol.target;
    let local = found_local(project, symbol, judged).await?;
    let (mut ruled_out, others) = ruled_out(project, symbol, judged).await?;
    let meant = meant(project, symbol, judged, &mut ruled_out).await?;
    let others = if local.is_some() { Vec::new() } else { others };
    let of = target.resolved();
    let exported = project.with_view(move |view, _| resolve::exported_by_value(view, &of)).await?;
    let own = &target.at.path;
    // Other files name what the module exports.
    let others: Vec<NamePlace> =
        others.into_iter().filter(|place| exported.is_none() || place.0 == *own).collect();
    let is_key =
        |one: &NamePlace| one.0 == *own && exported.as_ref().is_some_and(|keys| keys.contains(&one.1));
    let mut sure = Vec::new();
    let mut doubtful = Vec::new();
    let mut unchecked = Vec::new();
    let typed = typed_files(project, judged).await?;
    let is_renamed = |one: &resolve::Occurrence| {
        let is_open = is_unchecked(one) && !ruled_out.contains(&(one.path.clone(), one.range));
        one.judgement == Judgement::Likely || ask.unchecked == UncheckedUses::Renamed && is_open
    };
    let users = ImportUsers::of(judged, &target.name, is_renamed);
    let (mut imports, mut keys) = (Vec::new(), Vec::new());
    for one in &judged.occurrences {
        let place = (one.path.clone(), one.range);
        let is_unchecked = is_unchecked(one);
        if exported.is_some() && place.0 != *own {
            continue;
        }
        if is_key(&place) {
            keys.push(place);
            continue;
        }
        if one.judgement != Judgement::Likely && ruled_out.contains(&place) {
            continue;
        }
        // Types tell what else the name means there.
        if one.judgement != Judgement::Likely && !is_unchecked && typed.contains(&one.path) {
            continue;
        }
        if let Some(local) = &local
            && is_beside_local(local, one)
        {
            continue;
        }
        if let Some(change) = users.of_import(one) {
            imports.push((place, change));
            continue;
        }
        match ask.unchecked {
            _ if one.judgement == Judgement::Likely || meant.contains(&place) => sure.push(place),
            UncheckedUses::Renamed if is_unchecked => {
                unchecked.push(place.clone());
                sure.push(place);
            }
            _ => doubtful.push(place),
        }
    }
    let FoundLocal { further_keywords, open_keywords, .. } = local.unwrap_or_default();
    sure.extend(further_keywords);
    doubtful.extend(open_keywords.into_iter().filter(|place| !sure.contains(place)));
    let mut accessors = Vec::new();
    let mut unseen = unseen;
    for (one, line) in std::mem::take(&mut unseen.accessors) {
        // A property in Kotlin that stands for Java's getter and setter keeps its name where only one is renamed.
        let renamed = match resolve::has_types(&target.file) {
            true => resolve::renamed_accessor(&target.name, &one.name, &ask.new_name),
            false => None,
        };
        match renamed {
            Some(new) if new == one.name => {}
            Some(new) => accessors.push((one, new)),
            None => unseen.places.push(line),
        }
    }
    let (of, new_name, policy) = (symbol.clone(), ask.new_name.clone(), ask.unchecked);
    let work = move |view: &View, cancel: &Cancel| {
        doubtful.extend(others.into_iter().filter(|place| !ruled_out.contains(place)));
        let mut edit = ServerEdit::default();
        let other_forms = change_imports(view, &of, imports, &new_name, &mut edit)?;
        match policy {
            UncheckedUses::Left => doubtful.extend(other_forms),
            UncheckedUses::Renamed => {
                unchecked.extend(other_forms.iter().cloned());
                sure.extend(other_forms);
            }
        }
        let before = doubtful.len();
        rename_uses(view, &of, &sure, &new_name, &mut edit, &mut doubtful)?;
        split_keys(view, &keys, (&of.target.name, &new_name), &mut edit)?;
        let keys = listed(view, &keys, cancel)?;
        let has_shorthands = doubtful.len() > before;
        rename_accessors(view, &accessors, &mut edit)?;
        rename_file(view, &of, &new_name, &mut edit)?;
        edit.settle()?;
        doubtful.sort();
        doubtful.dedup();
        let places = listed(view, &doubtful, cancel)?;
        let unchecked = listed(view, &unchecked, cancel)?;
        Ok::<_, ServerEditError>((edit, (doubtful.len(), places), (unchecked, keys), has_shorthands))
    };
    let skipped = unseen.unread_text();
    let done = project.with_view(work).await?;
    let (edit, (count, mut places), (unchecked, keys), has_shorthands) =
        done.map_err(|problem| rename_error("syntax".to_owned(), problem))?;
    let mut notes = Vec::new();
    let count = count + unseen.places.len();
    places.extend(unseen.places);
    places.sort();
    if count > 0 || !skipped.is_empty() {
        let text = format!(
            "without a server ({why}), the meaning of {count} of the places named '{}' is unknown{skipped}",
            target.name
        );
        // If the unchecked ones are renamed, those remain that look like something else.
        // A shorthand is certainly a use, and would break if it were not renamed.
        if ask.doubts != DoubtPolicy::Note && (has_shorthands || ask.doubts_uses()) {
            let more = format!(
                "; include: [\"{}\"] renames those that may refer to it and skips those that look like something else",
                UncheckedUses::NAME
            );
            let is_left = judged.open().next().is_some() && ask.doubts_uses();
            let why = if is_left { text + &more } else { text };
            return Err(RenameError::Doubtful { why, places });
        }
        notes.push(RenameNote::doubt(format!("{text}; not renamed"), places));
    }
    if !unchecked.is_empty() {
        let text = format!(
            "{} of '{}' renamed too, although syntax cannot determine the meaning",
            counted(unchecked.len(), "occurrence", "occurrences"),
            target.name
        );
        notes.push(RenameNote::doubt(text, unchecked));
    }
    // Around an error types tell nothing: what they rule out there may be a use.
    notes.extend(judged.unread.clause_of_broken().map(|text| RenameNote::doubt(text, Vec::new())));
    if !keys.is_empty() {
        notes.push(RenameNote::fact(kept_text(&target.name), keys));
    }
    if edit.is_empty() {
        let why = format!("no occurrence of '{}' was found", target.name);
        return Err(QuestionError::Place(why).into());
    }
    Ok(Draft { edit, source: Source::Syntax(why), maybe_indexing: false, notes })
}

/// Returns what is known of a local all of whose uses are found, whatever else has its name; see [`resolve::found_local`].
async fn found_local(
    project: &Project,
    symbol: &LinkedSymbol,
    judged: &JudgedOccurrences,
) -> Result<Option<FoundLocal>, QuestionError> {
    let (of, occurrences) = (symbol.resolved(), judged.occurrences.clone());
    let work = move |view: &View, cancel: &Cancel| resolve::found_local(view, &of, &occurrences, cancel);
    Ok(project.with_view(work).await??)
}

/// Whether an occurrence is not one of a local all of whose uses are found. A name in a string that is run as code may be one.
fn is_beside_local(local: &FoundLocal, one: &resolve::Occurrence) -> bool {
    let is_open = || local.open_keywords.iter().any(|place| place.0 == one.path && place.1 == one.range);
    match (one.judgement, one.role) {
        (Judgement::Likely, _) => false,
        (_, Role::Argument) => !is_open(),
        (Judgement::Unlikely, _) => true,
        _ => local.attributes.iter().any(|place| place.0 == one.path && place.1 == one.range),
    }
}

/// Returns those files with judged occurrences in which types, or what is declared of them, tell what names mean.
async fn typed_files(
    project: &Project,
    judged: &JudgedOccurrences,
) -> Result<HashSet<RelPath>, QuestionError> {
    let paths: HashSet<RelPath> = judged.occurrences.iter().map(|one| one.path.clone()).collect();
    let work = move |view: &View, _: &Cancel| {
        let is_typed = |path: &RelPath| {
            view.snapshot.files.get(path.as_str()).is_some_and(|file| resolve::declares_types(file))
        };
        paths.into_iter().filter(is_typed).collect()
    };
    project.with_view(work).await
}

/// Whether syntax cannot determine the meaning of a use.
fn is_unchecked(one: &resolve::Occurrence) -> bool {
    one.judgement.is_open() && one.role != Role::Declaration
}

/// Returns the places that cannot mean the symbol: unchecked uses, by what the project's text shows of their receivers, members
/// of classes that are unrelated to the symbol's, and bare names where it is a member; and the other declarations of the name, of which some may be among those places.
async fn ruled_out(
    project: &Project,
    symbol: &LinkedSymbol,
    judged: &JudgedOccurrences,
) -> Result<(HashSet<NamePlace>, Vec<NamePlace>), QuestionError> {
    let place = |one: &resolve::Occurrence| (one.path.clone(), one.range);
    // The receiver of a key is not written before it.
    let has_receiver = |one: &&resolve::Occurrence| is_unchecked(one) && one.role != Role::Key;
    let open: Vec<_> = judged.occurrences.iter().filter(has_receiver).map(place).collect();
    let unsure = judged.occurrences.iter().filter(|one| one.judgement != Judgement::Likely);
    let mut unsure: Vec<_> = unsure.map(place).collect();
    // Of an unlikely use scopes tell what else the name means.
    let is_bare = |one: &&resolve::Occurrence| {
        one.judgement == Judgement::Unlikely && !matches!(one.role, Role::Key | Role::Argument)
    };
    let mut bare: Vec<_> = judged.occurrences.iter().filter(is_bare).map(place).collect();
    let keywords = judged.occurrences.iter().filter(|one| one.role == Role::Argument).map(place);
    let keywords: Vec<_> = keywords.collect();
    let of = symbol.clone();
    let work = move |view: &View, cancel: &Cancel| {
        let members = of.resolved();
        let out = resolve::rule_out_uses(view, &members, &open, cancel)?;
        let mut found = those(open, &out);
        let others = others(view, &of, cancel)?;
        unsure.extend(others.iter().cloned());
        let out = resolve::rule_out_members(view, &members, &unsure, cancel)?;
        found.extend(those(unsure, &out));
        bare.extend(others.iter().cloned());
        let out = resolve::rule_out_bare_names(view, &members, &bare, cancel)?;
        found.extend(those(bare, &out));
        if resolve::are_beyond_keywords(&members) {
            found.extend(keywords);
        }
        Ok::<_, Cancelled>((found, others))
    };
    Ok(project.with_view(work).await??)
}

/// Returns the unchecked uses that mean the symbol by the class of the object before them, as the text tells it; adds those that mean
/// another member to what is ruled out.
async fn meant(
    project: &Project,
    symbol: &LinkedSymbol,
    judged: &JudgedOccurrences,
    ruled_out: &mut HashSet<NamePlace>,
) -> Result<HashSet<NamePlace>, QuestionError> {
    // What an unlikely use means instead may be a member of an object, too.
    let is_asked = |one: &&resolve::Occurrence| {
        let is_use = matches!(one.role, Role::Use | Role::Call | Role::Argument);
        is_unchecked(one) && one.role != Role::Key || is_use && one.judgement == Judgement::Unlikely
    };
    let asked = judged.occurrences.iter().filter(is_asked);
    let asked = asked.map(|one| (one.path.clone(), one.range)).filter(|place| !ruled_out.contains(place));
    let asked: Vec<NamePlace> = asked.collect();
    if asked.is_empty() {
        return Ok(HashSet::new());
    }
    let found = object_members(project, symbol, &asked).await?;
    let (mut meant, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, (path, start))| symbol.declares(path, *start));
    ruled_out.extend(others.into_iter().map(|(place, _)| place));
    let open: HashSet<(&RelPath, u32)> = judged.open().map(|one| (&one.path, one.range.start)).collect();
    meant.retain(|((path, range), _)| open.contains(&(path, range.start)));
    Ok(meant.into_iter().map(|(place, _)| place).collect())
}

/// Returns those of `places` of which the flag is set.
fn those(places: Vec<NamePlace>, is_one: &[bool]) -> HashSet<NamePlace> {
    places.into_iter().zip(is_one).filter(|(_, is_one)| **is_one).map(|(place, _)| place).collect()
}

/// Returns the declarations of the name, anywhere in the project, that are not the symbol's, nor in a language that cannot name it. What
/// stands outside of all classes and functions may be linked to one of another language by its name.
fn others(view: &View, symbol: &LinkedSymbol, cancel: &Cancel) -> Result<Vec<NamePlace>, Cancelled> {
    let Ok(pattern) = NamePattern::parse(&symbol.target.name, Matching::Exact) else { return Ok(Vec::new()) };
    let query = Query::in_project(pattern, Locals::Included);
    let hits = view.snapshot.find(&query, cancel)?;
    let is_inner = symbol.target.resolved().row().is_some_and(|(_, row)| row.parent().is_some());
    let place = |hit: symd_index::Hit| {
        let row = hit.file.outline()?.rows.get(hit.row)?;
        let is_it = symbol.declares(&hit.file.path, row.name_start);
        let length = u32::try_from(symbol.target.name.len()).ok()?;
        let range = TextRange::new(row.name_start, row.name_start.checked_add(length)?);
        let is_apart = is_inner && resolve::files_are_apart(&symbol.target.file, &hit.file);
        let is_rival = !is_it && !resolve::declares_types(&hit.file) && !is_apart;
        is_rival.then(|| (hit.file.path.clone(), range))
    };
    Ok(hits.into_iter().filter_map(place).collect())
}

/// Renames the uses. A name that stands for two things at once is doubtful.
fn rename_uses(
    view: &View,
    symbol: &LinkedSymbol,
    sure: &[NamePlace],
    new_name: &str,
    edit: &mut ServerEdit,
    doubtful: &mut Vec<NamePlace>,
) -> Result<(), ServerEditError> {
    let name = symbol.target.name.as_str();
    // The constants of an enumeration are declared in a list like that of an object.
    let is_constant = symbol.target.symbol.kind == SymbolKind::EnumMember;
    for (path, range) in sure {
        let file = edit.file(view, path)?;
        // It was judged in an earlier view; this is the current text.
        if file.text.slice(*range) != name {
            return Err(ServerEditError::Changed(path.clone()));
        }
        if view.snapshot.files.get(path.as_str()).is_some_and(|file| has_shorthand(file.grammar()))
            && is_shorthand(&file.text, *range)
            && !(is_constant && symbol.declares(path, range.start))
        {
            doubtful.push((path.clone(), *range));
            continue;
        }
        file.edits.push(TextEdit { range: *range, new_text: new_name.to_owned() });
    }
    Ok(())
}

/// Makes pairs of the shorthands among the keys of exports, which keep their name: `{ run }` becomes `{ run: go }`.
fn split_keys(
    view: &View,
    keys: &[NamePlace],
    (old_name, new_name): (&str, &str),
    edit: &mut ServerEdit,
) -> Result<(), ServerEditError> {
    for (path, range) in keys {
        let file = edit.file(view, path)?;
        if file.text.slice(*range) != old_name {
            return Err(ServerEditError::Changed(path.clone()));
        }
        if is_shorthand(&file.text, *range) {
            let new_text = format!("{old_name}: {new_name}");
            file.edits.push(TextEdit { range: *range, new_text });
        }
    }
    Ok(())
}

/// Changes the imports that bring other declarations, too. Returns those of a form that is not followed.
fn change_imports(
    view: &View,
    symbol: &LinkedSymbol,
    imports: Vec<(NamePlace, SharedImport)>,
    new_name: &str,
    edit: &mut ServerEdit,
) -> Result<Vec<NamePlace>, ServerEditError> {
    let mut other_forms = Vec::new();
    for ((path, range), change) in imports {
        let file = edit.file(view, &path)?;
        if file.text.slice(range) != symbol.target.name {
            return Err(ServerEditError::Changed(path));
        }
        match edit_of_import(&file.text, range, new_name, change) {
            Some(edits) => file.edits.extend(edits),
            None => other_forms.push((path, range)),
        }
    }
    Ok(other_forms)
}

/// Adds the calls of a Kotlin property's accessors in Java, each with its new name.
fn rename_accessors(
    view: &View,
    accessors: &[(AccessorPlace, String)],
    edit: &mut ServerEdit,
) -> Result<(), ServerEditError> {
    for (one, new_name) in accessors {
        let file = edit.file(view, &one.path)?;
        if file.text.slice(one.range) != one.name {
            return Err(ServerEditError::Changed(one.path.clone()));
        }
        file.edits.push(TextEdit { range: one.range, new_text: new_name.clone() });
    }
    Ok(())
}
