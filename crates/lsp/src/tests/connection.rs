//! Requests and how they end, over misbehaving pipes.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::peer::{Peer, far, pipes};
use crate::connection::{Connection, Handler, RequestError};
use symd_rpc::framing::MAX_MESSAGE_BYTES;
use symd_rpc::server_message::{ErrorObject, RawJson, ServerMessage};

const METHOD: &str = "test/ask";

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Handler for Heard {
    fn request(&self, method: &str, params: &RawJson) -> Result<Value, ErrorObject> {
        match method {
            "echo" => Ok(params.decode().unwrap()),
            _ => Err(ErrorObject { code: -32601, message: method.to_owned() }),
        }
    }

    fn notification(&self, method: &str, params: &RawJson) {
        self.0.lock().unwrap().push(format!("{method} {}", params.as_str()));
    }
}

fn open() -> (Connection, Peer, Arc<Heard>) {
    let (reader, writer, peer) = pipes();
    let heard = Arc::new(Heard::default());
    (Connection::open("peer", reader, writer, Arc::clone(&heard) as Arc<dyn Handler>, None), peer, heard)
}

fn ask(connection: &Connection) -> tokio::task::JoinHandle<Result<Value, RequestError>> {
    let connection = connection.clone();
    tokio::spawn(async move { connection.request(METHOD, &json!({"a": 1}), far()).await })
}

#[tokio::test]
async fn answers_find_their_askers_in_any_order() {
    let (connection, mut peer, _) = open();
    let one = ask(&connection);
    let first = peer.expect(METHOD).await;
    let two = ask(&connection);
    let second = peer.expect(METHOD).await;
    assert_eq!(first["params"], json!({"a": 1}));
    peer.answer(&second, json!("second")).await;
    peer.say_bytes(b"debug: between two messages\n").await;
    peer.answer(&first, json!("first")).await;
    assert_eq!(one.await.unwrap(), Ok(json!("first")));
    assert_eq!(two.await.unwrap(), Ok(json!("second")));
}

#[tokio::test]
async fn strange_answers_reach_whom_they_can() {
    let (connection, mut peer, _) = open();
    let asked = ask(&connection);
    let request = peer.expect(METHOD).await;
    let id = request["id"].to_string();
    for strange in [
        r#"{"jsonrpc":"2.0","id":4711,"result":1}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
        r#"{"jsonrpc":"2.0","id":{"a":1},"result":1}"#,
        "not json",
        "[]",
        "",
    ] {
        peer.say_text(strange).await;
    }
    peer.say(json!({"id": id, "result": null})).await;
    assert_eq!(asked.await.unwrap(), Ok(Value::Null));

    let asked = ask(&connection);
    let request = peer.expect(METHOD).await;
    peer.say(json!({"id": request["id"]})).await;
    assert_eq!(asked.await.unwrap(), Ok(Value::Null), "neither result nor error is a result of null");
}

#[tokio::test]
async fn errors_are_told_apart() {
    for (code, expected) in [
        (-32801, RequestError::Outdated { method: METHOD }),
        (-32802, RequestError::Outdated { method: METHOD }),
        (-32601, RequestError::Unknown { method: METHOD }),
        (-32803, RequestError::Refused { method: METHOD, code: -32803, message: "no".to_owned() }),
    ] {
        let (connection, mut peer, _) = open();
        let asked = ask(&connection);
        let request = peer.expect(METHOD).await;
        peer.refuse(&request, code).await;
        assert_eq!(asked.await.unwrap(), Err(expected));
    }
}

#[tokio::test]
async fn a_wrong_shape_and_a_broken_body_fail_their_own_request_only() {
    let (connection, mut peer, _) = open();
    let numbers = {
        let connection = connection.clone();
        tokio::spawn(async move { connection.request::<Vec<u32>>(METHOD, &(), far()).await })
    };
    let request = peer.expect(METHOD).await;
    assert_eq!(request.get("params"), None, "null is no parameters");
    peer.answer(&request, json!({"not": "a list"})).await;
    let error = numbers.await.unwrap().unwrap_err();
    assert!(matches!(error, RequestError::WrongShape { .. }), "{error}");

    let asked = ask(&connection);
    let request = peer.expect(METHOD).await;
    peer.say_text(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":[1,2"#, request["id"])).await;
    let error = asked.await.unwrap().unwrap_err();
    assert!(matches!(error, RequestError::WrongShape { .. }), "{error}");

    let asked = ask(&connection);
    let request = peer.expect(METHOD).await;
    peer.answer(&request, json!(1)).await;
    assert_eq!(asked.await.unwrap(), Ok(json!(1)));
}

#[tokio::test]
async fn dropping_a_request_cancels_it_and_its_late_answer_is_ignored() {
    let (connection, mut peer, _) = open();
    let asked = ask(&connection);
    let request = peer.expect(METHOD).await;
    asked.abort();
    let cancel = peer.expect("$/cancelRequest").await;
    assert_eq!(cancel["params"], json!({"id": request["id"]}));
    peer.answer(&request, json!("late")).await;
    let asked = ask(&connection);
    let request = peer.expect(METHOD).await;
    peer.answer(&request, json!("in time")).await;
    assert_eq!(asked.await.unwrap(), Ok(json!("in time")));
}

#[tokio::test]
async fn a_deadline_cancels_too() {
    let (connection, mut peer, _) = open();
    // The deadline has passed: the request is still sent, because the queue has room, but not waited for.
    let error = connection.request::<Value>(METHOD, &(), Instant::now()).await.unwrap_err();
    assert!(matches!(error, RequestError::TimedOut { method: METHOD, .. }), "{error}");
    let request = peer.expect(METHOD).await;
    assert_eq!(peer.expect("$/cancelRequest").await["params"]["id"], request["id"]);
}

#[tokio::test]
async fn the_end_fails_everybody_who_waits_and_everybody_after() {
    let (connection, mut peer, _) = open();
    let asked = [ask(&connection), ask(&connection)];
    peer.expect(METHOD).await;
    peer.expect(METHOD).await;
    assert!(!connection.is_closed());
    drop(peer);
    for one in asked {
        assert_eq!(one.await.unwrap(), Err(RequestError::Closed { method: METHOD }));
    }
    connection.closed().await;
    assert_eq!(ask(&connection).await.unwrap(), Err(RequestError::Closed { method: METHOD }));
    connection.notify("test/tell", &()).await;
    connection.flush().await;
}

#[tokio::test]
async fn what_is_too_long_fails_its_own_request() {
    let (connection, mut peer, _) = open();
    let (long, short) = (ask(&connection), ask(&connection));
    let (first, second) = (peer.expect(METHOD).await, peer.expect(METHOD).await);
    let head = format!(r#"{{"jsonrpc":"2.0","id":{},"result":""#, first["id"]);
    let bytes = MAX_MESSAGE_BYTES + 1;
    peer.say_bytes(format!("Content-Length: {bytes}\r\n\r\n{head}").as_bytes()).await;
    let mut left = bytes - head.len() as u64;
    let filling = vec![b'x'; 1 << 20];
    while left > 0 {
        let part = filling.len().min(usize::try_from(left).unwrap());
        peer.say_bytes(&filling[..part]).await;
        left -= part as u64;
    }
    peer.answer(&second, json!(2)).await;
    let (long, short) = (long.await.unwrap(), short.await.unwrap());
    let answers = [long, short];
    assert!(answers.contains(&Ok(json!(2))), "{answers:?}");
    assert!(answers.contains(&Err(RequestError::TooLong { method: METHOD, bytes })), "{answers:?}");
}

#[tokio::test]
async fn a_length_that_is_only_claimed_takes_no_memory_and_ends_with_the_stream() {
    let (connection, mut peer, _) = open();
    let asked = ask(&connection);
    peer.expect(METHOD).await;
    for claimed in ["200000000", "18446744073709551615"] {
        peer.say_bytes(format!("Content-Length: {claimed}\r\n\r\n{{").as_bytes()).await;
    }
    drop(peer);
    assert_eq!(asked.await.unwrap(), Err(RequestError::Closed { method: METHOD }));
}

#[tokio::test]
async fn the_server_is_heard_and_answered() {
    let (connection, mut peer, heard) = open();
    assert_eq!(peer.ask("echo", json!({"a": [1]})).await["result"], json!({"a": [1]}));
    assert_eq!(peer.ask("unheard of", json!(null)).await["error"]["code"], -32601);
    peer.say(json!({"method": "told", "params": 1})).await;
    peer.ask("echo", json!(1)).await;
    assert_eq!(*heard.0.lock().unwrap(), ["told 1"]);
    drop(connection);
    assert_eq!(peer.next().await, None, "with the last clone the pipe is closed");
}

/// A server that does not read until its own request is answered gets the response although the queue to it
/// is full.
#[tokio::test]
async fn answers_overtake_what_waits() {
    let (connection, mut peer, _) = open();
    let filling = "x".repeat(1 << 10);
    let stuck = {
        let connection = connection.clone();
        tokio::spawn(async move {
            for _ in 0..1000 {
                connection.notify("fill", &filling).await;
            }
        })
    };
    // The pipe is smaller than the notifications: the writer blocks, and the queue behind it fills.
    peer.say(json!({"id": 1, "method": "echo", "params": "overtakes"})).await;
    let mut before = 0;
    loop {
        let message = peer.next().await.unwrap();
        if message["result"] == "overtakes" {
            break;
        }
        before += 1;
    }
    assert!(before < 1000, "the answer came last");
    while peer.next().await.is_some_and(|message| message["method"] == "fill") {
        before += 1;
        if before == 1000 {
            break;
        }
    }
    stuck.await.unwrap();
}

/// Prints a measurement, checks nothing: `cargo test --release --lib decoding -- --ignored --nocapture`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "prints a figure"]
async fn decoding_100_000_locations() {
    use crate::shapes::{Listed, LocationShape};
    let (reader, writer, mut peer) = pipes();
    let connection = Connection::open("peer", reader, writer, Arc::new(Heard::default()), None);
    let location = |line: u32| {
        let uri = format!("file:///home/user/project/some/package/of/depth/module_{}.py", line / 100);
        json!({"uri": uri, "range": super::peer::range(line, 11, 24)})
    };
    let all: Vec<Value> = (0..100_000).map(location).collect();
    let result = Value::from(all).to_string();
    for _ in 0..5 {
        let connection = connection.clone();
        let asking = tokio::spawn(async move {
            connection.request::<Listed<LocationShape>>(METHOD, &(), far()).await.map(|found| found.0.len())
        });
        let id = peer.expect(METHOD).await["id"].clone();
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        let begun = std::time::Instant::now();
        peer.say_text(&body).await;
        assert_eq!(asking.await.unwrap(), Ok(100_000));
        println!("{} bytes through the pipe and decoded in {:?}", body.len(), begun.elapsed());
        let begun = std::time::Instant::now();
        let Ok(ServerMessage::Response { outcome: Ok(raw), .. }) = ServerMessage::parse(body.into_bytes())
        else {
            panic!("no response")
        };
        let found: Listed<LocationShape> = raw.decode().unwrap();
        println!("   taken apart and decoded alone: {:?}", begun.elapsed());
        let rim = crate::convert::Converter {
            root: Arc::new("/home/user/project".into()),
            encoding: crate::ColumnEncoding::Utf16,
        };
        let begun = std::time::Instant::now();
        assert_eq!(rim.spans(found.0).len(), 100_000);
        println!("   converted: {:?}", begun.elapsed());
    }
}
