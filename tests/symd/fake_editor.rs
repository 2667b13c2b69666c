//! An editor for tests: runs `symd lsp` and sends what it is told, right or wrong. Real editors are in `neovim`
//! and `emacs`; this one does what they cannot be made to do.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};

use serde_json::{Value, json};

use crate::support::{PATIENCE, User};

/// Messages that no test has taken yet; then symd's output is not read.
const QUEUE: usize = 1_024;

pub struct FakeEditor {
    pub process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    last_id: u64,
    /// What came while something else was awaited.
    pub heard: Vec<Value>,
}

impl FakeEditor {
    /// Starts `symd lsp` without a word.
    pub fn silent(user: &User) -> FakeEditor {
        FakeEditor::reading(user, Stdio::piped())
    }

    /// Starts `symd lsp` with this stdin.
    pub fn reading(user: &User, stdin: Stdio) -> FakeEditor {
        let mut command = user.symd();
        let mut process = command.arg("lsp").stdin(stdin).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take(), process.stdout.take().unwrap());
        let (sender, messages) = std::sync::mpsc::sync_channel(QUEUE);
        std::thread::spawn(move || read_all(BufReader::new(output), &sender));
        FakeEditor { process, input, messages, last_id: 0, heard: Vec::new() }
    }

    /// Starts `symd lsp` for the user's project.
    pub fn new(user: &User) -> FakeEditor {
        FakeEditor::with(user, json!({}))
    }

    /// Starts `symd lsp` for the user's project, with these members added to the capabilities.
    pub fn with(user: &User, capabilities: Value) -> FakeEditor {
        let mut editor = FakeEditor::silent(user);
        let folder = json!({ "uri": uri(user, "project"), "name": "project" });
        let answer = editor.ask(
            "initialize",
            json!({
                "processId": null, "clientInfo": { "name": "fake", "version": "1" },
                "workspaceFolders": [folder], "capabilities": capabilities,
            }),
        );
        assert_eq!(answer["result"]["serverInfo"]["name"], "symd", "{answer}");
        editor.tell("initialized", json!({}));
        editor
    }

    /// Starts `symd lsp` for the user's project, in an editor that saves on request.
    pub fn saving(user: &User, capabilities: Value) -> FakeEditor {
        let mut editor = FakeEditor::silent(user);
        editor.ask(
            "initialize",
            json!({
                "clientInfo": { "name": "fake", "version": "1" }, "rootUri": uri(user, "project"),
                "capabilities": capabilities, "initializationOptions": { "symd": { "saves": true } },
            }),
        );
        editor
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Returns the next message; `None` when symd has ended.
    pub fn receive(&mut self) -> Option<Value> {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("symd lsp sends nothing"),
        }
    }

    /// Returns the next message, if one comes in this time.
    pub fn receive_within(&mut self, time: std::time::Duration) -> Option<Value> {
        self.messages.recv_timeout(time).ok()
    }

    /// Closes symd's stdin, as the end of the editor does.
    pub fn close_pipe(&mut self) {
        self.input = None;
    }

    /// Returns the next message that `is_meant`; keeps the others in `heard`.
    pub fn await_message(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive().expect("symd lsp still runs");
            if is_meant(&message) {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = json!(self.last_id);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.await_message(|message| message["id"] == id && message.get("method").is_none())
    }

    pub fn open(&mut self, uri: &str, version: i64, text: &str) {
        let item = json!({ "uri": uri, "languageId": "python", "version": version, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": item }));
    }

    /// Replaces what lies between two places, each a line and a character, both 0-based.
    pub fn change(&mut self, uri: &str, version: i64, [a, b, c, d]: [u32; 4], text: &str) {
        let range = json!({ "start": { "line": a, "character": b }, "end": { "line": c, "character": d } });
        self.tell(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version },
                "contentChanges": [{ "range": range, "text": text }],
            }),
        );
    }

    /// Replaces the whole text.
    pub fn rewrite(&mut self, uri: &str, version: i64, text: &str) {
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": text }] }),
        );
    }

    pub fn save(&mut self, uri: &str) {
        self.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    }

    pub fn close(&mut self, uri: &str) {
        self.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// Returns the next request of symd's with this method.
    pub fn await_request(&mut self, method: &str) -> Value {
        self.await_message(|message| message["method"] == method && message.get("id").is_some())
    }

    pub fn reply(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    /// Waits until everything sent so far has reached the daemon of the user's project.
    pub fn settle(&mut self) {
        let answer = self.ask("workspace/executeCommand", json!({ "command": "symd.status" }));
        assert!(answer.get("result").is_some(), "{answer}");
    }

    /// Waits until another daemon than `pid` knows what the editor has open.
    #[track_caller]
    pub fn await_restart(&mut self, pid: u64) {
        let is_another = |editor: &mut FakeEditor| {
            let status = editor.ask("workspace/executeCommand", json!({ "command": "symd.status" }));
            status["result"]["pid"].as_u64().is_some_and(|now| now != pid)
        };
        assert!((0..100).any(|_| is_another(self)), "no daemon was started");
    }

    /// Ends the conversation as LSP demands; returns the exit code.
    pub fn leave(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.process.wait().unwrap().code()
    }

    /// Closes symd's stdin; returns the exit code.
    pub fn hang_up(mut self) -> Option<i32> {
        self.input = None;
        self.process.wait().unwrap().code()
    }
}

impl Drop for FakeEditor {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read_all(mut output: BufReader<ChildStdout>, messages: &SyncSender<Value>) {
    loop {
        let mut length = 0;
        loop {
            let mut header = String::new();
            if !matches!(output.read_line(&mut header), Ok(read) if read > 0) {
                return;
            }
            match header.trim_end().strip_prefix("Content-Length: ") {
                Some(bytes) => length = bytes.parse().unwrap(),
                None if header.trim_end().is_empty() => break,
                None => panic!("{header:?} is no header"),
            }
        }
        let mut body = vec![0; length];
        if output.read_exact(&mut body).is_err()
            || messages.send(serde_json::from_slice(&body).unwrap()).is_err()
        {
            return;
        }
    }
}

/// Returns the URI of one of the user's files.
pub fn uri(user: &User, path: &str) -> String {
    format!("file://{}", user.path(path).display())
}
