//! Which files a generator wrote: an edit of one would be lost when it runs again.

use std::collections::BTreeSet;

use super::Project;
use super::code_kind::is_generated_file;
use super::question::QuestionError;
use symd_base::{Cancel, RelPath};
use symd_engine::View;

/// Returns those of the files that are generated, by their paths or by what generators write at the head.
pub(super) async fn generated_among(
    project: &Project,
    paths: BTreeSet<RelPath>,
) -> Result<BTreeSet<RelPath>, QuestionError> {
    let work = move |view: &View, cancel: &Cancel| {
        let mut generated = BTreeSet::new();
        for path in paths {
            cancel.check()?;
            let current = view.snapshot.files.get(path.as_str()).and_then(|file| view.current(file).ok());
            if is_generated_file(&path, current.as_ref().map(|current| current.text.as_str())) {
                generated.insert(path);
            }
        }
        Ok::<_, QuestionError>(generated)
    };
    project.with_view(work).await?
}
