//! Listings: named selections of a contract's tools that clients are shown. A contract may have several
//! listings and profiles; the calls that can be made are the same in all of them. The client's configuration
//! chooses the listing, never the client's identity.

use super::alias::named;
use super::native::{self, NATIVE};
use super::{Offered, Toolset};

/// A named selection of a contract's tools.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    /// `native`, `native_full`, `serena` …
    pub name: &'static str,
    pub toolset: &'static Toolset,
    /// The MCP `instructions`: how a model should work with these tools.
    pub instructions: &'static str,
    /// The selected tools, in listing order.
    pub shows: Shows,
}

/// The rule by which a listing selects tools.
#[derive(Clone, Copy, Debug)]
pub enum Shows {
    /// All tools of the contract, without its aliases.
    All,
    /// The tools with these names; an alias takes precedence over a tool with the same name.
    Named(&'static [&'static str]),
}

impl Listing {
    /// Returns the listing of all tools of a contract, named like the contract.
    pub const fn whole(toolset: &'static Toolset) -> Listing {
        Listing { name: toolset.name, toolset, instructions: toolset.instructions, shows: Shows::All }
    }

    /// Returns the tools, in listing order.
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

/// Returns the listings of these contracts, without profiles.
pub fn listings(toolsets: &[&'static Toolset]) -> Vec<Listing> {
    let of = |toolset: &&'static Toolset| match toolset.name == NATIVE.name {
        true => native::LISTINGS.to_vec(),
        false => vec![Listing::whole(toolset)],
    };
    toolsets.iter().flat_map(of).collect()
}

/// Finds the listings and profiles with these names among those of `toolsets`.
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

/// Replaces, in these names of toolsets, the profile's toolset by the profile. Without names, returns the
/// profile alone.
pub fn with_profile(mut names: Vec<String>, profile: &str) -> Result<Vec<String>, String> {
    let profile = profile_named(profile)?;
    if names.is_empty() {
        return Ok(vec![profile.name.to_owned()]);
    }
    match names.iter_mut().find(|name| **name == profile.toolset.name) {
        Some(name) => profile.name.clone_into(name),
        None => {
            return Err(format!(
                "profile {} belongs to toolset {}, which is not among those chosen: {}; leave out --toolset",
                profile.name,
                profile.toolset.name,
                names.join(", ")
            ));
        }
    }
    Ok(names)
}

fn profile_named(name: &str) -> Result<Listing, String> {
    native::PROFILES.iter().copied().find(|profile| profile.name == name).ok_or_else(|| {
        let known: Vec<&str> = native::PROFILES.iter().map(|profile| profile.name).collect();
        format!("there is no profile {name:?}; known: {}", known.join(", "))
    })
}

/// Returns the tools of several listings together, in listing order. Of tools with the same name, the first
/// remains.
pub fn union(listings: &[Listing]) -> Vec<Offered> {
    let mut tools: Vec<Offered> = Vec::new();
    for offered in listings.iter().flat_map(Listing::tools) {
        if tools.iter().all(|known| known.tool.name != offered.tool.name) {
            tools.push(offered);
        }
    }
    tools
}

/// Finds the tool that a call of this name means to a client of these listings. Listed tools take precedence.
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
        // `native` has it too, but does not list it.
        assert_eq!(toolset("read_file"), Some("serena"));
        assert_eq!(toolset("status"), Some("native"));
        assert_eq!(toolset("nothing"), None);
    }
}
