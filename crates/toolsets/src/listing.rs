//! What clients are shown of a contract's tools, under a name by which they choose it. A contract may have several listings
//! and profiles; the calls that can be made are the same in all of them. Which it is, the client's configuration says:
//! never who the client is.

use super::alias::named;
use super::native::{self, NATIVE};
use super::{Offered, Toolset};

/// What clients are shown of a contract's tools.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    /// `native`, `native_full`, `serena` …
    pub name: &'static str,
    /// The contract.
    pub toolset: &'static Toolset,
    /// What MCP sends as `instructions`: how a model is to work with these tools.
    pub instructions: &'static str,
    /// Which tools, in listing order.
    pub shows: Shows,
}

/// Which tools a listing shows.
#[derive(Clone, Copy, Debug)]
pub enum Shows {
    /// All of the contract, without its aliases.
    All,
    /// Those of these names, aliases before tools.
    Named(&'static [&'static str]),
}

impl Listing {
    /// The listing of all tools of a contract, under its own name.
    pub const fn whole(toolset: &'static Toolset) -> Listing {
        Listing { name: toolset.name, toolset, instructions: toolset.instructions, shows: Shows::All }
    }

    /// Its tools, in listing order.
    pub fn tools(&self) -> Vec<Offered> {
        let toolset = self.toolset;
        let alias = |name: &str| toolset.spells.aliases.iter().find(|alias| alias.tool.name == name);
        let shown = |name: &&str| match alias(name) {
            Some(alias) => Some(Offered { toolset, tool: &alias.tool }),
            None => named(toolset, name),
        };
        match self.shows {
            Shows::All => toolset.tools.iter().map(|tool| Offered { toolset, tool }).collect(),
            Shows::Named(names) => names.iter().filter_map(shown).collect(),
        }
    }
}

/// The listings of these contracts, profiles aside.
pub fn listings(toolsets: &[&'static Toolset]) -> Vec<Listing> {
    let of = |toolset: &&'static Toolset| match toolset.name == NATIVE.name {
        true => native::LISTINGS.to_vec(),
        false => vec![Listing::whole(toolset)],
    };
    toolsets.iter().flat_map(of).collect()
}

/// The listings and profiles of these names, out of those of `toolsets`.
pub fn choose(toolsets: &[&'static Toolset], names: &[String]) -> Result<Vec<Listing>, String> {
    let all = listings(toolsets);
    let find = |name: &String| {
        let profiles = native::PROFILES
            .iter()
            .filter(|profile| toolsets.iter().any(|toolset| toolset.name == profile.toolset.name));
        all.iter().chain(profiles).copied().find(|listing| listing.name == name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|listing| listing.name).collect();
            format!("there is no toolset {name:?}; known: {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

/// These names of toolsets with a profile in the place of the toolset that it is one of; without names, the profile alone.
pub fn with_profile(mut names: Vec<String>, profile: &str) -> Result<Vec<String>, String> {
    let profile = profile_named(profile)?;
    if names.is_empty() {
        return Ok(vec![profile.name.to_owned()]);
    }
    match names.iter_mut().find(|name| **name == profile.toolset.name) {
        Some(name) => profile.name.clone_into(name),
        None => {
            return Err(format!(
                "profile {} is one of toolset {}, which is not among those chosen: {}; leave out --toolset",
                profile.name,
                profile.toolset.name,
                names.join(", ")
            ));
        }
    }
    Ok(names)
}

/// The profile of that name.
fn profile_named(name: &str) -> Result<Listing, String> {
    native::PROFILES.iter().copied().find(|profile| profile.name == name).ok_or_else(|| {
        let known: Vec<&str> = native::PROFILES.iter().map(|profile| profile.name).collect();
        format!("there is no profile {name:?}; known: {}", known.join(", "))
    })
}

/// What several listings show together, the first holder of a name winning, in listing order.
pub fn union(listings: &[Listing]) -> Vec<Offered> {
    let mut tools: Vec<Offered> = Vec::new();
    for offered in listings.iter().flat_map(Listing::tools) {
        if tools.iter().all(|known| known.tool.name != offered.tool.name) {
            tools.push(offered);
        }
    }
    tools
}

/// The tool that a call of this name means to a client of these listings: what is shown before what is not.
pub fn offered(listings: &[Listing], name: &str) -> Option<Offered> {
    let shown = listings.iter().flat_map(Listing::tools).find(|offered| offered.tool.name == name);
    shown.or_else(|| listings.iter().find_map(|listing| named(listing.toolset, name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all;

    fn chosen(names: &[&str], profile: &str) -> Result<String, String> {
        let names = with_profile(names.iter().map(ToString::to_string).collect(), profile)?;
        let chosen = choose(all(), &names)?;
        Ok(chosen.iter().map(|listing| listing.name).collect::<Vec<_>>().join(","))
    }

    #[test]
    fn a_profile_takes_the_place_of_its_toolset() {
        assert_eq!(chosen(&["serena", "native"], "debugging"), Ok("serena,debugging".to_owned()));
        assert_eq!(chosen(&[], "coding-agent"), Ok("coding-agent".to_owned()));
        let why = chosen(&["serena"], "debugging").expect_err("refused");
        assert!(why.contains("is not among those chosen: serena"), "{why}");
        let why = chosen(&["native"], "coding").expect_err("refused");
        assert_eq!(why, "there is no profile \"coding\"; known: coding-agent, debugging");
        let why = chosen(&["native", "nativ"], "debugging").expect_err("refused");
        assert!(
            why.starts_with("there is no toolset \"nativ\"; known: native, native_full, serena"),
            "{why}"
        );
    }

    #[test]
    fn what_is_shown_goes_before_what_is_not() {
        let listings = choose(all(), &["native".to_owned(), "serena".to_owned()]).expect("known");
        let toolset = |name: &str| offered(&listings, name).map(|offered| offered.toolset.name);
        assert_eq!(toolset("find_symbol"), Some("native"));
        // native has it too, and does not show it.
        assert_eq!(toolset("read_file"), Some("serena"));
        assert_eq!(toolset("status"), Some("native"));
        assert_eq!(toolset("nothing"), None);
    }
}
