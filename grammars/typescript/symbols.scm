; TypeScript and TSX, as tsserver lists them, without the variables inside functions. The vocabulary is
; described in crates/syntax/src/roles.rs.

[(identifier) (type_identifier) (property_identifier) (private_property_identifier) (shorthand_property_identifier) (shorthand_property_identifier_pattern)] @identifier
[(statement_block) (class_body) (interface_body) (enum_body)] @body
[(subscript_expression) (computed_property_name) (pair) (pair_pattern) (binary_expression) (method_definition) (public_field_definition)
  (method_signature) (abstract_method_signature) (property_signature) (enum_assignment) (enum_body) (lookup_type) (type_arguments)] @template

[
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)
  (function_signature name: (identifier) @name)] @definition.function
[
  (class_declaration name: (_) @name)
  (abstract_class_declaration name: (_) @name)] @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
((enum_body [(property_identifier) (string)] @name @definition.enum_member)
  (#set! quotes "\"'"))
((enum_assignment name: (_) @name) @definition.enum_member
  (#set! quotes "\"'"))
(type_alias_declaration name: (_) @name) @definition.variable
([(internal_module name: (_) @name) (module name: (_) @name)] @definition.module
  (#set! quotes "\"'"))
(export_statement declaration: (_ name: (_) @name)) @extent
(ambient_declaration (_ name: (_) @name)) @extent
(export_statement (ambient_declaration (_ name: (_) @name))) @extent
(expression_statement (internal_module name: (_) @name)) @extent
(decorator) @leading

; Members.
((class_body (method_definition ["get" "set"] name: (_) @name) @definition.property)
  (#set! quotes "\"'"))
((class_body [(method_definition name: (_) @name) (method_signature name: (_) @name) (abstract_method_signature name: (_) @name)] @definition.method)
  (#set! constructor "constructor") (#set! quotes "\"'"))
(public_field_definition name: (_) @name) @definition.property
((interface_body (method_signature ["get" "set"] name: (_) @name) @definition.property)
  (#set! quotes "\"'"))
((interface_body (method_signature name: (_) @name) @definition.method)
  (#set! quotes "\"'"))
((interface_body (property_signature name: (_) @name) @definition.property)
  (#set! quotes "\"'"))
; `constructor(private name: string)` declares a property of the class.
([
  (required_parameter (accessibility_modifier) pattern: (identifier) @name)
  (required_parameter "readonly" pattern: (identifier) @name)
  (required_parameter (override_modifier) pattern: (identifier) @name)
  (optional_parameter (accessibility_modifier) pattern: (identifier) @name)
  (optional_parameter "readonly" pattern: (identifier) @name)
  (optional_parameter (override_modifier) pattern: (identifier) @name)] @definition.property
  (#set! owner class))

; A class without a name; what a variable or field holds is known by that.
(variable_declarator value: (class "class" @name) @occupied)
(public_field_definition value: (class "class" @name) @occupied)
((class "class" @unnamed) @anonymous.class
  (#set! name "class"))

; Variables, at the top level and in classes and namespaces only.
[(lexical_declaration) (variable_declaration)] @around
(export_statement declaration: [(lexical_declaration) (variable_declaration)]) @around
(ambient_declaration [(lexical_declaration) (variable_declaration)]) @around
((lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)
  (#set! local none))
((variable_declarator name: (identifier) @name) @definition.variable
  (#set! local none))
((variable_declarator name: [
  (object_pattern (shorthand_property_identifier_pattern) @name)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name))
  (object_pattern (pair_pattern value: [(identifier) @name (assignment_pattern left: (identifier) @name)]))
  (object_pattern (rest_pattern (identifier) @name))
  (array_pattern [(identifier) @name (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)])]) @definition.variable
  (#set! local none))

[(arrow_function) (function_expression) (generator_function) (method_definition)] @scope.function
(arguments [(arrow_function) (function_expression)] @scope.closed)
