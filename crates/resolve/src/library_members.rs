//! Whether a class outside the project declares a member, as far as symd knows its library: Kotlin's by signatures
//! (`kotlin_library`), Python's by a table of names, a few of Java's classes by the list below. Invariant: a class that is not known
//! is `Unknown`, never without members.

use super::family::Family;
use super::meaning::binds;
use super::resolver::{CurrentFile, Resolver};
use crate::hierarchy::heads::WrittenBase;
use crate::python::builtin_classes::lookup_member;
use symd_syntax::Imported;

/// Whether a class outside the project, or one that it inherits from, declares a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MemberLookup {
    /// It does; the name of the declaring class.
    Yes(String),
    /// It does not.
    No,
    /// The class is not known.
    Unknown,
}

/// A member that a library may declare too.
#[derive(Clone, Copy, Debug)]
pub(super) struct WantedMember<'n> {
    pub(super) name: &'n str,
    /// The number of a function's parameters; `None` for a property or field.
    pub(super) parameters: Option<usize>,
}

/// A class of Java's library, with all of its members: each with the number of its parameters, `None` for what Kotlin writes
/// as a property.
struct JavaClass {
    name: &'static str,
    bases: &'static [&'static str],
    members: &'static [(&'static str, Option<usize>)],
}

const JAVA_CLASSES: [JavaClass; 8] = [
    JavaClass { name: "java.io.Serializable", bases: &[], members: &[] },
    JavaClass { name: "java.util.EventListener", bases: &[], members: &[] },
    JavaClass { name: "java.lang.AutoCloseable", bases: &[], members: &[("close", Some(0))] },
    JavaClass { name: "java.io.Closeable", bases: &["java.lang.AutoCloseable"], members: &[] },
    JavaClass { name: "java.io.Flushable", bases: &[], members: &[("flush", Some(0))] },
    JavaClass { name: "java.lang.Runnable", bases: &[], members: &[("run", Some(0))] },
    JavaClass { name: "java.util.concurrent.Callable", bases: &[], members: &[("call", Some(0))] },
    JavaClass {
        name: "java.lang.Throwable",
        bases: &["java.io.Serializable"],
        members: &[
            ("message", None),
            ("cause", None),
            ("localizedMessage", None),
            ("stackTrace", None),
            ("getMessage", Some(0)),
            ("getCause", Some(0)),
            ("getLocalizedMessage", Some(0)),
            ("getStackTrace", Some(0)),
            ("setStackTrace", Some(1)),
            ("getSuppressed", Some(0)),
            ("addSuppressed", Some(1)),
            ("initCause", Some(1)),
            ("fillInStackTrace", Some(0)),
            ("printStackTrace", Some(0)),
            ("printStackTrace", Some(1)),
        ],
    },
];

/// Classes that declare what `Throwable` does, and nothing else.
const THROWABLES: [&str; 15] = [
    "java.io.IOException",
    "java.lang.ArithmeticException",
    "java.lang.AssertionError",
    "java.lang.ClassCastException",
    "java.lang.Error",
    "java.lang.Exception",
    "java.lang.IllegalArgumentException",
    "java.lang.IllegalStateException",
    "java.lang.IndexOutOfBoundsException",
    "java.lang.NullPointerException",
    "java.lang.NumberFormatException",
    "java.lang.RuntimeException",
    "java.lang.UnsupportedOperationException",
    "java.util.ConcurrentModificationException",
    "java.util.NoSuchElementException",
];

pub(super) const JAVA_ROOT: &str = "java.lang.Object";

/// Members that every object of Kotlin has, with the number of their parameters and the class that declares them; Java's objects have them too.
const ROOT_MEMBERS: [(&str, usize, &str); 6] = [
    ("equals", 1, "kotlin.Any"),
    ("hashCode", 0, "kotlin.Any"),
    ("toString", 0, "kotlin.Any"),
    // Kotlin's classes have them on the JVM, where a function called so is rejected.
    ("notify", 0, JAVA_ROOT),
    ("notifyAll", 0, JAVA_ROOT),
    ("wait", 0, JAVA_ROOT),
];

/// Whether `class` (`java.io.Closeable`), which no file of the project declares, has the member.
pub(super) fn java_class_declares(class: &str, wanted: WantedMember) -> MemberLookup {
    let class = if THROWABLES.contains(&class) { "java.lang.Throwable" } else { class };
    let Some(known) = JAVA_CLASSES.iter().find(|one| one.name == class) else { return MemberLookup::Unknown };
    if known.members.contains(&(wanted.name, wanted.parameters)) {
        return MemberLookup::Yes(class.to_owned());
    }
    // The listed bases are listed themselves.
    let inherited = known.bases.iter().map(|base| java_class_declares(base, wanted));
    inherited.into_iter().find(|found| *found != MemberLookup::No).unwrap_or(MemberLookup::No)
}

/// Returns the class from which every class of Kotlin and Java inherits a function that is declared so: `kotlin.Any`.
pub(super) fn root_class_with(wanted: WantedMember) -> Option<String> {
    let is_it =
        |(name, count, _): &&(&str, usize, &str)| *name == wanted.name && Some(*count) == wanted.parameters;
    ROOT_MEMBERS.iter().find(is_it).map(|(_, _, class)| (*class).to_owned())
}

/// Whether the class that a base in a head of this file means, which is called `named` outside the project, declares the member.
pub(super) fn base_declares(
    resolver: &Resolver,
    here: &CurrentFile,
    (written, named): (&WrittenBase, &str),
    wanted: WantedMember,
) -> MemberLookup {
    if resolver.profile.bases.knows_library {
        return lookup_member(named, wanted.name);
    }
    if here.language.has_types {
        let found = resolver.kotlin().library_class_declares(&here.file.path, written.range, wanted);
        if found != MemberLookup::Unknown {
            return found;
        }
    }
    let name = java_name(resolver, here, &written.chain).filter(|_| resolver.family == Family::Jvm);
    name.map_or(MemberLookup::Unknown, |name| java_class_declares(&name, wanted))
}

/// Returns the full name of a class outside the project that is written `chain` in this file; `None` where a star import may bring it.
fn java_name(resolver: &Resolver, here: &CurrentFile, chain: &str) -> Option<String> {
    let (first, rest) = chain.split_once('.').map_or((chain, None), |(first, rest)| (first, Some(rest)));
    let imports = here.imports();
    if let Some(import) = imports.iter().find(|import| binds(resolver.family, import) == Some(first)) {
        let Imported::Name(name) = import.imported else { return None };
        let imported = [import.module, name].join(".");
        return Some(rest.map_or(imported.clone(), |rest| format!("{imported}.{rest}")));
    }
    match rest {
        Some(_) => Some(chain.to_owned()),
        None => (!here.outline.imports.has_stars()).then(|| format!("java.lang.{chain}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_java_declares_is_told_by_name_and_number_of_parameters() {
        let check = |class: &str, name: &str, parameters: Option<usize>, expected: MemberLookup| {
            assert_eq!(
                java_class_declares(class, WantedMember { name, parameters }),
                expected,
                "{class}.{name}"
            );
        };
        let yes = |class: &str| MemberLookup::Yes(class.to_owned());
        check("java.io.Closeable", "close", Some(0), yes("java.lang.AutoCloseable"));
        check("java.io.Closeable", "close", Some(1), MemberLookup::No);
        check("java.io.Closeable", "close", None, MemberLookup::No);
        check("java.lang.Exception", "message", None, yes("java.lang.Throwable"));
        check("java.lang.Exception", "code", None, MemberLookup::No);
        check("p.Closeable", "open", Some(0), MemberLookup::Unknown);
    }
}
