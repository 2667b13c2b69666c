//! The projects that this user has opened with symd, with a name for each root. An agent may switch to these
//! and to no others, because only the user registers them: by starting a daemon there, or by `symd projects
//! add`. Invariant: a name stands for one root, a root has one name, and one process at a time changes the
//! file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use symd_base::state::{self, StateError, durable};

/// Maximum number of registered projects. Beyond it, the project opened longest ago is forgotten: its user
/// has to start symd there once more.
const MAX_PROJECTS: usize = 1_000;

/// The user's projects.
#[derive(Clone, Debug)]
pub struct Projects {
    directory: PathBuf,
}

/// A project that the user has opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisteredProject {
    /// The directory's name, with a number if several projects have the same name.
    pub name: String,
    /// Absolute path, its links resolved when it was registered.
    pub root: PathBuf,
}

/// Why the list of projects cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectsError {
    /// A file that cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// A file that does not have the content that symd writes.
    #[error("{} is damaged: {why}; remove it, and start symd once in each project", path.display())]
    Damaged { path: PathBuf, why: serde_json::Error },
    /// A path that cannot be stored in the file.
    #[error("{} cannot be registered: its path is not UTF-8", .0.display())]
    NotText(PathBuf),
}

/// The file's content; the project opened last is the last one.
#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    projects: Vec<RegisteredProject>,
}

impl Projects {
    /// Returns the list stored in `state`, symd's state directory.
    pub fn new(state: &Path) -> Projects {
        Projects { directory: state.to_owned() }
    }

    /// Returns all projects, sorted by name.
    pub fn list(&self) -> Result<Vec<RegisteredProject>, ProjectsError> {
        let mut all = self.read()?.projects;
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Registers `root`, which must be canonical. A project that is registered already keeps its name.
    pub fn add(&self, root: &Path) -> Result<RegisteredProject, ProjectsError> {
        if root.to_str().is_none() {
            return Err(ProjectsError::NotText(root.to_owned()));
        }
        self.change(|all| {
            let known = all.iter().position(|project| project.root == root).map(|at| all.remove(at));
            let project = known
                .unwrap_or_else(|| RegisteredProject { name: free_name(all, root), root: root.to_owned() });
            all.push(project.clone());
            let surplus = all.len().saturating_sub(MAX_PROJECTS);
            all.drain(..surplus);
            project
        })
    }

    /// Forgets the project with this name without touching its files; `None` when there is none.
    pub fn remove(&self, name: &str) -> Result<Option<RegisteredProject>, ProjectsError> {
        self.change(|all| all.iter().position(|project| project.name == name).map(|at| all.remove(at)))
    }

    /// Forgets projects whose root is no longer a directory; their names become available again.
    pub fn forget_gone(&self) -> Result<Vec<RegisteredProject>, ProjectsError> {
        self.change(|all| all.extract_if(.., |project| !project.root.is_dir()).collect())
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<RegisteredProject>) -> T) -> Result<T, ProjectsError> {
        state::private_dir(&self.directory)?;
        let _locked = durable::lock(&self.directory.join("projects.lock"))?;
        let mut file = self.read()?;
        let before = file.projects.clone();
        let done = change(&mut file.projects);
        if file.projects != before {
            let path = self.path();
            let text = serde_json::to_vec_pretty(&file)
                .map_err(|why| ProjectsError::Damaged { path: path.clone(), why })?;
            state::replace_file(&path, &[&text, b"\n"])?;
        }
        Ok(done)
    }

    fn read(&self) -> Result<File, ProjectsError> {
        let path = self.path();
        let Some(bytes) = state::read_file(&path)? else { return Ok(File::default()) };
        serde_json::from_slice(&bytes).map_err(|why| ProjectsError::Damaged { path, why })
    }

    fn path(&self) -> PathBuf {
        self.directory.join("projects.json")
    }
}

/// Returns the default name of a project in `root`.
pub fn directory_name(root: &Path) -> String {
    root.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn free_name(all: &[RegisteredProject], root: &Path) -> String {
    let wanted = directory_name(root);
    let is_free = |name: &String| all.iter().all(|project| project.name != *name);
    let numbered = (2..).map(|number: usize| format!("{wanted}-{number}"));
    std::iter::once(wanted.clone()).chain(numbered).find(is_free).unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_kept() {
        let scratch = tempfile::tempdir().expect("scratch");
        let state = scratch.path().join("symd");
        let projects = Projects::new(&state);
        let add = |root: &str| projects.add(Path::new(root)).expect("added").name;
        assert!(projects.list().expect("none yet").is_empty());
        assert_eq!(
            [add("/a/app"), add("/b/app"), add("/c/app"), add("/")],
            ["app", "app-2", "app-3", "root"]
        );
        assert_eq!(add("/b/app"), "app-2");
        let removed = projects.remove("app").expect("removed").expect("was there");
        assert_eq!(removed.root, Path::new("/a/app"));
        assert_eq!(projects.remove("app").expect("looked"), None);
        assert_eq!(add("/d/app"), "app");
        let names: Vec<String> = projects.list().expect("listed").into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["app", "app-2", "app-3", "root"]);
    }

    #[test]
    fn the_one_opened_longest_ago_is_forgotten() {
        let scratch = tempfile::tempdir().expect("scratch");
        let projects = Projects::new(scratch.path().join("symd").as_path());
        let root = |number: usize| PathBuf::from(format!("/p/{number}"));
        let all = (0..MAX_PROJECTS)
            .map(|number| RegisteredProject { name: number.to_string(), root: root(number) });
        let all: Vec<RegisteredProject> = all.collect();
        projects.change(|list| *list = all).expect("written");
        projects.add(&root(0)).expect("opened again");
        projects.add(&root(MAX_PROJECTS)).expect("added");
        let names = projects.list().expect("listed");
        assert_eq!(names.len(), MAX_PROJECTS);
        assert!(names.iter().any(|one| one.name == "0") && names.iter().all(|one| one.name != "1"));
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let scratch = tempfile::tempdir().expect("scratch");
        let projects = Projects::new(scratch.path());
        state::replace_file(&projects.path(), &[b"{"]).expect("written");
        assert!(matches!(projects.list(), Err(ProjectsError::Damaged { .. })));
    }
}
