//! Behaviour during a tool call: limits, cancellation, a client that disconnects or does not read. Runs the
//! connection in this process, with tools that wait for a signal.

use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use symd::config::settings::Limits;
use symd::serve::connection;
use symd::serve::daemon;
use symd::serve::host::{Host, Parts};
use symd::toolsets::{ApprovalDefault, Call, Reply, ReplyFuture, Run, Tool, Toolset};
use tokio::net::UnixStream;
use tokio::sync::{Notify, Semaphore};

use crate::support::{User, Wire, assert_error, call, modern, request};

static STARTED: Semaphore = Semaphore::const_new(0);
static STOPPED: Semaphore = Semaphore::const_new(0);
static RELEASE: Notify = Notify::const_new();
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// The static variables above are shared, so these tests run one at a time.
static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Exists as long as a call is in progress.
struct Working;

impl Drop for Working {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
        STOPPED.add_permits(1);
    }
}

fn wait(_: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async move {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        let _working = Working;
        // Registers before it reports that it has started.
        let released = RELEASE.notified();
        STARTED.add_permits(1);
        released.await;
        Reply::done("released")
    })
}

/// Checks nothing but its cancel flag, as a long loop does.
fn spin(call: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async move {
        STARTED.add_permits(1);
        let cancel = call.cancel;
        let looped = tokio::task::spawn_blocking(move || {
            while !cancel.is_cancelled() {
                std::thread::yield_now();
            }
            STOPPED.add_permits(1);
        });
        let _ = looped.await;
        Reply::failed("stopped")
    })
}

fn panics(_: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async { panic!("as this test wants it") })
}

fn big(_: Call<'_>) -> ReplyFuture<'_> {
    Box::pin(async { Reply::done("x".repeat(4 * 1024 * 1024)) })
}

fn schema() -> Value {
    json!({ "type": "object", "properties": {}, "required": [] })
}

const fn tool(name: &'static str, run: Run) -> Tool {
    Tool::read_only(name, name, name, schema, run)
}

static TOOLS: [Tool; 4] = [tool("wait", wait), tool("spin", spin), tool("panics", panics), tool("big", big)];
static SLOW: Toolset = Toolset {
    name: "slow",
    instructions: "wait",
    asks_for: ApprovalDefault::BeyondProject,
    refuse: |not_run| Reply::failed(not_run.message.clone()),
    disabled: |_, _| None,
    spells: symd::toolsets::spellings::AcceptedSpellings::NONE,
    tools: &TOOLS,
};
static ALL: [&Toolset; 1] = [&SLOW];

/// Runs `test` with a connection that is served in the background.
fn with(limits: Limits, test: impl FnOnce(Wire, &tokio::runtime::Runtime, Arc<Host>)) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let user = User::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let _inside = runtime.enter();
    let place = user.place();
    place.prepare().unwrap();
    let host = Host::new(Parts {
        project: Some(
            daemon::open_project(
                env!("CARGO_BIN_EXE_symd").as_ref(),
                &place,
                &Default::default(),
                symd::config::Languages::builtin().clone(),
                &symd::config::Trust::Never,
            )
            .unwrap(),
        ),
        root: place.root.clone(),
        toolsets: &ALL,
        default_toolset: vec!["slow".to_owned()],
        approvals: Some(symd::serve::approvals::Approver::open(&place, limits.approval()).unwrap()),
        limits,
        trust: symd::config::Trust::Never,
        notes: Vec::new(),
    });
    let (ours, theirs) = StdStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let (reader, writer) = UnixStream::from_std(theirs).unwrap().into_split();
    let serving =
        runtime.spawn(connection::serve(Arc::clone(&host), reader, writer, symd::serve::peer_state));
    STARTED.forget_permits(usize::MAX >> 4);
    STOPPED.forget_permits(usize::MAX >> 4);
    test(Wire::over(ours), &runtime, Arc::clone(&host));
    runtime
        .block_on(async { tokio::time::timeout(crate::support::PATIENCE, serving).await })
        .unwrap()
        .unwrap();
    assert_eq!(RUNNING.load(Ordering::SeqCst), 0, "nothing goes on after the connection");
}

fn wait_for(runtime: &tokio::runtime::Runtime, permits: &Semaphore, count: u32) {
    let acquired = runtime.block_on(async {
        tokio::time::timeout(crate::support::PATIENCE, permits.acquire_many(count)).await
    });
    acquired.expect("in time").unwrap().forget();
}

#[test]
fn requests_over_the_limit_are_refused_as_busy() {
    with(Limits { max_in_flight: 2, ..Limits::default() }, |mut wire, runtime, _| {
        wire.send(&modern(call(1, "wait", json!({}))));
        wire.send(&modern(call(2, "wait", json!({}))));
        wait_for(runtime, &STARTED, 2);
        assert_error(&wire.ask(&modern(call(3, "wait", json!({})))), json!(3), -32000, "busy");
        assert_error(&wire.ask(&modern(call(2, "wait", json!({})))), json!(2), -32600, "under way");
        RELEASE.notify_waiters();
        let ids = [wire.receive().unwrap()["id"].clone(), wire.receive().unwrap()["id"].clone()];
        assert!(ids.contains(&json!(1)) && ids.contains(&json!(2)));
        assert_eq!(wire.ask(&modern(request(4, "tools/list", json!({}))))["id"], 4);
    });
}

#[test]
fn a_cancelled_request_stops_and_is_not_answered() {
    with(Limits::default(), |mut wire, runtime, _| {
        for (id, tool) in [(1, "wait"), (2, "spin")] {
            wire.send(&modern(call(id, tool, json!({}))));
            wait_for(runtime, &STARTED, 1);
            wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
            wait_for(runtime, &STOPPED, 1);
        }
        // An unknown request id, and a missing one: ignored.
        wire.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 77 } }),
        );
        wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" }));
        assert_eq!(wire.ask(&modern(request(3, "tools/list", json!({}))))["id"], 3);

        // A call in the command line's own form is cancelled in the same way.
        wire.send(&request(4, "symd/call", json!({ "tool": "wait" })));
        wait_for(runtime, &STARTED, 1);
        wire.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 4 } }),
        );
        wait_for(runtime, &STOPPED, 1);
        assert_eq!(wire.ask(&modern(request(5, "tools/list", json!({}))))["id"], 5);
    });
}

#[test]
fn work_stops_when_its_client_leaves() {
    with(Limits::default(), |mut wire, runtime, _| {
        wire.send(&modern(call(1, "wait", json!({}))));
        wire.send(&modern(call(2, "spin", json!({}))));
        wait_for(runtime, &STARTED, 2);
        drop(wire);
        wait_for(runtime, &STOPPED, 2);
    });
}

#[test]
fn a_tool_that_panics_is_answered_for() {
    with(Limits::default(), |mut wire, _, _| {
        let answer = wire.ask(&modern(call(1, "panics", json!({}))));
        assert_eq!(answer["result"]["isError"], true);
        assert!(
            answer["result"]["content"][0]["text"].as_str().unwrap().contains("internal error in this tool")
        );
        let answer = wire.ask(&request(2, "symd/call", json!({ "tool": "panics" })));
        assert_eq!(answer["result"]["outcome"], "failed");
    });
}

#[test]
fn a_client_that_never_reads_is_dropped() {
    with(Limits { write_deadline_ms: 200, ..Limits::default() }, |mut wire, runtime, _| {
        wire.send(&modern(call(1, "wait", json!({}))));
        wait_for(runtime, &STARTED, 1);
        for id in 2..10 {
            wire.send(&modern(call(id, "big", json!({}))));
        }
        // Dropping the connection stops its calls.
        wait_for(runtime, &STOPPED, 1);
    });
}

#[test]
fn a_call_with_a_token_hears_of_progress() {
    with(Limits::default(), |mut wire, runtime, _| {
        let mut asked = modern(call(1, "wait", json!({})));
        asked["params"]["_meta"]["progressToken"] = json!("p");
        wire.send(&asked);
        wait_for(runtime, &STARTED, 1);
        for expected in [1.0, 2.0] {
            let news = wire.receive().unwrap();
            assert_eq!(news["method"], "notifications/progress");
            assert_eq!(
                (&news["params"]["progressToken"], &news["params"]["progress"]),
                (&json!("p"), &json!(expected))
            );
        }
        RELEASE.notify_waiters();
        let mut answer = wire.receive().unwrap();
        while answer.get("method").is_some() {
            answer = wire.receive().unwrap();
        }
        assert_eq!(answer["result"]["content"][0]["text"], "released");
    });
}

#[test]
fn a_draining_daemon_finishes_what_is_under_way() {
    with(Limits::default(), |mut wire, runtime, host| {
        wire.send(&modern(call(1, "wait", json!({}))));
        wait_for(runtime, &STARTED, 1);
        host.drain();
        RELEASE.notify_waiters();
        assert_eq!(wire.receive().unwrap()["result"]["isError"], false);
        assert_eq!(wire.receive(), None);
    });
}

/// Begins the connection of an editor, which has one call under way when the daemon begins to drain; returns when that was.
fn drained_in_a_call(wire: &mut Wire, runtime: &tokio::runtime::Runtime, host: &Host) -> std::time::Instant {
    let hello = json!({ "client": "lsp", "version": "0", "protocol": symd::serve::protocol::PROTOCOL });
    assert_eq!(wire.ask(&json!({ "symd": hello }))["symd"]["pid"], std::process::id());
    wire.send(&json!({ "jsonrpc": "2.0", "method": "symd/editor/attach", "params": { "editor": "fake 1" } }));
    wire.send(&request(1, "symd/call", json!({ "tool": "wait" })));
    wait_for(runtime, &STARTED, 1);
    host.drain();
    assert_eq!(wire.receive().unwrap()["method"], "symd/editor/stopping");
    std::time::Instant::now()
}

#[test]
fn a_request_is_cancelled_while_the_daemon_drains() {
    with(Limits::default(), |mut wire, runtime, host| {
        let begun = drained_in_a_call(&mut wire, runtime, &host);
        wire.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        );
        wait_for(runtime, &STOPPED, 1);
        assert_eq!(wire.receive(), None);
        assert!(begun.elapsed() < connection::DRAIN_DEADLINE, "it was stopped, and not given up");
    });
    with(Limits::default(), |mut wire, runtime, host| {
        wire.send(&modern(call(1, "wait", json!({}))));
        wait_for(runtime, &STARTED, 1);
        let begun = std::time::Instant::now();
        host.drain();
        wire.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        );
        assert_eq!(wire.receive(), None);
        assert!(begun.elapsed() < connection::DRAIN_DEADLINE, "a client of MCP");
    });
}

#[test]
fn a_request_that_comes_while_the_daemon_drains_is_rejected() {
    with(Limits::default(), |mut wire, runtime, host| {
        wire.send(&modern(call(1, "wait", json!({}))));
        wait_for(runtime, &STARTED, 1);
        host.drain();
        wire.send(&modern(call(2, "wait", json!({}))));
        wire.send(&json!("no request"));
        assert_error(&wire.receive().unwrap(), json!(2), -32000, "this daemon is about to end");
        assert_eq!(wire.receive().unwrap()["error"]["code"], -32600);
        RELEASE.notify_waiters();
        assert_eq!(wire.receive().unwrap()["id"], 1);
        assert_eq!(wire.receive(), None);
    });
}

#[test]
fn a_drain_of_an_editors_connection_ends_in_time() {
    with(Limits::default(), |mut wire, runtime, host| {
        let begun = drained_in_a_call(&mut wire, runtime, &host);
        assert_eq!(wire.receive(), None);
        let took = begun.elapsed();
        assert!(took > connection::DRAIN_DEADLINE / 2, "{took:?}");
        assert!(took < connection::DRAIN_DEADLINE * 3 / 2, "{took:?}");
    });
}

#[test]
fn an_editor_that_has_told_nothing_hears_that_the_daemon_was_stopped() {
    with(Limits::default(), |mut wire, _, host| {
        let hello = json!({ "client": "lsp", "version": "0", "protocol": symd::serve::protocol::PROTOCOL });
        assert_eq!(wire.ask(&json!({ "symd": hello }))["symd"]["pid"], std::process::id());
        host.drain();
        assert_eq!(wire.receive().unwrap()["method"], "symd/editor/stopping");
        assert_eq!(wire.receive(), None);
    });
}
