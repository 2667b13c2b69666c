//! References that are given to what Android's and Java's libraries declare. These take interfaces and functions, which they call: they read
//! no name of a reference. What keeps any object (`setTag`, a list) gives it back with its name, and is none of these.

use super::callables::Arguments;
use super::calls::{callee_name, callee_of, suffix_given};
use super::qualifiers::Qualifier;
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// The first names of the packages of Android's libraries, and of Java's.
const ANDROID: [&str; 2] = ["android.", "androidx."];
const JAVA: [&str; 2] = ["java.", "javax."];

/// What a function that keeps or prints any object begins with, among those of Android.
const KEEPING: [&str; 10] =
    ["setTag", "put", "add", "insert", "print", "append", "write", "format", "log", "valueOf"];

/// Methods of Java's library that call what they are given.
const CALLING: [&str; 28] = [
    "execute",
    "submit",
    "schedule",
    "scheduleAtFixedRate",
    "scheduleWithFixedDelay",
    "invokeLater",
    "invokeAndWait",
    "supplyAsync",
    "runAsync",
    "thenApply",
    "thenApplyAsync",
    "thenAccept",
    "thenAcceptAsync",
    "thenRun",
    "thenCompose",
    "thenCombine",
    "handle",
    "whenComplete",
    "exceptionally",
    "map",
    "mapToInt",
    "flatMap",
    "filter",
    "forEach",
    "ifPresent",
    "orElseGet",
    "computeIfAbsent",
    "removeIf",
];

/// What the names of interfaces end with that are made of a function.
const INTERFACES: [&str; 10] = [
    "Listener",
    "Observer",
    "Callback",
    "Runnable",
    "Callable",
    "Consumer",
    "Supplier",
    "Predicate",
    "Comparator",
    "Thread",
];

impl Universe<'_> {
    /// Whether a reference is given to what Android's or Java's library declares and does no more than to call it.
    pub(super) fn is_given_to_platform(&self, file: &ProjectFile, reference: NodeId) -> bool {
        let Some(suffix) = suffix_given(file, reference) else { return false };
        let arguments = Arguments::of(file, suffix);
        let found = self.call_of_suffix(file, suffix, &arguments);
        let Some(callee) = file.parent(suffix).and_then(|call| callee_of(file, call)) else { return false };
        let Some(name) = callee_name(file, callee).map(|name| file.name_text(name)) else { return false };
        if found.is_some_and(|found| !found.candidates.is_empty()) {
            return false;
        }
        // A listener is told of events, whoever takes it.
        if name.ends_with("Listener") && (name.starts_with("set") || name.starts_with("add")) {
            return true;
        }
        let is_interface = INTERFACES.iter().any(|end| name.ends_with(end));
        let is_in_platform = |path: &str| is_of(&ANDROID, path) || is_of(&JAVA, path);
        if file.kind(callee) != K::NavigationExpression {
            let import = file.imports.iter().find(|import| import.bound() == Some(name));
            let label = arguments.values.iter().find(|one| one.value == reference);
            let label = label.and_then(|one| one.name.as_deref());
            return match import {
                Some(import) => {
                    is_interface && is_in_platform(&import.path)
                        || label.is_some_and(is_event) && is_of(&["androidx."], &import.path)
                }
                None => matches!(name, "Runnable" | "Thread"),
            };
        }
        let before = file.children(callee).last().and_then(|suffix| self.before_suffix(file, suffix));
        match before {
            Some(Qualifier::Value(Type::External(class))) => {
                let is_calling = is_of(&ANDROID, &class.name)
                    && !KEEPING.iter().any(|keeping| name.starts_with(keeping))
                    || is_of(&JAVA, &class.name) && CALLING.contains(&name);
                is_calling
                    && !self.may_be_an_extension(file, name)
                    && class.arguments.iter().all(|one| self.holds_no_reference(one))
            }
            Some(Qualifier::External(class)) => {
                is_interface && is_in_platform(&class) || is_of(&JAVA, &class) && CALLING.contains(&name)
            }
            _ => false,
        }
    }

    /// Whether a name behind an object may be that of an extension that a library beside these declares.
    fn may_be_an_extension(&self, file: &SourceFile, name: &str) -> bool {
        let is_known =
            |path: &str| is_of(&ANDROID, path) || is_of(&JAVA, path) || is_of(&["kotlin.", "kotlinx."], path);
        file.imports.iter().any(|import| match import.is_star {
            true => !is_known(&format!("{}.", import.path)) && !self.has_package(&import.path),
            false => import.bound() == Some(name) && !is_known(&import.path),
        })
    }

    /// Whether no value of a type is known to be, or may be, a reference.
    fn holds_no_reference(&self, ty: &Type) -> bool {
        match ty {
            Type::Class(class) => {
                !self.is_any(class.class)
                    && self.get(class.class).is_some_and(|(file, _)| file.package() != "kotlin.reflect")
                    && class.arguments.iter().all(|one| self.holds_no_reference(one))
            }
            Type::External(class) => {
                !class.name.is_empty() && class.arguments.iter().all(|one| self.holds_no_reference(one))
            }
            Type::Java(_) => true,
            _ => false,
        }
    }
}

fn is_of(packages: &[&str], path: &str) -> bool {
    packages.iter().any(|package| path.starts_with(package))
}

/// Whether a parameter is called after an event: `onClick`.
fn is_event(parameter: &str) -> bool {
    parameter.strip_prefix("on").is_some_and(|event| event.starts_with(char::is_uppercase))
}
