//! The grammars: maps a name to a parser table and a compiled query, each built once, on first use. Grammar
//! crates are named only in the table below. Invariant: the contents of an outline are a function of the text
//! and the grammar's [`fingerprint`](Grammar::fingerprint).

use std::sync::OnceLock;

use tree_sitter::{Language, Query};

use super::flat_tree::node_kinds_named;
use super::match_roots::match_roots;
use super::roles::{QueryError, Roles};
use super::text_rules::{self, TextRules};

/// Version of the extractor, part of every cache key. Increase it when the extractor makes different rows
/// from the same matches, or when caches may contain rows that were built from another text than their key
/// names (version 3: texts written by edits, including the byte-order mark); also when the bytes of trees or of local bindings
/// change their meaning.
const EXTRACTOR_VERSION: u32 = 20;

/// A grammar that is compiled into this binary. Cheap to copy; compared and hashed by name.
#[derive(Clone, Copy)]
pub struct Grammar(&'static Entry);

struct Entry {
    name: &'static str,
    language: fn() -> Language,
    /// The crate that provides the parser table, with its version; must change whenever the table changes.
    package: &'static str,
    symbols: &'static str,
    imports: &'static str,
    rules: &'static TextRules,
    compiled: OnceLock<Result<Compiled, QueryError>>,
    fingerprint: OnceLock<u64>,
}

/// A grammar's query in the form the extractor runs.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) language: Language,
    pub(super) query: Query,
    pub(super) roles: Roles,
    /// For each node kind id, whether a match of the query may begin at such a node.
    pub(super) match_roots: Box<[bool]>,
    /// For each node kind id, whether it is an identifier.
    pub(super) is_identifier: Box<[bool]>,
    /// For each node kind id, whether it is a string that `templates` reads, or may contain one.
    pub(super) is_template: Box<[bool]>,
    /// For each node kind id, whether it is a body.
    pub(super) is_body: Box<[bool]>,
    /// The node kind id of what `index_writes` reads; 0, which no node has, where the grammar has none.
    pub(super) index_write: u16,
    /// The node kind id of Kotlin's `object : A { … }`; 0 where the grammar has none.
    pub(super) object_literal: u16,
    /// That of infix calls, by a name between two operands.
    pub(super) infix_call: u16,
}

macro_rules! grammars {
    ($($name:literal, $language:expr, $package:literal, $file:literal, $rules:ident;)*) => {
        static GRAMMARS: [Entry; [$($name),*].len()] = [$(Entry {
            name: $name,
            language: || $language.into(),
            package: $package,
            symbols: include_str!(concat!("../../../grammars/", $file, "/symbols.scm")),
            imports: include_str!(concat!("../../../grammars/", $file, "/imports.scm")),
            rules: &text_rules::$rules,
            compiled: OnceLock::new(),
            fingerprint: OnceLock::new(),
        }),*];
    };
}

// The package column is checked against Cargo.lock by a test.
grammars! {
    "c", tree_sitter_c::LANGUAGE, "tree-sitter-c 0.24.2", "c", C;
    "cpp", tree_sitter_cpp::LANGUAGE, "tree-sitter-cpp 0.23.4", "cpp", CPP;
    "csharp", tree_sitter_c_sharp::LANGUAGE, "tree-sitter-c-sharp 0.23.5", "csharp", CSHARP;
    "go", tree_sitter_go::LANGUAGE, "tree-sitter-go 0.25.0", "go", GO;
    "java", tree_sitter_java::LANGUAGE, "tree-sitter-java 0.23.5", "java", JAVA;
    "javascript", tree_sitter_javascript::LANGUAGE, "tree-sitter-javascript 0.25.0", "javascript", JAVASCRIPT;
    "kotlin", brokk_tree_sitter_kotlin::LANGUAGE, "brokk-tree-sitter-kotlin 0.4.8", "kotlin", KOTLIN;
    "python", tree_sitter_python::LANGUAGE, "tree-sitter-python 0.25.0", "python", PYTHON;
    "rust", tree_sitter_rust::LANGUAGE, "tree-sitter-rust 0.24.2", "rust", RUST;
    "tsx", tree_sitter_typescript::LANGUAGE_TSX, "tree-sitter-typescript 0.23.2", "typescript", TYPESCRIPT;
    "typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, "tree-sitter-typescript 0.23.2", "typescript", TYPESCRIPT;
}

impl Grammar {
    /// Returns the grammar called `name` in languages.toml, or `None` if this binary does not contain it.
    pub fn named(name: &str) -> Option<Grammar> {
        GRAMMARS.iter().find(|entry| entry.name == name).map(Grammar)
    }

    /// Returns all grammars of this binary, ordered by name.
    pub fn all() -> impl Iterator<Item = Grammar> {
        GRAMMARS.iter().map(Grammar)
    }

    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the parser table.
    pub fn language(self) -> Language {
        (self.0.language)()
    }

    /// Returns the parser table's own string for the node kind `name`, or `None` if the table has no such
    /// kind.
    pub fn node_kind(self, name: &str) -> Option<&'static str> {
        let language = self.language();
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        (0..count).filter_map(|id| language.node_kind_for_id(id)).find(|kind| *kind == name)
    }

    /// Returns the text of the query for definitions.
    pub fn symbols_query(self) -> &'static str {
        self.0.symbols
    }

    /// Returns what distinguishes the texts of its language.
    pub fn rules(self) -> &'static TextRules {
        self.0.rules
    }

    /// Returns a hash that changes when the grammar crate, the query or the extractor changes: outlines made
    /// under another fingerprint are stale. The hash is the same on every machine.
    pub fn fingerprint(self) -> u64 {
        *self.0.fingerprint.get_or_init(|| self.0.compute_fingerprint())
    }

    /// Compiles the query in advance, so that the first text does not pay for it. An error is a bug in this
    /// binary.
    pub fn load(self) -> Result<(), &'static QueryError> {
        self.compiled().map(|_| ())
    }

    /// Returns the compiled query, compiled once. An error is a bug in this binary that a test should have
    /// found.
    pub(super) fn compiled(self) -> Result<&'static Compiled, &'static QueryError> {
        self.0.compiled.get_or_init(|| Compiled::new(self.0)).as_ref()
    }
}

impl Entry {
    fn compute_fingerprint(&self) -> u64 {
        let mut hasher = blake3::Hasher::new();
        // The name too: two grammars of one package (`typescript`, `tsx`) may have the same queries.
        for part in [self.name, self.package, self.symbols, self.imports, env!("CARGO_PKG_VERSION")] {
            hasher.update(part.as_bytes());
            hasher.update(b"\0");
        }
        hasher.update(&EXTRACTOR_VERSION.to_le_bytes());
        // Stored trees hold the kinds' numbers.
        for kind in node_kinds_named(self.name).map_or(&[][..], |kinds| kinds.names) {
            hasher.update(kind.as_bytes());
            hasher.update(b"\0");
        }
        let hash = hasher.finalize();
        let mut cut = [0; 8];
        cut.copy_from_slice(&hash.as_bytes()[..8]);
        u64::from_le_bytes(cut)
    }
}

impl Compiled {
    fn new(entry: &'static Entry) -> Result<Compiled, QueryError> {
        let language = (entry.language)();
        // One query for symbols and imports, so that the tree is walked once.
        let source = format!("{}\n{}", entry.symbols, entry.imports);
        let mut query = Query::new(&language, &source)
            .map_err(|source| QueryError::Syntax { grammar: entry.name, source })?;
        let roles = Roles::read(entry.name, &mut query, &source, entry.symbols.len())?;
        let match_roots = match_roots(entry.name, &language, &query, &source, &roles)?;
        let is_identifier = kinds_to_flags(&language, &roles.kinds.identifiers);
        let is_template = kinds_to_flags(&language, &roles.kinds.templates);
        let is_body = kinds_to_flags(&language, &roles.kinds.bodies);
        let index_write = language.id_for_node_kind("destructuring_declaration", true);
        let object_literal = language.id_for_node_kind("object_literal", true);
        let infix_call = language.id_for_node_kind("infix_expression", true);
        Ok(Compiled {
            language,
            query,
            roles,
            match_roots,
            is_identifier,
            is_template,
            is_body,
            index_write,
            object_literal,
            infix_call,
        })
    }
}

/// Returns for each node kind id whether its name is among `kinds`. A name can have several ids: the rule's
/// own, and those of aliases to it.
fn kinds_to_flags(language: &Language, kinds: &[String]) -> Box<[bool]> {
    let is_one = |id: usize| {
        let id = u16::try_from(id).unwrap_or(u16::MAX);
        let name = language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id));
        name.is_some_and(|name| kinds.iter().any(|kind| kind == name))
    };
    (0..language.node_kind_count()).map(is_one).collect()
}

impl PartialEq for Grammar {
    fn eq(&self, other: &Grammar) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Grammar {}

impl std::hash::Hash for Grammar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Grammar({})", self.0.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_config::Languages;

    #[test]
    fn every_query_compiles_in_the_known_vocabulary() {
        for grammar in Grammar::all() {
            let compiled = grammar.compiled().unwrap_or_else(|error| panic!("{error}"));
            assert!(compiled.is_identifier.contains(&true), "{grammar:?}: no identifiers");
        }
    }

    #[test]
    fn languages_and_grammars_know_each_other() {
        let grammars = || Languages::builtin().all().filter_map(|(_, language)| language.grammar.as_deref());
        for name in grammars() {
            assert!(Grammar::named(name).is_some(), "languages.toml: there is no grammar {name}");
        }
        for grammar in Grammar::all() {
            assert!(grammars().any(|name| name == grammar.name()), "{grammar:?} belongs to no language");
        }
    }

    #[test]
    fn no_two_grammars_share_what_is_kept_of_equal_bytes() {
        let all: std::collections::HashSet<u64> = Grammar::all().map(Grammar::fingerprint).collect();
        assert_eq!(all.len(), Grammar::all().count());
    }

    #[test]
    fn the_packages_are_those_that_are_linked() {
        let lock = include_str!("../../../Cargo.lock");
        for entry in &GRAMMARS {
            let (name, version) = entry.package.split_once(' ').expect("name and version");
            let locked = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(
                lock.contains(&locked),
                "{}: Cargo.lock has another version: update the table",
                entry.package
            );
        }
    }
}
