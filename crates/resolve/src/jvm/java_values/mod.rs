//! The classes of values in Java code, as far as declared types tell: of `book` in `book.title()` where `Book book`
//! is declared, of `new Book()`, of what a method is declared to return, of what lists hold, of lambdas' parameters. Reads the
//! text backwards from the dot. Invariant: terminates on every input; a value of which nothing is declared is unknown.

mod declared_values;
mod lambdas;
mod library;
mod overloads;
mod shown_types;
mod text_around;
mod written_type;

pub(crate) use self::overloads::fitting;
pub(crate) use self::shown_types::{ShownTypes, shown_types};
pub(crate) use self::text_around::type_before;
use self::text_around::{new_class, opening, without_type_arguments};
pub(crate) use self::written_type::{ARRAY, FUNCTION, WrittenType};
use crate::context::{Receiver, last_word, receiver, text_before};
use crate::family::Family;
use crate::hierarchy::classes::is_class;
use crate::jvm;
use crate::meaning::Meaning;
use crate::modules::Module;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope;
use crate::sources::IndexedDeclaration;
use symd_base::cancel::Cancelled;

/// How far back the bracket of a call is searched for, in bytes.
const MAX_BACK: usize = 4_000;

/// How many calls and variables are followed from one to the next.
const MAX_DEPTH: usize = 16;

/// Words that stand before a name and are no type.
const NO_TYPES: [&str; 9] =
    ["return", "new", "throw", "else", "case", "yield", "assert", "instanceof", "final"];

/// Types that no project declares, whose members have such types, too.
const OUTSIDE: [&str; 16] = [
    "boolean",
    "byte",
    "char",
    "double",
    "float",
    "int",
    "long",
    "short",
    "void",
    "Boolean",
    "Byte",
    "Character",
    "Double",
    "Integer",
    "Long",
    "String",
];

/// The type of a value.
#[derive(Clone, Debug)]
struct ValueType {
    /// The class: declared, outside of the project, or unknown. A module is the class of a Kotlin file.
    class: Meaning,
    /// The last name of the type as it is written; empty where none is.
    name: String,
    arguments: Vec<ValueType>,
}

impl ValueType {
    fn unknown() -> ValueType {
        ValueType { class: Meaning::Unknown, name: String::new(), arguments: Vec::new() }
    }

    /// A value of which only the class is known.
    fn of(class: Meaning) -> ValueType {
        ValueType { class, name: String::new(), arguments: Vec::new() }
    }

    fn outside(name: &str, arguments: Vec<ValueType>) -> ValueType {
        ValueType { class: Meaning::OutsideProject, name: name.to_owned(), arguments }
    }

    /// Returns the class, if it is one of the project's.
    fn declared(&self) -> Option<&IndexedDeclaration> {
        match &self.class {
            Meaning::Declared(found) => {
                found.first().filter(|one| one.row().is_some_and(|(_, row)| is_class(row)))
            }
            _ => None,
        }
    }
}

/// Returns the class of the value before the dot that precedes the name at byte `start`.
pub(crate) fn owner(resolver: &Resolver, here: &CurrentFile, start: usize) -> Result<Meaning, Cancelled> {
    Ok(Reader { resolver, here }.before_dot(start, MAX_DEPTH)?.class)
}

/// Returns the class whose entries stand in `case` labels, where the name at byte `start` stands in one.
pub(crate) fn switched(
    resolver: &Resolver,
    here: &CurrentFile,
    start: usize,
) -> Result<Option<Meaning>, Cancelled> {
    let text = here.text.as_str();
    let mut before = text_before(text, start, Family::Jvm);
    while let Some(rest) = before.strip_suffix(',') {
        let rest = rest.trim_end();
        before = rest[..rest.len() - last_word(rest).len()].trim_end();
    }
    if last_word(before) != "case" {
        return Ok(None);
    }
    let head = opening(text, before.len(), ('{', '}')).map(|open| text_before(text, open, Family::Jvm));
    let Some(inside) = head.and_then(|head| head.strip_suffix(')')) else { return Ok(None) };
    Ok(Some(Reader { resolver, here }.value(inside.len(), MAX_DEPTH)?.class))
}

/// Reads expressions of one file.
struct Reader<'r, 's> {
    resolver: &'r Resolver<'s>,
    here: &'r CurrentFile,
}

impl Reader<'_, '_> {
    fn text(&self) -> &str {
        self.here.text.as_str()
    }

    fn before_dot(&self, start: usize, depth: usize) -> Result<ValueType, Cancelled> {
        let before = text_before(self.text(), start, Family::Jvm);
        match before.strip_suffix("::").or_else(|| before.strip_suffix('.')) {
            Some(value) => self.value(value.len(), depth),
            None => Ok(ValueType::unknown()),
        }
    }

    /// Returns the type of the expression that ends at byte `end`.
    fn value(&self, end: usize, depth: usize) -> Result<ValueType, Cancelled> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(ValueType::unknown()) };
        self.resolver.cancel.check()?;
        let rest = text_before(self.text(), end, Family::Jvm);
        if rest.ends_with('"') {
            return Ok(ValueType::outside("String", Vec::new()));
        }
        if let Some(inside) = rest.strip_suffix(')') {
            return self.call(inside.len(), depth);
        }
        if let Some(inside) = rest.strip_suffix(']') {
            let Some(open) = opening(self.text(), inside.len(), ('[', ']')) else {
                return Ok(ValueType::unknown());
            };
            let array = self.value(open, depth)?;
            let element = (array.name == ARRAY).then(|| library::element(&array)).flatten();
            return Ok(element.unwrap_or_else(ValueType::unknown));
        }
        // `new Book() { … }`
        if let Some(inside) = rest.strip_suffix('}') {
            let open = opening(self.text(), inside.len(), ('{', '}'));
            let before = open.map(|open| text_before(self.text(), open, Family::Jvm));
            return match before.and_then(|before| before.strip_suffix(')')) {
                Some(inside) => self.call(inside.len(), depth),
                None => Ok(ValueType::unknown()),
            };
        }
        let word = last_word(rest);
        let start = rest.len() - word.len();
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(ValueType::unknown());
        }
        let at = u32::try_from(start).unwrap_or(u32::MAX);
        let before = text_before(self.text(), start, Family::Jvm);
        if let Some(class) = before.strip_suffix("::") {
            let owner = self.value(class.len(), depth)?;
            return if word == "new" { Ok(owner) } else { self.member(&owner, word) };
        }
        if before.ends_with('.') {
            if word == "this" {
                return self.value(before.len() - 1, depth);
            }
            let owner = self.value(before.len() - 1, depth)?;
            // `a.b.Class`
            if let (Meaning::Unknown, Receiver::Chain(package, _)) =
                (&owner.class, receiver(self.text(), start, Family::Jvm))
            {
                let found = self.resolver.exported(&Module::Package(package.join(".")), word, 0)?;
                return match found {
                    Meaning::Declared(_) | Meaning::Module(_) => self.type_of(found, &owner),
                    _ => Ok(ValueType::unknown()),
                };
            }
            return self.member(&owner, word);
        }
        if word == "this" {
            return Ok(ValueType::of(scope::own_class(self.here, at)));
        }
        match scope::resolve_name(self.resolver, self.here, at, word)? {
            Meaning::Local | Meaning::LocalOrDeclared(_) | Meaning::Unknown => {
                self.type_of_local(word, start, depth)
            }
            found => self.type_of(found, &ValueType::unknown()),
        }
    }

    /// Returns the type of a field of a value, or of what its method returns.
    fn member(&self, owner: &ValueType, name: &str) -> Result<ValueType, Cancelled> {
        match &owner.class {
            Meaning::OutsideProject if OUTSIDE.contains(&owner.name.as_str()) => {
                Ok(ValueType::of(Meaning::OutsideProject))
            }
            // What another class from outside returns is known where its type arguments tell.
            Meaning::OutsideProject | Meaning::Unknown => {
                Ok(library::returned(owner, name).unwrap_or_else(ValueType::unknown))
            }
            class => {
                let found = scope::resolve_member(self.resolver, class, name)?;
                if let Meaning::Declared(_) | Meaning::Module(_) = found {
                    return self.type_of(found, owner);
                }
                if let Some(declared) =
                    owner.declared().and_then(|class| jvm::names::member(self.resolver, class, name))
                {
                    return self.type_of(Meaning::Declared(vec![declared]), owner);
                }
                self.by_accessor(owner, name)
            }
        }
    }

    /// Returns the type of the Kotlin property that a call of `getName` or `isName` reads.
    fn by_accessor(&self, owner: &ValueType, accessor: &str) -> Result<ValueType, Cancelled> {
        for property in crate::jvm::accessors::properties_of(accessor) {
            let found = scope::resolve_member(self.resolver, &owner.class, &property)?;
            if let Meaning::Declared(declared) = &found
                && declared.iter().all(|one| crate::family::has_types(&one.file))
            {
                return self.type_of(found, owner);
            }
        }
        Ok(ValueType::unknown())
    }

    /// Returns the type of a call, a new object or a cast whose last bracket stands at byte `close`.
    fn call(&self, close: usize, depth: usize) -> Result<ValueType, Cancelled> {
        let text = self.text();
        let Some(open) = opening(text, close, ('(', ')')) else { return Ok(ValueType::unknown()) };
        let callee = without_type_arguments(text_before(text, open, Family::Jvm));
        let word = last_word(callee);
        if word.is_empty() {
            let inside = text[open + 1..close].trim_start();
            return match inside.strip_prefix('(').and_then(|cast| written_type::read(cast)) {
                Some((ty, behind))
                    if behind
                        .trim_start()
                        .strip_prefix(')')
                        .is_some_and(|value| !value.trim_start().starts_with(['.', ')', ',']))
                        && !behind.trim_start()[1..].trim().is_empty() =>
                {
                    self.written(&ty, open)
                }
                _ => self.value(close, depth),
            };
        }
        let start = callee.len() - word.len();
        if let Some(path) = new_class(callee) {
            let before = text_before(text, callee.len() - path.len(), Family::Jvm);
            let outer =
                before.strip_suffix("new").map(str::trim_end).and_then(|before| before.strip_suffix('.'));
            return match outer {
                // `shelf.new Mark()`
                Some(outer) => {
                    let outer = self.value(outer.len(), depth)?;
                    Ok(ValueType::of(scope::resolve_member(self.resolver, &outer.class, path)?))
                }
                None => {
                    let written = text.get(callee.len() - path.len()..open).unwrap_or(path);
                    match written_type::read(written) {
                        Some((ty, _)) => self.written(&ty, start),
                        None => Ok(ValueType::unknown()),
                    }
                }
            };
        }
        let before = text_before(text, start, Family::Jvm);
        if let Some(value) = before.strip_suffix('.') {
            let owner = self.value(value.len(), depth)?;
            if let Some(mapped) = self.mapped(&owner, word, close, depth)? {
                return Ok(mapped);
            }
            let is_unknown = matches!(owner.class, Meaning::Unknown) && owner.arguments.is_empty();
            if let (true, Receiver::Chain(package, _)) = (is_unknown, receiver(text, start, Family::Jvm)) {
                let found = self.resolver.exported(&Module::Package(package.join(".")), word, 0)?;
                return match found {
                    Meaning::Declared(_) => self.type_of(found, &owner),
                    _ => Ok(ValueType::unknown()),
                };
            }
            return self.member(&owner, word);
        }
        let at = u32::try_from(start).unwrap_or(u32::MAX);
        match scope::resolve_name(self.resolver, self.here, at, word)? {
            found @ Meaning::Declared(_) => self.type_of(found, &ValueType::unknown()),
            _ => self.by_accessor(&ValueType::of(scope::own_class(self.here, at)), word),
        }
    }
}
