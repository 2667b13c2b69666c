; Rust, as rust-analyzer lists it, without locals. The vocabulary is described in crates/syntax/src/roles.rs.

[(identifier) (type_identifier) (field_identifier) (shorthand_field_identifier)] @identifier
[(string_literal) (raw_string_literal)] @template
[(block) (declaration_list) (field_declaration_list) (enum_variant_list)] @body

(attribute_item) @leading

[(struct_item name: (_) @name) (union_item name: (_) @name)] @definition.struct
(enum_item name: (_) @name) @definition.enum
(enum_variant name: (_) @name) @definition.enum_member
(trait_item name: (_) @name) @definition.interface
((impl_item !trait type: (_) @name @part.type) @definition.object
  (#set! name "impl {type}"))
((impl_item trait: (_) @part.trait type: (_) @name @part.type) @definition.object
  (#set! name "impl {trait} for {type}"))
(mod_item name: (_) @name) @definition.module
(macro_definition name: (_) @name) @definition.function

[
  (function_item name: (_) @name parameters: (parameters (self_parameter)))
  (function_signature_item name: (_) @name parameters: (parameters (self_parameter)))] @definition.method
[
  (function_item name: (_) @name)
  (function_signature_item name: (_) @name)] @definition.function

(field_declaration name: (_) @name) @definition.field
[(const_item name: (_) @name) (static_item name: (_) @name)] @definition.constant
[(type_item name: (_) @name) (associated_type name: (_) @name)] @definition.type_parameter

(closure_expression) @scope.closed
