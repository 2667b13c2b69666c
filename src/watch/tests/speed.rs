//! How long things take. Not run by default: `cargo test --release -- --ignored --nocapture speed`.

use std::time::Instant;

use super::*;

#[test]
#[ignore = "a measurement"]
fn speed_of_barriers() {
    // To the sink, not to whoever waits behind a channel.
    let runtime = tempfile::tempdir().expect("scratch");
    let project = tempfile::tempdir().expect("scratch");
    let root = Arc::new(Root::open(project.path()).expect("opened"));
    let ignore = Arc::new(Ignore::new(&root, settings()));
    let (send, notices) = sync_channel(16);
    let sink = move |batch| match send.send((Instant::now(), batch)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let watch = Watch::start(root, ignore, runtime.path(), &WatchOptions::default(), sink).expect("started");
    while !notices.recv().expect("told").1.contains(&Notice::Crawled) {}
    let mut micros: Vec<u128> = (0..5_000)
        .map(|_| {
            let start = Instant::now();
            watch.barrier().expect("asked");
            let (told, batch) = notices.recv().expect("told");
            assert!(matches!(batch[..], [Notice::Barrier(_)]));
            told.duration_since(start).as_nanos() / 100
        })
        .collect();
    micros.sort_unstable();
    let tenths = |part: usize| micros[micros.len() * part / 100];
    println!("barrier: p50 {} p90 {} p99 {} (tenths of µs)", tenths(50), tenths(90), tenths(99));
}

#[test]
#[ignore = "a measurement"]
fn speed_of_the_crawl() {
    let project = std::env::var_os("SYMD_SPEED_PROJECT").expect("SYMD_SPEED_PROJECT is set");
    for _ in 0..5 {
        let runtime = tempfile::tempdir().expect("scratch");
        let root = Arc::new(Root::open(project.as_ref()).expect("opened"));
        let (send, notices) = sync_channel(16);
        let start = Instant::now();
        let ignore = Arc::new(Ignore::new(&root, settings()));
        let sink = move |batch| {
            let _ = send.send(batch);
            ControlFlow::Continue(())
        };
        let watch =
            Watch::start(root, ignore, runtime.path(), &WatchOptions::default(), sink).expect("started");
        let mut files = 0;
        while !notices.recv().expect("a batch").into_iter().any(|notice| {
            if let Notice::Listed { files: listed, .. } = &notice {
                files += listed.len();
            }
            notice == Notice::Crawled
        }) {}
        println!("{files} files, {:?}, {:?}", start.elapsed(), watch.counters());
    }
}
