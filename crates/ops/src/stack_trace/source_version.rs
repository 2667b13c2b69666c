//! The sources in which frames are placed: those on the disk, never an editor's unsaved text, or those of a commit.

use std::collections::{BTreeMap, BTreeSet};

use super::inlined::InlineFunction;
use super::wanted_files::{ClassFiles, WantedFiles};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::{CurrentText, View};
use symd_git::{Commit, GitError, Repository};
use symd_vfs::EntryKind;

/// Maximum size in bytes of a source of a commit, and of all that are read at once.
const MAX_SOURCE: u64 = 4 << 20;
const MAX_SOURCES: u64 = 48 << 20;

/// One version of the project's files.
pub(super) trait SourceVersion {
    /// Returns the files that have a name, in path order; only of names that were asked for when it was made.
    fn named(&self, name: &str) -> &[RelPath];

    /// Returns the files that declare a class, whatever their names; only of classes that were asked for when it was made.
    fn declaring(&self, package: &str, class: &str) -> Result<&[RelPath], Cancelled>;

    /// Returns the inline functions that have one of the names, in order of their paths.
    fn inline_functions(&self, names: &BTreeSet<String>) -> Result<Vec<InlineFunction>, Cancelled>;

    /// Returns the names of the directories in a directory; none if there is no such directory.
    fn directories(&self, path: &RelPath) -> BTreeSet<String>;

    /// Reads a file of a language that has an outline.
    fn read(&self, path: &RelPath) -> Option<CurrentText>;

    /// Reads the text of any file.
    fn text(&self, path: &RelPath) -> Option<String>;
}

type PathsByName = BTreeMap<String, Vec<RelPath>>;

/// The files on the disk.
pub(super) struct SavedSources<'v> {
    view: &'v View,
    by_name: PathsByName,
    classes: ClassFiles<'v>,
}

impl<'v> SavedSources<'v> {
    pub(super) fn named(
        view: &'v View,
        wanted: WantedFiles,
        cancel: &'v Cancel,
    ) -> Result<SavedSources<'v>, Cancelled> {
        let mut by_name = PathsByName::new();
        for file in view.snapshot.files.iter() {
            cancel.check()?;
            add(&mut by_name, &wanted.names, &file.path);
        }
        Ok(SavedSources { view, by_name, classes: ClassFiles::of(view, wanted, cancel) })
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

    fn declaring(&self, package: &str, class: &str) -> Result<&[RelPath], Cancelled> {
        self.classes.declaring(package, class)
    }

    fn inline_functions(&self, names: &BTreeSet<String>) -> Result<Vec<InlineFunction>, Cancelled> {
        self.classes.inline_functions(names)
    }

    fn directories(&self, path: &RelPath) -> BTreeSet<String> {
        let (entries, _) = self.view.files.list(path).unwrap_or_default();
        entries
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::Directory)
            .map(|entry| entry.name)
            .collect()
    }

    fn read(&self, path: &RelPath) -> Option<CurrentText> {
        self.view.saved(self.view.snapshot.files.get(path.as_str())?).ok()
    }

    fn text(&self, path: &RelPath) -> Option<String> {
        String::from_utf8(self.view.files.read_saved(path, MAX_SOURCE).ok()?.bytes).ok()
    }
}

/// The files of a commit.
pub(super) struct CommittedSources<'v> {
    view: &'v View,
    repository: Repository<'v>,
    by_name: PathsByName,
    classes: ClassFiles<'v>,
    blobs: BTreeMap<RelPath, String>,
    /// The contents that were read in advance, by blob.
    contents: BTreeMap<String, Vec<u8>>,
    /// The files with one of the names whose contents this clone lacks; git would fetch them.
    missing: Vec<RelPath>,
}

impl<'v> CommittedSources<'v> {
    /// Lists the files of a commit, and reads those that have one of the names.
    pub(super) fn named(
        view: &'v View,
        repository: Repository<'v>,
        commit: &Commit,
        wanted: WantedFiles,
        cancel: &'v Cancel,
    ) -> Result<CommittedSources<'v>, GitError> {
        let mut by_name = PathsByName::new();
        let mut blobs = BTreeMap::new();
        let names = &wanted.names;
        let (mut read, mut left) = (Vec::new(), MAX_SOURCES);
        let mut missing = Vec::new();
        for file in repository.files(commit)? {
            let is_named = names.contains(file.path.file_name());
            match file.size {
                Some(size) if size > MAX_SOURCE => continue,
                Some(size) if is_named && size <= left => {
                    left -= size;
                    read.push(file.blob.clone());
                }
                None if is_named => missing.push(file.path.clone()),
                _ => {}
            }
            if file.size.is_some() {
                add(&mut by_name, names, &file.path);
            }
            blobs.insert(file.path, file.blob);
        }
        let contents = match read.is_empty() {
            true => BTreeMap::new(),
            false => repository.contents(&read.iter().map(String::as_str).collect::<Vec<_>>())?,
        };
        let classes = ClassFiles::of(view, wanted, cancel);
        Ok(CommittedSources { view, repository, by_name, classes, blobs, contents, missing })
    }
}

impl CommittedSources<'_> {
    /// Returns which files of a commit frames may be in that could not be read, if there are any.
    pub(super) fn lacking(&self) -> Option<String> {
        let first = self.missing.first()?;
        let others = match self.missing.len() - 1 {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        Some(format!("this clone lacks {first}{others} of that commit, and nothing was fetched"))
    }

    fn bytes(&self, path: &RelPath) -> Option<Vec<u8>> {
        let blob = self.blobs.get(path)?;
        match self.contents.get(blob) {
            Some(bytes) => Some(bytes.clone()),
            None => self.repository.contents(&[blob]).ok()?.remove(blob),
        }
    }
}

impl SourceVersion for CommittedSources<'_> {
    fn named(&self, name: &str) -> &[RelPath] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Those that declare it now: the commit's other files are not outlined.
    fn declaring(&self, package: &str, class: &str) -> Result<&[RelPath], Cancelled> {
        self.classes.declaring(package, class)
    }

    /// Those of the present sources: the commit's other files are not outlined.
    fn inline_functions(&self, names: &BTreeSet<String>) -> Result<Vec<InlineFunction>, Cancelled> {
        self.classes.inline_functions(names)
    }

    fn directories(&self, path: &RelPath) -> BTreeSet<String> {
        let start = format!("{path}/");
        let within = self.blobs.keys().filter_map(|file| file.as_str().strip_prefix(&start));
        within.filter_map(|rest| rest.split_once('/')).map(|(name, _)| name.to_owned()).collect()
    }

    fn read(&self, path: &RelPath) -> Option<CurrentText> {
        self.view.outlined(path, self.bytes(path)?).ok()
    }

    fn text(&self, path: &RelPath) -> Option<String> {
        String::from_utf8(self.bytes(path)?).ok()
    }
}
