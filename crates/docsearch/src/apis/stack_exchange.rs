//! Stack Exchange API 2.3, `/search/excerpts`.
//! Source: <https://api.stackexchange.com/docs/excerpt-search>, <https://api.stackexchange.com/docs/wrapper>.

use serde_json::Value;

use super::{ApiQuery, FoundPage, Pages, text_at};
use crate::HITS;
use crate::snippet::of_html;
use symd_config::settings::DocsApi;

pub(super) const URL: &str = "https://api.stackexchange.com/2.3";

pub(super) fn query(settings: &DocsApi, query: &str) -> ApiQuery {
    let site = settings.engine.as_deref().unwrap_or("stackoverflow");
    let mut parameters = vec![
        ("order", "desc".to_owned()),
        ("sort", "relevance".to_owned()),
        ("q", query.to_owned()),
        ("site", site.to_owned()),
        ("pagesize", HITS.to_string()),
    ];
    parameters.extend(settings.key.clone().map(|key| ("key", key)));
    ApiQuery { path: "/search/excerpts".to_owned(), parameters, headers: Vec::new() }
}

pub(super) fn pages(json: &Value) -> Option<Pages> {
    let items = json["items"].as_array()?;
    let total = super::count_at(json, "/total");
    Some(Pages { list: items.iter().filter_map(page).collect(), total })
}

fn page(item: &Value) -> Option<FoundPage> {
    let number = |name: &str| item[name].as_u64();
    let url = match (item["item_type"].as_str(), number("answer_id")) {
        (Some("answer"), Some(answer)) => format!("https://stackoverflow.com/a/{answer}"),
        _ => format!("https://stackoverflow.com/questions/{}", number("question_id")?),
    };
    let flag = |name: &str| item[name].as_bool() == Some(true);
    Some(FoundPage {
        title: of_html(text_at(item, "/title")),
        url,
        text: of_html(text_at(item, "/excerpt")),
        is_settled: flag("has_accepted_answer") || flag("is_accepted"),
    })
}
