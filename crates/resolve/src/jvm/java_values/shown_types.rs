//! The classes that a value of Java is of, or holds, as far as its type is written.

use super::{MAX_DEPTH, Reader, ValueType};
use crate::brackets::close_bracket;
use crate::context::{is_word, last_word, text_before};
use crate::family::Family;
use crate::meaning::Meaning;
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// Members of any class that give numbers, truth values or texts of their own.
const PLAIN_MEMBERS: [&str; 66] = [
    "abs",
    "allMatch",
    "anyMatch",
    "available",
    "average",
    "ceil",
    "charAt",
    "chars",
    "compare",
    "compareTo",
    "contains",
    "containsKey",
    "containsValue",
    "count",
    "currentTimeMillis",
    "doubleValue",
    "endsWith",
    "equals",
    "equalsIgnoreCase",
    "floor",
    "format",
    "formatted",
    "getAbsolutePath",
    "getBytes",
    "getCanonicalName",
    "getClassName",
    "getLocalizedMessage",
    "getMessage",
    "getMethodName",
    "getName",
    "getPath",
    "getSimpleName",
    "hasNext",
    "hashCode",
    "identityHashCode",
    "indexOf",
    "intValue",
    "isEmpty",
    "isPresent",
    "joining",
    "lastIndexOf",
    "length",
    "lineSeparator",
    "longValue",
    "matches",
    "nanoTime",
    "nextInt",
    "nextLine",
    "noneMatch",
    "ordinal",
    "parseDouble",
    "parseInt",
    "parseLong",
    "pow",
    "readLine",
    "repeat",
    "replaceAll",
    "round",
    "size",
    "split",
    "sqrt",
    "startsWith",
    "strip",
    "substring",
    "sum",
    "trim",
];

/// Operators, with blanks around them, whose results are numbers and truth values.
const PLAIN_OPERATORS: [&str; 13] = [
    " == ",
    " != ",
    " && ",
    " || ",
    " < ",
    " > ",
    " <= ",
    " >= ",
    " * ",
    " / ",
    " % ",
    " - ",
    " instanceof ",
];

/// The classes of a value, and of what it holds by its type arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShownTypes {
    pub(crate) declared: Vec<IndexedDeclaration>,
    /// The last names of other classes, as they are written.
    pub(crate) outside: Vec<String>,
    /// Whether a part of the type is not known, or may be of any class: `Object`.
    pub(crate) is_open: bool,
}

/// Returns the classes of the value of the expression between two bytes.
pub(crate) fn shown_types(
    resolver: &Resolver,
    here: &CurrentFile,
    (start, end): (usize, usize),
) -> Result<ShownTypes, Cancelled> {
    let mut found = ShownTypes::default();
    let text = here.text.as_str();
    let (mut start, mut end) = (start, end);
    let mut depth = MAX_DEPTH;
    let (rest, expression) = loop {
        let rest = text_before(text, end, Family::Jvm);
        let Some(expression) = rest.get(start..).map(str::trim) else { return Ok(found) };
        // `(a == b)`
        let is_wrapped = expression.starts_with('(') && close_bracket(expression, 0) == expression.len();
        if !is_wrapped || depth == 0 {
            break (rest, expression);
        }
        depth -= 1;
        (start, end) = (rest.len() - expression.len() + 1, rest.len() - 1);
    };
    let word = last_word(expression);
    let is_literal = expression.ends_with(['"', '\''])
        || word.starts_with(|c: char| c.is_ascii_digit())
        || matches!(expression, "" | "true" | "false" | "null");
    if is_literal || PLAIN_OPERATORS.iter().any(|operator| has_at_depth_0(expression, operator)) {
        return Ok(found);
    }
    let reader = Reader { resolver, here };
    if word == "class" && expression.ends_with(".class") {
        let class = reader.value(rest.len() - ".class".len(), MAX_DEPTH)?;
        add(resolver, &class, &mut found)?;
        return Ok(found);
    }
    let called = expression.strip_suffix(')').and_then(|inside| {
        let open = super::text_around::opening(inside, inside.len(), ('(', ')'))?;
        Some(last_word(inside[..open].trim_end()))
    });
    // `values.length` of an array, `name.length()`.
    let is_member = expression[..expression.len() - word.len()].ends_with('.');
    if called.is_some_and(|called| PLAIN_MEMBERS.contains(&called)) || is_member && word == "length" {
        return Ok(found);
    }
    for name in caught_as(rest, expression) {
        found.declared.extend(resolver.declared(name)?.iter().cloned());
        found.outside.push(name.to_owned());
    }
    add(resolver, &reader.value(rest.len(), MAX_DEPTH)?, &mut found)?;
    Ok(found)
}

/// Returns the classes of the exception that a clause above gives the name, where it catches several: `catch (A | B e)`.
fn caught_as<'t>(before: &'t str, name: &str) -> Vec<&'t str> {
    let is_name = !name.is_empty() && name.chars().all(is_word);
    let clause = before.rfind("catch (").filter(|_| is_name).map(|at| &before[at + "catch (".len()..]);
    let Some(types) = clause.and_then(|clause| clause.split(')').next()?.trim_end().strip_suffix(name))
    else {
        return Vec::new();
    };
    if !types.contains('|') || !types.ends_with(' ') {
        return Vec::new();
    }
    types.split('|').map(|one| one.trim().rsplit(['.', ' ']).next().unwrap_or("")).collect()
}

fn add(resolver: &Resolver, ty: &ValueType, found: &mut ShownTypes) -> Result<(), Cancelled> {
    match &ty.class {
        Meaning::Declared(_) => match ty.declared() {
            Some(class) => found.declared.push(class.clone()),
            None => found.is_open = true,
        },
        Meaning::Module(_) => {}
        class => {
            let is_outside = matches!(class, Meaning::OutsideProject) || is_outside_name(resolver, &ty.name)?;
            let is_any =
                matches!(ty.name.as_str(), "Object" | "Comparable" | "Enum" | "Record" | "Serializable");
            let is_raw = ty.arguments.is_empty() && super::library::is_generic(&ty.name);
            found.is_open |= !is_outside || is_any || is_raw;
            if !ty.name.is_empty() {
                found.outside.push(ty.name.clone());
            }
        }
    }
    for argument in &ty.arguments {
        add(resolver, argument, found)?;
    }
    Ok(())
}

/// Whether the project declares no class of this name, which no import names either: it is one of `java.lang`, or of a package that is
/// imported as a whole. Short names in capitals are type parameters.
fn is_outside_name(resolver: &Resolver, name: &str) -> Result<bool, Cancelled> {
    let is_parameter = name.len() <= 2 && name.chars().all(|c| c.is_uppercase() || c.is_numeric());
    Ok(!name.is_empty() && !is_parameter && resolver.declared(name)?.is_empty())
}

/// Whether a text holds `sign` outside of brackets.
fn has_at_depth_0(text: &str, sign: &str) -> bool {
    let (mut depth, mut from) = (0_usize, 0);
    text.match_indices(sign).any(|(at, _)| {
        for byte in &text.as_bytes()[from..at] {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        from = at;
        depth == 0
    })
}
