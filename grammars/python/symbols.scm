; Python, as pyright lists it. The vocabulary is described in crates/syntax/src/roles.rs.

(identifier) @identifier
[(type) (assignment) (augmented_assignment) (call) (subscript)] @template
(block) @body

; Functions and classes.
((function_definition name: (identifier) @name) @definition.function
  (#set! member "method")
  (#set! constructor "__init__"))
(class_definition name: (identifier) @name) @definition.class
(decorated_definition) @around
((decorator . (identifier) @_decorator) @receiver.none
  (#eq? @_decorator "staticmethod"))

; Parameters.
((parameters (identifier) @name @definition.parameter)
  (#set! unlisted "self cls _"))
((typed_parameter . (identifier) @name) @definition.parameter
  (#set! unlisted "self cls _"))
((default_parameter name: (identifier) @name) @definition.parameter
  (#set! unlisted "self cls _"))
((typed_default_parameter name: (identifier) @name) @definition.parameter
  (#set! unlisted "self cls _"))
((parameters [(list_splat_pattern (identifier) @name) (dictionary_splat_pattern (identifier) @name)] @definition.parameter)
  (#set! unlisted "self cls _"))
((typed_parameter . [(list_splat_pattern (identifier) @name) (dictionary_splat_pattern (identifier) @name)]) @definition.parameter
  (#set! unlisted "self cls _"))

; Assignments to names.
((assignment
  left: (identifier) @name
  type: (type [
    (identifier) @_type
    (generic_type . (identifier) @_type)
    (attribute attribute: (identifier) @_type)
    (subscript value: (attribute attribute: (identifier) @_type))])) @binding.constant
  (#eq? @_type "Final"))
((assignment left: (identifier) @name) @binding.variable
  (#set! capitals "constant") (#set! unlisted "_"))
((augmented_assignment left: (identifier) @name) @binding.variable
  (#set! capitals "constant") (#set! unlisted "_"))
((pattern_list (identifier) @name @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((tuple_pattern (identifier) @name @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((list_pattern (identifier) @name @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((list_splat_pattern (identifier) @name @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((for_statement left: (identifier) @name @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((as_pattern_target (identifier) @name @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((as_pattern_target [(tuple (identifier) @name @binding.variable) (list (identifier) @name @binding.variable)])
  (#set! capitals "constant") (#set! unlisted "_"))
((named_expression name: (identifier) @name @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_") (#set! hoist))
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @binding.variable
(assignment left: [
  (pattern_list (identifier) @name)
  (tuple_pattern (identifier) @name)
  (list_pattern (identifier) @name)]) @extent

; Captures of match statements.
((case_pattern (dotted_name . (identifier) @name .) @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((keyword_pattern (dotted_name . (identifier) @name .) @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((splat_pattern (identifier) @name @binding.variable)
  (#set! capitals "constant") (#set! unlisted "_"))
((case_pattern (as_pattern (identifier) @name @binding.variable .))
  (#set! capitals "constant") (#set! unlisted "_"))

; Attributes.
((assignment left: (attribute object: (identifier) @receiver attribute: (identifier) @name)) @binding.attribute
  (#set! capitals "constant"))
((augmented_assignment left: (attribute object: (identifier) @receiver attribute: (identifier) @name)) @binding.attribute
  (#set! capitals "constant"))
(([(pattern_list (attribute object: (identifier) @receiver attribute: (identifier) @name) @binding.attribute)
   (tuple_pattern (attribute object: (identifier) @receiver attribute: (identifier) @name) @binding.attribute)
   (list_pattern (attribute object: (identifier) @receiver attribute: (identifier) @name) @binding.attribute)
   (list_splat_pattern (attribute object: (identifier) @receiver attribute: (identifier) @name) @binding.attribute)
   (for_statement left: (attribute object: (identifier) @receiver attribute: (identifier) @name) @binding.attribute)
   (as_pattern_target (attribute object: (identifier) @receiver attribute: (identifier) @name) @binding.attribute)])
  (#set! capitals "constant"))

; Attributes that only `__slots__` speaks of, because they are assigned to another object than self.
((assignment
  left: (identifier) @_slots
  right: [
    (tuple (string (string_content) @name) @binding.variable)
    (list (string (string_content) @name) @binding.variable)
    (expression_list (string (string_content) @name) @binding.variable)])
  (#eq? @_slots "__slots__")
  (#set! weak))

; Names that belong elsewhere.
(import_statement name: (dotted_name . (identifier) @name)) @occupied
(import_statement name: (aliased_import alias: (identifier) @name)) @occupied
(import_from_statement name: (dotted_name . (identifier) @name)) @occupied
(import_from_statement name: (aliased_import alias: (identifier) @name)) @occupied
(global_statement (identifier) @name @outer.file)
(nonlocal_statement (identifier) @name @outer.function)

; What has a scope of its own that pyright does not list.
(lambda) @scope.closed
[
  (list_comprehension)
  (set_comprehension)
  (dictionary_comprehension)
  (generator_expression)
] @scope.transparent
