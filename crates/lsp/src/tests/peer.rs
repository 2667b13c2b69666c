//! A scripted server: the test determines every message.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::DocumentPosition;
use crate::server_event::ServerEvent;
use crate::session::{Session, SessionConfig};
use symd_base::{ContentHash, RelPath};
use symd_config::Languages;
use symd_rpc::framing::{Frame, Frames, append};
use symd_vfs::Root;

/// The server's end of the pipes.
pub(super) struct Peer {
    frames: Frames<DuplexStream>,
    pub(super) writer: DuplexStream,
}

/// Creates the client's ends (to read from, to write to) and the server's.
pub(super) fn pipes() -> (DuplexStream, DuplexStream, Peer) {
    let (reader, writer) = tokio::io::duplex(1 << 16);
    let (peer_reader, client_writer) = tokio::io::duplex(1 << 16);
    (reader, client_writer, Peer { frames: Frames::new(peer_reader, "client"), writer })
}

impl Peer {
    /// Returns the client's next message; `None` when it has closed the pipe.
    pub(super) async fn next(&mut self) -> Option<Value> {
        match self.frames.next().await.unwrap() {
            Frame::Body(body) => Some(serde_json::from_slice(&body).unwrap()),
            Frame::End => None,
            Frame::TooLong(_) => panic!("the client wrote too much"),
        }
    }

    /// Returns the next message, which must have this method.
    pub(super) async fn expect(&mut self, method: &str) -> Value {
        let message = self.next().await.expect("the client closed the pipe");
        assert_eq!(message["method"], method, "{message}");
        message
    }

    pub(super) async fn say(&mut self, message: Value) {
        self.say_text(&message.to_string()).await;
    }

    pub(super) async fn say_text(&mut self, body: &str) {
        let mut bytes = Vec::new();
        append(&mut bytes, body.as_bytes());
        self.say_bytes(&bytes).await;
    }

    pub(super) async fn say_bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub(super) async fn answer(&mut self, request: &Value, result: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    pub(super) async fn refuse(&mut self, request: &Value, code: i64) {
        let error = json!({"code": code, "message": "no"});
        self.say(json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    }

    /// Sends the client a request and returns its response.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.say(json!({"jsonrpc": "2.0", "id": "q", "method": method, "params": params})).await;
        let answer = self.next().await.expect("an answer");
        assert_eq!(answer["id"], "q", "{answer}");
        answer
    }
}

/// A project on disk, a session with a scripted server, and that server.
pub(super) struct Stage {
    pub(super) folder: TempDir,
    pub(super) root: Arc<Root>,
    pub(super) session: Arc<Session>,
    pub(super) facts: mpsc::Receiver<ServerEvent>,
    pub(super) peer: Peer,
    /// The parameters of `initialize`.
    pub(super) introduction: Value,
}

impl Stage {
    /// Creates a project with these files, and a server with these capabilities.
    pub(super) async fn new(files: &[(&str, &str)], capabilities: Value) -> Stage {
        Stage::with_timeout(files, capabilities, Duration::from_secs(60)).await
    }

    /// Like [`Stage::new`], with `timeout` for each request.
    pub(super) async fn with_timeout(
        files: &[(&str, &str)],
        capabilities: Value,
        timeout: Duration,
    ) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(&folder, path, text.as_bytes());
        }
        let root = Arc::new(Root::open(folder.path()).unwrap());
        let languages = Languages::builtin().clone();
        let setup = SessionConfig {
            server: "peer".to_owned(),
            server_root: root.path().to_owned(),
            files: root.clone(),
            log_message: None,
            config: json!({"peer": {"level": {"deep": 3}}, "flat.key": true}),
            group: None,
            timeout,
            language: languages.by_name("python").unwrap(),
            languages,
        };
        let (reader, writer, mut peer) = pipes();
        let opening = tokio::spawn(Session::open(reader, writer, setup, far()));
        let initialize = peer.expect("initialize").await;
        let answer = json!({"capabilities": capabilities, "serverInfo": {"name": "Peer", "version": "1.2"}});
        peer.answer(&initialize, answer).await;
        peer.expect("initialized").await;
        peer.expect("workspace/didChangeConfiguration").await;
        let (session, facts) = opening.await.unwrap().unwrap();
        let introduction = initialize["params"].clone();
        Stage { folder, root, session, facts, peer, introduction }
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        write(&self.folder, path, text.as_bytes());
    }

    /// Returns the place of `needle` in a file as it is on disk.
    pub(super) fn at(&self, path: &str, needle: &str) -> DocumentPosition {
        let path = RelPath::new(path).unwrap();
        let bytes = self.root.read(&path).unwrap().bytes;
        let offset = String::from_utf8_lossy(&bytes).find(needle).expect("the needle is there");
        DocumentPosition {
            path,
            offset: u32::try_from(offset).unwrap(),
            hash: ContentHash::of(&bytes),
            revision: 1,
        }
    }

    pub(super) fn uri(&self, path: &str) -> String {
        crate::uri::of_file(self.root.path(), &RelPath::new(path).unwrap())
    }
}

#[allow(clippy::disallowed_methods)]
pub(super) fn write(folder: &TempDir, path: &str, bytes: &[u8]) {
    let path = folder.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Returns a deadline that no test reaches.
pub(super) fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// Returns an LSP range on one line.
pub(super) fn range(line: u32, start: u32, end: u32) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

/// Returns the capabilities of a server that supports everything and takes incremental changes.
pub(super) fn able() -> Value {
    json!({
        "textDocumentSync": 2,
        "referencesProvider": true,
        "definitionProvider": {},
        "hoverProvider": true,
        "signatureHelpProvider": {},
        "callHierarchyProvider": true,
        "typeHierarchyProvider": true,
        "documentSymbolProvider": true,
        "codeActionProvider": {"resolveProvider": true},
    })
}
