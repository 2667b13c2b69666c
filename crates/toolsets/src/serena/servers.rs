//! serena's `restart_language_server`: restarts every server of the project that was started.

use super::answer::error;
use super::edits::SUCCESS;
use super::prompts::no_parameters;
use crate::{Annotations, Call, Reply, Tool};
use symd_lsp::ServerError;

pub(super) const RESTART_LANGUAGE_SERVER: Tool = Tool {
    annotations: Annotations { idempotent: true, ..Annotations::ADDS },
    ..Tool::adding(
        "restart_language_server",
        "Restart language server",
        "Restarts the language server, all of them where the project has several. Call it only where the user \
         asks, or where answers about symbols stay wrong after files were changed from outside.",
        no_parameters,
        |call| Box::pin(async move { restart(&call).await.unwrap_or_else(|reply| reply) }),
    )
};

async fn restart(call: &Call<'_>) -> Result<Reply, Reply> {
    let project = call.project.clone();
    // Reads programs on disk and processes.
    let status = tokio::task::spawn_blocking(move || project.server_status()).await.map_err(error)?;
    let mut failed = Vec::new();
    // A server that was not needed yet starts with its first request.
    for server in status.iter().filter(|server| server.starts > 0) {
        failed.extend(call.project.servers.restart(&server.name).await.err());
    }
    let failed: Vec<String> = failed.iter().map(ServerError::to_string).collect();
    if failed.is_empty() { Ok(Reply::done(SUCCESS)) } else { Err(error(failed.join("; "))) }
}
