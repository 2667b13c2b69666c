//! Turns text into outlines: grammars, their queries, the tree of symbols in a file, name paths. Pure
//! functions from text to values; knows neither files nor the index.

mod attached;
mod blocks;
pub mod call_site;
mod compact_numbers;
mod composed_names;
mod cpp_macros;
mod drafts;
mod enclosure;
pub mod extract;
#[cfg(test)]
mod fixtures;
pub mod flat_tree;
pub mod grammar;
mod header;
#[cfg(test)]
mod hostile;
pub mod imports;
mod index_writes;
mod inspect;
mod items;
mod key_strings;
mod keywords;
pub mod kind;
pub mod kotlin;
pub mod leb128;
mod line_kinds;
mod locals;
mod match_roots;
mod member_strings;
pub mod name_path;
mod name_rules;
mod object_arguments;
mod occurrences;
mod open_texts;
pub mod outline;
mod places;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "it is for tests")]
pub mod properties;
mod quoted;
mod redeclaration;
mod roles;
mod scopes;
pub mod server_symbols;
pub mod signature;
mod swallowed_functions;
mod templates;
mod text_kind;
mod text_rules;

pub use attached::attached_start;
pub use blocks::{BlockFault, BlockViolation, first_block_violation};
pub use composed_names::{COMPOSED_NAMES, spelled_as};
pub use enclosure::{Enclosure, enclosure_at};
pub use extract::{OutlineError, outline, outline_with_hidden_functions, outline_with_hidden_types};
pub use flat_tree::{FlatTree, NodeId, flat_tree};
pub use grammar::Grammar;
pub use header::{grammar_of_text, grammars_of_name};
pub use imports::{Import, ImportKind, ImportList, Imported, Imports, MAX_IMPORTED_BYTES};
pub use inspect::{Inspected, inspect};
pub use key_strings::{KeyString, key_strings};
pub use kind::SymbolKind;
pub use line_kinds::{LineKind, line_kinds};
pub use locals::{BoundLocal, LocalBindings, LocalSource, LocalSourceKind, local_bindings};
pub use name_path::{Matching, NamePattern, NamePatternError};
pub use name_rules::{NameQuoting, NameRules};
pub use occurrences::name_hash;
pub use outline::{Occurrences, Outline, Row};
pub use places::{Statement, StatementKind, SyntaxErrorAt, first_error, statement_at};
pub use redeclaration::RedeclarationRules;
pub use signature::Signature;
pub use templates::is_short_template;
pub use text_kind::{TextKind, text_kinds};
pub use text_rules::{InterchangeableKinds, TextRules};
