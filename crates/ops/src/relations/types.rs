//! The supertypes and subtypes of one type: from the server's type hierarchy, or, without one, from what the
//! heads of classes name.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::Omitted;
use super::callees::pointed_at;
use super::level::{FileLocation, Level, PlacesBySymbol, SymbolKey, SymbolSummary};
use crate::Project;
use crate::implementations::{PossibleMatch, doubtful, possible, remaining_possible};
use crate::question::{QuestionError, Source};
use crate::spot;
use crate::target::Target;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_lsp::{Direction, ServerError, WaitPolicy};
use symd_resolve::{TypeLinks, TypeNeighbours, is_type, type_links};

/// What the heads of classes name; read once for a tree, when first needed.
#[derive(Default)]
pub(crate) struct ClassHeads(OnceCell<Arc<TypeLinks>>);

impl ClassHeads {
    async fn links(&self, project: &Project, of: &Target) -> Result<Arc<TypeLinks>, QuestionError> {
        let read = || async {
            let of = of.resolved();
            let links = project.with_view(move |view, cancel| type_links(view, &of, cancel)).await??;
            Ok::<_, QuestionError>(Arc::new(links))
        };
        self.0.get_or_try_init(read).await.cloned()
    }
}

pub(crate) async fn types(
    project: &Project,
    of: &Target,
    (direction, heads): (Direction, &ClassHeads),
    waiting: WaitPolicy,
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
        Err(changed @ ServerError::Changed { .. }) => return Err(changed.into()),
        Err(why) => {
            let links = heads.links(project, of).await?;
            let omitted = Omitted {
                unresolved: names_outside(&links, of, direction),
                perhaps: doubts(&links, of, direction),
                ..Omitted::default()
            };
            let of = of.clone();
            let gathered =
                project.with_view(move |view, _: &Cancel| from_heads(view, &links, &of, direction)).await?;
            return level(project, gathered, Source::Syntax(why), omitted).await;
        }
    };
    let (items, server) = (said.value, said.server);
    let work = move |view: &View, cancel: &Cancel| {
        let mut gathered = PlacesBySymbol::default();
        for item in &items {
            let (key, summary) = pointed_at(view, &item.name, item.kind, &item.name_range, cancel)?;
            gathered.add(key, None, true, summary);
        }
        Ok::<_, QuestionError>(gathered)
    };
    let gathered = project.with_view(work).await??;
    let links = heads.links(project, of).await?;
    let perhaps = left_doubts(&links, of, (direction, &gathered));
    let omitted = Omitted { perhaps, ..Omitted::default() };
    level(project, gathered, Source::Server(server), omitted).await
}

/// Returns the types that remain doubtful beside those that a server lists.
fn left_doubts(
    links: &TypeLinks,
    of: &Target,
    (direction, listed): (Direction, &PlacesBySymbol),
) -> Vec<PossibleMatch> {
    match direction {
        Direction::Down => {
            let place = |key: &SymbolKey| match &key.file {
                FileLocation::Project(path) => Some((path.clone(), key.at?)),
                FileLocation::Outside(_) => None,
            };
            let places: Vec<(RelPath, u32)> = listed.keys().filter_map(place).collect();
            possible(&remaining_possible(doubtful(&links.heirs), &places, of))
        }
        // A server that lists as many types as the head names has resolved the computed bases.
        Direction::Up => {
            let written =
                neighbours(links, of).map_or(0, |of| of.above.len() + of.outside.len() + of.open.len());
            if listed.keys().count() < written { doubts(links, of, direction) } else { Vec::new() }
        }
    }
}

async fn level(
    project: &Project,
    gathered: PlacesBySymbol,
    source: Source,
    omitted: Omitted,
) -> Result<Level, QuestionError> {
    let languages = project.languages.clone();
    let branches = project.with_view(move |view, _| gathered.branches(view, &languages)).await?;
    Ok(Level { branches, source, omitted })
}

fn neighbours<'l>(links: &'l TypeLinks, of: &Target) -> Option<&'l TypeNeighbours> {
    links.of(&of.at.path, of.name_range.start)
}

/// Returns the bases that the project does not declare.
fn names_outside(links: &TypeLinks, of: &Target, direction: Direction) -> Vec<String> {
    let is_up = direction == Direction::Up;
    neighbours(links, of).filter(|_| is_up).map(|of| of.outside.clone()).unwrap_or_default()
}

/// Returns the types that may be supertypes or subtypes, which could not be determined.
fn doubts(links: &TypeLinks, of: &Target, direction: Direction) -> Vec<PossibleMatch> {
    match direction {
        Direction::Down => possible(&doubtful(&links.heirs)),
        Direction::Up => {
            let open = neighbours(links, of).into_iter().flat_map(|of| &of.open);
            let text = |base: &String| match base.as_str() {
                "" => PossibleMatch::new("a computed base", ""),
                base => PossibleMatch::new(base, ", which could not be resolved"),
            };
            let unnamed = PossibleMatch::new("interfaces", " that it satisfies without naming them");
            open.map(text).chain(links.has_unnamed_bases.then_some(unnamed)).collect()
        }
    }
}

fn from_heads(view: &View, links: &TypeLinks, of: &Target, direction: Direction) -> PlacesBySymbol {
    let mut gathered = PlacesBySymbol::default();
    let Some(neighbours) = neighbours(links, of) else { return gathered };
    let next = match direction {
        Direction::Up => &neighbours.above,
        Direction::Down => &neighbours.below,
    };
    for of_file in next.chunk_by(|a, b| a.class.file.path == b.class.file.path) {
        let path = &of_file[0].class.file.path;
        let source = match direction {
            Direction::Up => None,
            Direction::Down => spot::Source::read(view, path),
        };
        for link in of_file {
            let Some((outline, row)) = link.class.row().filter(|(_, row)| is_type(row.kind())) else {
                continue;
            };
            let key = SymbolKey { file: FileLocation::Project(path.clone()), at: Some(row.name_start) };
            let line = source.as_ref().map(|source| source.text.line_column(link.in_head.start).line);
            // The index does not hold all of these types.
            let name_path = outline.name_path(link.class.row);
            let summary = SymbolSummary { name_path, kind: row.kind(), line: row.name_line };
            gathered.add(key, line, link.is_sure, Some(summary));
        }
    }
    gathered
}

/// Reports for each of these types whether it has supertypes or subtypes, as far as class heads show.
pub(super) async fn have_types(
    project: &Project,
    types: &[Target],
    (direction, heads): (Direction, &ClassHeads),
) -> Result<Vec<bool>, QuestionError> {
    let Some(first) = types.first() else { return Ok(Vec::new()) };
    let links = heads.links(project, first).await?;
    let has = |of: &Target| {
        let neighbours = neighbours(&links, of).filter(|_| is_type(of.symbol.kind));
        neighbours.is_some_and(|of| match direction {
            Direction::Up => !of.above.is_empty(),
            Direction::Down => {
                of.below.iter().any(|one| one.class.row().is_some_and(|(_, row)| is_type(row.kind())))
            }
        })
    };
    Ok(types.iter().map(has).collect())
}
