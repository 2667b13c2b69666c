//! kotlin_debug's `web_search_wiki`.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{DebugAnswer, LIMIT, in_time};
use super::envelope::{DebugToolError, ErrorCode, data, reply};
use crate::arguments::{ArgumentError, Arguments};
use crate::{Annotations, Call, Outgoing, OutgoingFuture, Reach, Risk, Tool, too_late};
use symd_docsearch::{DocsHit, DocsSearchError, DocsSource};
use symd_ops::Project;
use symd_ops::docs_search::{outgoing_query, own_packages};

/// How long each source is waited for: within the contract's two seconds.
const PATIENCE: Duration = Duration::from_millis(1_700);

const QUERY_CHARS: std::ops::RangeInclusive<usize> = 3..=200;
const RESULTS: std::ops::RangeInclusive<i64> = 1..=10;
const DEFAULT_RESULTS: i64 = 5;
const DEFAULT_SOURCES: [DocsSource; 2] = [DocsSource::StackOverflow, DocsSource::Github];

pub(super) const WEB_SEARCH_WIKI: Tool = Tool {
    annotations: Annotations { open_world: true, ..Annotations::READ_ONLY },
    risk: Risk::ReadOnly,
    reach: Reach::BeyondProject,
    outgoing: Some(outgoing),
    ..Tool::read_only(
        "web_search_wiki",
        "Search documentation on the web",
        "Search external documentation (Stack Overflow, GitHub issues, official docs) for error solutions. The user is \
         asked once for each source; names of the project's packages, paths, addresses and ids are taken out of the \
         query first.",
        schema,
        |call| Box::pin(async move { in_time(call.project, search(&call)).await }),
    )
}
.in_order(&["query", "sources", "maxResults"])
.checked_by(|proposed| match DocsRequest::read(&Arguments::new(proposed.arguments)) {
    Ok(_) => Ok(()),
    Err(error) => Err(reply(Err(error.into()))),
});

fn schema() -> Value {
    let names: Vec<&str> = [DocsSource::StackOverflow, DocsSource::Github, DocsSource::Docs, DocsSource::Mdn]
        .map(DocsSource::name)
        .to_vec();
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": QUERY_CHARS.start(), "maxLength": QUERY_CHARS.end(), "description": "Search query (error message, function name, or concept)"},
            "sources": {"type": "array", "items": {"type": "string", "enum": names}, "default": DEFAULT_SOURCES.map(DocsSource::name), "description": "Which sources to search"},
            "maxResults": {"type": "integer", "minimum": RESULTS.start(), "maximum": RESULTS.end(), "default": DEFAULT_RESULTS, "description": "Maximum number of results to return"}
        },
        "required": ["query"]
    })
}

/// The arguments of the tool.
struct DocsRequest<'a> {
    query: &'a str,
    sources: Vec<DocsSource>,
    limit: usize,
}

impl<'a> DocsRequest<'a> {
    fn read(arguments: &Arguments<'a>) -> Result<DocsRequest<'a>, ArgumentError> {
        let query = arguments.string("query")?;
        if !QUERY_CHARS.contains(&query.chars().count()) {
            let expected = format!("{} to {} characters", QUERY_CHARS.start(), QUERY_CHARS.end());
            return Err(arguments.invalid("query", &expected));
        }
        let limit = arguments.integer_or("maxResults", DEFAULT_RESULTS)?;
        if !RESULTS.contains(&limit) {
            let expected = format!("an integer from {} to {}", RESULTS.start(), RESULTS.end());
            return Err(arguments.invalid("maxResults", &expected));
        }
        let mut sources = Vec::new();
        for name in
            arguments.strings_if("sources")?.unwrap_or_else(|| DEFAULT_SOURCES.map(DocsSource::name).to_vec())
        {
            let Some(source) = DocsSource::ALL.into_iter().find(|source| source.name() == name) else {
                let expected = "a list of \"stackoverflow\", \"github\", \"docs\", \"mdn\"";
                return Err(arguments.invalid("sources", expected));
            };
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        if sources.is_empty() {
            return Err(arguments.invalid("sources", "at least one source"));
        }
        Ok(DocsRequest { query, sources, limit: usize::try_from(limit).unwrap_or(1) })
    }
}

/// Decides what leaves the machine.
fn outgoing<'a>(project: &'a Project, arguments: &'a Map<String, Value>) -> OutgoingFuture<'a> {
    Box::pin(async move { plan(project, arguments).await.map_err(|error| reply(Err(error))) })
}

async fn plan(project: &Project, arguments: &Map<String, Value>) -> Result<Outgoing, DebugToolError> {
    let request = DocsRequest::read(&Arguments::new(arguments))?;
    let own = tokio::time::timeout(LIMIT, project.engine.ask(own_packages));
    let Ok(own) = own.await else {
        let why = too_late(&project.engine.status()).replacen("Error: ", "", 1);
        return Err(DebugToolError::new(ErrorCode::ToolTimeout, why));
    };
    let text = outgoing_query(request.query, &own?);
    if text.chars().count() < *QUERY_CHARS.start() {
        let message = format!(
            "nothing is left of the query without the project's own packages, paths, addresses and ids (\"{text}\"); use \
             words of the error's message, or the name of a library's class"
        );
        return Err(DebugToolError::new(ErrorCode::InvalidParameters, message));
    }
    let search = &project.docs_search;
    // A source that cannot be searched is sent nothing, so the user is not asked about it.
    let usable: Vec<DocsSource> =
        request.sources.iter().copied().filter(|source| search.lacks(*source).is_none()).collect();
    if usable.is_empty() {
        let lacks: Vec<String> = request.sources.iter().filter_map(|source| search.lacks(*source)).collect();
        return Err(DebugToolError::new(ErrorCode::ApiError, lacks.join("; ")));
    }
    let receivers =
        usable.iter().map(|source| format!("{} ({})", source.name(), search.hosts(*source).join(", ")));
    let sent_to = receivers.collect::<Vec<_>>().join(", ");
    Ok(Outgoing {
        shown: [("query", text.clone()), ("sent_to", sent_to)]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Value::String(value)))
            .collect(),
        text,
        receivers: usable.into_iter().map(receiver).collect(),
        covers: "a yes covers later searches of these sources over this connection; always: every later one",
    })
}

fn receiver(source: DocsSource) -> Map<String, Value> {
    [("source".to_owned(), Value::from(source.name()))].into_iter().collect()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DocsData<'a> {
    query: &'a str,
    results: Vec<DocsResult<'a>>,
    total_found: usize,
    /// Beyond the contract: which sources are missing, and why.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notices: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DocsResult<'a> {
    title: &'a str,
    url: &'a str,
    snippet: &'a str,
    source: &'static str,
    relevance_score: f64,
}

async fn search(call: &Call<'_>) -> DebugAnswer {
    let DocsRequest { query, sources, limit } = DocsRequest::read(&Arguments::new(&call.arguments))?;
    // What was not shown to the user is not sent.
    let Some(outgoing) = &call.outgoing else {
        return Err(DebugToolError::new(ErrorCode::InternalError, "the query was not prepared".to_owned()));
    };
    let project = call.project;
    let approved = |source: &DocsSource| outgoing.receivers.contains(&receiver(*source));
    let (asked, left_out): (Vec<DocsSource>, Vec<DocsSource>) = sources.into_iter().partition(approved);
    let found = project.docs_search.search(&outgoing.text, &asked, limit, PATIENCE).await.map_err(failed)?;
    let mut notices = found.notices;
    notices.extend(left_out.into_iter().filter_map(|source| project.docs_search.lacks(source)));
    if found.hits.is_empty() {
        let mut message = format!("No page was found for \"{}\"", outgoing.text);
        if !notices.is_empty() {
            message = format!("{message}; {}", notices.join("; "));
        }
        return Err(DebugToolError::new(ErrorCode::NoResults, message));
    }
    data(&DocsData {
        query,
        results: found.hits.iter().map(result).collect(),
        total_found: found.total,
        notices: &notices,
    })
}

fn result(hit: &DocsHit) -> DocsResult<'_> {
    DocsResult {
        title: &hit.title,
        url: &hit.url,
        snippet: &hit.snippet,
        source: hit.source.name(),
        relevance_score: hit.relevance,
    }
}

fn failed(error: DocsSearchError) -> DebugToolError {
    let code = match error {
        DocsSearchError::RateLimited(_) => ErrorCode::RateLimitExceeded,
        DocsSearchError::Failed(_) => ErrorCode::ApiError,
    };
    DebugToolError::new(code, error.to_string())
}
