//! Snapshots of every published schema, committed as `fixtures/schemas/<listing>.json`.
//! `UPDATE_EXPECT=1 cargo test --test symd schemas` records additions and changed descriptions there; it does not record
//! changes that break callers.
//!
//! A parameter must be deprecated before its removal: its description begins with `[DEPRECATED]`, and it is
//! listed, with the release that deprecates it, in `fixtures/schemas/deprecations.toml`. It may be removed
//! when two further releases have been made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use symd::toolsets;
use symd::toolsets::listing::{Listing, listings};

use super::evolution::change;

/// The number of releases that keep a deprecated parameter.
const KEPT_RELEASES: usize = 2;

type Schemas = BTreeMap<String, Value>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deprecations {
    /// Releases, oldest first; the last is the one that this tree will become.
    releases: Vec<String>,
    #[serde(default)]
    deprecated: Vec<Deprecated>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Deprecated {
    toolset: String,
    tool: String,
    parameter: String,
    /// The first release that marks the parameter.
    since: String,
}

impl Deprecations {
    fn read() -> Deprecations {
        toml::from_str(&std::fs::read_to_string(path("deprecations.toml")).unwrap()).unwrap()
    }

    /// Whether the parameter has been deprecated for long enough.
    fn may_go(&self, toolset: &str, tool: &str, parameter: &str) -> bool {
        let is_it =
            |one: &&Deprecated| one.toolset == toolset && one.tool == tool && one.parameter == parameter;
        let since = self.deprecated.iter().find(is_it);
        let since = since.and_then(|one| self.releases.iter().position(|release| *release == one.since));
        // The release that marks the parameter, those that keep it, and the present one.
        since.is_some_and(|since| self.releases.len() - since > KEPT_RELEASES + 1)
    }
}

#[test]
fn nothing_that_was_published_is_taken_back() {
    let breaking = changes()
        .into_iter()
        .flat_map(|(name, change)| change.breaking.into_iter().map(move |what| format!("{name}: {what}")));
    let breaking: Vec<String> = breaking.collect();
    assert!(
        breaking.is_empty(),
        "agents that call these tools as they were published would fail:\n{}\n\
         Keep what was there; a parameter that is to go is deprecated first (tests/symd/schemas/snapshot.rs says how).",
        breaking.join("\n")
    );
}

#[test]
fn the_snapshot_is_up_to_date() {
    let changes = changes();
    let breaks = changes.iter().any(|(_, change)| !change.breaking.is_empty());
    if std::env::var_os("UPDATE_EXPECT").is_some() && !breaks {
        for listing in listings(toolsets::all()) {
            std::fs::write(path(&format!("{}.json", listing.name)), render(&published(&listing))).unwrap();
        }
        return;
    }
    let other = changes
        .into_iter()
        .flat_map(|(name, change)| change.other.into_iter().map(move |what| format!("{name}: {what}")));
    let other: Vec<String> = other.collect();
    assert!(
        other.is_empty(),
        "allowed, and not recorded in fixtures/schemas yet (UPDATE_EXPECT=1 cargo test --test symd schemas does it):\n{}",
        other.join("\n")
    );
}

#[test]
fn deprecations_are_marked_and_of_a_release() {
    let deprecations = Deprecations::read();
    assert_eq!(deprecations.releases.last().map(String::as_str), Some(env!("CARGO_PKG_VERSION")));
    for one in &deprecations.deprecated {
        assert!(deprecations.releases.contains(&one.since), "{one:?}: no such release");
        let listing =
            listings(toolsets::all()).into_iter().find(|listing| listing.name == one.toolset).unwrap();
        let schema = published(&listing).remove(&one.tool).unwrap_or_else(|| panic!("{one:?}: no such tool"));
        if let Some(property) = schema["properties"].get(&one.parameter) {
            let marked =
                property["description"].as_str().is_some_and(|text| text.starts_with("[DEPRECATED]"));
            assert!(marked, "{one:?}: its description does not begin with [DEPRECATED]");
            let required = schema["required"].as_array().unwrap();
            assert!(!required.iter().any(|name| *name == *one.parameter), "{one:?}: deprecated and required");
        }
    }
}

#[test]
fn a_deprecated_parameter_outlives_two_releases() {
    let may_go = |releases: &[&str]| {
        let releases = releases.iter().map(|release| format!("\"{release}\"")).collect::<Vec<_>>().join(", ");
        let table = "[[deprecated]]\ntoolset = \"t\"\ntool = \"x\"\nparameter = \"p\"\nsince = \"0.2.0\"\n";
        let deprecations: Deprecations =
            toml::from_str(&format!("releases = [{releases}]\n{table}")).unwrap();
        assert!(!deprecations.may_go("t", "x", "q"));
        deprecations.may_go("t", "x", "p")
    };
    assert!(!may_go(&["0.1.0", "0.2.0"]));
    assert!(!may_go(&["0.1.0", "0.2.0", "0.3.0", "0.3.1"]));
    assert!(may_go(&["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0"]));
    assert!(!may_go(&["0.4.0"]));
}

/// Returns the changes of every tool's schema since it was recorded.
fn changes() -> Vec<(String, super::evolution::Change)> {
    let deprecations = Deprecations::read();
    let mut changes = Vec::new();
    for listing in listings(toolsets::all()) {
        let (before, now) = (recorded(&listing), published(&listing));
        for (tool, old) in &before {
            let name = format!("{}/{tool}", listing.name);
            let changed = match now.get(tool) {
                Some(new) => {
                    change(old, new, &|parameter| deprecations.may_go(listing.name, tool, parameter))
                }
                None => {
                    super::evolution::Change { breaking: vec!["is removed".to_owned()], other: Vec::new() }
                }
            };
            changes.push((name, changed));
        }
        let new = now.keys().filter(|tool| !before.contains_key(*tool));
        changes.extend(new.map(|tool| {
            let new = super::evolution::Change { breaking: Vec::new(), other: vec!["is new".to_owned()] };
            (format!("{}/{tool}", listing.name), new)
        }));
    }
    changes
}

fn published(listing: &Listing) -> Schemas {
    listing.tools().iter().map(|offered| (offered.tool.name.to_owned(), (offered.tool.schema)())).collect()
}

fn recorded(listing: &Listing) -> Schemas {
    let text =
        std::fs::read_to_string(path(&format!("{}.json", listing.name))).unwrap_or_else(|_| "{}".to_owned());
    serde_json::from_str(&text).unwrap()
}

fn render(schemas: &Schemas) -> String {
    format!("{}\n", serde_json::to_string_pretty(schemas).unwrap())
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas").join(name)
}
