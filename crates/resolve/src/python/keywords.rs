//! Keywords of Python's calls that may reach a parameter though its function is not called by its name: through a variable
//! that holds the function, in the head of a class, through `super()`; and those that give an object a member of a name.
//! By syntax alone: a keyword that is told here need not mean the symbol.

use crate::brackets::{close_bracket, open_parenthesis};
use crate::context::last_word;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::heads::arguments_of;
use crate::meaning::Meaning;
use crate::name_places::{places_of, with_name};
use crate::python::function_values::{ClassKin, is_rebound};
use crate::python::keyword_uses::{CONSTRUCTORS, hands_on};
use crate::python::reached_unnamed::{gets_class_of_object, is_class_of, is_in_string};
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

use crate::conflicts::SourcePlace;

/// Methods that receive the keywords in the heads of a class's heirs.
const OF_HEIRS: [&str; 1] = ["__init_subclass__"];

/// Methods of a metaclass that receive the keywords in the heads of its classes.
const OF_METACLASS: [&str; 3] = ["__new__", "__init__", "__prepare__"];

/// What makes an object with members of the given names, or replaces members of these names.
const DOUBLES: [&str; 7] = [
    "SimpleNamespace",
    "Mock",
    "MagicMock",
    "AsyncMock",
    "NonCallableMock",
    "NonCallableMagicMock",
    "configure_mock",
];

/// Methods of doubles that compare the keywords of a call, and what stands for a call there.
const ASSERTED: [&str; 6] = [
    "assert_any_call",
    "assert_awaited_once_with",
    "assert_awaited_with",
    "assert_called_once_with",
    "assert_called_with",
    "call",
];

/// Whether the function's name at `range` is a value: passed on, stored, returned. Not in an import, and not called.
pub(crate) fn is_value(text: &str, range: TextRange) -> bool {
    let (before, behind) = (&text[..range.start as usize], &text[range.end as usize..]);
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_imported = line.starts_with("import ")
        || line.starts_with("from ")
        || open_parenthesis(text, before.len())
            .is_some_and(|open| last_word(text[..open].trim_end()) == "import");
    let is_declared = matches!(last_word(before.trim_end()), "def" | "class" | "global" | "nonlocal");
    let behind = behind.trim_start_matches([' ', '\t']);
    let is_bound = behind.starts_with('=') && !behind.starts_with("==");
    let is_decorator = line.starts_with('@') && !line.contains('(');
    !is_imported && !is_declared && !is_bound && !behind.starts_with(['(', '.']) && !is_decorator
}

/// Finds the keywords of the parameter `old` of `function` in calls of something else that may be the function, where the
/// function is a value somewhere, in the heads of classes, which are passed to some methods, and in calls of methods of the
/// constructor's class that hand them on. `kin` are the classes around the function's.
pub(crate) fn keywords_elsewhere(
    resolver: &Resolver,
    (here, function): (&CurrentFile, usize),
    old: &str,
    (is_value, kin): (bool, &ClassKin),
) -> Result<Vec<SourcePlace>, Cancelled> {
    let takes_heads = takes_heads(here, function);
    let row = &here.outline.rows[function];
    let of = here.outline.name(row);
    let constructed = row.parent().filter(|_| CONSTRUCTORS.contains(&of));
    let is_constructor = constructed.is_some();
    let called_name = constructed.map_or(of, |class| here.outline.name(&here.outline.rows[class]));
    let finder = memchr::memmem::Finder::new(of);
    let mut found = Vec::new();
    for other in with_name(resolver, old)? {
        let text = other.text.as_str();
        let names_function = finder.find(text.as_bytes()).is_some();
        if !is_value && !takes_heads && !names_function && !is_constructor {
            continue;
        }
        let is_value = is_value || is_in_string(text, called_name);
        for range in places_of(&other, old) {
            let Some(callee) = called_with(text, range) else { continue };
            let name = last_word(callee);
            let before = &callee[..callee.len() - name.len()];
            let arguments = arguments_behind(text, callee);
            // A server knows the class of `self`.
            let is_class = |name: &str| {
                is_constructor
                    && match name.is_empty() {
                        true => is_class_of(callee) && !callee.ends_with("(self)"),
                        false => gets_class_of_object(&other, range.start) && is_local(&other, name),
                    }
            };
            let may_reach = match last_word(before.trim_end()) {
                "class" => takes_heads,
                "def" => false,
                // A double of the function has been called with the keyword.
                _ if ASSERTED.contains(&name) => names_function,
                // `methodcaller("go", size=1)`
                _ if is_in_string(arguments, called_name) => true,
                _ if !before.ends_with('.') && is_class(name) => true,
                _ if name.is_empty() => is_value && callee.ends_with([')', ']']),
                _ if before.ends_with('.') => {
                    is_constructor && kin.hands_on(resolver, name, old)?
                        || is_value && holds_value(resolver, name)?
                }
                _ => is_value && may_run_values(resolver, &other, (callee, name), old)?,
            };
            if may_reach {
                found.push((other.file.path.clone(), range));
            }
        }
    }
    Ok(found)
}

/// Whether a file has a local of this name.
pub(crate) fn is_local(here: &CurrentFile, name: &str) -> bool {
    here.outline.rows.iter().any(|row| row.is_local() && here.outline.name(row) == name)
}

/// Returns the parenthesis with the arguments of a call, for the text up to it.
pub(crate) fn arguments_behind<'t>(text: &'t str, called: &str) -> &'t str {
    let open = text[called.len()..].find('(').map_or(called.len(), |at| called.len() + at);
    &text[open..close_bracket(text, open)]
}

/// Finds the keywords `name` that give an object a member, or replace one: `SimpleNamespace(size=1)`, `patch.multiple(m, size=1)`.
pub(crate) fn keywords_of_doubles(
    resolver: &Resolver,
    name: &str,
    is_member: bool,
) -> Result<Vec<SourcePlace>, Cancelled> {
    let mut found = Vec::new();
    for other in with_name(resolver, name)? {
        let text = other.text.as_str();
        for range in places_of(&other, name) {
            let Some(callee) = called_with(text, range) else { continue };
            let is_double = is_member && DOUBLES.contains(&last_word(callee));
            if is_double || callee.ends_with("patch.multiple") {
                found.push((other.file.path.clone(), range));
            }
        }
    }
    Ok(found)
}

/// Finds in the method at `row` calls of `name` of another class that pass on keywords: `super().__init__(**keywords)`.
pub(crate) fn passed_to_base(here: &CurrentFile, row: usize, name: &str) -> Vec<TextRange> {
    let text = here.text.as_str();
    let method = here.outline.rows[row].range();
    let passes_on = |range: &TextRange| {
        let behind = &text[range.end as usize..];
        method.contains(*range)
            && text[..range.start as usize].ends_with('.')
            && behind.starts_with('(')
            && arguments_of(behind).into_iter().flatten().any(|one| one.trim().starts_with("**"))
    };
    places_of(here, name).into_iter().filter(passes_on).collect()
}

/// Returns the text up to the parenthesis of the call in which the name at `range` is a keyword.
pub(crate) fn called_with(text: &str, range: TextRange) -> Option<&str> {
    let (before, behind) = (&text[..range.start as usize], text[range.end as usize..].trim_start());
    let is_keyword =
        behind.starts_with('=') && !behind.starts_with("==") && before.trim_end().ends_with(['(', ',']);
    let open = open_parenthesis(text, before.len()).filter(|_| is_keyword)?;
    // The default of a lambda's parameter: `(0, lambda a, b=1: a)`.
    let is_of_lambda = before[open..].rfind("lambda").is_some_and(|at| !before[open + at..].contains(':'));
    (!is_of_lambda).then(|| text[..open].trim_end())
}

/// Whether attributes of this name hold what is assigned to them: the project declares or assigns it, and never declares it as a
/// function or a class.
pub(crate) fn holds_value(resolver: &Resolver, name: &str) -> Result<bool, Cancelled> {
    let declared = resolver.declared(name)?;
    let is_other = |one: &IndexedDeclaration| {
        one.row().is_some_and(|(_, row)| {
            is_class(row) || matches!(row.kind(), SymbolKind::Function | SymbolKind::Method)
        })
    };
    if !declared.is_empty() {
        return Ok(!declared.iter().any(is_other));
    }
    // `Class.name = f`, outside of the class.
    for here in with_name(resolver, name)? {
        let text = here.text.as_str();
        let is_assigned = |range: &TextRange| {
            let behind = text[range.end as usize..].trim_start();
            text[..range.start as usize].ends_with('.')
                && behind.starts_with('=')
                && !behind.starts_with("==")
        };
        if places_of(&here, name).iter().any(is_assigned) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the name that `callee` ends with is a variable or a parameter, a function that may hand on the keyword `old`, or one whose
/// name is bound to something else later.
fn may_run_values(
    resolver: &Resolver,
    here: &CurrentFile,
    (callee, name): (&str, &str),
    old: &str,
) -> Result<bool, Cancelled> {
    let at = u32::try_from(callee.len() - name.len()).unwrap_or(u32::MAX);
    let holds = |one: &IndexedDeclaration| {
        one.row().is_some_and(|(_, row)| {
            use SymbolKind::{Constant, Field, Variable};
            matches!(row.kind(), Variable | Constant | Field)
        })
    };
    Ok(match scope::resolve_name(resolver, here, at, name)? {
        Meaning::Local | Meaning::LocalOrDeclared(_) => true,
        Meaning::Declared(found) => {
            let may_run = |one: &IndexedDeclaration| {
                holds(one) || hands_on(resolver, one, old) || is_rebound(resolver, one)
            };
            found.iter().any(may_run)
        }
        _ => false,
    })
}

/// Whether a method receives the keywords in heads of classes.
pub(crate) fn takes_heads(here: &CurrentFile, function: usize) -> bool {
    let row = &here.outline.rows[function];
    let Some(class) = row.parent().map(|at| &here.outline.rows[at]).filter(|at| is_class(at)) else {
        return false;
    };
    let name = here.outline.name(row);
    OF_HEIRS.contains(&name) || OF_METACLASS.contains(&name) && is_metaclass(here, class)
}

/// Whether a class has a base whose name says that it is a metaclass: `type`, `ABCMeta`, `EnumType`.
fn is_metaclass(here: &CurrentFile, class: &Row) -> bool {
    let behind = class.name_start as usize + usize::from(class.name_len);
    let head = here.text.as_str().get(behind..).unwrap_or_default().trim_start();
    let bases = if head.starts_with('(') { arguments_of(head) } else { None };
    let is_meta = |base: &str| base == "type" || base.ends_with("Meta") || base.ends_with("Type");
    bases.into_iter().flatten().any(|base| is_meta(base.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_of(text: &str, name: &str) -> TextRange {
        let at = u32::try_from(text.find(name).expect("in it")).expect("short");
        TextRange::new(at, at + u32::try_from(name.len()).expect("short"))
    }

    #[test]
    fn functions_as_values() {
        for (text, expected) in [
            ("call(scale)\n", true),
            ("TABLE = {'s': scale}\n", true),
            ("grow = scale\n", true),
            ("return scale\n", true),
            ("from lib import scale\n", false),
            ("from lib import (\n    a,\n    scale,\n)\n", false),
            ("def scale(a): ...\n", false),
            ("scale(1)\n", false),
            ("scale = 1\n", false),
            ("@scale\n", false),
            ("@cases(scale)\n", true),
        ] {
            assert_eq!(is_value(text, range_of(text, "scale")), expected, "{text}");
        }
    }

    #[test]
    fn keywords_and_what_they_are_passed_to() {
        for (text, expected) in [
            ("call(1, key=2)", Some("call")),
            ("class Kid(Base, key = 3): pass", Some("class Kid")),
            ("TABLE['s'](\n    key=3)", Some("TABLE['s']")),
            ("call(key == 2)", None),
            ("call([key])", None),
            ("(0, lambda a, key=1: a)", None),
            ("key = 2", None),
        ] {
            assert_eq!(called_with(text, range_of(text, "key")), expected, "{text}");
        }
    }
}
