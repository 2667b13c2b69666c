//! Symbols with the ranges that editors show: of a file, of a name, and those that a text is part of.

use super::ranges::{Ranges, with_ranges};
use super::{AnswerForm, TextPlace, targets_at};
use crate::Project;
use crate::question::QuestionError;
use crate::symbol::in_order;
use crate::target::Target;
use symd_base::{RelPath, TextRange};
use symd_index::{Locals, Query};
use symd_lsp::{ColumnEncoding, Span};
use symd_syntax::name_path::Matching;
use symd_syntax::{NamePattern, Outline, SymbolKind};

/// The most symbols that a search by name returns; the user goes on typing.
const MAX_FOUND: usize = 500;

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedSymbol {
    pub path: RelPath,
    pub name: String,
    /// The name path without the name; empty at the top level.
    pub container: String,
    pub kind: SymbolKind,
    /// The whole declaration.
    pub range: Span,
    pub name_range: Span,
    /// Where the name begins, in bytes.
    pub offset: u32,
    pub children: Vec<PlacedSymbol>,
}

/// Returns the symbols of a file as a tree, without parameters and local variables. Empty if symd reads no symbols of it.
pub async fn symbols_of(
    project: &Project,
    path: &RelPath,
    encoding: ColumnEncoding,
) -> Result<Vec<PlacedSymbol>, QuestionError> {
    project
        .by_need(|project| async move {
            let path = path.clone();
            let work = move |ranges: &mut Ranges<'_>| {
                let view = ranges.view();
                let file = view.snapshot.files.get(path.as_str());
                let Some(current) = file.and_then(|file| view.current(file).ok()) else { return Vec::new() };
                let outline = &current.outline;
                let is_top = |row: &usize| outline.rows[*row].parent().is_none();
                let top = in_order(outline, (0..outline.rows.len()).filter(is_top));
                top.into_iter().filter_map(|row| tree(ranges, &path, outline, row)).collect()
            };
            with_ranges(&project, encoding, work).await
        })
        .await
}

fn tree(ranges: &mut Ranges<'_>, path: &RelPath, outline: &Outline, row: usize) -> Option<PlacedSymbol> {
    if outline.rows[row].is_local() {
        return None;
    }
    let mut placed = placed(ranges, path, outline, row)?;
    let children = in_order(outline, outline.children(row));
    placed.children = children.into_iter().filter_map(|child| tree(ranges, path, outline, child)).collect();
    Some(placed)
}

fn placed(ranges: &mut Ranges<'_>, path: &RelPath, outline: &Outline, row: usize) -> Option<PlacedSymbol> {
    let this = &outline.rows[row];
    let name = outline.name(this);
    let text = ranges.text(path)?.as_str();
    // A composed name does not occur in the text.
    let is_there = text.get(this.name_start as usize..).is_some_and(|rest| rest.starts_with(name));
    let length = if is_there { u32::try_from(name.len()).ok()? } else { 0 };
    let container = this.parent().map_or_else(String::new, |parent| outline.name_path(parent));
    Some(PlacedSymbol {
        path: path.clone(),
        name: name.to_owned(),
        container,
        kind: this.kind(),
        range: ranges.span(path, this.range())?,
        name_range: ranges.span(path, TextRange::new(this.name_start, this.name_start + length))?,
        offset: this.name_start,
        children: Vec::new(),
    })
}

/// Returns a symbol that was found, without its children.
pub(super) fn of_target(ranges: &mut Ranges<'_>, target: &Target) -> Option<PlacedSymbol> {
    let outline = target.file.outline()?;
    placed(ranges, &target.at.path, outline, target.row)
}

/// Returns the symbols that the name at a place may mean.
pub async fn symbols_at(
    project: &Project,
    place: &TextPlace,
    form: AnswerForm,
) -> Result<Vec<PlacedSymbol>, QuestionError> {
    project
        .by_need(|project| async move {
            let targets = targets_at(&project, place, form.waiting).await?;
            let work = move |ranges: &mut Ranges<'_>| {
                targets.iter().filter_map(|target| of_target(ranges, target)).collect()
            };
            with_ranges(&project, form.encoding, work).await
        })
        .await
}

/// Returns symbols whose names contain `part`, in files of the languages with these LSP identifiers: at most
/// `MAX_FOUND`, in path order, then by position. An empty `part` finds nothing.
pub async fn symbols_matching(
    project: &Project,
    part: &str,
    languages: &[String],
    encoding: ColumnEncoding,
) -> Result<Vec<PlacedSymbol>, QuestionError> {
    let Ok(pattern) = NamePattern::parse(part, Matching::Substring) else { return Ok(Vec::new()) };
    let (pattern, wanted, known) = (&pattern, languages, &project.languages);
    project
        .by_need(|project| async move {
            let query = Query::in_project(pattern.clone(), Locals::Excluded);
            let (wanted, known) = (wanted.to_vec(), known.clone());
            let hits = project.with_view(move |view, cancel| view.snapshot.find(&query, cancel)).await??;
            let work = move |ranges: &mut Ranges<'_>| {
                let is_wanted = |path: &RelPath| {
                    let language = known.language_of(path);
                    language.is_some_and(|id| wanted.iter().any(|one| one == known.get(id).lsp_id()))
                };
                let hits = hits.iter().filter(|hit| is_wanted(&hit.file.path));
                let found =
                    hits.filter_map(|hit| placed(ranges, &hit.file.path, hit.file.outline()?, hit.row));
                found.take(MAX_FOUND).collect()
            };
            with_ranges(&project, encoding, work).await
        })
        .await
}
