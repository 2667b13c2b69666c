//! `symd lsp` over sockets and named pipes, as some editors start it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{CWD, Mode, OFlags};
use serde_json::{Value, json};

use crate::fake_editor::FakeEditor;
use crate::support::User;

const REQUESTS: u64 = 500;

fn framed(message: &Value) -> String {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

/// Returns requests from the first to the last of a conversation, and the exit.
fn conversation() -> String {
    let request = |id: u64, method: &str, params: Value| {
        framed(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    };
    let mut text = request(0, "initialize", json!({ "capabilities": {} }));
    text.extend((1..REQUESTS).map(|id| request(id, "no/method", json!({}))));
    text.push_str(&request(REQUESTS, "shutdown", Value::Null));
    text + &framed(&json!({ "jsonrpc": "2.0", "method": "exit" }))
}

fn is_writable(socket: &UnixStream) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::event::poll(&mut [PollFd::new(socket, PollFlags::OUT)], Some(&now)).unwrap() > 0
}

#[test]
fn over_a_socket_every_answer_arrives_however_late_it_is_read() {
    for is_stderr in [false, true] {
        let user = User::new();
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        // The kernel makes it as large as it must be: a few answers.
        rustix::net::sockopt::set_socket_send_buffer_size(&theirs, 1).unwrap();
        let flags = rustix::fs::fcntl_getfl(&theirs).unwrap();
        let end = || Stdio::from(OwnedFd::from(theirs.try_clone().unwrap()));
        let mut command = user.symd();
        command.arg("lsp").stdin(end()).stdout(end());
        let mut process = command.stderr(if is_stderr { end() } else { Stdio::inherit() }).spawn().unwrap();
        // It holds the streams of symd.
        drop(command);
        ours.write_all(conversation().as_bytes()).unwrap();
        while is_writable(&theirs) && process.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let during = rustix::fs::fcntl_getfl(&theirs).unwrap();
        let ending = std::thread::spawn(move || {
            let status = process.wait().unwrap();
            (status.code(), rustix::fs::fcntl_getfl(&theirs).unwrap())
        });
        let mut answers = String::new();
        ours.read_to_string(&mut answers).unwrap();
        let missing: Vec<u64> = (0..=REQUESTS)
            .filter(|id| {
                !answers.contains(&format!("\"id\":{id},")) && !answers.contains(&format!("\"id\":{id}}}"))
            })
            .collect();
        let (exit, after) = ending.join().unwrap();
        assert_eq!(missing, [0; 0], "{answers}");
        assert_eq!(exit, Some(0));
        // Other processes share the description, so it blocks as before.
        assert_eq!((during, after), (flags, flags));
    }
}

#[test]
fn a_named_pipe_that_was_closed_before_symd_began_has_ended() {
    let user = User::new();
    let name = user.path("fifo");
    rustix::fs::mknodat(CWD, &name, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    // Opened by a writer too, or it would be waited for.
    let writer = rustix::fs::open(&name, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap();
    let reader = File::open(&name).unwrap();
    drop(writer);
    let mut editor = FakeEditor::reading(&user, reader.into());
    assert_eq!(editor.receive(), None);
    assert_eq!(editor.process.wait().unwrap().code(), Some(1));
}
