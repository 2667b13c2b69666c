; Kotlin's package and imports. The vocabulary is described in crates/syntax/src/imports/roles.rs.

(package_header (identifier) @package)
(import_header
  (identifier) @import.path
  (wildcard_import)? @import.star
  (import_alias (type_identifier) @import.alias)?) @import
