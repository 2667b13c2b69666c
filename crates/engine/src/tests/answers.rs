//! Tests: every question gets an answer or an error, whatever happens to the watcher, the question or the
//! engine.

use std::path::Path;

use super::*;

/// An engine with a watcher that is controlled by the test.
struct ScriptedEngine {
    runtime: tokio::runtime::Runtime,
    engine: Engine,
    fake: FakeHandle,
    scratch: Scratch,
}

type Answer = tokio::task::JoinHandle<Result<String, EngineError>>;

impl ScriptedEngine {
    fn new() -> ScriptedEngine {
        let (scratch, runtime) = (Scratch::new(), runtime());
        let (sender, notices) = mpsc::channel(NOTICE_QUEUE);
        let (watch, fake) = Watch::fake(sink(sender));
        let (scanner, ignore) = scratch.parts();
        let engine = {
            let _within = runtime.enter();
            Engine::run(
                (scanner, ignore, Arc::default()),
                (watch, notices),
                (IndexState::default(), Ceiling::new(MemoryOptions::default())),
                None,
            )
        };
        ScriptedEngine { runtime, engine, fake, scratch }
    }

    fn tell<const N: usize>(&self, notices: [Notice; N]) {
        assert!(self.fake.tell(notices.into()).is_continue());
    }

    fn ask_with(&self, question: impl FnOnce(&View) -> String + Send + 'static) -> Answer {
        let engine = self.engine.clone();
        self.runtime.spawn(async move { engine.ask(question).await })
    }

    fn ask(&self) -> Answer {
        self.ask_with(shown)
    }

    fn answer(&self, answer: Answer) -> Result<String, EngineError> {
        let answered = self.runtime.block_on(async { tokio::time::timeout(DEADLINE, answer).await });
        answered.expect("an answer in time").expect("no panic")
    }

    #[track_caller]
    fn refused(&self, answer: Answer) {
        let answer = self.answer(answer);
        assert!(matches!(answer, Err(EngineError::Stopped)), "{answer:?}");
    }

    fn shutdown(&self) {
        let stopped =
            self.runtime.block_on(async { tokio::time::timeout(DEADLINE, self.engine.shutdown()).await });
        stopped.expect("stopped in time");
    }
}

#[test]
fn the_first_question_waits_for_the_crawl() {
    let told = ScriptedEngine::new();
    told.scratch.write("a.py", "a = 1\n");
    let answer = told.ask();
    let barrier = told.fake.asked(DEADLINE);
    told.tell([listed("", "a.py", ""), Notice::Crawled]);
    told.tell([Notice::Barrier(barrier[0])]);
    assert_eq!(told.answer(answer).expect("answered"), "a.py:a");
    assert!(told.engine.status().ready);
}

#[test]
fn a_root_that_is_gone_refuses_who_waits_and_who_asks_later() {
    let told = ScriptedEngine::new();
    let behind = told.ask();
    told.fake.asked(DEADLINE);
    let next = told.ask();
    told.tell([Notice::RootGone]);
    told.refused(behind);
    told.refused(next);
    told.refused(told.ask());
    told.runtime
        .block_on(async { tokio::time::timeout(DEADLINE, told.engine.wait_until_gone()).await })
        .expect("gone");
    told.shutdown();
}

#[test]
fn a_watcher_that_ends_without_a_word_refuses_likewise() {
    let ScriptedEngine { runtime, engine, fake, scratch } = ScriptedEngine::new();
    let asking = engine.clone();
    let behind = runtime.spawn(async move { asking.ask(shown).await });
    fake.asked(DEADLINE);
    drop(fake);
    let answers = runtime.block_on(async {
        let behind = tokio::time::timeout(DEADLINE, behind).await.expect("in time").expect("no panic");
        let later = tokio::time::timeout(DEADLINE, engine.ask(shown)).await.expect("in time");
        tokio::time::timeout(DEADLINE, engine.wait_until_gone()).await.expect("gone in time");
        tokio::time::timeout(DEADLINE, engine.shutdown()).await.expect("stopped in time");
        [behind, later]
    });
    assert!(answers.iter().all(|answer| matches!(answer, Err(EngineError::Stopped))), "{answers:?}");
    drop(scratch);
}

#[test]
fn stopping_refuses_who_waits() {
    let told = ScriptedEngine::new();
    let behind = told.ask();
    told.fake.asked(DEADLINE);
    let next = told.ask();
    told.shutdown();
    told.refused(behind);
    told.refused(next);
    told.refused(told.ask());
    told.shutdown();
    assert!(told.fake.tell(vec![Notice::Crawled]).is_break(), "the watcher is told to end");
}

#[test]
fn a_question_that_panics_is_answered_and_so_are_all_others() {
    let told = ScriptedEngine::new();
    told.tell([Notice::Crawled]);
    // More questions than threads.
    let bad: Vec<Answer> = (0..32).map(|_| told.ask_with(|_| panic!("on purpose"))).collect();
    let answers = bad.into_iter().chain([told.ask()]);
    let mut answers: Vec<_> = answers
        .map(|answer| {
            // Its barrier may not have been requested yet, or may have come with another question's.
            while !answer.is_finished() {
                let barriers = told.fake.take_asked().into_iter().map(Notice::Barrier).collect();
                assert!(told.fake.tell(barriers).is_continue());
            }
            told.answer(answer)
        })
        .collect();
    assert_eq!(answers.pop().expect("some").expect("answered"), "");
    assert!(answers.iter().all(|answer| matches!(answer, Err(EngineError::Panicked))), "{answers:?}");
}

#[test]
fn askers_that_went_away_hold_nobody_up() {
    let told = ScriptedEngine::new();
    told.tell([Notice::Crawled]);
    let ran = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flag = ran.clone();
    let dropped = told.ask_with(move |_| {
        flag.store(true, std::sync::atomic::Ordering::SeqCst);
        String::new()
    });
    let first = told.fake.asked(DEADLINE);
    dropped.abort();
    let _ = told.runtime.block_on(dropped);
    let answer = told.ask();
    told.tell([Notice::Barrier(first[0])]);
    assert!(told.fake.arrive(DEADLINE).is_continue());
    assert_eq!(told.answer(answer).expect("answered"), "");
    assert!(!ran.load(std::sync::atomic::Ordering::SeqCst), "nobody wanted this answer");
}

#[test]
fn an_engine_that_nobody_holds_ends() {
    let ScriptedEngine { runtime, engine, fake, scratch } = ScriptedEngine::new();
    let mut status = engine.status.clone();
    drop(engine);
    let ended = runtime.block_on(async {
        let ended = async { while status.changed().await.is_ok() {} };
        tokio::time::timeout(DEADLINE, ended).await
    });
    ended.expect("ended in time");
    assert!(fake.tell(vec![Notice::Crawled]).is_break());
    drop(scratch);
}

#[test]
fn the_last_handle_may_be_dropped_while_the_watcher_has_much_to_say() {
    let scratch = Scratch::new();
    for number in 0..1_500 {
        scratch.write(&format!("{number}.py"), "a = 1\n");
    }
    let run = tempfile::tempdir().expect("scratch");
    for way in 0..4 {
        let runtime = runtime();
        let engine = {
            let _within = runtime.enter();
            Engine::start(EngineOptions {
                root: scratch.0.path().to_owned(),
                unsaved: std::sync::Arc::default(),
                languages: Languages::builtin().clone(),
                runtime_directory: run.path().join("run"),
                cache_directory: None,
                watch: WatchOptions::default(),
                sweep_every: DEADLINE,
                parsers: Parsers::in_this_process(),
                memory: MemoryOptions::default(),
                on_change: None,
            })
            .expect("started")
        };
        match way {
            0 => drop(engine),
            1 => runtime.block_on(engine.shutdown()),
            2 => drop((runtime, engine)),
            _ => drop((engine, runtime)),
        }
    }
}

#[test]
fn who_asks_is_told_why_no_barrier_can_be_made() {
    let (scratch, state, runtime) = (Scratch::new(), Scratch::new(), runtime());
    scratch.write("a.py", "a = 1\n");
    let options = EngineOptions {
        root: scratch.at(""),
        unsaved: std::sync::Arc::default(),
        languages: Languages::builtin().clone(),
        runtime_directory: state.at("run"),
        cache_directory: None,
        watch: WatchOptions::default(),
        sweep_every: Duration::from_secs(3600),
        on_change: None,
        parsers: Parsers::in_this_process(),
        memory: MemoryOptions::default(),
    };
    runtime.block_on(async {
        let engine = Engine::start(options).expect("started");
        assert_eq!(engine.ask(shown).await.expect("answered"), "a.py:a");
        std::fs::remove_dir_all(state.at("run/barrier")).expect("removed");
        let error = engine.ask(shown).await.expect_err("nobody can say").to_string();
        assert!(error.contains("run/barrier") && error.contains("No such file or directory"), "{error}");
    });
}

#[test]
fn a_step_reads_a_text_once_and_the_next_step_reads_it_again() {
    let told = ScriptedEngine::new();
    told.scratch.write("a.py", "a = 1\n");
    let engine = told.engine.clone();
    let view = told.runtime.spawn(async move { engine.view().await });
    let barrier = told.fake.asked(DEADLINE);
    told.tell([listed("", "a.py", ""), Notice::Crawled]);
    told.tell([Notice::Barrier(barrier[0])]);
    let view = told.runtime.block_on(view).expect("no panic").expect("a view");
    let at = told.scratch.at("a.py");
    let texts = |view: &View, at: &Path, then: &str| {
        let file = view.snapshot.files.get("a.py").expect("listed");
        let text = || view.current(file).expect("read").text.as_str().to_owned();
        let first = text();
        std::fs::write(at, then).expect("written");
        [first, text()]
    };
    let step = |then: &'static str| {
        let (at, view) = (at.clone(), view.clone());
        let asked = told.engine.ask_on(view, move |view| texts(view, &at, then));
        told.runtime.block_on(asked).expect("answered")
    };
    assert_eq!(step("b = 2\n"), ["a = 1\n", "a = 1\n"]);
    assert!(view.changed_file().is_none());
    assert_eq!(step("c = 3\n"), ["b = 2\n", "b = 2\n"]);
    assert_eq!(view.changed_file(), Some(path("a.py")));
    // What is no step may last.
    assert_eq!(texts(&view, &at, "d = 4\n"), ["c = 3\n", "d = 4\n"]);
}
