//! Eight clients at once: no answer is lost or mixed up, and answers from syntax stay fast meanwhile.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::pick::Asked;
use super::{references, set_of};
use crate::Bench;
use crate::daemon::Daemon;
use crate::table::{Table, ms, percentiles};

const CLIENTS: usize = 8;
const QUESTIONS: usize = 125;

pub(super) fn measure(bench: &Bench, table: &mut Table, daemon: &Daemon, asked: &[Asked]) {
    // The answer to each question without other clients.
    let mut alone = daemon.connect("native");
    let expected: Vec<_> = asked.iter().map(|symbol| set_of(&references(&mut alone, symbol))).collect();
    let wrong_and_times = std::thread::scope(|scope| {
        let client = |number: usize| {
            let expected = &expected;
            move || {
                let mut connection = daemon.connect("native");
                let mut random = fastrand::Rng::with_seed(number as u64);
                let (mut wrong, mut times) = (0, Vec::<Duration>::new());
                for _ in 0..QUESTIONS {
                    let pick = random.usize(..asked.len());
                    let symbol = &asked[pick];
                    if random.bool() {
                        wrong += usize::from(set_of(&references(&mut connection, symbol)) != expected[pick]);
                    } else {
                        let arguments = json!({
                            "name_path_pattern": format!("/{}", symbol.name_path), "relative_path": symbol.path, "format": "json",
                        });
                        let started = Instant::now();
                        let text = connection.call("find_symbol", &arguments);
                        times.push(started.elapsed());
                        let answer: Value = serde_json::from_str(&text).unwrap();
                        let right = answer["symbols"][0]["name_path"] == json!(symbol.name_path)
                            && answer["symbols"][0]["path"] == json!(symbol.path);
                        wrong += usize::from(!right);
                    }
                }
                (wrong, times)
            }
        };
        let clients: Vec<_> = (0..CLIENTS).map(|number| scope.spawn(client(number))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect::<Vec<_>>()
    });
    let wrong: usize = wrong_and_times.iter().map(|(wrong, _)| wrong).sum();
    let times: Vec<Duration> = wrong_and_times.into_iter().flat_map(|(_, times)| times).collect();
    let against = format!("{CLIENTS} clients, {} questions, half of them references", CLIENTS * QUESTIONS);
    table.row(&bench.name, "wrong or lost answers", wrong.to_string(), against.clone(), "0");
    table.row(&bench.name, "find_symbol meanwhile, p99", ms(percentiles(times).1), against, "≤ 10 ms");
}
