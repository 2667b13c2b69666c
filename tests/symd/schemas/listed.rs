//! What a model reads of native before its first question: the number of tools and characters, and that the
//! listed tools are those that can be called.

use serde_json::Value;
use symd::serve::describe;
use symd::toolsets::listing::{Listing, Shows};
use symd::toolsets::native::{
    LISTINGS, MAX_CHARACTERS, MAX_INSTRUCTIONS, MAX_OF_DEBUGGING, MAX_TOOLS, PROFILES,
};

/// Returns the number of tools in a listing and of characters that they take, as its client reads them.
fn size(listing: &Listing) -> (usize, usize) {
    let tools: Vec<Value> = listing.tools().iter().map(|offered| describe(offered.tool)).collect();
    let characters = Value::from(tools.clone()).to_string().chars().count();
    (tools.len(), characters)
}

#[track_caller]
fn check(listing: &Listing, tools: usize, characters: usize) {
    let (count, size) = size(listing);
    assert!(count <= tools, "{} lists {count} tools, at most {tools}", listing.name);
    assert!(size <= characters, "{} lists {size} characters, at most {characters}", listing.name);
    let instructions = listing.instructions.chars().count();
    assert!(instructions <= MAX_INSTRUCTIONS, "{}: {instructions} characters of instructions", listing.name);
}

#[test]
fn what_is_listed_keeps_to_its_bounds() {
    check(&LISTINGS[0], MAX_TOOLS, MAX_CHARACTERS);
    for profile in &PROFILES {
        let (tools, characters) = match profile.name {
            "debugging" => MAX_OF_DEBUGGING,
            _ => (MAX_TOOLS, MAX_CHARACTERS),
        };
        check(profile, tools, characters);
    }
    assert_eq!((MAX_TOOLS, MAX_CHARACTERS, MAX_INSTRUCTIONS), (16, 16_000, 1_500));
    assert_eq!(MAX_OF_DEBUGGING, (22, 22_000));
}

#[test]
fn every_name_of_a_listing_is_a_tool() {
    for listing in LISTINGS.iter().chain(&PROFILES) {
        if let Shows::Named(names) = listing.shows {
            let shown: Vec<&str> = listing.tools().iter().map(|offered| offered.tool.name).collect();
            assert_eq!(shown, names, "{}", listing.name);
        }
    }
}

/// Clients that read, search and edit text themselves.
#[test]
fn a_coding_agent_is_shown_nothing_that_it_has() {
    let profile = PROFILES.iter().find(|profile| profile.name == "coding-agent").unwrap();
    for its_own in ["read_file", "list_dir", "find_file", "create_text_file", "search", "apply_patch"] {
        assert!(profile.tools().iter().all(|offered| offered.tool.name != its_own), "{its_own}");
    }
}

/// What `investigate` advises to ask next can be asked where it is listed.
#[test]
fn what_investigate_advises_is_listed_beside_it() {
    let source = include_str!("../../../crates/toolsets/src/native/investigate.rs");
    let advice = source.split("fn next(").nth(1).unwrap();
    let named = regex::Regex::new(r#""([a-z]+_?[a-z_]*) "#).unwrap();
    let every: Vec<&str> =
        LISTINGS.iter().flat_map(Listing::tools).map(|offered| offered.tool.name).collect();
    let advised: Vec<&str> = named
        .captures_iter(advice)
        .map(|found| found.get(1).unwrap().as_str())
        .chain(advice.contains("\"record_solution,").then_some("record_solution"))
        .filter(|word| every.contains(word))
        .collect();
    assert!(advised.len() >= 4, "{advised:?}");
    for profile in PROFILES
        .iter()
        .filter(|profile| profile.tools().iter().any(|offered| offered.tool.name == "investigate"))
    {
        let listed: Vec<&str> = profile.tools().iter().map(|offered| offered.tool.name).collect();
        for tool in &advised {
            assert!(listed.contains(tool), "{}: {tool}", profile.name);
        }
    }
}

/// Instructions name only tools that the client is shown.
#[test]
fn instructions_name_what_is_listed() {
    let every: Vec<&str> =
        LISTINGS.iter().flat_map(Listing::tools).map(|offered| offered.tool.name).collect();
    for listing in LISTINGS.iter().chain(&PROFILES) {
        let listed: Vec<&str> = listing.tools().iter().map(|offered| offered.tool.name).collect();
        let words = listing.instructions.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for word in words.filter(|word| word.contains('_') && every.contains(word)) {
            assert!(listed.contains(&word), "{}: {word}", listing.name);
        }
    }
}
