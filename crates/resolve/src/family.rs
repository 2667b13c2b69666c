//! Families of languages that refer to each other's names. What distinguishes them is in `profiles`.

use super::profiles::{FamilyProfile, LanguageProfile};
use symd_index::FileEntry;

/// A family of languages that can name each other's declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Family {
    Python,
    /// Kotlin and Java.
    Jvm,
    /// JavaScript, TypeScript and TSX.
    Ecma,
    Rust,
    Go,
    CSharp,
    /// C and C++.
    C,
}

/// Whether identifiers of the two files can name each other's declarations.
pub fn files_share_names(a: &FileEntry, b: &FileEntry) -> bool {
    Family::of(a).is_some_and(|family| Family::of(b) == Some(family))
}

/// Whether both files are of languages whose uses are resolved, and no identifier of one can name a declaration of the other.
pub fn files_are_apart(a: &FileEntry, b: &FileEntry) -> bool {
    Family::of(a).is_some_and(|family| Family::of(b).is_some_and(|other| other != family))
}

/// Whether identifiers of files of these two grammars can name each other's declarations.
pub fn grammars_share_names(grammar: &str, other: &str) -> bool {
    Family::of_grammar(grammar).is_some_and(|family| Family::of_grammar(other) == Some(family))
}

/// Whether programs in the language of a file make and look up classes and members while they run, without
/// declared types.
pub fn is_dynamic(file: &FileEntry) -> bool {
    Family::dynamic_of(file).is_some()
}

/// Whether symd resolves the types of a file's expressions, so that a use that it does not resolve is the exception.
pub fn has_types(file: &FileEntry) -> bool {
    LanguageProfile::of(file).is_some_and(|language| language.has_types)
}

/// Whether values in a file have declared types that symd reads: what a name is ruled out to mean there, it does not.
pub fn declares_types(file: &FileEntry) -> bool {
    LanguageProfile::of(file).is_some_and(|language| matches!(language.family, Family::Go | Family::Jvm))
}

/// Whether a file is Kotlin or Java.
pub(super) fn is_jvm(file: &FileEntry) -> bool {
    Family::of(file) == Some(Family::Jvm)
}

/// Whether text can look up only those of a file's declarations that an attribute makes known by their names.
pub fn publishes_by_attributes(file: &FileEntry) -> bool {
    LanguageProfile::of(file).is_some_and(|language| language.publishes_by_attributes)
}

impl Family {
    /// Returns the family of a file; `None` when it was not parsed, or its language is in no family.
    pub(super) fn of(file: &FileEntry) -> Option<Family> {
        Some(LanguageProfile::of(file)?.family)
    }

    pub(super) fn of_grammar(name: &str) -> Option<Family> {
        Some(LanguageProfile::of_grammar(name)?.family)
    }

    /// Returns the family of a file, if it is a dynamic one.
    pub(super) fn dynamic_of(file: &FileEntry) -> Option<Family> {
        Family::of(file).filter(|family| family.profile().is_dynamic)
    }

    /// Returns what distinguishes its languages from those of other families.
    pub(super) fn profile(self) -> &'static FamilyProfile {
        FamilyProfile::of(self)
    }
}
