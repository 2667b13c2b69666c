//! The scopes of a Python text, and the variables that their names mean once all of the text was read: a function binds a name in
//! its whole body, wherever the binding stands.

use std::collections::{BTreeMap, BTreeSet};

/// What a scope is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    /// A function or a lambda.
    Function,
    Comprehension,
    /// The type parameters of a function, class or alias, which see the class around them.
    TypeParameters,
}

/// The number of a scope, in the order in which they begin.
pub(super) type ScopeId = usize;

/// A variable with all the places of its name.
#[derive(Debug)]
pub(super) struct ScopeVariable<'t> {
    pub(super) name: &'t str,
    /// What kind of scope binds it.
    pub(super) kind: ScopeKind,
    /// The bytes at which its name begins, ascending.
    pub(super) places: BTreeSet<u32>,
    /// Whether no place of it may mean another variable.
    pub(super) is_sure: bool,
}

/// How a scope declares a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Declared {
    Bound,
    /// `global name`
    Global,
    /// `nonlocal name`
    Nonlocal,
}

struct Scope<'t> {
    kind: ScopeKind,
    parent: Option<ScopeId>,
    names: BTreeMap<&'t str, Declared>,
}

/// All scopes of a text, the module's first.
pub(super) struct Scopes<'t> {
    scopes: Vec<Scope<'t>>,
    /// Where names stand: name, byte, scope.
    places: Vec<(&'t str, u32, ScopeId)>,
    /// Names that are bound as something else too, such as what an import brings: renaming them here is not all.
    shared: BTreeSet<(ScopeId, &'t str)>,
}

impl<'t> Scopes<'t> {
    pub(super) const MODULE: ScopeId = 0;

    pub(super) fn new() -> Scopes<'t> {
        let module = Scope { kind: ScopeKind::Module, parent: None, names: BTreeMap::new() };
        Scopes { scopes: vec![module], places: Vec::new(), shared: BTreeSet::new() }
    }

    /// Begins a scope in another one.
    pub(super) fn begin(&mut self, kind: ScopeKind, parent: ScopeId) -> ScopeId {
        self.scopes.push(Scope { kind, parent: Some(parent), names: BTreeMap::new() });
        self.scopes.len() - 1
    }

    /// Notes a place that binds a name in `scope`.
    pub(super) fn bind(&mut self, name: &'t str, at: u32, scope: ScopeId) {
        self.scopes[scope].names.entry(name).or_insert(Declared::Bound);
        self.read(name, at, scope);
    }

    /// Notes a place of a name that is looked up from `scope`.
    pub(super) fn read(&mut self, name: &'t str, at: u32, scope: ScopeId) {
        self.places.push((name, at, scope));
    }

    /// Notes `global name`, or `nonlocal name`.
    pub(super) fn declare_outer(&mut self, name: &'t str, at: u32, scope: ScopeId, is_global: bool) {
        let declared = if is_global { Declared::Global } else { Declared::Nonlocal };
        self.scopes[scope].names.insert(name, declared);
        self.read(name, at, scope);
    }

    /// Notes that a binding of the name in `scope` names something else too.
    pub(super) fn share(&mut self, name: &'t str, scope: ScopeId) {
        self.shared.insert((scope, name));
    }

    /// Returns the scope that `:=` in `scope` binds in.
    pub(super) fn around_comprehensions(&self, mut scope: ScopeId) -> ScopeId {
        while let (ScopeKind::Comprehension, Some(parent)) =
            (self.scopes[scope].kind, self.scopes[scope].parent)
        {
            scope = parent;
        }
        scope
    }

    /// Returns all variables, in no particular order.
    pub(super) fn variables(&self) -> impl Iterator<Item = ScopeVariable<'t>> {
        let mut found: BTreeMap<(ScopeId, &'t str), ScopeVariable<'t>> = BTreeMap::new();
        let mut unsure: BTreeSet<(ScopeId, &'t str)> = self.shared.clone();
        for &(name, at, scope) in &self.places {
            let owner = self.owner(name, scope);
            // A class body reads what is outside until it binds the name itself.
            if self.scopes[owner].kind == ScopeKind::Class
                && let Some(parent) = self.scopes[owner].parent
            {
                unsure.insert((self.owner(name, parent), name));
            }
            let variable = found.entry((owner, name)).or_insert_with(|| ScopeVariable {
                name,
                kind: self.scopes[owner].kind,
                places: BTreeSet::new(),
                is_sure: true,
            });
            variable.places.insert(at);
        }
        for key in unsure {
            if let Some(variable) = found.get_mut(&key) {
                variable.is_sure = false;
            }
        }
        found.into_values()
    }

    /// Returns the scope whose variable a name means that is looked up from `from`: the module, if no other binds it.
    fn owner(&self, name: &str, from: ScopeId) -> ScopeId {
        let mut scope = from;
        let mut sees_classes = true;
        let mut is_nonlocal = false;
        loop {
            let here = &self.scopes[scope];
            let Some(parent) = here.parent else { return scope };
            let is_class = here.kind == ScopeKind::Class;
            match here.names.get(name) {
                Some(Declared::Bound) if !is_class || sees_classes && !is_nonlocal => return scope,
                Some(Declared::Global) if !is_class || sees_classes => return Scopes::MODULE,
                Some(Declared::Nonlocal) if !is_class || sees_classes => is_nonlocal = true,
                _ => {}
            }
            sees_classes &= here.kind == ScopeKind::TypeParameters;
            scope = parent;
        }
    }
}
