//! cli_agent's `fetch_webpage`.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::{checked, invalid};
use super::envelope::{Code, Success, ToolError, reply};
use crate::arguments::Arguments;
use crate::{Annotations, ApprovalSource, Call, Reach, Reply, Risk, Tool};
use symd_fetch::{Approval, FetchError, FetchRequest, InvalidUrl, Page, PageContent, can_be_fetched, fetch};

/// The accepted timeouts of a page, in seconds.
const SECONDS: std::ops::RangeInclusive<i64> = 1..=60;
/// The default timeout, in seconds.
const USUAL_SECONDS: i64 = 10;

pub(super) const FETCH_WEBPAGE: Tool = Tool {
    annotations: Annotations { read_only: false, destructive: false, idempotent: true, open_world: true },
    risk: Risk::Dangerous,
    reach: Reach::BeyondProject,
    ..Tool::read_only(
        "fetch_webpage",
        "Fetch web page",
        "Fetch content from a web page. HTML comes as readable text, at most 1 MB is read. Addresses of this machine \
         or of private networks need the user's approval of the very URL. Words: web, url, http, download, docs.",
        schema,
        |call| Box::pin(async move { run(&call).await }),
    )
    .checked_by(|proposed| checked(FetchArgs::read(proposed.arguments)))
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "url": {"type": "string", "description": "URL to fetch (must be http or https)"},
            "timeout_seconds": {"type": "integer", "default": USUAL_SECONDS, "description": "Request timeout (default: 10)"}
        },
        "required": ["url"]
    })
}

#[derive(Serialize)]
struct Metadata<'a> {
    url: &'a str,
    status_code: u16,
    content_length: usize,
    content_type: &'a str,
    /// The URL after redirects, which the contract does not have; given only where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    final_url: Option<&'a str>,
}

/// The arguments of `fetch_webpage`.
struct FetchArgs<'a> {
    url: &'a str,
    time_limit: Duration,
}

impl<'a> FetchArgs<'a> {
    fn read(arguments: &'a Map<String, Value>) -> Result<FetchArgs<'a>, ToolError> {
        let arguments = Arguments::new(arguments);
        let url = arguments.string("url")?;
        let seconds = arguments.integer_or("timeout_seconds", USUAL_SECONDS)?;
        let time_limit =
            u64::try_from(seconds).ok().filter(|_| SECONDS.contains(&seconds)).ok_or_else(|| {
                let (least, most) = (SECONDS.start(), SECONDS.end());
                invalid(
                    format!(
                        "Invalid parameter 'timeout_seconds': must be between {least} and {most}, got: {}",
                        arguments.as_sent("timeout_seconds")
                    ),
                    "Give a timeout within these limits",
                )
            })?;
        let time_limit = Duration::from_secs(time_limit);
        can_be_fetched(url).map_err(|problem| failure(problem.into(), time_limit))?;
        Ok(FetchArgs { url, time_limit })
    }
}

async fn run(call: &Call<'_>) -> Reply {
    let started = Instant::now();
    let FetchArgs { url, time_limit } = match FetchArgs::read(&call.arguments) {
        Ok(fetching) => fetching,
        Err(error) => return reply(started, Err(error)),
    };
    let approval = match call.approved {
        ApprovalSource::ByUser => Approval::ThisUrl,
        ApprovalSource::ByRule | ApprovalSource::ByPolicy => Approval::ByRule,
    };
    let wanted = FetchRequest { url: url.to_owned(), time_limit, approval };
    match fetch(&wanted).await {
        Ok(page) => reply(started, Ok(fetched(url, &page))),
        // No connection has been made.
        Err(error @ FetchError::Private { .. }) => Reply::needs_user(error.to_string()),
        Err(error) => reply(started, Err(failure(error, time_limit))),
    }
}

fn fetched(url: &str, page: &Page) -> Success {
    let head = format!("Fetched content from {url} ({})", kilobytes(page.length));
    let success = match &page.content {
        PageContent::Text(text) => Success::new(format!("{head}\n{text}")),
        PageContent::Binary => Success::new(head).warning("Content is not text, nothing to display"),
    };
    let success = success.with(&Metadata {
        url,
        status_code: page.status,
        content_length: page.length,
        content_type: &page.media_type,
        final_url: page.redirected_to.as_deref(),
    });
    if page.is_cut { success.warning("Response too large (>1MB), truncating") } else { success }
}

fn failure(error: FetchError, time_limit: Duration) -> ToolError {
    let why = error.to_string();
    let network =
        |suggestion: &str| ToolError::new(Code::NetworkError, format!("Failed to fetch - {why}"), suggestion);
    match error {
        FetchError::Url(problem) => ToolError::new(
            Code::InvalidUrl,
            "Invalid URL format",
            match problem {
                InvalidUrl::Credentials => "Leave the user name and the password out of the URL",
                InvalidUrl::Malformed | InvalidUrl::Scheme(_) => {
                    "Use a complete URL that starts with http:// or https://"
                }
            },
        ),
        FetchError::TimedOut => {
            // As in run_in_terminal: the contract's examples repeat the given limit.
            ToolError::new(
                Code::Timeout,
                format!("Request timed out after {} seconds", time_limit.as_secs()),
                "Try again with a larger timeout_seconds (60 at most)",
            )
        }
        FetchError::RedirectToPrivate { .. } => ToolError::new(
            Code::ApprovalDenied,
            format!("Failed to fetch - {why}"),
            "Fetch that URL itself, with the user's approval",
        ),
        FetchError::Status(_) | FetchError::Redirects => network("Check the URL"),
        FetchError::Unresolved(_) => network("Check the host name and the network"),
        _ => network("Check the URL, or try again later"),
    }
}

/// Formats a size in KB of 1,024 bytes, with one decimal.
fn kilobytes(bytes: usize) -> String {
    let tenths = (bytes * 10 + 512) / 1024;
    format!("{}.{} KB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::kilobytes;

    #[test]
    fn sizes_have_one_decimal() {
        let cases = [(0, "0.0 KB"), (51, "0.0 KB"), (52, "0.1 KB"), (5324, "5.2 KB"), (1 << 20, "1024.0 KB")];
        for (bytes, text) in cases {
            assert_eq!(kilobytes(bytes), text);
        }
    }
}
