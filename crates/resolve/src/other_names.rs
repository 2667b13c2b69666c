//! Aliases that a project's text gives to classes: imports under another name, type aliases, macros. Matched
//! by name alone, wherever they stand. Invariant: an alias of an alias is one too.

use std::collections::HashSet;

use super::family::Family;
use super::resolver::Resolver;
use crate::hierarchy::graph_by_need::MAX_NAMES;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_index::NeededWords;
use symd_syntax::Imported;

/// An alias, and the words that it may stand for.
struct OtherName {
    name: String,
    stands_for: Vec<String>,
}

/// Returns the aliases of classes called `names`.
pub(super) fn other_names(
    resolver: &Resolver,
    names: &HashSet<String>,
) -> Result<HashSet<String>, Cancelled> {
    Ok(WrittenAliases::read(resolver)?.of(resolver, names))
}

/// All aliases of the files that are known.
pub(super) struct WrittenAliases(Vec<OtherName>);

impl WrittenAliases {
    pub(super) fn read(resolver: &Resolver) -> Result<WrittenAliases, Cancelled> {
        let mut all = Vec::new();
        for file in resolver.sources.snapshot().files.known_within(&RelPath::root()) {
            let Some(imports) = file.imports().filter(|_| Family::of(file) == Some(resolver.family)) else {
                continue;
            };
            resolver.cancel.check()?;
            for import in imports.unpack().iter() {
                if let (Imported::Name(name), Some(alias)) = (import.imported, import.alias) {
                    all.push(OtherName { name: alias.to_owned(), stands_for: vec![name.to_owned()] });
                }
            }
            if resolver.profile.bases.has_unlisted_aliases
                && let Some(here) = resolver.read_uncached(file)
            {
                all.extend(here.text.as_str().lines().filter_map(alias_in_line));
            }
        }
        Ok(WrittenAliases(all))
    }

    /// Returns those of classes called `names`, and notes that the files which hold one of the names are needed.
    pub(super) fn of(&self, resolver: &Resolver, names: &HashSet<String>) -> HashSet<String> {
        let mut others: HashSet<String> = HashSet::new();
        loop {
            let is_known = |word: &String| names.contains(word) || others.contains(word);
            let is_new = |one: &&OtherName| !is_known(&one.name) && one.stands_for.iter().any(is_known);
            let new: Vec<String> = self.0.iter().filter(is_new).map(|one| one.name.clone()).collect();
            if new.is_empty() {
                break;
            }
            others.extend(new);
        }
        let files = &resolver.sources.snapshot().files;
        // What gives another name to one of these holds it.
        if names.len() + others.len() > MAX_NAMES {
            files.need_everything();
        } else {
            files.need_any_words(names.iter().chain(&others).map(|name| NeededWords::of_name(name)));
        }
        others
    }
}

/// Reads the alias that a line of C, C++ or C# declares, and what it may stand for.
fn alias_in_line(line: &str) -> Option<OtherName> {
    let line = line.trim_start();
    let line = line.split("//").next().unwrap_or(line);
    let of = |name: &str, words: &str| {
        let stands_for: Vec<String> = words_of(words).map(str::to_owned).collect();
        let name = name.trim();
        (!name.is_empty() && !stands_for.is_empty()).then(|| OtherName { name: name.to_owned(), stands_for })
    };
    if let Some(rest) = line.strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("define")) {
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        return of(&rest[..end], &rest[end..]);
    }
    let using = line.strip_prefix("global ").map_or(line, str::trim_start).strip_prefix("using ");
    if let Some((name, words)) = using.and_then(|rest| rest.split_once('=')) {
        return of(name, words);
    }
    let typedef = line.strip_prefix("typedef ")?.split(';').next()?.trim_end();
    let name = typedef.trim_end_matches(is_word).len();
    of(&typedef[name..], &typedef[..name])
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_give_another_name() {
        let read = |line: &str| alias_in_line(line).map(|one| (one.name, one.stands_for.join(" ")));
        let pair = |name: &str, words: &str| Some((name.to_owned(), words.to_owned()));
        assert_eq!(read("typedef Base Al;"), pair("Al", "Base"));
        assert_eq!(read("  typedef n::Base<int> Al; // x"), pair("Al", "n Base int"));
        assert_eq!(read("using Al = n::Base;"), pair("Al", "n Base"));
        assert_eq!(read("global using Al = N.Base;"), pair("Al", "N Base"));
        assert_eq!(read("# define BASE public Base"), pair("BASE", "public Base"));
        assert_eq!(read("#define GUARD"), None);
        assert_eq!(read("using namespace std;"), None);
        assert_eq!(read("int x = Base;"), None);
    }
}
