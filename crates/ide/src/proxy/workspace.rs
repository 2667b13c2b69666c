//! The editor's folders, and the project roots that belong to them. A folder inside a project stands for the
//! project; a folder that lies in none stands for the projects beneath it, found as their documents are opened.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::documents::path_of;
use symd_config::Languages;
use symd_config::roots::find_root_above;

/// The folders of an editor.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// In the editor's order; links resolved.
    folders: Vec<PathBuf>,
    /// The user's home directory, which is no project.
    home: Option<PathBuf>,
}

impl Workspace {
    /// Returns the folders that `initialize` names: `workspaceFolders`, else `rootUri`, else `rootPath`.
    pub(super) fn of(params: &Value) -> Workspace {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let mut workspace = Workspace { folders: Vec::new(), home };
        match params["workspaceFolders"].as_array().filter(|folders| !folders.is_empty()) {
            Some(folders) => workspace.add(folders),
            None => {
                let root = params["rootUri"].as_str().and_then(path_of);
                let root = root.or_else(|| params["rootPath"].as_str().map(PathBuf::from));
                workspace.folders.extend(root.and_then(|root| root.canonicalize().ok()));
            }
        }
        workspace
    }

    /// Applies a `didChangeWorkspaceFolders`.
    pub(super) fn change(&mut self, params: &Value) {
        let removed: Vec<PathBuf> = folders(params.pointer("/event/removed")).collect();
        self.folders.retain(|folder| !removed.contains(folder));
        if let Some(added) = params.pointer("/event/added").and_then(Value::as_array) {
            self.add(added);
        }
    }

    fn add(&mut self, added: &[Value]) {
        for folder in added.iter().filter_map(folder) {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
    }

    /// Returns the roots of the projects that contain a folder.
    pub(super) fn roots(&self) -> BTreeSet<PathBuf> {
        self.folders.iter().filter_map(|folder| self.root_above(folder)).collect()
    }

    /// Returns the root of the project that contains `file`; `None` if the editor's folders, where it has any,
    /// do not contain the file.
    pub(super) fn root_of(&self, file: &Path) -> Option<PathBuf> {
        let containing = self.folders.iter().find(|folder| file.starts_with(folder));
        if let Some(root) = containing.and_then(|folder| self.root_above(folder)) {
            return Some(root);
        }
        let is_beneath = containing.is_some() || self.folders.is_empty();
        // A file that lies beside a folder may lie in its project all the same.
        let own = self.root_above(file.parent()?)?;
        (is_beneath || self.roots().contains(&own)).then_some(own)
    }

    fn root_above(&self, directory: &Path) -> Option<PathBuf> {
        find_root_above(directory, self.home.as_deref(), &Languages::builtin().root_markers()).ok()
    }
}

fn folders(list: Option<&Value>) -> impl Iterator<Item = PathBuf> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(folder)
}

fn folder(folder: &Value) -> Option<PathBuf> {
    path_of(folder["uri"].as_str()?)?.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn folders_stand_for_the_projects_around_or_beneath_them() {
        let scratch = tempfile::tempdir().unwrap();
        let at = scratch.path().canonicalize().unwrap();
        for directory in ["home", "all/one/.git", "all/one/src", "all/two/.git", "other/.git", "loose"] {
            std::fs::create_dir_all(at.join(directory)).unwrap();
        }
        let uri = |path: &str| json!({ "uri": format!("file://{}", at.join(path).display()), "name": path });
        let mut workspace = Workspace::of(&json!({ "workspaceFolders": [uri("all/one/src"), uri("none")] }));
        workspace.home = Some(at.join("home"));
        let root_of = |workspace: &Workspace, path: &str| {
            workspace
                .root_of(&at.join(path))
                .map(|root| root.strip_prefix(&at).unwrap().display().to_string())
        };
        assert_eq!(workspace.roots().into_iter().collect::<Vec<_>>(), [at.join("all/one")]);
        assert_eq!(root_of(&workspace, "all/one/src/a.py").as_deref(), Some("all/one"));
        assert_eq!(root_of(&workspace, "all/one/b.py").as_deref(), Some("all/one"));
        assert_eq!(root_of(&workspace, "other/a.py"), None, "outside the folders");

        let event = json!({ "event": { "added": [uri("all")], "removed": [uri("all/one/src")] } });
        workspace.change(&event);
        assert_eq!(workspace.roots().len(), 0);
        assert_eq!(root_of(&workspace, "all/two/a.py").as_deref(), Some("all/two"));
        assert_eq!(root_of(&workspace, "other/a.py"), None);

        let mut none = Workspace::of(&json!({ "rootUri": null }));
        none.home = Some(at.join("home"));
        assert_eq!(root_of(&none, "other/a.py").as_deref(), Some("other"));
        assert_eq!(root_of(&none, "loose/a.py"), None);
    }
}
