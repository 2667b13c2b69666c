//! GitHub's REST API, `GET /search/issues`.
//! Source: <https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests>.

use serde_json::Value;

use super::{ApiQuery, FoundPage, Pages, count_at, text_at};
use crate::HITS;
use crate::snippet::{of_markdown, one_line};
use symd_config::settings::DocsApi;

pub(super) const URL: &str = "https://api.github.com";

pub(super) fn query(settings: &DocsApi, query: &str) -> ApiQuery {
    let mut headers = vec![
        ("accept", "application/vnd.github+json".to_owned()),
        ("x-github-api-version", "2022-11-28".to_owned()),
    ];
    headers.extend(settings.key.as_ref().map(|key| ("authorization", format!("Bearer {key}"))));
    // The API refuses a query that says neither of issues nor of pull requests.
    let parameters = vec![("q", format!("{query} is:issue")), ("per_page", HITS.to_string())];
    ApiQuery { path: "/search/issues".to_owned(), parameters, headers }
}

pub(super) fn pages(json: &Value) -> Option<Pages> {
    let items = json["items"].as_array()?;
    let page = |item: &Value| FoundPage {
        title: one_line(text_at(item, "/title")),
        url: text_at(item, "/html_url").to_owned(),
        text: of_markdown(text_at(item, "/body")),
        is_settled: item["state"] == "closed",
    };
    Some(Pages { list: items.iter().map(page).collect(), total: count_at(json, "/total_count") })
}
