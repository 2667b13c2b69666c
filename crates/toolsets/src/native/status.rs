//! `status`: the content of the index and the state of the language servers right now. It waits for nothing.

use serde_json::{Value, json};

use super::files::counted;
use crate::{Call, Reply, ReplyFuture, Tool};
use symd_lsp::{ServerState, ServerStatus};

pub(super) const STATUS: Tool = Tool::read_only(
    "status",
    "Index status",
    "Shows the state of the index: its revision, how many files and symbols it holds, what was skipped and \
     why, whether it is still being built, and the project's language servers with what they are doing.",
    schema,
    run,
);

fn schema() -> Value {
    json!({ "type": "object", "properties": {}, "required": [] })
}

fn run(call: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async move {
        let status = call.project.engine.status();
        let state = if status.ready { "ready" } else { "indexing" };
        let skipped = status.skipped;
        let recovered: String = call
            .project
            .recovered
            .operations
            .iter()
            .map(|operation| format!("\nrecovered: {operation}"))
            .collect();
        let mut text = format!(
            "{state} · revision {} · {} files, {} parsed ({} with syntax errors), {}\n\
             skipped: {} binary, {} too large, {} unreadable · {} files pending{recovered}",
            status.revision,
            status.files,
            status.parsed_files,
            status.files_with_errors,
            counted(status.symbols, "symbol", "symbols"),
            skipped.binary,
            skipped.too_large,
            skipped.unreadable,
            status.pending_files,
        );
        if !status.without_outline.is_empty() {
            let counts = status.without_outline.iter().map(|(language, files)| format!("{files} {language}"));
            text.push_str(&format!("\nwithout outline: {}", counts.collect::<Vec<_>>().join(", ")));
        }
        let project = call.project.clone();
        // Reads programs on disk and processes. If that panics, the state of the index is answered
        // nevertheless.
        let servers = tokio::task::spawn_blocking(move || project.server_status()).await;
        for server in servers.unwrap_or_default() {
            text.push_str(&format!("\n{}", line(&server)));
        }
        Reply::done(text)
    })
}

/// Formats a server: `ty (python): loading, indexing (43 %)`.
fn line(server: &ServerStatus) -> String {
    let state = match server.state {
        ServerState::Idle => "not started",
        ServerState::Starting => "starting",
        ServerState::Loading => "loading",
        ServerState::Ready => "ready",
        ServerState::Restarting => "restarting",
        ServerState::Stopped => "stopped",
        ServerState::Down => "down",
    };
    let mut text = format!("{} ({}): {state}", server.name, server.languages.join(", "));
    for more in [&server.doing, &server.last_error].into_iter().flatten() {
        text.push_str(&format!(", {more}"));
    }
    text
}
