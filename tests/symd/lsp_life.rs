//! The life cycle of servers: which one is chosen, when it counts as ready, how it is stopped and started,
//! which clients share it.

use std::time::Duration;

use serde_json::{Value, json};
use symd::base::RelPath;
use symd::lsp::{Change, ServerError, ServerState};

use crate::lsp_stage::{
    Play, Stage, Watched, fake_ls, fifo, heard, honest, honest_but, is_pending, let_on, one_reference,
};
use crate::support::write;

const REFERENCES: &str = "textDocument/references";

#[tokio::test]
async fn a_server_is_started_by_the_first_question_and_serves_the_next() {
    let stage = Stage::new(|_| vec![Play::new("ls", honest())]);
    assert_eq!(stage.state("ls"), ServerState::Idle);
    let said = stage.references("python").await.unwrap();
    assert_eq!((said.server.as_str(), said.value.len()), ("ls", 1));
    stage.hover("python").await.unwrap();
    let status = stage.status("ls");
    assert_eq!((status.state, status.starts, status.requests), (ServerState::Ready, 1, 2));
    assert_eq!((status.version.as_deref(), status.languages), (Some("1"), vec!["python".to_owned()]));
    assert!(status.features.contains(&REFERENCES.to_owned()), "{:?}", status.features);
    assert!(status.memory_bytes.unwrap() > 1 << 20);
    let server = Watched::new(stage.pid("ls"));
    stage.servers.shutdown().await;
    server.assert_ended();
    assert_eq!(stage.times("ls", "shutdown") + stage.times("ls", "exit"), 2);
    assert_eq!(stage.references("python").await, Err(ServerError::Stopping));
}

#[tokio::test]
async fn who_does_not_wait_is_told_what_is_waited_for() {
    let stage = Stage::new(|at| {
        let (reached, go) = (fifo(&at.join("reached")), fifo(&at.join("go")));
        let mut script = honest_but(
            "initialized",
            json!([
                { "progress": ["t", { "kind": "begin", "title": "indexing" }] },
                { "progress": ["t", { "kind": "report", "percentage": 43 }] },
                { "tell": reached },
                { "wait_for": go },
                { "progress": ["t", { "kind": "end" }] },
            ]),
        );
        script["on"]["initialize"] = json!([{ "wait_for": fifo(&at.join("start")) }]);
        // Enough time for the server to report that it begins to load.
        vec![Play::new("ls", script).with("readiness = { start-grace-ms = 10000 }\n")]
    });
    let path = |name: &str| stage.path(name).to_str().unwrap().to_owned();
    let error = Stage::error(stage.references_now("python").await);
    assert_eq!(error, "ls is not ready yet: it is starting (0 s so far); ask again in a few seconds");
    let mut waits = Box::pin(stage.references("python"));
    assert!(is_pending(&mut waits).await);
    let_on(&path("start")).await;
    let reached = path("reached");
    // The question keeps waiting meanwhile.
    let doing = tokio::select! {
        biased;
        answer = &mut waits => panic!("answered before it was ready: {answer:?}"),
        _ = heard(&reached) => stage.status("ls"),
    };
    assert!(matches!(doing.state, ServerState::Starting | ServerState::Loading), "{doing:?}");
    let_on(&path("go")).await;
    assert_eq!(waits.await.unwrap().value.len(), 1);
    assert_eq!(stage.state("ls"), ServerState::Ready);
}

#[tokio::test]
async fn one_that_loads_with_the_first_document_gets_it_before_it_is_asked() {
    let stage = Stage::new(|at| {
        let (reached, go) = (fifo(&at.join("reached")), fifo(&at.join("go")));
        let steps = json!([
            { "progress": ["t", { "kind": "begin", "title": "indexing" }] },
            { "tell": reached },
            { "wait_for": go },
            { "progress": ["t", { "kind": "end" }] },
        ]);
        let script = honest_but("textDocument/didOpen", steps);
        vec![Play::new("ls", script).with("readiness = { start-grace-ms = 5000, opens-first = true }\n")]
    });
    let path = |name: &str| stage.path(name).to_str().unwrap().to_owned();
    let mut waits = Box::pin(stage.references("python"));
    let reached = path("reached");
    tokio::select! {
        answer = &mut waits => panic!("answered while loading: {answer:?}"),
        _ = heard(&reached) => {}
    }
    assert_eq!(stage.status("ls").requests, 0, "opened, and not asked yet");
    let_on(&path("go")).await;
    let said = waits.await.unwrap();
    assert_eq!((said.value.len(), said.maybe_indexing), (1, false));
    assert_eq!(stage.times("ls", "textDocument/didOpen"), 1);
}

#[tokio::test]
async fn slow_progress_is_told_in_percent() {
    let stage = Stage::new(|at| {
        let steps = json!([
            { "progress": ["t", { "kind": "begin", "title": "indexing" }] },
            { "progress": ["t", { "kind": "report", "percentage": 43 }] },
            { "notify": { "method": "experimental/serverStatus", "params": { "quiescent": false } } },
            { "wait_for": fifo(&at.join("go")) },
            { "notify": { "method": "experimental/serverStatus", "params": { "quiescent": true } } },
            { "progress": ["t", { "kind": "end" }] },
        ]);
        let toml = "readiness = { start-grace-ms = 0, server-status = true }\n";
        vec![Play::new("ls", honest_but("initialized", steps)).with(toml)]
    });
    // Opening the FIFO lets the server continue: therefore the question is asked first, and waits.
    let question = async {
        let mut waits = Box::pin(stage.references("python"));
        while is_pending(&mut waits).await && stage.status("ls").doing.as_deref() != Some("indexing (43 %)") {
            tokio::task::yield_now().await;
        }
        assert_eq!(stage.state("ls"), ServerState::Loading);
        let error = Stage::error(stage.references_now("python").await);
        assert!(error.starts_with("ls is not ready yet: indexing (43 %)"), "{error}");
        let_on(stage.path("go").to_str().unwrap()).await;
        waits.await.unwrap()
    };
    let said = tokio::time::timeout(crate::support::PATIENCE, question).await.unwrap();
    assert!(!said.maybe_indexing);
}

#[tokio::test]
async fn a_server_stopped_by_hand_stays_stopped() {
    let stage = Stage::new(|_| vec![Play::new("ls", honest())]);
    stage.references("python").await.unwrap();
    let first = Watched::new(stage.pid("ls"));
    stage.servers.stop("ls").await.unwrap();
    first.assert_ended();
    let error = Stage::error(stage.references("python").await);
    assert_eq!(error, "ls is down: it was stopped by hand; `symd server restart ls` tries again");
    assert!(stage.references_now("python").await.is_err());
    assert_eq!(stage.status("ls").starts, 1);
    stage.servers.restart("ls").await.unwrap();
    stage.references("python").await.unwrap();
    let second = Watched::new(stage.pid("ls"));
    // Restarted while it runs: it is stopped first.
    stage.servers.restart("ls").await.unwrap();
    second.assert_ended();
    stage.references("python").await.unwrap();
    assert_eq!(stage.status("ls").starts, 3);
    let error = Stage::error(stage.servers.stop("nobody").await);
    assert!(error.contains("no server has this name"), "{error}");
}

#[tokio::test]
async fn a_server_that_keeps_dying_goes_down_and_can_be_raised() {
    let stage = Stage::new(|_| vec![Play::new("ls", json!({ "at_start": [{ "exit": 1 }] }))]);
    let mut last = String::new();
    for _ in 0..5 {
        last = Stage::error(stage.references("python").await);
        assert!(last.contains("it exited (exit code 1)"), "{last}");
    }
    assert!(last.starts_with("ls is down: it exited 5 times in 10 minutes; last error: it exited"), "{last}");
    assert!(last.ends_with("`symd server restart ls` tries again"), "{last}");
    assert_eq!((stage.state("ls"), stage.status("ls").starts), (ServerState::Down, 5));
    stage.servers.restart("ls").await.unwrap();
    let again = Stage::error(stage.references("python").await);
    assert!(again.starts_with("ls failed: it exited (exit code 1)"), "{again}");
}

#[tokio::test]
async fn nobody_asks_and_it_stops_until_the_next_question() {
    let stage = Stage::with_options(
        |_| vec![Play::new("ls", honest())],
        |options| options.idle_stop = Some(Duration::from_millis(1)),
    );
    stage.references("python").await.unwrap();
    let first = Watched::new(stage.pid("ls"));
    let wait = tokio::task::spawn_blocking(move || first.assert_ends());
    wait.await.unwrap();
    stage.references("python").await.unwrap();
    assert!(stage.status("ls").starts >= 2);
    assert_eq!(stage.status("ls").last_error, None);
}

#[tokio::test]
async fn one_that_is_slow_is_passed_over_and_its_answer_kept() {
    let stage = Stage::with_options(
        |_| {
            let mut script = honest_but(REFERENCES, json!([{ "hold": true }]));
            script["on"]["textDocument/hover"] = json!([{ "release": one_reference() }, { "answer": null }]);
            vec![Play::new("ls", script)]
        },
        |options| options.answer_patience = Duration::from_millis(50),
    );
    stage.hover("python").await.unwrap();
    for _ in 0..2 {
        let why = Stage::error(stage.references_now("python").await);
        assert!(why.contains("the answer, which is kept for the next question"), "{why}");
    }
    // Now the server answers.
    stage.hover("python").await.unwrap();
    assert_eq!(stage.references("python").await.unwrap().value.len(), 1);
    assert_eq!(stage.times("ls", REFERENCES), 1);
}

#[tokio::test]
async fn one_that_takes_too_much_memory_is_started_anew() {
    let stage = Stage::new(|_| {
        let toml = "readiness = { start-grace-ms = 0 }\nmemory-limit-mb = 0\n";
        // The server does not answer: otherwise it might do so before its memory was checked.
        vec![Play::new("ls", honest_but(REFERENCES, json!([{ "hang": true }]))).with(toml)]
    });
    let error = Stage::error(stage.references("python").await);
    assert!(error.contains("MiB of memory, and its limit is 0 MiB"), "{error}");
}

#[tokio::test]
async fn equal_questions_under_way_are_asked_once_and_one_that_leaves_takes_nobody_along() {
    let stage = Stage::new(|at| {
        let mut script =
            honest_but(REFERENCES, json!([{ "tell": fifo(&at.join("asked")) }, { "hold": true }]));
        script["on"]["textDocument/hover"] = json!([{ "release": [] }, { "answer": null }]);
        script["on"]["$/cancelRequest"] = json!([{ "tell": fifo(&at.join("cancelled")) }]);
        vec![Play::new("ls", script)]
    });
    stage.hover("python").await.unwrap();
    let mut first = Box::pin(stage.references("python"));
    assert!(is_pending(&mut first).await);
    let asked = stage.path("asked").to_str().unwrap().to_owned();
    assert_eq!(heard(&asked).await, format!("{REFERENCES}\n"));
    let (mut second, mut third) =
        (Box::pin(stage.references("python")), Box::pin(stage.references("python")));
    assert!(is_pending(&mut second).await && is_pending(&mut third).await);
    assert_eq!((stage.status("ls").requests, stage.status("ls").shared), (2, 2));
    // The client that asked first leaves.
    drop(first);
    drop(third);
    stage.hover("python").await.unwrap();
    assert_eq!(second.await.unwrap().value, []);
    assert_eq!((stage.times("ls", REFERENCES), stage.times("ls", "$/cancelRequest")), (1, 0));

    let mut alone = Box::pin(stage.references("python"));
    assert!(is_pending(&mut alone).await);
    heard(&asked).await;
    drop(alone);
    let cancelled = heard(stage.path("cancelled").to_str().unwrap()).await;
    assert_eq!(cancelled, "$/cancelRequest\n");
}

/// Returns a stage whose server has received a request and does not answer.
async fn asked_in_vain() -> Stage {
    let stage = Stage::new(|at| {
        let steps = json!([{ "tell": fifo(&at.join("asked")) }, { "hang": true }]);
        vec![Play::new("ls", honest_but(REFERENCES, steps))]
    });
    // Ready from here on: a request has been sent once its future was polled.
    stage.hover("python").await.unwrap();
    stage
}

#[tokio::test]
async fn who_waits_is_answered_by_the_next_process_when_one_dies_under_the_question() {
    let stage = asked_in_vain().await;
    let (mut first, mut second) =
        (Box::pin(stage.references("python")), Box::pin(stage.references("python")));
    assert!(is_pending(&mut first).await && is_pending(&mut second).await);
    heard(stage.path("asked").to_str().unwrap()).await;
    let mut script = honest();
    script["log"] = stage.path("ls.log").to_str().unwrap().into();
    write(&stage.path("ls.json"), &script.to_string());
    Watched::new(stage.pid("ls")).kill();
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first.unwrap().value.len(), second.unwrap().value.len()), (1, 1));
    assert_eq!(stage.status("ls").starts, 2);
}

#[tokio::test]
async fn who_does_not_wait_is_told_how_the_server_ended() {
    let stage = asked_in_vain().await;
    let mut hasty = Box::pin(stage.references_now("python"));
    assert!(is_pending(&mut hasty).await);
    heard(stage.path("asked").to_str().unwrap()).await;
    Watched::new(stage.pid("ls")).kill();
    let error = Stage::error(hasty.await);
    assert!(error.contains("ls failed: it exited (signal 9)"), "{error}");
    assert!(error.ends_with("ask again: it is being restarted"), "{error}");
}

#[tokio::test]
async fn a_stop_by_hand_ends_questions_and_is_named_as_the_reason() {
    let stage = asked_in_vain().await;
    let mut waits = Box::pin(stage.references("python"));
    assert!(is_pending(&mut waits).await);
    heard(stage.path("asked").to_str().unwrap()).await;
    let (stopped, answer) = tokio::join!(stage.servers.stop("ls"), waits);
    stopped.unwrap();
    let error = Stage::error(answer);
    assert_eq!(error, "ls is down: it was stopped by hand; `symd server restart ls` tries again");
    assert_eq!((stage.state("ls"), stage.status("ls").starts), (ServerState::Stopped, 1));
    // Stopping twice has the same effect as once.
    stage.servers.stop("ls").await.unwrap();
    stage.servers.shutdown().await;
    assert_eq!(stage.references("python").await, Err(ServerError::Stopping));
}

#[tokio::test]
async fn what_changes_while_a_server_starts_is_told_when_it_has() {
    let stage = Stage::new(|at| {
        let mut script = honest();
        let steps = json!([{ "tell": fifo(&at.join("reached")) }, { "wait_for": fifo(&at.join("start")) }]);
        script["on"]["initialize"] = steps;
        vec![Play::new("ls", script)]
    });
    assert!(stage.references_now("python").await.is_err());
    heard(stage.path("reached").to_str().unwrap()).await;
    for (path, change) in
        [("new.py", Change::Created), ("a.py", Change::Written), ("old.py", Change::Deleted)]
    {
        stage.servers.changed(&RelPath::new(path).unwrap(), change);
    }
    let_on(stage.path("start").to_str().unwrap()).await;
    stage.references("python").await.unwrap();
    let received = stage.received("ls");
    let at = |method: &str| received.iter().position(|message| message["method"] == method);
    let told = at("workspace/didChangeWatchedFiles").expect("told");
    assert!(told < at(REFERENCES).unwrap());
    let changes = received[told]["params"]["changes"].as_array().unwrap();
    let changes: Vec<String> = changes
        .iter()
        .map(|change| {
            format!("{} {}", change["uri"].as_str().unwrap().rsplit('/').next().unwrap(), change["type"])
        })
        .collect();
    assert_eq!(changes, ["a.py 2", "new.py 1", "old.py 3"]);
}

#[tokio::test]
async fn the_first_that_can_answers() {
    let cannot = json!({ "capabilities": { "hoverProvider": true } });
    let stage = Stage::new(|_| {
        let expired = json!({ "at_start": [{ "stderr": "has expired" }, { "exit": 7 }] });
        let toml = "fatal-stderr = [{ contains = \"has expired\", say = \"too old\" }]\n";
        vec![
            Play::new("gone", honest()),
            Play::new("wild", honest()).with("runs-project-code = \"its build\"\n"),
            Play::new("expired", expired).with(toml),
            Play::new("cannot", cannot),
            Play::new("last", honest()),
        ]
    });
    std::fs::remove_dir_all(stage.path("installed/gone")).unwrap();
    std::fs::remove_dir_all(stage.path("installed/wild")).unwrap();
    assert_eq!(stage.references("python").await.unwrap().server, "last");
    assert_eq!(stage.state("expired"), ServerState::Down);
}

#[tokio::test]
async fn what_runs_the_projects_code_needs_trust() {
    let plays = || vec![Play::new("wild", honest()).with("runs-project-code = \"its build scripts\"\n")];
    let stage = Stage::with_options(|_| plays(), |options| options.trusted = false);
    let error = Stage::error(stage.references("python").await);
    let says = "wild is not started: it runs its build scripts, and this project is not trusted";
    assert!(error.starts_with(says) && error.contains("`symd trust`"), "{error}");
    assert!(Stage::error(stage.servers.restart("wild").await).contains("not trusted"));
    assert!(stage.received("wild").is_empty());
    let stage = Stage::new(|_| plays());
    assert!(stage.references("python").await.is_ok());
    let runs_in = std::fs::read_link(format!("/proc/{}/cwd", stage.pid("wild"))).unwrap();
    assert_eq!(runs_in, stage.path("project"));
}

/// A shim of asdf's takes the program to run from `.tool-versions` of the working directory, which may say `path:DIR`.
#[tokio::test]
async fn a_version_managers_file_in_the_project_chooses_no_program() {
    let stage = Stage::with_options(|_| vec![Play::new("ls", honest())], |options| options.trusted = false);
    let program = stage.path("installed/ls/bin/ls");
    std::fs::remove_file(&program).unwrap();
    let shim = format!(
        "#!/bin/sh\nif [ -f .tool-versions ]; then \"$(cat .tool-versions)\"; fi\nexec '{}' \"$@\"\n",
        fake_ls().display()
    );
    write(&program, &shim);
    write(&stage.path("project/.tool-versions"), "./evil");
    write(&stage.path("project/evil"), &format!("#!/bin/sh\ntouch '{}'\n", stage.path("owned").display()));
    for file in [&program, &stage.path("project/evil")] {
        std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    assert!(stage.references("python").await.is_ok());
    assert!(!stage.path("owned").exists());
}

#[tokio::test]
async fn what_is_missing_is_named_with_the_next_step() {
    let install = "install = [{ registry = \"pypi\", package = \"ls\", version = \"1\" }]\n";
    let stage = Stage::new(|_| vec![Play::new("ls", honest()).with(install)]);
    let program = stage.path("installed/ls/bin/ls");
    std::fs::rename(&program, stage.path("elsewhere")).unwrap();
    // Not named `ls`: that program exists in /bin and would be found.
    let stage = {
        drop(stage);
        Stage::new(|_| vec![Play::new("no-such-ls", honest()).with(install)])
    };
    let program = stage.path("installed/no-such-ls/bin/no-such-ls");
    std::fs::remove_file(&program).unwrap();
    let error = Stage::error(stage.references("python").await);
    assert_eq!(
        error,
        "python: no language server: no-such-ls is not installed; `symd install python` installs no-such-ls"
    );
    write(&program, "no program");
    let error = Stage::error(stage.references("python").await);
    assert!(error.contains("is not executable; `chmod +x` it"), "{error}");

    let stage = Stage::new(|_| vec![Play::new("ls", honest()).with("requires = [\"no-such-rg\"]\n")]);
    let error = Stage::error(stage.references("python").await);
    assert!(error.contains("ls cannot work without no-such-rg: no-such-rg is not installed"), "{error}");
    // `symd install` puts the program beside the server.
    std::os::unix::fs::symlink("/bin/true", stage.path("installed/ls/bin/no-such-rg")).unwrap();
    assert!(stage.references("python").await.is_ok());
}

#[tokio::test]
async fn nothing_of_the_project_is_run() {
    let stage = Stage::with_options(
        |_| vec![Play::new("sly-ls", honest())],
        |options| {
            let bin = options.files.path().join("bin");
            let path = [bin, "bin".into(), "/usr/bin".into(), "/bin".into()];
            options.search_path = std::env::join_paths(path).unwrap();
        },
    );
    std::fs::remove_file(stage.path("installed/sly-ls/bin/sly-ls")).unwrap();
    std::fs::create_dir(stage.path("project/bin")).unwrap();
    std::os::unix::fs::symlink(fake_ls(), stage.path("project/bin/sly-ls")).unwrap();
    let error = Stage::error(stage.references("python").await);
    assert!(error.contains("sly-ls is not installed"), "{error}");
    // A running server does not find it either.
    std::os::unix::fs::symlink(fake_ls(), stage.path("installed/sly-ls/bin/sly-ls")).unwrap();
    stage.references("python").await.unwrap();
    let environment = std::fs::read(format!("/proc/{}/environ", stage.pid("sly-ls"))).unwrap();
    let environment = String::from_utf8(environment).unwrap();
    let installed = stage.path("installed/sly-ls/bin");
    let expected = format!("PATH={}:/usr/bin:/bin", installed.display());
    assert!(environment.split('\0').any(|variable| variable == expected), "{environment}");
    assert!(!environment.contains("CARGO"), "{environment}");
}

#[tokio::test]
async fn a_root_that_vanished_is_an_error_of_its_own() {
    let stage = Stage::new(|_| vec![Play::new("ls", honest())]);
    std::fs::remove_dir_all(stage.path("project")).unwrap();
    let error = Stage::error(stage.references("python").await);
    assert!(error.contains("ls failed: the project's root") && error.contains("is gone"), "{error}");
}

#[tokio::test]
async fn what_a_server_gave_up_is_asked_again() {
    let modified = json!([{ "error": { "code": -32801, "message": "content modified" } }]);
    let steps: Value = json!([modified, modified, [{ "answer": one_reference() }]]);
    let stage = Stage::new(|_| vec![Play::new("ls", honest_but(REFERENCES, steps))]);
    assert_eq!(stage.references("python").await.unwrap().value.len(), 1);
    assert_eq!(stage.times("ls", REFERENCES), 3);
}
