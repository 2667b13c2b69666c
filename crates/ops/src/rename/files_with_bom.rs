//! Files that servers read differently from symd: with a byte order mark, or in UTF-16. A server that reads
//! one from the disk counts the mark (ty), or cannot read it. So their texts are sent to the server before
//! the request. Invariant: no column is shifted by a guess.

use crate::Project;
use crate::question::QuestionError;
use crate::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_index::NeededWords;
use symd_resolve as resolve;
use symd_syntax::name_hash;
use symd_vfs::MAX_FILE_BYTES;

/// Maximum number of files opened for one question. If there are more, the server's edits of the others are
/// rejected.
const MAX_OPENED: usize = 24;

const MARKS: [&[u8]; 3] = [&[0xEF, 0xBB, 0xBF], &[0xFF, 0xFE], &[0xFE, 0xFF]];

/// Returns the files with such a mark that contain the target's name, in path order.
pub(super) async fn files_with_bom(
    project: &Project,
    target: &Target,
) -> Result<Vec<RelPath>, QuestionError> {
    let target = target.clone();
    Ok(project.with_view(move |view, cancel| find(view, &target, cancel)).await??)
}

fn find(view: &View, target: &Target, cancel: &Cancel) -> Result<Vec<RelPath>, Cancelled> {
    let hash = name_hash(target.name.as_bytes());
    let mut found = Vec::new();
    for file in view.snapshot.files.with_words(NeededWords::of_name(&target.name)) {
        if !file.holds_hash(hash) || !resolve::files_share_names(file, &target.file) {
            continue;
        }
        cancel.check()?;
        let Ok(read) = view.files.read_no_follow(&file.path, MAX_FILE_BYTES) else { continue };
        if MARKS.iter().any(|mark| read.bytes.starts_with(mark)) {
            found.push(file.path.clone());
            if found.len() == MAX_OPENED {
                break;
            }
        }
    }
    Ok(found)
}
