//! One level of callers, callees, supertypes and subtypes, with the ranges that show the relation.

use super::ranges::{Ranges, with_ranges};
use super::symbols::of_target;
use super::{AnswerForm, PlacedSymbol, TextPlace};
use crate::Project;
use crate::question::QuestionError;
use crate::relations::{FileLocation, RelatedSymbol, Relation, one_level};
use crate::spot::whole_words;
use crate::target::declared_at;
use symd_base::{RelPath, TextRange};
use symd_lsp::{FileRef, ServerPosition, Span};

/// A related symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyItem {
    /// The symbol; a file where code outside functions is related.
    pub symbol: PlacedSymbol,
    /// Where the relation is written: in the caller's file, or at the subtypes' heads.
    pub sites: Vec<Span>,
}

/// Returns the symbols that are related to the one declared at a place. Empty if none is declared there.
pub async fn hierarchy(
    project: &Project,
    place: &TextPlace,
    relation: Relation,
    form: AnswerForm,
) -> Result<Vec<HierarchyItem>, QuestionError> {
    project
        .by_need(|project| async move {
            let (at, languages) = (place.clone(), project.languages.clone());
            let target = project.with_view(move |view, _| declared_at(view, &languages, &at.path, at.offset));
            let Some(target) = target.await? else { return Ok(Vec::new()) };
            let related = one_level(&project, &target, relation, form.waiting).await?;
            let work = move |ranges: &mut Ranges<'_>| {
                let own = (&target.at.path, target.name.as_str());
                related.iter().filter_map(|one| item(ranges, one, relation, own)).collect()
            };
            with_ranges(&project, form.encoding, work).await
        })
        .await
}

fn item(
    ranges: &mut Ranges<'_>,
    one: &RelatedSymbol,
    relation: Relation,
    (own_path, own_name): (&RelPath, &str),
) -> Option<HierarchyItem> {
    let symbol = match &one.target {
        Some(target) => of_target(ranges, target)?,
        None => without_declaration(ranges, one)?,
    };
    let (path, name) = match relation {
        Relation::Callees => (own_path.clone(), symbol.name.clone()),
        Relation::Callers | Relation::Subtypes | Relation::Supertypes => {
            (symbol.path.clone(), own_name.to_owned())
        }
    };
    let is_inside = relation == Relation::Callees || matches!(one.key.file, FileLocation::Project(_));
    let lines: &[u32] = if is_inside { &one.lines } else { &[] };
    let sites = lines.iter().flat_map(|&line| on_line(ranges, &path, line, &name)).collect();
    Some(HierarchyItem { symbol, sites })
}

/// Returns the top level of a file, or a symbol outside the project.
fn without_declaration(ranges: &Ranges<'_>, one: &RelatedSymbol) -> Option<PlacedSymbol> {
    let line = one.summary.line;
    let (path, range) = match &one.key.file {
        FileLocation::Project(path) => {
            let start = ServerPosition { line, character: 0 };
            let mut span = ranges.outside(path.as_path().to_owned(), line);
            span.file = FileRef::Project(path.clone());
            (path.clone(), Span { start, end: start, ..span })
        }
        FileLocation::Outside(path) => (RelPath::root(), ranges.outside(path.clone(), line)),
    };
    let name = one.summary.name_path.rsplit('/').next().unwrap_or_default().to_owned();
    Some(PlacedSymbol {
        path,
        name,
        container: String::new(),
        kind: one.summary.kind,
        name_range: range.clone(),
        range,
        offset: 0,
        children: Vec::new(),
    })
}

/// Returns where `name` is written on a line; the line's text if it is not: a call through another name.
fn on_line(ranges: &mut Ranges<'_>, path: &RelPath, line: u32, name: &str) -> Vec<Span> {
    let Some(text) = ranges.text(path) else { return Vec::new() };
    let number = line as usize;
    let Some(written) = text.line(number) else { return Vec::new() };
    let start = text.line_start(number);
    let mut found: Vec<(usize, usize)> = whole_words(written, name).map(|at| (at, at + name.len())).collect();
    if found.is_empty() {
        let indent = written.len() - written.trim_start().len();
        found.push((indent, indent + written.trim().len()));
    }
    let range = |(from, to): (usize, usize)| {
        Some(TextRange::new(u32::try_from(start + from).ok()?, u32::try_from(start + to).ok()?))
    };
    let found: Vec<TextRange> = found.into_iter().filter_map(range).collect();
    found.into_iter().filter_map(|range| ranges.span(path, range)).collect()
}
