//! Runs questions about symbols. Outlines that language servers make are in the index before the question
//! runs, or the answer reports which are missing. Invariant: a project without such files pays for one read
//! of the engine's status.

use serde_json::{Map, Value};

use super::native::symbol_names;
use super::{Call, Reply, ReplyFuture, run_question};
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_index::NeededWords;
use symd_lsp::ServerError;
use symd_ops::Project;
use symd_ops::server_outlines::{self, OutlineGap, OutlineWait, Outlined};
use symd_syntax::name_path::Matching;

/// The files without outlines that an answer about symbols may have to report.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    project: Option<Project>,
    missing: Vec<OutlineGap>,
}

impl Gaps {
    /// Returns the files whose outlines their servers did not deliver in time. Every answer reports them.
    pub(super) fn missing(&self) -> Vec<String> {
        self.missing.iter().map(OutlineGap::to_string).collect()
    }

    /// Returns all files without outlines within `scope` that may hold the words, including those of
    /// languages without a server. An answer reports them where nothing was found.
    pub(super) fn all(&self, view: &View, scope: &RelPath, needed: &NeededWords) -> Vec<String> {
        let unserved =
            self.project.iter().flat_map(|project| server_outlines::unserved(project, view, scope, needed));
        self.missing.iter().cloned().chain(unserved).map(|gap| gap.to_string()).collect()
    }

    /// Returns the reason why no server can outline the file at `path`.
    pub(super) fn why_none(&self, path: &RelPath) -> Option<ServerError> {
        server_outlines::why_none(self.project.as_ref()?, path)
    }
}

/// Runs `work`, and again after asking for outlines if a language server can outline files that have none
/// yet.
pub(super) fn ask_outlined<'a>(
    call: Call<'a>,
    patience: OutlineWait,
    work: impl Fn(&View, &Map<String, Value>, &Cancel, &Gaps) -> Reply + Clone + Send + Sync + 'static,
) -> ReplyFuture<'a> {
    Box::pin(async move {
        let Call { project, arguments, .. } = call;
        let ask = |gaps: Gaps| {
            let work = work.clone();
            let work = move |view: &View, arguments: &Map<String, Value>, cancel: &Cancel| {
                work(view, arguments, cancel, &gaps)
            };
            run_question(project, arguments.clone(), work)
        };
        // Run first, because the engine's status is as fresh as its last answer.
        let reply = ask(Gaps { project: Some(project.clone()), missing: Vec::new() }).await;
        if !server_outlines::are_missing(project) {
            return reply;
        }
        let word = |name| arguments.get(name).and_then(Value::as_str).unwrap_or("");
        let matching = match arguments.get("substring_matching") {
            Some(Value::Bool(true)) => Matching::Substring,
            _ => Matching::Exact,
        };
        let mut names = symbol_names(&arguments, "name_path_pattern");
        if names.is_empty() {
            // A question about a file, not about a name.
            names.push("");
        }
        let mut tried: Option<Vec<OutlineGap>> = None;
        for name in names {
            let needed = NeededWords::of_name_path(name, matching);
            match server_outlines::ensure(project, word("relative_path"), &needed, patience).await {
                Outlined::Nothing => {}
                Outlined::Tried(missing) => {
                    let gaps = tried.get_or_insert_default();
                    gaps.extend(missing.into_iter().filter(|gap| !gaps.contains(gap)).collect::<Vec<_>>());
                }
            }
        }
        match tried {
            None => reply,
            Some(missing) => ask(Gaps { project: Some(project.clone()), missing }).await,
        }
    })
}
