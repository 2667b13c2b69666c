//! Properties of everything that reads untrusted bytes: one function per reader, which panics if the property
//! is violated. Checked by tests (`tests`, with proptest) and by `fuzz/` (with libFuzzer). The functions are
//! beside the readers, in modules called `properties`, and behind no feature of their crates: cargo would
//! build every dependent crate twice for it.

#[cfg(test)]
mod tests;

use symd_edit as edit;
use symd_files as files;
use symd_index as index;
use symd_parse as parse;
use symd_rewrite as rewrite;
use symd_serve as serve;
use symd_syntax as syntax;

/// A reader's property, and its test inputs.
#[derive(Debug)]
pub struct Property {
    /// The name of its fuzz target.
    pub name: &'static str,
    check: fn(&[u8]),
    seeds: fn() -> Vec<Vec<u8>>,
    /// The tokens of its texts; empty if it does not read text.
    words: &'static [&'static str],
    /// The number of inputs that `cargo test` tries.
    pub cases: u32,
}

/// The prefix of the names of properties of grammars. They are for `fuzz/` alone: a grammar's scanner may
/// kill the process; known cases are in `fixtures/hostile`.
const GRAMMAR: &str = "grammar_";

/// All properties except those of grammars.
pub const ALL: [Property; 15] = [
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
        name: "stored_index",
        check: index::stored_index::properties::stored_index,
        seeds: index::stored_index::properties::seeds,
        words: &[],
        cases: 1_000,
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

/// Checks the property `name`, or that of the grammar it names, for the input `bytes`.
pub fn check(name: &str, bytes: &[u8]) {
    match name.strip_prefix(GRAMMAR) {
        Some(grammar) => parse::properties::grammar(grammar, bytes),
        None => (named(name).check)(bytes),
    }
}

/// Returns the initial inputs of the property `name`; none for a grammar, whose inputs are in
/// `fixtures/outline`.
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
