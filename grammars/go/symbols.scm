; Go, as gopls lists it, methods by their simple names. The vocabulary is described in crates/syntax/src/roles.rs.

[(identifier) (type_identifier) (field_identifier) (package_identifier)] @identifier
(block) @body

(function_declaration name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.method

; A declaration of one name is its whole statement; in a group each is its own line.
(type_declaration "type" . (type_spec) .) @around
(type_declaration "type" . (type_alias) .) @around
(type_spec name: (_) @name type: (struct_type)) @definition.struct
(type_spec name: (_) @name type: (interface_type)) @definition.interface
(type_spec name: (_) @name type: (function_type)) @definition.function
[(type_spec name: (_) @name) (type_alias name: (_) @name)] @definition.class
(field_declaration name: (_) @name) @definition.field
(field_declaration !name type: (type_identifier) @name) @definition.field
(field_declaration !name type: (qualified_type name: (_) @name)) @definition.field
(field_declaration !name type: (generic_type type: (type_identifier) @name)) @definition.field
(field_declaration !name type: (generic_type type: (qualified_type name: (_) @name))) @definition.field
(method_elem name: (_) @name) @definition.method

(const_declaration "const" . (const_spec) .) @around
(var_declaration "var" . (var_spec) .) @around
((const_spec name: (identifier) @name) @definition.constant (#set! unlisted "_"))
((var_spec name: (identifier) @name) @definition.variable (#set! unlisted "_"))

[(block) (func_literal)] @scope.closed
