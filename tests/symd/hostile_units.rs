//! Unusual texts, all of `fixtures/hostile/units.tsv`: for each a worker answers, or exits within its limits,
//! and then another worker parses as before. A worker is used until it exits, as in the daemon.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

use symd::syntax::Grammar;

/// How often a unit is repeated.
const TIMES: [usize; 3] = [10, 100, 1_000];
/// The processor seconds for a text in this test, and its bytes of memory.
const SECONDS: u32 = 1;
const MEMORY: u64 = 1 << 30;
/// The maximum of processor seconds for all texts together. If it is exceeded, too many texts crash their
/// worker.
const BUDGET: f64 = 90.0;

/// A worker, with the daemon's protocol (`crates/parse/src/protocol.rs`).
struct Worker {
    child: Child,
    pipe: UnixStream,
    at_hand: Vec<&'static str>,
    spent: f64,
}

enum Ended {
    /// The worker answered with an outline.
    Answered,
    /// The worker was killed by this signal.
    By(i32),
}

impl Worker {
    fn new() -> Worker {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_symd"))
            .arg0("symd")
            .args(["parse", &std::process::id().to_string(), "0"])
            .env_clear()
            .current_dir("/")
            .stdin(std::os::fd::OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut worker = Worker { child, pipe: ours, at_hand: Vec::new(), spent: 0.0 };
        assert_eq!(worker.message().expect("it is ready").0, 1);
        worker
    }

    /// Receives a message; returns its tag and the processor time so far.
    fn message(&mut self) -> Option<(u8, f64)> {
        let mut length = [0; 4];
        self.pipe.read_exact(&mut length).ok()?;
        let mut body = vec![0; u32::from_le_bytes(length) as usize];
        self.pipe.read_exact(&mut body).ok()?;
        let nanoseconds = u64::from_le_bytes(body[1..9].try_into().unwrap());
        self.spent = std::time::Duration::from_nanos(nanoseconds).as_secs_f64();
        Some((body[0], self.spent))
    }

    fn parse(&mut self, grammar: Grammar, text: &str) -> Ended {
        let name = grammar.name();
        let mut body = vec![0, u8::try_from(name.len()).unwrap()];
        body.extend(name.as_bytes());
        body.extend(SECONDS.to_le_bytes());
        body.extend(MEMORY.to_le_bytes());
        // The worker must not stop by itself.
        body.extend(0_u64.to_le_bytes());
        body.extend(text.as_bytes());
        let length = u32::try_from(body.len()).unwrap().to_le_bytes();
        // A worker that exited during the write is noticed below.
        let _ = self.pipe.write_all(&length).and_then(|()| self.pipe.write_all(&body));
        if !self.at_hand.contains(&name) {
            let Some((loaded, _)) = self.message() else {
                // SIGXCPU: freeing the last tree took the rest of the last text's time, after its answer.
                assert_eq!(self.child.wait().unwrap().signal(), Some(24), "before {name}");
                *self = Worker::new();
                return self.parse(grammar, text);
            };
            assert_eq!(loaded, 2, "{name}");
            self.at_hand.push(name);
        }
        match self.message() {
            Some((3, _)) => Ended::Answered,
            Some((tag, _)) => panic!("{name}: message {tag} about {:?}", &text[..text.len().min(80)]),
            None => Ended::By(self.child.wait().unwrap().signal().expect("a worker ends by a signal")),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A unit of the table.
struct Unit {
    grammars: Vec<Grammar>,
    text: String,
}

fn units() -> Vec<Unit> {
    let table = include_str!("../../fixtures/hostile/units.tsv");
    let grammars = |names: &str| match names {
        "*" => Grammar::all().collect(),
        names => names.split(',').map(|name| Grammar::named(name).expect(name)).collect(),
    };
    let unit = |line: &str| {
        let (names, text) = line.split_once('\t').expect("two columns");
        Unit { grammars: grammars(names), text: unescaped(text) }
    };
    table.lines().filter(|line| !line.starts_with("##")).map(unit).collect()
}

/// Unescapes a column of the tables in fixtures/hostile.
pub fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match (c, c == '\\') {
            (c, false) => c,
            (_, true) => match chars.next().expect("an escape") {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '\\' => '\\',
                'u' => {
                    let hex: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    char::from_u32(u32::from_str_radix(&hex, 16).expect(&hex)).expect("a character")
                }
                other => panic!("no such escape: {other}"),
            },
        });
    }
    out
}

#[test]
fn no_text_does_more_than_end_its_worker() {
    // The signals that may end a worker because of its text: abort() (also for lack of memory), a crash, its
    // processor time.
    let allowed = [6, 11, 7, 24];
    let (mut worker, mut spent) = (Worker::new(), 0.0);
    let (mut texts, mut ended) = (0, Vec::new());
    for unit in units() {
        for grammar in unit.grammars {
            for times in TIMES {
                texts += 1;
                let text = unit.text.repeat(times);
                if let Ended::By(signal) = worker.parse(grammar, &text) {
                    let name = format!("{} {:?} {times} times: signal {signal}", grammar.name(), unit.text);
                    assert!(allowed.contains(&signal), "{name}");
                    ended.push(name);
                    // The worker's last second counts too.
                    spent += worker.spent + f64::from(SECONDS);
                    worker = Worker::new();
                    assert!(matches!(worker.parse(grammar, "\n"), Ended::Answered));
                    // More repetitions only have the same result.
                    break;
                }
            }
        }
    }
    spent += worker.spent;
    println!("{texts} texts, {spent:.1} s, {} ended their worker:\n{}", ended.len(), ended.join("\n"));
    assert!(texts >= 900, "{texts}");
    assert!(ended.iter().any(|name| name.starts_with("kotlin")), "the table holds one that is known to");
    assert!(spent < BUDGET, "{spent} s");
}
