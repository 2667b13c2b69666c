//! What syntax alone tells about references: which identifier occurrences may mean a declaration, and how
//! certain that is; where a name may be declared. No types, no server, no IO of its own (texts come from
//! [`Sources`]). Invariant: the text at every returned range is the requested name.

mod accessors;
mod augmentation;
mod base_reader;
mod bases;
mod binders;
mod bindings;
mod blocks;
mod brackets;
mod class_names;
mod classes;
mod commonjs;
mod comprehension;
mod computed_classes;
mod computed_names;
mod conflicts;
mod constructed;
mod constructor_uses;
mod context;
mod cpp;
mod definitions;
mod dynamic_classes;
mod enclosing;
mod external_reader;
mod family;
mod fixture_uses;
mod fixtures;
mod fluent;
mod go_renames;
mod go_values;
mod gradle;
mod graph;
mod graph_by_need;
mod heads;
mod indirect_uses;
mod inheritance;
mod inherited;
mod inherited_overloads;
mod initializer_effect;
mod java_values;
mod judge;
mod jvm_names;
mod kotlin_code;
mod kotlin_locals;
mod kotlin_names;
mod kotlin_project;
mod lookup;
mod meaning;
mod mirrored_calls;
mod module_calls;
mod modules;
mod occurrence;
mod occurrences;
mod operator_uses;
mod other_names;
mod outside;
mod overrides;
mod place;
mod positions;
mod profiles;
mod python_classes;
mod python_hazards;
mod registered;
mod renamed_exports;
mod resolver;
mod ruled_out;
mod rust_locals;
mod rust_names;
mod scope;
mod scoped_locals;
mod signature;
mod sources;
mod stand_ins;
mod string_names;
mod structural;
mod subclasses;
mod test_functions;
#[cfg(test)]
mod tests;
mod type_links;
mod unseen_user;

pub use accessors::{
    AccessorPlace, accessor_names, accessor_places, accessor_uses, foreign_names, renamed_accessor,
};
pub use augmentation::augmented_outside;
pub use bindings::other_bindings;
pub use class_names::names_its_file;
pub use computed_classes::{ComputedMember, members_named_by_class};
pub use conflicts::{find_captures, find_conflicts};
pub use constructed::constructed_members;
pub use cpp::{has_prototypes, is_outside_constructor, linked_declarations, pasted_names, unnamed_uses};
pub use definitions::{MeantDeclarations, definitions};
pub use dynamic_classes::DynamicClass;
pub use enclosing::{attributed_row, enclosing_row};
pub use external_reader::{find_external_reader, is_named_like_its_file};
pub use family::{
    declares_types, files_share_names, grammars_share_names, has_types, is_dynamic, publishes_by_attributes,
};
pub use fixture_uses::parameter_filler;
pub use fixtures::{FixtureValue, fixture_values, is_pytest_fixture};
pub use fluent::{FluentChain, fluent_members, preceding_calls};
pub use go_renames::{GoRenameObstacles, go_rename_obstacles, hidden_users, is_asked_for, is_embedding};
pub use gradle::GradleModules;
pub use heads::{WrittenBase, is_type};
pub use indirect_uses::indirect_uses;
pub use inherited::inherited_members;
pub use lookup::is_found_by_name;
pub use mirrored_calls::mirrored_call;
pub use occurrence::{Judgement, Occurrence, Role};
pub use occurrences::occurrences;
pub use operator_uses::{OperatorUses, operator_uses};
pub use overrides::{
    OutsideMember, OverrideFamily, ServerBase, ServerBases, UnknownBase, UnknownFact, overrides,
};
pub use place::{is_default, is_pattern};
pub use positions::PositionUse;
pub use python_hazards::{PythonHazard, python_hazards};
pub use ruled_out::{rule_out_members, rule_out_uses};
pub use sources::{CurrentText, IndexedDeclaration, Sources};
pub use stand_ins::StandIn;
pub use string_names::{StringName, string_names};
pub use subclasses::{Subclasses, subclasses};
pub use test_functions::enclosing_test;
pub use type_links::{TypeLink, TypeLinks, TypeNeighbours, type_links};
pub use unseen_user::{UnseenUser, unseen_user};
