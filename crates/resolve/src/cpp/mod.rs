//! C and C++: names written with their class or namespace, declarations in one file and their definition in another,
//! namespaces that span files. Invariant: a declaration counts only where the file includes the one that holds it.

mod construction;
mod declarators;
mod directives;
mod forward;
pub(crate) mod hazards;
mod included;
mod linked;
mod owner_path;
mod pasted;
mod scopes;
mod statements;
mod trailing_return;
mod unnamed_uses;

pub use self::construction::is_outside_constructor;
pub(super) use self::construction::{Construction, construction, is_outside_constructor_row};
pub(super) use self::declarators::{
    is_declarator, is_extern, is_inner_parameter, is_local_declarator, is_template_parameter,
    may_be_declarator,
};
pub(super) use self::directives::follows_directive;
pub(super) use self::forward::{bare_meaning, is_forward, is_tagged};
pub(super) use self::included::IncludedFiles;
pub(super) use self::linked::linked;
pub use self::linked::{has_prototypes, linked_declarations};
pub(super) use self::owner_path::{have_same_owner, is_in_qualifier};
pub use self::pasted::pasted_names;
pub(super) use self::scopes::{
    in_file, in_namespace, in_owner, member_of_namespace, namespace_path, nested_outside, outside_class,
};
pub(super) use self::trailing_return::ends_function_head;
pub use self::unnamed_uses::unnamed_uses;
