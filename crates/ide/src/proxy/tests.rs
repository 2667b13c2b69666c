//! The proxy between an editor and a daemon that both do what a test says.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;

use super::{Connect, LinkLimits, ProxyEnd, ProxyHooks, ProxyLimits, StartPolicy, serve, serve_within};
use crate::wire::{ATTACH, LOST, NAVIGATE, OPEN, STOPPING};
use symd_rpc::framing;
use symd_sys::file_watch::FileWatch;

/// A project, and the messages with which its editor begins and opens a file of it.
struct EditedProject {
    directory: tempfile::TempDir,
}

impl EditedProject {
    fn new() -> EditedProject {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join(".git")).unwrap();
        EditedProject { directory }
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}", self.directory.path().canonicalize().unwrap().join(path).display())
    }

    fn begin(&self) -> Vec<u8> {
        let params = json!({ "rootUri": self.uri("") });
        framed(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }))
    }

    /// The whole text of the opened file, at a version.
    fn change(&self, version: i64, text: &str) -> Vec<u8> {
        let document = json!({ "uri": self.uri("a.py"), "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        framed(&json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params }))
    }

    fn open(&self, text: &str) -> Vec<u8> {
        self.open_as("a.py", text)
    }

    fn open_as(&self, path: &str, text: &str) -> Vec<u8> {
        let item = json!({ "uri": self.uri(path), "languageId": "python", "version": 1, "text": text });
        let params = json!({ "textDocument": item });
        framed(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }))
    }
}

fn framed(message: &serde_json::Value) -> Vec<u8> {
    let mut frame = Vec::new();
    framing::append(&mut frame, message.to_string().as_bytes());
    frame
}

/// Serves an editor that reads nothing; returns its end, and the task.
fn served_within(link: LinkLimits, connect: Connect) -> (DuplexStream, JoinHandle<ProxyEnd>) {
    let limits = ProxyLimits { link, ..ProxyLimits::default() };
    let (editor, input) = tokio::io::duplex(65_536);
    (editor, tokio::spawn(serve_within(limits, hooks(connect), input, tokio::io::sink())))
}

fn hooks(connect: Connect) -> ProxyHooks {
    let announce = Arc::new(|_: &std::path::Path, _: &str| Err("no daemon looks".to_owned()));
    let watch_socket = Arc::new(|_: &std::path::Path| Err(std::io::ErrorKind::Unsupported.into()));
    ProxyHooks { announce, connect, watch_socket, ask_trust: Arc::new(|_| None) }
}

/// Returns the way to daemons that the test plays: each connection is sent to it.
fn played_daemons() -> (Connect, Receiver<UnixStream>) {
    let (daemons, connected): (SyncSender<UnixStream>, _) = sync_channel(16);
    let connect: Connect = Arc::new(move |_, _| {
        let (ours, daemon) = UnixStream::pair().map_err(|error| error.to_string())?;
        daemons.send(daemon).map_err(|error| error.to_string())?;
        Ok(ours)
    });
    (connect, connected)
}

#[tokio::test]
async fn daemons_that_end_at_once_are_connected_ever_more_slowly() {
    let project = EditedProject::new();
    let (times, connected) = sync_channel(16);
    let connect: Connect = Arc::new(move |_, policy| {
        if policy == StartPolicy::JoinOnly {
            return Err("no daemon runs".to_owned());
        }
        times.send(Instant::now()).map_err(|error| error.to_string())?;
        // The daemon's end is closed at once.
        UnixStream::pair().map(|(ours, _)| ours).map_err(|error| error.to_string())
    });
    let limits = LinkLimits {
        rest: Duration::from_millis(20),
        short_lived: Duration::from_secs(3_600),
        ..LinkLimits::default()
    };
    let (mut editor, served) = served_within(limits, connect);
    editor.write_all(&project.begin()).await.unwrap();
    let times = tokio::task::spawn_blocking(move || connected.iter().take(6).collect::<Vec<Instant>>());
    let times = times.await.unwrap();
    // The second at once, then after 20, 40, 80, 160 ms at least.
    for (number, least) in [(2, 20), (3, 40), (4, 80), (5, 160)] {
        let gap = times[number] - times[number - 1];
        assert!(gap >= Duration::from_millis(least), "{number}: {gap:?}");
    }
    drop(editor);
    served.await.unwrap();
}

#[tokio::test]
async fn a_daemon_that_does_not_read_is_given_up() {
    let project = EditedProject::new();
    let (connect, connected) = played_daemons();
    let limits = LinkLimits { write: Duration::from_millis(50), ..LinkLimits::default() };
    let (mut editor, served) = served_within(limits, connect);
    editor.write_all(&project.begin()).await.unwrap();
    editor.write_all(&project.open(&"long = 1\n".repeat(1 << 18))).await.unwrap();
    let told = tokio::task::spawn_blocking(move || {
        let _hung = connected.recv().unwrap();
        let next = connected.recv().unwrap();
        let mut lines = BufReader::new(next).lines();
        assert!(lines.any(|line| line.is_ok_and(|line| line.contains(OPEN))));
    });
    told.await.unwrap();
    drop(editor);
    served.await.unwrap();
}

#[tokio::test]
async fn a_message_of_the_editor_that_is_too_long_loses_what_it_may_have_changed() {
    let project = EditedProject::new();
    let (connect, connected) = played_daemons();
    let limits = ProxyLimits { message_bytes: 4_096, ..ProxyLimits::default() };
    let (mut editor, input) = tokio::io::duplex(65_536);
    let served = tokio::spawn(serve_within(limits, hooks(connect), input, tokio::io::sink()));
    editor.write_all(&project.begin()).await.unwrap();
    editor.write_all(&project.open("typed = 1\n")).await.unwrap();
    let (opened, knows) = tokio::sync::oneshot::channel();
    let told = tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(connected.recv().unwrap()).lines();
        let mut heard = |what: &str| lines.any(|line| line.is_ok_and(|line| line.contains(what)));
        assert!(heard(OPEN));
        opened.send(()).unwrap();
        assert!(heard(LOST));
        assert!(heard("typed = 2"), "the conversation goes on");
    });
    knows.await.unwrap();
    editor.write_all(&project.open(&"x".repeat(5_000))).await.unwrap();
    editor.write_all(&project.open("typed = 2\n")).await.unwrap();
    told.await.unwrap();
    drop(editor);
    served.await.unwrap();
}

#[tokio::test]
async fn a_daemon_that_could_not_read_a_message_is_told_everything_again() {
    let project = EditedProject::new();
    let (connect, connected) = played_daemons();
    let (mut editor, input) = tokio::io::duplex(65_536);
    let served = tokio::spawn(serve(hooks(connect), input, tokio::io::sink()));
    editor.write_all(&project.begin()).await.unwrap();
    editor.write_all(&project.open("typed = 1\n")).await.unwrap();
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
    let connect: Connect = Arc::new(|_, _| {
        // A daemon that never answers.
        let (ours, daemon) = UnixStream::pair().map_err(|error| error.to_string())?;
        std::mem::forget(daemon);
        Ok(ours)
    });
    let project = EditedProject::new();
    let (mut editor, input) = tokio::io::duplex(65_536);
    let (output, mut answers) = tokio::io::duplex(65_536);
    let served = tokio::spawn(serve(hooks(connect), input, output));
    let mut sent = project.begin();
    for message in [
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

#[tokio::test]
async fn a_command_tells_its_progress_and_can_be_cancelled() {
    let project = EditedProject::new();
    let (connect, connected) = played_daemons();
    let (mut editor, input) = tokio::io::duplex(65_536);
    let (output, answers) = tokio::io::duplex(65_536);
    let served = tokio::spawn(serve(hooks(connect), input, output));
    let command = |id: u64, name: &str, token: serde_json::Value| {
        let params = json!({ "command": name, "workDoneToken": token });
        framed(&json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/executeCommand", "params": params }))
    };
    editor.write_all(&project.begin()).await.unwrap();
    editor.write_all(&command(7, "symd.history", json!("t"))).await.unwrap();
    editor.write_all(&command(8, "symd.status", json!(null))).await.unwrap();
    let (asked, is_asked) = tokio::sync::oneshot::channel();
    let daemon = tokio::task::spawn_blocking(move || {
        let mut daemon = connected.recv().unwrap();
        let mut messages = BufReader::new(daemon.try_clone().unwrap())
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(&line.unwrap()).unwrap());
        let mut await_method = |method: &str| messages.find(|message| message["method"] == method).unwrap();
        let history = await_method("symd/call");
        assert_eq!(history["params"]["progress"], true);
        let status = await_method("symd/status");
        let progress =
            json!({ "jsonrpc": "2.0", "method": "symd/progress", "params": { "doing": "reading" } });
        daemon.write_all(format!("{progress}\n").as_bytes()).unwrap();
        let answer = json!({ "jsonrpc": "2.0", "id": history["id"], "result": { "text": "done" } });
        daemon.write_all(format!("{answer}\n").as_bytes()).unwrap();
        asked.send(()).unwrap();
        assert_eq!(await_method("notifications/cancelled")["params"]["requestId"], status["id"]);
    });
    is_asked.await.unwrap();
    let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 8 } });
    editor.write_all(&framed(&cancel)).await.unwrap();
    daemon.await.unwrap();
    let mut frames = framing::Frames::new(answers, "symd");
    let mut told = Vec::new();
    let is_over = |message: &serde_json::Value| message["id"] == 7 || message["id"] == 8;
    while told.iter().filter(|message| is_over(message)).count() < 2 {
        let framing::Frame::Body(body) = frames.next().await.unwrap() else { panic!("{told:?}") };
        told.push(serde_json::from_slice::<serde_json::Value>(&body).unwrap());
    }
    let values = |message: &serde_json::Value| {
        (message["params"]["token"] == "t").then(|| message["params"]["value"].clone())
    };
    let kinds: Vec<String> =
        told.iter().filter_map(values).map(|value| value["kind"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["begin", "report", "end"], "{told:?}");
    let cancelled = told.iter().find(|message| message["id"] == 8).unwrap();
    assert_eq!(cancelled["error"]["code"], -32800, "{cancelled}");
    drop(editor);
    served.await.unwrap();
}

/// Returns the way to no daemon: each attempt to join one is sent to the receiver.
fn absent_daemons() -> (Connect, Receiver<Instant>) {
    let (tried, is_tried): (SyncSender<Instant>, _) = sync_channel(64);
    let connect: Connect = Arc::new(move |_, policy| {
        if policy == StartPolicy::JoinOnly {
            tried.send(Instant::now()).map_err(|error| error.to_string())?;
            return Err("no daemon runs".to_owned());
        }
        UnixStream::pair().map(|(ours, _)| ours).map_err(|error| error.to_string())
    });
    (connect, is_tried)
}

#[tokio::test]
async fn a_daemon_that_others_start_is_joined_when_its_socket_appears() {
    let project = EditedProject::new();
    let socket = project.directory.path().join("s.sock");
    let (connect, tried) = absent_daemons();
    // Without an event the test would wait for an hour.
    let hour = Duration::from_secs(3_600);
    let link = LinkLimits {
        look_first: hour,
        look_last: hour,
        short_lived: hour,
        rest: hour,
        ..LinkLimits::default()
    };
    let (mut editor, input) = tokio::io::duplex(65_536);
    let watched = socket.clone();
    let watch_socket = Arc::new(move |_: &std::path::Path| FileWatch::begin(&watched));
    let hooks = ProxyHooks { watch_socket, ..hooks(connect) };
    let limits = ProxyLimits { link, ..ProxyLimits::default() };
    let served = tokio::spawn(serve_within(limits, hooks, input, tokio::io::sink()));
    editor.write_all(&project.begin()).await.unwrap();
    let looked = tokio::task::spawn_blocking(move || {
        // The first sockets may come before the watch begins.
        (0..100).any(|_| {
            let listener = UnixListener::bind(&socket).unwrap();
            let is_tried = tried.recv_timeout(Duration::from_millis(100)).is_ok();
            drop(listener);
            symd_base::state::remove_file(&socket).unwrap();
            is_tried
        })
    });
    assert!(looked.await.unwrap());
    drop(editor);
    served.await.unwrap();
}

#[tokio::test]
async fn a_daemon_that_others_start_is_looked_for_ever_more_rarely_where_nothing_tells_of_it() {
    let project = EditedProject::new();
    let (connect, tried) = absent_daemons();
    let (first, hour) = (Duration::from_millis(10), Duration::from_secs(3_600));
    let look_last = Duration::from_millis(80);
    let limits =
        LinkLimits { look_first: first, look_last, short_lived: hour, rest: hour, ..LinkLimits::default() };
    let (mut editor, served) = served_within(limits, connect);
    editor.write_all(&project.begin()).await.unwrap();
    editor.write_all(&project.open("saved = 1\n")).await.unwrap();
    editor.write_all(&project.change(2, "typed = 1\n")).await.unwrap();
    let times = tokio::task::spawn_blocking(move || tried.iter().take(6).collect::<Vec<Instant>>());
    let times = times.await.unwrap();
    for (number, least) in [(1, 10), (2, 20), (3, 40), (4, 80), (5, 80)] {
        let gap = times[number] - times[number - 1];
        assert!(gap >= Duration::from_millis(least), "{number}: {gap:?}");
    }
    drop(editor);
    served.await.unwrap();
}

/// What a played daemon does with the first question of each connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlayedDaemon {
    Ends,
    Answers,
}

/// Asks for the symbols of an open file, and has these daemons hear it, one after the other. Before the second one is there the
/// document is changed if `is_changed`. Returns the editor's answer.
async fn asked_of(daemons: &'static [PlayedDaemon], is_changed: bool) -> serde_json::Value {
    let project = EditedProject::new();
    let (connections, connected): (SyncSender<UnixStream>, _) = sync_channel(16);
    let (opens, gate) = sync_channel::<()>(0);
    let gate = std::sync::Mutex::new((0, gate));
    let connect: Connect = Arc::new(move |_, _| {
        let (ours, daemon) = UnixStream::pair().map_err(|error| error.to_string())?;
        let mut gate = gate.lock().unwrap();
        gate.0 += 1;
        if gate.0 == 2 {
            // Until the other end is dropped.
            let _ = gate.1.recv();
        }
        connections.send(daemon).map_err(|error| error.to_string())?;
        Ok(ours)
    });
    let (mut editor, input) = tokio::io::duplex(65_536);
    let (output, answers) = tokio::io::duplex(65_536);
    let served = tokio::spawn(serve(hooks(connect), input, output));
    let params = json!({
        "rootUri": project.uri(""), "initializationOptions": { "symd": { "navigation": ["python"] } },
        "capabilities": { "textDocument": { "diagnostic": {} } },
    });
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    editor.write_all(&framed(&begin)).await.unwrap();
    editor.write_all(&project.open("saved = 1\n")).await.unwrap();
    let (asked, is_asked) = tokio::sync::oneshot::channel();
    let played = std::thread::spawn(move || {
        let mut asked = Some(asked);
        for does in daemons {
            let Ok(mut daemon) = connected.recv() else { return };
            let lines = BufReader::new(daemon.try_clone().unwrap()).lines();
            let mut messages = lines
                .map_while(Result::ok)
                .map(|line| serde_json::from_str::<serde_json::Value>(&line).unwrap());
            let Some(question) = messages.find(|message| message["method"] == NAVIGATE) else { return };
            if let Some(asked) = asked.take() {
                asked.send(()).unwrap();
            }
            if *does == PlayedDaemon::Answers {
                let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": ["found"] });
                daemon.write_all(format!("{answer}\n").as_bytes()).unwrap();
                // Until the editor leaves.
                messages.for_each(drop);
            }
        }
    });
    let ask = |id: u64, method: &str| {
        let params = json!({ "textDocument": { "uri": project.uri("a.py") } });
        framed(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    };
    let mut frames = framing::Frames::new(answers, "symd");
    let mut answer_to = async |id: u64| loop {
        let framing::Frame::Body(body) = frames.next().await.unwrap() else { panic!("no answer") };
        let message: serde_json::Value = serde_json::from_slice(&body).unwrap();
        if message["id"] == id {
            return message;
        }
    };
    editor.write_all(&ask(2, "textDocument/documentSymbol")).await.unwrap();
    is_asked.await.unwrap();
    if is_changed {
        editor.write_all(&project.change(2, "typed = 1\n")).await.unwrap();
        editor.write_all(&ask(3, "textDocument/documentHighlight")).await.unwrap();
        answer_to(3).await;
    }
    drop(opens);
    let answer = answer_to(2).await;
    drop(editor);
    served.await.unwrap();
    played.join().unwrap();
    answer
}

#[tokio::test]
async fn a_question_is_put_to_the_next_daemon_where_one_ends() {
    use PlayedDaemon::{Answers, Ends};
    let answer = asked_of(&[Ends, Answers], false).await;
    assert_eq!(answer["result"], json!(["found"]), "{answer}");
    let answer = asked_of(&[Ends, Ends], false).await;
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().starts_with("two daemons ended"), "{answer}");
}

#[tokio::test]
async fn a_question_about_a_text_that_was_changed_since_is_not_put_again() {
    let answer = asked_of(&[PlayedDaemon::Ends, PlayedDaemon::Answers], true).await;
    assert_eq!(answer["error"]["code"], -32801, "{answer}");
}

/// Returns the way to one daemon, and then to none: each attempt is told with its policy.
fn one_daemon() -> (Connect, Receiver<StartPolicy>, Receiver<UnixStream>) {
    let (attempts, attempted): (SyncSender<StartPolicy>, _) = sync_channel(64);
    let (daemons, connected): (SyncSender<UnixStream>, _) = sync_channel(16);
    let connect: Connect = Arc::new(move |_, policy| {
        attempts.send(policy).map_err(|error| error.to_string())?;
        if policy == StartPolicy::JoinOnly {
            return Err("no daemon runs".to_owned());
        }
        let (ours, daemon) = UnixStream::pair().map_err(|error| error.to_string())?;
        daemons.send(daemon).map_err(|error| error.to_string())?;
        Ok(ours)
    });
    (connect, attempted, connected)
}

fn say_that_it_stops(mut daemon: UnixStream) {
    let told = json!({ "jsonrpc": "2.0", "method": STOPPING });
    daemon.write_all(format!("{told}\n").as_bytes()).unwrap();
}

#[tokio::test]
async fn a_stopped_daemon_is_not_started_again_where_a_message_to_it_broke() {
    let project = EditedProject::new();
    let (connect, attempted, connected) = one_daemon();
    let (mut editor, input) = tokio::io::duplex(65_536);
    let (output, answers) = tokio::io::duplex(65_536);
    let link = LinkLimits { last_words: Duration::from_secs(3_600), ..LinkLimits::default() };
    let limits = ProxyLimits { link, ..ProxyLimits::default() };
    let served = tokio::spawn(serve_within(limits, hooks(connect), input, output));
    editor.write_all(&project.begin()).await.unwrap();
    let daemon = tokio::task::spawn_blocking(move || {
        let daemon = connected.recv().unwrap();
        // It hears nothing more, as one that has ended, and what it said before is still to be read.
        daemon.shutdown(std::net::Shutdown::Read).unwrap();
        (daemon, connected)
    });
    let (daemon, _connected) = daemon.await.unwrap();
    editor.write_all(&project.open("saved = 1\n")).await.unwrap();
    let asked = json!({ "jsonrpc": "2.0", "id": 2, "method": "unknown" });
    editor.write_all(&framed(&asked)).await.unwrap();
    let mut frames = framing::Frames::new(answers, "symd");
    loop {
        let framing::Frame::Body(body) = frames.next().await.unwrap() else { panic!("no answer") };
        if serde_json::from_slice::<serde_json::Value>(&body).unwrap()["id"] == 2 {
            break;
        }
    }
    let policies = tokio::task::spawn_blocking(move || {
        say_that_it_stops(daemon);
        attempted.iter().take(3).collect::<Vec<StartPolicy>>()
    });
    use StartPolicy::{JoinOnly, Start};
    assert_eq!(policies.await.unwrap(), [Start, JoinOnly, JoinOnly]);
    drop(editor);
    served.await.unwrap();
}

#[tokio::test]
async fn diagnostics_that_are_due_start_no_daemon_that_was_stopped() {
    let project = EditedProject::new();
    let (connect, attempted, connected) = one_daemon();
    // The diagnostics are due before the fourth look.
    let look = Duration::from_millis(100);
    let limits = LinkLimits { look_first: look, look_last: look, ..LinkLimits::default() };
    let (mut editor, served) = served_within(limits, connect);
    let params = json!({
        "rootUri": project.uri(""), "initializationOptions": { "symd": { "navigation": ["python"] } },
    });
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    editor.write_all(&framed(&begin)).await.unwrap();
    editor.write_all(&project.open("saved = 1\n")).await.unwrap();
    editor.write_all(&project.change(2, "typed = 1\n")).await.unwrap();
    let policies = tokio::task::spawn_blocking(move || {
        let daemon = connected.recv().unwrap();
        let mut lines = BufReader::new(daemon.try_clone().unwrap()).lines();
        assert!(lines.any(|line| line.is_ok_and(|line| line.contains("typed"))));
        drop(lines);
        say_that_it_stops(daemon);
        attempted.iter().take(8).collect::<Vec<StartPolicy>>()
    });
    let policies = policies.await.unwrap();
    assert_eq!(policies.iter().filter(|policy| **policy == StartPolicy::Start).count(), 1, "{policies:?}");
    drop(editor);
    served.await.unwrap();
}

#[tokio::test]
async fn documents_of_a_project_without_a_daemon_leave_the_others_their_diagnostics() {
    let (down, up) = (EditedProject::new(), EditedProject::new());
    let (daemons, connected): (SyncSender<UnixStream>, _) = sync_channel(16);
    let (answers, never) = sync_channel::<()>(0);
    let never = std::sync::Mutex::new(never);
    let down_root = down.directory.path().canonicalize().unwrap();
    let connect: Connect = Arc::new(move |root, _| {
        if root == down_root {
            // Until the other end is dropped.
            let _ = never.lock().unwrap().recv();
            return Err("no daemon runs".to_owned());
        }
        let (ours, daemon) = UnixStream::pair().map_err(|error| error.to_string())?;
        daemons.send(daemon).map_err(|error| error.to_string())?;
        Ok(ours)
    });
    let (mut editor, served) = served_within(LinkLimits::default(), connect);
    let folders = [&down, &up].map(|project| json!({ "uri": project.uri(""), "name": "project" })).to_vec();
    let params = json!({
        "workspaceFolders": folders, "initializationOptions": { "symd": { "navigation": ["python"] } },
    });
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    editor.write_all(&framed(&begin)).await.unwrap();
    let attached = tokio::task::spawn_blocking(move || {
        let daemon = connected.recv().unwrap();
        daemon.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut lines = BufReader::new(daemon).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains(ATTACH)));
        lines
    });
    let mut lines = attached.await.unwrap();
    for number in 0..9 {
        editor.write_all(&down.open_as(&format!("{number}.py"), "saved = 1\n")).await.unwrap();
    }
    // The last one that is due.
    editor.write_all(&up.open("saved = 1\n")).await.unwrap();
    let asked = tokio::task::spawn_blocking(move || {
        lines.any(|line| line.contains(NAVIGATE) && line.contains("diagnostic"))
    });
    assert!(asked.await.unwrap(), "the daemon that runs is asked");
    drop(answers);
    drop(editor);
    served.await.unwrap();
}
