//! What Chroma answers to the requests that symd sends: `fixtures/chroma/v2.txt`, written by the real server. The server of
//! the other tests is held to it, and the real one, too, where it is there: `UPDATE_EXPECT=1` writes what it answers now.

use std::fmt::Write as _;

use expect_test::expect_file;
use serde_json::Value;

use crate::chroma_server::{TestChroma, exchange};

/// (method, path beneath the database, body); `{ID}` is the id of the collection that was made last.
const REQUESTS: &[(&str, &str, &str)] = &[
    ("GET", "/collections/rca_solutions", ""),
    ("POST", "/collections", r#"{"name":"rca_solutions"}"#),
    ("POST", "/collections", r#"{"name":"rca_solutions"}"#),
    // A collection that exists keeps its space.
    (
        "POST",
        "/collections",
        r#"{"name":"rca_solutions","get_or_create":true,"configuration":{"hnsw":{"space":"cosine"}}}"#,
    ),
    (
        "POST",
        "/collections",
        r#"{"name":"other","get_or_create":true,"configuration":{"hnsw":{"space":"cosine"}}}"#,
    ),
    ("PUT", "/collections/{ID}", r#"{"new_name":"rca_solutions"}"#),
    ("PUT", "/collections/{ID}", r#"{"new_name":"renamed"}"#),
    ("GET", "/collections/renamed", ""),
    (
        "POST",
        "/collections/{ID}/query",
        r#"{"query_embeddings":[[1,0,0]],"n_results":3,"include":["distances"]}"#,
    ),
    (
        "POST",
        "/collections/{ID}/upsert",
        r#"{"ids":["a","b","c"],"embeddings":[[1,0,0],[0.6,0.8,0],[0,0,0]],"documents":["first","second",null],
        "metadatas":[{"symd":1,"model":"x","language":"kotlin","confidence":0.8},{"symd":1,"model":"y","confidence":1},null]}"#,
    ),
    ("GET", "/collections/renamed", ""),
    ("GET", "/collections/{ID}/count", ""),
    (
        "POST",
        "/collections/{ID}/query",
        r#"{"query_embeddings":[[1,0,0]],"n_results":9,"include":["distances"]}"#,
    ),
    (
        "POST",
        "/collections/{ID}/query",
        r#"{"query_embeddings":[[1,0,0]],"n_results":9,"include":["distances"],
        "where":{"$and":[{"symd":1},{"model":"x"},{"confidence":{"$gte":0.7}}]}}"#,
    ),
    (
        "POST",
        "/collections/{ID}/query",
        r#"{"query_embeddings":[[1,0]],"n_results":9,"include":["distances"]}"#,
    ),
    (
        "POST",
        "/collections/{ID}/upsert",
        r#"{"ids":["d"],"embeddings":[[1,0]],"documents":[""],"metadatas":[null]}"#,
    ),
    ("POST", "/collections/{ID}/get", r#"{"include":[],"limit":2,"offset":0}"#),
    ("POST", "/collections/{ID}/get", r#"{"include":[],"limit":2,"offset":2}"#),
    (
        "POST",
        "/collections/{ID}/get",
        r#"{"include":[],"limit":9,"offset":0,"where":{"$and":[{"symd":1},{"model":{"$ne":"x"}}]}}"#,
    ),
    ("POST", "/collections/{ID}/get", r#"{"ids":["c","a","nobody"],"include":["documents","metadatas"]}"#),
    (
        "POST",
        "/collections/{ID}/update",
        r#"{"ids":["b","nobody"],"embeddings":[[0,1,0],[0,1,0]],"metadatas":[{"model":"x"},{"model":"x"}]}"#,
    ),
    ("POST", "/collections/{ID}/update", r#"{"ids":["a"],"metadatas":[{"userValidated":true}]}"#),
    ("POST", "/collections/{ID}/get", r#"{"include":["documents","metadatas","embeddings"]}"#),
    ("POST", "/collections/{ID}/delete", r#"{"ids":["b"]}"#),
    ("POST", "/collections/{ID}/delete", r#"{"ids":["nobody"]}"#),
    ("GET", "/collections/{ID}/count", ""),
    ("GET", "/collections/00000000-0000-0000-0000-000000000000/count", ""),
    (
        "POST",
        "/collections/00000000-0000-0000-0000-000000000000/get",
        r#"{"include":[],"limit":2,"offset":0}"#,
    ),
];

/// Returns the requests with their answers, ids and what symd does not read left out.
fn transcript(chroma: &TestChroma) -> String {
    let (mut text, mut id) = (String::new(), String::new());
    for (method, path, body) in REQUESTS {
        let (status, mut answer) = chroma.ask(method, &path.replace("{ID}", &id), body);
        if let Some(collection) =
            answer.as_object_mut().filter(|answer| answer.contains_key("configuration_json"))
        {
            id =
                collection.insert("id".to_owned(), Value::from("{ID}")).unwrap().as_str().unwrap().to_owned();
            for unread in ["schema", "log_position", "version"] {
                collection.remove(unread);
            }
        }
        let body: String = body.lines().map(str::trim_start).collect();
        let _ = writeln!(text, "{method} {path} {body}\n  {status} {answer}");
    }
    let (status, answer) = exchange(chroma.address(), "GET", "/api/v2/elsewhere", "");
    let _ = writeln!(text, "GET /api/v2/elsewhere\n  {status} {answer}");
    text
}

#[test]
fn the_server_of_the_tests_answers_as_recorded() {
    let recorded =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/chroma/v2.txt")).unwrap();
    is_as_recorded(&recorded, &transcript(&TestChroma::recorded()));
}

#[test]
fn the_real_server_answers_as_recorded() {
    let Some(chroma) = TestChroma::real() else { return };
    expect_file!["../../fixtures/chroma/v2.txt"].assert_eq(&transcript(&chroma));
}

fn is_as_recorded(recorded: &str, answered: &str) {
    for (recorded, answered) in recorded.lines().zip(answered.lines()) {
        assert_eq!(recorded, answered);
    }
    assert_eq!(recorded.lines().count(), answered.lines().count());
}
