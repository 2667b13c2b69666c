//! Uses of functions that the language calls without their names: `a + b` calls `plus`, `a[i]` calls `get`.

use super::callables::{Arguments, CallForm};
use super::declarations::DeclarationKind;
use super::declared_types::initializer;
use super::lookup::{Lookup, NameUse};
use super::resolve::NameResolution;
use super::source_file::SourceFile;
use super::subtyping::Fit;
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// The functions that the language calls, without `component1` and so on.
const NAMES: [&str; 29] = [
    "plus",
    "minus",
    "times",
    "div",
    "rem",
    "rangeTo",
    "rangeUntil",
    "plusAssign",
    "minusAssign",
    "timesAssign",
    "divAssign",
    "remAssign",
    "unaryPlus",
    "unaryMinus",
    "not",
    "inc",
    "dec",
    "contains",
    "get",
    "set",
    "invoke",
    "iterator",
    "hasNext",
    "next",
    "compareTo",
    "equals",
    "getValue",
    "setValue",
    "provideDelegate",
];

/// Whether the language calls functions of this name without naming them.
pub fn is_convention(name: &str) -> bool {
    NAMES.contains(&name) || component_number(name).is_some()
}

/// Returns the number of `component1`, from 0.
fn component_number(name: &str) -> Option<usize> {
    let number: usize = name.strip_prefix("component")?.parse().ok()?;
    number.checked_sub(1)
}

/// The functions that the language may call in a file without naming them, by the kinds of the nodes that the file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileConventions(u32);

impl FileConventions {
    pub(super) fn of(file: &SourceFile) -> FileConventions {
        let mut has = [false; 1 << u8::BITS];
        file.tree().nodes().for_each(|node| has[usize::from(file.tree().kind(node))] = true);
        let kinds = (0..=u8::MAX).filter(|number| has[usize::from(*number)]).map(K::of);
        FileConventions(kinds.fold(0, |all, kind| all | called_by(kind)))
    }

    /// Whether the language may call a function of this name. If not, [`Universe::convention_uses`] finds none.
    pub fn may_call(self, name: &str) -> bool {
        self.0 & bit_of(name) != 0
    }
}

/// Returns the bit of a function's name; all functions `component1` and so on have one.
fn bit_of(name: &str) -> u32 {
    let components = || component_number(name).map(|_| NAMES.len());
    NAMES.iter().position(|known| *known == name).or_else(components).map_or(0, |bit| 1 << bit)
}

/// Returns the bits of the functions that the language may call for a node of this kind.
fn called_by(kind: K) -> u32 {
    let names: &[&str] = match kind {
        K::Plus => &["plus", "unaryPlus"],
        K::Minus => &["minus", "unaryMinus"],
        K::Times => &["times"],
        K::Div => &["div"],
        K::Rem => &["rem"],
        K::Range => &["rangeTo"],
        K::RangeUntil => &["rangeUntil"],
        K::PlusAssign => &["plusAssign", "plus"],
        K::MinusAssign => &["minusAssign", "minus"],
        K::TimesAssign => &["timesAssign", "times"],
        K::DivAssign => &["divAssign", "div"],
        K::RemAssign => &["remAssign", "rem"],
        K::NotToken => &["not"],
        K::Increment => &["inc"],
        K::Decrement => &["dec"],
        K::CheckExpression | K::RangeTest => &["contains"],
        K::IndexingSuffix => &["get", "set"],
        K::CallExpression => &["invoke"],
        K::ForStatement => &["iterator", "hasNext", "next"],
        K::ComparisonExpression => &["compareTo"],
        K::EqualityExpression => &["equals"],
        K::MultiVariableDeclaration => &["component1"],
        K::PropertyDelegate => &["getValue", "setValue", "provideDelegate"],
        _ => return 0,
    };
    names.iter().fold(0, |all, name| all | bit_of(name))
}

/// A place where the language may call a function.
struct ConventionCall {
    /// Where it is shown: an operator, a bracket, a keyword or a variable.
    range: TextRange,
    receiver: Type,
    /// The arguments; `None` where the language gives them.
    values: Option<Arguments>,
}

impl Universe<'_> {
    /// Returns the places in a file where the language calls, or may call, one of these functions, which have
    /// one name; in the order of the text.
    pub fn convention_uses(
        &self,
        key: FileKey,
        functions: &[DeclarationId],
    ) -> Vec<(TextRange, NameResolution)> {
        let (Some(file), Some(first)) = (self.file(key), functions.first()) else { return Vec::new() };
        let name = self.name(*first);
        let mut found = Vec::new();
        if !file.conventions().may_call(&name) {
            return found;
        }
        for node in file.tree().nodes() {
            self.steps.set(0);
            for call in self.convention_calls(&file, node, &name) {
                let wanted = call.values.as_ref().map_or(NameUse::Reference, NameUse::Call);
                let lookup = self.find_member(&file, node, &call.receiver, &name, wanted);
                let is_meant = lookup.candidates.iter().any(|one| functions.contains(&one.declaration));
                // Of an unknown object any member may be called that takes the arguments.
                let may_be_meant =
                    lookup.may_be_other && functions.iter().any(|id| self.may_be_called(&file, *id, wanted));
                if is_meant || may_be_meant {
                    found.push((call.range, NameResolution::of(Some(lookup))));
                } else if lookup.candidates.is_empty() && !lookup.may_be_other {
                    let others = self.extensions_elsewhere(&file, &call.receiver, &name);
                    if functions.iter().any(|id| others.contains(id)) {
                        found.push((call.range, NameResolution::possible(others)));
                    }
                }
            }
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    }

    fn convention_calls(&self, file: &ProjectFile, node: NodeId, name: &str) -> Vec<ConventionCall> {
        let call = |range, receiver: NodeId, values: &[NodeId]| {
            let receiver = self.expression_type(file, receiver);
            ConventionCall { range, receiver, values: Some(Arguments::operands(values, CallForm::Operator)) }
        };
        let kind = file.kind(node);
        // Most nodes are no such: their children are not listed.
        if !is_convention_node(kind) {
            return Vec::new();
        }
        let parts: Vec<NodeId> = file.children(node).collect();
        let one = match (kind, &parts[..]) {
            (
                K::AdditiveExpression | K::MultiplicativeExpression | K::RangeExpression,
                [left, operator, right],
            ) if binary_name(file.kind(*operator)) == Some(name) => {
                call(file.range(*operator), *left, &[*right])
            }
            (K::ComparisonExpression, [left, .., right]) if name == "compareTo" => {
                call(text_between(file, *left, *right), *left, &[*right])
            }
            (K::EqualityExpression, [left, .., right]) if name == "equals" => {
                call(text_between(file, *left, *right), *left, &[*right])
            }
            (K::CheckExpression, [left, .., right]) if name == "contains" => {
                let Some(keyword) = file.child(node, K::InToken) else { return Vec::new() };
                call(file.range(keyword), *right, &[*left])
            }
            (K::RangeTest, [.., range]) if name == "contains" => {
                let (Some(keyword), Some(subject)) = (file.child(node, K::InToken), when_subject(file, node))
                else {
                    return Vec::new();
                };
                call(file.range(keyword), *range, &[subject])
            }
            (K::PrefixExpression, [operator, operand]) if prefix_name(file.kind(*operator)) == Some(name) => {
                call(file.range(*operator), *operand, &[])
            }
            (K::PostfixExpression, [operand, operator])
                if prefix_name(file.kind(*operator)) == Some(name) =>
            {
                match file.kind(*operator) {
                    K::Increment | K::Decrement => call(file.range(*operator), *operand, &[]),
                    _ => return Vec::new(),
                }
            }
            (K::Assignment, [target, operator, value]) if assign_name(file.kind(*operator)).is_some() => {
                let (assigning, plain) = assign_name(file.kind(*operator)).unwrap_or_default();
                if name != assigning && name != plain {
                    return Vec::new();
                }
                let one = call(file.range(*operator), *target, &[*value]);
                // `a += b` is `a = a + b` where there is no `plusAssign`.
                if name == plain && self.has_member(file, node, &one, assigning) {
                    return Vec::new();
                }
                one
            }
            (K::IndexingSuffix, values) => return self.indexed_calls(file, node, values, name),
            (K::CallExpression, _) if name == "invoke" => {
                return self.invoked(file, node).into_iter().collect();
            }
            (K::ForStatement, _) => return self.loop_calls(file, node, name).into_iter().collect(),
            (K::MultiVariableDeclaration, _) => match component_number(name) {
                Some(number) => return self.component_call(file, node, number).into_iter().collect(),
                None => return Vec::new(),
            },
            (K::PropertyDelegate, [.., value]) if is_delegates(name) => {
                let Some(keyword) = file.child(node, K::ByToken) else { return Vec::new() };
                let mut receiver = self.expression_type(file, *value);
                if name != "provideDelegate" {
                    let provided =
                        self.find_member(file, node, &receiver, "provideDelegate", NameUse::Reference);
                    if !provided.candidates.is_empty() {
                        receiver = self.lookup_type(&provided);
                    }
                }
                return vec![ConventionCall { range: file.range(keyword), receiver, values: None }];
            }
            _ => return Vec::new(),
        };
        vec![one]
    }

    /// `a[i]` reads, `a[i] = x` writes, `a[i] += x` and `a[i]++` do both.
    fn indexed_calls(
        &self,
        file: &ProjectFile,
        suffix: NodeId,
        values: &[NodeId],
        name: &str,
    ) -> Vec<ConventionCall> {
        let around = file.parent(suffix).and_then(|holder| file.parent(holder));
        let is_target = is_assigned(file, suffix);
        let is_counted = around.is_some_and(|around| has_counter(file, around));
        let assignment = around.filter(|_| is_target);
        let operator = assignment.and_then(|node| file.children(node).nth(1)).map(|node| file.kind(node));
        let reads = operator != Some(K::AssignToken);
        let values = match name {
            "get" if reads => Some(Arguments::operands(values, CallForm::Operator)),
            // The language gives the result of `inc` or `dec`.
            "set" if is_counted => None,
            "set" if is_target => {
                let assigned = assignment.and_then(|node| file.children(node).last());
                let given: Vec<NodeId> = values.iter().copied().chain(assigned).collect();
                Some(Arguments::operands(&given, CallForm::Operator))
            }
            _ => return Vec::new(),
        };
        let receiver = match self.before_suffix(file, suffix) {
            Some(before) => self.value_of(before),
            None => Type::Unknown,
        };
        let start = file.range(suffix).start;
        vec![ConventionCall { range: TextRange::new(start, start + 1), receiver, values }]
    }

    /// A call of a value: `action()`.
    fn invoked(&self, file: &ProjectFile, call: NodeId) -> Option<ConventionCall> {
        let (callee, suffix) = (file.children(call).next()?, file.child(call, K::CallSuffix)?);
        let arguments = Arguments::of(file, suffix);
        let wanted = NameUse::Call(&arguments);
        let receiver = match file.kind(callee) {
            K::SimpleIdentifier if !self.may_be_value(file, file.name_text(callee)) => return None,
            K::SimpleIdentifier => {
                let found = self.find_bare(file, callee, file.name_text(callee), wanted);
                self.invoked_value(file, &found, &arguments)?
            }
            K::NavigationExpression => {
                let last = file.children(callee).last()?;
                let name = file.child(last, K::SimpleIdentifier).map(|name| file.name_text(name));
                if name.is_some_and(|name| !self.may_be_value(file, name)) {
                    return None;
                }
                let found = self.named_by_suffix(file, last, wanted)?;
                self.invoked_value(file, &found, &arguments)?
            }
            _ => self.expression_type(file, callee),
        };
        if matches!(receiver, Type::Function(_)) {
            return None;
        }
        let start = file.range(suffix).start;
        Some(ConventionCall { range: TextRange::new(start, start + 1), receiver, values: Some(arguments) })
    }

    /// Whether something with this name that is no function may be called in a file: a variable, an object or a class. Most names
    /// are those of functions alone, and what these mean is not looked up for each call.
    fn may_be_value(&self, file: &ProjectFile, name: &str) -> bool {
        let is_value = |kind: DeclarationKind| kind.is_variable() || kind.is_classifier() || kind.is_object();
        let mut own = file.declarations.iter().enumerate();
        name == "it"
            || own.any(|(number, one)| is_value(one.kind) && file.name_of(number) == name)
            || file.imports.iter().any(|import| import.alias.as_deref() == Some(name))
            || self.remembered(&self.findings.values, name.to_owned(), || {
                let library = self.library();
                let mut of_library = library.declared(name).chain(library.members(name));
                of_library.any(|id| self.kind(id).is_some_and(is_value)) || self.may_declare_value(name)
            })
    }

    /// Returns the type of the value that is called, where it is a value: a variable, an object, or a companion
    /// where no constructor of its class takes the arguments.
    pub(super) fn invoked_value(
        &self,
        file: &ProjectFile,
        found: &Lookup,
        arguments: &Arguments,
    ) -> Option<Type> {
        let one = found.candidates.first()?.declaration;
        match self.kind(one)? {
            kind if kind.is_variable() => Some(self.lookup_type(found)),
            kind if kind.is_object() => Some(self.self_type(one)),
            _ => {
                let class = self.class_behind(one)?;
                let is_made = self.is_made(file, class, arguments) != Fit::No;
                self.companion(class).filter(|_| !is_made).map(|companion| self.self_type(companion))
            }
        }
    }

    fn loop_calls(&self, file: &ProjectFile, statement: NodeId, name: &str) -> Option<ConventionCall> {
        if !matches!(name, "iterator" | "hasNext" | "next") {
            return None;
        }
        let keyword = file.child(statement, K::InToken)?;
        let subject = file.children(statement).skip_while(|part| *part != keyword).nth(1)?;
        let mut receiver = self.expression_type(file, subject);
        if name != "iterator" {
            receiver = self.member_call_type(file, statement, &receiver, "iterator", &[]);
        }
        let values = Some(Arguments::default());
        Some(ConventionCall { range: file.range(keyword), receiver, values })
    }

    fn component_call(&self, file: &ProjectFile, list: NodeId, number: usize) -> Option<ConventionCall> {
        let mut variables = file.children(list).filter(|part| file.kind(*part) == K::VariableDeclaration);
        let variable =
            variables.nth(number).and_then(|variable| file.child(variable, K::SimpleIdentifier))?;
        if file.text_of(variable) == "_" {
            return None;
        }
        let receiver = self.destructured_type(file, list);
        Some(ConventionCall { range: file.range(variable), receiver, values: Some(Arguments::default()) })
    }

    fn has_member(&self, file: &ProjectFile, node: NodeId, call: &ConventionCall, name: &str) -> bool {
        let wanted = call.values.as_ref().map_or(NameUse::Reference, NameUse::Call);
        let found = self.find_member(file, node, &call.receiver, name, wanted);
        found.certainty > super::resolve::Certainty::Possible && !found.candidates.is_empty()
    }
}

/// Whether a name or suffix is the last part of an assignment's target: `c` in `a.b.c = x`.
pub(super) fn is_assigned(file: &SourceFile, last: NodeId) -> bool {
    file.parent(last).is_some_and(|holder| {
        file.kind(holder) == K::DirectlyAssignableExpression && file.children(holder).last() == Some(last)
    })
}

/// Whether an expression increments or decrements: `a++`, `--a`.
pub(super) fn has_counter(file: &SourceFile, expression: NodeId) -> bool {
    file.children(expression).any(|part| matches!(file.kind(part), K::Increment | K::Decrement))
}

fn is_convention_node(kind: K) -> bool {
    matches!(
        kind,
        K::AdditiveExpression
            | K::MultiplicativeExpression
            | K::RangeExpression
            | K::ComparisonExpression
            | K::EqualityExpression
            | K::CheckExpression
            | K::RangeTest
            | K::PrefixExpression
            | K::PostfixExpression
            | K::Assignment
            | K::IndexingSuffix
            | K::CallExpression
            | K::ForStatement
            | K::MultiVariableDeclaration
            | K::PropertyDelegate
    )
}

fn is_delegates(name: &str) -> bool {
    matches!(name, "getValue" | "setValue" | "provideDelegate")
}

fn binary_name(operator: K) -> Option<&'static str> {
    super::expressions::operator_name(operator)
}

fn prefix_name(operator: K) -> Option<&'static str> {
    Some(match operator {
        K::Plus => "unaryPlus",
        K::Minus => "unaryMinus",
        K::NotToken => "not",
        K::Increment => "inc",
        K::Decrement => "dec",
        _ => return None,
    })
}

/// Returns the function that assigns, and the one whose result is assigned where there is no such.
fn assign_name(operator: K) -> Option<(&'static str, &'static str)> {
    Some(match operator {
        K::PlusAssign => ("plusAssign", "plus"),
        K::MinusAssign => ("minusAssign", "minus"),
        K::TimesAssign => ("timesAssign", "times"),
        K::DivAssign => ("divAssign", "div"),
        K::RemAssign => ("remAssign", "rem"),
        _ => return None,
    })
}

/// Returns the range of what stands between two operands, without blanks.
fn text_between(file: &SourceFile, left: NodeId, right: NodeId) -> TextRange {
    let (start, end) = (file.range(left).end, file.range(right).start);
    let text = file.slice(TextRange::new(start, end));
    let blank = |count: usize| u32::try_from(count).unwrap_or(0);
    let begin = blank(text.len() - text.trim_start().len());
    let rest = blank(text.len() - text.trim_end().len());
    TextRange::new((start + begin).min(end), end.saturating_sub(rest).max(start + begin).min(end))
}

/// Returns the value that a `when` around a condition examines.
fn when_subject(file: &SourceFile, condition: NodeId) -> Option<NodeId> {
    let when = file.ancestors(condition).find(|above| file.kind(*above) == K::WhenExpression)?;
    let subject = file.child(when, K::WhenSubject)?;
    initializer(file, subject).or_else(|| file.children(subject).last())
}
