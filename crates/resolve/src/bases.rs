//! What the bases in a class's head mean: classes of the project, classes outside of it, or something that syntax cannot
//! tell. Invariant: ends on every input (a class that is asked about while its own bases are being found has none that are
//! known); a base is never left out.

use std::rc::Rc;

use super::classes::is_class;
use super::context::{before, last_word};
use super::family::Family;
use super::heads::{WrittenBase, alias_behind, named_type, written_bases};
use super::kin::Kin;
use super::meaning::Meaning;
use super::modules::Module;
use super::outside::origins;
use super::project::{Here, Project};
use super::scope::{self, From};
use super::sources::Target;
use symd_base::TextRange;
use symd_base::cancel::Cancelled;
use symd_syntax::{Row, SymbolKind};

/// How many names for one another are followed: `A = B`, `B = C`.
const MAX_ALIASES: usize = 8;

/// A base, and what it may be: several where an `if` or an `except` decides.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// As it stands in the head.
    pub(super) written: WrittenBase,
    /// Classes of the project.
    pub(super) classes: Vec<Target>,
    /// Classes outside the project, by their full names as far as they are known.
    pub(super) outside: Vec<String>,
    /// Whether it may be a class of the project that syntax does not find.
    pub(super) is_open: bool,
    /// Whether it is a value that the program computes, which its name says nothing about.
    pub(super) is_value: bool,
}

impl Base {
    fn new(written: WrittenBase) -> Base {
        Base { written, classes: Vec::new(), outside: Vec::new(), is_open: false, is_value: false }
    }

    /// Whether it is nothing but classes of the project.
    pub(super) fn is_known(&self) -> bool {
        !self.is_open && self.outside.is_empty()
    }

    /// Notes that it may be whatever the program computes.
    fn be_value(&mut self) {
        (self.is_open, self.is_value) = (true, true);
    }

    fn add(&mut self, class: Target) {
        if !self.classes.iter().any(|known| known.is(&class)) {
            self.classes.push(class);
        }
    }
}

/// The bases of `class`; found once in a question.
pub(super) fn bases(project: &Project, class: &Target) -> Result<Rc<[Base]>, Cancelled> {
    // The file may have changed since: then the row is another's.
    let here = project.here(&class.file).and_then(|here| Some((here.row_of(class)?, here)));
    let Some((row, here)) = here else { return Ok(Rc::new([unreadable()])) };
    bases_in(project, &here, row)
}

/// The same for a class of a file that is at hand.
pub(super) fn bases_in(project: &Project, here: &Here, row: usize) -> Result<Rc<[Base]>, Cancelled> {
    let key = (here.file.path.clone(), row);
    if let Some(known) = project.bases.borrow().get(&key) {
        return Ok(known.clone());
    }
    if !project.finding_bases.borrow_mut().insert(key.clone()) {
        return Ok(Rc::new([unreadable()]));
    }
    let found = find(project, here, row);
    project.finding_bases.borrow_mut().remove(&key);
    let found: Rc<[Base]> = found?.into();
    project.bases.borrow_mut().insert(key, found.clone());
    Ok(found)
}

/// A base of which nothing can be said.
fn unreadable() -> Base {
    let written = WrittenBase { range: TextRange::new(0, 0), chain: String::new(), start: 0 };
    Base { is_open: true, ..Base::new(written) }
}

fn find(project: &Project, here: &Here, row: usize) -> Result<Vec<Base>, Cancelled> {
    let Some(this) = here.outline.rows.get(row) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for written in written_bases(here.grammar, &here.outline, this, here.text.as_str()) {
        project.cancel.check()?;
        let mut base = Base::new(written);
        let (chain, start) = (base.written.chain.clone(), base.written.start);
        if chain.is_empty() {
            base.be_value();
        } else {
            resolve(project, here, (&chain, start), From::Head(row), &mut base, 0)?;
        }
        found.push(base);
    }
    // `enum class E { A { override fun f() {} } }`
    if let (SymbolKind::EnumMember, Some(parent)) = (this.kind(), this.parent()) {
        let range = TextRange::new(this.name_start, this.name_start);
        let mut base = Base::new(WrittenBase { range, chain: String::new(), start: this.name_start });
        base.add(here.target(parent));
        found.push(base);
    }
    Ok(found)
}

/// Adds what `chain`, which begins at byte `start`, may mean.
fn resolve(
    project: &Project,
    here: &Here,
    (chain, start): (&str, u32),
    from: From,
    base: &mut Base,
    hops: usize,
) -> Result<(), Cancelled> {
    let names: Vec<&str> = chain.split('.').collect();
    if let (Family::Python, [this, attribute]) = (project.family, &names[..])
        && project.family.selves().contains(this)
    {
        return of_attribute(project, here, start, attribute, base, hops);
    }
    match scope::chain(project, here, start, &names, from)? {
        Meaning::Declared(found) => {
            for one in found {
                declared(project, one, base, hops)?;
            }
        }
        Meaning::Elsewhere if project.family == Family::Python => {
            base.outside.extend(origins(project, &here.file, &names)?);
        }
        Meaning::Elsewhere => base.outside.push(chain.to_owned()),
        Meaning::Unknown if project.family == Family::Jvm && names.len() > 1 => {
            of_package(project, &names, base, hops)?;
        }
        Meaning::Unknown if is_bound_otherwise(project, here, start, &names) => base.be_value(),
        // Of other languages than Python a class needs no import that leads to it: the package, the language itself, a
        // header bring some. None of that name is declared in the project.
        Meaning::Unknown if project.family != Family::Python && !is_declared(project, &names)? => {
            base.outside.push(chain.to_owned());
        }
        Meaning::Local | Meaning::LocalOr(_) => base.be_value(),
        Meaning::Module(_) | Meaning::Unknown => base.is_open = true,
    }
    Ok(())
}

/// Whether the file binds the name at byte `start` to what is no declaration of the outline: JavaScript's
/// `const { Base: Name } = all`, a parameter of the C++ template that the class is.
fn is_bound_otherwise(project: &Project, here: &Here, start: u32, names: &[&str]) -> bool {
    let [name] = names else { return false };
    let text = here.text.as_str();
    match project.family {
        Family::Ecma => {
            here.outline.occurrences.offsets_of(name).any(|at| is_destructured(text, at as usize))
        }
        Family::C => {
            let statement = text.get(..start as usize).unwrap_or("");
            let statement = statement.rfind([';', '{', '}']).map_or(statement, |at| &statement[at + 1..]);
            let parameters = statement.find("template").map_or("", |at| &statement[at..]);
            let head = parameters.split(['>']).next().unwrap_or("");
            head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == *name)
        }
        _ => false,
    }
}

/// Whether what stands at byte `at` is bound by a pattern: `const { a: Name, Name } =`, `const [Name] =`.
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

/// Adds the class that a name with the whole package before it stands for.
fn of_package(project: &Project, names: &[&str], base: &mut Base, hops: usize) -> Result<(), Cancelled> {
    let Some((last, package)) = names.split_last() else { return Ok(()) };
    match project.exported(&Module::Package(package.join(".")), last, 0)? {
        Meaning::Declared(found) => {
            for one in found {
                declared(project, one, base, hops)?;
            }
        }
        _ if is_declared(project, names)? => base.is_open = true,
        _ => base.outside.push(names.join(".")),
    }
    Ok(())
}

/// Adds what `self.attribute` may be at byte `start`: in the class around the method, and in those that it inherits from and
/// that inherit from it, which tests with a class for each kind of thing do.
fn of_attribute(
    project: &Project,
    here: &Here,
    start: u32,
    attribute: &str,
    base: &mut Base,
    hops: usize,
) -> Result<(), Cancelled> {
    let around = scope::around(here, start).into_iter().map(|row| (row, &here.outline.rows[row]));
    // The class in whose head this stands is around it too, for text.
    let mut around = around.skip_while(|(_, row)| is_class(row)).skip_while(|(_, row)| !is_class(row));
    let Some((owner, _)) = around.next().filter(|_| hops < MAX_ALIASES) else {
        base.be_value();
        return Ok(());
    };
    let kin_of = here.target(owner);
    let kin = Kin::new(&kin_of);
    let mut is_found = false;
    for one in project.declared(attribute)?.iter() {
        let Some((outline, row)) = one.row() else { continue };
        let Some(parent) = row.parent().filter(|&parent| is_class(&outline.rows[parent])) else { continue };
        let owner = Target { file: one.file.clone(), row: parent };
        // An abstract property says nothing; what overrides it does.
        let is_function = matches!(row.kind(), SymbolKind::Method | SymbolKind::Function);
        if !is_function && kin.is_kin(project, &owner)? {
            is_found = true;
            declared(project, one.clone(), base, hops + 1)?;
        }
    }
    if !is_found {
        base.be_value();
    }
    Ok(())
}

/// Whether the project declares a type of the last of these names.
fn is_declared(project: &Project, names: &[&str]) -> Result<bool, Cancelled> {
    let Some(last) = names.last() else { return Ok(false) };
    let is_type = |target: &Target| {
        target.row().is_some_and(|(_, row)| is_class(row) || row.kind() == SymbolKind::TypeParameter)
    };
    Ok(project.declared(last)?.iter().any(is_type))
}

/// Adds a declaration that a base leads to: a class, or another name of one.
fn declared(project: &Project, target: Target, base: &mut Base, hops: usize) -> Result<(), Cancelled> {
    let Some((_, row)) = target.row() else { return Ok(()) };
    let here = project.here(&target.file).filter(|here| here.row_of(&target).is_some());
    let Some(here) = here else {
        // Its file is changing: the class is there, what another name stands for is not known.
        if is_class(row) {
            base.add(target)
        } else {
            base.is_open = true
        }
        return Ok(());
    };
    let text = here.text.as_str();
    if let Some(written) = typedef(project, text, row) {
        let chain = named_type(here.grammar, written).filter(|_| hops < MAX_ALIASES);
        match chain {
            // `typedef struct Base Base;`
            Some(chain) if chain == target.name() => base.add(target),
            Some(chain) => resolve(project, &here, (&chain, row.start), From::Inside, base, hops + 1)?,
            None => base.be_value(),
        }
        return Ok(());
    }
    let left = before(text, row.name_start as usize, project.family);
    let is_alias = match project.family {
        Family::C => last_word(left) == "using",
        _ => last_word(left) == "typealias",
    };
    if is_class(row) && !is_alias {
        base.add(target);
        return Ok(());
    }
    let starts = match project.family {
        Family::Python => assignments(&here, target.name()),
        _ => vec![row.name_start],
    };
    if starts.is_empty() || hops == MAX_ALIASES {
        base.be_value();
    }
    for start in starts {
        match alias_behind(here.grammar, text, start as usize + target.name().len()) {
            Some((chain, _)) if chain == "None" => {}
            Some((chain, at)) if hops < MAX_ALIASES => {
                resolve(project, &here, (&chain, at), From::Inside, base, hops + 1)?;
            }
            _ => base.be_value(),
        }
    }
    Ok(())
}

/// What a `typedef` of C++ that declares no type of its own gives another name to, as it is written.
fn typedef<'t>(project: &Project, text: &'t str, row: &Row) -> Option<&'t str> {
    let statement = text.get(row.start as usize..row.name_start as usize)?;
    let written = statement.strip_prefix("typedef ").filter(|_| project.family == Family::C)?;
    let mut written = written.trim();
    while let Some(rest) =
        ["const ", "struct ", "class ", "typename "].iter().find_map(|word| written.strip_prefix(word))
    {
        written = rest.trim_start();
    }
    (!written.contains('{')).then_some(written)
}

/// Where statements of a Python file begin with `name =` or `name: … =`.
fn assignments(here: &Here, name: &str) -> Vec<u32> {
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
