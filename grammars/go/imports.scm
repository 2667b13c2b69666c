; Go's package and imports. The vocabulary is described in crates/syntax/src/imports/roles.rs.

(package_clause (package_identifier) @package)
(import_spec
  name: [(package_identifier) @import.alias (dot) @import.star (blank_identifier)]?
  path: [(interpreted_string_literal) (raw_string_literal)] @import.module) @import
