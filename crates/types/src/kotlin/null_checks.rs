//! Whether code before a value, or around it, shows that it is not null: `if (x != null)`, `x ?: return`, `requireNotNull(x)`.

use super::callables::{Arguments, property_node};
use super::calls::callee_name;
use super::contracts::{CallEnd, conditions_before, parts_of};
use super::declarations::DeclarationKind;
use super::declared_types::getter_of;
use super::lookup::Lookup;
use super::scopes::visible_names;
use super::smart_casts::{MAX_CONDITIONS, is_assigned_between};
use super::source_file::SourceFile;
use super::universe::{ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// The library's functions that return only where what they are given is not null.
const NOT_NULL: [&str; 3] = ["requireNotNull", "checkNotNull", "assertNotNull"];

/// Those that give false only where what they are called on is not null.
const NULL_OR_EMPTY: [&str; 2] = ["isNullOrEmpty", "isNullOrBlank"];

/// Those that return only where what they are given holds.
const REQUIRING: [&str; 4] = ["require", "check", "assertTrue", "assert"];

/// What code tells of whether a value is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NullCheck {
    /// Where it is reached it is not null.
    Passed,
    /// Something before it looks at the value in a way that is not followed.
    Unclear,
    None,
}

impl Universe<'_> {
    /// Returns what code before a value tells of whether it is null.
    pub(super) fn null_check(&self, file: &ProjectFile, value: NodeId, found: Option<&Lookup>) -> NullCheck {
        let subject = file.text_of(value);
        let is_path =
            subject.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '`' | '?' | '@'));
        if !is_path || subject.is_empty() {
            return NullCheck::None;
        }
        let root = subject.split(['.', '?']).next().unwrap_or(subject).trim_matches('`');
        let (mut child, mut outermost) = (value, value);
        for scope in file.ancestors(value) {
            let mut parts = Vec::new();
            conditions_before(file, scope, child, &mut parts);
            // What stands before the declaration of the subject tells of another one.
            let declared = visible_names(file, scope, child, root).last();
            let from = declared.map(|number| file.declarations[number].node);
            parts.retain(|(part, _)| from.is_none_or(|from| *part > from));
            self.add_required(file, &mut parts);
            let is_shown = parts.iter().rev().any(|(part, end)| {
                self.shows_no_null(file, *part, *end, subject)
                    && !is_assigned_between(file, subject, *part, value)
            }) || is_entry_without_null(file, scope, child, subject);
            if is_shown {
                return if found.is_some_and(|found| self.is_stable(found)) {
                    NullCheck::Passed
                } else {
                    NullCheck::Unclear
                };
            }
            // What is further out may be another variable of the name, or another object.
            if declared.is_some()
                || matches!(file.kind(scope), K::FunctionDeclaration | K::ClassBody | K::EnumClassBody)
            {
                outermost = from.unwrap_or(scope);
                break;
            }
            (child, outermost) = (scope, scope);
        }
        let looks = |node: NodeId| file.text_of(node) == subject && is_looked_at(file, node);
        match file.tree().between(outermost, value).any(looks) {
            true => NullCheck::Unclear,
            false => NullCheck::None,
        }
    }

    /// Adds what calls of the library require to hold.
    fn add_required(&self, file: &ProjectFile, parts: &mut Vec<(NodeId, CallEnd)>) {
        for at in 0..parts.len() {
            let (call, end) = parts[at];
            if end == CallEnd::Returned
                && let Some(argument) = argument_of(file, call, &REQUIRING)
            {
                parts_of(file, argument, true, MAX_CONDITIONS, parts);
            }
        }
    }

    /// Whether a part that ended so shows that the subject is not null.
    fn shows_no_null(&self, file: &ProjectFile, part: NodeId, end: CallEnd, subject: &str) -> bool {
        let is_it = |node: Option<NodeId>| node.is_some_and(|node| file.text_of(node) == subject);
        let (first, last) = (file.children(part).next(), file.children(part).last());
        match file.kind(part) {
            K::EqualityExpression => {
                let is_null =
                    |node: Option<NodeId>| node.is_some_and(|node| file.kind(node) == K::NullLiteral);
                let is_of_null = is_it(first) && is_null(last) || is_null(first) && is_it(last);
                let is_negated = file.text_of(part).contains("!=");
                is_of_null && end == CallEnd::Gave(is_negated)
            }
            K::CheckExpression => {
                let is_negated = file.child(part, K::NotToken).is_some();
                let takes_null = last.is_some_and(|ty| file.kind(ty) != K::UserType);
                file.child(part, K::IsToken).is_some()
                    && is_it(first)
                    && !takes_null
                    && end == CallEnd::Gave(!is_negated)
            }
            // `x!!`, `x ?: return`, `x as Class`
            K::PostfixExpression => {
                end == CallEnd::Returned && is_it(first) && file.text_of(part).ends_with("!!")
            }
            K::ElvisExpression => {
                end == CallEnd::Returned
                    && is_it(first)
                    && last.is_some_and(|last| file.kind(last) == K::JumpExpression)
            }
            K::AsExpression => {
                end == CallEnd::Returned
                    && is_it(first)
                    && file.child(part, K::SafeAsToken).is_none()
                    && last.is_some_and(|ty| file.kind(ty) == K::UserType)
            }
            K::CallExpression => {
                let is_given = is_it(argument_of(file, part, &NOT_NULL)) && end == CallEnd::Returned;
                let called_on = || {
                    let callee = first.filter(|callee| file.kind(*callee) == K::NavigationExpression)?;
                    let name = callee_name(file, callee)?;
                    NULL_OR_EMPTY
                        .contains(&file.text_of(name))
                        .then(|| file.children(callee).next())
                        .flatten()
                };
                (is_given || end == CallEnd::Gave(false) && is_it(called_on()))
                    && self.calls_library(file, part)
            }
            _ => false,
        }
    }

    fn calls_library(&self, file: &ProjectFile, call: NodeId) -> bool {
        let Some(suffix) = file.child(call, K::CallSuffix) else { return false };
        let found = self.call_of_suffix(file, suffix, &Arguments::of(file, suffix));
        found.is_some_and(|found| {
            !found.candidates.is_empty()
                && found.candidates.iter().all(|one| self.of_library(one.declaration))
        })
    }

    /// Whether a variable has the value that was looked at when it is read again: what the compiler casts.
    fn is_stable(&self, found: &Lookup) -> bool {
        let [one] = &found.candidates[..] else { return false };
        let Some((file, declaration)) = self.get(one.declaration) else { return false };
        match declaration.kind {
            DeclarationKind::Parameter | DeclarationKind::Local => true,
            DeclarationKind::ConstructorProperty => !self.is_var(one.declaration),
            DeclarationKind::Property => {
                !self.is_var(one.declaration)
                    && getter_of(&file, property_node(&file, declaration.node)).is_none()
            }
            _ => false,
        }
    }
}

/// Returns the one value that a call of one of these functions is given first.
fn argument_of(file: &SourceFile, call: NodeId, names: &[&str]) -> Option<NodeId> {
    let callee = file.children(call).next().filter(|_| file.kind(call) == K::CallExpression)?;
    let suffix = file.child(call, K::CallSuffix).filter(|_| names.contains(&file.text_of(callee)))?;
    Arguments::of(file, suffix).values.first().map(|one| one.value)
}

/// Whether a value stands in the entry of a `when` over it that comes after the one for null, or that tests for a class.
fn is_entry_without_null(file: &SourceFile, entry: NodeId, child: NodeId, subject: &str) -> bool {
    if file.kind(entry) != K::WhenEntry || file.kind(child) != K::ControlStructureBody {
        return false;
    }
    let Some(when) = file.parent(entry) else { return false };
    let of = file.child(when, K::WhenSubject).and_then(|of| file.children(of).last());
    if of.is_none_or(|of| file.text_of(of) != subject) {
        return false;
    }
    let conditions = |entry: NodeId| {
        let all = file.children(entry).filter(|part| file.kind(*part) == K::WhenCondition);
        all.filter_map(|one| file.children(one).next()).collect::<Vec<_>>()
    };
    let is_test = |one: &NodeId| {
        file.kind(*one) == K::TypeTest
            && file.child(*one, K::NotToken).is_none()
            && file.child(*one, K::UserType).is_some()
    };
    let own = conditions(entry);
    let mut before = file.children(when).take_while(|one| *one < entry);
    !own.is_empty() && own.iter().all(is_test)
        || before.any(|one| {
            file.kind(one) == K::WhenEntry
                && file.child(one, K::GuardCondition).is_none()
                && conditions(one).iter().any(|one| file.kind(*one) == K::NullLiteral)
        })
}

/// Whether a value is compared, tested, cast or called on safely, so that code behind that may know it not to be null.
fn is_looked_at(file: &SourceFile, node: NodeId) -> bool {
    let Some(above) = file.parent(node) else { return false };
    match file.kind(above) {
        K::EqualityExpression
        | K::CheckExpression
        | K::AsExpression
        | K::ElvisExpression
        | K::PostfixExpression
        | K::WhenSubject
        | K::DirectlyAssignableExpression => true,
        K::NavigationExpression => {
            let suffix = file.children(above).find(|part| *part > node);
            suffix.is_some_and(|suffix| {
                file.child(suffix, K::SafeDot).is_some()
                    || file
                        .child(suffix, K::SimpleIdentifier)
                        .is_some_and(|name| NULL_OR_EMPTY.contains(&file.text_of(name)))
            })
        }
        K::ValueArgument => {
            let call = file.ancestors(above).find(|above| file.kind(*above) == K::CallExpression);
            let callee = call.and_then(|call| callee_name(file, file.children(call).next()?));
            callee.is_some_and(|name| NOT_NULL.contains(&file.text_of(name)))
        }
        _ => false,
    }
}
