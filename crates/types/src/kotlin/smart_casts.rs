//! Types that conditions have shown: `if (x is Circle) x.radius`.

use super::declarations::is_class_node;
use super::scopes::visible_names;
use super::source_file::{KotlinImport, SourceFile};
use super::substitution::Substitution;
use super::subtyping::Fit;
use super::ty::Type;
use super::universe::{ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Functions that return only when their argument holds.
const CONTRACTS: [&str; 4] = ["require", "check", "assertTrue", "assert"];

/// The function of kotlin-test that returns only when its argument has its type argument.
const TYPE_CONTRACT: (&str, &str) = ("kotlin.test", "assertIs");

/// How deep conditions are looked into.
pub(super) const MAX_CONDITIONS: usize = 50;

/// The nodes of types of which a value has one.
type Shown = Vec<NodeId>;

impl Universe<'_> {
    /// Returns the type that a condition before or around an expression has shown it to have; with the type that
    /// is declared, where a value of the one need not be one of the other.
    pub(super) fn narrowed_type(
        &self,
        file: &ProjectFile,
        node: NodeId,
        declared: impl FnOnce() -> Type,
    ) -> Option<Type> {
        let subject = file.text_of(node);
        let is_path = subject.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '`'));
        if !is_path || subject.is_empty() {
            return None;
        }
        let narrow = match self.shown_type(file, node, subject) {
            Some(shown) => {
                let last = shown.last().copied()?;
                if is_assigned_between(file, subject, last, node) {
                    return None;
                }
                self.joined_types(file, &shown)?
            }
            None => self.shown_by_contract(file, node, subject, None)?,
        };
        let declared = declared();
        let narrow = self.with_arguments_of(narrow, &declared);
        Some(match self.fits(&narrow, &declared, &[]) {
            Fit::Yes => narrow,
            _ => Type::both(narrow, declared),
        })
    }

    /// Whether a type is a class with type parameters that has no arguments.
    pub(super) fn lacks_arguments(&self, ty: &Type) -> bool {
        matches!(ty, Type::Class(class) if class.arguments.is_empty() && !self.type_parameters(class.class).is_empty())
    }

    /// Returns a class that a check names without type arguments with those that the checked value's type gives it: a `Result<Text>` that is
    /// `Ok` is an `Ok<Text>`.
    pub(super) fn with_arguments_of(&self, named: Type, checked: &Type) -> Type {
        let (Type::Class(class), Type::Class(of)) = (&named, checked) else { return named };
        if !self.lacks_arguments(&named) {
            return named;
        }
        let own = self.type_parameters(class.class);
        let open: Vec<Type> = own.iter().map(|parameter| Type::Parameter(*parameter)).collect();
        let Some(above) = self.arguments_as(class.class, &open, of.class) else { return named };
        let mut bound = Substitution::default();
        for (pattern, actual) in above.iter().zip(&of.arguments) {
            self.unify(pattern, actual, &own, &mut bound);
        }
        let ty = bound.close(&Type::class(class.class, open), &own);
        if of.is_projected { ty.projected() } else { ty }
    }

    /// Returns the type that a condition around a node, within `outer`, has shown `this` to have.
    pub(super) fn narrowed_this(&self, file: &ProjectFile, node: NodeId, outer: NodeId) -> Option<Type> {
        match self.shown_inside(file, node, "this", Some(outer)) {
            Some(shown) => self.joined_types(file, &shown),
            None => self.shown_by_contract(file, node, "this", Some(outer)),
        }
    }

    /// Returns the type that a condition has shown `this@label` to have, where the label names an extension function or a class around
    /// the node.
    pub(super) fn narrowed_labelled(&self, file: &ProjectFile, node: NodeId, label: &str) -> Option<Type> {
        let shown = match self.shown_type(file, node, &format!("this@{label}")) {
            Some(shown) => shown,
            None => self.shown_type(file, self.outermost_with_this(file, node, label)?, "this")?,
        };
        self.joined_types(file, &shown)
    }

    /// Returns the outermost node around `node`, within the function or class of this name, in which `this` is another object; `node` if there
    /// is no such node.
    fn outermost_with_this(&self, file: &ProjectFile, node: NodeId, label: &str) -> Option<NodeId> {
        let mut outermost = node;
        for scope in file.ancestors(node) {
            match file.kind(scope) {
                K::FunctionDeclaration if file.child(scope, K::ReceiverType).is_some() => {
                    let number = file.declaration_of(scope)?;
                    if file.name_of(number) == label {
                        return Some(outermost);
                    }
                    outermost = scope;
                }
                K::LambdaLiteral | K::AnonymousFunction if self.has_receiver(file, scope) != Some(false) => {
                    outermost = scope;
                }
                _ if is_class_node(file, scope) => {
                    if file.declaration_of(scope).is_some_and(|number| file.name_of(number) == label) {
                        return Some(outermost);
                    }
                    outermost = scope;
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the one type that values of each of these types have; `None` where none is known.
    fn joined_types(&self, file: &ProjectFile, shown: &[NodeId]) -> Option<Type> {
        let types: Vec<Type> = shown.iter().map(|ty| self.written_type(file, *ty)).collect();
        match &types[..] {
            [one] => Some(one.clone()),
            _ => Some(self.joined(types)).filter(|ty| !ty.is_unknown()),
        }
    }

    /// Returns the nodes of the types of which the nearest condition has shown the subject to have one.
    fn shown_type(&self, file: &ProjectFile, node: NodeId, subject: &str) -> Option<Shown> {
        self.shown_inside(file, node, subject, None)
    }

    /// As [`Universe::shown_type`], by conditions within a node, if one is given.
    fn shown_inside(
        &self,
        file: &ProjectFile,
        node: NodeId,
        subject: &str,
        outer: Option<NodeId>,
    ) -> Option<Shown> {
        let root = subject.split('.').next().unwrap_or(subject).trim_matches('`');
        let is_this = root.starts_with("this");
        let mut child = node;
        for scope in file.ancestors(node).take_while(|scope| Some(*scope) != outer) {
            // What stands before the declaration of the subject tells of another one.
            let declared = visible_names(file, scope, child, root).last().filter(|_| !is_this);
            let from = declared.map(|number| file.declarations[number].node);
            let shown = match file.kind(scope) {
                K::IfExpression => {
                    let condition = file.children(scope).next()?;
                    let is_otherwise =
                        file.child(scope, K::ElseToken).is_some_and(|otherwise| otherwise < child);
                    match file.kind(child) {
                        K::ControlStructureBody if is_otherwise => shown_by(file, condition, subject, false),
                        K::ControlStructureBody => shown_by(file, condition, subject, true),
                        _ => None,
                    }
                }
                K::WhileStatement if file.kind(child) == K::ControlStructureBody => {
                    shown_by(file, file.children(scope).next()?, subject, true)
                }
                K::ConjunctionExpression | K::DisjunctionExpression => {
                    let left = file.children(scope).next()?;
                    let holds = file.kind(scope) == K::ConjunctionExpression;
                    if left == child { None } else { shown_by(file, left, subject, holds) }
                }
                K::WhenEntry => shown_in_entry(file, scope, child, subject),
                K::Statements => shown_before(file, scope, child, (subject, from)),
                // `this` is another object there, and a property may be another one's.
                K::FunctionDeclaration if is_this => return None,
                _ if is_class_node(file, scope) && (is_this || declares_value(file, scope, root)) => {
                    return None;
                }
                _ => None,
            };
            if shown.is_some() {
                return shown;
            }
            if declared.is_some() {
                return None;
            }
            child = scope;
        }
        None
    }
}

/// Whether a class has a value of this name: what is known of another one further out tells nothing of it.
fn declares_value(file: &SourceFile, class: NodeId, name: &str) -> bool {
    file.in_scope(class, name).any(|number| file.declarations[number].kind.is_variable())
}

/// Returns the types of which a condition shows the subject to have one when it holds, or when it does not.
fn shown_by(file: &SourceFile, condition: NodeId, subject: &str, holds: bool) -> Option<Shown> {
    shown_within(file, condition, subject, holds, MAX_CONDITIONS)
}

/// As [`shown_by`], through at most `depth` conditions in one another.
fn shown_within(
    file: &SourceFile,
    condition: NodeId,
    subject: &str,
    holds: bool,
    depth: usize,
) -> Option<Shown> {
    let depth = depth.checked_sub(1)?;
    match file.kind(condition) {
        K::ParenthesizedExpression => {
            shown_within(file, file.children(condition).next()?, subject, holds, depth)
        }
        K::PrefixExpression => {
            file.child(condition, K::NotToken)?;
            shown_within(file, file.children(condition).last()?, subject, !holds, depth)
        }
        K::CheckExpression => {
            file.child(condition, K::IsToken)?;
            let is_negated = file.child(condition, K::NotToken).is_some();
            let of = file.children(condition).next()?;
            let ty = file.children(condition).last()?;
            (is_negated != holds && file.text_of(of) == subject).then(|| vec![ty])
        }
        K::ConjunctionExpression | K::DisjunctionExpression => {
            let mut sides =
                file.children(condition).map(|side| shown_within(file, side, subject, holds, depth));
            let both_hold = (file.kind(condition) == K::ConjunctionExpression) == holds;
            if both_hold {
                return sides.flatten().next();
            }
            // One of the two holds.
            let (left, right) = (sides.next()??, sides.last()??);
            Some([left, right].concat())
        }
        _ => None,
    }
}

/// Returns the types of which an entry of a `when` shows the subject to have one in its child `child`: by its own conditions, its
/// guard, or because no entry before it was taken.
fn shown_in_entry(file: &SourceFile, entry: NodeId, child: NodeId, subject: &str) -> Option<Shown> {
    let is_body = file.kind(child) == K::ControlStructureBody;
    let by_guard = || {
        let guard = file.child(entry, K::GuardCondition).filter(|_| is_body)?;
        shown_by(file, file.children(guard).last()?, subject, true)
    };
    let by_conditions = || {
        let sees_them = is_body || file.kind(child) == K::GuardCondition;
        if sees_them { shown_by_entry(file, entry, subject) } else { None }
    };
    by_guard().or_else(by_conditions).or_else(|| shown_before_entry(file, entry, subject))
}

/// Returns the types of which the subject has one where no entry before this one of a `when` was taken.
fn shown_before_entry(file: &SourceFile, entry: NodeId, subject: &str) -> Option<Shown> {
    let when = file.parent(entry)?;
    let of = file.child(when, K::WhenSubject);
    let before = file.children(when).take_while(|one| *one < entry);
    // With a guard, an entry may not be taken though its conditions hold.
    let decides =
        |one: &NodeId| file.kind(*one) == K::WhenEntry && file.child(*one, K::GuardCondition).is_none();
    let conditions = before
        .filter(decides)
        .flat_map(|entry| file.children(entry).filter(|part| file.kind(*part) == K::WhenCondition));
    conditions.filter_map(|condition| file.children(condition).next()).find_map(|condition| match of {
        None => shown_by(file, condition, subject, false),
        Some(of) => {
            let is_test = file.kind(condition) == K::TypeTest && file.child(condition, K::NotToken).is_some();
            let ty = file.children(condition).last().filter(|_| is_test && is_subject_of(file, of, subject));
            ty.map(|ty| vec![ty])
        }
    })
}

/// Whether what a `when` looks at is the subject, or is kept in a variable of its name.
fn is_subject_of(file: &SourceFile, of: NodeId, subject: &str) -> bool {
    let is_it = |node: NodeId| file.text_of(node) == subject;
    let variable = file.child(of, K::VariableDeclaration);
    variable.and_then(|variable| file.child(variable, K::SimpleIdentifier)).is_some_and(is_it)
        || file.children(of).last().is_some_and(is_it)
}

/// Returns the types of which the conditions of an entry of a `when` show the subject to have one.
fn shown_by_entry(file: &SourceFile, entry: NodeId, subject: &str) -> Option<Shown> {
    let when = file.parent(entry)?;
    let conditions = file.children(entry).filter(|part| file.kind(*part) == K::WhenCondition);
    let inner: Option<Vec<NodeId>> = conditions.map(|one| file.children(one).next()).collect();
    let inner = inner?;
    let Some(of) = file.child(when, K::WhenSubject) else {
        return match inner[..] {
            [one] => shown_by(file, one, subject, true),
            _ => None,
        };
    };
    let tested = |one: &NodeId| {
        let is_test = file.kind(*one) == K::TypeTest && file.child(*one, K::NotToken).is_none();
        if is_test { file.children(*one).last() } else { None }
    };
    if !is_subject_of(file, of, subject) || inner.is_empty() {
        return None;
    }
    inner.iter().map(tested).collect()
}

/// Returns the types of which a statement before `child` shows the subject to have one: a check that leaves the
/// block, a cast, a contract. Statements up to `from` tell nothing of it.
fn shown_before(
    file: &SourceFile,
    statements: NodeId,
    child: NodeId,
    (subject, from): (&str, Option<NodeId>),
) -> Option<Shown> {
    let before: Vec<NodeId> = file
        .children(statements)
        .take_while(|sibling| *sibling < child)
        .filter(|sibling| from.is_none_or(|from| *sibling > from))
        .collect();
    before.into_iter().rev().find_map(|statement| match file.kind(statement) {
        K::IfExpression if leaves_unless(file, statement) => {
            shown_by(file, file.children(statement).next()?, subject, false)
        }
        K::IfExpression => None,
        K::CallExpression => {
            let callee = file.children(statement).next()?;
            let asserts_type = is_type_contract(file, callee);
            if !asserts_type && !CONTRACTS.contains(&file.text_of(callee)) {
                return cast_within(file, statement, subject);
            }
            let suffix = file.child(statement, K::CallSuffix)?;
            let list = file.child(suffix, K::ValueArguments)?;
            let argument = file.children(file.child(list, K::ValueArgument)?).last()?;
            if !asserts_type {
                return shown_by(file, argument, subject, true);
            }
            let ty = file.child(file.child(suffix, K::TypeArguments)?, K::TypeProjection)?;
            (file.text_of(argument) == subject).then(|| vec![ty])
        }
        _ => cast_within(file, statement, subject),
    })
}

fn is_type_contract(file: &SourceFile, callee: NodeId) -> bool {
    let (package, name) = TYPE_CONTRACT;
    let brings = |import: &KotlinImport| match import.is_star {
        true => import.path == package,
        false => import.path.strip_prefix(package).is_some_and(|rest| rest.strip_prefix('.') == Some(name)),
    };
    file.text_of(callee) == name && file.imports.iter().any(brings)
}

/// Returns the type that a cast in a statement, which is always reached, shows the subject to have.
fn cast_within(file: &SourceFile, statement: NodeId, subject: &str) -> Option<Shown> {
    if !file.text_of(statement).contains(" as ") {
        return None;
    }
    let is_reached = |node: NodeId| {
        file.ancestors(node).take_while(|above| *above >= statement).all(|above| {
            !matches!(
                file.kind(above),
                K::LambdaLiteral
                    | K::AnonymousFunction
                    | K::FunctionDeclaration
                    | K::ObjectLiteral
                    | K::ClassDeclaration
                    | K::IfExpression
                    | K::WhenExpression
                    | K::TryExpression
                    | K::ForStatement
                    | K::WhileStatement
                    | K::DoWhileStatement
                    | K::ConjunctionExpression
                    | K::DisjunctionExpression
                    | K::ElvisExpression
            )
        })
    };
    let mut casts = file.tree().subtree(statement).filter(|node| file.kind(*node) == K::AsExpression);
    casts.find_map(|node| cast(file, node, subject).filter(|_| is_reached(node)))
}

fn cast(file: &SourceFile, node: NodeId, subject: &str) -> Option<Shown> {
    if file.kind(node) != K::AsExpression || file.child(node, K::SafeAsToken).is_some() {
        return None;
    }
    let of = file.children(node).next()?;
    if file.text_of(of) == subject { file.children(node).last().map(|ty| vec![ty]) } else { None }
}

/// Whether code behind an `if` is reached only where its condition does not hold.
pub(super) fn leaves_unless(file: &SourceFile, statement: NodeId) -> bool {
    file.child(statement, K::ElseToken).is_none()
        && file.child(statement, K::ControlStructureBody).is_some_and(|body| leaves(file, body))
}

/// Whether a body ends with a jump.
fn leaves(file: &SourceFile, body: NodeId) -> bool {
    let last = file.children(body).last();
    let last = match last {
        Some(block) if file.kind(block) == K::Statements => file.children(block).last(),
        other => other,
    };
    last.is_some_and(|last| {
        file.kind(last) == K::JumpExpression
            || file.kind(last) == K::CallExpression
                && ["error(", "TODO("].iter().any(|call| file.text_of(last).starts_with(call))
    })
}

/// Whether the subject is assigned between two nodes. In `node = node.next` it is only after the value was read; where the code around it
/// may run again, that was before.
pub(super) fn is_assigned_between(file: &SourceFile, subject: &str, from: NodeId, to: NodeId) -> bool {
    let may_run_again = |node: NodeId| {
        matches!(
            file.kind(node),
            K::ForStatement
                | K::WhileStatement
                | K::DoWhileStatement
                | K::LambdaLiteral
                | K::AnonymousFunction
                | K::FunctionDeclaration
        )
    };
    let is_repeated = file.ancestors(to).take_while(|above| *above > from).any(may_run_again);
    let is_around = |assignment: NodeId| file.ancestors(to).any(|above| above == assignment);
    let is_target = |node: NodeId| {
        file.kind(node) == K::DirectlyAssignableExpression
            && file.text_of(node) == subject
            && (is_repeated || !file.parent(node).is_some_and(is_around))
    };
    file.tree().between(from, to).any(is_target)
}
