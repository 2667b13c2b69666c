; C#, as Roslyn lists it, by simple names. The vocabulary is described in crates/syntax/src/roles.rs.

(identifier) @identifier
[(block) (declaration_list) (enum_member_declaration_list)] @body

[(namespace_declaration name: (_) @name) (file_scoped_namespace_declaration name: (_) @name)] @definition.namespace
[(class_declaration name: (_) @name) (record_declaration name: (_) @name)] @definition.class
(struct_declaration name: (_) @name) @definition.struct
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_member_declaration name: (_) @name) @definition.enum_member
(delegate_declaration name: (_) @name) @definition.function

(method_declaration name: (_) @name) @definition.method
[(constructor_declaration name: (_) @name) (destructor_declaration name: (_) @name)] @definition.constructor
[(property_declaration name: (_) @name) (indexer_declaration "this" @name)] @definition.property
(event_declaration name: (_) @name) @definition.event
(operator_declaration operator: _ @name) @definition.operator
(conversion_operator_declaration type: (_) @name) @definition.operator
(record_declaration (parameter_list (parameter name: (_) @name) @definition.property))

[(field_declaration) (event_field_declaration)] @around
((modifier) @becomes.constant (#eq? @becomes.constant "const"))
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name) @definition.event))
(field_declaration (variable_declaration (variable_declarator name: (_) @name) @definition.field))

(local_function_statement name: (_) @name) @definition.function
[(lambda_expression) (anonymous_method_expression) (accessor_list)] @scope.closed
