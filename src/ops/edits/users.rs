//! Which files have a name among their identifiers, and what they hold: held against later, it tells whether somebody has
//! begun to use the name, or ceased to, since it was looked for. Invariant: equal only if every such file is the same,
//! byte for byte, and no other file may hold the name unread.

use crate::base::{ContentHash, RelPath};
use crate::engine::View;
use crate::ops::Project;
use crate::ops::question::QuestionError;
use crate::ops::target::Wanted;
use crate::ops::unread::{self, Unread};

/// The files in which a name is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Users {
    name: String,
    files: Vec<(RelPath, Option<ContentHash>)>,
    /// What may hold the name and was not looked into: a file just written may still be with its parser.
    unread: Unread,
}

impl Users {
    /// Of the name of a symbol, as of now.
    pub async fn of(project: &Project, wanted: &Wanted) -> Result<Users, QuestionError> {
        let name = wanted.name_path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        Users::of_name(project, name.split('[').next().unwrap_or(name)).await
    }

    async fn of_name(project: &Project, name: &str) -> Result<Users, QuestionError> {
        let name = name.to_owned();
        project.look(move |view, _| Users::in_view(view, name)).await
    }

    /// Whether they are still the same.
    pub(super) async fn are_same(&self, project: &Project) -> Result<bool, QuestionError> {
        Ok(Users::of_name(project, &self.name).await? == *self)
    }

    fn in_view(view: &View, name: String) -> Users {
        let files = view
            .snapshot
            .files
            .iter()
            .filter(|file| file.outline().is_some_and(|outline| outline.occurrences.contains(&name)));
        let files = files.map(|file| (file.path.clone(), file.hash())).collect();
        let unread = unread::of_word(view, &name);
        Users { name, files, unread }
    }
}
