//! What syntax alone tells about references: which identifier occurrences may mean a declaration, and how
//! certain that is; where a name may be declared. No types, no server, no IO of its own (texts come from
//! [`Sources`]). Invariant: the text at every returned range is the requested name.

mod binders;
mod bindings;
mod blocks;
mod brackets;
mod class_names;
mod conflicts;
mod constructed;
mod constructor_uses;
mod context;
mod cpp;
mod definitions;
mod doc_links;
mod ecma;
mod enclosing;
mod external_reader;
mod family;
mod family_texts;
mod fluent;
mod go;
mod hierarchy;
mod indirect_uses;
mod initializer_effect;
mod judge;
mod jvm;
mod kotlin;
mod library_members;
mod lookup;
mod meaning;
mod modules;
mod name_places;
mod name_reach;
mod object_class;
mod occurrence;
mod occurrences;
mod other_names;
mod place;
mod positions;
mod profiles;
mod python;
mod rename_hazard;
mod resolver;
mod ruled_out;
mod rust;
mod scope;
mod scoped_locals;
mod sources;
mod string_name;
mod test_functions;
#[cfg(test)]
mod tests;
mod unnamed_containers;
mod unseen_user;

pub use bindings::other_bindings;
pub use class_names::names_its_file;
pub use conflicts::{
    EditedText, LibraryConflict, find_captures, find_changed_meanings, find_changed_meanings_of_local,
    find_conflicts, find_library_conflicts,
};
pub use cpp::{has_prototypes, is_outside_constructor, linked_declarations, pasted_names, unnamed_uses};
pub use definitions::{MeantDeclarations, definitions};
pub use doc_links::doc_links;
pub use ecma::augmentation::augmented_outside;
pub use ecma::commonjs::{exported_by_value, own_export_names};
pub use ecma::importers::importers;
pub use ecma::plain_strings::is_plain_string;
pub use enclosing::{attributed_row, enclosing_row};
pub use external_reader::{find_external_reader, is_named_like_its_file};
pub use family::{
    declares_types, files_are_apart, files_share_names, grammars_share_names, has_types, is_dynamic,
    publishes_by_attributes,
};
pub use fluent::{FluentChain, fluent_members, preceding_calls};
pub use go::renames::{GoRenameObstacles, go_rename_obstacles, hidden_users, is_asked_for, is_embedding};
pub use hierarchy::assigned_attributes::assigns_inherited;
pub use hierarchy::graph::ClassGraphs;
pub use hierarchy::heads::{WrittenBase, is_type};
pub use hierarchy::inherited::inherited_members;
pub use hierarchy::kin_uses::{KinUses, kin_uses};
pub use hierarchy::overrides::{
    OutsideMember, OverrideFamily, ServerBase, ServerBases, UnknownBase, UnknownFact, overrides,
};
pub use hierarchy::subclasses::{Subclasses, subclasses};
pub use hierarchy::type_links::{TypeLink, TypeLinks, TypeNeighbours, type_links};
pub use indirect_uses::indirect_uses;
pub use jvm::accessors::{
    AccessorPlace, accessor_names, accessor_places, accessor_uses, foreign_names, renamed_accessor,
};
pub use jvm::names::{JVM_NAME, file_class_name, jvm_name_argument};
pub use kotlin::code::is_kotlin_code_at;
pub use kotlin::delegates::delegates_that_read_name;
pub use kotlin::gradle::GradleModules;
pub use kotlin::local_symbols::{
    KotlinLocal, LocalUses, find_kotlin_locals, kotlin_local_uses, names_beside_local,
    without_locals_further_in,
};
pub use kotlin::operator_signs::{OperatorFacts, TextSigns};
pub use kotlin::operator_uses::{OperatorUses, operator_uses};
pub use kotlin::package_line::may_lack_package;
pub use kotlin::state::KotlinState;
pub use lookup::is_found_by_name;
pub use object_class::object_members;
pub use occurrence::{Judgement, Occurrence, Role};
pub use occurrences::occurrences;
pub use place::{is_default, is_pattern};
pub use positions::PositionUse;
pub use python::computed_classes::{ComputedMember, members_named_by_class};
pub use python::dynamic_classes::DynamicClass;
pub use python::fixture_uses::parameter_filler;
pub use python::fixtures::{FixtureValue, fixture_values, is_pytest_fixture};
pub use python::locals::{FoundLocal, found_local, is_variable_of_function};
pub use python::mirrored_calls::mirrored_call;
pub use python::stand_ins::StandIn;
pub use python::string_names::string_names;
pub use rename_hazard::{HazardCertainty, RenameHazard, rename_hazards};
pub use ruled_out::{are_beyond_keywords, rule_out_bare_names, rule_out_members, rule_out_uses};
pub use sources::{CurrentText, IndexedDeclaration, Sources};
pub use string_name::StringName;
pub use symd_types::kotlin::is_convention;
pub use test_functions::enclosing_test;
pub use unnamed_containers::{is_companion, members_reached_past};
pub use unseen_user::{UnseenUser, unseen_user};
