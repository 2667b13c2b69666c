//! What implements a type or method: what the server says; without one, the types whose heads name it, and for a
//! method the members of that name in the subtypes of its class.

use super::Project;
use super::declared::{Declarations, of_spans, of_targets};
use super::definition::Definitions;
use super::heritage::is_type;
use super::question::{QuestionError, Source, unchanged};
use super::relations::{FindRelated, Relation, related};
use super::target::{Target, Wanted};
use super::unread;
use crate::base::Cancel;
use crate::engine::View;
use crate::lsp::{Goto, NoAnswer, Waiting};
use crate::resolve;

/// Levels of subtypes that are followed without a server.
const MAX_DEPTH: usize = 8;

/// What is asked.
#[derive(Clone, Debug)]
pub struct FindImplementations {
    /// Of which type or method.
    pub wanted: Wanted,
    /// How long to wait for a server that is not ready.
    pub waiting: Waiting,
}

/// Finds what implements it.
pub async fn implementations(
    project: &Project,
    ask: &FindImplementations,
) -> Result<Definitions, QuestionError> {
    unchanged(|| once(project, ask)).await
}

async fn once(project: &Project, ask: &FindImplementations) -> Result<Definitions, QuestionError> {
    let target = project.target(&ask.wanted).await?;
    let said = match project.language_of(&target) {
        Ok(language) => project.servers.goto(language, &target.at, Goto::Implementation, ask.waiting).await,
        Err(why) => Err(why),
    };
    let revision = target.at.revision;
    let (mut found, source) = match said {
        Ok(said) => {
            let work = move |view: &View, cancel: &Cancel| of_spans(view, &said.value, cancel);
            (project.look(work).await??, Source::Server(said.server))
        }
        Err(changed @ NoAnswer::Changed { .. }) => return Err(changed.into()),
        Err(why) => (from_heads(project, &target).await?, Source::Syntax(why)),
    };
    // Servers give a class among its own implementations, where it is not abstract.
    found.inside.retain(|one| !(one.spot.path == target.at.path && one.spot.range.start == target.at.offset));
    // What implements a method names its class.
    let class = target
        .symbol
        .name_path
        .rsplit('/')
        .nth(1)
        .map(|class| class.split('[').next().unwrap_or(class).to_owned());
    let more: Vec<String> = class.into_iter().collect();
    let read_as = target.read_as.clone();
    let work = move |view: &View, cancel: &Cancel| unread::of_target(view, &target, &more, cancel);
    let unread = project.look(work).await??;
    Ok(Definitions { found, source, unread, read_as, revision })
}

async fn from_heads(project: &Project, target: &Target) -> Result<Declarations, QuestionError> {
    let (class, member) = match is_type(target.symbol.kind) {
        true => (Some(target.symbol.name_path.clone()), None),
        false => (
            target.symbol.name_path.rsplit_once('/').map(|(class, _)| class.to_owned()),
            Some(target.name.clone()),
        ),
    };
    let Some(class) = class else { return Ok(Declarations::default()) };
    let wanted = Wanted::only(&format!("/{class}"), target.at.path.as_str());
    let ask = FindRelated { wanted, relation: Relation::Subtypes, depth: MAX_DEPTH, waiting: Waiting::No };
    let subtypes: Vec<Target> = related(project, &ask)
        .await?
        .nodes
        .into_iter()
        .filter_map(|node| node.branch.into_target())
        .collect();
    let work = move |view: &View, _: &Cancel| {
        let mut found: Vec<resolve::Target> = Vec::new();
        for subtype in &subtypes {
            match &member {
                None => found.push(subtype.resolved()),
                Some(name) => found.extend(members(subtype, name)),
            }
        }
        let mut declared = of_targets(view, &found);
        declared.inside.sort_by(|a, b| (&a.spot.path, a.spot.range).cmp(&(&b.spot.path, b.spot.range)));
        declared.inside.dedup();
        declared
    };
    project.look(work).await
}

/// The members of a type that bear a name.
fn members(of: &Target, name: &str) -> Vec<resolve::Target> {
    let Some(outline) = of.file.outline() else { return Vec::new() };
    let rows = outline.rows.iter().enumerate();
    rows.filter(|(_, row)| row.parent() == Some(of.row) && outline.name(row) == name)
        .map(|(row, _)| resolve::Target { file: of.file.clone(), row })
        .collect()
}
