//! The Kotlin files of a project as an edit would leave them.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::kotlin::project::KotlinProject;
use symd_types::kotlin::{FileKey, KotlinSources, SourceFile};

/// The Kotlin files of a project, some of them as an edit leaves them, which gives declarations of them a new name.
pub(crate) struct EditedKotlin<'a> {
    project: Rc<KotlinProject<'a>>,
    edited: HashMap<FileKey, Arc<SourceFile>>,
    old_name: String,
    new_name: String,
}

impl<'a> EditedKotlin<'a> {
    pub(crate) fn new(
        project: Rc<KotlinProject<'a>>,
        edited: HashMap<FileKey, Arc<SourceFile>>,
        old_name: &str,
        new_name: &str,
    ) -> EditedKotlin<'a> {
        EditedKotlin { project, edited, old_name: old_name.to_owned(), new_name: new_name.to_owned() }
    }

    /// Adds the files that may declare the new name once they are edited.
    fn with_edited(&self, name: &str, mut declaring: Vec<FileKey>) -> Vec<FileKey> {
        if name == self.new_name {
            declaring.extend(self.edited.keys());
            declaring.sort_unstable();
            declaring.dedup();
        }
        declaring
    }
}

impl KotlinSources for EditedKotlin<'_> {
    fn read(&self, file: FileKey) -> Option<Arc<SourceFile>> {
        self.edited.get(&file).cloned().or_else(|| self.project.read(file))
    }

    fn declaring(&self, name: &str) -> Vec<FileKey> {
        self.with_edited(name, self.project.declaring(name))
    }

    fn declaring_members(&self, name: &str) -> Option<Vec<FileKey>> {
        Some(self.with_edited(name, self.project.declaring_members(name)?))
    }

    fn is_cancelled(&self) -> bool {
        self.project.is_cancelled()
    }

    fn has_package(&self, name: &str) -> bool {
        self.project.has_package(name)
    }

    fn declares_in_java(&self, qualified: &str) -> bool {
        self.project.declares_in_java(qualified)
    }

    fn may_see(&self, from: FileKey, declared: FileKey) -> bool {
        self.project.may_see(from, declared)
    }

    fn are_apart(&self, one: FileKey, other: FileKey) -> bool {
        self.project.are_apart(one, other)
    }

    fn distance(&self, from: FileKey, declared: FileKey) -> u8 {
        self.project.distance(from, declared)
    }

    fn may_declare_value(&self, name: &str) -> bool {
        self.project.may_declare_value(name)
            || name == self.new_name && self.project.may_declare_value(&self.old_name)
    }

    fn may_have_contract(&self, name: &str) -> bool {
        self.project.may_have_contract(name)
            || name == self.new_name && self.project.may_have_contract(&self.old_name)
    }

    fn may_declare(&self, qualified: &str) -> bool {
        self.project.may_declare(qualified)
    }
}
