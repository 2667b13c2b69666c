//! What is parsed for questions is parsed once for each content: it is stored, and read by later daemons.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use symd::base::{Cancel, ContentHash};
use symd::config::Languages;
use symd::engine::{Engine, EngineOptions, MemoryOptions};
use symd::parse::{Attempt, ParserOptions, Parsers};
use symd::syntax::{FlatTree, Grammar, flat_tree};
use symd::watch::{BackendChoice, WatchOptions};

const TEXT: &str = "fun f(x: Any) { val y = object : Runnable { override fun run() {} }; x.g(y) }\n";

fn parsers(directory: &Path) -> Parsers {
    let (program, parses) = (env!("CARGO_BIN_EXE_symd").into(), Some(directory.to_owned()));
    Parsers::in_workers(ParserOptions { program, quarantine: None, parses }).unwrap()
}

fn kotlin() -> Grammar {
    Grammar::named("kotlin").unwrap()
}

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

/// Returns the tree of a text, and whether a worker was asked for it.
fn tree(parsers: &Parsers, text: &str) -> (FlatTree, bool) {
    let requests = parsers.requests();
    match parsers.flat_tree(kotlin(), text, hash(text), &Cancel::new()).unwrap() {
        Attempt::Parsed(tree) => (tree, parsers.requests() > requests),
        Attempt::SetAside(_) => panic!("{text} was set aside"),
    }
}

#[test]
fn a_text_is_parsed_once_for_each_task_and_never_again_after_a_restart() {
    let scratch = tempfile::tempdir().unwrap();
    let (cancel, expected) = (Cancel::new(), flat_tree(kotlin(), TEXT, &Cancel::new()).unwrap());
    let directory = scratch.path().join("parses");
    let first = parsers(&directory);
    assert_eq!(tree(&first, TEXT), (expected.clone(), true));
    assert_eq!(tree(&first, TEXT), (expected.clone(), false));
    let all = |parsers: &Parsers| {
        let (grammar, hash) = (kotlin(), hash(TEXT));
        let requests = parsers.requests();
        let hidden = parsers.outline_with_hidden_types(grammar, TEXT, hash, &cancel).unwrap();
        let locals = parsers.local_bindings(grammar, TEXT, hash, &cancel).unwrap();
        let Attempt::Parsed(hidden) = hidden else { panic!("set aside") };
        let Attempt::Parsed(locals) = locals else { panic!("set aside") };
        (format!("{hidden:?} {locals:?}"), parsers.requests() - requests)
    };
    let (found, requests) = all(&first);
    assert_eq!((requests, all(&first)), (2, (found.clone(), 0)));
    first.write_parses(0).unwrap();
    drop(first);
    let second = parsers(&directory);
    assert_eq!((tree(&second, TEXT), all(&second)), ((expected, false), (found, 0)));
    // Another text under the same hash: what is stored does not fit it, and it is parsed.
    let other = "// é\n";
    let answer = second.flat_tree(kotlin(), other, hash(TEXT), &cancel).unwrap();
    assert!(matches!(answer, Attempt::Parsed(tree) if tree.len() < 5));
}

#[test]
fn trees_are_parsed_ahead_of_questions_those_of_changed_files_too() {
    let (project, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let write = |name: &str, text: &str| std::fs::write(project.path().join(name), text).unwrap();
    let texts: Vec<String> = (0..300).map(|number| format!("fun f{number}() = {number}\n")).collect();
    texts.iter().enumerate().for_each(|(number, text)| write(&format!("F{number}.kt"), text));
    // No tree is read of it.
    write("g.py", "def g(): pass\n");
    let stored = state.path().join("parses");
    let parsers = parsers(&stored);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = Engine::start(EngineOptions {
            root: project.path().to_owned(),
            unsaved: Arc::default(),
            languages: Languages::builtin().clone(),
            runtime_directory: state.path().join("run"),
            cache_directory: None,
            watch: WatchOptions { backend: BackendChoice::Auto, ..WatchOptions::default() },
            sweep_every: Duration::from_secs(600),
            parsers: parsers.clone(),
            memory: MemoryOptions::default(),
            on_change: None,
        })
        .unwrap();
        engine.wait_until_parsed_ahead().await;
        assert!(texts.iter().all(|text| !tree(&parsers, text).1));
        let changed = TEXT.to_owned();
        write("F7.kt", &changed);
        engine.wait_until_fresh().await.unwrap();
        engine.wait_until_parsed_ahead().await;
        // Its outline hides the type of an object, and is asked for as well.
        assert!(parsers.has_parses(kotlin(), hash(&changed), true));
        assert!(!parsers.has_parses(kotlin(), hash(&texts[0]), true));
        engine.shutdown().await;
    });
    // Less than is worth a file while the daemon runs is written when it stops.
    drop(parsers);
    let again = self::parsers(&stored);
    assert!(texts.iter().enumerate().all(|(number, text)| number == 7 || !tree(&again, text).1));
}
