//! Finds and reads memories. Works on the disk, not on the index: the folder may be ignored.

use std::ops::ControlFlow;

use super::{MemoryError, MemoryName};
use crate::Project;
use symd_base::{Cancel, ContentHash, RelPath, Text};
use symd_vfs::{Entry, EntryKind, Files, MAX_FILE_BYTES, TreeWalk, VfsError};

/// symd's own directory in a project.
const OURS: &str = ".symd";

/// The folder for memories.
const FOLDER: &str = ".symd/memories";

/// Serena's folder for memories: used in a project that has it and has no directory of symd's.
const SERENAS: &str = ".serena/memories";

/// Returns the names of all memories, sorted.
pub async fn list(project: &Project) -> Result<Vec<MemoryName>, MemoryError> {
    project.with_view(|view, cancel| names(&*view.files, cancel)).await?
}

/// Returns the text of a memory; `None` if there is none of that name.
pub async fn read(project: &Project, name: MemoryName) -> Result<Option<String>, MemoryError> {
    let found = project.with_view(move |view, _| MemoryFile::read(&*view.files, &name)).await??;
    Ok(found.memory.map(|(text, _)| text.as_str().to_owned()))
}

/// A memory's file, and its content.
#[derive(Debug)]
pub(super) struct MemoryFile {
    /// The path of the file, whether it exists or not.
    pub(super) path: RelPath,
    /// The text, and the hash of the bytes; `None` if there is no file.
    pub(super) memory: Option<(Text, ContentHash)>,
}

impl MemoryFile {
    pub(super) fn read(files: &dyn Files, name: &MemoryName) -> Result<MemoryFile, MemoryError> {
        let path = name.file(&folder(files)?);
        if kind_of(files, &path)?.is_none() {
            return Ok(MemoryFile { path, memory: None });
        }
        let bytes = match files.read_no_follow(&path, MAX_FILE_BYTES) {
            Err(VfsError::NotFound { .. }) => return Ok(MemoryFile { path, memory: None }),
            read => read?.bytes,
        };
        let hash = ContentHash::of(&bytes);
        let text = Text::decode(bytes).map_err(|_| MemoryError::Binary(path.clone()))?;
        Ok(MemoryFile { path, memory: Some((text, hash)) })
    }
}

/// Returns the folder for the memories of a project, whether it exists or not.
fn folder(files: &dyn Files) -> Result<RelPath, MemoryError> {
    let [ours, folder, serenas] = [OURS, FOLDER, SERENAS].map(RelPath::new);
    let (ours, folder, serenas) = (ours?, folder?, serenas?);
    let theirs = kind_of(files, &ours)?.is_none()
        // A link in its place is not used.
        && matches!(kind_of(files, &serenas), Ok(Some(EntryKind::Directory)));
    Ok(if theirs { serenas } else { folder })
}

/// Returns the kind of the entry at `path`; `None` if there is none. A link there, or on the way, is an
/// error.
fn kind_of(files: &dyn Files, path: &RelPath) -> Result<Option<EntryKind>, MemoryError> {
    let mut kind = EntryKind::Directory;
    let mut here = RelPath::root();
    for component in path.components() {
        here = here.join(component);
        kind = match files.stat_link(&here) {
            Ok((EntryKind::Link, _)) => return Err(MemoryError::Link(here)),
            Ok((kind, _)) => kind,
            Err(VfsError::NotFound { .. }) => return Ok(None),
            Err(other) => return Err(other.into()),
        };
    }
    Ok(Some(kind))
}

fn names(files: &dyn Files, cancel: &Cancel) -> Result<Vec<MemoryName>, MemoryError> {
    let folder = folder(files)?;
    if kind_of(files, &folder)? != Some(EntryKind::Directory) {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    let look = |directory: &RelPath, entries: Vec<Entry>, _| {
        let (mut names, mut below) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry.kind {
                EntryKind::Directory => below.push(entry.name),
                EntryKind::File => names.extend(MemoryName::of_file(&folder, &directory.join(&entry.name))),
                EntryKind::Link | EntryKind::Other => {}
            }
        }
        (names, below)
    };
    TreeWalk::whole(files, cancel).run(&folder, look, |_, looked| {
        match looked {
            // Removed since it was listed.
            Err(VfsError::NotFound { .. }) => {}
            looked => names.append(&mut looked?),
        }
        Ok::<_, MemoryError>(ControlFlow::Continue(()))
    })?;
    names.sort();
    Ok(names)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    fn project(files: &[&str]) -> (tempfile::TempDir, symd_vfs::Root) {
        let scratch = tempfile::tempdir().expect("scratch");
        for file in files {
            let path = scratch.path().join(file);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("made");
            std::fs::write(path, file).expect("written");
        }
        let root = symd_vfs::Root::open(scratch.path()).expect("opened");
        (scratch, root)
    }

    fn shown(files: &dyn Files) -> Vec<String> {
        names(files, &Cancel::new()).expect("listed").iter().map(MemoryName::to_string).collect()
    }

    #[test]
    fn serenas_folder_is_used_where_symd_has_no_directory() {
        let (scratch, root) = project(&[".serena/memories/b.md", ".serena/memories/t/a.md"]);
        assert_eq!(shown(&root), ["b", "t/a"]);
        std::fs::create_dir(scratch.path().join(".symd")).expect("made");
        assert!(shown(&root).is_empty());
        assert_eq!(folder(&root).expect("found").as_str(), FOLDER);
        let (_scratch, root) = project(&["a.py"]);
        assert_eq!(folder(&root).expect("found").as_str(), FOLDER);
        let (_scratch, root) = project(&[".serena/project.yml"]);
        assert_eq!(folder(&root).expect("found").as_str(), FOLDER);
    }

    #[test]
    fn no_link_is_followed() {
        let (scratch, root) = project(&["secret.md", "notes/n.md", ".symd/memories/a.md"]);
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, scratch.path().join(name)).expect("linked");
        };
        link("../../secret.md", ".symd/memories/secret.md");
        link("../../notes", ".symd/memories/topic");
        assert_eq!(shown(&root), ["a"]);
        for name in ["secret", "topic/n", "topic/new"] {
            let found = MemoryFile::read(&root, &MemoryName::new(name).expect("valid"));
            assert!(matches!(found, Err(MemoryError::Link(_))), "{name}: {found:?}");
        }
        let (scratch, root) = project(&["elsewhere/memories/a.md"]);
        std::os::unix::fs::symlink("elsewhere", scratch.path().join(".symd")).expect("linked");
        assert!(matches!(names(&root, &Cancel::new()), Err(MemoryError::Link(_))));
        let (scratch, root) = project(&["elsewhere/memories/a.md"]);
        std::os::unix::fs::symlink("elsewhere", scratch.path().join(".serena")).expect("linked");
        assert!(shown(&root).is_empty());
    }
}
