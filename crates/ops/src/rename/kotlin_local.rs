//! Renames of Kotlin's locals, parameters and type parameters. No row of the index stands for them and no server is asked: scopes, and the
//! calls that name arguments, tell their uses. Invariant: a place that may mean the local or something else rejects the rename, as elsewhere.

use std::collections::HashSet;

use super::answer::{PlannedRename, RenameError, RenameNote};
use super::places::listed;
use super::{DoubtPolicy, Draft, Rename, UncheckedUses, check_name, counted, to_plan};
use crate::Project;
use crate::question::{QuestionError, Source};
use crate::server_edit::{ServerEdit, ServerEditError};
use crate::symbol::Symbol;
use crate::target::{SymbolSelector, Target, TargetError, with_line};
use crate::unsearched::{broken_around, unsearched_for_word};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath, Text, TextEdit, TextEdits, TextRange};
use symd_engine::View;
use symd_lsp::ServerError;
use symd_resolve::{self as resolve, EditedText, KotlinLocal, LocalUses};
use symd_syntax::SymbolKind;

/// A file and a range of it.
type FileRange = (RelPath, TextRange);

/// Plans the rename of the one local that the name path means; `None` if it means none.
pub(super) async fn planned(project: &Project, ask: &Rename) -> Result<Option<PlannedRename>, RenameError> {
    let (wanted, languages) = (ask.wanted.clone(), project.languages.clone());
    let found = project.with_view(move |view, cancel| found(view, &languages, &wanted, cancel)).await??;
    let (target, local) = match <[_; 1]>::try_from(found) {
        Ok([one]) => one,
        Err(none) if none.is_empty() => return Ok(None),
        Err(several) => {
            let candidates = several.into_iter().map(|(target, _)| target.symbol).collect();
            let several = TargetError::Several { pattern: ask.wanted.name_path.clone(), candidates };
            return Err(QuestionError::Target(several).into());
        }
    };
    check_name(&target, &ask.new_name)?;
    let draft = drafted(project, ask, &target, local).await?;
    to_plan(target, ask, draft).map(Some)
}

/// Returns the locals that a selector means, each with the declaration around it under the local's name.
fn found(
    view: &View,
    languages: &symd_config::Languages,
    wanted: &SymbolSelector,
    cancel: &Cancel,
) -> Result<Vec<(Target, KotlinLocal)>, QuestionError> {
    let (path, line) = with_line(view, &wanted.relative_path);
    let within = RelPath::new(path).map_err(|error| QuestionError::Place(error.to_string()))?;
    let is_meant = |path: &RelPath| path.is_within(&within);
    let mut locals = resolve::find_kotlin_locals(view, &wanted.name_path, &is_meant, cancel)?;
    if line.is_none() {
        resolve::without_locals_further_in(&mut locals);
    }
    let mut targets: Vec<(Target, KotlinLocal)> =
        locals.into_iter().filter_map(|one| Some((target(view, languages, &one)?, one))).collect();
    targets.retain(|(target, _)| line.is_none_or(|line| target.symbol.start_line == line));
    Ok(targets)
}

/// Returns the declaration around a local, under the name and the place of the local.
fn target(view: &View, languages: &symd_config::Languages, local: &KotlinLocal) -> Option<Target> {
    let file = view.snapshot.files.get(local.path.as_str())?;
    let outline = file.outline()?;
    let is_around = |row: &symd_syntax::Row| row.range().contains(local.range);
    let row = outline.rows.iter().rposition(is_around)?;
    let around = Target::new(view, languages, file, row)?;
    let current = view.current(file).ok().filter(|current| current.hash == around.at.hash)?;
    let line = current.text.line_column(local.range.start).line;
    let symbol = Symbol {
        name_path: local.name_path.clone(),
        kind: SymbolKind::Variable,
        start_line: line,
        end_line: line,
        is_local: true,
        ..around.symbol
    };
    let at = symd_lsp::DocumentPosition { offset: local.range.start, ..around.at };
    Some(Target { symbol, at, name: local.name.clone(), name_range: local.range, ..around })
}

/// What was found out about a local.
struct LocalFacts {
    uses: LocalUses,
    /// What has the new name in its scope.
    beside: Vec<FileRange>,
    /// Why uses may be missing, in clauses.
    unread: Vec<String>,
}

async fn drafted(
    project: &Project,
    ask: &Rename,
    target: &Target,
    local: KotlinLocal,
) -> Result<Draft, RenameError> {
    if local.is_of_platforms && ask.doubts != DoubtPolicy::Note {
        let why = format!(
            "the function of '{}' is declared for several platforms, each with a parameter of its own",
            local.name
        );
        let places = project.with_view({
            let place = [(local.path.clone(), local.range)];
            move |view, cancel| listed(view, &place, cancel)
        });
        return Err(RenameError::Doubtful { why, places: places.await?.map_err(QuestionError::from)? });
    }
    let (of, around, new_name) = (local.clone(), target.clone(), ask.new_name.clone());
    let work = move |view: &View, cancel: &Cancel| facts(view, &of, &around, &new_name, cancel);
    let LocalFacts { mut uses, beside, unread } =
        project.with_view(work).await?.map_err(QuestionError::from)?;
    let mut notes = Vec::new();
    let mut places = std::mem::take(&mut uses.certain);
    places.append(&mut uses.probable.clone());
    if ask.unchecked == UncheckedUses::Renamed {
        places.append(&mut uses.open);
    }
    let documented = uses.documented.len();
    places.append(&mut uses.documented);
    let list = |places: Vec<FileRange>| {
        project.with_view(move |view: &View, cancel: &Cancel| listed(view, &places, cancel))
    };
    if !uses.open.is_empty() {
        let text =
            format!("the meaning of {} of the places named '{}' is unknown", uses.open.len(), local.name);
        let open = list(uses.open).await?.map_err(QuestionError::from)?;
        notes.push(ask.doubt_of_uses(text, open)?);
    }
    if !uses.probable.is_empty() {
        let text = format!(
            "an object whose class is not known may have a member '{}' here; renamed as uses of the local",
            local.name
        );
        notes.push(RenameNote::doubt(text, list(uses.probable).await?.map_err(QuestionError::from)?));
    }
    if documented > 0 {
        let text = format!(
            "{} renamed too",
            counted(documented, "place in documentation", "places in documentation")
        );
        notes.push(RenameNote::plain(text));
    }
    if let Some(delegate) = uses.delegate {
        let text = format!("a delegate gets the name and may use it; '{}' replaces it there", ask.new_name);
        notes.push(RenameNote::doubt(text, list(vec![delegate]).await?.map_err(QuestionError::from)?));
    }
    notes.extend(unread.into_iter().map(|clause| RenameNote::doubt(clause, Vec::new())));
    let (of, new_name) = (local.clone(), ask.new_name.clone());
    let work = move |view: &View, cancel: &Cancel| edited(view, &of, &new_name, (places, beside), cancel);
    let failed = |problem| RenameError::Server { server: "symd".to_owned(), problem };
    let (edit, taken) = project.with_view(work).await?.map_err(failed)?;
    if !taken.is_empty() {
        let places = list(taken).await?.map_err(QuestionError::from)?;
        if ask.doubts != DoubtPolicy::Note {
            let (old_name, new_name) = (local.name.clone(), ask.new_name.clone());
            return Err(RenameError::Collides { old_name, new_name, places });
        }
        notes.push(RenameNote::doubt(format!("'{}' is already in use here", ask.new_name), places));
    }
    let language = project.language_of(target).map_err(QuestionError::from)?;
    let why = project.servers.outliner(language).err().unwrap_or_else(|| ServerError::NoServer {
        language: project.languages.get(language).name.clone(),
        reason: "scopes tell the uses of a local".to_owned(),
        install: None,
    });
    Ok(Draft { edit, source: Source::Syntax(why), maybe_indexing: false, notes })
}

fn facts(
    view: &View,
    local: &KotlinLocal,
    target: &Target,
    new_name: &str,
    cancel: &Cancel,
) -> Result<LocalFacts, Cancelled> {
    let uses = resolve::kotlin_local_uses(view, local, cancel)?;
    let beside = resolve::names_beside_local(view, local, new_name, cancel);
    let mut unread = Vec::new();
    if local.is_named_by_calls {
        let known: HashSet<(&RelPath, u32)> =
            uses.certain.iter().chain(&uses.open).map(|(path, range)| (path, range.start)).collect();
        unread.extend(broken_around(view, target, &known, cancel)?.clause_of_broken());
        unread.extend(unsearched_for_word(view, &local.name).clauses_of_unknown());
    } else if target.file.has_errors() {
        unread.push(format!("{} has syntax errors", local.path));
    }
    Ok(LocalFacts { uses, beside, unread })
}

/// Makes the edit; returns it with what takes the new name: names in the scope of the local, and what would mean something else.
fn edited(
    view: &View,
    local: &KotlinLocal,
    new_name: &str,
    (places, beside): (Vec<FileRange>, Vec<FileRange>),
    cancel: &Cancel,
) -> Result<(ServerEdit, Vec<FileRange>), ServerEditError> {
    let mut edit = ServerEdit::default();
    for (path, range) in places {
        let file = edit.file(view, &path)?;
        // It was judged in an earlier view; this is the current text.
        if file.text.slice(range) != local.name {
            return Err(ServerEditError::Changed(path));
        }
        file.edits.push(TextEdit { range, new_text: new_name.to_owned() });
    }
    edit.settle()?;
    let texts: Vec<(&RelPath, &Text, TextEdits)> = edit
        .files
        .iter()
        .filter_map(|(path, file)| Some((path, &file.text, TextEdits::new(file.edits.clone()).ok()?)))
        .collect();
    let texts: Vec<EditedText<'_>> =
        texts.iter().map(|(path, text, edits)| EditedText { path, text, edits }).collect();
    let mut taken = resolve::find_changed_meanings_of_local(view, local, new_name, &texts, cancel)?;
    taken.extend(beside);
    taken.sort();
    taken.dedup();
    Ok((edit, taken))
}
