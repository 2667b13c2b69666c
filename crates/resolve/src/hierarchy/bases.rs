//! Resolves the bases in a class's head: classes of the project, classes outside of it, or something that
//! syntax cannot resolve. Invariant: terminates on every input (a class that is requested while its own bases
//! are being resolved has no known bases); a base is never omitted.

use std::sync::Arc;

use crate::context::{last_word, text_before};
use crate::family::has_types;
use crate::hierarchy::classes::is_class;
use crate::hierarchy::heads::{WrittenBase, alias_behind, named_type, written_bases};
use crate::hierarchy::inheritance::Inheritance;
use crate::meaning::Meaning;
use crate::modules::Module;
use crate::profiles::HiddenBinding;
use crate::python::outside::origins;
use crate::resolver::{CurrentFile, Resolver};
use crate::scope::{self, SearchStart};
use crate::sources::IndexedDeclaration;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// The most aliases that are followed in a row: `A = B`, `B = C`.
const MAX_ALIASES: usize = 8;

/// A base and its candidates: several where an `if` or an `except` decides.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// The base as written in the head.
    pub(crate) written: WrittenBase,
    /// Classes of the project.
    pub(crate) classes: Vec<IndexedDeclaration>,
    /// Classes outside the project, by their full names as far as they are known.
    pub(crate) outside: Vec<String>,
    /// Whether it may be a class of the project that syntax does not find.
    pub(crate) may_be_unfound: bool,
    /// Whether the program computes it, so that its name does not identify the class.
    pub(crate) is_computed: bool,
}

impl Base {
    fn new(written: WrittenBase) -> Base {
        Base { written, classes: Vec::new(), outside: Vec::new(), may_be_unfound: false, is_computed: false }
    }

    /// Whether all its candidates are classes of the project.
    pub(crate) fn is_known(&self) -> bool {
        !self.may_be_unfound && self.outside.is_empty()
    }

    /// Marks the base as computed, so that it may be any class.
    fn mark_computed(&mut self) {
        (self.may_be_unfound, self.is_computed) = (true, true);
    }

    fn add(&mut self, class: IndexedDeclaration) {
        if !self.classes.iter().any(|known| known.is_same_declaration(&class)) {
            self.classes.push(class);
        }
    }
}

/// Returns the bases of `class`, resolved once per question.
pub(crate) fn bases(resolver: &Resolver, class: &IndexedDeclaration) -> Result<Arc<[Base]>, Cancelled> {
    // If the file has changed since, the row number may belong to another declaration.
    let here = resolver.read_file(&class.file).and_then(|here| Some((here.row_of(class)?, here)));
    let Some((row, here)) = here else { return Ok(Arc::new([unreadable()])) };
    bases_in(resolver, &here, row)
}

/// Like [`bases`], for the class in `row` of a file that is already read.
pub(crate) fn bases_in(
    resolver: &Resolver,
    here: &CurrentFile,
    row: usize,
) -> Result<Arc<[Base]>, Cancelled> {
    let key = (here.file.path.clone(), row);
    if let Some(known) = resolver.bases.borrow().get(&key) {
        return Ok(known.clone());
    }
    if !resolver.finding_bases.borrow_mut().insert(key.clone()) {
        return Ok(Arc::new([unreadable()]));
    }
    let found = find(resolver, here, row);
    resolver.finding_bases.borrow_mut().remove(&key);
    let found: Arc<[Base]> = found?.into();
    resolver.bases.borrow_mut().insert(key, found.clone());
    Ok(found)
}

/// Returns a base about which nothing is known.
fn unreadable() -> Base {
    let written = WrittenBase { range: TextRange::new(0, 0), chain: String::new(), start: 0 };
    Base { may_be_unfound: true, ..Base::new(written) }
}

fn find(resolver: &Resolver, here: &CurrentFile, row: usize) -> Result<Vec<Base>, Cancelled> {
    let Some(this) = here.outline.rows.get(row) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for written in written_bases(here.language, &here.outline, this, here.text.as_str()) {
        resolver.cancel.check()?;
        let mut base = Base::new(written);
        let (chain, start) = (base.written.chain.clone(), base.written.start);
        if chain.is_empty() {
            base.mark_computed();
        } else {
            resolve(resolver, here, (&chain, start), SearchStart::Head(row), &mut base, 0)?;
        }
        found.push(base);
    }
    // An enum entry with a body inherits from its enum: `enum class E { A { override fun f() {} } }`.
    if let (SymbolKind::EnumMember, Some(parent)) = (this.kind(), this.parent()) {
        let range = TextRange::new(this.name_start, this.name_start);
        let mut base = Base::new(WrittenBase { range, chain: String::new(), start: this.name_start });
        base.add(here.target(parent));
        found.push(base);
    }
    Ok(found)
}

/// Adds the candidates that `chain`, which begins at byte `start`, may mean.
fn resolve(
    resolver: &Resolver,
    here: &CurrentFile,
    (chain, start): (&str, u32),
    from: SearchStart,
    base: &mut Base,
    hops: usize,
) -> Result<(), Cancelled> {
    let names: Vec<&str> = chain.split('.').collect();
    if let (true, [this, attribute]) = (resolver.profile.bases.are_objects, &names[..])
        && resolver.profile.spelling.receiver_names.contains(this)
    {
        return of_attribute(resolver, here, start, attribute, base, hops);
    }
    match scope::resolve_chain(resolver, here, start, &names, from)? {
        Meaning::Declared(mut found) => {
            // A function that is called like a class, as Kotlin's that make an object of an interface, is no base.
            let is_callable =
                |one: &IndexedDeclaration| one.row().is_some_and(|(_, row)| row.kind().is_callable());
            if has_types(&here.file) && !found.iter().all(is_callable) {
                found.retain(|one| !is_callable(one));
            }
            for one in found {
                declared(resolver, one, base, hops)?;
            }
        }
        Meaning::OutsideProject if resolver.profile.bases.knows_library => {
            base.outside.extend(origins(resolver, &here.file, &names)?);
        }
        Meaning::OutsideProject => base.outside.push(chain.to_owned()),
        Meaning::Unknown if resolver.profile.imports.packages_qualify && names.len() > 1 => {
            of_package(resolver, &names, base, hops)?;
        }
        Meaning::Unknown
            if resolver.profile.bases.are_objects
                && names.len() > 1
                && begins_with_value(resolver, here, (names[0], start), from)? =>
        {
            base.mark_computed();
        }
        Meaning::Unknown if is_bound_otherwise(resolver, here, start, &names) => base.mark_computed(),
        // The project declares no type of that name.
        Meaning::Unknown
            if resolver.profile.imports.classes_need_no_import && !is_declared(resolver, &names)? =>
        {
            base.outside.push(chain.to_owned());
        }
        // `Set`, which another package of the project declares, too.
        Meaning::Unknown if is_outside_by_types(resolver, here, (chain, start)) => {
            base.outside.push(chain.to_owned());
        }
        Meaning::Local | Meaning::LocalOrDeclared(_) | Meaning::Probable(_) | Meaning::Possible(_) => {
            base.mark_computed();
        }
        Meaning::Module(_) | Meaning::Unknown => base.may_be_unfound = true,
    }
    Ok(())
}

/// Whether types tell that a chain, which begins at byte `start`, means a class outside the project.
fn is_outside_by_types(resolver: &Resolver, here: &CurrentFile, (chain, start): (&str, u32)) -> bool {
    let Some(end) = u32::try_from(chain.len()).ok().and_then(|length| start.checked_add(length)) else {
        return false;
    };
    let last = chain.rfind('.').map_or(0, |dot| dot + 1);
    let range = TextRange::new(start + u32::try_from(last).unwrap_or(0), end);
    has_types(&here.file)
        && here.text.as_str().get(range.as_range()) == chain.get(last..)
        && matches!(resolver.kotlin().meaning(resolver, here, range), Some(Meaning::OutsideProject))
}

/// Whether a chain begins with a parameter or a local: what its attribute is called does not identify a class.
fn begins_with_value(
    resolver: &Resolver,
    here: &CurrentFile,
    (first, start): (&str, u32),
    from: SearchStart,
) -> Result<bool, Cancelled> {
    Ok(match scope::resolve_chain(resolver, here, start, &[first], from)? {
        Meaning::Local | Meaning::LocalOrDeclared(_) => true,
        Meaning::Declared(found) => found.iter().any(|one| one.row().is_some_and(|(_, row)| row.is_local())),
        _ => false,
    })
}

/// Whether the file binds the name at byte `start` in a way that the outline does not list: JavaScript's
/// `const { Base: Name } = all`, a parameter of the C++ template that the class is.
fn is_bound_otherwise(resolver: &Resolver, here: &CurrentFile, start: u32, names: &[&str]) -> bool {
    let [name] = names else { return false };
    let text = here.text.as_str();
    match resolver.profile.bases.hidden_binding {
        HiddenBinding::Destructuring => {
            here.outline.occurrences.offsets_of(name).any(|at| is_destructured(text, at as usize))
        }
        HiddenBinding::TemplateParameter => {
            let statement = text.get(..start as usize).unwrap_or("");
            let statement = statement.rfind([';', '{', '}']).map_or(statement, |at| &statement[at + 1..]);
            let parameters = statement.find("template").map_or("", |at| &statement[at..]);
            let head = parameters.split(['>']).next().unwrap_or("");
            head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == *name)
        }
        HiddenBinding::None => false,
    }
}

/// Whether a destructuring pattern binds the name at byte `at`: `const { a: Name, Name } =`,
/// `const [Name] =`.
fn is_destructured(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("");
    let statement = before.rfind([';', '=']).map_or(before, |end| &before[end + 1..]);
    let keyword =
        ["const", "let", "var"].into_iter().filter_map(|word| Some((statement.rfind(word)?, word))).max();
    keyword.is_some_and(|(from, word)| {
        let pattern = statement[from + word.len()..].trim_start();
        pattern.starts_with(['{', '[']) && !pattern.contains(['}', ']'])
    })
}

/// Adds the class that a fully qualified name refers to.
fn of_package(resolver: &Resolver, names: &[&str], base: &mut Base, hops: usize) -> Result<(), Cancelled> {
    let Some((last, package)) = names.split_last() else { return Ok(()) };
    match resolver.exported(&Module::Package(package.join(".")), last, 0)? {
        Meaning::Declared(found) => {
            for one in found {
                declared(resolver, one, base, hops)?;
            }
        }
        _ if is_declared(resolver, names)? => base.may_be_unfound = true,
        _ => base.outside.push(names.join(".")),
    }
    Ok(())
}

/// Adds the candidates for `self.attribute` at byte `start`: in the class around the method, and in its base
/// classes and subclasses, as in tests that have one class per variant.
fn of_attribute(
    resolver: &Resolver,
    here: &CurrentFile,
    start: u32,
    attribute: &str,
    base: &mut Base,
    hops: usize,
) -> Result<(), Cancelled> {
    let around = scope::around(here, start).into_iter().map(|row| (row, &here.outline.rows[row]));
    // In the text, the class in whose head the base stands also encloses this place.
    let mut around = around.skip_while(|(_, row)| is_class(row)).skip_while(|(_, row)| !is_class(row));
    let Some((owner, _)) = around.next().filter(|_| hops < MAX_ALIASES) else {
        base.mark_computed();
        return Ok(());
    };
    let kin_of = here.target(owner);
    let kin = Inheritance::new(&kin_of);
    let mut is_found = false;
    for one in resolver.declared(attribute)?.iter() {
        let Some((outline, row)) = one.row() else { continue };
        let Some(parent) = row.parent().filter(|&parent| is_class(&outline.rows[parent])) else { continue };
        let owner = IndexedDeclaration { file: one.file.clone(), row: parent };
        // An abstract property gives no value; its overrides do.
        let is_function = matches!(row.kind(), SymbolKind::Method | SymbolKind::Function);
        if !is_function && kin.is_related(resolver, &owner)? {
            is_found = true;
            declared(resolver, one.clone(), base, hops + 1)?;
        }
    }
    if !is_found {
        base.mark_computed();
    }
    Ok(())
}

/// Whether the project declares a type with the last of these names.
fn is_declared(resolver: &Resolver, names: &[&str]) -> Result<bool, Cancelled> {
    let Some(last) = names.last() else { return Ok(false) };
    let is_type = |target: &IndexedDeclaration| {
        target.row().is_some_and(|(_, row)| is_class(row) || row.kind() == SymbolKind::TypeParameter)
    };
    Ok(resolver.declared(last)?.iter().any(is_type))
}

/// Adds the class that a declaration is, or is an alias of.
fn declared(
    resolver: &Resolver,
    target: IndexedDeclaration,
    base: &mut Base,
    hops: usize,
) -> Result<(), Cancelled> {
    let Some((_, row)) = target.row() else { return Ok(()) };
    let here = resolver.read_file(&target.file).filter(|here| here.row_of(&target).is_some());
    let Some(here) = here else {
        // The file is changing: the class exists, but the target of an alias is unknown.
        if is_class(row) {
            base.add(target)
        } else {
            base.may_be_unfound = true
        }
        return Ok(());
    };
    let text = here.text.as_str();
    if let Some(written) = typedef(resolver, text, row) {
        let chain = named_type(here.language, written).filter(|_| hops < MAX_ALIASES);
        match chain {
            // `typedef struct Base Base;`
            Some(chain) if chain == target.name() => base.add(target),
            Some(chain) => {
                resolve(resolver, &here, (&chain, row.start), SearchStart::Inside, base, hops + 1)?
            }
            None => base.mark_computed(),
        }
        return Ok(());
    }
    let left = text_before(text, row.name_start as usize, resolver.family);
    let is_alias = last_word(left) == resolver.profile.bases.alias_word;
    if is_class(row) && !is_alias {
        base.add(target);
        return Ok(());
    }
    let starts = match resolver.profile.bases.are_objects {
        true => assignments(&here, target.name()),
        false => vec![row.name_start],
    };
    if starts.is_empty() || hops == MAX_ALIASES {
        base.mark_computed();
    }
    for start in starts {
        match alias_behind(here.language, text, start as usize + target.name().len()) {
            Some((chain, _)) if chain == "None" => {}
            Some((chain, at)) if hops < MAX_ALIASES => {
                resolve(resolver, &here, (&chain, at), SearchStart::Inside, base, hops + 1)?;
            }
            _ => base.mark_computed(),
        }
    }
    Ok(())
}

/// Whether a declaration gives another name to a class with one of certain names, as far as its text shows: [`declared`]
/// follows no others.
pub(crate) fn is_alias_of(
    resolver: &Resolver,
    here: &CurrentFile,
    row: &Row,
    is_one: impl Fn(&str) -> bool,
) -> bool {
    let (text, name) = (here.text.as_str(), here.outline.name(row));
    let names_one = |chain: &str| chain.rsplit('.').next().is_some_and(&is_one);
    if let Some(written) = typedef(resolver, text, row) {
        return named_type(here.language, written).is_some_and(|chain| names_one(&chain));
    }
    let left = text_before(text, row.name_start as usize, resolver.family);
    if is_class(row) && last_word(left) != resolver.profile.bases.alias_word {
        return false;
    }
    let starts = match resolver.profile.bases.are_objects {
        true => assignments(here, name),
        false => vec![row.name_start],
    };
    starts.into_iter().any(|start| {
        let behind = alias_behind(here.language, text, start as usize + name.len());
        behind.is_some_and(|(chain, _)| names_one(&chain))
    })
}

/// Returns the type to which a C++ `typedef` that declares no type of its own gives another name, as written.
fn typedef<'t>(resolver: &Resolver, text: &'t str, row: &Row) -> Option<&'t str> {
    let statement = text.get(row.start as usize..row.name_start as usize)?;
    let written = statement.strip_prefix("typedef ").filter(|_| resolver.profile.bases.has_typedefs)?;
    let mut written = written.trim();
    while let Some(rest) =
        ["const ", "struct ", "class ", "typename "].iter().find_map(|word| written.strip_prefix(word))
    {
        written = rest.trim_start();
    }
    (!written.contains('{')).then_some(written)
}

/// Finds the lines of a Python file that begin with `name =` or `name:`, as byte offsets of the name.
fn assignments(here: &CurrentFile, name: &str) -> Vec<u32> {
    let text = here.text.as_str();
    let is_assigned = |&start: &u32| {
        let start = start as usize;
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let behind = text[start + name.len()..].trim_start_matches([' ', '\t']);
        let is_equal = behind.starts_with('=') && !behind.starts_with("==");
        text[line..start].trim().is_empty() && (is_equal || behind.starts_with(':'))
    };
    let whole = |&start: &u32| text.get(start as usize..start as usize + name.len()) == Some(name);
    here.outline.occurrences.offsets_of(name).filter(whole).filter(is_assigned).collect()
}
