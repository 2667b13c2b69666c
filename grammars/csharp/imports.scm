; C#'s namespaces and usings. The vocabulary is described in crates/syntax/src/imports/roles.rs.

(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
((using_directive !name [(identifier) (qualified_name)] @import.module) @import
  (#set! star))
(using_directive name: (identifier) @import.alias (qualified_name) @import.path) @import
