//! The files that have a name among their identifiers, with their hashes: a later comparison shows whether a
//! use of the name was added or removed since. Invariant: equal only if every such file is the same, byte for
//! byte, and no other file may hold the name unread.

use crate::Project;
use crate::question::QuestionError;
use crate::target::SymbolSelector;
use crate::unsearched::{self, UnsearchedFiles};
use symd_base::{ContentHash, RelPath};
use symd_engine::View;
use symd_index::NeededWords;
use symd_resolve::accessor_names;

/// The files in which one of several names is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameUsers {
    /// The names, and the names of accessors.
    names: Vec<String>,
    files: Vec<(RelPath, Option<ContentHash>)>,
    /// What may hold the name and was not searched: a file just written may still be with its parser.
    unread: UnsearchedFiles,
}

impl NameUsers {
    /// Returns the current users of a symbol's name.
    pub async fn of(project: &Project, wanted: &SymbolSelector) -> Result<NameUsers, QuestionError> {
        let name = wanted.name_path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        let name = name.split('[').next().unwrap_or(name);
        NameUsers::of_names(project, NameUsers::names_of([name])).await
    }

    /// Returns the names and those of their accessors.
    pub(crate) fn names_of<const N: usize>(names: [&str; N]) -> Vec<String> {
        let with_accessors = |name: &str| std::iter::once(name.to_owned()).chain(accessor_names(name));
        names.into_iter().flat_map(with_accessors).collect()
    }

    /// Returns the current users of `names`.
    pub(crate) async fn of_names(project: &Project, names: Vec<String>) -> Result<NameUsers, QuestionError> {
        let names = &names;
        project
            .by_need(|project| async move {
                let names = names.clone();
                project.with_view(move |view, _| NameUsers::in_view(view, names)).await
            })
            .await
    }

    /// Whether the users are still the same.
    pub(crate) async fn are_same(&self, project: &Project) -> Result<bool, QuestionError> {
        Ok(NameUsers::of_names(project, self.names.clone()).await? == *self)
    }

    fn in_view(view: &View, names: Vec<String>) -> NameUsers {
        let needed = names.iter().map(|name| NeededWords::of_name(name));
        let files = view.snapshot.files.with_any_words(needed);
        let files = files.filter(|file| names.iter().any(|name| file.holds(name)));
        let files = files.map(|file| (file.path.clone(), file.hash()));
        let files = files.collect();
        let mut unread = UnsearchedFiles::default();
        names.iter().for_each(|name| unread.join(unsearched::unsearched_for_word(view, name)));
        NameUsers { names, files, unread }
    }
}
