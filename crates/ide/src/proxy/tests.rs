//! The proxy between an editor and a daemon that both do what a test says.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{Announce, Connect, serve};
use crate::wire::OPEN;
use symd_rpc::framing;

#[tokio::test]
async fn a_daemon_that_could_not_read_a_message_is_told_everything_again() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    std::fs::create_dir(root.join(".git")).unwrap();
    let (daemons, connected) = sync_channel(4);
    let connect: Connect = Arc::new(move |_, _| {
        let (ours, daemon) = UnixStream::pair().map_err(|error| error.to_string())?;
        daemons.send(daemon).map_err(|error| error.to_string())?;
        Ok(ours)
    });
    let announce: Announce = Arc::new(|_| Err("no daemon looks".to_owned()));
    let (mut editor, input) = tokio::io::duplex(65_536);
    let served = tokio::spawn(serve((announce, connect), input, tokio::io::sink()));
    let uri = |path: &str| format!("file://{}", root.join(path).display());
    let item = json!({ "uri": uri("a.py"), "languageId": "python", "version": 1, "text": "typed = 1\n" });
    let mut sent = Vec::new();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "rootUri": uri("") } }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": item } }),
    ] {
        framing::append(&mut sent, message.to_string().as_bytes());
    }
    editor.write_all(&sent).await.unwrap();
    let told = tokio::task::spawn_blocking(move || {
        for _ in 0..2 {
            let mut daemon = connected.recv().unwrap();
            let mut lines = BufReader::new(daemon.try_clone().unwrap()).lines();
            assert!(
                lines.any(|line| line.is_ok_and(|line| line.contains(OPEN) && line.contains("typed = 1")))
            );
            let error =
                json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600, "message": "too long" } });
            daemon.write_all(format!("{error}\n").as_bytes()).unwrap();
        }
    });
    told.await.unwrap();
    drop(editor);
    served.await.unwrap();
}

#[tokio::test]
async fn a_command_is_answered_though_its_project_is_closed() {
    let announce: Announce = Arc::new(|_| Err("no daemon looks".to_owned()));
    let connect: Connect = Arc::new(|_, _| {
        // A daemon that never answers.
        let (ours, daemon) = UnixStream::pair().map_err(|error| error.to_string())?;
        std::mem::forget(daemon);
        Ok(ours)
    });
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    std::fs::create_dir(root.join(".git")).unwrap();
    let (mut editor, input) = tokio::io::duplex(65_536);
    let (output, mut answers) = tokio::io::duplex(65_536);
    let served = tokio::spawn(serve((announce, connect), input, output));
    let root = format!("file://{}", root.display());
    let mut sent = Vec::new();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "rootUri": root } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "workspace/executeCommand", "params": { "command": "symd.status" } }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "shutdown" }),
        json!({ "jsonrpc": "2.0", "method": "exit" }),
    ] {
        framing::append(&mut sent, message.to_string().as_bytes());
    }
    editor.write_all(&sent).await.unwrap();
    served.await.unwrap();
    let mut told = String::new();
    answers.read_to_string(&mut told).await.unwrap();
    assert!(told.contains("its project was closed"), "{told}");
}
