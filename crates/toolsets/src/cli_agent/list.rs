//! cli_agent's `list_dir`: files by name, then directories by name, in pages.

use serde::Serialize;
use serde_json::{Value, json};
use symd_base::escaped;

use super::MAX_RESULTS;
use super::answer::{Answer, ToolAction, ask, counted, invalid, not_a_directory, unnamed};
use super::envelope::Success;
use crate::Tool;
use crate::arguments::Arguments;
use symd_base::Cancel;
use symd_files::list_dir::{Depth, Ignored, list_dir};
use symd_files::tree::Tree;
use symd_ops::view_tree::ViewTree;
use symd_vfs::EntryKind;

pub(super) const LIST_DIR: Tool = Tool::read_only(
    "list_dir",
    "List directory",
    "List contents of a directory. Files come first, then directories with a final /; at most 1000 entries at a time.",
    schema,
    |call| ask(call, |view, arguments, cancel| view.tree(|tree| list(tree, arguments, cancel))),
);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "default": ".", "description": "Relative path to directory (default: current directory)"},
            "offset": {"type": "integer", "default": 0, "description": "How many entries to leave out at the start (default: 0)"},
            "limit": {"type": "integer", "default": 1000, "description": "Maximum number of entries to return (default and maximum: 1000)"}
        },
        "required": []
    })
}

#[derive(Serialize)]
struct Metadata {
    total_entries: usize,
    files: usize,
    directories: usize,
}

fn list(tree: &Tree<'_>, arguments: &Arguments<'_>, cancel: &Cancel) -> Answer {
    let path = arguments.string_or("path", ".")?;
    let offset = arguments.count_or("offset", 0)?;
    let limit = arguments.count_or("limit", MAX_RESULTS)?;
    if !(1..=MAX_RESULTS).contains(&limit) {
        return Err(invalid(
            format!(
                "Invalid parameter 'limit': must be between 1 and {MAX_RESULTS}, got: {}",
                arguments.as_sent("limit")
            ),
            "Use offset to see more entries",
        ));
    }
    let doing = ToolAction::listing(path);
    let found = tree.locate(path).map_err(|error| doing.locate(error))?;
    if found.kind != EntryKind::Directory {
        return Err(not_a_directory(path));
    }
    let listing =
        list_dir(tree, path, Depth::Flat, Ignored::Listed, cancel).map_err(|error| doing.file(error))?;
    let files = listing.files.iter().map(|path| escaped(path.file_name()).into_owned());
    let directories = listing.dirs.iter().map(|path| format!("{}/", escaped(path.file_name())));
    let total = listing.files.len() + listing.dirs.len();
    let mut output = match found.path.is_root() {
        true => "Contents of .:\n".to_owned(),
        false => format!("Contents of ./{}:\n", found.path),
    };
    let mut shown = 0;
    for name in files.chain(directories).skip(offset).take(limit) {
        output.push_str(&format!("  {name}\n"));
        shown += 1;
    }
    let mut success = Success::new(output).with(&Metadata {
        total_entries: total,
        files: listing.files.len(),
        directories: listing.dirs.len(),
    });
    if listing.non_utf8_names > 0 {
        success = success.warning(&unnamed(listing.non_utf8_names));
    }
    if shown < total {
        success = success.warning(&part(total, offset, shown));
    }
    Ok(success)
}

fn part(total: usize, offset: usize, shown: usize) -> String {
    let found = format!("Found {}", counted(total, "entry", "entries"));
    let next = offset.saturating_add(shown);
    let more = if next < total { format!(" (use offset {next} to see more)") } else { String::new() };
    match (offset, shown) {
        (_, 0) => format!("{found}, none from offset {offset} on"),
        (0, shown) => format!("{found}, showing first {shown}{more}"),
        (offset, _) => format!("{found}, showing {}-{next}{more}", offset + 1),
    }
}
