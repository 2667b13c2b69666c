; Java's package and imports. The vocabulary is described in crates/syntax/src/imports/roles.rs.

(package_declaration [(identifier) (scoped_identifier)] @package)
(import_declaration [(identifier) (scoped_identifier)] @import.path (asterisk)? @import.star) @import
