//! A file that must have its class's name, as in Java, is renamed with the class.

use super::linked::LinkedSymbol;
use crate::server_edit::{FileOperation, ServerEdit, ServerEditError};
use symd_engine::View;
use symd_resolve as resolve;
use symd_vfs::VfsError;

/// Adds the rename of the file that has the name of a renamed class. Fails if the new path exists.
pub(super) fn rename_file(
    view: &View,
    symbol: &LinkedSymbol,
    new_name: &str,
    edit: &mut ServerEdit,
) -> Result<(), ServerEditError> {
    for class in symbol.members.iter().filter(|one| resolve::names_its_file(&one.resolved())) {
        let from = &class.at.path;
        let Some(hash) = edit.files.get(from).map(|file| file.hash) else { continue };
        let (Some(directory), Some(extension)) = (from.parent(), from.extension()) else { continue };
        let to = directory.join(&format!("{new_name}.{extension}"));
        match view.files.stat_link(&to) {
            Err(VfsError::NotFound { .. }) => {}
            Ok(_) => return Err(ServerEditError::FileTaken(to)),
            Err(error) => {
                return Err(ServerEditError::Unreadable { path: to, why: error.to_string() });
            }
        }
        edit.operations.push(FileOperation::Rename(from.clone(), to, hash));
    }
    Ok(())
}
