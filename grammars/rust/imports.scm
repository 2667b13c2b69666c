; Rust's use declarations. The vocabulary is described in crates/syntax/src/imports/roles.rs.

(use_declaration argument: (_) @import.tree) @import
((extern_crate_declaration name: (identifier) @import.module alias: (identifier)? @import.alias) @import)
