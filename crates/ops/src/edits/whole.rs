//! Edits that servers make up, made: what such an edit and its making have in common. The edit itself comes from elsewhere.
//! Invariant: what a client believes of any file of the edit holds, or nothing is written; an edit that was beaten is to be
//! made up anew, never forced upon other texts.

use super::apply::{ApplyError, apply_beside};
use super::effects::{self, Before, Caused, NewName, Report};
use super::foretelling::foretell;
use super::request::{Base, Form, Stale};
use crate::Project;
use symd_base::{ContentHash, RelPath};
use symd_edit::{Applied, By, EditError, Plan, PlanStep};
use symd_engine::EditTurn;

/// How often an edit is made up anew whose files change under it. From the second time on it has a turn, so that only who
/// writes the files without symd uses these up.
const ATTEMPTS: usize = 16;

/// An edit of whole files that can be made.
pub trait WholeEdit {
    /// What to do.
    fn plan(&self) -> &Plan;
    /// Changes of text by file, in path order, under the names that files have before.
    fn files(&self) -> &[(RelPath, usize)];
    /// Files that get other names.
    fn renamed(&self) -> &[(RelPath, RelPath)];
    /// The name that it replaces everywhere, and the new one: a diagnostic that has the other name now is no new one.
    fn new_name(&self) -> Option<NewName> {
        None
    }
    /// The file that the question was about, and what it held then.
    fn asked_at(&self) -> (&RelPath, ContentHash);
}

/// Whether an edit that was beaten may be made up anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It names its place by what stands there.
    Allowed,
    /// It names lines, which may be others now.
    Never,
}

/// The attempts at one edit.
#[derive(Debug)]
pub struct Attempts<'p> {
    project: &'p Project,
    // Held until the edit is made: who waits for it plans on what this one leaves.
    turn: Option<EditTurn>,
    left: usize,
}

impl<'p> Attempts<'p> {
    /// Waits for those who were beaten before.
    pub async fn begin(project: &'p Project, again: Again) -> Attempts<'p> {
        let left = if again == Again::Allowed { ATTEMPTS - 1 } else { 0 };
        Attempts { project, turn: project.engine.turn_behind_others().await, left }
    }

    /// To be asked when the edit was beaten: whether it is to be made up anew. It has a turn then.
    pub async fn again(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if self.turn.is_none() {
            self.turn = Some(self.project.engine.turn().await);
        }
        true
    }
}

impl ApplyError {
    /// Whether files changed between the plan and its making.
    pub fn is_beaten(&self) -> bool {
        matches!(self, ApplyError::Edit(EditError::Conflict { .. }))
    }
}

/// Holds every file that `edit` changes, and the one it was asked about, against what the client believes. `form` is how
/// the tool takes revisions.
pub fn check_base(edit: &impl WholeEdit, base: &Base, form: Form) -> Result<(), Stale> {
    let (named, held) = edit.asked_at();
    let base = base.clone().of_file(named);
    let in_form = |stale| Stale { form, ..stale };
    base.check(named, Some(held)).map_err(in_form)?;
    for step in &edit.plan().steps {
        let (path, held) = match step {
            PlanStep::Text { path, base, .. }
            | PlanStep::Rename { from: path, base, .. }
            | PlanStep::Delete { path, base } => (path, *base),
            PlanStep::Write { path, base: Some(base), .. } => (path, *base),
            PlanStep::Write { .. } | PlanStep::Create { .. } | PlanStep::MakeDirectory { .. } => continue,
        };
        base.check(path, Some(held)).map_err(in_form)?;
    }
    Ok(())
}

/// An edit that was made.
#[derive(Debug)]
pub struct Carried {
    /// Its number, and every file that changed.
    pub applied: Applied,
    before: Before,
    files: Vec<RelPath>,
    new_name: Option<NewName>,
}

/// Makes the edit, and tells the servers of files that have other names now.
pub async fn carry_out(
    project: &Project,
    edit: &impl WholeEdit,
    report: Report,
    by: By,
) -> Result<Carried, ApplyError> {
    let is_made = |path: &RelPath| {
        edit.plan()
            .steps
            .iter()
            .any(|step| matches!(step, PlanStep::Create { path: made, .. } if made == path))
    };
    let files: Vec<RelPath> = edit.files().iter().map(|(path, _)| path.clone()).collect();
    let there: Vec<RelPath> = files.iter().filter(|path| !is_made(path)).cloned().collect();
    let before = effects::before(project, report, &there).await;
    let (applied, foretold) =
        apply_beside(project, edit.plan().clone(), by, foretell(project, edit.plan())).await;
    let applied = match applied {
        Ok(applied) => applied,
        Err(error) => {
            project.engine.take_back(&foretold);
            return Err(error);
        }
    };
    if !edit.renamed().is_empty() {
        project.servers.renamed_files(edit.renamed()).await;
    }
    let now = |path: RelPath| {
        let renamed = edit.renamed().iter().find(|(from, _)| *from == path);
        renamed.map_or(path, |(_, to)| to.clone())
    };
    let files = files.into_iter().map(now).collect();
    Ok(Carried { applied, before, files, new_name: edit.new_name() })
}

impl Carried {
    /// What is wrong now that was not before.
    pub async fn caused(self, project: &Project) -> Caused {
        effects::caused(project, self.before, &self.files, self.new_name).await
    }
}
