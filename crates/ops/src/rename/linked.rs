//! The symbol to be renamed, and what is renamed with it: declarations linked by overriding, overloads,
//! stubs, prototypes.

use super::answer::{RenameError, RenameNote};
use super::places::listed;
use super::{DoubtPolicy, Rename, counted};
use crate::Project;
use crate::overrides::{OverrideLinks, override_links};
use crate::question::QuestionError;
use crate::target::Target;
use symd_base::{Cancel, RelPath, TextRange};
use symd_engine::View;
use symd_lsp::WaitPolicy;
use symd_resolve as resolve;

/// The symbol, with the declarations that are linked to it by overriding and are renamed with it.
#[derive(Clone, Debug)]
pub(super) struct LinkedSymbol {
    /// The requested symbol.
    pub(super) target: Target,
    /// All declarations, including the requested one, in path order.
    pub(super) members: Vec<Target>,
    /// Uses through `super()`, which cannot refer to anything else: servers do not know what comes next in a
    /// mixin.
    pub(super) through_super: Vec<(RelPath, TextRange)>,
}

impl LinkedSymbol {
    /// Returns all members but the requested one.
    pub(super) fn others(&self) -> impl Iterator<Item = &Target> {
        let (path, start) = (&self.target.at.path, self.target.name_range.start);
        self.members.iter().filter(move |one| one.at.path != *path || one.name_range.start != start)
    }

    /// Returns the members in the terms of `resolve`, the requested one first.
    pub(super) fn resolved(&self) -> Vec<resolve::IndexedDeclaration> {
        let all = std::iter::once(&self.target).chain(self.others());
        all.map(Target::resolved).collect()
    }

    /// Whether one of the members has its name at this place.
    pub(super) fn declares(&self, path: &RelPath, name_start: u32) -> bool {
        self.members.iter().any(|one| one.at.path == *path && one.name_range.start == name_start)
    }
}

/// Finds what is linked to the symbol by overriding, and the further declarations of each of these entities:
/// overloads, stubs, prototypes.
pub(super) async fn linked(
    project: &Project,
    target: &Target,
    waiting: WaitPolicy,
) -> Result<OverrideLinks, QuestionError> {
    let mut links = override_links(project, target, waiting).await?;
    let mut open = links.members.clone();
    while let Some(member) = open.pop() {
        let mut all = project.declarations(&member).await?;
        all.extend(bound_with(project, &member).await?);
        for declared in all {
            if links.members.iter().any(|known| known.is_same(&declared)) {
                continue;
            }
            let more = override_links(project, &declared, waiting).await?;
            let is_new = |one: &Target| !links.members.iter().any(|known| known.is_same(one));
            let new: Vec<Target> = more.members.iter().filter(|one| is_new(one)).cloned().collect();
            open.extend(new.iter().cloned());
            links.members.extend(new);
            links.join(more);
        }
    }
    // A double that kept the name would no longer replace the renamed class.
    for double in links.test_doubles.clone() {
        if !links.members.iter().any(|known| known.is_same(&double)) {
            links.members.push(double);
        }
    }
    links.members.sort_by(|a, b| (&a.at.path, a.at.offset).cmp(&(&b.at.path, b.at.offset)));
    Ok(links)
}

/// Returns the other declarations that bind the symbol's name in its scope.
async fn bound_with(project: &Project, target: &Target) -> Result<Vec<Target>, QuestionError> {
    let (of, languages) = (target.resolved(), project.languages.clone());
    let work = move |view: &View, _: &Cancel| {
        let others = resolve::other_bindings(&of).into_iter();
        others.filter_map(|one| Target::new(view, &languages, &one.file, one.row)).collect()
    };
    project.with_view(work).await
}

/// Returns notes on what is linked to the symbol by overriding; rejects the rename if that cannot be renamed
/// with it.
pub(super) async fn override_notes(
    project: &Project,
    ask: &Rename,
    links: &OverrideLinks,
) -> Result<Vec<RenameNote>, RenameError> {
    let (members, doubles) = (links.members.clone(), links.test_doubles.clone());
    let (objections, stand_ins) = (links.places(), links.substitutes.clone());
    let places = |members: &[Target]| -> Vec<(RelPath, TextRange)> {
        members.iter().map(|one| (one.at.path.clone(), one.name_range)).collect()
    };
    let work = move |view: &View, cancel: &_| {
        let members = listed(view, &places(&members), cancel)?;
        let (objections, stand_ins) = (listed(view, &objections, cancel)?, listed(view, &stand_ins, cancel)?);
        let doubles = listed(view, &places(&doubles), cancel)?;
        Ok::<_, QuestionError>((members, objections, stand_ins, doubles))
    };
    let (declared, objected, stand_ins, doubles) = project.with_view(work).await??;
    let mut notes = Vec::new();
    if links.members.len() > 1 {
        let text = format!(
            "{} are linked by overriding, or declare one entity, and are renamed together",
            counted(links.members.len(), "declaration", "declarations")
        );
        notes.push(RenameNote::fact(text, declared));
    }
    if !doubles.is_empty() {
        let text = format!(
            "{} of test doubles, which inherit from none of these and declare nothing but their methods, renamed too",
            counted(doubles.len(), "member", "members")
        );
        notes.push(RenameNote::doubt(text, doubles));
    }
    if !stand_ins.is_empty() {
        let text = format!(
            "{} this name in classes that inherit from none of these and declare the same methods: they may be used in \
             their place",
            counted(stand_ins.len(), "member keeps", "members keep")
        );
        notes.push(RenameNote::doubt(text, stand_ins));
    }
    if !links.bases_without_attributes.is_empty() {
        let text = format!(
            "the server does not report the attributes that methods of {} assign; one may have this name",
            links.bases_without_attributes.join(", ")
        );
        notes.push(RenameNote::doubt(text, Vec::new()));
    }
    if !links.objections.is_empty() {
        let why = links.objection();
        if ask.doubts != DoubtPolicy::Note {
            return Err(RenameError::Linked { why, places: objected });
        }
        notes.push(RenameNote::doubt(why, objected));
    }
    Ok(notes)
}
