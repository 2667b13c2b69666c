//! The physical limit: the bare server with a client that only frames messages.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The niceness of symd's servers (`lsp::supervise`).
const NICENESS: &str = "10";

pub(crate) struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    root: PathBuf,
    id: u64,
}

impl Bare {
    /// Starts the server and initializes it, with the same niceness as symd's own servers: otherwise a
    /// difference under load would be measured.
    pub(crate) fn start(program: &Path, arguments: &[&str], root: &Path) -> Bare {
        let mut command = Command::new("nice");
        command.args(["-n", NICENESS]).arg(program).args(arguments).current_dir(root);
        Bare::run(command, root, &Value::Null)
    }

    /// Starts a language server by this command and initializes it with these options.
    pub(crate) fn run(mut command: Command, root: &Path, options: &Value) -> Bare {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut bare = Bare { child, input, output, root: root.to_owned(), id: 0 };
        let uri = bare.uri("");
        let folder = json!([{"uri": uri, "name": "tree"}]);
        let capabilities = json!({
            "general": {"positionEncodings": ["utf-8", "utf-16"]},
            "window": {"workDoneProgress": true},
            "workspace": {"workspaceFolders": true, "configuration": true},
            "textDocument": {"definition": {"linkSupport": true}, "callHierarchy": {}},
        });
        bare.request(
            "initialize",
            &json!({
                "processId": std::process::id(), "rootUri": uri, "workspaceFolders": folder,
                "capabilities": capabilities, "initializationOptions": options,
            }),
        );
        bare.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        bare
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        let whole = if path.is_empty() { self.root.clone() } else { self.root.join(path) };
        format!("file://{}", whole.display())
    }

    /// Returns the file of a URI, relative to the root.
    pub(crate) fn path_of<'a>(&self, uri: &'a str) -> &'a str {
        uri.strip_prefix(&format!("file://{}/", self.root.display())).unwrap_or(uri)
    }

    pub(crate) fn open(&mut self, path: &str) {
        let text = std::fs::read_to_string(self.root.join(path)).unwrap();
        let document = json!({"uri": self.uri(path), "languageId": "python", "version": 1, "text": text});
        self.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}));
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut message = self.receive();
            if let Some(asked) = message["method"].as_str() {
                if message["id"].is_null() {
                    continue;
                }
                let items = message["params"]["items"].as_array().map_or(0, Vec::len);
                let result = if asked == "workspace/configuration" {
                    json!(vec![Value::Null; items])
                } else {
                    Value::Null
                };
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                self.send(&answer);
            } else if message["id"] == json!(id) {
                return message["result"].take();
            }
        }
    }

    fn send(&mut self, message: &Value) {
        let body = serde_json::to_vec(message).unwrap();
        write!(self.input, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        self.input.write_all(&body).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the bare server ended");
            match line.trim().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().unwrap()
                }
                Some(_) => {}
                None if line.trim().is_empty() => break,
                None => panic!("{line:?} is not a header"),
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
