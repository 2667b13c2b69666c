//! How many paraphrased errors are found among 10,000 others: by `lexical`, by plain BM25 and in random order (benches/solutions).

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use symd_knowledge::{LexicalEmbedder, Solution, SolutionQuery, SolutionStore, SqliteStore};

use crate::table::Table;

/// How many answers are looked at.
const FIRST: usize = 5;

pub(crate) fn measure(table: &mut Table) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/solutions"));
    let pairs = std::fs::read_to_string(folder.join("pairs.jsonl")).unwrap();
    let pairs: Vec<Value> = pairs.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let queries: Vec<String> = pairs.iter().map(|pair| pair["query"].as_str().unwrap().to_owned()).collect();
    let output = Command::new("python3").arg(folder.join("others.py")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let others = String::from_utf8(output.stdout).unwrap();
    let mut all: Vec<Solution> = others.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Last: of equal scores the earlier rows come first, so that ties count against the pairs.
    let before = all.len();
    all.extend(pairs.iter().map(|pair| serde_json::from_value(pair["solution"].clone()).unwrap()));
    let mut row = |figure: &str, measured: String, target: &str| {
        let against = format!("{} pairs, {before} others", queries.len());
        table.row("paraphrases", figure, measured, against, target);
    };
    row("among the first 1 / 5 by lexical", shown(&by_lexical(&all, &queries, before)), "5: ≥ 75 %");
    row("the same by BM25 alone", shown(&by_words(&all, &queries, before)), "");
    #[allow(clippy::cast_precision_loss, reason = "a count")]
    let by_chance = 100.0 * FIRST as f64 / all.len() as f64;
    row("the first 5 in random order", format!("{by_chance:.2} %"), "");
}

/// Shows the parts of the pairs that are first, and among the first: of all, of the odd and of the even ones.
fn shown(ranks: &[Option<usize>]) -> String {
    let of = |ranks: &[Option<usize>]| {
        let within = |most: usize| ranks.iter().flatten().filter(|rank| **rank < most).count();
        format!("{} / {} of {}", within(1), within(FIRST), ranks.len())
    };
    let half = |first: usize| of(&ranks.iter().skip(first).step_by(2).copied().collect::<Vec<_>>());
    format!("{} (odd {}, even {})", of(ranks), half(0), half(1))
}

/// Returns the ranks of the solutions from `first` on for their queries, from 0.
fn by_lexical(all: &[Solution], queries: &[String], first: usize) -> Vec<Option<usize>> {
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    let scratch = tempfile::Builder::new().permissions(private).tempdir().unwrap();
    let store = SqliteStore::new(&scratch.path().join("solutions.db"), Arc::new(LexicalEmbedder));
    let ids: Vec<String> = all.chunks(2_000).flat_map(|some| store.record(some.to_vec()).unwrap()).collect();
    let rank = |(id, query): (&String, &String)| {
        let query = SolutionQuery {
            text: query.clone(),
            language: None,
            error_type: None,
            min_confidence: 0.0,
            limit: FIRST,
            until: Instant::now() + Duration::from_secs(60),
        };
        store.find_similar(&query).unwrap().list.iter().position(|one| one.solution.id == *id)
    };
    ids[first..].iter().zip(queries).map(rank).collect()
}

/// Does the same by BM25 of stems over all texts of a solution, which shares no code with what is measured.
#[allow(clippy::cast_precision_loss, reason = "counts")]
fn by_words(all: &[Solution], queries: &[String], first: usize) -> Vec<Option<usize>> {
    let texts: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            stems(&[&*one.error_description, &one.root_cause, &one.solution, &one.error_type].join(" "))
        })
        .collect();
    let mut having: HashMap<&str, HashMap<usize, f64>> = HashMap::new();
    for (at, text) in texts.iter().enumerate() {
        for word in text {
            *having.entry(word).or_default().entry(at).or_default() += 1.0;
        }
    }
    let count = texts.len() as f64;
    let average = texts.iter().map(Vec::len).sum::<usize>() as f64 / count;
    let rank = |(own, query): (usize, &String)| {
        let mut scores = vec![0.0_f64; texts.len()];
        for word in stems(query).into_iter().collect::<HashSet<_>>() {
            let Some(rows) = having.get(word.as_str()) else { continue };
            let weight = ((count - rows.len() as f64 + 0.5) / (rows.len() as f64 + 0.5)).ln_1p();
            for (at, times) in rows {
                let length = texts[*at].len() as f64 / average;
                scores[*at] += weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length));
            }
        }
        let before = (0..own).filter(|at| scores[*at] >= scores[own]).count();
        let after = (own + 1..scores.len()).filter(|at| scores[*at] > scores[own]).count();
        (scores[own] > 0.0).then_some(before + after)
    };
    (first..).zip(queries).map(rank).collect()
}

/// Returns the words of a text without their commonest endings: of compound names their parts.
fn stems(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    let stem = |word: String| {
        let endings =
            ["ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "e", "y"];
        let cut = endings.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() > 2));
        cut.map_or_else(|| word.clone(), str::to_owned)
    };
    words.into_iter().filter(|word| word.len() > 2).map(stem).collect()
}
