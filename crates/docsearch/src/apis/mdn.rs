//! MDN's search, `GET /api/v1/search`.
//! Source: the server's code, <https://github.com/mdn/rumba/blob/main/src/api/search.rs>.

use serde_json::Value;

use super::{ApiQuery, FoundPage, Pages, count_at, text_at};
use crate::HITS;
use crate::snippet::one_line;

pub(super) const URL: &str = "https://developer.mozilla.org";

pub(super) fn query(query: &str) -> ApiQuery {
    let parameters =
        vec![("q", query.to_owned()), ("locale", "en-US".to_owned()), ("size", HITS.to_string())];
    ApiQuery { path: "/api/v1/search".to_owned(), parameters, headers: Vec::new() }
}

pub(super) fn pages(json: &Value) -> Option<Pages> {
    let documents = json["documents"].as_array()?;
    let page = |document: &Value| FoundPage {
        title: one_line(text_at(document, "/title")),
        // The answer holds paths.
        url: format!("{URL}{}", text_at(document, "/mdn_url")),
        text: one_line(text_at(document, "/summary")),
        is_settled: true,
    };
    Some(Pages { list: documents.iter().map(page).collect(), total: count_at(json, "/metadata/total/value") })
}
