//! The documentation of Android, through a Programmable Search Engine of the user's: the Custom Search JSON API.
//! Source: <https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list>.

use serde_json::Value;

use super::{ApiQuery, FoundPage, Pages, text_at};
use crate::HITS;
use crate::snippet::one_line;
use symd_config::settings::DocsApi;

pub(super) const URL: &str = "https://www.googleapis.com";

pub(super) fn lacks(settings: &DocsApi) -> Option<String> {
    (settings.key.is_none() || settings.engine.is_none()).then(|| {
        "android: developer.android.com has no search of its own for programs; put a key of the Custom Search JSON API \
         and a search engine's id into config.toml: [docs_search.android] key = \"…\", engine = \"…\""
            .to_owned()
    })
}

pub(super) fn query(settings: &DocsApi, query: &str) -> ApiQuery {
    let parameters = vec![
        ("q", query.to_owned()),
        ("num", HITS.to_string()),
        ("siteSearch", "developer.android.com".to_owned()),
        ("cx", settings.engine.clone().unwrap_or_default()),
        ("key", settings.key.clone().unwrap_or_default()),
    ];
    ApiQuery { path: "/customsearch/v1".to_owned(), parameters, headers: Vec::new() }
}

pub(super) fn pages(json: &Value) -> Option<Pages> {
    let total: Option<usize> = text_at(json, "/searchInformation/totalResults").parse().ok();
    let Some(items) = json["items"].as_array() else {
        // An answer without hits has no items.
        return total.map(|total| Pages { list: Vec::new(), total: Some(total) });
    };
    let page = |item: &Value| FoundPage {
        title: one_line(text_at(item, "/title")),
        url: text_at(item, "/link").to_owned(),
        text: one_line(text_at(item, "/snippet")),
        is_settled: true,
    };
    Some(Pages { list: items.iter().map(page).collect(), total })
}
