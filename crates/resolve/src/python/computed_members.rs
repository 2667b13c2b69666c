//! Where a Python program reaches what an object or a module has by names of which the text tells nothing: `setattr(till, key, value)`,
//! `till.__dict__[key]`, `vars(till)[key]`, `globals()[name]`. Such a name may be any, so only objects count that may be of the class, by
//! the text that tells which names hold its objects, and the module itself. What begins alike is searched in all objects
//! (`computed_names`), and so are a class's own calls of `getattr(self, name)`.

use std::collections::{BTreeSet, HashSet};

use crate::brackets::close_bracket;
use crate::conflicts::SourcePlace;
use crate::hierarchy::heads::arguments_of;
use crate::meaning::Meaning;
use crate::modules;
use crate::name_places::{places_of, with_name};
use crate::python::computed_names::{BY_NAME, DICTIONARIES, OWN_CLASS, TELLING, dictionary_key, is_own};
use crate::python::dynamic_receivers::{held, holders};
use crate::python::given_names::given_name;
use crate::python::replaced_variables::receiver_of;
use crate::python::string_names::hook_around;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::SymbolKind;

/// What sets or reads an attribute of its first argument, or of what `super()` stands for, past the methods that the class has for this:
/// `object.__setattr__(self, key, 1)`.
const OF_OBJECT: [&str; 3] = ["__setattr__", "__getattribute__", "__delattr__"];

/// A place where something is reached by a computed name.
struct ComputedAccess<'h> {
    /// The function or attribute that reaches it, and where that is named.
    word: &'static str,
    range: TextRange,
    /// The expression of the object or module; empty for the module around.
    object: &'h str,
    /// Whether it is set or deleted there.
    is_set: bool,
}

impl<'h> ComputedAccess<'h> {
    /// Reads the access by the word at `range`; `None` if there is none, or none by a name that may be `name` and of which nothing is known.
    fn read(here: &'h CurrentFile, word: &'static str, range: TextRange, name: &str) -> Option<Self> {
        let text = here.text.as_str();
        let (before, behind) = (&text[..range.start as usize], &text[range.end as usize..]);
        let (object, expression, is_set) = if BY_NAME.contains(&word) {
            let arguments = arguments_of(behind.trim_start())?;
            (*arguments.first()?, *arguments.get(1)?, matches!(word, "setattr" | "delattr"))
        } else if OF_OBJECT.contains(&word) {
            let arguments = arguments_of(behind)?;
            let (object, expression) = match before.ends_with("super().") {
                true => ("super()", *arguments.first()?),
                false => (*arguments.first().filter(|_| before.ends_with("object."))?, *arguments.get(1)?),
            };
            (object, expression, word != "__getattribute__")
        } else {
            let object = match word {
                "__dict__" => receiver_of(text, range),
                _ => arguments_of(behind)?.first().copied().unwrap_or_default(),
            };
            let is_of_function = word == "vars" && object.trim().is_empty();
            if is_of_function && scope::function_around(here, range.start).is_some() {
                return None;
            }
            (object, dictionary_key(behind)?, is_key_set(before, behind))
        };
        let given = given_name(here, range.start, expression)?;
        let object = if object.trim() == "sys.modules[__name__]" { "" } else { object.trim() };
        // The name of an attribute that the program writes.
        let is_meant =
            given.beginning.len() < TELLING && given.may_be(name) && !hook_around(here, range.start);
        is_meant.then_some(ComputedAccess { word, range, object, is_set })
    }

    /// Whether only what is stored in the object itself is reached, not what its class has.
    fn is_of_dictionary(&self) -> bool {
        DICTIONARIES.contains(&self.word)
    }

    fn place(&self, here: &CurrentFile) -> SourcePlace {
        (here.file.path.clone(), self.range)
    }
}

/// Whether the key is set or deleted by which a dictionary is asked behind the word that gives it: `vars(x)[key] = 1`.
fn is_key_set(before: &str, behind: &str) -> bool {
    let behind = match behind.starts_with('(') {
        true => &behind[close_bracket(behind, 0)..],
        false => behind,
    };
    let rest = behind[close_bracket(behind, 0)..].trim_start();
    let statement = before.rsplit('\n').next().unwrap_or_default().trim_start();
    behind.starts_with('[')
        && (rest.starts_with('=') && !rest.starts_with("==") || statement.starts_with("del "))
}

/// Finds where members of objects that may have the member `target` are reached by names of which nothing is known. Its class and those
/// that inherit from it are `heirs`; `self` may be one in these and their bases, `around`.
pub(crate) fn computed_members(
    resolver: &Resolver,
    target: &IndexedDeclaration,
    (heirs, around): (&[IndexedDeclaration], &[IndexedDeclaration]),
) -> Result<Vec<SourcePlace>, Cancelled> {
    let Some(kind) = target.row().map(|(_, row)| row.kind()) else { return Ok(Vec::new()) };
    let is_stored =
        !matches!(kind, SymbolKind::Method | SymbolKind::Function | SymbolKind::Property) && !is_type(kind);
    let classes: BTreeSet<&str> = heirs.iter().map(IndexedDeclaration::name).collect();
    let is_reached = |access: &ComputedAccess| {
        let is_class = OWN_CLASS.contains(&access.object) || classes.contains(held(access.object));
        match access.is_of_dictionary() {
            true => is_stored || is_class && !access.is_set,
            // What is set by a computed name is no method in most programs.
            false => is_stored || kind == SymbolKind::Property || !access.is_set,
        }
    };
    let mut objects: Option<HashSet<String>> = None;
    let mut found = Vec::new();
    for word in BY_NAME.iter().chain(&DICTIONARIES).chain(&OF_OBJECT).copied() {
        for here in with_name(resolver, word)? {
            let accesses = places_of(&here, word);
            let accesses = accesses
                .into_iter()
                .filter_map(|range| ComputedAccess::read(&here, word, range, target.name()));
            for access in accesses.filter(|access| !access.object.is_empty() && is_reached(access)) {
                let is_one = if is_own(access.object) {
                    let own = scope::class_around(&here, access.range.start);
                    // The class's own calls of these are told with its members.
                    !BY_NAME.contains(&word)
                        && own.is_some_and(|own| around.iter().any(|one| one.is_same_declaration(&own)))
                } else {
                    let objects = match objects.take() {
                        Some(known) => objects.insert(known),
                        None => objects.insert(holders(resolver, heirs)?),
                    };
                    objects.contains(held(access.object))
                };
                if is_one {
                    found.push(access.place(&here));
                }
            }
        }
    }
    Ok(found)
}

/// Finds where what the module of `target` has at its top level is reached by names of which nothing is known.
pub(crate) fn computed_globals(
    resolver: &Resolver,
    target: &IndexedDeclaration,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let Some(kind) = target.row().map(|(_, row)| row.kind()) else { return Ok(Vec::new()) };
    let is_variable = kind != SymbolKind::Function && !is_type(kind);
    let mut found = Vec::new();
    for word in BY_NAME.iter().chain(&DICTIONARIES).copied() {
        for here in with_name(resolver, word)? {
            for range in places_of(&here, word) {
                let Some(access) = ComputedAccess::read(&here, word, range, target.name()) else { continue };
                // What is set by a computed name is new in most programs, or replaces a variable.
                if (is_variable || !access.is_set) && is_of_module_with(resolver, &here, &access, target)? {
                    found.push(access.place(&here));
                }
            }
        }
    }
    Ok(found)
}

/// Whether what is reached is a module that declares the target, or imports it by its name.
fn is_of_module_with(
    resolver: &Resolver,
    here: &CurrentFile,
    access: &ComputedAccess,
    target: &IndexedDeclaration,
) -> Result<bool, Cancelled> {
    let has = |module: &CurrentFile| {
        module.file.path == target.file.path
            || module.binding(resolver.family, target.name()).next().is_some()
    };
    if access.object.is_empty() {
        return Ok(has(here));
    }
    let chain: Vec<&str> = access.object.split('.').collect();
    let Meaning::Module(module) =
        scope::resolve_chain(resolver, here, access.range.start, &chain, SearchStart::Inside)?
    else {
        return Ok(false);
    };
    let module = modules::file_of(resolver, &module).and_then(|file| resolver.read_file(&file));
    Ok(module.is_some_and(|module| has(&module)))
}

fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Object, Struct};
    matches!(kind, Class | Interface | Enum | Struct | Object)
}
