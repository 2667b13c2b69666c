//! Creates a file where nothing exists, or a directory. Overwrites nothing; a link in the last component of
//! the path counts as an existing entry.

use super::apply::apply;
use super::perform::PerformError;
use super::planned_edit::PlanningError;
use crate::Project;
use symd_base::RelPath;
use symd_edit::{Access, Originator, Plan, PlanStep};
use symd_files::tree::{FileOpError, LocateError};
use symd_vfs::{EntryKind, Files, VfsError};

/// Directories that were created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeDirectory {
    /// The requested directory.
    pub path: RelPath,
    /// The directories created for it, including itself, outermost first; empty if it existed. Links are
    /// resolved.
    pub made: Vec<RelPath>,
}

/// Creates the file at `path` (as a client wrote it), with the directories above it.
pub async fn create_file(
    project: &Project,
    path: &str,
    content: String,
    by: Originator,
) -> Result<RelPath, PerformError> {
    let written = path.to_owned();
    let path = project.with_view(move |view, _| vacant_path(&*view.files, &written)).await??;
    let by = Originator { title: format!("create {path}"), ..by };
    let create = PlanStep::Create { path: path.clone(), bytes: content.into_bytes(), access: Access::Plain };
    apply(project, Plan::new(vec![create]), by).await?;
    Ok(path)
}

/// Creates the directory at `path` (as a client wrote it), and those above it.
pub async fn create_directory(
    project: &Project,
    path: &str,
    by: Originator,
) -> Result<MadeDirectory, PerformError> {
    let written = path.to_owned();
    let (path, is_there) = project
        .with_view(move |view, _| -> Result<(RelPath, bool), PlanningError> {
            let path = RelPath::new(&written)?;
            find_obstacle(&*view.files, &path)?;
            let is_there = view.files.stat(&path).is_ok_and(|(kind, _)| kind == EntryKind::Directory);
            Ok((path, is_there))
        })
        .await??;
    if is_there {
        return Ok(MadeDirectory { path, made: Vec::new() });
    }
    let by = Originator { title: format!("create directory {path}"), ..by };
    let make = PlanStep::MakeDirectory { path: path.clone() };
    let applied = apply(project, Plan::new(vec![make]), by).await?;
    Ok(MadeDirectory { path, made: applied.directories })
}

/// Returns the path if nothing exists there and every directory above it exists or can be created.
fn vacant_path(files: &dyn Files, written: &str) -> Result<RelPath, PlanningError> {
    let path = RelPath::new(written)?;
    match files.stat(&path) {
        Ok((EntryKind::Directory, _)) => Err(FileOpError::IsDirectory(written.to_owned()).into()),
        Ok(_) => Err(VfsError::Exists { path }.into()),
        Err(VfsError::NotFound { .. }) => {
            let above = path.parent().unwrap_or_else(RelPath::root);
            find_obstacle(files, &above)?;
            Ok(path)
        }
        Err(VfsError::Outside { .. }) => Err(LocateError::Outside(written.to_owned()).into()),
        Err(other) => Err(other.into()),
    }
}

/// Fails if `path` or anything above it exists and is not a directory; the error names that entry.
fn find_obstacle(files: &dyn Files, path: &RelPath) -> Result<(), PlanningError> {
    let mut above = Some(path.clone());
    while let Some(here) = above {
        match files.stat(&here) {
            Ok((EntryKind::Directory, _)) => return Ok(()),
            Ok(_) => return Err(FileOpError::IsFile(here.to_string()).into()),
            // A dangling link is an entry, too.
            Err(VfsError::NotFound { .. }) if files.stat_link(&here).is_ok() => {
                return Err(FileOpError::IsFile(here.to_string()).into());
            }
            Err(VfsError::NotFound { .. }) => {}
            Err(VfsError::Outside { .. }) => return Err(LocateError::Outside(path.to_string()).into()),
            Err(other) => return Err(other.into()),
        }
        above = here.parent();
    }
    Ok(())
}
