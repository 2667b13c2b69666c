//! Asks a language server for the definitions of many places, a few at a time and for a bounded time.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::Project;
use crate::question::QuestionError;
use symd_base::{RelPath, TextRange};
use symd_config::LanguageId;
use symd_index::Content;
use symd_lsp::{DocumentPosition, Goto, Span, WaitPolicy};

/// Bounds of the requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefinitionBounds {
    /// How many requests the server has at a time.
    pub(crate) at_once: usize,
    /// How long all of them together are waited for.
    pub(crate) time: Duration,
}

/// Returns the definitions of each place, in the order of `places`; `None` where the file is gone, the server failed, or the time was over.
pub(crate) async fn ask_definitions(
    project: &Project,
    language: LanguageId,
    places: &[(RelPath, TextRange)],
    bounds: DefinitionBounds,
) -> Result<Vec<Option<Vec<Span>>>, QuestionError> {
    let until = Instant::now() + bounds.time;
    let mut all = Vec::new();
    for some in places.chunks(bounds.at_once) {
        if Instant::now() >= until {
            break;
        }
        let mut asked = JoinSet::new();
        for (number, at) in positions(project, some).await?.into_iter().enumerate() {
            let Some(at) = at else { continue };
            let servers = project.servers.clone();
            asked.spawn(async move {
                let said = servers.goto(language, &at, Goto::Definition, WaitPolicy::ForAnswer).await;
                said.ok().map(|said| (number, said.value))
            });
        }
        let mut answers = vec![None; some.len()];
        while let Ok(Some(answer)) = timeout_at(until, asked.join_next()).await {
            if let Some((number, spans)) = answer.ok().flatten() {
                answers[number] = Some(spans);
            }
        }
        all.extend(answers);
    }
    all.resize(places.len(), None);
    Ok(all)
}

/// Returns the positions of the places in the current versions of their files; `None` for a file that is gone.
async fn positions(
    project: &Project,
    places: &[(RelPath, TextRange)],
) -> Result<Vec<Option<DocumentPosition>>, QuestionError> {
    let wanted = places.to_vec();
    project
        .with_view(move |view, _| {
            let position = |(path, range): (RelPath, TextRange)| {
                let file = view.snapshot.files.get(path.as_str())?;
                let Content::Code { hash, .. } = &file.content else { return None };
                let (hash, revision) = (*hash, view.snapshot.revision);
                Some(DocumentPosition { hash, revision, path, offset: range.start })
            };
            wanted.into_iter().map(position).collect()
        })
        .await
}
