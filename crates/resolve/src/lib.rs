//! What syntax alone tells about references: which identifier occurrences may mean a declaration, and how
//! certain that is; where a name may be declared. No types, no server, no IO of its own (texts come from
//! [`Sources`]). Invariant: the text at every returned range is the requested name.

mod accessors;
mod bases;
mod binders;
mod bindings;
mod blocks;
mod clashes;
mod classes;
mod comprehension;
mod computed_names;
mod constructed;
mod context;
mod definitions;
mod enclosing;
mod family;
mod fixtures;
mod fluent;
mod graph;
mod heads;
mod heirs;
mod inherited;
mod judge;
mod kin;
mod kotlin_code;
mod kotlin_locals;
mod made_classes;
mod meaning;
mod mirrored;
mod modules;
mod occurrence;
mod occurrences;
mod other_names;
mod outside;
mod overrides;
mod place;
mod project;
mod python_classes;
mod python_hazards;
mod read_by_name;
mod registered;
mod ruled_out;
mod scope;
mod signature;
mod sources;
mod stand_ins;
mod string_names;
mod structural;
mod test_functions;
#[cfg(test)]
mod tests;
mod type_links;

pub use accessors::{AccessorPlace, accessor_names, accessor_places, accessor_uses, has_accessors};
pub use bindings::same_binding;
pub use clashes::{captured, taken};
pub use constructed::constructed_members;
pub use definitions::definitions;
pub use enclosing::{attributed, enclosing};
pub use family::{can_name, share_names};
pub use fixtures::{FixtureValue, fixture_values, is_pytest_fixture};
pub use fluent::{Fluent, calls_before, fluent_members};
pub use heads::{WrittenBase, is_type, written_bases};
pub use heirs::{Heirs, heirs};
pub use inherited::inherited_members;
pub use made_classes::MadeClass;
pub use mirrored::mirrored;
pub use occurrence::{Judgement, Occurrence, Role};
pub use occurrences::occurrences;
pub use overrides::{
    OutsideMember, OverrideFamily, SettledBase, SettledBases, Unknown, UnknownBase, overrides,
};
pub use python_hazards::{PythonHazard, python_hazards};
pub use read_by_name::read_by_name;
pub use ruled_out::ruled_out;
pub use sources::{Current, Sources, Target};
pub use stand_ins::StandIn;
pub use string_names::{StringName, string_names};
pub use test_functions::test_around;
pub use type_links::{TypeLink, TypeLinks, TypeNeighbours, type_links};
