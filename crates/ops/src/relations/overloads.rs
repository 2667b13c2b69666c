//! The relations of all overloads of a name; overloads with equal answers share one entry.

use super::{FindRelated, Node, Related, Relation, once};
use crate::Project;
use crate::question::QuestionError;
use crate::target::{OverloadAnswer, Target};

/// Follows the relation from a symbol, or from all overloads of a name, in the order of the overloads. Never
/// returns an empty list.
pub async fn related_to_overloads(
    project: &Project,
    ask: &FindRelated,
) -> Result<Vec<OverloadAnswer<Related>>, QuestionError> {
    project
        .by_need(|project| async move {
            let project = &project;
            let mut all = Vec::new();
            for of in project.entities(&ask.wanted).await? {
                let Some(from) = declaration_for(&of, ask.relation) else { continue };
                let found = once(project, from.clone(), ask).await?;
                OverloadAnswer::add(&mut all, of, found, is_equal_answer);
            }
            Ok(all)
        })
        .await
}

/// Returns the declaration of an entity from which the relation is followed: calls are in the longest body.
fn declaration_for(declarations: &[Target], relation: Relation) -> Option<&Target> {
    match relation {
        Relation::Callees => longest(declarations),
        Relation::Callers | Relation::Supertypes | Relation::Subtypes => declarations.first(),
    }
}

/// Returns the declaration with the longest body.
pub(crate) fn longest(declarations: &[Target]) -> Option<&Target> {
    let body = |one: &&Target| {
        let head = one.file.outline().and_then(|outline| outline.rows.get(one.row)).map_or(0, |row| row.head);
        one.range.end.saturating_sub(one.name_range.start + u32::from(head))
    };
    declarations.iter().max_by_key(body)
}

fn is_equal_answer(one: &Related, other: &Related) -> bool {
    let is_same = |(a, b): (&Node, &Node)| {
        (a.depth, a.more, &a.branch.key, &a.branch.lines, a.branch.is_likely)
            == (b.depth, b.more, &b.branch.key, &b.branch.lines, b.branch.is_likely)
    };
    one.nodes.len() == other.nodes.len()
        && one.nodes.iter().zip(&other.nodes).all(is_same)
        && one.omitted == other.omitted
        && one.source == other.source
}
