; Java, as jdtls lists it, methods by their simple names. The vocabulary is described in crates/syntax/src/roles.rs.

[(identifier) (type_identifier)] @identifier
[(block) (constructor_body) (class_body) (interface_body) (enum_body) (annotation_type_body)] @body

[
  (class_declaration name: (identifier) @name)
  (record_declaration name: (identifier) @name)] @definition.class
[
  (interface_declaration name: (identifier) @name)
  (annotation_type_declaration name: (identifier) @name)] @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.enum_member

[
  (method_declaration name: (identifier) @name)
  (annotation_type_element_declaration name: (identifier) @name)] @definition.method
[
  (constructor_declaration name: (identifier) @name)
  (compact_constructor_declaration name: (identifier) @name)] @definition.constructor

; Fields. `static final` makes a constant; the fields of an interface always are.
[(field_declaration) (constant_declaration)] @around
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name) @definition.constant)
(field_declaration (modifiers "final" "static") declarator: (variable_declarator name: (identifier) @name) @definition.constant)
(field_declaration declarator: (variable_declarator name: (identifier) @name) @definition.field)
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @definition.constant)
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))

[(block) (constructor_body) (lambda_expression)] @scope.closed
((object_creation_expression "new" @unnamed type: (_) @part.type (class_body)) @anonymous.class
  (#set! name "new {type}"))
(object_creation_expression (class_body)) @scope.closed
