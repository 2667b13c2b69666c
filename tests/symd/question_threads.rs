//! Questions of editors, whose steps run on one thread: their answers, and what becomes of those that are given up.

use std::sync::Arc;

use symd::base::{RelPath, cores};
use symd::engine::EngineError;
use symd::lsp::ColumnEncoding;
use symd::ops::Project;
use symd::ops::at_place::symbols_of;
use symd::ops::question::QuestionError;
use tokio::sync::{Barrier, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::opened::Opening;
use crate::support::{PATIENCE, write};

fn project(scratch: &tempfile::TempDir) -> Project {
    std::fs::create_dir(scratch.path().join("project")).unwrap();
    write(&scratch.path().join("project/a.py"), "def f():\n    pass\n\n\nf()\n");
    Opening::new(scratch.path(), "[[language]]\nname = \"python\"\nlanguage-servers = []\n")
        .open(scratch.path())
}

async fn symbols(project: &Project) -> usize {
    let path = RelPath::new("a.py").unwrap();
    symbols_of(project, &path, ColumnEncoding::Utf8).await.unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn more_questions_than_processors_are_answered_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let project = project(&scratch);
    let many = cores::count() + 2;
    let all_begun = Arc::new(Barrier::new(many));
    let mut asked = JoinSet::new();
    for _ in 0..many {
        let (project, all_begun) = (project.clone(), all_begun.clone());
        asked.spawn(async move {
            let question = async move |project: Project| {
                all_begun.wait().await;
                let here = symbols(&project).await;
                // A part of it on another thread.
                let elsewhere = tokio::spawn(async move { symbols(&project).await });
                (here, elsewhere.await.unwrap())
            };
            project.on_one_thread(question).await
        });
    }
    let answers = timeout(PATIENCE, asked.join_all()).await.expect("answered");
    for answer in answers {
        assert_eq!(answer.unwrap(), (1, 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_given_up_ends_and_one_that_panics_is_answered() {
    let scratch = tempfile::tempdir().unwrap();
    let project = project(&scratch);
    let (begin, begun) = oneshot::channel();
    let (held, let_go) = oneshot::channel::<()>();
    let asking = project.clone();
    let asked = tokio::spawn(async move {
        let question = async move |_| {
            let _held = held;
            begin.send(()).unwrap();
            std::future::pending::<()>().await;
        };
        asking.on_one_thread(question).await.unwrap();
    });
    timeout(PATIENCE, begun).await.expect("begun").unwrap();
    asked.abort();
    assert!(timeout(PATIENCE, let_go).await.expect("given up").is_err());

    let panicked = project.on_one_thread(async |_| panic!("as a bug would")).await;
    assert!(matches!(panicked, Err::<(), _>(QuestionError::Engine(EngineError::Panicked))));
    assert_eq!(symbols(&project).await, 1);
}
