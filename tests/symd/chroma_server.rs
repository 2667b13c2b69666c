//! A Chroma server for tests: one that keeps records in memory and answers in the shapes that `fixtures/chroma` has recorded
//! from the real one, or the real one, `$SYMD_TEST_CHROMA` (`pip install chromadb` makes the program `chroma`).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::servers::unrun_even_if_required;
use crate::support::{PATIENCE, User};

/// The path of the database that tests use.
pub const DATABASE: &str = "/api/v2/tenants/default_tenant/databases/default_database";

/// A request to a server.
#[derive(Clone, Debug, Default)]
pub struct ChromaRequest {
    pub method: String,
    pub path: String,
    pub token: String,
    pub authorization: String,
    pub body: String,
}

/// What a server answers in place of Chroma: a whole response; empty: nothing, and the connection stays open.
pub type Misbehaviour = Box<dyn Fn(&ChromaRequest) -> Option<Vec<u8>> + Send>;

/// Either server.
pub enum TestChroma {
    Recorded(RecordedChroma),
    Real(RealChroma),
}

impl TestChroma {
    pub fn recorded() -> TestChroma {
        TestChroma::Recorded(RecordedChroma::new(Box::new(|_| None)))
    }

    /// Returns the real one; `None`: the test cannot run, which has been recorded.
    pub fn real() -> Option<TestChroma> {
        let Some(program) = std::env::var_os("SYMD_TEST_CHROMA") else {
            unrun_even_if_required("SYMD_TEST_CHROMA names no program `chroma` (`pip install chromadb`)");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        // A port that is free now.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut real = RealChroma { program, directory, address, child: None };
        real.start();
        Some(TestChroma::Real(real))
    }

    pub fn address(&self) -> SocketAddr {
        match self {
            TestChroma::Recorded(server) => server.address,
            TestChroma::Real(server) => server.address,
        }
    }

    pub fn config(&self) -> String {
        format!("[chroma]\nurl = \"http://{}\"\ntoken = \"the-token\"\n", self.address())
    }

    /// Returns a user whose team has this server.
    pub fn user(&self) -> User {
        User::with_config(&self.config())
    }

    /// Ends the server; what it holds stays.
    pub fn stop(&mut self) {
        match self {
            TestChroma::Recorded(server) => server.stop(),
            TestChroma::Real(server) => server.stop(),
        }
    }

    /// Starts it again at the same address.
    pub fn start(&mut self) {
        match self {
            TestChroma::Recorded(server) => server.start(),
            TestChroma::Real(server) => server.start(),
        }
    }

    /// Sends a request to the database; returns the status and the answer.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        exchange(self.address(), method, &format!("{DATABASE}{path}"), body)
    }

    /// Returns the id of a collection.
    pub fn id(&self, name: &str) -> String {
        let (status, answer) = self.ask("GET", &format!("/collections/{name}"), "");
        assert_eq!(status, 200, "{answer}");
        answer["id"].as_str().unwrap().to_owned()
    }

    /// Returns all records of a collection.
    pub fn records(&self, name: &str) -> Value {
        let body = r#"{"include":["documents","metadatas","embeddings"]}"#;
        self.ask("POST", &format!("/collections/{}/get", self.id(name)), body).1
    }
}

/// Sends one request; returns the status and the answer, a string if it is no JSON.
pub fn exchange(address: SocketAddr, method: &str, path: &str, body: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let text = String::from_utf8(answer).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|_| json!(body)))
}

/// The real server.
pub struct RealChroma {
    program: std::ffi::OsString,
    directory: tempfile::TempDir,
    address: SocketAddr,
    child: Option<Child>,
}

impl RealChroma {
    fn start(&mut self) {
        let mut child = Command::new(&self.program)
            .args(["run", "--host", "127.0.0.1", "--port", &self.address.port().to_string(), "--path"])
            .arg(self.directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("listening")), "it ended before it listened");
        // It must not stop at a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        // It says so a moment before it does.
        let began = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            assert!(began.elapsed() < PATIENCE, "it does not listen");
            std::thread::yield_now();
        }
        self.child = Some(child);
    }

    fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for RealChroma {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The server that answers as recorded.
pub struct RecordedChroma {
    address: SocketAddr,
    state: Arc<Mutex<RecordedState>>,
    is_over: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

struct RecordedState {
    calls: Vec<ChromaRequest>,
    collections: Vec<KeptCollection>,
    misbehaviour: Misbehaviour,
}

impl RecordedChroma {
    pub fn new(misbehaviour: Misbehaviour) -> RecordedChroma {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut server = RecordedChroma {
            address: listener.local_addr().unwrap(),
            state: Arc::new(Mutex::new(RecordedState {
                calls: Vec::new(),
                collections: Vec::new(),
                misbehaviour,
            })),
            is_over: Arc::default(),
            serving: None,
        };
        server.serve(listener);
        server
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn calls(&self) -> Vec<ChromaRequest> {
        self.state.lock().unwrap().calls.clone()
    }

    pub fn misbehave(&self, misbehaviour: Misbehaviour) {
        self.state.lock().unwrap().misbehaviour = misbehaviour;
    }

    fn start(&mut self) {
        self.serve(TcpListener::bind(self.address).unwrap());
    }

    fn serve(&mut self, listener: TcpListener) {
        self.is_over.store(false, Ordering::SeqCst);
        let (state, over) = (Arc::clone(&self.state), Arc::clone(&self.is_over));
        self.serving = Some(std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let request = received(&stream);
                let mut state = state.lock().unwrap();
                state.calls.push(request.clone());
                let answer = match (state.misbehaviour)(&request) {
                    Some(answer) => answer,
                    None => response(&answered(&mut state.collections, &request)),
                };
                match answer.is_empty() {
                    true => silent.push(stream),
                    // A client that has given up is not an error.
                    false => drop(stream.write_all(&answer)),
                }
            }
        }));
    }

    fn stop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect(self.address);
        let _ = self.serving.take().map(JoinHandle::join);
    }
}

impl Drop for RecordedChroma {
    fn drop(&mut self) {
        self.stop();
    }
}

fn received(stream: &TcpStream) -> ChromaRequest {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream);
    let (mut first, mut length, mut request) = (String::new(), 0, ChromaRequest::default());
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_lowercase().as_str() {
            "x-chroma-token" => request.token = value.to_owned(),
            "authorization" => request.authorization = value.to_owned(),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    request.body = String::from_utf8(body).unwrap();
    let mut words = first.split(' ').map(str::to_owned);
    request.method = words.next().unwrap_or_default();
    request.path = words.next().unwrap_or_default();
    request
}

/// Returns a response with a status line and a body.
pub fn raw_response(status: &str, body: &str) -> Vec<u8> {
    let head = "Content-Type: application/json\r\nConnection: close";
    format!("HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn response((status, body): &(u16, Value)) -> Vec<u8> {
    let text = if body == "" { String::new() } else { body.to_string() };
    raw_response(&format!("{status} Said"), &text)
}

/// A collection in memory.
struct KeptCollection {
    id: String,
    name: String,
    space: String,
    dimension: Option<usize>,
    records: Vec<KeptRecord>,
}

struct KeptRecord {
    id: String,
    vector: Vec<f32>,
    document: Value,
    metadata: Value,
}

impl KeptCollection {
    fn shown(&self) -> Value {
        json!({
            "id": self.id, "name": self.name, "metadata": null, "dimension": self.dimension,
            "tenant": "default_tenant", "database": "default_database", "log_position": 0, "version": 0,
            "configuration_json": {
                "hnsw": {
                    "space": self.space, "ef_construction": 100, "ef_search": 100, "max_neighbors": 16,
                    "resize_factor": 1.2, "sync_threshold": 1000,
                },
                "spann": null, "embedding_function": null,
            },
        })
    }
}

fn failure(status: u16, kind: &str, message: &str) -> (u16, Value) {
    (status, json!({ "error": kind, "message": message }))
}

fn answered(collections: &mut Vec<KeptCollection>, request: &ChromaRequest) -> (u16, Value) {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let Some(path) = request.path.strip_prefix(DATABASE) else { return (404, json!("")) };
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("POST", ["collections"]) => created(collections, &body),
        ("GET", ["collections", name]) => match collections.iter().find(|one| one.name == **name) {
            Some(found) => (200, found.shown()),
            None => failure(404, "NotFoundError", &format!("Collection [{name}] does not exist")),
        },
        ("PUT", ["collections", id]) => renamed(collections, id, &body),
        (_, ["collections", id, what]) => match collections.iter_mut().find(|one| one.id == **id) {
            Some(found) => about_records(found, what, &body),
            None => failure(404, "NotFoundError", &format!("Collection [{id}] does not exist.")),
        },
        _ => (404, json!("")),
    }
}

fn created(collections: &mut Vec<KeptCollection>, body: &Value) -> (u16, Value) {
    let name = body["name"].as_str().unwrap();
    if let Some(known) = collections.iter().find(|one| one.name == name) {
        return match body["get_or_create"] == true {
            true => (200, known.shown()),
            false => failure(409, "ChromaError", &format!("Collection [{name}] already exists")),
        };
    }
    let new = KeptCollection {
        id: format!("00000000-0000-4000-8000-{:012}", collections.len() + 1),
        name: name.to_owned(),
        space: body["configuration"]["hnsw"]["space"].as_str().unwrap_or("l2").to_owned(),
        dimension: None,
        records: Vec::new(),
    };
    let shown = new.shown();
    collections.push(new);
    (200, shown)
}

fn renamed(collections: &mut [KeptCollection], id: &str, body: &Value) -> (u16, Value) {
    let name = body["new_name"].as_str().unwrap();
    if collections.iter().any(|one| one.name == name) {
        let why = "Database error: error returned from database: (code: 2067) UNIQUE constraint failed: collections.name, \
                   collections.database_id";
        return failure(500, "InternalError", why);
    }
    collections.iter_mut().find(|one| one.id == id).unwrap().name = name.to_owned();
    (200, json!({}))
}

fn about_records(of: &mut KeptCollection, what: &str, body: &Value) -> (u16, Value) {
    match what {
        "count" => (200, json!(of.records.len())),
        "upsert" | "update" => stored(of, what == "upsert", body),
        "delete" => {
            let ids = body["ids"].as_array().unwrap();
            of.records.retain(|record| !ids.contains(&json!(record.id)));
            // Of those that were not there, too.
            (200, json!({ "deleted": ids.len() }))
        }
        "get" => gotten(of, body),
        "query" => nearest(of, body),
        _ => (404, json!("")),
    }
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| x.to_string().parse().unwrap()).collect()
}

fn stored(of: &mut KeptCollection, adds: bool, body: &Value) -> (u16, Value) {
    let vectors: Vec<Vec<f32>> =
        body["embeddings"].as_array().map_or_else(Vec::new, |all| all.iter().map(floats).collect());
    for vector in &vectors {
        let expected = *of.dimension.get_or_insert(vector.len());
        if expected != vector.len() {
            let got = vector.len();
            let why = format!("Collection expecting embedding with dimension of {expected}, got {got}");
            return failure(400, "InvalidArgumentError", &why);
        }
    }
    for (number, id) in body["ids"].as_array().unwrap().iter().enumerate() {
        let id = id.as_str().unwrap();
        if adds && !of.records.iter().any(|record| record.id == id) {
            of.records.push(KeptRecord {
                id: id.to_owned(),
                vector: Vec::new(),
                document: Value::Null,
                metadata: Value::Null,
            });
        }
        let Some(record) = of.records.iter_mut().find(|record| record.id == id) else { continue };
        if let Some(vector) = vectors.get(number) {
            record.vector.clone_from(vector);
        }
        if let Some(document) = body["documents"].get(number) {
            record.document = document.clone();
        }
        if let Some(Value::Object(changed)) = body["metadatas"].get(number) {
            let mut all = record.metadata.as_object().cloned().unwrap_or_default();
            all.extend(changed.clone());
            record.metadata = all.into();
        }
    }
    (200, json!({}))
}

/// Whether metadata passes a filter of the kinds that symd sends.
fn passes(metadata: &Value, filter: &Value) -> bool {
    let Some(filter) = filter.as_object() else { return true };
    filter.iter().all(|(key, wanted)| match (key.as_str(), wanted.as_object()) {
        ("$and", _) => wanted.as_array().unwrap().iter().all(|one| passes(metadata, one)),
        (key, Some(operator)) => operator.iter().all(|(operator, value)| match operator.as_str() {
            "$ne" => metadata[key] != *value,
            "$gte" => metadata[key].as_f64().is_some_and(|number| number >= value.as_f64().unwrap()),
            other => panic!("{other} is not recorded"),
        }),
        (key, None) => metadata[key] == *wanted,
    })
}

/// Returns a list if the request includes it.
fn included(body: &Value, default: &[&str], what: &str, list: Value) -> Value {
    let is_wanted = match body["include"].as_array() {
        Some(include) => include.contains(&json!(what)),
        None => default.contains(&what),
    };
    if is_wanted { list } else { Value::Null }
}

/// Returns a number as Chroma prints it: the shortest that is the same 32-bit float.
fn printed(x: f32) -> Value {
    serde_json::from_str(&format!("{x:?}")).unwrap()
}

fn gotten(of: &KeptCollection, body: &Value) -> (u16, Value) {
    if body["where"].as_object().is_some_and(Map::is_empty) {
        return failure(400, "InvalidArgumentError", "Invalid where clause");
    }
    let number = |key: &str| body[key].as_u64().map(|number| usize::try_from(number).unwrap());
    let found: Vec<&KeptRecord> = of
        .records
        .iter()
        .filter(|record| body["ids"].as_array().is_none_or(|ids| ids.contains(&json!(record.id))))
        .filter(|record| passes(&record.metadata, &body["where"]))
        .skip(number("offset").unwrap_or(0))
        .take(number("limit").unwrap_or(usize::MAX))
        .collect();
    let default = ["documents", "metadatas"];
    let list = |what: &str, of: &dyn Fn(&KeptRecord) -> Value| {
        included(body, &default, what, found.iter().map(|record| of(record)).collect())
    };
    let answer = json!({
        "ids": found.iter().map(|record| record.id.as_str()).collect::<Vec<_>>(),
        "embeddings": list("embeddings", &|record| record.vector.iter().map(|x| printed(*x)).collect()),
        "documents": list("documents", &|record| record.document.clone()),
        "metadatas": list("metadatas", &|record| record.metadata.clone()),
        "uris": null,
        "include": body["include"].as_array().map_or_else(|| json!(default), |include| json!(include)),
    });
    (200, answer)
}

fn nearest(of: &KeptCollection, body: &Value) -> (u16, Value) {
    let query = floats(&body["query_embeddings"][0]);
    if let Some(expected) = of.dimension.filter(|expected| *expected != query.len()) {
        let why = format!("Collection expecting embedding with dimension of {expected}, got {}", query.len());
        return failure(400, "InvalidArgumentError", &why);
    }
    let length = |vector: &[f32]| vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    let distance = |record: &KeptRecord| {
        let dot: f32 = record.vector.iter().zip(&query).map(|(a, b)| a * b).sum();
        1.0 - dot / length(&record.vector) / length(&query)
    };
    let mut found: Vec<(f32, &KeptRecord)> = of
        .records
        .iter()
        .filter(|record| passes(&record.metadata, &body["where"]))
        .map(|record| (distance(record), record))
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = body["n_results"].as_u64().map_or(10, |count| usize::try_from(count).unwrap());
    found.truncate(count);
    let default = ["documents", "metadatas", "distances"];
    let list = |what: &str, of: &dyn Fn(f32, &KeptRecord) -> Value| {
        let all: Value = found.iter().map(|(distance, record)| of(*distance, record)).collect();
        included(body, &default, what, json!([all]))
    };
    let answer = json!({
        "ids": [found.iter().map(|(_, record)| record.id.as_str()).collect::<Vec<_>>()],
        "embeddings": list("embeddings", &|_, record| record.vector.iter().map(|x| printed(*x)).collect()),
        "documents": list("documents", &|_, record| record.document.clone()),
        "metadatas": list("metadatas", &|_, record| record.metadata.clone()),
        "distances": list("distances", &|distance, _| printed(distance)),
        "uris": null,
        "include": body["include"].as_array().map_or_else(|| json!(default), |include| json!(include)),
    });
    (200, answer)
}
