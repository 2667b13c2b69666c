//! Simulates a plan in memory to find the resulting files and the changes on the disk. Reads every file that
//! the plan names, writes nothing. Invariant: a change is created only for a path whose bytes matched the
//! plan.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use super::change::{Change, Changes, Original, PlannedFile};
use super::entry::{Journal, Record};
use super::error::{ChangedPlace, ChangedSince, Conflict, EditError};
use super::plan::{Access, Plan, PlanStep};
use super::saved_texts::{ConflictContent, conflict_content, reverted};
use super::settings::Settings;
use super::splice::splice;
use symd_base::{ContentHash, RelPath};
use symd_vfs::{
    EntryKind, GitPaths, MAX_FILE_BYTES, PermissionSource, Root, SlotContent, SlotOpener, UnsavedTexts,
    VfsError,
};

/// Files before and after the plan. A path is in both maps or in neither.
struct Tree<'r> {
    root: &'r Root,
    /// Of what the plan names.
    slots: SlotOpener<'r>,
    /// The texts of editors, which stand for their files.
    unsaved: &'r UnsavedTexts,
    links: Links,
    /// Files that no step may touch; earlier changes of them may still be undone.
    settings: Settings,
    /// Git's own files, with the same rule.
    gits: GitPaths,
    before: BTreeMap<RelPath, Option<Original>>,
    now: BTreeMap<RelPath, Option<PlannedFile>>,
    conflicts: BTreeMap<RelPath, Conflict>,
    /// Directories that must exist, empty or not.
    directories: BTreeSet<RelPath>,
    clear: Vec<RelPath>,
}

/// Treatment of a path that leads through a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// The step applies to the link's target, which must be inside the project.
    Followed,
    /// The step is rejected.
    Refused,
}

/// Returns the changes that `plan` makes to the current tree.
pub(super) fn changes_of(
    (root, unsaved): (&Root, &UnsavedTexts),
    plan: &Plan,
    links: Links,
) -> Result<Changes, EditError> {
    let (settings, gits) = (Settings::of(root), GitPaths::of(root));
    let mut tree = Tree { links, settings, gits, ..Tree::new(root, unsaved) };
    for step in &plan.steps {
        tree.apply_step(step)?;
    }
    tree.changes()
}

/// Returns the changes that undo `journal`: every file must be as that operation left it.
pub(super) fn inverse_of(
    (root, unsaved): (&Root, &UnsavedTexts),
    journal: &Journal,
) -> Result<Changes, EditError> {
    let mut tree = Tree::new(root, unsaved);
    for (record, old) in journal.entry.records.iter().zip(&journal.old) {
        match record {
            Record::Content { path, before, after, kept, .. } => {
                tree.load(path)?;
                if let Some(bytes) = tree.before_of_saved(record, old.as_deref()) {
                    tree.write(path, bytes)?;
                    continue;
                }
                tree.expect(path, *after);
                let restored = before.zip(old.as_ref()).map(|(before, bytes)| PlannedFile {
                    bytes: Arc::clone(bytes),
                    hash: before.hash,
                    like: if *kept {
                        PermissionSource::File(path.clone())
                    } else {
                        PermissionSource::Meta(before.meta)
                    },
                    origin: None,
                });
                tree.now.insert(path.clone(), restored);
            }
            Record::Move { from, to, hash } => {
                tree.load(from)?;
                tree.load(to)?;
                if tree.expect(to, Some(*hash)) & tree.expect(from, None) {
                    tree.rename(to, from);
                }
            }
        }
    }
    tree.clear = journal.entry.made.iter().rev().cloned().collect();
    // Directories that the operation removed; one that it left because it was not empty still exists.
    tree.directories.extend(journal.entry.cleared.iter().cloned());
    tree.changes()
}

/// Returns the changes that put every file of `journal` back, whatever it contains now, except files whose
/// old bytes are lost.
pub(super) fn restoration_of(
    (root, unsaved): (&Root, &UnsavedTexts),
    journal: &Journal,
) -> Result<Changes, EditError> {
    let mut tree = Tree::new(root, unsaved);
    for (record, old) in journal.entry.records.iter().zip(&journal.old) {
        if record.is_in_editor() {
            continue;
        }
        if let Record::Content { path, before, .. } = record {
            // The journal has lost the old content, but the file still has it.
            if journal.entry.lost.contains(path) {
                continue;
            }
            tree.load(path)?;
            let restored = before.zip(old.as_ref()).map(|(before, bytes)| PlannedFile {
                bytes: Arc::clone(bytes),
                hash: before.hash,
                like: PermissionSource::Meta(before.meta),
                origin: None,
            });
            tree.now.insert(path.clone(), restored);
        } else if let Record::Move { from, to, .. } = record {
            tree.load(from)?;
            tree.load(to)?;
            // The edit never changed its bytes, so the file under the new name is the moved file.
            if tree.now.get(from).is_some_and(Option::is_none) {
                tree.rename(to, from);
            }
        }
    }
    tree.changes()
}

/// Returns the changes that take back what editors kept of a failed edit, in the editor or, once it was saved, in the
/// file. The edit has changed, moved and removed nothing else. Fails if a file has another content meanwhile, which is
/// its user's.
pub(super) fn conflict_restoration_of(
    (root, unsaved): (&Root, &UnsavedTexts),
    journal: &Journal,
) -> Result<Changes, EditError> {
    let mut tree = Tree::new(root, unsaved);
    let mut others = Vec::new();
    for (record, old) in journal.entry.records.iter().zip(&journal.old) {
        let Record::Content { path, before: Some(before), after: Some(after), .. } = record else { continue };
        if !journal.entry.is_kept_in_editor(path) {
            continue;
        }
        tree.load(path)?;
        let found = tree.before.get(path).and_then(Option::as_ref);
        let Some((found, old)) = found.zip(old.as_ref()) else {
            others.push(ChangedSince { path: path.clone(), place: ChangedPlace::Gone });
            continue;
        };
        let restored = match conflict_content(&found.bytes, (before.hash, *after), old) {
            ConflictContent::Before => continue,
            ConflictContent::After => reverted(&found.bytes, *after, old),
            ConflictContent::Other => None,
        };
        let place = if found.in_editor { ChangedPlace::InEditors(Vec::new()) } else { ChangedPlace::OnDisk };
        match restored {
            Some(bytes) => tree.write(path, bytes)?,
            None => others.push(ChangedSince { path: path.clone(), place }),
        }
    }
    if others.is_empty() {
        return tree.changes();
    }
    Err(EditError::NotPutBack { id: journal.entry.id, files: others })
}

/// Whether every file of `journal` has what the failed edit would have given it.
pub(super) fn has_all_of_conflict(
    (root, unsaved): (&Root, &UnsavedTexts),
    journal: &Journal,
) -> Result<bool, EditError> {
    let mut tree = Tree::new(root, unsaved);
    for (record, old) in journal.entry.records.iter().zip(&journal.old) {
        let Record::Content { path, before: Some(before), after: Some(after), .. } = record else {
            return Ok(false);
        };
        tree.load(path)?;
        let found = tree.before.get(path).and_then(Option::as_ref);
        let has_after = |(found, old): (&Original, &Arc<Vec<u8>>)| {
            conflict_content(&found.bytes, (before.hash, *after), old) == ConflictContent::After
        };
        if !found.zip(old.as_ref()).is_some_and(has_after) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl<'r> Tree<'r> {
    fn new(root: &'r Root, unsaved: &'r UnsavedTexts) -> Tree<'r> {
        let (before, now) = (BTreeMap::new(), BTreeMap::new());
        let (conflicts, directories) = (BTreeMap::new(), BTreeSet::new());
        let (links, settings, gits) = (Links::Followed, Settings::default(), GitPaths::default());
        let clear = Vec::new();
        Tree {
            root,
            slots: SlotOpener::new(root),
            unsaved,
            links,
            settings,
            gits,
            before,
            now,
            conflicts,
            directories,
            clear,
        }
    }

    /// Returns what undoes a change of an unsaved text that was saved since, if the file spells that text in another way: in another
    /// encoding (editors send UTF-8), or with the line end that editors add when they save.
    fn before_of_saved(&self, record: &Record, old: Option<&Vec<u8>>) -> Option<Vec<u8>> {
        let Record::Content { path, after: Some(after), in_editor: true, .. } = record else { return None };
        let found =
            self.before.get(path)?.as_ref().filter(|found| !found.in_editor && found.hash != *after)?;
        reverted(&found.bytes, *after, old?)
    }

    fn apply_step(&mut self, step: &PlanStep) -> Result<(), EditError> {
        match step {
            PlanStep::Text { path, base, edits } => {
                let path = self.target(path)?;
                if self.expect(&path, Some(*base)) {
                    let Some(Some(file)) = self.now.get(&path) else { return Ok(()) };
                    // The offsets refer to a text that an earlier step changed, perhaps under another name of
                    // the file.
                    if file.hash != *base {
                        return Err(EditError::StaleOffsets { path });
                    }
                    let bytes = splice(&path, &file.bytes, edits)?;
                    self.write(&path, bytes)?;
                }
            }
            PlanStep::Write { path, base, bytes } => {
                let path = self.target(path)?;
                if base.is_none() || self.expect(&path, *base) {
                    self.write(&path, bytes.clone())?;
                }
            }
            PlanStep::Create { path, bytes, access } => {
                let path = self.vacant(path)?;
                self.write(&path, bytes.clone())?;
                self.set_access(&path, *access);
            }
            PlanStep::Rename { from, to, base } => {
                let (from, to) = (self.load_without_links(from)?, self.vacant(to)?);
                if self.expect(&from, Some(*base)) {
                    self.rename(&from, &to);
                }
            }
            PlanStep::MakeDirectory { path } => {
                let path = self.without_links_above(path)?;
                // A link to a directory counts as a directory, because files can be created in it.
                if self.root.stat(&path).is_ok_and(|(kind, _)| kind == EntryKind::Directory) {
                    return Ok(());
                }
                self.directories.insert(path);
            }
            PlanStep::Delete { path, base } => {
                let path = self.load_without_links(path)?;
                if self.expect(&path, Some(*base)) {
                    self.now.insert(path, None);
                }
            }
        }
        Ok(())
    }

    /// Loads and returns the file that `path` names, through links.
    fn target(&mut self, path: &RelPath) -> Result<RelPath, EditError> {
        let path = self.open_to_tools(path, self.resolve(path, path)?)?;
        self.load(&path)?;
        Ok(path)
    }

    /// Loads and returns the file `path` itself: a link is rejected, since moving or removing a link is not
    /// the same operation.
    fn load_without_links(&mut self, path: &RelPath) -> Result<RelPath, EditError> {
        let path = self.without_links_above(path)?;
        self.load(&path)?;
        Ok(path)
    }

    /// Returns `path`, at which nothing may exist.
    fn vacant(&mut self, path: &RelPath) -> Result<RelPath, EditError> {
        let path = self.without_links_above(path)?;
        match self.load(&path) {
            Err(EditError::File(VfsError::NotAFile { path, .. })) => {
                return Err(VfsError::Exists { path }.into());
            }
            answer => answer?,
        }
        match self.now.get(&path) {
            Some(Some(_)) => Err(VfsError::Exists { path }.into()),
            _ => Ok(path),
        }
    }

    fn without_links_above(&self, path: &RelPath) -> Result<RelPath, EditError> {
        let Some(parent) = path.parent() else {
            return Err(VfsError::NotAFile { path: path.clone(), what: "a directory" }.into());
        };
        self.open_to_tools(path, self.resolve(&parent, path)?.join(path.file_name()))
    }

    /// Returns `found`, to which `named` leads, unless only the user may change it or it is git's own: a hook
    /// planted there would run.
    fn open_to_tools(&self, named: &RelPath, found: RelPath) -> Result<RelPath, EditError> {
        if self.settings.contains(named) || self.settings.contains(&found) {
            return Err(EditError::Settings { path: named.clone() });
        }
        if self.gits.contains(named) || self.gits.contains(&found) {
            return Err(VfsError::InGitDirectory { path: named.clone() }.into());
        }
        Ok(found)
    }

    /// Resolves links in `path`; errors name `named`, the path that was requested.
    fn resolve(&self, path: &RelPath, named: &RelPath) -> Result<RelPath, EditError> {
        let found = self.root.resolve(path).map_err(|error| through_a_file(error, named))?;
        if self.links == Links::Refused && found != *path {
            return Err(VfsError::NotAFile { path: named.clone(), what: "behind a link" }.into());
        }
        Ok(found)
    }

    fn load(&mut self, path: &RelPath) -> Result<(), EditError> {
        if self.before.contains_key(path) {
            return Ok(());
        }
        let read = match self.slots.slot(path) {
            // Without a directory there is no file.
            Err(VfsError::NotFound { .. }) => None,
            slot => slot?.read()?,
        };
        let original = read.and_then(|(bytes, found)| {
            let SlotContent::File { stat, meta, .. } = found else { return None };
            let unsaved = self.unsaved.bytes(path);
            let in_editor = unsaved.is_some();
            let bytes = unsaved.map_or(bytes, |unsaved| unsaved.to_vec());
            Some(Original { hash: ContentHash::of(&bytes), bytes: Arc::new(bytes), stat, meta, in_editor })
        });
        let wanted = original.as_ref().map(|file| PlannedFile {
            bytes: Arc::clone(&file.bytes),
            hash: file.hash,
            like: PermissionSource::File(path.clone()),
            origin: Some(path.clone()),
        });
        self.before.insert(path.clone(), original);
        self.now.insert(path.clone(), wanted);
        Ok(())
    }

    /// Returns whether the file has the hash `base` now, or had it when the plan began, under whatever name.
    /// Otherwise records a conflict.
    fn expect(&mut self, path: &RelPath, base: Option<ContentHash>) -> bool {
        let file = self.now.get(path).and_then(|file| file.as_ref());
        let found = file.map(|file| file.hash);
        let first_name = file.and_then(|file| file.origin.as_ref()).unwrap_or(path);
        let began = self.before.get(first_name).and_then(|file| file.as_ref()).map(|file| file.hash);
        let as_expected = found == base || (found.is_some() && base.is_some() && began == base);
        if !as_expected {
            let conflict = Conflict { path: path.clone(), expected: base, found: began };
            self.conflicts.entry(path.clone()).or_insert(conflict);
        }
        as_expected
    }

    fn write(&mut self, path: &RelPath, bytes: Vec<u8>) -> Result<(), EditError> {
        let size = bytes.len() as u64;
        if size > MAX_FILE_BYTES {
            let path = path.clone();
            return Err(VfsError::TooLarge { path, bytes: size, limit: MAX_FILE_BYTES }.into());
        }
        let (like, origin) = match self.now.get(path) {
            Some(Some(file)) => (file.like.clone(), file.origin.clone()),
            // Removed by an earlier step: the file that replaces it gets the same permissions.
            _ if self.before.get(path).is_some_and(Option::is_some) => {
                (PermissionSource::File(path.clone()), None)
            }
            _ => (PermissionSource::New, None),
        };
        let wanted = PlannedFile { hash: ContentHash::of(&bytes), bytes: Arc::new(bytes), like, origin };
        self.now.insert(path.clone(), Some(wanted));
        Ok(())
    }

    /// Makes a new file executable; a file that replaces another keeps that one's permissions.
    fn set_access(&mut self, path: &RelPath, access: Access) {
        if let Some(Some(file)) = self.now.get_mut(path)
            && (access, &file.like) == (Access::Program, &PermissionSource::New)
        {
            file.like = PermissionSource::NewProgram;
        }
    }

    fn rename(&mut self, from: &RelPath, to: &RelPath) {
        let file = self.now.insert(from.clone(), None).flatten();
        self.now.insert(to.clone(), file);
    }

    fn changes(mut self) -> Result<Changes, EditError> {
        // The editor has the text that the plan was made for; no file has it.
        let is_in_editor_alone = |path: &&RelPath| {
            self.before.get(*path).is_some_and(Option::is_none) && self.unsaved.outlasts_file(path)
        };
        if let Some(path) = self.conflicts.keys().find(is_in_editor_alone) {
            return Err(EditError::Unsaved { path: path.clone() });
        }
        if !self.conflicts.is_empty() {
            return Err(EditError::Conflict { files: self.conflicts.into_values().collect() });
        }
        if let Some(path) = self.moved_from_editor() {
            return Err(EditError::Unsaved { path });
        }
        let mut changes = Changes::default();
        let moves = self.moves();
        let moved: BTreeSet<RelPath> =
            moves.iter().flat_map(|(from, to)| [from.clone(), to.clone()]).collect();
        for (from, to) in moves {
            if let Some(Some(file)) = self.before.remove(&from) {
                changes.list.push(Change::Move { from, to, file });
            }
        }
        for (path, before) in self.before {
            let after = self.now.remove(&path).flatten();
            let same = before.as_ref().map(|file| file.hash) == after.as_ref().map(|file| file.hash);
            if !same && !moved.contains(&path) {
                changes.list.push(Change::Content { path, before, after });
            }
        }
        changes.make = missing_directories(&mut self.slots, &changes.list, &self.directories)?;
        changes.clear = self.clear;
        check_writable(&mut self.slots, &changes)?;
        Ok(changes)
    }

    /// Returns a file with an unsaved text that the plan renames or removes: an editor can only change its text.
    fn moved_from_editor(&self) -> Option<RelPath> {
        let in_editor = |path: &RelPath| {
            self.before.get(path).and_then(Option::as_ref).is_some_and(|file| file.in_editor)
        };
        self.now
            .keys()
            .find(|path| in_editor(path) && self.now.get(*path).is_some_and(Option::is_none))
            .cloned()
    }

    /// Returns files that are only renamed: (from, to).
    fn moves(&self) -> Vec<(RelPath, RelPath)> {
        let is_move = |path: &RelPath, wanted: &PlannedFile| {
            let origin = wanted.origin.as_ref().filter(|origin| *origin != path)?;
            let unchanged = self.before.get(origin)?.as_ref()?.hash == wanted.hash;
            let left = self.now.get(origin)?.is_none();
            let vacant = self.before.get(path)?.is_none();
            (unchanged && left && vacant).then(|| (origin.clone(), path.clone()))
        };
        self.now.iter().filter_map(|(path, wanted)| is_move(path, wanted.as_ref()?)).collect()
    }
}

/// Converts an error of link resolution, which reports "not found" only if a file is in a directory's place.
/// The error names the requested path.
fn through_a_file(error: VfsError, path: &RelPath) -> EditError {
    match error {
        VfsError::NotFound { .. } => not_a_directory(path),
        VfsError::Outside { .. } => VfsError::Outside { path: path.clone() }.into(),
        other => other.into(),
    }
}

fn not_a_directory(path: &RelPath) -> EditError {
    VfsError::Write { path: path.clone(), source: io::ErrorKind::NotADirectory.into() }.into()
}

/// Returns the missing directories among those that are wanted or that new files need, outermost first.
fn missing_directories(
    slots: &mut SlotOpener<'_>,
    list: &[Change],
    wanted: &BTreeSet<RelPath>,
) -> Result<Vec<RelPath>, EditError> {
    let mut missing = BTreeSet::new();
    let mut present = BTreeSet::from([RelPath::root()]);
    let needed = list.iter().filter_map(|change| match change {
        Change::Content { path, after: Some(_), .. } | Change::Move { to: path, .. } => {
            Some((path, path.parent()))
        }
        Change::Content { .. } => None,
    });
    for (path, mut above) in needed.chain(wanted.iter().map(|path| (path, Some(path.clone())))) {
        while let Some(directory) = above.filter(|path| !present.contains(path) && !missing.contains(path)) {
            let found = match slots.slot(&directory) {
                Err(VfsError::NotFound { .. }) => SlotContent::Nothing,
                slot => slot?.inspect()?,
            };
            match found {
                SlotContent::Nothing => missing.insert(directory.clone()),
                SlotContent::Other("a directory") => present.insert(directory.clone()),
                SlotContent::File { .. } | SlotContent::Other(_) => {
                    return Err(not_a_directory(path));
                }
            };
            above = directory.parent();
        }
    }
    for change in list {
        let (Change::Content { path, .. } | Change::Move { to: path, .. }) = change;
        if missing.contains(path) {
            return Err(not_a_directory(path));
        }
    }
    // A directory sorts before its contents.
    Ok(missing.into_iter().collect())
}

/// Rejects changes that could not be written, before anything is written.
fn check_writable(slots: &mut SlotOpener<'_>, changes: &Changes) -> Result<(), EditError> {
    let files = changes.list.iter().flat_map(|change| match change {
        Change::Content { path, before, .. } => {
            vec![(path, before.as_ref().map(|file| file.meta))]
        }
        Change::Move { from, to, file } => vec![(from, Some(file.meta)), (to, None)],
    });
    for (path, known) in files.chain(changes.make.iter().map(|directory| (directory, None))) {
        match slots.slot(path) {
            // Its directory will be created, and is checked itself.
            Err(VfsError::NotFound { .. }) => {}
            slot => slot?.check_writable(known)?,
        }
    }
    Ok(())
}
