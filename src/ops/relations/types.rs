//! Supertypes and subtypes of one type: what the server's type hierarchy says; where it has none, what heads of
//! classes name.

use std::sync::Arc;

use super::callees::pointed_at;
use super::level::{Gathered, Key, Level, Party, Where};
use super::{Omitted, TYPES_AT_ONCE};
use crate::base::Cancel;
use crate::engine::View;
use crate::lsp::{Direction, NoAnswer, Waiting};
use crate::ops::Project;
use crate::ops::question::{QuestionError, Source};
use crate::ops::references::judge;
use crate::ops::spot;
use crate::ops::target::Target;
use crate::ops::together::all_of;
use crate::resolve::{self, Judgement, Occurrence, is_type, written_bases};
use crate::syntax::with_hidden_types;

pub(in crate::ops) async fn types(
    project: &Project,
    of: &Target,
    direction: Direction,
    waiting: Waiting,
) -> Result<Level, QuestionError> {
    if !is_type(of.symbol.kind) {
        let (path, kind) = (&of.symbol.name_path, of.symbol.kind.word());
        return Err(QuestionError::Place(format!(
            "{path} is a {kind}, not a type: it has no super- or subtypes"
        )));
    }
    let said = match project.language_of(of) {
        Ok(language) => project.servers.types(language, &of.at, direction, waiting).await,
        Err(why) => Err(why),
    };
    let said = match said {
        Ok(said) => said,
        Err(changed @ NoAnswer::Changed { .. }) => return Err(changed.into()),
        Err(why) => {
            let gathered = from_heads(project, of, direction).await?;
            return level(project, gathered, Source::Syntax(why)).await;
        }
    };
    let (items, server) = (said.value, said.server);
    let work = move |view: &View, cancel: &Cancel| {
        let mut gathered = Gathered::default();
        for item in &items {
            let (key, party) = pointed_at(view, &item.name, item.kind, &item.name_range, cancel)?;
            gathered.add(key, None, true, party);
        }
        Ok::<_, QuestionError>(gathered)
    };
    let gathered = project.look(work).await??;
    level(project, gathered, Source::Server(server)).await
}

async fn level(project: &Project, gathered: Gathered, source: Source) -> Result<Level, QuestionError> {
    let languages = project.languages.clone();
    let branches = project.look(move |view, _| gathered.branches(view, &languages)).await?;
    Ok(Level { branches, source, omitted: Omitted::default() })
}

async fn from_heads(project: &Project, of: &Target, direction: Direction) -> Result<Gathered, QuestionError> {
    let of = of.clone();
    match direction {
        Direction::Up => project.look(move |view, cancel| supertypes(view, &of, cancel)).await?,
        Direction::Down => {
            let judged = judge(project, std::slice::from_ref(&of)).await?;
            project.look(move |view, cancel| subtypes(view, &judged.occurrences, cancel)).await?
        }
    }
}

fn supertypes(view: &View, of: &Target, cancel: &Cancel) -> Result<Gathered, QuestionError> {
    let mut gathered = Gathered::default();
    let Some(grammar) = of.file.grammar() else { return Ok(gathered) };
    let Ok(current) = view.current(&of.file) else { return Ok(gathered) };
    let Some(row) = current.outline.rows.get(of.row).filter(|_| current.hash == of.at.hash) else {
        return Ok(gathered);
    };
    for base in written_bases(grammar, &current.outline, row, current.text.as_str()) {
        let found = resolve::definitions(view, &of.at.path, base.range.start, cancel)?;
        if let Some((best, (_, row))) = found.first().and_then(|best| Some((best, best.row()?))) {
            let key = Key { file: Where::Project(best.file.path.clone()), at: Some(row.name_start) };
            gathered.add(key, None, found.len() == 1, None);
        }
    }
    Ok(gathered)
}

/// The types in whose heads an occurrence stands.
fn subtypes(view: &View, occurrences: &[Occurrence], cancel: &Cancel) -> Result<Gathered, QuestionError> {
    let mut gathered = Gathered::default();
    let possible: Vec<&Occurrence> =
        occurrences.iter().filter(|one| one.judgement != Judgement::Unlikely).collect();
    for of_file in possible.chunk_by(|a, b| a.path == b.path) {
        cancel.check()?;
        let path = &of_file[0].path;
        let Some(source) = spot::Source::read(view, path) else { continue };
        let Some((Some(grammar), outline)) = &source.code else { continue };
        let outline = match outline.hides_types {
            true => match with_hidden_types(*grammar, source.text.as_str(), outline, cancel) {
                Ok(whole) => &Arc::new(whole),
                Err(_) => continue,
            },
            false => outline,
        };
        for one in of_file {
            let is_in_head = |base: resolve::WrittenBase| base.range == one.range;
            let row = outline.rows.iter().position(|row| {
                is_type(row.kind())
                    && row.range().contains(one.range)
                    && written_bases(*grammar, outline, row, source.text.as_str()).into_iter().any(is_in_head)
            });
            if let Some((at, row)) = row.map(|at| (at, &outline.rows[at])) {
                let key = Key { file: Where::Project(path.clone()), at: Some(row.name_start) };
                let line = source.text.line_column(one.range.start).line;
                // The index does not have all of them.
                let party = Party { name_path: outline.name_path(at), kind: row.kind(), line: row.name_line };
                gathered.add(key, Some(line), one.judgement == Judgement::Likely, Some(party));
            }
        }
    }
    Ok(gathered)
}

/// Whether each of these types has super- or subtypes, as far as heads tell.
pub(super) async fn have_types(
    project: &Project,
    types: Vec<Target>,
    direction: Direction,
) -> Result<Vec<bool>, QuestionError> {
    let mut have = Vec::with_capacity(types.len());
    for types in types.chunks(TYPES_AT_ONCE) {
        for has in all_of(types.iter().map(|of| has_types(project, of, direction))).await {
            have.push(has?);
        }
    }
    Ok(have)
}

async fn has_types(project: &Project, of: &Target, direction: Direction) -> Result<bool, QuestionError> {
    Ok(is_type(of.symbol.kind) && !from_heads(project, of, direction).await?.is_empty())
}
