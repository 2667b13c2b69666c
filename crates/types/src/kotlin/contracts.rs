//! What calls of the project's functions show of a value: `contract { returns(true) implies (this@isRound is Circle) }`.

use super::callables::Arguments;
use super::calls::callee_name;
use super::lookup::NameUse;
use super::smart_casts::{MAX_CONDITIONS, is_assigned_between};
use super::source_file::{KotlinImport, SourceFile};
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// How a call ended that was reached.
#[derive(Clone, Copy, PartialEq)]
enum CallEnd {
    Returned,
    /// With this value.
    Gave(bool),
}

impl Universe<'_> {
    /// Returns the type that a call before or around a node, within `outer` if that is given, has shown the subject to have, by the
    /// contract of its function.
    pub(super) fn shown_by_contract(
        &self,
        file: &ProjectFile,
        node: NodeId,
        subject: &str,
        outer: Option<NodeId>,
    ) -> Option<Type> {
        let mut child = node;
        for scope in file.ancestors(node).take_while(|scope| Some(*scope) != outer) {
            let mut calls = Vec::new();
            calls_before(file, scope, child, &mut calls);
            let shown = calls.into_iter().rev().find_map(|(call, end)| {
                let ty = self.implied(file, call, end, subject)?;
                (!is_assigned_between(file, subject, call, node)).then_some(ty)
            });
            if shown.is_some() {
                return shown;
            }
            // What is further out may be another variable of the name, or another object.
            if matches!(file.kind(scope), K::FunctionDeclaration | K::ClassBody | K::EnumClassBody) {
                return None;
            }
            child = scope;
        }
        None
    }

    /// Whether a function that a file calls `name` has a contract that shows the type of a value.
    pub(super) fn shows_types(&self, file: &SourceFile, name: &str) -> bool {
        if !self.may_have_contract(file, name) {
            return false;
        }
        let aliased = file.imports.iter().filter(|import| import.alias.as_deref() == Some(name));
        let names = aliased.map(KotlinImport::last_name).chain([name]);
        let shows = |function: &DeclarationId| {
            self.get(*function).is_some_and(|(declared_in, declaration)| {
                let body = declared_in.child(declaration.node, K::FunctionBody);
                let contract = body.and_then(|body| contract(&declared_in, body));
                contract.is_some_and(|contract| declared_in.text_of(contract).contains("implies"))
            })
        };
        names.into_iter().any(|name| {
            self.top_level(name).iter().any(shows)
                || self.members_called(name).is_none_or(|members| members.iter().any(shows))
        })
    }

    /// Returns the type that a call which ended so shows the subject to have.
    fn implied(&self, file: &ProjectFile, call: NodeId, end: CallEnd, subject: &str) -> Option<Type> {
        let (callee, suffix) = (file.children(call).next()?, file.child(call, K::CallSuffix)?);
        let name = callee_name(file, callee)?;
        // Almost no call is of a function with a contract, and finding out which function it is takes long.
        if !self.may_have_contract(file, file.name_text(name)) {
            return None;
        }
        let receiver = match file.kind(callee) {
            K::NavigationExpression => file.children(callee).next().map(|receiver| file.text_of(receiver)),
            _ => Some("this"),
        };
        let arguments = Arguments::of(file, suffix);
        let at = arguments.values.iter().position(|one| file.text_of(one.value) == subject);
        if receiver != Some(subject) && at.is_none() {
            return None;
        }
        let wanted = NameUse::Call(&arguments);
        let found = match file.kind(callee) {
            K::NavigationExpression => self.named_by_suffix(file, file.children(callee).last()?, wanted)?,
            _ => self.find_bare(file, name, file.name_text(name), wanted),
        };
        let shows = |function: DeclarationId| {
            let parameter = at.and_then(|at| match &arguments.values[at].name {
                Some(name) => Some(name.clone()),
                None => Some(self.parameters(function).get(at)?.name.clone()),
            });
            let (declared_in, declaration) = self.get(function)?;
            implications(&declared_in, declaration.node).into_iter().find_map(|(of, when, ty)| {
                let is_end = when == CallEnd::Returned || when == end;
                let is_it = match of.starts_with("this") {
                    true => receiver == Some(subject),
                    false => parameter.as_deref() == Some(of),
                };
                (is_end && is_it).then(|| self.written_type(&declared_in, ty))
            })
        };
        found.candidates.iter().find_map(|one| shows(one.declaration))
    }
}

/// Adds the calls that have ended when `child` of a node is reached.
fn calls_before(file: &SourceFile, scope: NodeId, child: NodeId, calls: &mut Vec<(NodeId, CallEnd)>) {
    let mut of_condition =
        |condition: NodeId, holds: bool| calls_in(file, condition, holds, MAX_CONDITIONS, calls);
    let is_body = file.kind(child) == K::ControlStructureBody;
    match file.kind(scope) {
        K::IfExpression if is_body => {
            let is_otherwise = file.child(scope, K::ElseToken).is_some_and(|otherwise| otherwise < child);
            if let Some(condition) = file.children(scope).next() {
                of_condition(condition, !is_otherwise);
            }
        }
        K::WhileStatement if is_body => {
            if let Some(condition) = file.children(scope).next() {
                of_condition(condition, true);
            }
        }
        K::ConjunctionExpression | K::DisjunctionExpression => {
            if let Some(left) = file.children(scope).next().filter(|left| *left != child) {
                of_condition(left, file.kind(scope) == K::ConjunctionExpression);
            }
        }
        K::WhenEntry => {
            let Some(when) = file.parent(scope).filter(|when| file.child(*when, K::WhenSubject).is_none())
            else {
                return;
            };
            let conditions = |entry: NodeId| {
                let all = file.children(entry).filter(|part| file.kind(*part) == K::WhenCondition);
                all.filter_map(|one| file.children(one).next()).collect::<Vec<_>>()
            };
            let before = file.children(when).take_while(|one| *one < scope);
            let decides = |one: &NodeId| {
                file.kind(*one) == K::WhenEntry && file.child(*one, K::GuardCondition).is_none()
            };
            for entry in before.filter(decides) {
                conditions(entry).into_iter().for_each(|one| of_condition(one, false));
            }
            if let ([own], true) = (&conditions(scope)[..], is_body) {
                of_condition(*own, true);
            }
        }
        K::Statements => {
            for statement in file.children(scope).take_while(|one| *one < child) {
                match file.kind(statement) {
                    K::IfExpression if super::smart_casts::leaves_unless(file, statement) => {
                        if let Some(condition) = file.children(statement).next() {
                            calls_in(file, condition, false, MAX_CONDITIONS, calls);
                        }
                    }
                    K::CallExpression => calls.push((statement, CallEnd::Returned)),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Adds the calls that gave a value where a condition holds, or does not; what is required to hold, too.
fn calls_in(
    file: &SourceFile,
    condition: NodeId,
    holds: bool,
    depth: usize,
    calls: &mut Vec<(NodeId, CallEnd)>,
) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let mut within = |inner: Option<NodeId>, holds: bool| {
        if let Some(inner) = inner {
            calls_in(file, inner, holds, depth, calls);
        }
    };
    match file.kind(condition) {
        K::ParenthesizedExpression => within(file.children(condition).next(), holds),
        K::PrefixExpression if file.child(condition, K::NotToken).is_some() => {
            within(file.children(condition).last(), !holds);
        }
        K::ConjunctionExpression | K::DisjunctionExpression
            if (file.kind(condition) == K::ConjunctionExpression) == holds =>
        {
            file.children(condition).for_each(|side| within(Some(side), holds));
        }
        K::CallExpression => calls.push((condition, CallEnd::Gave(holds))),
        _ => {}
    }
}

/// Returns the statements of the contract that the body of a function begins with.
pub(super) fn contract(file: &SourceFile, function_body: NodeId) -> Option<NodeId> {
    let statements = file.child(function_body, K::Statements)?;
    let call = file.children(statements).next().filter(|call| file.kind(*call) == K::CallExpression)?;
    let callee = file.children(call).next().filter(|callee| file.text_of(*callee) == "contract")?;
    let lambda = Arguments::of(file, file.children(call).find(|part| *part > callee)?).lambda?;
    file.child(lambda, K::Statements)
}

/// Returns what the contract of a function says: of which parameter, or `this`, how the function ends, and the type that is shown.
fn implications(file: &SourceFile, function: NodeId) -> Vec<(&str, CallEnd, NodeId)> {
    let contract = file.child(function, K::FunctionBody).and_then(|body| contract(file, body));
    let mut found = Vec::new();
    for statement in contract.into_iter().flat_map(|statements| file.children(statements)) {
        let parts: Vec<NodeId> = file.children(statement).collect();
        let [returns, implies, shown] = parts[..] else { continue };
        if file.kind(statement) != K::InfixExpression || file.text_of(implies) != "implies" {
            continue;
        }
        let when = match file.text_of(returns) {
            "returns(true)" => CallEnd::Gave(true),
            "returns(false)" => CallEnd::Gave(false),
            "returns()" => CallEnd::Returned,
            _ => continue,
        };
        let is_check = |node: &NodeId| {
            file.kind(*node) == K::CheckExpression
                && file.child(*node, K::IsToken).is_some()
                && file.child(*node, K::NotToken).is_none()
        };
        let checks = file.tree().subtree(shown).filter(is_check);
        let sides = checks.filter(|check| {
            let mut above = file.ancestors(*check).take_while(|above| *above >= shown);
            above.all(|above| {
                matches!(file.kind(above), K::ParenthesizedExpression | K::ConjunctionExpression)
            })
        });
        found.extend(sides.filter_map(|check| {
            Some((file.text_of(file.children(check).next()?), when, file.children(check).last()?))
        }));
    }
    found
}
