//! Searches a server on this machine, which answers as the public documentation of the APIs says; each answer names
//! its source.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use symd_base::{Timestamp, state};
use symd_config::settings::{DocsApi, DocsSearchSettings};

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

/// <https://api.stackexchange.com/docs/excerpt-search>: the wrapper, a question and an answer.
const STACK_EXCHANGE: &str = r#"{"items":[
 {"tags":["android","kotlin"],"question_score":31,"is_accepted":false,"has_accepted_answer":true,"answer_count":2,
  "is_answered":true,"question_id":12345,"item_type":"question","score":31,"last_activity_date":1702000000,
  "creation_date":1600000000,"body":"...","excerpt":"The <span class=\"highlight\">lateinit</span> property is read &#39;early&#39;&hellip;",
  "title":"lateinit property has not been initialized in Fragment &amp; Activity"},
 {"tags":["java"],"question_score":1,"is_accepted":false,"answer_id":777,"question_id":9,"item_type":"answer","score":0,
  "creation_date":1,"excerpt":"unrelated","title":"Tabs"}
],"has_more":true,"backoff":30,"quota_max":300,"quota_remaining":298}"#;

/// <https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests>
const GITHUB: &str = r###"{"total_count":42,"incomplete_results":false,"items":[
 {"url":"https://api.github.com/repos/a/b/issues/132","html_url":"https://github.com/a/b/issues/132","id":35802,
  "number":132,"title":"lateinit property crashes","user":{"login":"x","id":1},"labels":[],"state":"closed",
  "comments":15,"body":"<!-- template -->\r\n## Steps\r\nRead the lateinit property before it is initialized.","score":1.0},
 {"html_url":"javascript:alert(1)","title":"no link","state":"open","body":null,"score":0.5}]}"###;

/// <https://github.com/mdn/rumba/blob/main/src/api/search.rs>
const MDN: &str = r#"{"documents":[{"mdn_url":"/en-US/docs/Web/API/Fetch_API","score":45.2,"title":"Fetch API",
 "locale":"en-us","slug":"web/api/fetch_api","popularity":0.01,"summary":"The Fetch API provides\n an interface.",
 "highlight":{"body":["The <mark>Fetch</mark> API"],"title":[]}}],
 "metadata":{"took_ms":5,"size":10,"page":1,"total":{"value":1,"relation":"eq"}},"suggestions":[]}"#;

/// <https://www.algolia.com/doc/rest-api/search/#search-an-index-get>
const ALGOLIA: &str = r#"{"hits":[{"objectID":"1","mainTitle":"Properties","pageTitle":"Late-initialized properties",
 "url":"/docs/properties.html#late","_snippetResult":{"content":{"value":"Use <em>lateinit</em> \u2026","matchLevel":"full"}}}],
 "nbHits":3,"page":0,"nbPages":1,"hitsPerPage":10,"processingTimeMS":1,"query":"lateinit"}"#;

/// <https://developers.google.com/custom-search/v1/reference/rest/v1/Search>
const GOOGLE: &str = r#"{"kind":"customsearch#search","searchInformation":{"searchTime":0.2,"totalResults":"1"},
 "items":[{"kind":"customsearch#result","title":"Fragments | Android Developers","link":"https://developer.android.com/guide/fragments",
 "snippet":"A Fragment is \na lateinit thing","displayLink":"developer.android.com"}]}"#;

/// A gzip stream of a whole answer of Stack Exchange.
const GZIPPED: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\xca\x2c\x49\xcd\x2d\x56\xb2\x8a\x8e\xd5\x51\xca\
    \x48\x2c\x8e\xcf\xcd\x2f\x4a\x55\xb2\x4a\x4b\xcc\x29\x4e\xd5\x51\x2a\x2c\xcd\x2f\x49\x8c\xcf\x4d\
    \xac\x50\xb2\x32\x36\x30\x80\xf1\x8b\x52\x73\x13\x33\xf3\x32\xf3\xd2\x95\xac\x8c\x2c\x2d\x6b\x01\
    \x79\x1a\x84\x4d\x43\x00\x00\x00";

/// The answer to a request: status line, headers and body.
type Answer = (String, Vec<u8>);

struct Server {
    address: SocketAddr,
    /// The heads of all requests, in lower case.
    heads: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl Server {
    fn new(answer: impl Fn(&str) -> Answer + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("has one");
        let (heads, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, over) = (Arc::clone(&heads), Arc::clone(&is_over));
        let serving = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.expect("accepted");
                let mut head = String::new();
                for line in BufReader::new(&stream).lines() {
                    let line = line.expect("a line");
                    if line.is_empty() {
                        break;
                    }
                    head.push_str(&line);
                    head.push('\n');
                }
                kept.lock().expect("kept").push(head.to_lowercase());
                let (start, body) = answer(&head);
                let head = format!(
                    "HTTP/1.1 {start}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            }
        });
        Server { address, heads, is_over, serving: Some(serving) }
    }

    fn requests(&self) -> Vec<String> {
        self.heads.lock().expect("kept").clone()
    }

    /// Settings that send everything to this server.
    fn settings(&self) -> DocsSearchSettings {
        let api = |key: Option<&str>, engine: Option<&str>| DocsApi {
            url: Some(format!("http://{}/", self.address)),
            key: key.map(str::to_owned),
            engine: engine.map(str::to_owned),
        };
        DocsSearchSettings {
            stackoverflow: api(Some("sekey"), None),
            github: api(Some("ghtoken"), None),
            mdn: api(None, None),
            kotlin: api(Some("alkey"), Some("APP/idx")),
            android: api(Some("gkey"), Some("cx1")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        let _ = self.serving.take().map(JoinHandle::join);
    }
}

fn json(body: &str) -> Answer {
    ("200 OK\r\nContent-Type: application/json".to_owned(), body.as_bytes().to_vec())
}

fn all_apis(head: &str) -> Answer {
    let path = head.split(' ').nth(1).unwrap_or_default();
    match path.split('?').next().unwrap_or_default() {
        "/search/excerpts" => json(STACK_EXCHANGE),
        "/search/issues" => json(GITHUB),
        "/api/v1/search" => json(MDN),
        "/1/indexes/idx" => json(ALGOLIA),
        "/customsearch/v1" => json(GOOGLE),
        other => panic!("{other}"),
    }
}

struct Stage {
    server: Server,
    scratch: tempfile::TempDir,
}

impl Stage {
    fn new(answer: impl Fn(&str) -> Answer + Send + 'static) -> Stage {
        Stage { server: Server::new(answer), scratch: tempfile::tempdir().expect("a folder") }
    }

    async fn search(&self, query: &str, sources: &[DocsSource]) -> Result<DocsFound, DocsSearchError> {
        let search = DocsSearch::new(&self.server.settings(), self.scratch.path());
        search.search(query, sources, 10, PATIENCE).await
    }

    async fn github(&self) -> Result<DocsFound, DocsSearchError> {
        self.search("lateinit property", &[DocsSource::Github]).await
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.scratch.path().join("docs-search")).expect("listed");
        entries.map(|entry| entry.expect("read").path()).collect()
    }

    /// Makes the cached answers older.
    fn age(&self, seconds: u64) {
        for file in self.files() {
            if let Some(mut answer) = CachedAnswer::read(&file) {
                answer.time = Timestamp::now().seconds() - seconds;
                state::replace_file(&file, &[&serde_json::to_vec(&answer).expect("JSON")]).expect("written");
            }
        }
    }
}

fn failed(result: Result<DocsFound, DocsSearchError>) -> String {
    match result {
        Err(DocsSearchError::Failed(why)) => why,
        other => panic!("{other:?}"),
    }
}

fn limited(result: Result<DocsFound, DocsSearchError>) -> String {
    match result {
        Err(DocsSearchError::RateLimited(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_api_is_asked_and_read_as_its_documentation_says() {
    let stage = Stage::new(all_apis);
    let found = stage.search("lateinit property", &DocsSource::ALL).await.expect("found");
    let shown: Vec<(&str, &str, &str)> =
        found.hits.iter().map(|hit| (hit.url.as_str(), hit.title.as_str(), hit.snippet.as_str())).collect();
    assert_eq!(
        shown,
        [
            (
                "https://stackoverflow.com/questions/12345",
                "lateinit property has not been initialized in Fragment & Activity",
                "The lateinit property is read 'early'…"
            ),
            (
                "https://github.com/a/b/issues/132",
                "lateinit property crashes",
                "Steps Read the lateinit property before it is initialized."
            ),
            ("https://kotlinlang.org/docs/properties.html#late", "Properties", "Use lateinit …"),
            (
                "https://developer.android.com/guide/fragments",
                "Fragments | Android Developers",
                "A Fragment is a lateinit thing"
            ),
            (
                "https://developer.mozilla.org/en-US/docs/Web/API/Fetch_API",
                "Fetch API",
                "The Fetch API provides an interface."
            ),
            ("https://stackoverflow.com/a/777", "Tabs", "unrelated"),
        ]
    );
    assert!(found.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.relevance)));
    // The totals that the APIs name: 2, 42, 3, 1 and 1.
    assert_eq!((found.total, found.notices.len()), (49, 0));
    let requests = stage.server.requests();
    let has = |start: &str, parts: &[&str]| {
        let request =
            requests.iter().find(|head| head.starts_with(start)).unwrap_or_else(|| panic!("{requests:?}"));
        parts.iter().for_each(|part| assert!(request.contains(part), "{part} in {request}"));
    };
    has(
        "get /search/excerpts?",
        &["q=lateinit+property&", "site=stackoverflow", "sort=relevance", "key=sekey"],
    );
    has(
        "get /search/issues?",
        &[
            "q=lateinit+property+is%3aissue&",
            "\nauthorization: bearer ghtoken\n",
            "\naccept: application/vnd.github+json\n",
            "\nx-github-api-version: 2022-11-28\n",
        ],
    );
    has("get /api/v1/search?", &["q=lateinit+property&locale=en-us", "\naccept: application/json\n"]);
    has("get /1/indexes/idx?", &["\nx-algolia-api-key: alkey\n", "\nx-algolia-application-id: app\n"]);
    has("get /customsearch/v1?", &["cx=cx1&key=gkey", "sitesearch=developer.android.com"]);
    // A second search sends nothing, and no key is on the disk.
    let again = stage.search("lateinit property", &DocsSource::ALL).await.expect("found");
    assert_eq!((again, stage.server.requests().len()), (found, 5));
    for file in stage.files() {
        let bytes = state::read_file(&file).expect("read").expect("there");
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(["sekey", "ghtoken", "alkey", "gkey"].iter().all(|key| !text.contains(key)), "{text}");
    }
}

#[tokio::test]
async fn a_limit_holds_until_its_time() {
    // RFC 6585 4 and RFC 9110 10.2.3.
    let stage =
        Stage::new(|_| ("429 Too Many Requests\r\nRetry-After: 3600".to_owned(), b"slow down".to_vec()));
    let why = limited(stage.github().await);
    assert_eq!(why, "github allows no more requests now; it can be asked again in 60 min");
    let why = limited(stage.github().await);
    assert!(why.starts_with("github asked to be left alone; symd asks it again in "), "{why}");
    assert_eq!(stage.server.requests().len(), 1, "the second question was not sent");
    // <https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api>
    let reset = Timestamp::now().seconds() + 90;
    let stage = Stage::new(move |_| {
        let head = format!("403 Forbidden\r\nx-ratelimit-remaining: 0\r\nx-ratelimit-reset: {reset}");
        (head, br#"{"message":"API rate limit exceeded for 1.2.3.4."}"#.to_vec())
    });
    assert!(limited(stage.github().await).contains("API rate limit exceeded"));
    limited(stage.github().await);
    assert_eq!(stage.server.requests().len(), 1);
    // <https://api.stackexchange.com/docs/error-handling>: `throttle_violation` has HTTP's status 400.
    let stage = Stage::new(|_| {
        let body = r#"{"error_id":502,"error_message":"too many requests from this IP, more requests available in 82216 seconds","error_name":"throttle_violation"}"#;
        ("400 Bad Request\r\nContent-Type: application/json".to_owned(), body.as_bytes().to_vec())
    });
    let why = limited(stage.search("lateinit", &[DocsSource::StackOverflow]).await);
    assert!(why.ends_with("it can be asked again in 23 h"), "{why}");
}

#[tokio::test]
async fn a_pause_that_an_answer_asks_for_is_kept() {
    let stage = Stage::new(all_apis);
    let sources = [DocsSource::StackOverflow];
    stage.search("lateinit", &sources).await.expect("found");
    // The same question is answered from the cache, another one waits for the 30 s of `backoff`.
    stage.search("lateinit", &sources).await.expect("found");
    limited(stage.search("another", &sources).await);
    assert_eq!(stage.server.requests().len(), 1);
}

#[tokio::test]
async fn what_is_no_answer_is_said() {
    let cases: [(&str, &[u8], &str); 5] = [
        ("500 Oops\r\nContent-Type: text/html", b"<h1>Oops</h1>", "github answered HTTP 500"),
        (
            "200 OK\r\nContent-Type: text/html; charset=x",
            b"<h1>Log in</h1>",
            "github sent no JSON but text/html; is a proxy or a login page in between?",
        ),
        (
            "200 OK\r\nContent-Type: application/json",
            b"[1]",
            "github answered in a form that symd does not know; check docs_search.github.url",
        ),
        (
            "401 No",
            br#"{"message":"Bad credentials"}"#,
            "github answered HTTP 401 (Bad credentials); check docs_search.github.key",
        ),
        (
            "302 Found\r\nLocation: http://127.0.0.1:1/",
            b"",
            "github answered HTTP 302, a redirect, which is not followed; correct docs_search.github.url",
        ),
    ];
    for (head, body, expected) in cases {
        let stage = Stage::new(move |_| (head.to_owned(), body.to_vec()));
        assert_eq!(failed(stage.github().await), expected);
    }
    let cut = &GZIPPED[..GZIPPED.len() / 2];
    let stage = Stage::new(move |_| ("200 OK\r\nContent-Encoding: gzip".to_owned(), cut.to_vec()));
    let why = failed(stage.github().await);
    assert!(why.starts_with("github: "), "{why}");
    // The whole stream is read.
    let stage = Stage::new(move |_| ("200 OK\r\nContent-Encoding: gzip".to_owned(), GZIPPED.to_vec()));
    assert_eq!(stage.github().await.expect("read").hits, []);
}

#[tokio::test]
async fn an_old_answer_is_asked_about_with_its_validators() {
    let stage = Stage::new(|head| match head.to_lowercase().contains("if-none-match: \"v1\"") {
        true => ("304 Not Modified\r\nETag: \"v1\"".to_owned(), Vec::new()),
        false => (
            "200 OK\r\nETag: \"v1\"\r\nLast-Modified: Wed, 21 Oct 2015 07:28:00 GMT".to_owned(),
            GITHUB.as_bytes().to_vec(),
        ),
    });
    let first = stage.github().await.expect("found");
    stage.age(7_200);
    assert_eq!(stage.github().await.expect("found"), first);
    let requests = stage.server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].contains("if-modified-since: wed, 21 oct 2015 07:28:00 gmt"), "{}", requests[1]);
    // Valid again: the third question is not sent.
    assert_eq!(stage.github().await.expect("found"), first);
    assert_eq!(stage.server.requests().len(), 2);
}

#[tokio::test]
async fn an_old_answer_is_better_than_none() {
    let fails = Arc::new(AtomicBool::new(false));
    let failing = Arc::clone(&fails);
    let stage = Stage::new(move |_| match failing.load(Ordering::SeqCst) {
        true => ("503 Busy\r\nRetry-After: 5".to_owned(), Vec::new()),
        false => json(GITHUB),
    });
    let first = stage.github().await.expect("found");
    fails.store(true, Ordering::SeqCst);
    stage.age(7_200);
    let old = stage.github().await.expect("found");
    assert_eq!(old.hits, first.hits);
    assert_eq!(old.notices, ["github answered HTTP 503; what github found 2 h ago is given"]);
    // A source that failed is left out if another one answers.
    let both = Stage::new(|head| match head.contains("/search/issues") {
        true => ("500 Oops".to_owned(), Vec::new()),
        false => json(MDN),
    });
    let found = both.search("fetch api", &[DocsSource::Github, DocsSource::Mdn]).await.expect("found");
    assert_eq!((found.hits.len(), found.notices), (1, vec!["github answered HTTP 500".to_owned()]));
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let url = Some(format!("http://{}", listener.local_addr().expect("has one")));
    let settings =
        DocsSearchSettings { github: DocsApi { url, ..DocsApi::default() }, ..DocsSearchSettings::default() };
    let scratch = tempfile::tempdir().expect("a folder");
    let search = DocsSearch::new(&settings, scratch.path());
    let asked = search.search("fetch", &[DocsSource::Github], 5, Duration::from_millis(50)).await;
    assert_eq!(failed(asked), "github did not answer within 50 ms");
}

#[tokio::test]
async fn a_source_without_its_settings_says_what_it_lacks() {
    let scratch = tempfile::tempdir().expect("a folder");
    let search = DocsSearch::new(&DocsSearchSettings::default(), scratch.path());
    let lacks = search.lacks(DocsSource::Docs).expect("no keys");
    assert!(lacks.contains("[docs_search.kotlin]") && lacks.contains("[docs_search.android]"), "{lacks}");
    assert_eq!(
        (search.lacks(DocsSource::Github), search.hosts(DocsSource::Github)),
        (None, vec!["api.github.com".to_owned()])
    );
    assert_eq!(failed(search.search("fetch", &[DocsSource::Docs], 5, PATIENCE).await), lacks);
    assert!(search.hosts(DocsSource::Docs).is_empty());
}
