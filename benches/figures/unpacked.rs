//! Many files that are unpacked into a project under a running daemon, by several threads, and the question that follows at once.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Bench;
use crate::bare;
use crate::daemon::Daemon;
use crate::table::{Table, median, ms};

const FILES: usize = 10_000;
const THREADS: usize = 4;
const ROUNDS: usize = 3;
/// Number of files that declare the name asked for.
const DECLARING: usize = 3;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    let texts: Vec<String> = bare::sources(&bench.tree).into_iter().map(|(_, text)| text).collect();
    let (mut answers, mut searches, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let project = bench.scratch.path().join(format!("unpacked-{round}"));
        std::fs::create_dir(&project).unwrap();
        std::fs::write(project.join("pyproject.toml"), "").unwrap();
        let daemon = Daemon::at(&project, &bench.scratch.path().join(format!("unpacked-home-{round}")));
        daemon.run(&["start"]);
        daemon.wait_until_indexed();
        let mut connection = daemon.connect("native");
        let name = format!("unpacked_{round}");
        sizes.push(unpack(&texts, &project, &name));
        let started = Instant::now();
        let answer = connection.call("find_symbol", &json!({"name_path_pattern": name, "format": "json"}));
        answers.push(started.elapsed());
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let found = answer["symbols"].as_array().map(Vec::len);
        assert_eq!((found, &answer["complete"]), (Some(DECLARING), &json!(true)), "{answer}");
        searches.push(search(&project, &name));
    }
    let (answer, search) = (median(answers), median(searches));
    table.row(
        &bench.name,
        &format!("{FILES} files unpacked by {THREADS} threads, from the end to the next find_symbol"),
        ms(answer),
        format!("rg -lw over them {}; {} MB", ms(search), sizes[0] / 1_000_000),
        &format!("≤ {}", ms(search + Duration::from_millis(20))),
    );
}

/// Writes the texts in turn, each thread its share; some files declare `name`. Returns the number of bytes.
fn unpack(texts: &[String], project: &Path, name: &str) -> usize {
    let write = |number: usize| {
        let directory = project.join(format!("package_{}", number / 20));
        std::fs::create_dir_all(&directory).unwrap();
        let declares = number % (FILES / DECLARING) == 1;
        let declaration = if declares { format!("\n\ndef {name}():\n    pass\n") } else { String::new() };
        let text = format!("{}{declaration}", texts[number % texts.len()]);
        std::fs::write(directory.join(format!("module_{number}.py")), &text).unwrap();
        text.len()
    };
    std::thread::scope(|scope| {
        let share = |thread| (0..FILES).filter(move |number| number % THREADS == thread);
        let threads: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || share(thread).map(write).sum::<usize>())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

fn search(project: &Path, name: &str) -> Duration {
    let started = Instant::now();
    let output = Command::new("rg").args(["-lw", name, "."]).current_dir(project).output().unwrap();
    let taken = started.elapsed();
    assert_eq!(output.stdout.split(|&byte| byte == b'\n').count(), DECLARING + 1);
    taken
}
