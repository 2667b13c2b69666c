//! Tests: what is parsed reaches the cache while files are still being added, so that a daemon that is killed has not worked in vain.
//! The project is in memory, and its crawl never ends.

use super::*;
use symd_index::cache::{Cache, Key};
use symd_vfs::{MemoryFiles, Overlay};

const FILES: usize = 5_000;

#[test]
fn a_crawl_that_has_not_ended_leaves_outlines_in_the_cache() {
    let (scratch, runtime) = (Scratch::new(), runtime());
    let files: Vec<(String, String)> =
        (0..FILES).map(|number| (format!("f{number}.py"), format!("name_{number} = 1\n"))).collect();
    let borrowed = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let memory = Arc::new(MemoryFiles::new(Path::new("/p"), borrowed));
    let directory = scratch.at("cache");
    let cache = Arc::new(Cache::open(&directory).expect("opened"));
    let scanner = scanner(
        Arc::new(Overlay::new(memory, Arc::default())),
        Languages::builtin().clone(),
        Some(cache),
        (None, ClockReading::now),
        Parsers::in_this_process(),
    );
    let (sender, notices) = mpsc::channel(NOTICE_QUEUE);
    let (watch, fake) = Watch::fake(sink(sender));
    let (_, ignore) = scratch.parts();
    let engine = {
        let _within = runtime.enter();
        let ceiling = Ceiling::new(MemoryOptions::default());
        Engine::run(
            (scanner, ignore, Arc::default()),
            (watch, notices),
            (IndexState::default(), ceiling),
            None,
        )
    };
    let mut paths: Vec<RelPath> = files.iter().map(|(name, _)| path(name)).collect();
    paths.sort_unstable();
    let listed = Notice::Listed {
        directory: RelPath::root(),
        files: paths,
        states: Vec::new(),
        directories: Vec::new(),
    };
    assert!(fake.tell(vec![listed]).is_continue());
    let mut status = engine.status.clone();
    let is_stored = status.wait_for(|status| status.cache.packs > 0);
    let stored = runtime.block_on(async { tokio::time::timeout(DEADLINE, is_stored).await });
    assert!(!stored.expect("in time").expect("running").ready, "the crawl has not ended");
    // As the next daemon would.
    let next = Cache::open(&directory).expect("opened");
    let grammar = symd_syntax::Grammar::named("python").expect("built in");
    let is_found = |text: &str| {
        let key = Key { content: ContentHash::of(text.as_bytes()), fingerprint: grammar.fingerprint() };
        next.get(key).is_some()
    };
    let found = files.iter().filter(|(_, text)| is_found(text)).count();
    assert!(found > FILES / 2, "{found}");
}
