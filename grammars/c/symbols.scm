; C, as clangd lists it. The vocabulary is described in crates/syntax/src/roles.rs.

[(identifier) (type_identifier) (field_identifier)] @identifier
; The body of a macro is one token.
(preproc_arg) @template
[(compound_statement) (field_declaration_list) (enumerator_list)] @body

; Declarators nest inside out, so they are named where the name is and take the range of their statement.
[(function_definition) (declaration) (field_declaration) (type_definition)] @around

(function_declarator declarator: (identifier) @name) @definition.function
(function_declarator declarator: (parenthesized_declarator (identifier) @name)) @definition.function

(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (_) @name) @definition.enum_member

((type_definition declarator: (type_identifier) @name @definition.class)
  (#set! leaf))
([
  (pointer_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)] @definition.class
  (#set! leaf))

(field_declaration declarator: (field_identifier) @name @definition.field)
[
  (pointer_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)] @definition.field

(declaration declarator: (identifier) @name @definition.variable)
[
  (init_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)] @definition.variable

[(compound_statement) (parameter_list)] @scope.closed
