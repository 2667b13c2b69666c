//! The files that a call would change, as far as its arguments tell. The list is shown to the user, so names
//! are as given.

use serde_json::{Map, Value};
use symd_base::escaped;

use symd_rewrite::patch::{self, FilePatch};
use symd_toolsets::{Reach, Risk, Tool};

/// The parameters in which the toolsets name a file.
const PATHS: [&str; 4] = ["path", "file_path", "relative_path", "absolute_path"];

/// The parameter that holds a patch, in all toolsets.
const PATCH: &str = "patch";

/// The most files shown.
const MAX_FILES: usize = 50;

/// Returns the files, in the order of the arguments; none for tools that do not change the project's files
/// themselves.
pub(super) fn affected(tool: &Tool, arguments: &Map<String, Value>) -> Vec<String> {
    if tool.risk == Risk::ReadOnly || tool.reach == Reach::BeyondProject {
        return Vec::new();
    }
    let named = PATHS.iter().filter_map(|name| arguments.get(*name)?.as_str());
    let mut files: Vec<String> =
        named.filter(|path| !path.is_empty()).map(|path| escaped(path).into_owned()).collect();
    if let Some(text) = arguments.get(PATCH).and_then(Value::as_str) {
        files.extend(patched(text));
    }
    if files.len() > MAX_FILES {
        let more = files.len() - MAX_FILES;
        files.truncate(MAX_FILES);
        files.push(format!("and {more} more"));
    }
    files
}

/// Returns the files that a patch changes; none if the patch cannot be parsed, since it is then not applied
/// either.
fn patched(text: &str) -> Vec<String> {
    let Ok(patch) = patch::parse(text) else { return Vec::new() };
    let mut files: Vec<String> = Vec::new();
    for file in &patch.files {
        let paths: Vec<&symd_base::RelPath> = match file {
            FilePatch::Update { names, new_path, .. } => names.iter().chain(new_path).collect(),
            FilePatch::Copy { new_path, .. } => vec![new_path],
            FilePatch::Add { path, .. } | FilePatch::Delete { path, .. } => vec![path],
        };
        for path in paths {
            let path = path.to_string();
            if !files.contains(&path) {
                files.push(path);
            }
        }
    }
    files
}
