//! A plan tried out in memory: which files it would leave, and which changes that comes down to. Reads every file that
//! the plan names, writes nothing. Invariant: a change is made up only for a path whose bytes were what the plan said.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use super::change::{Change, Changes, Original, PlannedFile};
use super::entry::{Journal, Record};
use super::error::{Conflict, EditError};
use super::plan::{Access, Plan, PlanStep};
use super::settings::Settings;
use super::splice::splice;
use symd_base::{ContentHash, RelPath};
use symd_vfs::{EntryKind, GitsOwn, Like, MAX_FILE_BYTES, Root, SlotContent, VfsError};

/// Files as the plan found them and as it leaves them. A path stands in both maps or in none.
struct Tree<'r> {
    root: &'r Root,
    links: Links,
    /// What no step may touch; what was done to it before may be undone.
    settings: Settings,
    /// The same of git's.
    gits: GitsOwn,
    before: BTreeMap<RelPath, Option<Original>>,
    now: BTreeMap<RelPath, Option<PlannedFile>>,
    conflicts: BTreeMap<RelPath, Conflict>,
    /// Directories that shall be there, empty or not.
    directories: BTreeSet<RelPath>,
    clear: Vec<RelPath>,
}

/// What is done with a path that goes through a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// Its target is meant, which lies inside the project.
    Followed,
    /// The step is refused.
    Refused,
}

/// What `plan` comes down to on the disk as it is.
pub(super) fn changes_of(root: &Root, plan: &Plan, links: Links) -> Result<Changes, EditError> {
    let (settings, gits) = (Settings::of(root), GitsOwn::of(root));
    let mut tree = Tree { links, settings, gits, ..Tree::new(root) };
    for step in &plan.steps {
        tree.take(step)?;
    }
    tree.changes()
}

/// What undoing `journal` comes down to: every file must be as that operation left it.
pub(super) fn inverse_of(root: &Root, journal: &Journal) -> Result<Changes, EditError> {
    let mut tree = Tree::new(root);
    for (record, old) in journal.entry.records.iter().zip(&journal.old) {
        match record {
            Record::Content { path, before, after, kept, .. } => {
                tree.load(path)?;
                tree.expect(path, *after);
                let restored = before.zip(old.as_ref()).map(|(before, bytes)| PlannedFile {
                    bytes: Arc::clone(bytes),
                    hash: before.hash,
                    like: if *kept { Like::File(path.clone()) } else { Like::Meta(before.meta) },
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
    // Those that the operation took away; what it left because it was not empty is there.
    tree.directories.extend(journal.entry.cleared.iter().cloned());
    tree.changes()
}

/// What putting every file of `journal` back comes down to, whatever they hold now; of those whose old bytes are lost nothing.
pub(super) fn restoration_of(root: &Root, journal: &Journal) -> Result<Changes, EditError> {
    let mut tree = Tree::new(root);
    for (record, old) in journal.entry.records.iter().zip(&journal.old) {
        if let Record::Content { path, before, .. } = record {
            // What it held is lost, and it holds it.
            if journal.entry.lost.contains(path) {
                continue;
            }
            tree.load(path)?;
            let restored = before.zip(old.as_ref()).map(|(before, bytes)| PlannedFile {
                bytes: Arc::clone(bytes),
                hash: before.hash,
                like: Like::Meta(before.meta),
                origin: None,
            });
            tree.now.insert(path.clone(), restored);
        } else if let Record::Move { from, to, .. } = record {
            tree.load(from)?;
            tree.load(to)?;
            // Its bytes were never changed by us: what is there under the new name is the file.
            if tree.now.get(from).is_some_and(Option::is_none) {
                tree.rename(to, from);
            }
        }
    }
    tree.changes()
}

impl<'r> Tree<'r> {
    fn new(root: &'r Root) -> Tree<'r> {
        let (before, now) = (BTreeMap::new(), BTreeMap::new());
        let (conflicts, directories) = (BTreeMap::new(), BTreeSet::new());
        let (links, settings, gits) = (Links::Followed, Settings::default(), GitsOwn::default());
        Tree { root, links, settings, gits, before, now, conflicts, directories, clear: Vec::new() }
    }

    fn take(&mut self, step: &PlanStep) -> Result<(), EditError> {
        match step {
            PlanStep::Text { path, base, edits } => {
                let path = self.target(path)?;
                if self.expect(&path, Some(*base)) {
                    let Some(Some(file)) = self.now.get(&path) else { return Ok(()) };
                    // Offsets of what an earlier step has changed since, perhaps under another name of the file.
                    if file.hash != *base {
                        return Err(EditError::Twice { path });
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
                self.dress(&path, *access);
            }
            PlanStep::Rename { from, to, base } => {
                let (from, to) = (self.itself(from)?, self.vacant(to)?);
                if self.expect(&from, Some(*base)) {
                    self.rename(&from, &to);
                }
            }
            PlanStep::MakeDirectory { path } => {
                let path = self.without_links_above(path)?;
                // A link to a directory is one, for whoever wants to put files there.
                if self.root.stat(&path).is_ok_and(|(kind, _)| kind == EntryKind::Directory) {
                    return Ok(());
                }
                self.directories.insert(path);
            }
            PlanStep::Delete { path, base } => {
                let path = self.itself(path)?;
                if self.expect(&path, Some(*base)) {
                    self.now.insert(path, None);
                }
            }
        }
        Ok(())
    }

    /// The file that `path` names, through links, loaded.
    fn target(&mut self, path: &RelPath) -> Result<RelPath, EditError> {
        let path = self.open_to_tools(path, self.resolve(path, path)?)?;
        self.load(&path)?;
        Ok(path)
    }

    /// The file `path` itself, loaded: a link is refused, since moving or removing it is not what it says.
    fn itself(&mut self, path: &RelPath) -> Result<RelPath, EditError> {
        let path = self.without_links_above(path)?;
        self.load(&path)?;
        Ok(path)
    }

    /// The name `path`, where nothing is.
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

    /// `found`, to which `named` leads, unless it is the user's to change or git's: a hook that is planted there would run.
    fn open_to_tools(&self, named: &RelPath, found: RelPath) -> Result<RelPath, EditError> {
        if self.settings.hold(named) || self.settings.hold(&found) {
            return Err(EditError::Settings { path: named.clone() });
        }
        if self.gits.holds(named) || self.gits.holds(&found) {
            return Err(VfsError::GitsOwn { path: named.clone() }.into());
        }
        Ok(found)
    }

    /// What `path`, of which `named` was asked for, is once links are followed.
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
        let read = match self.root.slot(path) {
            // No directory: no file.
            Err(VfsError::NotFound { .. }) => None,
            slot => slot?.read()?,
        };
        let original = read.and_then(|(bytes, found)| {
            let SlotContent::File { stat, meta, .. } = found else { return None };
            Some(Original { hash: ContentHash::of(&bytes), bytes: Arc::new(bytes), stat, meta })
        });
        let wanted = original.as_ref().map(|file| PlannedFile {
            bytes: Arc::clone(&file.bytes),
            hash: file.hash,
            like: Like::File(path.clone()),
            origin: Some(path.clone()),
        });
        self.before.insert(path.clone(), original);
        self.now.insert(path.clone(), wanted);
        Ok(())
    }

    /// Whether the file is `base` now, or was when the plan began, under whatever name. Else that is a conflict.
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
            // Removed by an earlier step: the file that takes its place is dressed as it was.
            _ if self.before.get(path).is_some_and(Option::is_some) => (Like::File(path.clone()), None),
            _ => (Like::New, None),
        };
        let wanted = PlannedFile { hash: ContentHash::of(&bytes), bytes: Arc::new(bytes), like, origin };
        self.now.insert(path.clone(), Some(wanted));
        Ok(())
    }

    /// A new file that is to be run; what takes the place of another is dressed as that was.
    fn dress(&mut self, path: &RelPath, access: Access) {
        if let Some(Some(file)) = self.now.get_mut(path)
            && (access, &file.like) == (Access::Program, &Like::New)
        {
            file.like = Like::NewProgram;
        }
    }

    fn rename(&mut self, from: &RelPath, to: &RelPath) {
        let file = self.now.insert(from.clone(), None).flatten();
        self.now.insert(to.clone(), file);
    }

    fn changes(mut self) -> Result<Changes, EditError> {
        if !self.conflicts.is_empty() {
            return Err(EditError::Conflict { files: self.conflicts.into_values().collect() });
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
        changes.make = missing_directories(self.root, &changes.list, &self.directories)?;
        changes.clear = self.clear;
        check_writable(self.root, &changes)?;
        Ok(changes)
    }

    /// Files that only get another name: (from, to).
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

/// Resolving fails with "not found" only where a file stands in a directory's place. Named is what was asked for.
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

/// The directories that are wanted, or that new files need, and that are not there, outermost first.
fn missing_directories(
    root: &Root,
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
            let found = match root.slot(&directory) {
                Err(VfsError::NotFound { .. }) => SlotContent::Nothing,
                slot => slot?.look()?,
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
    // A directory sorts before what is in it.
    Ok(missing.into_iter().collect())
}

/// Refuses what could not be written, before anything is.
fn check_writable(root: &Root, changes: &Changes) -> Result<(), EditError> {
    let files = changes.list.iter().flat_map(|change| match change {
        Change::Content { path, .. } => vec![path],
        Change::Move { from, to, .. } => vec![from, to],
    });
    for path in files.chain(&changes.make) {
        match root.slot(path) {
            // Its directory will be made, and is checked itself.
            Err(VfsError::NotFound { .. }) => {}
            slot => slot?.check_writable()?,
        }
    }
    Ok(())
}
