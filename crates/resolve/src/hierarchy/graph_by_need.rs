//! The part of the inheritance graph that a question about some classes needs, while files are unread. A class can only
//! inherit from another if its file holds that one's name, or an alias; so classes are found by names: those of the classes in
//! question, those of their heirs, and all aliases. Invariant: for the classes that are asked about, everything below them
//! and, where wanted, above that is in the graph as it is in the complete one; if that takes too many names, all classes are.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::ecma::commonjs::WHOLE;
use crate::ecma::renamed_exports::DEFAULT;
use crate::family::Family;
use crate::hierarchy::bases::is_alias_of;
use crate::hierarchy::graph::{ClassGraph, ClassHeads, declares_class};
use crate::hierarchy::heads::written_bases;
use crate::hierarchy::overrides::own_member_rows;
use crate::modules::ecma_stem;
use crate::profiles::ModuleLookup;
use crate::python::registered::{REGISTER, registered};
use crate::resolver::{CurrentFile, Resolver};
use crate::sources::IndexedDeclaration;
use symd_base::RelPath;
use symd_base::cancel::Cancelled;
use symd_index::{FileEntry, NeededWords};
use symd_syntax::{ImportKind, Imported, Imports, SymbolKind};

/// Number of names beyond which every file is read: by then about as many files hold one of them.
pub(crate) const MAX_NAMES: usize = 50;

/// Which classes a question looks at, besides the given ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kin<'q> {
    /// Those from which they inherit.
    Above,
    /// Those that inherit from them.
    Below,
    /// Those that inherit from them, and all from which these inherit.
    Around,
    /// Those around them and around each class that is found so and declares the member of this name; and those that
    /// declare it elsewhere, with the classes above.
    OfMember(&'q str),
}

impl ClassGraph {
    /// Returns the complete graph if there is one, or else builds that of these classes and their kin, as far as it is a part of
    /// the complete one.
    pub(crate) fn of_kin(
        resolver: &Resolver,
        classes: &[IndexedDeclaration],
        kin: Kin,
    ) -> Result<Arc<ClassGraph>, Cancelled> {
        // The members of one name are linked across the project.
        let is_wide = matches!(kin, Kin::OfMember(_)) && resolver.sources.snapshot().files.is_complete();
        match ClassGraph::known(resolver) {
            Some(known) => Ok(known),
            None if is_wide => ClassGraph::read(resolver),
            None => ClassGraph::by_names(resolver, classes, kin),
        }
    }

    /// Like [`ClassGraph::of_kin`], and looks only at files that hold a name of these classes or of their kin, also where all are known.
    pub(crate) fn by_names(
        resolver: &Resolver,
        classes: &[IndexedDeclaration],
        kin: Kin,
    ) -> Result<Arc<ClassGraph>, Cancelled> {
        let (heads, names) = (ClassHeads::default(), BTreeSet::new());
        let (below, default_modules, written) = (Vec::new(), BTreeSet::new(), HashMap::new());
        let mut part = GraphPart { resolver, kin, heads, names, below, default_modules, written };
        for class in classes {
            part.add(class)?;
            if kin != Kin::Above {
                part.add_below(class);
            }
        }
        part.grow()
    }
}

/// A part of the graph that grows until it holds all kin.
struct GraphPart<'r, 's, 'q> {
    resolver: &'r Resolver<'s>,
    kin: Kin<'q>,
    heads: ClassHeads,
    /// By what the classes in `below`, and those that inherit from them, are called.
    names: BTreeSet<String>,
    /// The classes of which all heirs are wanted.
    below: Vec<IndexedDeclaration>,
    /// Modules of JavaScript whose default export, or the module as a whole, may be one of these classes: what imports it may call it
    /// anything.
    default_modules: BTreeSet<RelPath>,
    /// The classes of the files that were looked at.
    written: HashMap<RelPath, Rc<[WrittenClass]>>,
}

/// A class as its head is written.
struct WrittenClass {
    row: usize,
    /// The names in its bases; `None` if it may inherit whatever they are.
    names: Option<HashSet<String>>,
}

impl GraphPart<'_, '_, '_> {
    fn grow(mut self) -> Result<Arc<ClassGraph>, Cancelled> {
        let files = &self.resolver.sources.snapshot().files;
        self.add_registered()?;
        if let Kin::OfMember(member) = self.kin {
            self.add_declaring(member)?;
        }
        loop {
            self.resolver.cancel.check()?;
            let is_index = |path: &RelPath| ecma_stem(path) == "index";
            if self.names.len() > MAX_NAMES
                || self.names.contains("")
                || self.default_modules.iter().any(is_index)
            {
                return ClassGraph::read(self.resolver);
            }
            let mut has_grown = self.add_holding_names()?;
            let graph = self.heads.graph();
            has_grown |= self.add_kin(&graph)?;
            // What lacks something is discarded.
            if files.lacks_something() || !has_grown {
                return Ok(Arc::new(graph));
            }
        }
    }

    /// Adds a class. Returns whether it was added.
    fn add(&mut self, class: &IndexedDeclaration) -> Result<bool, Cancelled> {
        let here = self.resolver.read_file(&class.file).and_then(|here| Some((here.row_of(class)?, here)));
        match here {
            Some((row, here)) => self.heads.add(self.resolver, &here, row),
            None => Ok(false),
        }
    }

    fn add_below(&mut self, class: &IndexedDeclaration) -> bool {
        let is_new = !self.below.iter().any(|known| known.is_same_declaration(class));
        if is_new {
            self.below.push(class.clone());
        }
        self.add_name(class.name()) || is_new
    }

    fn add_name(&mut self, name: &str) -> bool {
        // Nothing inherits from an impl block.
        let is_impl = self.resolver.profile.members.has_impls && name.starts_with("impl");
        !is_impl && self.names.insert(name.to_owned())
    }

    /// Returns the files of the family that are known, after their need was noted, for which `is_one` holds.
    fn files(
        &self,
        words: impl IntoIterator<Item = NeededWords>,
        is_one: impl Fn(&FileEntry) -> bool,
    ) -> Vec<Rc<CurrentFile>> {
        let files = self.resolver.sources.snapshot().files.with_any_words(words);
        let ours = files.filter(|file| Family::of(file) == Some(self.resolver.family) && is_one(file));
        ours.filter_map(|file| self.resolver.read_file(file)).collect()
    }

    /// Adds what registers as a subclass, wherever it is: the names of neither class need be known.
    fn add_registered(&mut self) -> Result<(), Cancelled> {
        if !self.resolver.profile.is_dynamic {
            return Ok(());
        }
        let is_one = |file: &FileEntry| file.holds(REGISTER);
        for here in self.files([NeededWords::of_name(REGISTER)], is_one) {
            for (class, abstract_class) in registered(self.resolver, &here)? {
                self.add(&class)?;
                self.add(&abstract_class)?;
                self.heads.registered.push((class, abstract_class));
            }
        }
        Ok(())
    }

    /// Adds the classes that declare a member of this name.
    fn add_declaring(&mut self, member: &str) -> Result<(), Cancelled> {
        let is_one = |file: &FileEntry| file.holds(member);
        for here in self.files([NeededWords::of_name(member)], is_one) {
            for row in class_rows(self.resolver, &here) {
                if !own_member_rows(&here.target(row), member).is_empty() {
                    self.heads.add(self.resolver, &here, row)?;
                }
            }
        }
        Ok(())
    }

    /// Adds what stands in the files that hold one of the names: the classes that may inherit by it, and further names.
    fn add_holding_names(&mut self) -> Result<bool, Cancelled> {
        if self.names.is_empty() {
            return Ok(false);
        }
        let stems: BTreeMap<String, RelPath> =
            self.default_modules.iter().map(|path| (ecma_stem(path).to_owned(), path.clone())).collect();
        let words = self.names.iter().chain(stems.keys()).map(|name| NeededWords::of_name(name));
        let words: Vec<NeededWords> = words.collect();
        let imports_stem = |imports: &Imports| {
            let is_it = |module: &str| stems.keys().any(|stem| module.contains(stem.as_str()));
            imports.unpack().iter().any(|import| is_it(import.module))
        };
        let names = self.names.clone();
        let holds = |file: &FileEntry| {
            names.iter().any(|name| file.holds(name))
                || !stems.is_empty() && file.imports().is_some_and(|imports| imports_stem(&imports))
        };
        let mut has_grown = false;
        for here in self.files(words, holds) {
            self.resolver.cancel.check()?;
            has_grown |= self.add_aliases(&here);
            for class in self.written_classes(&here).iter() {
                if class.names.as_ref().is_none_or(|names| names.iter().any(|name| self.names.contains(name)))
                {
                    has_grown |= self.heads.add(self.resolver, &here, class.row)?;
                }
            }
        }
        Ok(has_grown)
    }

    /// Returns the classes of a file with the names in their heads, read once.
    fn written_classes(&mut self, here: &CurrentFile) -> Rc<[WrittenClass]> {
        if let Some(known) = self.written.get(&here.file.path) {
            return known.clone();
        }
        let read = |row: usize| {
            let this = &here.outline.rows[row];
            // `namespace.default` holds no name of the class.
            if this.kind() == SymbolKind::EnumMember || self.has_default_exports() {
                return WrittenClass { row, names: None };
            }
            let bases = written_bases(here.language, &here.outline, this, here.text.as_str());
            let names = bases.iter().flat_map(|base| base.chain.split('.')).map(str::to_owned).collect();
            WrittenClass { row, names: Some(names) }
        };
        let all: Rc<[WrittenClass]> = class_rows(self.resolver, here).into_iter().map(read).collect();
        self.written.insert(here.file.path.clone(), all.clone());
        all
    }

    fn has_default_exports(&self) -> bool {
        self.resolver.profile.imports.lookup == ModuleLookup::EcmaPath
    }

    /// Adds the names by which a file calls one of the classes, or offers it to others.
    fn add_aliases(&mut self, here: &CurrentFile) -> bool {
        let mut has_grown = false;
        for import in here.imports().iter() {
            let of_default_module = !import.module.is_empty()
                && self.default_modules.iter().any(|path| import.module.contains(ecma_stem(path)));
            let is_one = match import.imported {
                Imported::Name(DEFAULT) if self.has_default_exports() => of_default_module,
                Imported::Name(name) => self.names.contains(name),
                Imported::Module if of_default_module && self.has_default_exports() => true,
                Imported::Module => {
                    import.module.rsplit(['.', '/', ':']).next().is_some_and(|last| self.names.contains(last))
                }
                Imported::Everything => false,
            };
            if !is_one {
                continue;
            }
            let bound = import.bound().unwrap_or_default();
            has_grown |= match bound {
                DEFAULT | WHOLE if self.has_default_exports() && import.kind == ImportKind::Export => {
                    self.default_modules.insert(here.file.path.clone())
                }
                "" | DEFAULT | WHOLE => false,
                name => self.add_name(name),
            };
        }
        let beside = words_beside(here, &self.names);
        // A `typedef` may begin on another line.
        let has_typedefs = self.resolver.profile.bases.has_typedefs;
        for row in &here.outline.rows {
            let name = here.outline.name(row);
            let may_be = has_typedefs || beside.contains(name) || !name.chars().all(is_part);
            if may_be
                && !self.names.contains(name)
                && is_alias_of(self.resolver, here, row, |one| self.names.contains(one))
            {
                has_grown |= self.add_name(name);
            }
        }
        has_grown
    }

    /// Adds what the classes so far lead to.
    fn add_kin(&mut self, graph: &ClassGraph) -> Result<bool, Cancelled> {
        let mut has_grown = false;
        let mut above: Vec<IndexedDeclaration> = Vec::new();
        let mut members = Vec::new();
        for class in self.below.clone() {
            let Some(at) = graph.number(&class) else { continue };
            for heir in graph.descendants(at) {
                has_grown |= self.add_name(graph.node(heir).class.name());
                for kin in graph.ancestors(heir) {
                    let node = graph.node(kin);
                    if let Kin::OfMember(member) = self.kin
                        && !own_member_rows(&node.class, member).is_empty()
                    {
                        members.push(node.class.clone());
                    }
                }
            }
        }
        // Every class that is there for its own sake is asked for what it inherits.
        if self.kin != Kin::Below {
            let bases = graph.iter().flat_map(|(_, node)| node.bases.iter().flat_map(|base| &base.classes));
            above.extend(bases.filter(|class| graph.number(class).is_none()).cloned());
        }
        for class in &above {
            has_grown |= self.add(class)?;
        }
        for class in &members {
            has_grown |= self.add_below(class);
        }
        Ok(has_grown)
    }
}

/// Returns the rows of a file that declare classes.
fn class_rows(resolver: &Resolver, here: &CurrentFile) -> Vec<usize> {
    (0..here.outline.rows.len()).filter(|&row| declares_class(resolver, here, row)).collect()
}

/// Returns the words of the lines that hold one of the names: an alias stands on the line of what it stands for.
fn words_beside<'h>(here: &'h CurrentFile, names: &BTreeSet<String>) -> HashSet<&'h str> {
    let text = here.text.as_str();
    let mut words = HashSet::new();
    let mut lines = BTreeSet::new();
    for at in names.iter().flat_map(|name| here.outline.occurrences.offsets_of(name)) {
        let Some(before) = text.get(..at as usize) else { continue };
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        if lines.insert(start) {
            let line = text[start..].split('\n').next().unwrap_or("");
            words.extend(line.split(|c: char| !is_part(c)));
        }
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
