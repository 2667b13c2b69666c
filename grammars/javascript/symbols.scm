; JavaScript, as tsserver lists it, without the variables inside functions. The vocabulary is described in
; crates/syntax/src/roles.rs.

[(identifier) (property_identifier) (private_property_identifier) (shorthand_property_identifier) (shorthand_property_identifier_pattern)] @identifier
[(statement_block) (class_body)] @body
[(subscript_expression) (computed_property_name) (pair) (pair_pattern) (binary_expression) (method_definition) (field_definition)] @template

[
  (function_declaration name: (identifier) @name)
  (generator_function_declaration name: (identifier) @name)] @definition.function
(class_declaration name: (identifier) @name) @definition.class
(export_statement declaration: (_ name: (_) @name)) @extent
(decorator) @leading

((class_body (method_definition ["get" "set"] name: (_) @name) @definition.property)
  (#set! quotes "\"'"))
((class_body (method_definition name: (_) @name) @definition.method)
  (#set! constructor "constructor") (#set! quotes "\"'"))
((field_definition property: (_) @name) @definition.property
  (#set! quotes "\"'"))

; A class without a name; what a variable or field holds is known by that.
(variable_declarator value: (class "class" @name) @occupied)
(field_definition value: (class "class" @name) @occupied)
((class "class" @unnamed) @anonymous.class
  (#set! name "class"))

; Variables, at the top level and in classes and namespaces only.
[(lexical_declaration) (variable_declaration)] @around
(export_statement declaration: [(lexical_declaration) (variable_declaration)]) @around
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
