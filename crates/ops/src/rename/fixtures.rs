//! Uses through parameters that pytest fills with fixtures: asks the server for the type of a fixture's
//! value, and for the types of the attributes accessed on it. Invariant: a use leads to the symbol only if
//! the last type declares or inherits it.

use std::collections::HashMap;

use tokio::task::JoinSet;

use super::definition_index::{DefinitionIndex, Placed};
use super::linked::LinkedSymbol;
use crate::Project;
use crate::question::QuestionError;
use crate::spot::{Expect, check};
use symd_base::RelPath;
use symd_engine::View;
use symd_index::Content;
use symd_lsp::{DocumentPosition, Goto, Span, WaitPolicy};
use symd_resolve as resolve;

/// Maximum number of types requested in one rename.
const MAX_ASKED: usize = 48;

/// A name whose type is requested: file and byte offset.
type ValuePlace = (RelPath, u32);

/// A use that is being followed to the class whose member it is.
struct Use {
    place: Placed,
    /// The name that holds the object reached so far.
    object: DocumentPosition,
    /// The attributes still to be accessed on it, before the member.
    path: Vec<String>,
}

/// The values that pytest passes to parameters, as far as they were requested.
#[derive(Default)]
pub(super) struct FixtureValues {
    /// The class of the value that a name holds, if it is one class.
    classes: HashMap<ValuePlace, Option<Placed>>,
}

impl FixtureValues {
    /// Records where those of `places` lead that use a member of a fixture's value.
    pub(super) async fn follow(
        &mut self,
        project: &Project,
        symbol: &LinkedSymbol,
        places: &[Placed],
        leads: &mut DefinitionIndex,
    ) -> Result<(), QuestionError> {
        if !resolve::is_dynamic(&symbol.target.file) || places.is_empty() {
            return Ok(());
        }
        let mut uses = uses(project, places).await?;
        while !uses.is_empty() {
            self.ask(project, symbol, &uses).await?;
            uses = self.step(project, symbol, uses, leads).await?;
        }
        Ok(())
    }

    /// Requests the types of the uses' holders that are not known yet.
    async fn ask(
        &mut self,
        project: &Project,
        symbol: &LinkedSymbol,
        uses: &[Use],
    ) -> Result<(), QuestionError> {
        let Ok(language) = project.language_of(&symbol.target) else { return Ok(()) };
        let mut asked = JoinSet::new();
        for one in uses {
            let named = (one.object.path.clone(), one.object.offset);
            if self.classes.len() >= MAX_ASKED || self.classes.contains_key(&named) {
                continue;
            }
            self.classes.insert(named.clone(), None);
            let (servers, at) = (project.servers.clone(), one.object.clone());
            asked.spawn(async move {
                let said = servers.goto(language, &at, Goto::TypeDefinition, WaitPolicy::DontWait).await;
                said.ok().map(|said| (named, said.value))
            });
        }
        let types: Vec<(ValuePlace, Vec<Span>)> = asked.join_all().await.into_iter().flatten().collect();
        if types.is_empty() {
            return Ok(());
        }
        let work = move |view: &View, cancel: &_| {
            let class = |(named, spans): (ValuePlace, Vec<Span>)| {
                let checked = check(view, &spans, Expect::Anything, cancel)?;
                // Exactly one class, in the project.
                let only = match &checked.spots[..] {
                    [only] if checked.outside.is_empty() => Some((only.path.clone(), only.range)),
                    _ => None,
                };
                Ok::<_, QuestionError>((named, only))
            };
            types.into_iter().map(class).collect::<Result<Vec<_>, _>>()
        };
        self.classes.extend(project.with_view(work).await??);
        Ok(())
    }

    /// Records where the uses with a known object lead; returns the others, each with the holder of the next
    /// object.
    async fn step(
        &self,
        project: &Project,
        symbol: &LinkedSymbol,
        uses: Vec<Use>,
        leads: &mut DefinitionIndex,
    ) -> Result<Vec<Use>, QuestionError> {
        let mut known = Vec::new();
        for one in uses {
            let named = (one.object.path.clone(), one.object.offset);
            let Some(Some(class)) = self.classes.get(&named) else { continue };
            let name = one.path.first().unwrap_or(&symbol.target.name).clone();
            known.push((one, (class.clone(), name)));
        }
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let members = symbol.resolved();
        let work = move |view: &View, cancel: &_| {
            let (uses, asked): (Vec<Use>, Vec<(Placed, String)>) = known.into_iter().unzip();
            let found = resolve::inherited_members(view, &asked, &members, cancel)?;
            let declared = |(one, member): (Use, Option<resolve::IndexedDeclaration>)| {
                let at = at(view, &member.as_ref()?.file, member.as_ref()?.row()?.1.name_start)?;
                Some((one, at))
            };
            Ok::<_, QuestionError>(uses.into_iter().zip(found).filter_map(declared).collect::<Vec<_>>())
        };
        let mut open = Vec::new();
        for (mut one, declared) in project.with_view(work).await?? {
            if one.path.is_empty() {
                leads.record(one.place, (declared.path, declared.offset), &symbol.target.name);
                continue;
            }
            one.path.remove(0);
            one.object = declared;
            open.push(one);
        }
        Ok(open)
    }
}

/// Returns those of `places` that use a member of a fixture's value.
async fn uses(project: &Project, places: &[Placed]) -> Result<Vec<Use>, QuestionError> {
    let places = places.to_vec();
    let work = move |view: &View, cancel: &_| {
        let values = resolve::fixture_values(view, &places, cancel)?;
        let used = |(place, value): (Placed, Option<resolve::FixtureValue>)| {
            let value = value?;
            Some(Use { place, object: at(view, &value.file, value.at)?, path: value.path })
        };
        Ok::<_, QuestionError>(places.into_iter().zip(values).filter_map(used).collect())
    };
    project.with_view(work).await?
}

fn at(view: &View, file: &symd_index::FileEntry, offset: u32) -> Option<DocumentPosition> {
    let Content::Code { hash, .. } = &file.content else { return None };
    Some(DocumentPosition { hash: *hash, revision: view.snapshot.revision, path: file.path.clone(), offset })
}
