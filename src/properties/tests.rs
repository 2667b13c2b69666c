//! Checks each property for random bytes, texts of its own tokens, and damaged seeds. The inputs are the same
//! each time unless `SYMD_PROPERTY_SEED` is set; `SYMD_PROPERTY_CASES` sets their number. Inputs that failed
//! before are in `fixtures/properties/<name>/` and are tried first.
#![allow(clippy::disallowed_methods, reason = "committed inputs")]

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

use super::*;

/// A random change of some bytes.
#[derive(Clone, Debug)]
enum Damage {
    Set(Index, u8),
    Flip(Index, u8),
    Remove(Index, u8),
    Insert(Index, Vec<u8>),
    Repeat(Index, u8, u8),
    Cut(Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    proptest::prop_oneof![
        (at(), proptest::prop_oneof![Just(0), Just(0xFF), any::<u8>()])
            .prop_map(|(at, byte)| Damage::Set(at, byte)),
        (at(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        (at(), 1..20_u8).prop_map(|(at, count)| Damage::Remove(at, count)),
        (at(), vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        (at(), 1..20_u8, 1..20_u8).prop_map(|(at, count, times)| Damage::Repeat(at, count, times)),
        at().prop_map(Damage::Cut),
    ]
}

impl Damage {
    fn make(&self, bytes: &mut Vec<u8>) {
        let place = |at: &Index| at.index(bytes.len() + 1);
        let past = |at: usize, count: u8| bytes.len().min(at + usize::from(count));
        match self {
            Damage::Set(at, byte) => {
                let at = place(at);
                bytes[at..].iter_mut().take(1).for_each(|it| *it = *byte);
            }
            Damage::Flip(at, bit) => {
                let at = place(at);
                bytes[at..].iter_mut().take(1).for_each(|it| *it ^= 1 << bit);
            }
            Damage::Remove(at, count) => {
                let at = place(at);
                bytes.drain(at..past(at, *count));
            }
            Damage::Insert(at, inserted) => {
                let at = place(at);
                bytes.splice(at..at, inserted.iter().copied());
            }
            Damage::Repeat(at, count, times) => {
                let at = place(at);
                let repeated = bytes[at..past(at, *count)].repeat(usize::from(*times));
                bytes.splice(at..at, repeated);
            }
            Damage::Cut(at) => bytes.truncate(place(at)),
        }
    }
}

fn damaged((mut bytes, damages): (Vec<u8>, Vec<Damage>)) -> Vec<u8> {
    damages.iter().for_each(|damage| damage.make(&mut bytes));
    bytes
}

fn inputs(property: &Property, known: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let words = if property.words.is_empty() { &["\0", "\u{1}"] } else { property.words };
    let word = proptest::prop_oneof![
        8 => select(words).prop_map(|word| word.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..4),
    ];
    proptest::prop_oneof![
        1 => vec(any::<u8>(), 0..300),
        3 => vec(word, 0..30).prop_map(|words| words.concat()),
        4 => (select(known), vec(damage(), 1..5)).prop_map(damaged),
    ]
}

/// Returns the inputs that failed before.
fn found(name: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/properties").join(name);
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries.map(|entry| std::fs::read(entry.expect("listed").path()).expect("read")).collect()
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn try_all(name: &str) {
    let property = named(name);
    let known: Vec<_> = (property.seeds)().into_iter().chain(found(name)).collect();
    known.iter().for_each(|bytes| (property.check)(bytes));
    let cases = number("SYMD_PROPERTY_CASES").map_or(property.cases, |cases| cases.try_into().expect("fits"));
    let config = Config {
        cases,
        // Failing inputs are stored where `found` reads them.
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(number("SYMD_PROPERTY_SEED").unwrap_or(11)),
        max_shrink_time: 20_000,
        ..Config::default()
    };
    let began = std::time::Instant::now();
    let ran = TestRunner::new(config).run(&inputs(property, known), |bytes| {
        (property.check)(&bytes);
        Ok(())
    });
    match ran {
        Ok(()) => println!("{cases} inputs in {:?}", began.elapsed()),
        Err(TestError::Fail(why, bytes)) => {
            let text = String::from_utf8_lossy(&bytes);
            panic!("{why}\nover {text:?}\nwhich is {bytes:?}: keep it in fixtures/properties/{name}/");
        }
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { try_all(stringify!($name)); })*

        #[test]
        fn each_has_its_test() {
            assert_eq!(ALL.map(|property| property.name).as_slice(), [$(stringify!($name)),*]);
        }
    };
}

tests!(
    json_rpc_line,
    mcp,
    name_path,
    patches,
    glob,
    regex,
    escaped_text,
    search_answer,
    grouped_answer,
    journal,
    slot,
    pack,
    stored_index,
    cached_outline,
    worker_answer,
);
