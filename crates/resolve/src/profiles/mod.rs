//! What distinguishes the languages, as data: a profile for each family and for each grammar, declared in the
//! family's file. Code that needs to know asks the profile of the family in question. An algorithm of one
//! language stays in its own file; the profile names it. Invariant: `PLAIN` rules say of a language only what
//! all have in common, so that a family's file lists what is particular to it.

mod accessor_form;
mod base_reader;
mod base_rules;
mod c;
mod constructor_rules;
mod count_rules;
mod csharp;
mod ecma;
mod entry_points;
mod field_values;
mod go;
mod head_rules;
mod import_rules;
mod jvm;
mod local_search;
mod member_rules;
mod name_reader;
mod position_rules;
mod python;
mod rust;
mod scope_rules;
mod spelling;
mod use_rules;

pub(crate) use accessor_form::AccessorForm;
pub(crate) use base_reader::BaseReader;
pub(crate) use base_rules::{BaseRules, HiddenBinding};
pub(crate) use constructor_rules::{ConstructorCalls, ConstructorRules};
pub(crate) use count_rules::CountRules;
pub(crate) use entry_points::{AnnotationForm, AnnotationRules, EntryPoint};
pub(crate) use field_values::{FieldParameters, FieldValues};
pub(crate) use head_rules::{BaseList, HeadRules};
pub(crate) use import_rules::{
    ImportRules, ImportedOffer, ModuleLookup, PackageScope, PathBinding, UnfoundModule,
};
pub(crate) use local_search::LocalSearch;
pub(crate) use member_rules::{MemberRules, Overriding, StructuralTypes};
pub(crate) use name_reader::NameReader;
pub(crate) use position_rules::PositionRules;
pub(crate) use python::PYTHON;
pub(crate) use scope_rules::{NamePrecedence, Namespaces, NonUse, ScopeRules};
pub(crate) use spelling::{LiteralKey, SpellingRules};
pub(crate) use use_rules::{UnresolvedName, UseRules};

use super::family::Family;
use symd_index::FileEntry;

/// What distinguishes a family of languages.
#[derive(Debug)]
pub(crate) struct FamilyProfile {
    /// Whether programs make and look up classes and members while they run, without declared types: by calls,
    /// by computed names, by names in strings, in place of others that they do not inherit from. What is known
    /// of Python's ways to do so applies where this holds.
    pub(crate) is_dynamic: bool,
    pub(crate) spelling: SpellingRules,
    pub(crate) imports: ImportRules,
    pub(crate) scopes: ScopeRules,
    pub(crate) bases: BaseRules,
    pub(crate) members: MemberRules,
    pub(crate) uses: UseRules,
    pub(crate) counts: CountRules,
}

/// What distinguishes a language from others, of its own family too.
#[derive(Debug)]
pub(crate) struct LanguageProfile {
    /// The name of its grammar.
    pub(crate) grammar: &'static str,
    pub(crate) family: Family,
    /// How the head of a class names its bases.
    pub(crate) heads: HeadRules,
    /// How locals are found that the outline does not list.
    pub(crate) locals: LocalSearch,
    /// Whether `types` resolves its names.
    pub(crate) has_types: bool,
    /// Whether a value can be called like a function.
    pub(crate) calls_values: bool,
    /// Whether every override must be marked as one.
    pub(crate) requires_override: bool,
    /// Whether a class's members are out of scope in its head, unless it is a record: `class A implements B`.
    pub(crate) class_heads_are_outside: bool,
    /// How the family's other languages reach accessors.
    pub(crate) accessors: AccessorForm,
    /// Whether a file must have the name of the public class that it declares.
    pub(crate) names_files_by_class: bool,
    /// Whether text can look up only those declarations that an attribute makes known by their names.
    pub(crate) publishes_by_attributes: bool,
    /// What looks up declarations by their names, besides the project's code.
    pub(crate) name_reader: NameReader,
    /// Bases outside the project that look members up.
    pub(crate) base_readers: &'static [BaseReader],
    /// Functions that are called without their names in the code.
    pub(crate) entry_points: &'static [EntryPoint],
    pub(crate) annotations: AnnotationRules,
    /// How it reads the positions of an enumeration's constants.
    pub(crate) positions: PositionRules,
    pub(crate) field_values: FieldValues,
    /// Names of types that the language's libraries declare for all files, and to which files may add members.
    pub(crate) global_types: &'static [&'static str],
}

/// The languages of all families.
static LANGUAGES: [&LanguageProfile; 11] = [
    &c::C,
    &c::CPP,
    &csharp::CSHARP,
    &ecma::JAVASCRIPT,
    &ecma::TSX,
    &ecma::TYPESCRIPT,
    &go::GO,
    &jvm::JAVA,
    &jvm::KOTLIN,
    &python::PYTHON,
    &rust::RUST,
];

impl FamilyProfile {
    pub(crate) fn of(family: Family) -> &'static FamilyProfile {
        match family {
            Family::Python => &python::FAMILY,
            Family::Jvm => &jvm::FAMILY,
            Family::Ecma => &ecma::FAMILY,
            Family::Rust => &rust::FAMILY,
            Family::Go => &go::FAMILY,
            Family::CSharp => &csharp::FAMILY,
            Family::C => &c::FAMILY,
        }
    }
}

impl LanguageProfile {
    /// The profile of a language with nothing that is particular to it.
    const fn plain(grammar: &'static str, family: Family, locals: LocalSearch) -> LanguageProfile {
        LanguageProfile {
            grammar,
            family,
            heads: HeadRules::PLAIN,
            locals,
            has_types: false,
            calls_values: false,
            requires_override: false,
            class_heads_are_outside: false,
            accessors: AccessorForm::None,
            names_files_by_class: false,
            publishes_by_attributes: false,
            name_reader: NameReader::None,
            base_readers: &[],
            entry_points: &[],
            annotations: AnnotationRules::NONE,
            positions: PositionRules::NONE,
            field_values: FieldValues::Named,
            global_types: &[],
        }
    }

    /// Returns the profile of the language of a file; `None` when it was not parsed, or its language is in no
    /// family.
    pub(crate) fn of(file: &FileEntry) -> Option<&'static LanguageProfile> {
        LanguageProfile::of_grammar(file.grammar()?.name())
    }

    /// Returns the profile of the language with the grammar of this name; `None` for one of no family.
    pub(crate) fn of_grammar(name: &str) -> Option<&'static LanguageProfile> {
        LANGUAGES.into_iter().find(|language| language.grammar == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symd_syntax::Grammar;

    #[test]
    fn every_grammar_has_one_profile_and_every_profile_a_grammar() {
        let mut profiles: Vec<&str> = LANGUAGES.iter().map(|one| one.grammar).collect();
        profiles.sort_unstable();
        let grammars: Vec<&str> = Grammar::all().map(Grammar::name).collect();
        assert_eq!(profiles, grammars);
    }
}
