//! Files that servers read otherwise than symd does: behind a byte-order mark, or in UTF-16. A server that reads one from the
//! disk counts the mark (ty), or cannot read it. So it is told of their texts before it is asked. Invariant: no column is
//! shifted by guess.

use crate::Project;
use crate::question::QuestionError;
use crate::target::Target;
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_index::Content;
use symd_resolve as resolve;
use symd_syntax::name_hash;
use symd_vfs::MAX_FILE_BYTES;

/// Files that are opened for one question. Where there are more, what the server says of the others is refused.
const MAX_OPENED: usize = 24;

const MARKS: [&[u8]; 3] = [&[0xEF, 0xBB, 0xBF], &[0xFF, 0xFE], &[0xFE, 0xFF]];

/// The files with such a mark in which the target's name stands, in path order.
pub(super) async fn marked(project: &Project, target: &Target) -> Result<Vec<RelPath>, QuestionError> {
    let target = target.clone();
    Ok(project.look(move |view, cancel| find(view, &target, cancel)).await??)
}

fn find(view: &View, target: &Target, cancel: &Cancel) -> Result<Vec<RelPath>, Cancelled> {
    let hash = name_hash(target.name.as_bytes());
    let mut found = Vec::new();
    for file in view.snapshot.files.iter() {
        let Content::Code { outline, .. } = &file.content else { continue };
        if !outline.occurrences.contains_hash(hash) || !resolve::share_names(file, &target.file) {
            continue;
        }
        cancel.check()?;
        let Ok(read) = view.root.read_unlinked(&file.path, MAX_FILE_BYTES) else { continue };
        if MARKS.iter().any(|mark| read.bytes.starts_with(mark)) {
            found.push(file.path.clone());
            if found.len() == MAX_OPENED {
                break;
            }
        }
    }
    Ok(found)
}
