//! Runs the scenarios of the contracts and of native, `fixtures/contracts/<toolset>/<tool>.toml`, against real
//! daemons, and compares whole texts and the resulting files. Each scenario is a test of its own. `scenario` defines the
//! format of a fixture; expected texts are written from the contracts, or from what native promises, never from the
//! program's output alone, so no command rewrites them.
//!
//! `cargo test --test scenarios serena/read_file` runs one fixture, `serena/read_file/crlf` those of its scenarios whose name
//! begins with "crlf".
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "tests, their helpers included"
)]

mod compare;
mod contract_table;
mod http;
mod run;
mod scenario;
mod stage;
mod stage_pool;
mod tree;

#[path = "../symd/edit_support.rs"]
#[allow(dead_code, reason = "what other tests need of it")]
mod edit_support;
#[path = "../symd/fake_editor.rs"]
#[allow(dead_code, reason = "what other tests need of it")]
mod fake_editor;
#[path = "../symd/lsp_stage.rs"]
#[allow(dead_code, reason = "what other tests need of it")]
mod lsp_stage;
#[path = "../symd/support.rs"]
#[allow(dead_code, reason = "what other tests need of it")]
mod support;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
use scenario::Fixture;
use stage_pool::StagePool;
use symd::toolsets::{Tool, Toolset};

/// The contracts that must be covered, and native, which is symd's own.
pub const TOOLSETS: [&str; 6] =
    ["native", "serena", "gemini_cli", "cli_agent", "tool_router", "kotlin_debug"];

/// The minimum number of scenarios for each tool of a contract.
pub const FEWEST: usize = 10;

/// The minimum number of scenarios for each alias that has a name of its own: they show which tool it means.
pub const FEWEST_OF_AN_ALIAS: usize = 4;

fn main() -> ExitCode {
    let stages = Arc::new(StagePool::default());
    let mut trials = vec![
        test("every fixture is of a tool", every_fixture_is_of_a_tool),
        test("every tool has enough scenarios", every_tool_has_enough_scenarios),
        test("docs/contracts.md is up to date", contract_table::the_page_is_up_to_date),
        test(
            "every tool has its sources",
            contract_table::every_source_is_there_and_every_tool_has_its_sources,
        ),
    ];
    for toolset in TOOLSETS {
        trials.extend(scenarios(toolset, &stages));
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    stages.end();
    conclusion.exit_code()
}

/// Returns a test that fails by a panic.
fn test(name: &str, run: fn()) -> Trial {
    Trial::test(name, move || {
        run();
        Ok(())
    })
}

/// Returns a test for each scenario of a toolset.
fn scenarios(toolset: &'static str, stages: &Arc<StagePool>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for file in entries(&fixtures_root().join(toolset)) {
        let tool: Arc<str> = file.file_stem().unwrap().to_str().unwrap().into();
        for scenario in Fixture::read(&file).scenarios {
            let (stages, tool) = (Arc::clone(stages), Arc::clone(&tool));
            let name = format!("{toolset}/{tool}/{}", scenario.name);
            trials.push(Trial::test(name, move || run::run((toolset, &tool), &scenario, &stages)));
        }
    }
    trials
}

/// No fixture is skipped because the name of its directory or file is unknown.
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

fn fixtures_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/contracts")
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}
