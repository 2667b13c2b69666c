//! kotlin_debug's `find_callers_of_function`.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::answer::{DebugAnswer, in_time, not_located};
use super::envelope::{DebugToolError, ErrorCode, data};
use crate::arguments::{ArgumentError, Arguments};
use crate::{Call, ReplyFuture, Tool};
use symd_files::tree::LocateError;
use symd_lsp::ServerError;
use symd_ops::Project;
use symd_ops::question::{QuestionError, Source};
use symd_ops::relations::{CallChain, CallChainError, CallChains, FindCallChains, call_chains};

/// How long language servers are waited for: the rest of the two seconds belongs to syntax.
const FOR_SERVERS: Duration = Duration::from_millis(1_000);

/// When no further functions are followed.
const FOR_SEARCH: Duration = Duration::from_millis(1_600);

const DEPTHS: std::ops::RangeInclusive<i64> = 1..=5;
const DEFAULT_DEPTH: i64 = 2;

pub(super) const FIND_CALLERS_OF_FUNCTION: Tool = Tool::read_only(
    "find_callers_of_function",
    "Find callers of function",
    "Use VS Code LSP to find all functions/methods that call the specified function. Useful for tracing error \
     propagation.",
    schema,
    run,
)
.in_order(&["functionName", "filePath", "maxDepth"]);

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "functionName": {"type": "string", "description": "Name of the function to find callers for"},
            "filePath": {"type": "string", "description": "File where function is defined"},
            "maxDepth": {"type": "integer", "minimum": DEPTHS.start(), "maximum": DEPTHS.end(), "default": DEFAULT_DEPTH, "description": "Maximum call chain depth to traverse"}
        },
        "required": ["functionName", "filePath"]
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallersData<'a> {
    function_name: &'a str,
    file_path: &'a str,
    callers: Vec<CallerData<'a>>,
    total_callers: usize,
    /// `semantic` or `syntactic`: an addition to the contract.
    resolution: &'static str,
    /// Why callers may be missing: an addition to the contract, only where some may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallerData<'a> {
    caller_name: &'a str,
    file_path: &'a str,
    line: u32,
    call_chain: &'a [String],
    depth: usize,
    /// The further lines on which the direct caller calls the function: an addition to the contract.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_lines: Vec<u32>,
    /// `true` where a call of the chain may mean another function: an addition to the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncertain: Option<bool>,
}

fn request<'a>(arguments: &Arguments<'a>) -> Result<(&'a str, FindCallChains), ArgumentError> {
    let function = arguments.string("functionName")?;
    if function.trim().is_empty() {
        return Err(arguments.invalid("functionName", "the name of a function"));
    }
    let path = arguments.string("filePath")?.to_owned();
    let depth = arguments.integer_or("maxDepth", DEFAULT_DEPTH)?;
    if !DEPTHS.contains(&depth) {
        let expected = format!("an integer from {} to {}", DEPTHS.start(), DEPTHS.end());
        return Err(arguments.invalid("maxDepth", &expected));
    }
    let now = Instant::now();
    let ask = FindCallChains {
        function: function.to_owned(),
        path,
        depth: usize::try_from(depth).unwrap_or(1),
        servers_until: now + FOR_SERVERS,
        until: now + FOR_SEARCH,
    };
    Ok((function, ask))
}

fn run(call: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async move {
        in_time(call.project, find_callers(call.project, &Arguments::new(&call.arguments))).await
    })
}

async fn find_callers(project: &Project, arguments: &Arguments<'_>) -> DebugAnswer {
    let (function_name, ask) = request(arguments)?;
    let found = call_chains(project, &ask).await.map_err(|error| failed(&ask.path, error))?;
    let CallChains { path, chains, source, gaps } = found;
    let resolution = match source {
        Source::Server(_) => "semantic",
        Source::Syntax(_) => "syntactic",
    };
    data(&CallersData {
        function_name,
        file_path: path.as_str(),
        callers: chains.iter().map(caller_data).collect(),
        total_callers: chains.len(),
        resolution,
        incomplete: (!gaps.is_empty()).then(|| gaps.join("; ")),
    })
}

fn caller_data(chain: &CallChain) -> CallerData<'_> {
    let depth = chain.functions.len() - 1;
    CallerData {
        caller_name: &chain.functions[depth - 1],
        file_path: chain.path.as_str(),
        line: chain.lines.first().map_or(1, |line| line + 1),
        call_chain: &chain.functions,
        depth,
        other_lines: chain.lines.iter().skip(1).map(|line| line + 1).collect(),
        uncertain: (!chain.is_likely).then_some(true),
    }
}

fn failed(path: &str, error: CallChainError) -> DebugToolError {
    match error {
        // The contract's only code for a function that is not there, whatever the reason.
        CallChainError::Path(LocateError::Missing(_)) => {
            let message = format!("File '{path}' does not exist in workspace");
            DebugToolError::new(ErrorCode::FunctionNotFound, message)
        }
        CallChainError::Path(error) => not_located(path, error),
        CallChainError::NoSymbols(path) => {
            let message = format!("'{path}' has no functions that symd can read");
            DebugToolError::new(ErrorCode::FunctionNotFound, message)
        }
        CallChainError::NoServer(why) => DebugToolError::new(ErrorCode::LspUnavailable, why.to_string()),
        CallChainError::TimedOut(why) => DebugToolError::new(ErrorCode::Timeout, why),
        CallChainError::NoFunction { function, path, declared } => {
            let message = format!("Function '{function}' not found in '{path}'{}", alternatives(declared));
            DebugToolError::new(ErrorCode::FunctionNotFound, message)
        }
        CallChainError::Question(error) => question_failed(error),
    }
}

/// Converts the reason for a missing answer.
pub(super) fn question_failed(error: QuestionError) -> DebugToolError {
    match error {
        QuestionError::Engine(error) => error.into(),
        QuestionError::NoAnswer(why @ ServerError::NotReady { .. }) => {
            DebugToolError::new(ErrorCode::Timeout, why.to_string())
        }
        QuestionError::NoAnswer(why) => DebugToolError::new(ErrorCode::LspUnavailable, why.to_string()),
        error @ QuestionError::Lacking => DebugToolError::new(ErrorCode::InternalError, error.to_string()),
        QuestionError::Cancelled(error) => DebugToolError::new(ErrorCode::ToolTimeout, error.to_string()),
        error @ (QuestionError::Target(_) | QuestionError::Place(_)) => {
            DebugToolError::new(ErrorCode::FunctionNotFound, error.to_string())
        }
    }
}

/// The maximum number of a file's functions that a message names.
const MAX_NAMED: usize = 8;

fn alternatives(mut declared: Vec<String>) -> String {
    let more = if declared.len() > MAX_NAMED { ", …" } else { "" };
    declared.truncate(MAX_NAMED);
    match declared.is_empty() {
        true => String::new(),
        false => format!("; it declares {}{more}", declared.join(", ")),
    }
}
