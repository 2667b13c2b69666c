//! `status`: the content of the index and the state of the language servers right now. It waits for nothing.

use serde_json::{Value, json};

use super::files::counted;
use crate::{Call, Reply, ReplyFuture, Tool};
use symd_lsp::{ServerState, ServerStatus};
use symd_ops::memory_use::MemoryUse;

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
        let project = call.project.clone();
        let recovered =
            tokio::task::spawn_blocking(move || project.recovered_now()).await.unwrap_or_default();
        let recovered: String =
            recovered.operations.iter().map(|operation| format!("\nrecovered: {operation}")).collect();
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
        let read = tokio::task::spawn_blocking(move || {
            let servers = project.server_status();
            (project.memory_use(&servers), servers)
        });
        if let Ok((memory, servers)) = read.await {
            text.push_str(&format!("\n{}", memory_line(&memory)));
            for server in servers {
                text.push_str(&format!("\n{}", line(&server)));
            }
        }
        Reply::done(text)
    })
}

/// Formats where memory is: `memory: 53 MiB, 40 of it anonymous (outlines 20, name tables 5, …) · 1 parse worker, 20 MiB`.
fn memory_line(memory: &MemoryUse) -> String {
    let engine = &memory.engine;
    let whole = engine.process.map_or_else(String::new, |process| {
        let (resident, anonymous) = (process.resident >> 20, process.anonymous >> 20);
        format!("{resident} MiB, {anonymous} of it anonymous, ceiling {} ", engine.ceiling >> 20)
    });
    let vectors = memory.vectors.map_or_else(|| "in use".to_owned(), |bytes| (bytes >> 20).to_string());
    let workers = engine.workers.iter().map(|worker| worker.resident_bytes).sum::<u64>();
    format!(
        "memory: {whole}(MiB: outlines {}, name tables {}, kept parses {}, texts {}, vectors {vectors}) · {}, {} MiB · servers {} MiB",
        engine.index.outlines >> 20,
        engine.index.tables >> 20,
        (engine.parses + engine.kotlin_types + engine.unwritten_parses) >> 20,
        engine.texts >> 20,
        counted(engine.workers.len(), "parse worker", "parse workers"),
        workers >> 20,
        memory.servers >> 20,
    )
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
    let memory = server.memory_bytes.map(|bytes| format!("{} MiB", bytes >> 20));
    for more in [&server.doing, &memory, &server.last_error, &server.memory_note].into_iter().flatten() {
        text.push_str(&format!(", {more}"));
    }
    text
}
