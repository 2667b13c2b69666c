//! Not a test: reports which tests did not run because a real language server, or a right of the user, was missing. Its package's name
//! sorts after all others, so that these are the last lines of `cargo test`; a test harness would swallow
//! them.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::path::Path;

fn main() {
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unrun");
    let Ok(entries) = records.read_dir() else { return };
    let mut lines: Vec<String> =
        entries.flatten().filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).collect();
    lines.sort();
    let _ = std::fs::remove_dir_all(&records);
    if !lines.is_empty() {
        println!("\n{} tests did NOT run:", lines.len());
        lines.iter().for_each(|line| print!("  {line}"));
    }
}
