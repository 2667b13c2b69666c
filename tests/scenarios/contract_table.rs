//! docs/contracts.md is generated from the tables of tools, the contracts' data, the scenarios and the last
//! coverage measurement: `UPDATE_EXPECT=1 cargo test --test scenarios contracts.md` writes it; without that
//! variable an outdated page fails the test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use expect_test::expect_file;
use serde_json::{Map, Value};
use symd::toolsets::{self, Toolset};

use crate::{FEWEST, FEWEST_OF_AN_ALIAS, TOOLSETS, scenario_count, tools_of};

const HEAD: &str = "\
# Contracts

Made by `tests/scenarios/contract_table.rs`; `UPDATE_EXPECT=1 cargo test --test scenarios contracts.md` makes it anew.

`native` is symd's own: what of it is listed for whom (`native`, `native_full`, the profiles) stands in [clients.md](clients.md), its
tools and parameters in `fixtures/schemas/native.json` and `native_full.json`. Its scenarios show what it promises: answers that are
complete only when nothing is missing, edits that are made whole or not at all, lines from 1, refusals that say what helps. The names,
parameters and texts of the other contracts are given from outside; each is listed whole.

- **Risk**: what the tool can do, as `symd tools --format json` says it. **Asks**: whether the user is asked first, as long
  as they have settled nothing (`symd approvals`).
- **Scenarios**: calls with whole texts compared, in `fixtures/contracts/<toolset>/<tool>.toml`, run by
  `cargo test --test scenarios`.
- **Lines**: how many per cent of the lines of the files that hold the tool (`benches/coverage/sources.tsv`) those scenarios
  ran when `benches/coverage/run.sh` was run last.
- **State**: *complete*, at least 10 scenarios (4 of a tool that stands for others), *begun*, fewer, or *missing*.
";

fn root(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let coverage = measured();
    for toolset in
        TOOLSETS.iter().filter_map(|name| toolsets::all().iter().find(|toolset| toolset.name == *name))
    {
        let rows: Vec<Row> = names_of(toolset).into_iter().map(|name| Row::new(toolset, &name)).collect();
        let complete = rows.iter().filter(|row| row.state() == "complete").count();
        let scenarios: usize = rows.iter().map(|row| row.scenarios).sum();
        // Writing to a String cannot fail.
        let _ = write!(
            page,
            "\n## {}\n\n{complete} of {} tools complete, {scenarios} scenarios.\n\n\
             | Tool | Risk | Asks | Scenarios | Lines | State |\n|---|---|---|---|---|---|\n",
            toolset.name,
            rows.len()
        );
        for row in rows {
            let lines =
                coverage.get(&(toolset.name.to_owned(), row.name.clone())).map_or("-", String::as_str);
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} | {lines} | {} |",
                row.title,
                row.risk,
                row.asks,
                row.scenarios,
                row.state()
            );
        }
    }
    page
}

struct Row {
    /// With the tools that it stands for.
    title: String,
    name: String,
    risk: &'static str,
    asks: &'static str,
    scenarios: usize,
    fewest: usize,
}

impl Row {
    fn new(toolset: &'static Toolset, name: &str) -> Row {
        let (title, name) = (name.to_owned(), name.to_owned());
        let Some((tool, fewest)) = tools_of(toolset).find(|(tool, _)| tool.name == name) else {
            return Row { title, name, risk: "-", asks: "-", scenarios: 0, fewest: FEWEST };
        };
        let title = match tool.stands_for {
            _ if fewest != FEWEST_OF_AN_ALIAS => title,
            others => format!("{title}: {}", others.join(", ")),
        };
        let asks = if toolset.asks_for.asks_by_default(tool.risk, tool.reach) { "yes" } else { "no" };
        let scenarios = scenario_count(toolset.name, tool.name);
        Row { title, name, risk: tool.risk.name(), asks, scenarios, fewest }
    }

    fn state(&self) -> &'static str {
        match (self.risk, self.scenarios) {
            ("-", _) => "missing",
            (_, scenarios) if scenarios >= self.fewest => "complete",
            _ => "begun",
        }
    }
}

/// Returns the names of the contract's tools and of ours; native has no contract from outside.
fn names_of(toolset: &'static Toolset) -> BTreeSet<String> {
    let file = root(&format!("fixtures/schemas/contracts/{}.json", toolset.name));
    let contract: Map<String, Value> = match std::fs::read_to_string(file) {
        Ok(text) => serde_json::from_str(&text).unwrap(),
        Err(_) => Map::new(),
    };
    let ours = tools_of(toolset).map(|(tool, _)| tool.name.to_owned());
    contract.into_iter().map(|(name, _)| name).chain(ours).collect()
}

/// Returns the percentage of covered lines, by toolset and tool.
fn measured() -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(root("benches/coverage/measured.tsv")).unwrap_or_default();
    rows(&text).map(|row| ((row[0].to_owned(), row[1].to_owned()), format!("{} %", row[2]))).collect()
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

pub fn the_page_is_up_to_date() {
    expect_file![root("docs/contracts.md")].assert_eq(&page());
}

/// A tool without listed source files would silently have no coverage.
pub fn every_source_is_there_and_every_tool_has_its_sources() {
    let text = std::fs::read_to_string(root("benches/coverage/sources.tsv")).unwrap();
    let mut known = BTreeSet::new();
    for row in rows(&text) {
        let [toolset, tool, sources] = row[..] else { panic!("{row:?}") };
        assert!(known.insert((toolset, tool)), "{toolset}/{tool} twice");
        assert!(!sources.is_empty(), "{toolset}/{tool} has no sources");
        let is_ours = |known: &'static Toolset| {
            known.name == toolset && tools_of(known).any(|(known, _)| known.name == tool)
        };
        if !toolsets::all().iter().copied().any(is_ours) {
            continue;
        }
        for source in sources.split(' ') {
            assert!(root(source).is_file(), "{toolset}/{tool}: there is no {source}");
        }
    }
    let ours = toolsets::all().iter().filter(|toolset| TOOLSETS.contains(&toolset.name));
    let ours = ours.flat_map(|toolset| tools_of(toolset).map(|(tool, _)| (toolset.name, tool.name)));
    let missing: Vec<_> = ours.filter(|tool| !known.contains(tool)).collect();
    assert!(missing.is_empty(), "benches/coverage/sources.tsv does not say where these are: {missing:?}");
}
