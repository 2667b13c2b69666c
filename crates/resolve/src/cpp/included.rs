//! The files that a file includes, directly or through others.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::super::modules::{self, Module};
use super::super::resolver::Resolver;
use symd_base::RelPath;
use symd_index::FileEntry;
use symd_syntax::Imported;

/// The most files that are followed. Beyond them, a name may mean anything.
const MAX_FILES: usize = 2_000;

/// What a file includes.
#[derive(Debug, Default)]
pub(in super::super) struct IncludedFiles {
    files: BTreeSet<RelPath>,
    /// Whether more is included than was followed.
    pub(super) is_cut: bool,
}

impl IncludedFiles {
    pub(super) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.files.iter()
    }

    pub(super) fn holds(&self, path: &RelPath) -> bool {
        self.files.contains(path)
    }
}

/// Returns the files that `file` includes, itself among them. Cached for the question.
pub(super) fn included(resolver: &Resolver, file: &Arc<FileEntry>) -> Rc<IncludedFiles> {
    if let Some(known) = resolver.included.borrow().get(&file.path) {
        return known.clone();
    }
    let found = Rc::new(follow(resolver, file));
    resolver.included.borrow_mut().insert(file.path.clone(), found.clone());
    found
}

fn follow(resolver: &Resolver, file: &Arc<FileEntry>) -> IncludedFiles {
    let mut found = IncludedFiles::default();
    let mut open = vec![file.clone()];
    found.files.insert(file.path.clone());
    while let Some(next) = open.pop() {
        let Some(imports) = resolver.imports_of(&next) else { continue };
        for import in imports.iter() {
            if import.imported != Imported::Everything {
                continue;
            }
            let module = modules::find(resolver, &next, import.module, import.statement.start);
            if let Some(Module::File(other)) = module
                && !found.files.contains(&other.path)
            {
                if found.files.len() == MAX_FILES {
                    found.is_cut = true;
                    return found;
                }
                found.files.insert(other.path.clone());
                open.push(other);
            }
        }
    }
    found
}
