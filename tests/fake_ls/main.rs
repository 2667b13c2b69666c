//! fake-ls: a language server that does what a script says, misbehaviour included. For tests; it sleeps nowhere.
//!
//! `fake-ls SCRIPT.json` speaks LSP over stdin and stdout. The script is one JSON object; every key may be missing:
//!
//! ```json
//! {
//!   "log": "/tmp/x/log",               every message received, one JSON line each, after {"started": PID} at each start
//!   "ignore_sigterm": true,            SIGTERM does nothing, to its grandchildren neither
//!   "ignore_end": true,                goes on when stdin ends and at `exit` (until it is killed)
//!   "at_start": [step, …],             before the first message is read
//!   "capabilities": {"…": …},          merged over {"textDocumentSync": 1}
//!   "server_info": {"name": "…"},      default {"name": "fake-ls", "version": "1"}
//!   "default": [step, …],              for requests that "on" does not name; default: error -32601
//!   "on": {
//!     "METHOD": [step, …],             whenever that request or notification comes
//!     "METHOD": [[step, …], [step, …]] in turn: the first time, the second time; the last one from then on
//!     "METHOD FILE": …                 likewise, instead, where the message's textDocument has a URI that ends with /FILE
//!   },
//!   "crash_after": {"messages": 9, "code": 3, "stderr": "…"}
//! }
//! ```
//! `initialize` is answered after its steps, unless one of them was an answer (or `"hang"`); `shutdown` with null likewise;
//! `exit` ends it with 0. A step is an object with one key:
//!
//! | step | does |
//! |---|---|
//! | `{"answer": VALUE}` | answers the request |
//! | `{"error": {"code": …, "message": …}}` | answers with an error |
//! | `{"answer_as": {"id": ID, "result": VALUE}}` | answers, but under that id |
//! | `{"answer_huge": BYTES}` | answers with a string of so many bytes |
//! | `{"hang": true}` | never answers (nor `initialize`, `shutdown`) |
//! | `{"hold": true}` | does not answer until a `release` |
//! | `{"release": VALUE}` | answers all held requests |
//! | `{"notify": {"method": …, "params": …}}` | sends a notification |
//! | `{"request": {"method": …, "params": …}}` | sends a request; the answer is logged and otherwise ignored |
//! | `{"progress": ["TOKEN", {"kind": "begin", …}]}` | `$/progress` |
//! | `{"raw": "TEXT"}` | writes TEXT to stdout, without a header |
//! | `{"raw_message": "TEXT"}` | writes TEXT to stdout as the body of a message |
//! | `{"stderr": "TEXT"}` | writes a line to stderr |
//! | `{"exit": CODE}` | ends at once |
//! | `{"abort": true}` | ends by SIGABRT |
//! | `{"wait_for": "FIFO"}` | reads nothing further until somebody opens that FIFO for writing |
//! | `{"tell": "FIFO"}` | waits until somebody reads that FIFO, writes the method's name and a line end into it |
//! | `{"write": {"file": "PATH", "text": "TEXT"}}` | writes a file, as somebody else would who works on the project meanwhile |
//! | `{"take_memory": MIB}` | takes so many more mebibytes of memory, and keeps them |
//! | `{"grandchild": "FILE"}` | starts a process that never ends by itself, in the same group, and writes its pid to FILE |
//! | `{"forever": true}` | reads nothing further, ever |
//!
//! In the strings of a step, `{root}` is the root's URI, `{uri}` the message's `textDocument.uri`; a string that is just
//! `{version}` is the number of the version last seen of that document (stale versions: subtract by writing a number), `{message}`
//! the message itself, `{id}` its id, `{pid}` the server's pid.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    missing_docs,
    reason = "a test's helper"
)]

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Set for the second run, after a shell has switched SIGTERM off.
const DEAF: &str = "FAKE_LS_DEAF";
const GRANDCHILD: &str = "--grandchild";

fn main() {
    let argument = std::env::args().nth(1).expect("usage: fake-ls SCRIPT.json");
    if argument == GRANDCHILD {
        forever();
    }
    let text = std::fs::read_to_string(&argument).expect("the script can be read");
    let script: Value = serde_json::from_str(&text).expect("the script is JSON");
    if script["ignore_sigterm"] == true && std::env::var_os(DEAF).is_none() {
        // What is ignored stays so over exec; nothing here could ask for it without unsafe code.
        use std::os::unix::process::CommandExt;
        let me = std::env::current_exe().unwrap();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "trap '' TERM; exec \"$0\" \"$@\""]).arg(me).arg(&argument).env(DEAF, "1");
        panic!("no shell: {}", shell.exec());
    }
    Server::new(script).run();
}

fn forever() -> ! {
    loop {
        std::thread::park();
    }
}

struct Server {
    script: Value,
    turns: HashMap<String, usize>,
    held: Vec<Value>,
    taken: Vec<Vec<u8>>,
    versions: HashMap<String, Value>,
    root: String,
    messages: u64,
    own_requests: u64,
}

impl Server {
    fn new(script: Value) -> Server {
        Server {
            script,
            turns: HashMap::new(),
            held: Vec::new(),
            taken: Vec::new(),
            versions: HashMap::new(),
            root: String::new(),
            messages: 0,
            own_requests: 0,
        }
    }

    fn run(&mut self) {
        self.log(&json!({ "started": std::process::id() }));
        let steps = self.script["at_start"].clone();
        self.play(&steps, &Value::Null);
        let mut input = BufReader::new(std::io::stdin());
        while let Some(message) = read(&mut input) {
            self.log(&message);
            self.messages += 1;
            self.note(&message);
            self.handle(&message);
            let crash = &self.script["crash_after"];
            if crash["messages"].as_u64() == Some(self.messages) {
                eprintln!("{}", crash["stderr"].as_str().unwrap_or_default());
                std::process::exit(i32::try_from(crash["code"].as_i64().unwrap_or(1)).unwrap());
            }
        }
        if self.script["ignore_end"] == true {
            forever();
        }
    }

    fn log(&self, message: &Value) {
        if let Some(path) = self.script["log"].as_str() {
            let mut log = OpenOptions::new().append(true).create(true).open(path).unwrap();
            log.write_all(format!("{message}\n").as_bytes()).unwrap();
        }
    }

    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        if let Some(root) = params["rootUri"].as_str() {
            self.root = root.to_owned();
        }
        let document = &params["textDocument"];
        if let (Some(uri), version) = (document["uri"].as_str(), &document["version"])
            && !version.is_null()
        {
            self.versions.insert(uri.to_owned(), version.clone());
        }
    }

    fn handle(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else { return };
        let file = message["params"]["textDocument"]["uri"].as_str().and_then(|uri| uri.rsplit('/').next());
        let of_file = format!("{method} {}", file.unwrap_or_default());
        let steps = self.steps(&of_file).or_else(|| self.steps(method));
        let answered = match steps {
            Some(steps) => self.play(&steps, message),
            None => false,
        };
        let is_request = !message["id"].is_null();
        match method {
            _ if answered => {}
            "initialize" => {
                let mut capabilities = json!({ "textDocumentSync": 1 });
                if let Some(own) = self.script["capabilities"].as_object() {
                    capabilities.as_object_mut().unwrap().extend(own.clone());
                }
                let known = json!({ "name": "fake-ls", "version": "1" });
                let info =
                    if self.script["server_info"].is_null() { &known } else { &self.script["server_info"] };
                self.result(message, &json!({ "capabilities": capabilities, "serverInfo": info }));
            }
            "shutdown" => self.result(message, &Value::Null),
            "exit" if self.script["ignore_end"] != true => std::process::exit(0),
            method if is_request && self.script["on"][method].is_null() => {
                let steps = self.script["default"].clone();
                if !self.play(&steps, message) {
                    let error = json!({ "code": -32601, "message": format!("no {method} here") });
                    send(&json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }));
                }
            }
            _ => {}
        }
    }

    fn steps(&mut self, method: &str) -> Option<Value> {
        let steps = self.script["on"][method].as_array()?;
        if !steps.first().is_some_and(Value::is_array) {
            return Some(Value::Array(steps.clone()));
        }
        let turn = self.turns.entry(method.to_owned()).or_default();
        let now = steps[(*turn).min(steps.len() - 1)].clone();
        *turn += 1;
        Some(now)
    }

    /// Whether the message is answered with that, or not to be answered.
    fn play(&mut self, steps: &Value, message: &Value) -> bool {
        let mut answered = false;
        for step in steps.as_array().into_iter().flatten() {
            let (what, value) = step.as_object().unwrap().iter().next().unwrap();
            let value = self.filled(value, message);
            answered |=
                matches!(what.as_str(), "answer" | "error" | "answer_as" | "answer_huge" | "hang" | "hold");
            self.step(what, &value, message);
        }
        answered
    }

    fn step(&mut self, what: &str, value: &Value, message: &Value) {
        let text = || value.as_str().expect("a string");
        match what {
            "answer" => self.result(message, value),
            "error" => send(&json!({ "jsonrpc": "2.0", "id": message["id"], "error": value })),
            "answer_as" => send(&json!({ "jsonrpc": "2.0", "id": value["id"], "result": value["result"] })),
            "answer_huge" => {
                let bytes = usize::try_from(value.as_u64().unwrap()).unwrap();
                // Not by way of a JSON value, which takes seconds in an unoptimised build.
                let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":\"", message["id"]);
                write(format!("Content-Length: {}\r\n\r\n{head}", head.len() + bytes + 2).as_bytes());
                write(&vec![b'x'; bytes]);
                write(b"\"}");
            }
            "hang" => {}
            "hold" => self.held.push(message["id"].clone()),
            "release" => {
                for id in std::mem::take(&mut self.held) {
                    send(&json!({ "jsonrpc": "2.0", "id": id, "result": value }));
                }
            }
            "notify" => {
                send(&json!({ "jsonrpc": "2.0", "method": value["method"], "params": value["params"] }))
            }
            "request" => {
                self.own_requests += 1;
                let id = format!("own-{}", self.own_requests);
                send(
                    &json!({ "jsonrpc": "2.0", "id": id, "method": value["method"], "params": value["params"] }),
                );
            }
            "progress" => {
                let params = json!({ "token": value[0], "value": value[1] });
                send(&json!({ "jsonrpc": "2.0", "method": "$/progress", "params": params }));
            }
            "raw" => write(text().as_bytes()),
            "raw_message" => write(format!("Content-Length: {}\r\n\r\n{}", text().len(), text()).as_bytes()),
            "stderr" => eprintln!("{}", text()),
            "exit" => std::process::exit(i32::try_from(value.as_i64().unwrap()).unwrap()),
            "abort" => std::process::abort(),
            // Opening waits for the other side: an event, no sleep.
            "wait_for" => drop(OpenOptions::new().read(true).open(text()).unwrap()),
            "tell" => {
                let mut fifo = OpenOptions::new().write(true).open(text()).unwrap();
                let method = message["method"].as_str().unwrap_or("start");
                fifo.write_all(format!("{method}\n").as_bytes()).unwrap();
            }
            "write" => {
                let field = |name: &str| value[name].as_str().expect("a string").to_owned();
                std::fs::write(field("file"), field("text")).unwrap();
            }
            "take_memory" => {
                let mebibytes = usize::try_from(value.as_u64().unwrap()).unwrap();
                // Not zero: pages that were only zeroed take no physical memory.
                self.taken.push(vec![1; mebibytes << 20]);
            }
            "grandchild" => {
                let mut grandchild = Command::new(std::env::current_exe().unwrap());
                let grandchild =
                    grandchild.arg(GRANDCHILD).stdin(Stdio::null()).stdout(Stdio::null()).spawn();
                let pid = grandchild.unwrap().id();
                std::fs::write(text(), pid.to_string()).unwrap();
            }
            "forever" => forever(),
            unknown => panic!("no step is called {unknown:?}"),
        }
    }

    fn result(&self, message: &Value, result: &Value) {
        send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
    }

    fn filled(&self, value: &Value, message: &Value) -> Value {
        let uri = message["params"]["textDocument"]["uri"].as_str().unwrap_or_default();
        match value {
            Value::String(text) => match text.as_str() {
                "{version}" => self.versions.get(uri).cloned().unwrap_or_default(),
                "{message}" => message.clone(),
                "{id}" => message["id"].clone(),
                "{pid}" => std::process::id().into(),
                text => text.replace("{root}", &self.root).replace("{uri}", uri).into(),
            },
            Value::Array(values) => values.iter().map(|value| self.filled(value, message)).collect(),
            Value::Object(fields) => {
                let filled = fields.iter().map(|(key, value)| (key.clone(), self.filled(value, message)));
                Value::Object(filled.collect())
            }
            other => other.clone(),
        }
    }
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn send(message: &Value) {
    let body = message.to_string();
    write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
}

fn write(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    // Nobody reads any more: what is to be done about that is the script's business.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}
