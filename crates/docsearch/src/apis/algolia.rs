//! The documentation of Kotlin: kotlinlang.org is searched with Algolia, `GET /1/indexes/{index}`.
//! Source: <https://www.algolia.com/doc/rest-api/search/#search-an-index-get>; the names of the site's application and
//! index are in <https://github.com/JetBrains/kotlin-web-site>. Its search-only key is the site's, not ours to ship.

use serde_json::Value;

use super::{ApiQuery, FoundPage, Pages, count_at, text_at};
use crate::HITS;
use crate::snippet::of_html;
use symd_config::settings::DocsApi;

pub(super) const URL: &str = "https://7961PKYRXV-dsn.algolia.net";

const APPLICATION: &str = "7961PKYRXV";
const INDEX: &str = "prod_KOTLINLANG_WEBHELP";

pub(super) fn lacks(settings: &DocsApi) -> Option<String> {
    settings.key.is_none().then(|| {
        "kotlin: the search of kotlinlang.org needs the search-only key that its pages send (x-algolia-api-key); put it \
         into config.toml: [docs_search.kotlin] key = \"…\""
            .to_owned()
    })
}

/// The engine is `application/index`.
pub(super) fn query(settings: &DocsApi, query: &str) -> ApiQuery {
    let engine = settings.engine.as_deref().and_then(|engine| engine.split_once('/'));
    let (application, index) = engine.unwrap_or((APPLICATION, INDEX));
    let headers = vec![
        ("x-algolia-application-id", application.to_owned()),
        ("x-algolia-api-key", settings.key.clone().unwrap_or_default()),
    ];
    let parameters = vec![("query", query.to_owned()), ("hitsPerPage", HITS.to_string())];
    ApiQuery { path: format!("/1/indexes/{index}"), parameters, headers }
}

pub(super) fn pages(json: &Value) -> Option<Pages> {
    let hits = json["hits"].as_array()?;
    Some(Pages { list: hits.iter().map(page).collect(), total: count_at(json, "/nbHits") })
}

fn page(hit: &Value) -> FoundPage {
    let first = |pointers: &[&str]| {
        let texts = pointers.iter().map(|pointer| text_at(hit, pointer));
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    };
    let address = text_at(hit, "/url");
    let url = match address.starts_with('/') {
        true => format!("https://kotlinlang.org{address}"),
        false => address.to_owned(),
    };
    FoundPage {
        title: of_html(first(&["/mainTitle", "/pageTitle", "/headings"])),
        url,
        text: of_html(first(&["/_snippetResult/content/value", "/content", "/description"])),
        is_settled: true,
    }
}
