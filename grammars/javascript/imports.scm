; JavaScript's imports and exports, CommonJS included. The vocabulary is described in crates/syntax/src/imports/roles.rs.

(import_statement (import_clause (named_imports) @import.list) source: (string) @import.module) @import
((import_statement (import_clause (identifier) @import.alias) source: (string) @import.module) @import
  (#set! name "default"))
(import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (string) @import.module) @import

(export_statement (export_clause) @import.list source: (string)? @import.module) @export
(export_statement (namespace_export (_) @import.alias) source: (string) @import.module) @export
(export_statement "*" @import.star source: (string) @import.module) @export
((export_statement "default" declaration: (_ name: (_) @import.name)) @export
  (#set! alias "default"))
((export_statement "default" value: (identifier) @import.name) @export
  (#set! alias "default"))

; `module.exports = name`: what the whole module is.
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (identifier) @import.name) @export
  (#eq? @_module "module") (#eq? @_exports "exports") (#set! alias "module.exports"))
; `module.exports = require(…)`: what another module is, and offers.
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))) @export
  (#eq? @_module "module") (#eq? @_exports "exports") (#eq? @_require "require") (#set! alias "module.exports"))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))) @export
  (#eq? @_module "module") (#eq? @_exports "exports") (#eq? @_require "require") (#set! star))
; `exports.name = require(…)`
((assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @import.alias)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))) @export
  (#eq? @_exports "exports") (#eq? @_require "require"))

((variable_declarator
  name: (identifier) @import.alias
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))) @import
  (#eq? @_require "require"))
((variable_declarator
  name: (object_pattern) @import.list
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module .))) @import
  (#eq? @_require "require"))
