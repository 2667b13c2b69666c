//! Every tool of every toolset as it is published: its schema, its annotations, its texts, and its earlier
//! published schema.

mod contract;
mod evolution;
mod listed;
mod plain;
mod snapshot;

use std::collections::BTreeSet;

use symd::serve::describe;
use symd::toolsets::listing::listings;
use symd::toolsets::{self, Offered, Reach, Risk, Tool, Toolset};

/// Collects the faults of each tool of each listing.
fn walk(find: impl Fn(&'static Toolset, &'static Tool) -> Vec<String>) {
    let mut wrong = Vec::new();
    for listing in listings(toolsets::all()) {
        for Offered { toolset, tool } in listing.tools() {
            wrong.extend(
                find(toolset, tool).into_iter().map(|what| format!("{}/{}: {what}", listing.name, tool.name)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns `what` unless `holds`.
fn unless(holds: bool, what: &str) -> Option<String> {
    (!holds).then(|| what.to_owned())
}

#[test]
fn every_schema_is_plain_json_schema() {
    walk(|_, tool| plain::faults(&(tool.schema)()));
}

#[test]
fn every_name_is_one_that_clients_take_and_stands_once() {
    for listing in listings(toolsets::all()) {
        let mut names = BTreeSet::new();
        for Offered { tool, .. } in listing.tools() {
            assert!(names.insert(tool.name), "{}/{} twice", listing.name, tool.name);
            // OpenAI's rule for function names; MCP's is wider.
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            assert!(tool.name.len() <= 64 && tool.name.chars().all(fits), "{}", tool.name);
        }
    }
}

#[test]
fn every_tool_has_its_words() {
    walk(|_, tool| {
        let title_is_short = !tool.title.trim().is_empty() && tool.title.chars().count() <= 40;
        let description = tool.description;
        let wrong = [
            unless(title_is_short, "its title is missing, or long"),
            unless(
                description.trim() == description && !description.is_empty(),
                "its description is missing",
            ),
            unless(!description.contains("  "), "its description has two spaces in a row"),
        ];
        wrong.into_iter().flatten().collect()
    });
}

#[test]
fn every_annotation_is_set_and_agrees_with_the_risk() {
    walk(|_, tool| {
        let published = describe(tool);
        let hints = &published["annotations"];
        let names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        let says = tool.annotations;
        let (reads, beyond) = (tool.risk == Risk::ReadOnly, tool.reach == Reach::BeyondProject);
        let wrong = [
            unless(names.iter().all(|name| hints[*name].is_boolean()), "not all four hints are published"),
            unless(
                hints["title"] == tool.title && published["title"] == tool.title,
                "its title is not published",
            ),
            unless(!says.read_only || !says.destructive, "reads only, and may destroy"),
            unless(!reads || says.read_only, "risk read_only, and annotated as writing"),
            unless(reads || beyond || !says.read_only, "annotated as reading only, and its risk is higher"),
            unless(
                says.open_world == beyond,
                "open_world is for what reaches beyond the project, and for that alone",
            ),
            // What only sends a text that the user was shown does no harm beyond that.
            unless(
                !beyond || tool.risk == Risk::Dangerous || tool.outgoing.is_some(),
                "it reaches beyond the project, and is not called dangerous",
            ),
        ];
        wrong.into_iter().flatten().collect()
    });
}

/// The published schema equals that of the table, key for key.
#[test]
fn what_is_published_is_the_table() {
    walk(|_, tool| {
        let published = describe(tool);
        let keys: Vec<&str> = published.as_object().unwrap().keys().map(String::as_str).collect();
        let expected: BTreeSet<&str> = ["annotations", "description", "inputSchema", "name", "title"].into();
        let whole = keys.into_iter().collect::<BTreeSet<_>>() == expected;
        let same: bool = published["inputSchema"] == (tool.schema)() && published["name"] == tool.name;
        unless(whole && same && published["description"] == tool.description, "published differently")
            .into_iter()
            .collect()
    });
}
