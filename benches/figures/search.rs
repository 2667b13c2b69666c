//! search_for_pattern compared with ripgrep over exactly the same files: ten patterns, with comparison of the
//! results.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Bench;
use crate::bare;
use crate::daemon::Daemon;
use crate::table::{Table, median, ms};

/// Literals, words, alternatives, classes, several lines at once; rare and frequent.
const PATTERNS: [&str; 10] = [
    "QuerySet",
    "return None",
    r"def \w+\(self\)",
    r"class \w+\(.*?\):",
    r"\bTODO\b|\bFIXME\b|\bXXX\b",
    r"import \w+\nimport \w+",
    r"[A-Z][a-z]+Error\(",
    r"__no_such_text_anywhere__",
    r"(?i)deprecated",
    r"raise \w+\([^)]*\)\n",
];
const ROUNDS: usize = 7;

pub(crate) fn measure(bench: &Bench, table: &mut Table) {
    if Command::new("rg").arg("--version").stdout(Stdio::null()).status().is_err() {
        table.row(
            &bench.name,
            "search_for_pattern",
            "not measured".to_owned(),
            "no `rg` on PATH".to_owned(),
            "≤ 1.1 × rg",
        );
        return;
    }
    let daemon = Daemon::at(&bench.tree, &bench.scratch.path().join("search"));
    daemon.run(&["start"]);
    daemon.wait_until_indexed();
    let mut connection = daemon.connect("serena");
    // rg searches binary files, too, if they are named on the command line; symd never does.
    let is_text = |path: &&std::path::PathBuf| !std::fs::read(path).unwrap().contains(&0);
    let files: Vec<String> = bare::files(&bench.tree)
        .iter()
        .filter(is_text)
        .filter_map(|path| Some(path.strip_prefix(&bench.tree).ok()?.to_str()?.to_owned()))
        .collect();
    let mut ratios = Vec::new();
    let mut worst = (0.0, "");
    let mut unequal = Vec::new();
    let (mut ours_all, mut theirs_all) = (Vec::new(), Vec::new());
    for pattern in PATTERNS {
        let arguments = json!({"substring_pattern": pattern, "max_answer_chars": 1_000_000_000});
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut answer = String::new();
        for _ in 0..ROUNDS {
            let started = Instant::now();
            answer = connection.call("search_for_pattern", &arguments);
            ours.push(started.elapsed());
            theirs.push(rg(bench, pattern, &files, &["--no-line-number", "--no-heading"]).0);
        }
        if files_with_match(&answer) != rg_files(bench, pattern, &files) {
            unequal.push(pattern);
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        eprintln!("    {pattern}: {} against {} ({ratio:.2} ×)", ms(ours), ms(theirs));
        if ratio > worst.0 {
            worst = (ratio, pattern);
        }
        ratios.push(ratio);
        ours_all.push(ours);
        theirs_all.push(theirs);
    }
    ratios.sort_by(f64::total_cmp);
    let equal =
        if unequal.is_empty() { "files equal".to_owned() } else { format!("NOT EQUAL for {unequal:?}") };
    table.row(
        &bench.name,
        "search_for_pattern, median of ten patterns",
        format!(
            "{:.2} × rg (worst {:.2} × for `{}`)",
            ratios[ratios.len() / 2],
            worst.0,
            worst.1.replace('|', "\\|")
        ),
        format!(
            "rg -U --multiline-dotall over the same {} files: {}; {equal}",
            files.len(),
            ms(median(theirs_all))
        ),
        "≤ 1.1 ×",
    );
}

fn rg(bench: &Bench, pattern: &str, files: &[String], flags: &[&str]) -> (Duration, Vec<u8>) {
    let started = Instant::now();
    let output = Command::new("rg")
        .args(["--no-config", "-uuu", "-U", "--multiline-dotall"])
        .args(flags)
        .arg("-e")
        .arg(format!("(?m){pattern}"))
        .arg("--")
        .args(files)
        .current_dir(&bench.tree)
        .output()
        .unwrap();
    (started.elapsed(), output.stdout)
}

fn rg_files(bench: &Bench, pattern: &str, files: &[String]) -> Vec<String> {
    let (_, output) = rg(bench, pattern, files, &["--files-with-matches"]);
    let mut found: Vec<String> = String::from_utf8_lossy(&output).lines().map(str::to_owned).collect();
    found.sort();
    found
}

fn files_with_match(answer: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(answer).unwrap();
    answer.as_object().unwrap().keys().cloned().collect()
}
