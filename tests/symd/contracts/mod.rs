//! Runs the scenarios of the contracts and of native, `fixtures/contracts/<toolset>/<tool>.toml`, against real
//! daemons, and compares whole texts and the resulting files. `scenario` defines the format of a fixture;
//! expected texts are written from the contracts, or from what native promises, never from the program's
//! output alone, so no command rewrites them.
//!
//! `SYMD_SCENARIO=serena/read_file cargo test --test symd contracts::serena` runs one fixture, and
//! `SYMD_SCENARIO=serena/read_file/crlf` those of its scenarios whose name contains "crlf".

mod compare;
mod http;
mod run;
mod scenario;
mod stage;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use scenario::Fixture;
use symd::toolsets::{Tool, Toolset};

/// The contracts that must be covered, and native, which is symd's own.
pub const TOOLSETS: [&str; 5] = ["native", "serena", "gemini_cli", "cli_agent", "tool_router"];

/// The minimum number of scenarios for each tool of a contract.
pub const FEWEST: usize = 10;

/// The minimum number of scenarios for each alias that has a name of its own: they show which tool it means.
pub const FEWEST_OF_AN_ALIAS: usize = 4;

/// The number of fixtures to run at once: each has a daemon of its own, and other tests run in parallel.
const AT_ONCE: usize = 2;

#[test]
fn serena() {
    run_toolset("serena");
}

#[test]
fn gemini_cli() {
    run_toolset("gemini_cli");
}

#[test]
fn cli_agent() {
    run_toolset("cli_agent");
}

#[test]
fn tool_router() {
    run_toolset("tool_router");
}

#[test]
fn native() {
    run_toolset("native");
}

/// No fixture is skipped because the name of its directory or file is unknown.
#[test]
fn every_fixture_is_of_a_tool() {
    let mut unknown = Vec::new();
    for directory in entries(&fixtures_root()) {
        let toolset = symd::toolsets::all().iter().find(|toolset| directory.ends_with(toolset.name));
        let Some(toolset) = toolset.filter(|toolset| TOOLSETS.contains(&toolset.name)) else {
            unknown.push(directory);
            continue;
        };
        let is_known = |file: &PathBuf| {
            let stem = file.file_stem().unwrap_or_default();
            file.extension().is_some_and(|extension| extension == "toml")
                && tools_of(toolset).any(|(tool, _)| stem == tool.name)
        };
        unknown.extend(entries(&directory).into_iter().filter(|file| !is_known(file)));
    }
    assert!(unknown.is_empty(), "fixtures of no tool: {unknown:#?}");
}

#[test]
fn every_tool_has_enough_scenarios() {
    let mut lacking = Vec::new();
    for toolset in symd::toolsets::all().iter().filter(|toolset| TOOLSETS.contains(&toolset.name)) {
        assert!(!toolset.tools.is_empty(), "{} has no tools", toolset.name);
        for (tool, fewest) in tools_of(toolset) {
            let count = scenario_count(toolset.name, tool.name);
            if count < fewest {
                lacking.push(format!("{}/{}: {count} of {fewest}", toolset.name, tool.name));
            }
        }
    }
    assert!(lacking.is_empty(), "too few scenarios:\n{}", lacking.join("\n"));
}

/// Returns the tools of a toolset and the aliases that are not named like one, each with the minimum number
/// of its scenarios.
pub fn tools_of(toolset: &'static Toolset) -> impl Iterator<Item = (&'static Tool, usize)> {
    let is_tool = |name: &str| toolset.tools.iter().any(|tool| tool.name == name);
    let aliases = toolset.spells.aliases.iter().map(|alias| &alias.tool);
    let aliases = aliases.filter(move |alias| !is_tool(alias.name)).map(|alias| (alias, FEWEST_OF_AN_ALIAS));
    toolset.tools.iter().map(|tool| (tool, FEWEST)).chain(aliases)
}

/// Returns the number of a tool's scenarios.
pub fn scenario_count(toolset: &str, tool: &str) -> usize {
    let file = fixtures_root().join(toolset).join(format!("{tool}.toml"));
    if file.exists() { Fixture::read(&file).scenarios.len() } else { 0 }
}

/// Runs the fixtures of `toolset`, and reports all failures.
fn run_toolset(toolset: &str) {
    let wanted = std::env::var("SYMD_SCENARIO").unwrap_or_default();
    let mut wanted = wanted.splitn(3, '/');
    let is_mine = wanted.next().is_none_or(|wanted| wanted.is_empty() || wanted == toolset);
    if !is_mine {
        return;
    }
    let (tool, name) = (wanted.next().unwrap_or_default(), wanted.next().unwrap_or_default());
    let directory = fixtures_root().join(toolset);
    if !directory.exists() {
        return;
    }
    let files: Vec<PathBuf> = entries(&directory)
        .into_iter()
        .filter(|file| tool.is_empty() || file.file_stem() == Some(tool.as_ref()))
        .collect();
    assert!(!files.is_empty(), "there is no fixture {toolset}/{tool}");
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            // A panic only fails its own file; libtest prints it.
            let ran = std::panic::catch_unwind(|| run::run_file(toolset, file, name));
            let failed = ran.unwrap_or_else(|_| vec![format!("{}: panicked, see above", file.display())]);
            failures.lock().unwrap().extend(failed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..AT_ONCE {
            scope.spawn(work);
        }
        work();
    });
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} scenarios of {toolset} failed\n\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn fixtures_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/contracts")
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}
