//! The sources in which frames are placed: those on the disk, never an editor's unsaved text, or those of a commit.

use std::collections::{BTreeMap, BTreeSet};

use super::place::is_class;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::{CurrentText, View};
use symd_git::{Commit, GitError, Repository};
use symd_index::{Content, FileEntry};
use symd_syntax::Row;

/// Maximum size in bytes of a source of a commit, and of all that are read at once.
const MAX_SOURCE: u64 = 4 << 20;
const MAX_SOURCES: u64 = 48 << 20;

/// One version of the project's files.
pub(super) trait SourceVersion {
    /// Returns the files that have a name, in path order; only of names that were asked for when it was made.
    fn named(&self, name: &str) -> &[RelPath];

    /// Returns the files that declare a class, whatever their names.
    fn declaring(&self, package: &str, class: &str) -> Vec<RelPath>;

    /// Reads a file.
    fn read(&self, path: &RelPath) -> Option<CurrentText>;
}

type PathsByName = BTreeMap<String, Vec<RelPath>>;

/// The files on the disk.
pub(super) struct SavedSources<'v> {
    view: &'v View,
    by_name: PathsByName,
}

impl<'v> SavedSources<'v> {
    pub(super) fn named(
        view: &'v View,
        names: &BTreeSet<String>,
        cancel: &Cancel,
    ) -> Result<SavedSources<'v>, Cancelled> {
        let mut by_name = PathsByName::new();
        for file in view.snapshot.files.iter() {
            cancel.check()?;
            add(&mut by_name, names, &file.path);
        }
        Ok(SavedSources { view, by_name })
    }
}

fn add(by_name: &mut PathsByName, names: &BTreeSet<String>, path: &RelPath) {
    let name = path.file_name();
    if names.contains(name) {
        by_name.entry(name.to_owned()).or_default().push(path.clone());
    }
}

impl SourceVersion for SavedSources<'_> {
    fn named(&self, name: &str) -> &[RelPath] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    fn declaring(&self, package: &str, class: &str) -> Vec<RelPath> {
        declaring(self.view, package, class)
    }

    fn read(&self, path: &RelPath) -> Option<CurrentText> {
        self.view.saved(self.view.snapshot.files.get(path.as_str())?).ok()
    }
}

/// Returns the files of the index that declare a class.
fn declaring(view: &View, package: &str, class: &str) -> Vec<RelPath> {
    let declares = |file: &FileEntry| match &file.content {
        Content::Code { outline, .. } => {
            let is_named = |row: &Row| row.parent().is_none() && outline.name(row) == class && is_class(row);
            outline.imports.package().unwrap_or_default() == package && outline.rows.iter().any(is_named)
        }
        _ => false,
    };
    let files = view.snapshot.files.iter().filter(|file| declares(file));
    files.map(|file| file.path.clone()).collect()
}

/// The files of a commit.
pub(super) struct CommittedSources<'v> {
    view: &'v View,
    repository: Repository<'v>,
    by_name: PathsByName,
    blobs: BTreeMap<RelPath, String>,
    /// The contents that were read in advance, by blob.
    contents: BTreeMap<String, Vec<u8>>,
}

impl<'v> CommittedSources<'v> {
    /// Lists the files of a commit, and reads those that have one of the names.
    pub(super) fn named(
        view: &'v View,
        repository: Repository<'v>,
        commit: &Commit,
        names: &BTreeSet<String>,
    ) -> Result<CommittedSources<'v>, GitError> {
        let mut by_name = PathsByName::new();
        let mut blobs = BTreeMap::new();
        let (mut wanted, mut left) = (Vec::new(), MAX_SOURCES);
        for file in repository.files(commit)?.into_iter().filter(|file| file.size <= MAX_SOURCE) {
            add(&mut by_name, names, &file.path);
            if names.contains(file.path.file_name()) && file.size <= left {
                left -= file.size;
                wanted.push(file.blob.clone());
            }
            blobs.insert(file.path, file.blob);
        }
        let contents = match wanted.is_empty() {
            true => BTreeMap::new(),
            false => repository.contents(&wanted.iter().map(String::as_str).collect::<Vec<_>>())?,
        };
        Ok(CommittedSources { view, repository, by_name, blobs, contents })
    }
}

impl SourceVersion for CommittedSources<'_> {
    fn named(&self, name: &str) -> &[RelPath] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Those that declare it now, and are in the commit: its other files are not outlined.
    fn declaring(&self, package: &str, class: &str) -> Vec<RelPath> {
        let mut all = declaring(self.view, package, class);
        all.retain(|path| self.blobs.contains_key(path));
        all
    }

    fn read(&self, path: &RelPath) -> Option<CurrentText> {
        let blob = self.blobs.get(path)?;
        let bytes = match self.contents.get(blob) {
            Some(bytes) => bytes.clone(),
            None => self.repository.contents(&[blob]).ok()?.remove(blob)?,
        };
        self.view.outlined(path, bytes).ok()
    }
}
