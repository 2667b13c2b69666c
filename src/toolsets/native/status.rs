//! `status`: what the index holds right now, without waiting for anything.

use serde_json::{Value, json};

use crate::toolsets::{Annotations, Call, Reply, Running, Tool};

pub(super) const STATUS: Tool = Tool {
    name: "status",
    title: "Index status",
    description: "Shows the state of the index: its revision, how many files and symbols it holds, what was skipped and \
        why, and whether it is still being built.",
    schema,
    annotations: Annotations::READ_ONLY,
    run,
};

fn schema() -> Value {
    json!({ "type": "object", "properties": {}, "required": [] })
}

fn run(call: Call<'_>) -> Running<'_> {
    Box::pin(async move {
        let status = call.project.engine.status();
        let state = if status.ready { "ready" } else { "indexing" };
        let skipped = status.skipped;
        Reply::done(format!(
            "{state} · revision {} · {} files, {} parsed ({} with syntax errors), {} symbols\n\
             skipped: {} binary, {} too large, {} unreadable · {} files pending",
            status.revision,
            status.files,
            status.parsed_files,
            status.files_with_errors,
            status.symbols,
            skipped.binary,
            skipped.too_large,
            skipped.unreadable,
            status.pending_files,
        ))
    })
}
