//! kotlin_debug's `vector_search_db`.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{DebugAnswer, in_time};
use super::envelope::{DebugToolError, ErrorCode, data};
use crate::Tool;
use crate::arguments::{ArgumentError, Arguments};
use symd_knowledge::{SimilarSolution, SolutionQuery, StoreError};
use symd_ops::Project;
use symd_ops::solutions::{FoundSolutions, Solutions};

const RESULTS: std::ops::RangeInclusive<i64> = 1..=10;
const DEFAULT_RESULTS: i64 = 5;
const DEFAULT_CONFIDENCE: f64 = 0.7;

pub(super) const VECTOR_SEARCH_DB: Tool = Tool::read_only(
    "vector_search_db",
    "Search past solutions",
    "Query ChromaDB for past RCA solutions similar to the current error.",
    schema,
    |call| {
        Box::pin(async move {
            in_time(call.project, search(call.project, &Arguments::new(&call.arguments))).await
        })
    },
)
.in_order(&["query", "language", "errorType", "minConfidence", "limit"]);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Error description or stack trace to search for"},
            "language": {"type": "string", "description": "Filter by programming language (e.g., \"typescript\", \"python\")"},
            "errorType": {"type": "string", "description": "Filter by error type (e.g., \"TypeError\", \"NullPointerException\")"},
            "minConfidence": {"type": "number", "minimum": 0, "maximum": 1, "default": DEFAULT_CONFIDENCE, "description": "Minimum confidence score for results"},
            "limit": {"type": "integer", "minimum": RESULTS.start(), "maximum": RESULTS.end(), "default": DEFAULT_RESULTS, "description": "Maximum number of results"}
        },
        "required": ["query"]
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SimilarData<'a> {
    query: &'a str,
    results: Vec<SolutionData<'a>>,
    total_found: usize,
    /// Beyond the contract: what happened to the store that the user must know.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notices: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SolutionData<'a> {
    id: &'a str,
    error_description: &'a str,
    root_cause: &'a str,
    solution: &'a str,
    language: &'a str,
    error_type: &'a str,
    confidence: f64,
    user_validated: bool,
    similarity: f64,
    metadata: SolutionMetadata<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SolutionMetadata<'a> {
    created_at: &'a str,
    fixed_in: &'a str,
}

fn request(arguments: &Arguments<'_>) -> Result<SolutionQuery, ArgumentError> {
    let min_confidence = arguments.number_or("minConfidence", DEFAULT_CONFIDENCE)?;
    if !(0.0..=1.0).contains(&min_confidence) {
        return Err(arguments.invalid("minConfidence", "a number from 0 to 1"));
    }
    let limit = arguments.integer_or("limit", DEFAULT_RESULTS)?;
    if !RESULTS.contains(&limit) {
        let expected = format!("an integer from {} to {}", RESULTS.start(), RESULTS.end());
        return Err(arguments.invalid("limit", &expected));
    }
    Ok(SolutionQuery {
        text: arguments.string("query")?.to_owned(),
        language: arguments.string_if("language")?.map(str::to_owned),
        error_type: arguments.string_if("errorType")?.map(str::to_owned),
        min_confidence,
        limit: usize::try_from(limit).unwrap_or(1),
        until: Solutions::deadline(),
    })
}

async fn search(project: &Project, arguments: &Arguments<'_>) -> DebugAnswer {
    let query = request(arguments)?;
    let text = arguments.string("query")?;
    let FoundSolutions { similar: found, notices } =
        project.solutions.find_similar(query).await.map_err(failed)?;
    if found.list.is_empty() {
        let message = match notices.is_empty() {
            true => "No past solution is similar to this error".to_owned(),
            false => format!("No past solution is similar to this error; {}", notices.join("; ")),
        };
        return Err(DebugToolError::new(ErrorCode::NoResults, message));
    }
    data(&SimilarData {
        query: text,
        results: found.list.iter().map(solution_data).collect(),
        total_found: found.total,
        notices: &notices,
    })
}

fn solution_data(one: &SimilarSolution) -> SolutionData<'_> {
    let solution = &one.solution;
    SolutionData {
        id: &solution.id,
        error_description: &solution.error_description,
        root_cause: &solution.root_cause,
        solution: &solution.solution,
        language: &solution.language,
        error_type: &solution.error_type,
        confidence: solution.confidence,
        user_validated: solution.user_validated,
        similarity: (one.similarity * 10_000.0).round() / 10_000.0,
        metadata: SolutionMetadata { created_at: &solution.created_at, fixed_in: &solution.fixed_in },
    }
}

fn failed(error: StoreError) -> DebugToolError {
    let code = match error {
        StoreError::Embed(_) => ErrorCode::EmbeddingFailed,
        StoreError::Late { .. } => ErrorCode::ToolTimeout,
        StoreError::NoCollection { .. } => ErrorCode::CollectionNotFound,
        StoreError::Service { .. } => ErrorCode::ApiError,
        StoreError::Unavailable { .. } | StoreError::Unknown(_) | StoreError::Invalid(_) => {
            ErrorCode::DbConnectionFailed
        }
    };
    DebugToolError::new(code, error.to_string())
}
