; C++, as clangd lists it, by simple names. The vocabulary is described in crates/syntax/src/roles.rs.

[(identifier) (type_identifier) (field_identifier) (namespace_identifier)] @identifier
; The body of a macro is one token.
(preproc_arg) @template
[(compound_statement) (declaration_list) (field_declaration_list) (enumerator_list)] @body

(namespace_definition name: (_) @name) @definition.namespace
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier name: (template_type name: (_) @name) body: (_)) @definition.class
(struct_specifier name: (template_type name: (_) @name) body: (_)) @definition.struct
; `struct Table::Rep { … };` is defined outside of the class that declares it.
[
  (struct_specifier name: (qualified_identifier name: (type_identifier) @name) body: (_))
  (struct_specifier name: (qualified_identifier name: (qualified_identifier name: (type_identifier) @name)) body: (_))] @definition.struct
[
  (class_specifier name: (qualified_identifier name: (type_identifier) @name) body: (_))
  (class_specifier name: (qualified_identifier name: (qualified_identifier name: (type_identifier) @name)) body: (_))] @definition.class
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (_) @name) @definition.enum_member
(concept_definition name: (_) @name) @definition.interface
(alias_declaration name: (_) @name) @definition.class
(template_declaration) @around
((type_definition declarator: (type_identifier) @name @definition.class)
  (#set! leaf))
([
  (pointer_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)] @definition.class
  (#set! leaf))

; Functions: in a class, outside of it by a qualified name, free.
(function_declarator declarator: (destructor_name) @name) @definition.constructor
(function_declarator declarator: (qualified_identifier name: (destructor_name) @name)) @definition.constructor
((function_declarator declarator: (qualified_identifier scope: (_) @_class name: (identifier) @name)) @definition.constructor
  (#eq? @_class @name))
(function_declarator declarator: [(operator_name) (operator_cast)] @name) @definition.method
[
  (function_declarator declarator: (qualified_identifier name: [(identifier) (operator_name)] @name))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: [(identifier) (operator_name) (destructor_name)] @name)))] @definition.method
((function_declarator declarator: (identifier) @name) @definition.function
  (#set! constructor "@class") (#set! member "method"))
(function_declarator declarator: (field_identifier) @name) @definition.method
[(function_definition) (declaration) (field_declaration) (type_definition)] @around

; Fields and variables, named where the name is; their range is that of their statement.
(field_declaration declarator: (field_identifier) @name @definition.field)
[
  (pointer_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)
  (reference_declarator (field_identifier) @name)] @definition.field
(declaration declarator: (identifier) @name @definition.variable)
[
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (qualified_identifier name: (identifier) @name))
  (declaration declarator: (qualified_identifier name: (identifier) @name))
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: [(identifier) @name (qualified_identifier name: (identifier) @name)])
  (pointer_declarator declarator: (qualified_identifier name: (identifier) @name))
  (reference_declarator [(identifier) @name (qualified_identifier name: (identifier) @name)])] @definition.variable

[(compound_statement) (parameter_list) (lambda_expression) (template_parameter_list)] @scope.closed
