//! The declarations linked to a symbol: those that a member overrides and that override it, those that a type
//! extends and that extend it.

use crate::Project;
use crate::implementations::{PossibleMatchText, describe_possible};
use crate::overrides::override_links;
use crate::question::QuestionError;
use crate::relations::{ClassHeads, FileLocation, RelatedSymbol, SymbolSummary, types};
use crate::target::Target;
use symd_lsp::{Direction, WaitPolicy};
use symd_resolve as resolve;

/// The declarations linked to a symbol.
#[derive(Clone, Debug, Default)]
pub struct SymbolLinks {
    /// Declarations that it overrides or extends.
    pub above: Vec<LinkedDeclaration>,
    /// Declarations that override or extend it.
    pub below: Vec<LinkedDeclaration>,
    /// Why there may be more; empty if nothing suggests that.
    pub perhaps: PossibleMatchText,
}

/// A declaration that is linked to a symbol.
#[derive(Clone, Debug)]
pub struct LinkedDeclaration {
    pub file: FileLocation,
    pub summary: SymbolSummary,
    /// Whether the link is certain.
    pub is_likely: bool,
}

pub(crate) async fn links(
    project: &Project,
    target: &Target,
    waiting: WaitPolicy,
) -> Result<SymbolLinks, QuestionError> {
    if resolve::is_type(target.symbol.kind) {
        let heads = ClassHeads::default();
        let (up, down) = tokio::join!(
            types(project, target, (Direction::Up, &heads), waiting),
            types(project, target, (Direction::Down, &heads), waiting)
        );
        let (up, down) = (up?, down?);
        let doubts = [up.omitted.perhaps, down.omitted.perhaps].concat();
        let of_branches = |branches: Vec<RelatedSymbol>| branches.into_iter().map(of_branch).collect();
        return Ok(SymbolLinks {
            above: of_branches(up.branches),
            below: of_branches(down.branches),
            perhaps: describe_possible(&doubts).unwrap_or_default(),
        });
    }
    if !target.symbol.name_path.contains('/') {
        return Ok(SymbolLinks::default());
    }
    let links = override_links(project, target, waiting).await?;
    let all = |targets: &[resolve::IndexedDeclaration]| targets.iter().filter_map(of_target).collect();
    let perhaps = PossibleMatchText { one_by_one: links.objection(), by_reason: links.objection() };
    Ok(SymbolLinks { above: all(&links.in_base_classes), below: all(&links.in_subclasses), perhaps })
}

fn of_branch(branch: RelatedSymbol) -> LinkedDeclaration {
    LinkedDeclaration { file: branch.key.file, summary: branch.summary, is_likely: branch.is_likely }
}

fn of_target(target: &resolve::IndexedDeclaration) -> Option<LinkedDeclaration> {
    let (outline, row) = target.row()?;
    let summary =
        SymbolSummary { name_path: outline.name_path(target.row), kind: row.kind(), line: row.name_line };
    Some(LinkedDeclaration {
        file: FileLocation::Project(target.file.path.clone()),
        summary,
        is_likely: true,
    })
}
