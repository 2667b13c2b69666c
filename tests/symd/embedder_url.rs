//! Vectors of past solutions by a model behind a URL: a server on this machine answers in the shapes that Ollama and OpenAI
//! document. Nothing is sent without the user's yes, and no failure of the server is more than EMBEDDING_FAILED.
//! <https://github.com/ollama/ollama/blob/main/docs/api.md#generate-embeddings>,
//! <https://platform.openai.com/docs/api-reference/embeddings/create>

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::support::{PATIENCE, User, write};

/// A request to the model: its path, its authorization and what it asks.
#[derive(Clone, Debug)]
struct EmbeddingCall {
    path: String,
    authorization: String,
    body: Value,
}

/// What the model answers to a request: the head without its length, and the body. `None`: nothing, the connection stays open.
type ModelAnswer = Option<(String, Vec<u8>)>;

/// A model behind a URL.
struct ModelServer {
    address: SocketAddr,
    calls: Arc<Mutex<Vec<EmbeddingCall>>>,
    is_over: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl ModelServer {
    fn new(answer: impl Fn(usize, &EmbeddingCall) -> ModelAnswer + Send + 'static) -> ModelServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (calls, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, over) = (Arc::clone(&calls), Arc::clone(&is_over));
        let serving = std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let call = received(&stream);
                let number = {
                    let mut kept = kept.lock().unwrap();
                    kept.push(call.clone());
                    kept.len()
                };
                match answer(number, &call) {
                    // A client that has given up is not an error.
                    Some((head, body)) => {
                        let head = format!(
                            "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                            body.len()
                        );
                        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
                    }
                    None => silent.push(stream),
                }
            }
        });
        ModelServer { address, calls, is_over, serving: Some(serving) }
    }

    fn calls(&self) -> Vec<EmbeddingCall> {
        self.calls.lock().unwrap().clone()
    }

    /// Returns a user whose solutions are compared by this model.
    fn user(&self, path: &str) -> User {
        User::with_config(&self.config(path, "minilm"))
    }

    fn config(&self, path: &str, model: &str) -> String {
        format!(
            "[embedder]\nurl = \"http://{}{path}\"\nmodel = \"{model}\"\nkey = \"the-key\"\n",
            self.address
        )
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect(self.address);
        let _ = self.serving.take().map(JoinHandle::join);
    }
}

fn received(stream: &TcpStream) -> EmbeddingCall {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream);
    let (mut first, mut authorization, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "authorization" => authorization = value.to_owned(),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    EmbeddingCall { path, authorization, body: serde_json::from_slice(&body).unwrap_or_default() }
}

/// The vector of a text: how often it has each letter.
fn vector(text: &str) -> Vec<u32> {
    let count = |letter: u8| text.bytes().filter(|byte| byte.to_ascii_lowercase() == letter).count();
    (b'a'..=b'z').map(|letter| u32::try_from(count(letter)).unwrap()).collect()
}

fn texts(call: &EmbeddingCall) -> Vec<String> {
    let input = call.body["input"].as_array().cloned().unwrap_or_default();
    input.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// An answer as the documentation of the path's API shows it.
fn as_documented(call: &EmbeddingCall) -> ModelAnswer {
    let vectors: Vec<Vec<u32>> = texts(call).iter().map(|text| vector(text)).collect();
    let body = match call.path.as_str() {
        "/api/embed" => json!({
            "model": call.body["model"], "embeddings": vectors,
            "total_duration": 14_143_917, "load_duration": 1_019_500, "prompt_eval_count": 8,
        }),
        "/v1/embeddings" => {
            // The order is said by `index`.
            let data: Vec<Value> = vectors
                .iter()
                .enumerate()
                .rev()
                .map(|(index, vector)| json!({ "object": "embedding", "index": index, "embedding": vector }))
                .collect();
            json!({
                "object": "list", "data": data, "model": call.body["model"],
                "usage": { "prompt_tokens": 8, "total_tokens": 8 },
            })
        }
        _ => return Some(("404 Not Found".to_owned(), b"404 page not found".to_vec())),
    };
    Some(("200 OK\r\nContent-Type: application/json".to_owned(), body.to_string().into_bytes()))
}

fn import(user: &User, descriptions: &[&str]) -> Output {
    let lines: String = descriptions
        .iter()
        .map(|description| {
            let one = json!({
                "errorDescription": description, "rootCause": "c", "solution": "f", "language": "kotlin",
                "errorType": "E", "confidence": 0.9,
            });
            format!("{one}\n")
        })
        .collect();
    let mut command = user.symd();
    command.args(["solutions", "import"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the answer to a search by an agent.
fn found(user: &User, query: &str) -> Value {
    let arguments = json!({ "query": query, "minConfidence": 0 }).to_string();
    let output = user.run(&["call", "--toolset", "kotlin_debug", "vector_search_db", &arguments]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

fn descriptions(found: &Value) -> Vec<&str> {
    let results = found["data"]["results"].as_array().unwrap_or_else(|| panic!("{found}"));
    results.iter().map(|one| one["errorDescription"].as_str().unwrap()).collect()
}

#[test]
fn nothing_is_sent_before_the_users_yes_and_no_secret_after_it() {
    for path in ["/api/embed", "/v1"] {
        let model = ModelServer::new(|_, call| as_documented(call));
        let user = model.user(path);
        let imported = import(&user, &["zzz password=hunter2 in /home/jo/zz", "qqq qq"]);
        assert!(imported.status.success(), "{}", said(&imported));
        assert!(
            said(&imported).contains(
                "recorded without vectors, so that nothing finds it until `symd solutions reembed`"
            ),
            "{}",
            said(&imported)
        );
        let refused = found(&user, "zzz");
        assert_eq!(refused["error"]["code"], "EMBEDDING_FAILED", "{refused}");
        let why = refused["error"]["message"].as_str().unwrap();
        assert!(why.contains("only with your yes; `symd solutions reembed` asks for it"), "{why}");
        let no_terminal = user.fails(&["solutions", "reembed"], 2);
        assert!(
            no_terminal.contains("`symd solutions reembed --yes` sends them without asking"),
            "{no_terminal}"
        );
        assert_eq!(model.calls().len(), 0, "before the user's yes");

        let output = user.run(&["solutions", "reembed", "--yes"]);
        assert!(
            output.status.success() && said(&output).contains("2 vectors were computed"),
            "{}",
            said(&output)
        );
        // A query's own secrets stay here, too.
        let answer = found(&user, "zz token=abcdefghij0123456789");
        assert_eq!(descriptions(&answer), ["zzz password=<secret> in ~/zz"], "{answer}");
        assert!(answer["data"]["results"][0]["similarity"].as_f64().unwrap() > 0.2, "{answer}");
        assert_eq!(descriptions(&found(&user, "q")), ["qqq qq"]);
        // What is recorded later has its vector at once.
        let imported = import(&user, &["jjj jj"]);
        assert!(!said(&imported).contains("without vectors"), "{}", said(&imported));
        assert_eq!(descriptions(&found(&user, "jjj")), ["jjj jj"]);

        let calls = model.calls();
        assert!(
            calls.iter().all(|call| call.authorization == "Bearer the-key" && call.body["model"] == "minilm")
        );
        let sent = calls.iter().flat_map(texts).collect::<Vec<_>>().join("\n");
        assert!(sent.contains("zzz password=<secret>") && sent.contains("zz token="), "{sent}");
        for secret in ["hunter2", "/home/jo", "abcdefghij"] {
            assert!(!sent.contains(secret), "{secret} in {sent}");
        }
    }
}

#[test]
fn a_yes_is_of_one_url_and_model() {
    let model = ModelServer::new(|_, call| as_documented(call));
    let user = model.user("/api/embed");
    import(&user, &["zzz"]);
    user.check(&["solutions", "reembed", "--yes"], 0);
    let before = model.calls().len();
    for config in [model.config("/api/embed", "other"), model.config("/v1", "minilm")] {
        write(&user.path("config/config.toml"), &config);
        assert!(
            user.fails(&["solutions", "reembed"], 2)
                .contains("Texts of errors are sent to http://127.0.0.1:")
        );
        assert!(said(&import(&user, &["yyy"])).contains("recorded without vectors"));
    }
    assert_eq!(model.calls().len(), before);
}

#[test]
fn a_run_that_the_model_interrupts_goes_on_where_it_stopped() {
    // One text for the dimension, then 8 times 32; then the model has enough.
    let model = ModelServer::new(|number, call| match number {
        10 => Some(("429 Too Many Requests".to_owned(), br#"{"error":{"message":"slow down"}}"#.to_vec())),
        _ => as_documented(call),
    });
    let user = model.user("/v1");
    let names: Vec<String> = (0..300).map(|n| format!("zzz {n}")).collect();
    import(&user, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let stopped = user.fails(&["solutions", "reembed", "--yes"], 1);
    assert!(stopped.contains("HTTP 429") && stopped.contains("slow down"), "{stopped}");
    assert!(stopped.contains("what is done is kept"), "{stopped}");
    let output = user.run(&["solutions", "reembed"]);
    assert!(
        output.status.success() && said(&output).contains("44 vectors were computed"),
        "{}",
        said(&output)
    );
    let again = user.run(&["solutions", "reembed"]);
    assert!(said(&again).contains("every solution has a vector of this model"), "{}", said(&again));
}

#[test]
fn whatever_the_model_answers_a_search_fails_with_embedding_failed() {
    let elsewhere = ModelServer::new(|_, call| as_documented(call));
    let location = format!("307 Temporary Redirect\r\nLocation: http://{}/v1/embeddings", elsewhere.address);
    let ok = |body: &str| Some(("200 OK".to_owned(), body.as_bytes().to_vec()));
    let wrong: Vec<(ModelAnswer, &str)> = vec![
        (Some(("429 Too Many Requests".to_owned(), b"slow down".to_vec())), "HTTP 429: slow down"),
        (Some(("500 Internal Server Error".to_owned(), Vec::new())), "HTTP 500"),
        (
            Some((
                "404 Not Found".to_owned(),
                br#"{"error":"model \"minilm\" not found, try pulling it first"}"#.to_vec(),
            )),
            "try pulling it first",
        ),
        (ok("<html><body>Sign in</body></html>"), "no list of embeddings"),
        (
            Some(("200 OK\r\nContent-Encoding: gzip".to_owned(), b"\x1f\x8b\x08\x00\x00".to_vec())),
            "end of file",
        ),
        (ok(r#"{"data":[]}"#), "0 vectors for 1 texts"),
        (ok(r#"{"embeddings":[[1,2],[3,4]]}"#), "2 vectors for 1 texts"),
        (ok(r#"{"embeddings":[[]]}"#), "not all of one dimension"),
        (ok(r#"{"embeddings":[[1e39,1]]}"#), ""),
        (ok(r#"{"embeddings":[[null,1]]}"#), "no list of embeddings"),
        (ok(r#"{"data":[{"index":3,"embedding":[1,2]}]}"#), "which vector is of which text"),
        (Some((location, Vec::new())), "HTTP 307"),
        (None, "timed out"),
    ];
    let count = wrong.len();
    let reasons: Vec<&str> = wrong.iter().map(|(_, reason)| *reason).collect();
    let answers: Vec<ModelAnswer> = wrong.iter().map(|(answer, _)| answer.clone()).collect();
    let first_query = Arc::new(Mutex::new(usize::MAX));
    let from = Arc::clone(&first_query);
    let model = ModelServer::new(move |number, call| match number.checked_sub(*from.lock().unwrap()) {
        Some(query) if query < answers.len() => answers[query].clone(),
        _ => as_documented(call),
    });
    let user = model.user("/v1");
    import(&user, &["zzz"]);
    user.check(&["solutions", "reembed", "--yes"], 0);
    assert_eq!(descriptions(&found(&user, "z")), ["zzz"]);
    *first_query.lock().unwrap() = model.calls().len() + 1;
    for (number, reason) in reasons.iter().enumerate() {
        let refused = found(&user, "z");
        assert_eq!(refused["error"]["code"], "EMBEDDING_FAILED", "{number}: {refused}");
        let why = refused["error"]["message"].as_str().unwrap().to_lowercase();
        assert!(why.contains(&reason.to_lowercase()), "{number}: {why}");
    }
    assert_eq!(model.calls().len(), first_query.lock().unwrap().wrapping_add(count) - 1);
    assert_eq!(elsewhere.calls().len(), 0, "a redirect is not followed");
    // It is back.
    assert_eq!(descriptions(&found(&user, "z")), ["zzz"]);
    // And a model whose server is gone is no more than that.
    drop(model);
    assert_eq!(found(&user, "z")["error"]["code"], "EMBEDDING_FAILED");
}

/// The vector of a text by another model, of as many components.
fn reversed(text: &str) -> Vec<u32> {
    vector(text).into_iter().rev().collect()
}

/// Returns how many solutions a search finds, all of which must have the similarity that one model gives to both texts.
fn exactly_found(user: &User) -> u64 {
    // The daemon reads its settings when it starts.
    user.run(&["stop"]);
    let is_late = |answer: &Value| {
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        answer["error"]["code"] == "TOOL_TIMEOUT" || message.contains("timed out")
    };
    // On a busy machine the contract's two seconds may pass before the new daemon answers.
    let mut answers = (0..20).map(|_| found(user, "zzz"));
    let answer = answers.find(|answer| !is_late(answer)).unwrap();
    if answer["error"]["code"] == "NO_RESULTS" {
        return 0;
    }
    // The texts have each three times z; those of solutions beside it an e and a c, of their type and cause.
    let expected = 3.0 / (3.0_f64 * 3.0 + 1.0 + 1.0).sqrt();
    for one in answer["data"]["results"].as_array().unwrap_or_else(|| panic!("{answer}")) {
        assert!((one["similarity"].as_f64().unwrap() - expected).abs() < 1e-3, "{one}");
    }
    answer["data"]["totalFound"].as_u64().unwrap()
}

/// A signal ends the run while the model computes: in the question for the dimension, in the first batch of 256, in the second.
#[test]
fn a_run_that_is_killed_mixes_no_rows_and_goes_on_where_it_stopped() {
    let hang_at = Arc::new(Mutex::new(usize::MAX));
    let (tell, hangs) = std::sync::mpsc::channel();
    let at = Arc::clone(&hang_at);
    let model = ModelServer::new(move |number, call| {
        if number == *at.lock().unwrap() {
            tell.send(()).unwrap();
            return None;
        }
        if call.body["model"] == "minilm" {
            return as_documented(call);
        }
        let vectors: Vec<Vec<u32>> = texts(call).iter().map(|text| reversed(text)).collect();
        let body = json!({ "embeddings": vectors }).to_string().into_bytes();
        Some(("200 OK".to_owned(), body))
    });
    let user = model.user("/api/embed");
    let names: Vec<String> = (0..300).map(|n| format!("zzz {n}")).collect();
    import(&user, &names.iter().map(String::as_str).collect::<Vec<_>>());
    user.check(&["solutions", "reembed", "--yes"], 0);
    assert_eq!(exactly_found(&user), 300);

    let consent = user.path("data/solutions/embedder-consent");
    let of_first = std::fs::read_to_string(&consent).unwrap();
    let of_other = of_first.replace("minilm", "other");
    for (nth, of_new) in [(1, 0), (6, 0), (1 + 8 + 1, 256)] {
        write(&user.path("config/config.toml"), &model.config("/api/embed", "other"));
        *hang_at.lock().unwrap() = model.calls().len() + nth;
        let mut command = user.symd();
        command.args(["solutions", "reembed", "--yes"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = command.spawn().unwrap();
        hangs.recv_timeout(PATIENCE).unwrap();
        run.kill().unwrap();
        assert!(!run.wait().unwrap().success());
        *hang_at.lock().unwrap() = usize::MAX;

        write(&consent, &of_other);
        assert_eq!(exactly_found(&user), of_new, "killed at request {nth}");
        write(&user.path("config/config.toml"), &model.config("/api/embed", "minilm"));
        write(&consent, &of_first);
        assert_eq!(exactly_found(&user), 300 - of_new, "killed at request {nth}");
    }
    write(&user.path("config/config.toml"), &model.config("/api/embed", "other"));
    let output = user.run(&["solutions", "reembed", "--yes"]);
    assert!(
        output.status.success() && said(&output).contains("44 vectors were computed"),
        "{}",
        said(&output)
    );
    assert_eq!(exactly_found(&user), 300);
}
