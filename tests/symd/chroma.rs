//! A team's past solutions in Chroma. Each test runs against a server that answers as recorded, and against the real one where
//! `SYMD_TEST_CHROMA` names it.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::chroma_server::{RecordedChroma, TestChroma};
use crate::support::{User, write};

/// Tests of both servers.
macro_rules! on_both {
    ($($name:ident)*) => {
        mod recorded {
            use crate::chroma_server::TestChroma;
            $(#[test] fn $name() { super::$name(&mut TestChroma::recorded()); })*
        }
        mod real {
            use crate::chroma_server::TestChroma;
            $(#[test] fn $name() { if let Some(mut chroma) = TestChroma::real() { super::$name(&mut chroma); } })*
        }
    };
}

on_both! {
    nothing_is_sent_before_the_users_yes_and_no_secret_after_it
    they_are_found_shown_confirmed_exported_and_deleted
    solutions_of_two_machines_do_not_overwrite_each_other
    filters_come_first
    records_of_other_programs_are_left_alone
    a_collection_of_another_space_is_refused
    one_of_another_dimension_is_replaced_by_reembed
    vectors_of_another_model_are_not_compared
    without_the_collection_nothing_is_found_or_recorded
    a_server_that_is_down_and_comes_back
    what_this_machine_has_is_copied_when_the_user_wants_it
}

pub fn import(user: &User, lines: &str) -> Output {
    let mut command = user.symd();
    command.args(["solutions", "import"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a command of `symd solutions` that must work; returns what it says to the user.
fn talk(user: &User, arguments: &[&str]) -> String {
    let output = user.run(&[&["solutions"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    said(&output)
}

pub fn solution(description: &str) -> Value {
    json!({
        "errorDescription": description, "rootCause": "a cause", "solution": "a fix", "language": "kotlin",
        "errorType": "kotlin.IllegalStateException", "confidence": 0.9, "createdAt": "2026-11-01T00:00:00Z",
    })
}

/// Imports solutions with these descriptions.
fn keep(user: &User, descriptions: &[&str]) -> String {
    let lines: String =
        descriptions.iter().map(|description| format!("{}\n", solution(description))).collect();
    let output = import(user, &lines);
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

/// Returns a user who has said yes to the server.
fn connected(chroma: &TestChroma) -> User {
    let user = chroma.user();
    talk(&user, &["connect", "--yes"]);
    user
}

/// How often a search is repeated that a busy machine did not answer in the contract's two seconds.
const TRIES: usize = 20;

/// Returns the answer to a search.
pub fn search(user: &User, arguments: &Value) -> Value {
    searched_until(user, arguments, |answer| answer["error"]["code"] != "TOOL_TIMEOUT")
}

/// Returns the answer to a search that fails because the server does not answer; not that of a busy machine, which names none.
pub fn late_search(user: &User, arguments: &Value) -> Value {
    let is_of_the_machine = |answer: &Value| {
        answer["error"]["message"].as_str().is_some_and(|text| text.starts_with("no answer within 2 s"))
    };
    searched_until(user, arguments, |answer| !is_of_the_machine(answer))
}

fn searched_until(user: &User, arguments: &Value, is_told: impl Fn(&Value) -> bool) -> Value {
    let mut answer = Value::Null;
    for _ in 0..TRIES {
        answer = search_once(user, arguments);
        if is_told(&answer) {
            break;
        }
    }
    answer
}

fn search_once(user: &User, arguments: &Value) -> Value {
    let output = user.run(&["call", "--toolset", "kotlin_debug", "vector_search_db", &arguments.to_string()]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// Returns the descriptions of the solutions that are found.
fn found(user: &User, query: &str) -> Vec<String> {
    let answer = search(user, &json!({ "query": query }));
    let results = answer["data"]["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    results.iter().map(|one| one["errorDescription"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
pub fn is_error(answer: &Value, code: &str, parts: &[&str]) {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

fn nothing_is_sent_before_the_users_yes_and_no_secret_after_it(chroma: &mut TestChroma) {
    let user = chroma.user();
    let refused = search(&user, &json!({ "query": "no till" }));
    is_error(&refused, "DB_CONNECTION_FAILED", &["only with your yes; `symd solutions connect` asks for it"]);
    let refused = import(&user, &solution("no till").to_string());
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    let refused = user.fails(&["solutions", "connect"], 2);
    assert!(refused.contains("everyone who may use it reads them"), "{refused}");
    assert!(refused.contains("`symd solutions connect --yes` connects without asking"), "{refused}");
    assert_eq!(chroma.ask("GET", "/collections/rca_solutions", "").0, 404, "before the user's yes");

    let connected = talk(&user, &["connect", "--yes"]);
    let address = format!("http://{}", chroma.address());
    assert!(connected.contains(&format!("connected to {address}: 0 records")), "{connected}");
    assert!(!talk(&user, &["connect"]).contains("everyone"), "asked once");
    keep(&user, &["no till: password=hunter2 in /home/jo/x"]);
    let kept = chroma.records("rca_solutions").to_string();
    assert!(kept.contains("password=<secret> in ~/x"), "{kept}");
    assert!(!kept.contains("hunter2") && !kept.contains("/home/jo"), "{kept}");
    if let TestChroma::Recorded(server) = chroma {
        let calls = server.calls();
        // The first is this test's own.
        assert!(calls.iter().skip(1).filter(|call| !call.token.is_empty()).count() > 4, "{calls:?}");
        let is_known = |call: &crate::chroma_server::ChromaRequest| {
            call.token == "the-token" && call.authorization == "Bearer the-token"
        };
        assert!(calls.iter().filter(|call| !call.token.is_empty()).all(is_known), "{calls:?}");
        assert!(!calls.iter().any(|call| call.body.contains("hunter2")));
    }
    // A yes is of one server and database.
    write(&user.path("config/config.toml"), &format!("{}database = \"another\"\n", chroma.config()));
    assert!(user.fails(&["solutions"], 1).contains("only with your yes"));
}

fn they_are_found_shown_confirmed_exported_and_deleted(chroma: &mut TestChroma) {
    let user = connected(chroma);
    assert_eq!(user.check(&["solutions"], 0), "");
    keep(&user, &["no till in the shop", "socket timeout while the catalog is downloaded"]);
    let answer = search(&user, &json!({ "query": "the shop has no till" }));
    let first = &answer["data"]["results"][0];
    assert_eq!(first["errorDescription"], "no till in the shop", "{answer}");
    assert_eq!(answer["data"]["totalFound"], 1, "{answer}");
    let similarity = first["similarity"].as_f64().unwrap();
    assert!((0.2..1.0).contains(&similarity), "{answer}");
    let id = first["id"].as_str().unwrap();
    assert!(id.len() == "rca-".len() + 18, "{id}");

    let list = user.check(&["solutions", "list"], 0);
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(
        list.contains(&format!(
            "{id}\tkotlin\tkotlin.IllegalStateException: no till in the shop (confidence 0.9)\n"
        )),
        "{list}"
    );
    talk(&user, &["validate", id]);
    assert!(user.check(&["solutions", "show", id], 0).contains("confidence 0.9, confirmed by you)"));
    // Confirmed, it is found like before.
    assert_eq!(search(&user, &json!({ "query": "no till" }))["data"]["results"][0]["userValidated"], true);
    let exported = user.check(&["solutions", "export"], 0);
    talk(&user, &["delete", id]);
    assert!(user.fails(&["solutions", "show", id], 1).contains("there is no solution"));
    assert!(user.fails(&["solutions", "validate", id], 1).contains("there is no solution"));
    assert!(user.fails(&["solutions", "delete", id], 1).contains("there is no solution"));
    let again = said(&import(&user, &exported));
    assert_eq!(again.trim(), "2 solutions imported; 1 replaced an earlier copy");
    assert!(user.check(&["solutions", "show", id], 0).contains("confirmed by you"), "with its id");
    let foreign = exported.replace("no till", "of a colleague");
    assert!(said(&import(&user, &foreign)).contains("1 got a new id, because another solution has theirs"));
    assert_eq!(user.check(&["solutions", "export"], 0).lines().count(), 3);
}

fn solutions_of_two_machines_do_not_overwrite_each_other(chroma: &mut TestChroma) {
    let users = [connected(chroma), connected(chroma)];
    for (user, description) in users.iter().zip(["no till of ann", "no till of bob"]) {
        let mut one = solution(description);
        one["id"] = json!("rca-001");
        let talk = said(&import(user, &one.to_string()));
        assert!(talk.contains("1 solution imported") && talk.contains("longer ids here"), "{talk}");
        // The same again changes nothing.
        let talk = said(&import(user, &one.to_string()));
        assert!(talk.contains("1 replaced an earlier copy"), "{talk}");
    }
    for user in &users {
        let mut both = found(user, "no till");
        both.sort();
        assert_eq!(both, ["no till of ann", "no till of bob"]);
    }
    // An agent records.
    let of = |description: &str| {
        json!({
            "error_description": description, "root_cause": "a cause", "solution": "a fix", "language": "kotlin",
            "error_type": "IllegalStateException",
        })
    };
    users[0].settles("[policy]\nnative = \"allow\"\n");
    let output = users[0].run(&["call", "record_solution", &of("the printer burns").to_string()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("[recorded as rca-"), "{text}{}", said(&output));
    assert_eq!(found(&users[1], "printer burns"), ["the printer burns"]);
}

fn filters_come_first(chroma: &mut TestChroma) {
    let user = connected(chroma);
    let mut other = solution("no till for a snake");
    other["language"] = json!("Python");
    other["errorType"] = json!("TypeError");
    other["confidence"] = json!(0.5);
    import(&user, &format!("{}\n{other}\n", solution("no till")));
    assert_eq!(found(&user, "no till"), ["no till"]);
    let of = |arguments: Value| {
        let answer = search(&user, &arguments);
        let results = answer["data"]["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
        results.iter().map(|one| one["errorDescription"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let snake = ["no till for a snake"];
    assert_eq!(of(json!({ "query": "no till", "minConfidence": 0.5, "language": "python" })), snake);
    assert_eq!(of(json!({ "query": "no till", "minConfidence": 0, "errorType": "typeerror" })), snake);
    assert_eq!(of(json!({ "query": "no till", "errorType": "IllegalStateException" })), ["no till"]);
    assert_eq!(of(json!({ "query": "no till", "minConfidence": 0 })).len(), 2);
    let one = search(&user, &json!({ "query": "no till", "minConfidence": 0, "limit": 1 }));
    assert_eq!(
        (one["data"]["results"].as_array().unwrap().len(), &one["data"]["totalFound"]),
        (1, &json!(2))
    );
    let none = search(&user, &json!({ "query": "no till", "language": "cobol" }));
    is_error(&none, "NO_RESULTS", &["No past solution is similar to this error"]);
    let none = search(&user, &json!({ "query": "printer on fire" }));
    is_error(&none, "NO_RESULTS", &["No past solution is similar to this error"]);
}

/// Adds a record of another program, with a vector of this dimension.
fn foreign(chroma: &TestChroma, id: &str, dimension: usize) {
    let mut vector = vec![0; dimension];
    vector[0] = 1;
    let body = json!({
        "ids": [id], "embeddings": [vector], "documents": ["no till of another program"],
        "metadatas": [{ "language": "kotlin", "confidence": 0.9 }],
    });
    let path = format!("/collections/{}/upsert", chroma.id("rca_solutions"));
    let (status, answer) = chroma.ask("POST", &path, &body.to_string());
    assert_eq!(status, 200, "{answer}");
}

fn records_of_other_programs_are_left_alone(chroma: &mut TestChroma) {
    let user = connected(chroma);
    keep(&user, &["no till"]);
    foreign(chroma, "theirs", 384);
    assert_eq!(found(&user, "no till"), ["no till"]);
    let output = user.run(&["solutions", "list"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
    assert!(
        said(&output).contains("1 records of other programs in rca_solutions are left alone"),
        "{}",
        said(&output)
    );
    assert!(user.fails(&["solutions", "delete", "theirs"], 1).contains("there is no solution theirs"));
    talk(&user, &["reembed", "--yes"]);
    let kept = chroma.records("rca_solutions");
    let place = kept["ids"].as_array().unwrap().iter().position(|id| id == "theirs").unwrap();
    assert_eq!(kept["embeddings"][place][0], 1.0, "its vector is its own");
}

fn a_collection_of_another_space_is_refused(chroma: &mut TestChroma) {
    let (status, _) = chroma.ask("POST", "/collections", r#"{"name":"rca_solutions"}"#);
    assert_eq!(status, 200);
    let user = chroma.user();
    let refused = user.fails(&["solutions", "connect", "--yes"], 1);
    assert!(refused.contains("by \"l2\", not by \"cosine\""), "{refused}");
    let refused = search(&user, &json!({ "query": "no till" }));
    let address = format!("http://{}", chroma.address());
    is_error(
        &refused,
        "API_ERROR",
        &[&address, "by \"l2\", not by \"cosine\"", "`symd solutions connect` makes"],
    );
    assert!(said(&import(&user, &solution("no till").to_string())).contains("by \"l2\""));
    // What to do, as it says.
    let path = format!("/collections/{}", chroma.id("rca_solutions"));
    chroma.ask("PUT", &path, r#"{"new_name":"of_someone_else"}"#);
    talk(&user, &["connect"]);
    keep(&user, &["no till"]);
    assert_eq!(found(&user, "no till"), ["no till"]);
}

fn one_of_another_dimension_is_replaced_by_reembed(chroma: &mut TestChroma) {
    let user = connected(chroma);
    foreign(chroma, "theirs", 3);
    let theirs = chroma.id("rca_solutions");
    let refused = search(&user, &json!({ "query": "no till" }));
    let parts = ["vectors of 3 components", "gives 384", "`symd solutions reembed`", "[embedder]"];
    is_error(&refused, "API_ERROR", &parts);
    let refused = said(&import(&user, &solution("no till").to_string()));
    assert!(refused.contains("vectors of 3 components"), "{refused}");
    assert!(user.fails(&["solutions", "reembed"], 2).contains("again for everyone who uses it"));
    let talk = talk(&user, &["reembed", "--yes"]);
    assert!(talk.contains("1 vector was computed"), "{talk}");
    assert!(
        talk.contains(
            "vectors of 384 components now, for everyone; the one with 3 is kept as rca_solutions_before_"
        ),
        "{talk}"
    );
    keep(&user, &["no till"]);
    assert_eq!(found(&user, "no till"), ["no till"]);
    let kept = chroma.records("rca_solutions");
    assert_eq!(kept["ids"][0], "theirs", "{kept}");
    assert_eq!(kept["documents"][0], "no till of another program");
    assert_eq!(kept["metadatas"][0], json!({ "language": "kotlin", "confidence": 0.9 }), "as it was");
    assert_eq!(kept["embeddings"][0].as_array().unwrap().len(), 384);
    let (_, before) =
        chroma.ask("POST", &format!("/collections/{theirs}/get"), r#"{"include":["embeddings"]}"#);
    assert_eq!((&before["ids"], &before["embeddings"]), (&json!(["theirs"]), &json!([[1.0, 0.0, 0.0]])));
}

fn vectors_of_another_model_are_not_compared(chroma: &mut TestChroma) {
    let user = connected(chroma);
    keep(&user, &["no till", "socket timeout"]);
    let kept = chroma.records("rca_solutions");
    let path = format!("/collections/{}/update", chroma.id("rca_solutions"));
    let other = json!({ "ids": [kept["ids"][0]], "metadatas": [{ "model": "of a colleague" }] });
    assert_eq!(chroma.ask("POST", &path, &other.to_string()).0, 200);
    let missed = search(&user, &json!({ "query": "no till" }));
    is_error(
        &missed,
        "NO_RESULTS",
        &["1 solutions of the team have no vector of", "`symd solutions reembed`"],
    );
    assert_eq!(found(&user, "socket timeout"), ["socket timeout"]);
    assert!(talk(&user, &["reembed", "--yes"]).contains("1 vector was computed"));
    assert!(talk(&user, &["reembed", "--yes"]).contains("every solution has a vector of this model"));
    assert_eq!(found(&user, "no till"), ["no till"]);
}

fn without_the_collection_nothing_is_found_or_recorded(chroma: &mut TestChroma) {
    let user = connected(chroma);
    let path = format!("/collections/{}", chroma.id("rca_solutions"));
    chroma.ask("PUT", &path, r#"{"new_name":"elsewhere"}"#);
    let missing = search(&user, &json!({ "query": "no till" }));
    let address = format!("http://{}", chroma.address());
    is_error(
        &missing,
        "COLLECTION_NOT_FOUND",
        &["rca_solutions", &address, "`symd solutions connect` makes it"],
    );
    let refused = said(&import(&user, &solution("no till").to_string()));
    assert!(refused.contains("there is no collection rca_solutions"), "{refused}");
    assert!(user.fails(&["solutions"], 1).contains("there is no collection rca_solutions"));
    assert!(
        user.fails(&["solutions", "reembed", "--yes"], 1).contains("there is no collection rca_solutions")
    );
    talk(&user, &["connect"]);
    keep(&user, &["no till"]);
    assert_eq!(found(&user, "no till"), ["no till"]);
}

fn a_server_that_is_down_and_comes_back(chroma: &mut TestChroma) {
    let user = connected(chroma);
    keep(&user, &["no till"]);
    assert_eq!(found(&user, "no till"), ["no till"]);
    chroma.stop();
    let down = search(&user, &json!({ "query": "no till" }));
    let address = format!("http://{}", chroma.address());
    let parts = [&address, "connection refused", "start it (`chroma run --path DIR --port N`)", "chroma.url"];
    is_error(&down, "DB_CONNECTION_FAILED", &parts);
    assert!(user.fails(&["solutions"], 1).contains("connection refused"));
    assert!(said(&import(&user, &solution("gone").to_string())).contains("connection refused"));
    chroma.start();
    assert_eq!(found(&user, "no till"), ["no till"]);
}

fn what_this_machine_has_is_copied_when_the_user_wants_it(chroma: &mut TestChroma) {
    let user = User::new();
    keep(&user, &["no till of this machine"]);
    write(&user.path("config/config.toml"), &chroma.config());
    let told = talk(&user, &["connect", "--yes"]);
    let how =
        "not there yet: 1 solution of this machine; `symd solutions export --local | symd solutions import`";
    assert!(told.contains(how), "{told}");
    assert_eq!(user.check(&["solutions"], 0), "");
    let here = user.check(&["solutions", "export", "--local"], 0);
    assert!(import(&user, &here).status.success());
    assert_eq!(found(&user, "no till"), ["no till of this machine"]);
    // Without the server in the settings, the file of this machine is the store, as before.
    user.check(&["stop"], 0);
    write(&user.path("config/config.toml"), "");
    assert_eq!(user.check(&["solutions"], 0).lines().count(), 1);
}

/// Returns a user of a server that the test lets misbehave.
pub fn misbehaving() -> (RecordedChroma, User) {
    let chroma = TestChroma::recorded();
    let user = connected(&chroma);
    keep(&user, &["no till"]);
    assert_eq!(found(&user, "no till"), ["no till"]);
    match chroma {
        TestChroma::Recorded(server) => (server, user),
        TestChroma::Real(_) => panic!("it is the recorded one"),
    }
}
