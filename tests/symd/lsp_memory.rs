//! The memory that all servers together may take: which one is restarted, and when none is.

use serde_json::{Value, json};
use symd::lsp::ServerState;

use crate::lsp_stage::{Play, Stage, fifo, heard, honest, honest_but, is_pending};
use crate::support::PATIENCE;

const REFERENCES: &str = "textDocument/references";
const HOVER: &str = "textDocument/hover";

fn stage(limit_mb: u64, plays: impl FnOnce(&std::path::Path) -> Vec<Play>) -> Stage {
    Stage::with_options(plays, |options| options.memory_limit_of_all = Some(limit_mb << 20))
}

/// Returns the script of a server that takes so many mebibytes at each hover.
fn hungry(mebibytes: u64) -> Value {
    honest_but(HOVER, json!([{ "take_memory": mebibytes }, { "answer": { "contents": "a word" } }]))
}

/// Waits until it is so; the servers' tasks run meanwhile.
async fn until(what: impl Fn() -> bool) {
    let waits = async {
        while !what() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, waits).await.expect("in time");
}

fn note(stage: &Stage, server: &str) -> String {
    stage.status(server).memory_note.unwrap_or_default()
}

#[tokio::test]
async fn the_largest_idle_server_is_restarted_and_that_is_no_crash() {
    let stage =
        stage(300, |_| vec![Play::new("big", hungry(200)), Play::new("small", hungry(100)).of("rust")]);
    stage.hover("python").await.unwrap();
    assert_eq!(note(&stage, "big"), "", "less than the limit");
    stage.hover("rust").await.unwrap();
    until(|| stage.status("big").starts == 2).await;
    let told = note(&stage, "big");
    assert!(told.starts_with("restarted while idle: all servers used 3"), "{told}");
    assert!(told.ends_with("and all may use 300 MiB (all_servers_memory_mb)"), "{told}");
    // It answers again without having been asked to start.
    until(|| stage.state("big") == ServerState::Ready).await;
    assert_eq!(stage.references("python").await.unwrap().value.len(), 1);
    assert_eq!(stage.status("big").last_error, None);
    assert_eq!((stage.status("small").starts, note(&stage, "small")), (1, String::new()));
}

#[tokio::test]
async fn a_server_that_is_too_large_again_is_left_running() {
    let stage = stage(100, |_| vec![Play::new("ls", hungry(150))]);
    stage.hover("python").await.unwrap();
    until(|| stage.status("ls").starts == 2).await;
    stage.hover("python").await.unwrap();
    until(|| note(&stage, "ls").starts_with("left running, since it was restarted for that")).await;
    stage.hover("python").await.unwrap();
    assert_eq!((stage.status("ls").starts, stage.state("ls")), (2, ServerState::Ready));
}

#[tokio::test]
async fn a_server_that_is_too_large_from_its_start_is_left_running() {
    let stage =
        stage(100, |_| vec![Play::new("ls", honest_but("initialize", json!([{ "take_memory": 150 }])))]);
    stage.references("python").await.unwrap();
    until(|| note(&stage, "ls").starts_with("left running, since it takes that much from its start")).await;
    stage.references("python").await.unwrap();
    assert_eq!((stage.status("ls").starts, stage.state("ls")), (1, ServerState::Ready));
}

#[tokio::test]
async fn a_server_that_answers_a_question_is_restarted_after_that() {
    let stage = stage(100, |at| {
        let steps = json!([{ "take_memory": 150 }, { "tell": fifo(&at.join("asked")) }, { "hold": true }]);
        let mut script = honest_but(REFERENCES, steps);
        script["on"][HOVER] = json!([{ "release": [] }, { "answer": null }]);
        vec![Play::new("busy", script), Play::new("idle", honest()).of("rust")]
    });
    let mut waits = Box::pin(stage.references("python"));
    assert!(is_pending(&mut waits).await);
    let asked = stage.path("asked").to_str().unwrap().to_owned();
    tokio::select! {
        answer = &mut waits => panic!("answered before it was released: {answer:?}"),
        _ = heard(&asked) => {}
    }
    // Its question has all servers' memory looked at.
    stage.hover("rust").await.unwrap();
    stage.hover("python").await.unwrap();
    assert_eq!(waits.await.unwrap().value, []);
    until(|| stage.status("busy").starts == 2).await;
    assert_eq!(stage.times("busy", REFERENCES), 1, "answered by the first process");
    assert_eq!((stage.status("idle").starts, note(&stage, "idle")), (1, String::new()));
}
