//! The draft of a rename: made from a server's edit, or where there is none from what syntax judged.

use std::sync::Arc;

use super::answer::RenameError;
use super::linked::LinkedSymbol;
use super::merged::RenameAnswers;
use super::unparsed::UnparsedMentions;
use super::{Draft, Rename, by_server, by_syntax};
use crate::Project;
use crate::question::QuestionError;
use crate::references::JudgedOccurrences;
use symd_index::Snapshot;
use symd_lsp::ServerError;

/// Turns a server's answer into a draft; if there is none, what syntax judged. `are_judged`: whether types judge the server's answers,
/// so that an invalid one is of no consequence.
pub(super) async fn drafted(
    project: &Project,
    symbol: &LinkedSymbol,
    ask: &Rename,
    (said, asked): (Result<RenameAnswers, ServerError>, Arc<Snapshot>),
    (judged, are_judged): (&JudgedOccurrences, bool),
    unparsed: UnparsedMentions,
) -> Result<Draft, RenameError> {
    let why = match said {
        Ok(said) => {
            let server = said.server.clone();
            let unseen = unparsed.clone().with_accessors();
            match by_server::draft(project, symbol, ask, (said, asked), judged, &unseen).await {
                Err(RenameError::Server { problem, .. }) if are_judged => {
                    ServerError::Failed { server, problem: problem.to_string() }
                }
                Err(RenameError::Question(QuestionError::NoAnswer(why)))
                    if are_judged && is_left_to_types(&why) =>
                {
                    why
                }
                done => return done,
            }
        }
        Err(why) if is_none(&why) || are_judged && is_left_to_types(&why) => why,
        Err(why) => return Err(QuestionError::from(why).into()),
    };
    by_syntax::draft(project, symbol, ask, why, judged, unparsed).await
}

/// Whether no server is available: one that starts, fails or rejects the request is.
fn is_none(why: &ServerError) -> bool {
    matches!(
        why,
        ServerError::NoServer { .. }
            | ServerError::NotTrusted { .. }
            | ServerError::Unsupported { .. }
            | ServerError::Down { .. }
    )
}

/// Whether types tell better than a server whose answers they judge, and which is loading, fails, or refuses: kmp-lsp refuses members
/// that override.
fn is_left_to_types(why: &ServerError) -> bool {
    matches!(
        why,
        ServerError::NotNeeded { .. }
            | ServerError::Refused { .. }
            | ServerError::NotReady { .. }
            | ServerError::Failed { .. }
    )
}
