//! Kotlin: declarations, scopes, members, calls and the types of expressions.

mod absent_libraries;
mod accessibility;
mod applicability;
mod callables;
mod calls;
mod choice;
mod classes;
mod conventions;
mod declarations;
mod declared_types;
mod expect_actual;
mod expressions;
mod findings;
mod foreign_calls;
mod fun_interfaces;
mod inference;
mod lambdas;
mod level_search;
mod library;
mod library_members;
mod lookup;
mod made_from;
mod nullability;
mod packages;
mod qualifiers;
mod resolve;
mod scopes;
mod smart_casts;
mod source_file;
mod substitution;
mod subtyping;
#[cfg(test)]
mod tests;
mod ty;
mod type_references;
mod universe;
mod unseen_casts;

pub use conventions::is_convention;
pub use declarations::{DeclarationKind, KotlinDeclaration};
pub use declared_types::KotlinType;
pub use findings::KotlinFindings;
pub use library_members::LibraryMember;
pub use packages::{SHARED_NAMES, is_within_package, shares_package_root};
pub use resolve::{Certainty, NameResolution};
pub use source_file::SourceFile;
pub use universe::{DeclarationId, FileKey, KotlinSources, ProjectFile, Universe};
