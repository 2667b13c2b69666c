//! From matches to rows: decides to which scope a declaration belongs, which of several assignments becomes
//! the symbol, and which siblings share a name. Language-independent: differences between languages are in
//! the roles of the patterns. Invariant: drafts are made in the order of their positions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::drafts::{Draft, rows_of};
use super::items::{Item, NO_NAME, unite};
use super::kind::SymbolKind;
use super::outline::Row;
use super::roles::{Constructor, PatternMeaning, Role, Roles};

/// Treatment of what is declared in function bodies, and of types without a name, where they are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiddenRows {
    /// Only the fact that such types exist is recorded.
    LeftOut,
    /// Types become rows, flagged as local, with their members.
    Types,
    /// Types and functions do.
    TypesAndFunctions,
}

/// The rows of a file.
pub(super) struct Listed {
    pub(super) rows: Box<[Row]>,
    pub(super) names: Box<str>,
    /// Whether types were omitted.
    pub(super) hides_types: bool,
}

/// State while the rows of one file are built.
pub(super) struct Scopes<'a> {
    roles: &'a Roles,
    text: &'a str,
    composed: &'a str,
    hidden: HiddenRows,
    hides_types: bool,
    scopes: Vec<Scope<'a>>,
    /// Names that a function declares to belong to an outer scope: scope, name, and whether that is the file
    /// or an enclosing function.
    outer: Vec<(usize, &'a str, PatternMeaning)>,
    drafts: Vec<Draft<'a>>,
    taken: HashMap<(usize, &'a str), NameHolder>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    File,
    ClassLike,
    Function,
    /// A symbol that is none of the above, such as a property with its initialiser.
    Value,
    /// A declaration of several names: symbols declared inside belong to the enclosing scope.
    Around,
    Transparent,
    Closed,
}

struct Scope<'a> {
    kind: ScopeKind,
    parent: usize,
    start: u32,
    end: u32,
    /// The draft of the symbol that opens the scope.
    draft: Option<usize>,
    /// The most recent draft in it.
    last: Option<usize>,
    name: &'a str,
    first_parameter: Option<&'a str>,
    no_receiver: bool,
    has_outer: bool,
    /// The pattern of the token that determines the kind of the symbols declared in this `Around`.
    becomes: Option<u16>,
    /// Start of the first and end of the last of the attributes that precede a declaration not yet seen.
    leading: Option<(u32, u32)>,
}

/// The holder of a name in a scope. Lower ranks win; among equal ranks the first.
#[derive(Clone, Copy)]
struct NameHolder {
    rank: Rank,
    /// The draft of the symbol; `None` for an import.
    draft: Option<usize>,
    /// Number of functions and classes that share the name.
    count: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A function or class: replaces every assignment.
    Declared,
    /// A parameter, an assignment in the scope itself, or an import.
    Own,
    /// An assignment from an inner scope (`global x`, `self.x`).
    Foreign,
    /// A name that is only mentioned (`__slots__`).
    Weak,
}

/// Index of the file's scope.
const FILE: usize = 0;

impl<'a> Scopes<'a> {
    pub(super) fn new(roles: &'a Roles, text: &'a str, composed: &'a str, hidden: HiddenRows) -> Scopes<'a> {
        let file = Scope {
            kind: ScopeKind::File,
            parent: FILE,
            start: 0,
            end: u32::MAX,
            draft: None,
            last: None,
            name: "",
            first_parameter: None,
            no_receiver: false,
            has_outer: false,
            becomes: None,
            leading: None,
        };
        Scopes {
            roles,
            text,
            composed,
            hidden,
            hides_types: false,
            scopes: vec![file],
            outer: Vec::new(),
            drafts: Vec::new(),
            taken: HashMap::new(),
        }
    }

    /// Builds the rows and the string of their names. Sorts and merges `items`.
    pub(super) fn rows(mut self, items: &mut Vec<Item>) -> Listed {
        unite(items, self.roles);
        let mut scope = FILE;
        for item in items.iter() {
            while self.is_past(scope, item) {
                scope = self.scopes[scope].parent;
            }
            if let Some(Some(role)) = self.roles.by_pattern.get(usize::from(item.pattern)) {
                scope = self.take(scope, item, role);
            }
        }
        let (rows, names) = rows_of(&self.drafts, self.text);
        Listed { rows, names, hides_types: self.hides_types }
    }

    /// Reports whether `item` is outside `scope`: it begins at or after the end of the scope, or is another
    /// name of the same declaration (`val (a, b) = …`).
    fn is_past(&self, scope: usize, item: &Item) -> bool {
        let inner = &self.scopes[scope];
        let is_named = item.name_start != NO_NAME;
        let is_twin =
            || is_named && inner.draft.is_some() && (inner.start, inner.end) == (item.start, item.end);
        scope != FILE && (inner.end <= item.start || is_twin())
    }

    /// Handles one item, which is in `scope`, and returns the scope in which the next item may be.
    fn take(&mut self, scope: usize, item: &Item, role: &'a Role) -> usize {
        match role.act {
            // The range to be closed is that of the hidden type itself.
            PatternMeaning::ScopeClosed if self.is_type_at(scope, item) => scope,
            PatternMeaning::ScopeClosed => self.open(scope, item, ScopeKind::Closed),
            PatternMeaning::ScopeTransparent => self.open(scope, item, ScopeKind::Transparent),
            PatternMeaning::ScopeFunction => {
                let opened = self.open(scope, item, ScopeKind::Function);
                self.scopes[opened].draft = self.scopes[self.owner_of(scope)].draft;
                opened
            }
            PatternMeaning::Around => self.open(scope, item, ScopeKind::Around),
            PatternMeaning::Becomes => {
                self.become_kind(scope, item, role);
                scope
            }
            PatternMeaning::NoReceiver => {
                self.scopes[scope].no_receiver = true;
                scope
            }
            PatternMeaning::Leading => {
                let first = self.leading(scope, item.start).unwrap_or(item.start);
                self.scopes[scope].leading = Some((first, item.end));
                scope
            }
            PatternMeaning::Trailing => {
                if let Some(before) = self.scopes[self.owner_of(scope)].last {
                    let range = &mut self.drafts[before].item;
                    range.end = range.end.max(item.end);
                }
                scope
            }
            _ => match self.name_of(item) {
                Some(name) => self.take_named(scope, item, role, name),
                None => scope,
            },
        }
    }

    /// Gives the enclosing declaration the kind that the token `item` determines.
    fn become_kind(&mut self, scope: usize, item: &Item, role: &Role) {
        let inner = &self.scopes[scope];
        if inner.kind == ScopeKind::Around {
            self.scopes[scope].becomes = Some(item.pattern);
        } else if let Some(at) = inner.draft {
            // After the name the token has another meaning: `val enum = 3`.
            if item.end <= self.drafts[at].item.name_start {
                self.drafts[at].kind = self.kind_of(self.owner_of(inner.parent), role, self.drafts[at].name);
            }
        }
    }

    /// Returns the start of the attributes directly before `start` in `scope`: only white space and line
    /// comments may separate them from it.
    fn leading(&self, scope: usize, start: u32) -> Option<u32> {
        let (first, end) = self.scopes[scope].leading?;
        let between = self.text.get(end as usize..start as usize)?;
        let is_gap = between.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with("//"));
        is_gap.then_some(first)
    }

    /// Returns the scope to which declarations in `scope` belong.
    fn owner_of(&self, scope: usize) -> usize {
        let mut owner = scope;
        while self.scopes[owner].kind == ScopeKind::Around {
            owner = self.scopes[owner].parent;
        }
        owner
    }

    fn take_named(&mut self, lexical: usize, item: &Item, role: &'a Role, name: &'a str) -> usize {
        if role.act == PatternMeaning::Anonymous {
            return match is_function(role) {
                true => self.hidden_function(lexical, item, role, name),
                false => self.hidden_type(lexical, item, role, name),
            };
        }
        if role.act == PatternMeaning::Define {
            return self.define(lexical, item, role, name);
        }
        let scope = self.owner_of(lexical);
        match role.act {
            PatternMeaning::Parameter if self.scopes[scope].kind == ScopeKind::Function => {
                self.scopes[scope].first_parameter.get_or_insert(name);
                self.bind(scope, Rank::Own, item, role, name);
            }
            // A parameter of a function that is not listed.
            PatternMeaning::Parameter => {}
            PatternMeaning::Bind => {
                let mut owner = scope;
                while role.hoist && self.scopes[owner].kind == ScopeKind::Transparent {
                    owner = self.scopes[owner].parent;
                }
                match self.outer_of(owner, name) {
                    None if role.weak => self.bind(owner, Rank::Weak, item, role, name),
                    None => self.bind(owner, Rank::Own, item, role, name),
                    Some(PatternMeaning::OuterFile) => self.bind(FILE, Rank::Foreign, item, role, name),
                    // The enclosing function also assigns the name: otherwise the program would not compile.
                    Some(_) => {}
                }
            }
            PatternMeaning::BindAttribute => {
                if let Some(class) = self.class_of_receiver(scope, item) {
                    self.bind(class, Rank::Foreign, item, role, name);
                }
            }
            PatternMeaning::Occupy => {
                let import = NameHolder { rank: Rank::Own, draft: None, count: 0 };
                self.taken.entry((scope, name)).or_insert(import);
            }
            PatternMeaning::OuterFile | PatternMeaning::OuterFunction => {
                self.scopes[scope].has_outer = true;
                self.outer.push((scope, name, role.act));
            }
            // Handled earlier, or by `unite`.
            _ => {}
        }
        lexical
    }

    /// Handles a symbol that is declared rather than assigned, such as a function or class.
    fn define(&mut self, lexical: usize, item: &Item, role: &'a Role, name: &'a str) -> usize {
        let scope = self.owner_of(lexical);
        if !self.is_listed(scope, role, name) {
            return match () {
                () if is_type(role) => self.hidden_type(lexical, item, role, name),
                () if is_function(role) => self.hidden_function(lexical, item, role, name),
                () => lexical,
            };
        }
        let owner = match self.outer_of(scope, name) {
            None => scope,
            Some(PatternMeaning::OuterFile) => FILE,
            Some(_) => self.function_around(scope),
        };
        let owner = if role.owned_by_class { self.class_around(owner) } else { owner };
        let mut widened = *item;
        let mut kind = self.kind_of(owner, role, name);
        let mut no_receiver = false;
        let mut start_scope = lexical;
        while self.scopes[start_scope].kind == ScopeKind::Around {
            let around = &self.scopes[start_scope];
            (widened.start, widened.end) = (around.start.min(widened.start), around.end.max(widened.end));
            if let Some(Some(becomes)) =
                around.becomes.and_then(|at| self.roles.by_pattern.get(usize::from(at)))
            {
                kind = self.kind_of(owner, becomes, name);
            }
            no_receiver |= around.no_receiver;
            start_scope = around.parent;
        }
        if let Some(start) = self.leading(start_scope, widened.start) {
            widened.start = start;
        }
        let draft = self.draft(owner, &widened, name, kind, 0);
        if is_indexed(kind) {
            self.declare(owner, draft);
        }
        if role.leaf {
            return lexical;
        }
        let inner = match kind {
            kind if is_class_like(kind) => ScopeKind::ClassLike,
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => ScopeKind::Function,
            _ => ScopeKind::Value,
        };
        let opened = self.open(lexical, item, inner);
        let opened_scope = &mut self.scopes[opened];
        opened_scope.draft = Some(draft);
        opened_scope.name = name;
        opened_scope.no_receiver = no_receiver;
        opened
    }

    /// Handles a function that is not listed.
    fn hidden_function(&mut self, lexical: usize, item: &Item, role: &'a Role, name: &'a str) -> usize {
        if self.hidden != HiddenRows::TypesAndFunctions || u16::try_from(name.len()).is_err() {
            return lexical;
        }
        self.open_hidden(lexical, item, role, name, ScopeKind::Function)
    }

    /// Handles a type that is not listed.
    fn hidden_type(&mut self, lexical: usize, item: &Item, role: &'a Role, name: &'a str) -> usize {
        let fits = u16::try_from(name.len()).is_ok();
        if self.hidden == HiddenRows::LeftOut || !fits {
            self.hides_types = true;
            return lexical;
        }
        self.open_hidden(lexical, item, role, name, ScopeKind::ClassLike)
    }

    fn open_hidden(
        &mut self,
        lexical: usize,
        item: &Item,
        role: &'a Role,
        name: &'a str,
        kind: ScopeKind,
    ) -> usize {
        let mut around = lexical;
        while around != FILE && self.scopes[around].draft.is_none() {
            around = self.scopes[around].parent;
        }
        let beside = self.scopes[around].last;
        let draft = self.draft(around, item, name, role.kind, Row::LOCAL);
        // What stands in the value of a property becomes a child of the property.
        if let Some(holder) = beside.filter(|&at| {
            let range = &self.drafts[at].item;
            range.start <= item.start && item.end <= range.end
        }) {
            self.drafts[draft].parent = Some(holder);
            self.scopes[around].last = Some(holder);
        }
        // Hidden rows are numbered separately from listed symbols; accessors and initializers have no names to share.
        if !(role.act == PatternMeaning::Anonymous && is_function(role)) {
            self.declare(lexical, draft);
        }
        let opened = self.open(lexical, item, kind);
        self.scopes[opened].draft = Some(draft);
        self.scopes[opened].name = name;
        opened
    }

    /// Reports whether `scope` belongs to a hidden type with the same range as `item`.
    fn is_type_at(&self, scope: usize, item: &Item) -> bool {
        let inner = &self.scopes[scope];
        let is_hidden = inner.draft.is_some_and(|draft| self.drafts[draft].flags & Row::LOCAL != 0);
        is_hidden && inner.kind == ScopeKind::ClassLike && (inner.start, inner.end) == (item.start, item.end)
    }

    /// Handles an assignment in (or on behalf of) the scope `owner`.
    fn bind(&mut self, owner: usize, rank: Rank, item: &Item, role: &'a Role, name: &'a str) {
        if !self.is_listed(owner, role, name) {
            return;
        }
        let free = match self.taken.get(&(owner, name)) {
            None => true,
            Some(taken) => rank < taken.rank,
        };
        if !free {
            return;
        }
        let is_local = self.scopes[owner].kind == ScopeKind::Function;
        let kind = self.kind_of(owner, role, name);
        let draft = self.draft(owner, item, name, kind, if is_local { Row::LOCAL } else { 0 });
        let mine = NameHolder { rank, draft: Some(draft), count: 0 };
        if let Some(loser) = self.taken.insert((owner, name), mine).and_then(|taken| taken.draft) {
            self.drafts[loser].dead = true;
        }
    }

    /// Numbers functions and classes that share a name, and discards an assignment of that name.
    fn declare(&mut self, scope: usize, draft: usize) {
        let name = self.drafts[draft].name;
        match self.taken.entry((scope, name)) {
            Entry::Vacant(free) => {
                free.insert(NameHolder { rank: Rank::Declared, draft: Some(draft), count: 1 });
            }
            Entry::Occupied(mut taken) => {
                let taken = taken.get_mut();
                if taken.rank == Rank::Declared {
                    if let Some(first) = taken.draft {
                        self.drafts[first].index = 1;
                    }
                    taken.count = taken.count.saturating_add(1);
                    self.drafts[draft].index = taken.count;
                } else {
                    if let Some(loser) = taken.draft {
                        self.drafts[loser].dead = true;
                    }
                    *taken = NameHolder { rank: Rank::Declared, draft: Some(draft), count: 1 };
                }
            }
        }
    }

    fn draft(&mut self, scope: usize, item: &Item, name: &'a str, kind: SymbolKind, flags: u8) -> usize {
        let parent = self.scopes[scope].draft;
        self.drafts.push(Draft { item: *item, name, kind, flags, index: 0, parent, dead: false });
        let draft = self.drafts.len() - 1;
        self.scopes[scope].last = Some(draft);
        draft
    }

    fn open(&mut self, parent: usize, item: &Item, kind: ScopeKind) -> usize {
        let kind = match self.scopes[parent].kind {
            // An unlisted scope contains nothing listed, except the members of listed types.
            ScopeKind::Closed if kind != ScopeKind::ClassLike => ScopeKind::Closed,
            _ => kind,
        };
        self.scopes.push(Scope {
            kind,
            parent,
            start: item.start,
            end: item.end,
            draft: None,
            last: None,
            name: "",
            first_parameter: None,
            no_receiver: false,
            has_outer: false,
            becomes: None,
            leading: None,
        });
        self.scopes.len() - 1
    }

    fn is_listed(&self, scope: usize, role: &Role, name: &str) -> bool {
        let is_open = match self.scopes[scope].kind {
            ScopeKind::Closed | ScopeKind::Transparent => false,
            ScopeKind::Function => !role.no_local,
            _ => true,
        };
        let fits = u16::try_from(name.len()).is_ok();
        is_open && fits && !role.unlisted.iter().any(|unlisted| **unlisted == *name)
    }

    fn kind_of(&self, scope: usize, role: &Role, name: &str) -> SymbolKind {
        let scope = &self.scopes[scope];
        if scope.kind == ScopeKind::ClassLike {
            let is_constructor = match &role.constructor {
                None => false,
                Some(Constructor::Named(constructor)) => **constructor == *name,
                Some(Constructor::LikeClass) => scope.name == name,
            };
            if is_constructor {
                return SymbolKind::Constructor;
            }
            let holder = scope.draft.map(|draft| self.drafts[draft].kind);
            let is_namespace = matches!(holder, Some(SymbolKind::Namespace | SymbolKind::Module));
            if let Some(kind) = role.member.filter(|_| !is_namespace) {
                return kind;
            }
        }
        match role.capitals {
            Some(kind) if is_capitals(name) => kind,
            _ => role.kind,
        }
    }

    /// Returns the act that redirects assignments to `name` in `scope` to an outer scope, if there is one.
    fn outer_of(&self, scope: usize, name: &str) -> Option<PatternMeaning> {
        if !self.scopes[scope].has_outer {
            return None;
        }
        let found = self.outer.iter().rev().find(|(owner, outer, _)| *owner == scope && *outer == name);
        found.map(|&(_, _, act)| act)
    }

    fn class_around(&self, scope: usize) -> usize {
        let mut around = scope;
        while around != FILE && self.scopes[around].kind != ScopeKind::ClassLike {
            around = self.scopes[around].parent;
        }
        around
    }

    fn function_around(&self, scope: usize) -> usize {
        let mut around = self.scopes[scope].parent;
        while around != FILE && self.scopes[around].kind != ScopeKind::Function {
            around = self.scopes[around].parent;
        }
        around
    }

    /// Returns the class whose attribute is assigned: the class of the enclosing method, if the receiver is
    /// the method's first parameter or the class itself.
    fn class_of_receiver(&self, scope: usize, item: &Item) -> Option<usize> {
        let mut function = scope;
        while matches!(self.scopes[function].kind, ScopeKind::Transparent | ScopeKind::Around) {
            function = self.scopes[function].parent;
        }
        let method = &self.scopes[function];
        let owner = self.owner_of(method.parent);
        let class = &self.scopes[owner];
        if method.kind != ScopeKind::Function || class.kind != ScopeKind::ClassLike || method.no_receiver {
            return None;
        }
        let (start, end) = item.receiver?;
        let receiver = self.text.get(start as usize..end as usize)?;
        (method.first_parameter == Some(receiver) || class.name == receiver).then_some(owner)
    }

    fn name_of(&self, item: &Item) -> Option<&'a str> {
        let (source, start, end) = match item.composed {
            Some((start, end)) => (self.composed, start, end),
            None => (self.text, item.name_start, item.name_end),
        };
        source.get(start as usize..end as usize).filter(|name| !name.is_empty())
    }
}

fn is_class_like(kind: SymbolKind) -> bool {
    use SymbolKind::*;
    matches!(kind, Class | Interface | Enum | Struct | Object | Namespace | Module | Package | EnumMember)
}

/// Reports whether the pattern declares a type with members.
fn is_type(role: &Role) -> bool {
    use SymbolKind::*;
    !role.leaf && matches!(role.kind, Class | Interface | Enum | Struct | Object)
}

/// Reports whether the pattern declares a function.
fn is_function(role: &Role) -> bool {
    use SymbolKind::*;
    matches!(role.kind, Function | Method | Constructor)
}

/// Reports whether siblings of this kind that share a name are numbered: functions, classes and accessors.
pub(super) fn is_indexed(kind: SymbolKind) -> bool {
    use SymbolKind::*;
    matches!(
        kind,
        Class | Method | Property | Constructor | Enum | Interface | Function | Struct | Object | Operator
    )
}

/// Reports whether a name consists of capitals, digits and underscores, and not of underscores alone.
fn is_capitals(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && name.bytes().any(|byte| byte != b'_')
}
