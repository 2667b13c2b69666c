//! What must hold of everything that reads bytes which somebody else wrote: one function for each reader, which panics where
//! it does not hold. Tried by tests (`tests`, by proptest) and by `fuzz/` (by libFuzzer); the functions stand beside
//! the readers, in modules of this name, and in no feature of their crates: cargo would build every crate above twice for it.

#[cfg(test)]
mod tests;

use symd_edit as edit;
use symd_files as files;
use symd_index as index;
use symd_parse as parse;
use symd_rewrite as rewrite;
use symd_serve as serve;
use symd_syntax as syntax;

/// A reader, and how to try it.
#[derive(Debug)]
pub struct Property {
    /// As its fuzz target is called.
    pub name: &'static str,
    check: fn(&[u8]),
    seeds: fn() -> Vec<Vec<u8>>,
    /// What its texts are made of; nothing where it reads no text.
    words: &'static [&'static str],
    /// How many inputs `cargo test` tries.
    pub cases: u32,
}

/// What begins the names of properties that hold of grammars. They are for `fuzz/` alone: a grammar's scanner may end the
/// process, and `fixtures/hostile` holds what is known of that.
const GRAMMAR: &str = "grammar_";

/// All but those of grammars.
pub const ALL: [Property; 14] = [
    Property {
        name: "json_rpc_line",
        check: serve::properties::json_rpc_line,
        seeds: serve::properties::seeds,
        words: serve::properties::WORDS,
        cases: 2_000,
    },
    Property {
        name: "mcp",
        check: serve::properties::mcp,
        seeds: serve::properties::seeds,
        words: serve::properties::WORDS,
        cases: 2_000,
    },
    Property {
        name: "name_path",
        check: syntax::properties::name_path,
        seeds: syntax::properties::seeds,
        words: syntax::properties::WORDS,
        cases: 3_000,
    },
    Property {
        name: "patches",
        check: rewrite::properties::patches,
        seeds: rewrite::properties::patch_seeds,
        words: rewrite::properties::PATCH_WORDS,
        cases: 4_000,
    },
    Property {
        name: "glob",
        check: files::properties::glob,
        seeds: files::properties::globs,
        words: files::properties::GLOB_WORDS,
        cases: 200,
    },
    Property {
        name: "regex",
        check: files::search::properties::regex,
        seeds: files::search::properties::seeds,
        words: files::search::properties::WORDS,
        cases: 100,
    },
    Property {
        name: "escaped_text",
        check: files::search::properties::escaped_text,
        seeds: files::search::properties::seeds,
        words: files::search::properties::WORDS,
        cases: 100,
    },
    Property {
        name: "search_answer",
        check: files::search::properties::answer,
        seeds: files::search::properties::answers,
        words: &[],
        cases: 4_000,
    },
    Property {
        name: "grouped_answer",
        check: files::search::properties::grouped_answer,
        seeds: files::search::properties::grouped_answers,
        words: &[],
        cases: 4_000,
    },
    Property {
        name: "journal",
        check: edit::properties::journal,
        seeds: edit::properties::seeds,
        words: &[],
        cases: 1_000,
    },
    Property {
        name: "slot",
        check: edit::properties::slot,
        seeds: edit::properties::slot_seeds,
        words: &[],
        cases: 60,
    },
    Property {
        name: "pack",
        check: index::cache::properties::pack,
        seeds: index::cache::properties::packs,
        words: &[],
        cases: 300,
    },
    Property {
        name: "cached_outline",
        check: index::cache::properties::outline,
        seeds: index::cache::properties::seeds,
        words: &[],
        cases: 4_000,
    },
    Property {
        name: "worker_answer",
        check: parse::properties::worker_answer,
        seeds: parse::properties::seeds,
        words: &[],
        cases: 4_000,
    },
];

/// Asserts what must hold of the reader `name`, or of the grammar that it names, over `bytes`.
pub fn check(name: &str, bytes: &[u8]) {
    match name.strip_prefix(GRAMMAR) {
        Some(grammar) => parse::properties::grammar(grammar, bytes),
        None => (named(name).check)(bytes),
    }
}

/// Inputs of `name` to begin with; none of a grammar, whose are in `fixtures/outline`.
pub fn seeds(name: &str) -> Vec<Vec<u8>> {
    if name.starts_with(GRAMMAR) {
        return Vec::new();
    }
    let property = named(name);
    let words = property.words.iter().map(|word| word.as_bytes().to_vec());
    (property.seeds)().into_iter().chain(words).collect()
}

fn named(name: &str) -> &'static Property {
    ALL.iter().find(|property| property.name == name).unwrap_or_else(|| panic!("there is no property {name}"))
}
