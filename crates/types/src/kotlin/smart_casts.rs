//! Types that conditions have shown: `if (x is Circle) x.radius`.

use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Functions that return only when their argument holds.
const CONTRACTS: [&str; 4] = ["require", "check", "assertTrue", "assert"];

/// How deep conditions are looked into.
const MAX_CONDITIONS: usize = 50;

impl Universe<'_> {
    /// Returns the type that a condition before or around an expression has shown it to have.
    pub(super) fn narrowed_type(&self, file: &ProjectFile, node: NodeId) -> Option<Type> {
        let subject = file.text_of(node);
        let is_path = subject.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '`'));
        if !is_path || subject.is_empty() {
            return None;
        }
        let shown = self.shown_type(file, node, subject)?;
        (!is_assigned_between(file, subject, shown, node)).then(|| self.written_type(file, shown))
    }

    /// Returns the type that a condition around a node has shown `this` to have.
    pub(super) fn narrowed_this(&self, file: &ProjectFile, node: NodeId) -> Option<Type> {
        let shown = self.shown_type(file, node, "this")?;
        Some(self.written_type(file, shown))
    }

    /// Returns the node of the type that the nearest condition has shown the subject to have.
    fn shown_type(&self, file: &ProjectFile, node: NodeId, subject: &str) -> Option<NodeId> {
        let mut child = node;
        for scope in file.ancestors(node) {
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
                K::WhenEntry if file.kind(child) == K::ControlStructureBody => {
                    shown_by_entry(file, scope, subject)
                }
                K::Statements => shown_before(file, scope, child, subject),
                K::FunctionDeclaration | K::ClassDeclaration | K::ObjectDeclaration => return None,
                _ => None,
            };
            if shown.is_some() {
                return shown;
            }
            child = scope;
        }
        None
    }
}

/// Returns the type that a condition shows the subject to have when it holds, or when it does not.
fn shown_by(file: &SourceFile, condition: NodeId, subject: &str, holds: bool) -> Option<NodeId> {
    shown_within(file, condition, subject, holds, MAX_CONDITIONS)
}

/// As [`shown_by`], through at most `depth` conditions in one another.
fn shown_within(
    file: &SourceFile,
    condition: NodeId,
    subject: &str,
    holds: bool,
    depth: usize,
) -> Option<NodeId> {
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
            (is_negated != holds && file.text_of(of) == subject).then_some(ty)
        }
        K::ConjunctionExpression if holds => {
            file.children(condition).find_map(|side| shown_within(file, side, subject, true, depth))
        }
        K::DisjunctionExpression if !holds => {
            file.children(condition).find_map(|side| shown_within(file, side, subject, false, depth))
        }
        _ => None,
    }
}

/// Returns the type that an entry of a `when` shows the subject to have.
fn shown_by_entry(file: &SourceFile, entry: NodeId, subject: &str) -> Option<NodeId> {
    let when = file.parent(entry)?;
    let mut conditions = file.children(entry).filter(|part| file.kind(*part) == K::WhenCondition);
    let condition = conditions.next()?;
    if conditions.next().is_some() {
        return None;
    }
    let inner = file.children(condition).next()?;
    let Some(of) = file.child(when, K::WhenSubject) else { return shown_by(file, inner, subject, true) };
    let variable = file.child(of, K::VariableDeclaration);
    let is_subject = |node: NodeId| file.text_of(node) == subject;
    let is_meant =
        variable.and_then(|variable| file.child(variable, K::SimpleIdentifier)).is_some_and(is_subject)
            || file.children(of).last().is_some_and(is_subject);
    let is_test = file.kind(inner) == K::TypeTest && file.child(inner, K::NotToken).is_none();
    if is_meant && is_test { file.children(inner).last() } else { None }
}

/// Returns the type that a statement before `child` shows: a check that leaves the block, a cast, a contract.
fn shown_before(file: &SourceFile, statements: NodeId, child: NodeId, subject: &str) -> Option<NodeId> {
    let before: Vec<NodeId> = file.children(statements).take_while(|sibling| *sibling < child).collect();
    before.into_iter().rev().find_map(|statement| match file.kind(statement) {
        K::IfExpression => {
            let parts: Vec<NodeId> = file.children(statement).collect();
            let is_left = file.child(statement, K::ElseToken).is_none()
                && file.child(statement, K::ControlStructureBody).is_some_and(|body| leaves(file, body));
            if is_left { shown_by(file, *parts.first()?, subject, false) } else { None }
        }
        K::AsExpression => cast(file, statement, subject),
        K::CallExpression => {
            let callee = file.children(statement).next()?;
            if !CONTRACTS.contains(&file.text_of(callee)) {
                return None;
            }
            let suffix = file.child(statement, K::CallSuffix)?;
            let list = file.child(suffix, K::ValueArguments)?;
            let argument = file.child(list, K::ValueArgument)?;
            shown_by(file, file.children(argument).last()?, subject, true)
        }
        K::PropertyDeclaration => {
            let value = super::declared_types::initializer(file, statement)?;
            cast(file, value, subject)
        }
        _ => None,
    })
}

fn cast(file: &SourceFile, node: NodeId, subject: &str) -> Option<NodeId> {
    if file.kind(node) != K::AsExpression || file.child(node, K::SafeAsToken).is_some() {
        return None;
    }
    let of = file.children(node).next()?;
    if file.text_of(of) == subject { file.children(node).last() } else { None }
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
            || file.kind(last) == K::CallExpression && file.text_of(last).starts_with("error(")
    })
}

/// Whether the subject is assigned between two nodes.
fn is_assigned_between(file: &SourceFile, subject: &str, from: NodeId, to: NodeId) -> bool {
    let is_target =
        |node| file.kind(node) == K::DirectlyAssignableExpression && file.text_of(node) == subject;
    file.tree().between(from, to).any(is_target)
}
