//! A hundred kills of the process that stands in for the daemon, of the supervisor, or of the server: nothing
//! of the server keeps running, including grandchildren. SIGKILL of the real daemon is tested with the
//! daemon.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use symd::lsp::ServerState;

use crate::lsp_stage::{Play, Stage, Watched, fake_ls, honest, symd};
use crate::support::write;

const KILLS: usize = 100;

/// Makes the server ignore every request to exit, and start a child that does the same.
fn stubborn(script: &mut Value, grandchild: &std::path::Path) {
    script["ignore_sigterm"] = true.into();
    script["ignore_end"] = true.into();
    script["at_start"] = json!([{ "grandchild": grandchild }]);
}

fn watched_in(path: &std::path::Path) -> Watched {
    Watched::new(std::fs::read_to_string(path).unwrap().parse().unwrap())
}

/// A process that holds the only reading end of a supervised server's stderr, as the daemon does.
struct StandIn {
    daemon: Child,
    supervisor: Child,
    all: [Watched; 3],
}

impl StandIn {
    fn start(directory: &std::path::Path) -> StandIn {
        let mut script = json!({});
        let grandchild = directory.join("grandchild");
        stubborn(&mut script, &grandchild);
        let up = json!({ "notify": { "method": "{pid}", "params": "{pid}" } });
        script["at_start"].as_array_mut().unwrap().push(up);
        write(&directory.join("script"), &script.to_string());
        let mut daemon =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0).spawn().unwrap();
        let stderr = daemon.stdin.take().unwrap();
        let mut supervisor = Command::new(symd())
            .args(["supervise", "--"])
            .arg(fake_ls())
            .arg(directory.join("script"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .process_group(0)
            .spawn()
            .unwrap();
        // Its first message means that the grandchild is running.
        let mut out = BufReader::new(supervisor.stdout.take().unwrap());
        let (mut header, mut empty) = (String::new(), String::new());
        out.read_line(&mut header).unwrap();
        out.read_line(&mut empty).unwrap();
        let length: usize = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        std::io::Read::read_exact(&mut out, &mut body).unwrap();
        let server = serde_json::from_slice::<Value>(&body).unwrap()["params"].as_i64().unwrap();
        let all = [
            Watched::new(i32::try_from(supervisor.id()).unwrap()),
            Watched::new(i32::try_from(server).unwrap()),
            watched_in(&grandchild),
        ];
        StandIn { daemon, supervisor, all }
    }
}

#[test]
fn the_daemons_sigkill_takes_all_along() {
    let scratch = tempfile::tempdir().unwrap();
    for _ in 0..KILLS / 2 {
        let StandIn { mut daemon, mut supervisor, all } = StandIn::start(scratch.path());
        daemon.kill().unwrap();
        all.iter().for_each(Watched::assert_ends);
        daemon.wait().unwrap();
        supervisor.wait().unwrap();
    }
}

#[test]
fn the_servers_death_ends_what_it_left_and_its_exit_code_is_told() {
    let scratch = tempfile::tempdir().unwrap();
    let StandIn { mut daemon, mut supervisor, all } = StandIn::start(scratch.path());
    all[1].kill();
    all.iter().for_each(Watched::assert_ends);
    assert_eq!(supervisor.wait().unwrap().code(), Some(128 + 9));
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let status = Command::new(symd()).args(["supervise", "--", "/bin/sh", "-c", "exit 7"]).status();
    assert_eq!(status.unwrap().code(), Some(7));
    let missing = Command::new(symd()).args(["supervise", "--", "/no/such/ls"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(126));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("cannot run /no/such/ls"));
}

#[tokio::test]
async fn servers_and_supervisors_killed_in_turn_are_replaced_and_leave_nothing() {
    let stage = Stage::new(|at| {
        let mut script = honest();
        stubborn(&mut script, &at.join("grandchild"));
        vec![Play::new("ls", script)]
    });
    for turn in 0..KILLS / 2 {
        // A question that is asked before the crash is noticed fails, and its error says to ask again.
        while let Err(error) = stage.references("python").await {
            assert!(error.to_string().contains("ask again: it is being restarted"), "{error}");
        }
        let supervisor = Watched::new(i32::try_from(stage.status("ls").pid.unwrap()).unwrap());
        let all = [supervisor, Watched::new(stage.pid("ls")), watched_in(&stage.path("grandchild"))];
        all[turn % 2].kill();
        let all = tokio::task::spawn_blocking(move || {
            all.iter().for_each(Watched::assert_ends);
        });
        all.await.unwrap();
        if turn % 2 == 1 {
            // The limit on restarts is not what is tested here.
            stage.servers.restart("ls").await.unwrap();
        }
    }
    assert!(stage.status("ls").starts >= 50);
    stage.servers.shutdown().await;
}

#[tokio::test]
async fn one_that_ignores_everything_is_ended_by_force() {
    let stage = Stage::new(|at| {
        let mut script = honest();
        stubborn(&mut script, &at.join("grandchild"));
        script["on"]["shutdown"] = json!([{ "hang": true }]);
        vec![Play::new("ls", script)]
    });
    stage.references("python").await.unwrap();
    let supervisor = i32::try_from(stage.status("ls").pid.unwrap()).unwrap();
    let all =
        [Watched::new(supervisor), Watched::new(stage.pid("ls")), watched_in(&stage.path("grandchild"))];
    stage.servers.stop("ls").await.unwrap();
    all.iter().for_each(Watched::assert_ended);
    assert_eq!(stage.state("ls"), ServerState::Stopped);
    assert_eq!(stage.times("ls", "exit"), 1);
}

#[tokio::test]
async fn a_forgotten_fleet_ends_its_servers() {
    let stage = Stage::new(|at| {
        let mut script = honest();
        stubborn(&mut script, &at.join("grandchild"));
        vec![Play::new("ls", script)]
    });
    stage.references("python").await.unwrap();
    let all = [Watched::new(stage.pid("ls")), watched_in(&stage.path("grandchild"))];
    drop(stage);
    let all = tokio::task::spawn_blocking(move || all.iter().for_each(Watched::assert_ends));
    all.await.unwrap();
}
