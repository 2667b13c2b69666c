; Kotlin. No parameters, no locals. The vocabulary is described in crates/syntax/src/roles.rs.
;
; tree-sitter analyses every parent node of every pattern against the grammar when the query is compiled, and
; this grammar is large: patterns that named keywords and modifiers below their declaration took 46 ms to
; compile, these take 17. So the kind comes from tokens of their own (@becomes), and ranges from @around.

; `return@name` names the function that is returned from.
[(simple_identifier) (type_identifier) (label)] @identifier
(string_literal) @template
[(function_body) (class_body) (enum_class_body)] @body

; Classes, interfaces, enums; data, value, sealed and annotation classes are classes.
((class_declaration (type_identifier) @name) @definition.class
  (#set! quotes "`"))
"interface" @becomes.interface
"enum" @becomes.enum
((object_declaration (type_identifier) @name) @definition.class
  (#set! quotes "`"))
((companion_object "companion" @unnamed (type_identifier)? @name) @definition.class
  (#set! quotes "`") (#set! name "Companion"))
((enum_entry (simple_identifier) @name) @definition.enum_member
  (#set! quotes "`"))
((type_alias (type_identifier) @name) @definition.class
  (#set! quotes "`"))

((object_literal "object" @unnamed) @anonymous.class
  (#set! name "object"))

; Functions.
((function_declaration (simple_identifier) @name) @definition.function
  (#set! member "method") (#set! quotes "`"))
(secondary_constructor "constructor" @name) @definition.constructor

; Properties. The grammar leaves accessors on lines of their own beside their property.
[(property_declaration) (destructuring_declaration)] @around
((variable_declaration . (binding_pattern_kind)? . (simple_identifier) @name) @definition.property
  (#set! quotes "`"))
((property_modifier) @becomes.constant
  (#eq? @becomes.constant "const")
  (#set! member "property"))
((class_parameter (binding_pattern_kind) . (simple_identifier) @name) @definition.property
  (#set! quotes "`"))
[(getter) (setter)] @trailing
((getter "get" @unnamed) @anonymous.method
  (#set! name "get"))
((setter "set" @unnamed) @anonymous.method
  (#set! name "set"))
((anonymous_initializer "init" @unnamed) @anonymous.method
  (#set! name "init"))

; Locals, and members of objects without a name.
[
  (function_body)
  (lambda_literal)
  (anonymous_function)
  (anonymous_initializer)
  (object_literal)
  (statements)
  (for_statement)
  (when_subject)
] @scope.closed
