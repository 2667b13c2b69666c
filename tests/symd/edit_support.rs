//! A scratch project for the edit engine: random trees, random plans, and comparison of trees.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use symd::base::text::decode;
use symd::base::{ContentHash, RelPath, TextEdit, TextEdits, TextRange};
use symd::edit::{Access, Editor, Hook, Options, Originator, Plan, PlanStep, Recovered};
use symd::vfs::Root;

pub fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

pub fn by(title: &str) -> Originator {
    Originator { who: "test".to_owned(), tool: "test".to_owned(), title: title.to_owned() }
}

pub fn edit(start: usize, end: usize, text: &str) -> TextEdit {
    let at = |offset| u32::try_from(offset).unwrap();
    TextEdit { range: TextRange::new(at(start), at(end)), new_text: text.to_owned() }
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    Directory,
    /// A FIFO, a socket, a device.
    Special,
    Link(PathBuf),
    File {
        bytes: Vec<u8>,
        mode: u32,
    },
}

pub type Things = BTreeMap<PathBuf, Thing>;

/// A project directory and a state directory beside it.
pub struct Project {
    pub scratch: tempfile::TempDir,
}

impl Project {
    pub fn new() -> Project {
        Project::of(tempfile::tempdir().unwrap())
    }

    /// Creates the project where syncing is cheap, if the system has such a place: for tests of many edits. A
    /// killed process leaves the same state behind on any file system.
    pub fn in_memory() -> Project {
        Project::of(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn of(scratch: tempfile::TempDir) -> Project {
        std::fs::create_dir(scratch.path().join("project")).unwrap();
        Project { scratch }
    }

    pub fn root(&self) -> PathBuf {
        self.scratch.path().join("project")
    }

    pub fn state(&self) -> PathBuf {
        self.scratch.path().join("state/edits")
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.root().join(path)).unwrap()
    }

    pub fn hash(&self, path: &str) -> ContentHash {
        ContentHash::of(&self.read(path))
    }

    pub fn chmod(&self, path: &str, mode: u32) {
        std::fs::set_permissions(self.root().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    pub fn link(&self, target: impl AsRef<Path>, path: &str) {
        std::os::unix::fs::symlink(target, self.root().join(path)).unwrap();
    }

    pub fn open(&self) -> (Editor, Recovered) {
        self.open_with(Options::default())
    }

    pub fn open_with(&self, options: Options) -> (Editor, Recovered) {
        open(&self.root(), &self.state(), options)
    }

    /// Returns an editor of a tree that no crash has touched.
    pub fn editor(&self) -> Editor {
        let (editor, recovered) = self.open();
        assert_eq!(recovered, Recovered::default());
        editor
    }

    pub fn hooked(&self, hook: Hook) -> Editor {
        self.open_with(Options { hook, ..Options::default() }).0
    }

    /// Returns every entry of the project.
    pub fn things(&self) -> Things {
        things_of(&self.root())
    }

    pub fn text(&self, path: &str, edits: Vec<TextEdit>) -> PlanStep {
        PlanStep::Text { path: rel(path), base: self.hash(path), edits: TextEdits::new(edits).unwrap() }
    }

    pub fn rename(&self, from: &str, to: &str) -> PlanStep {
        PlanStep::Rename { from: rel(from), to: rel(to), base: self.hash(from) }
    }

    pub fn delete(&self, path: &str) -> PlanStep {
        PlanStep::Delete { path: rel(path), base: self.hash(path) }
    }

    /// Returns the entries of the state directory apart from the lock, the slot and committed operations:
    /// none in a correct state.
    pub fn unfinished(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.state()).unwrap().map(|entry| entry.unwrap().file_name());
        names
            .map(|name| name.into_string().unwrap())
            .filter(|name| name != "lock" && name != "slot" && !name.ends_with(".edit"))
            .collect()
    }
}

pub fn open(root: &Path, state: &Path, options: Options) -> (Editor, Recovered) {
    Editor::open_with(Arc::new(Root::open(root).unwrap()), state, options).unwrap()
}

pub fn create(path: &str, bytes: impl Into<Vec<u8>>) -> PlanStep {
    PlanStep::Create { path: rel(path), bytes: bytes.into(), access: Access::Plain }
}

/// Returns every entry beneath a directory.
pub fn things_of(root: &Path) -> Things {
    let mut things = Things::new();
    collect(root, root, &mut things);
    things
}

fn collect(root: &Path, directory: &Path, things: &mut Things) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let meta = std::fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(root).unwrap().to_owned();
        let thing = if meta.is_symlink() {
            Thing::Link(std::fs::read_link(&path).unwrap())
        } else if meta.is_dir() {
            collect(root, &path, things);
            Thing::Directory
        } else if !meta.is_file() {
            // Opening a FIFO would block until another process writes.
            Thing::Special
        } else {
            Thing::File { bytes: std::fs::read(&path).unwrap(), mode: meta.permissions().mode() & 0o7777 }
        };
        things.insert(name, thing);
    }
}

/// Returns the bytes of a random text in a random encoding, with random line endings, with or without a final
/// one; sometimes bytes that are not text.
pub fn random_bytes(random: &mut fastrand::Rng) -> Vec<u8> {
    let words = ["a", "fn", "\u{e4}", "\u{1F600}", "\t", " ", "\u{2028}", "name"];
    let ending = ["\n", "\r\n", "\r"][random.usize(..3)];
    let mut text = String::new();
    for _ in 0..random.usize(..12) {
        for _ in 0..random.usize(..6) {
            text.push_str(words[random.usize(..words.len())]);
        }
        text.push_str(if random.u8(..8) == 0 { "\n" } else { ending });
    }
    if random.bool() {
        text.push_str("end");
    }
    match random.u8(..8) {
        0 => Vec::new(),
        1 => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        2 => [&b"\xFF\xFE"[..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat(),
        3 => [&b"\xFE\xFF"[..], &text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>()].concat(),
        4 => [b"\xFF\xC0", text.as_bytes(), b"\xE2\x82"].concat(),
        5 => (0..random.usize(..200)).map(|_| random.u8(..)).collect(),
        _ => text.into_bytes(),
    }
}

/// Creates a tree of files and directories, with links to both and various permissions.
pub fn random_tree(project: &Project, random: &mut fastrand::Rng) {
    for directory in ["", "a/", "a/b/", "c/"] {
        for number in 0..random.usize(1..5) {
            let path = format!("{directory}f{number}");
            project.write(&path, random_bytes(random));
            project.chmod(&path, [0o644, 0o600, 0o755, 0o664][random.usize(..4)]);
        }
    }
    std::fs::create_dir(project.root().join("empty")).unwrap();
    project.link("a/f0", "to_file");
    project.link("a/b", "c/to_nothing");
    project.link("../a/b", "c/to_directory");
}

/// Returns a plausible plan for the current tree; sometimes one that must be rejected.
pub fn random_plan(project: &Project, random: &mut fastrand::Rng) -> Plan {
    let files: Vec<String> = project
        .things()
        .into_iter()
        .filter(|(_, thing)| matches!(thing, Thing::File { .. }))
        .map(|(path, _)| path.to_str().unwrap().to_owned())
        .collect();
    let new_name = |random: &mut fastrand::Rng| {
        let directory = ["", "a/", "new/", "new/er/", "c/to_directory/"][random.usize(..5)];
        format!("{directory}n{}", random.u8(..40))
    };
    let mut steps = Vec::new();
    let mut left = files;
    for _ in 0..random.usize(1..6) {
        if left.is_empty() || random.u8(..6) == 0 {
            steps.push(create(&new_name(random), random_bytes(random)));
            continue;
        }
        if random.u8(..8) == 0 {
            let path = ["new", "new/er", "a/b", "c/to_directory/made", "a/f0", "fresh"][random.usize(..6)];
            steps.push(PlanStep::MakeDirectory { path: rel(path) });
            continue;
        }
        let path = left.swap_remove(random.usize(..left.len()));
        match random.u8(..10) {
            0 => steps.push(project.delete(&path)),
            1 | 2 => {
                let to = new_name(random);
                steps.push(project.rename(&path, &to));
                if random.bool() {
                    steps.extend(random_edits(project, &path, &to, random));
                }
                if random.u8(..3) == 0 {
                    steps.push(create(&path, "in its place\n"));
                }
            }
            3 => {
                let base = random.bool().then(|| project.hash(&path));
                steps.push(PlanStep::Write { path: rel(&path), base, bytes: random_bytes(random) });
            }
            4 if !left.is_empty() => {
                // Two files swap their paths.
                let other = left.swap_remove(random.usize(..left.len()));
                let (a, b) = (project.hash(&path), project.hash(&other));
                let rename =
                    |from: &str, to: &str, base| PlanStep::Rename { from: rel(from), to: rel(to), base };
                steps.extend([
                    rename(&path, "aside", a),
                    rename(&other, &path, b),
                    rename("aside", &other, a),
                ]);
            }
            _ => {
                let through = if path == "a/f0" && random.bool() { "to_file" } else { &path };
                steps.extend(random_edits(project, &path, through, random));
                if random.u8(..4) == 0 {
                    steps.push(PlanStep::Write { path: rel(&path), base: None, bytes: random_bytes(random) });
                }
            }
        }
    }
    Plan::new(steps)
}

/// Returns random edits of the current text of `path`, under the name `through`; none if it is not text.
fn random_edits(
    project: &Project,
    path: &str,
    through: &str,
    random: &mut fastrand::Rng,
) -> Option<PlanStep> {
    let (text, _) = decode(project.read(path)).ok()?;
    let boundaries: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
    let mut places: Vec<usize> = (0..6).map(|_| boundaries[random.usize(..boundaries.len())]).collect();
    places.sort_unstable();
    let edits = places
        .chunks(2)
        .map(|pair| edit(pair[0], pair[1], ["", "x", "\u{e4}\r\n", "\u{1F680}"][random.usize(..4)]));
    Some(PlanStep::Text {
        path: rel(through),
        base: project.hash(path),
        edits: TextEdits::new(edits.collect()).unwrap(),
    })
}
