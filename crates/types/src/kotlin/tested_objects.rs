//! Whether code around a name shows the object before it to be of a class of the project, where its type is a library's. Not all that the
//! compiler learns of an object is followed: conditions that variables hold, assigned values, objects that are compared.

use super::callables::Arguments;
use super::calls::{callee_name, callee_of};
use super::declared_types::initializer;
use super::lookup::NameUse;
use super::outside_members::is_expected_nowhere;
use super::source_file::SourceFile;
use super::ty::Type;
use super::type_references::type_node;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// The names of an expression without calls: `call`, `holder.call`. Each time it is the same object, unless something is assigned.
type ObjectPath<'f> = Vec<&'f str>;

/// Maximum number of names of one object that are followed.
const MAX_PATHS: usize = 12;

impl Universe<'_> {
    /// Whether code around a name behind an object may show the object to be of a class, or of one below it: a test or cast of it, a comparison
    /// with an object of the project, an assignment, a call of a function that tells.
    pub(super) fn is_tested_around(&self, file: &ProjectFile, node: NodeId, class: DeclarationId) -> bool {
        // What a call gives is another object each time.
        let Some(mut objects) = paths_before(file, node) else { return false };
        let Some(around) = code_run_through(file, node) else { return true };
        add_other_names(file, around, &mut objects);
        objects.len() >= MAX_PATHS
            || file.tree().subtree(around).any(|one| {
                self.may_tell_class(file, one, &objects) || self.names_class(file, one, &objects, class)
            })
    }

    /// Whether a node is a test or cast of one of the objects, or a call with it, that writes the class, or one below it.
    fn names_class(
        &self,
        file: &ProjectFile,
        test: NodeId,
        objects: &[ObjectPath],
        class: DeclarationId,
    ) -> bool {
        let (holder, ty) = match file.kind(test) {
            K::CheckExpression | K::AsExpression => (Some(test), file.children(test).last()),
            K::TypeTest => {
                let when = ancestor(file, test, K::WhenExpression);
                (when.and_then(|when| file.child(when, K::WhenSubject)), file.children(test).last())
            }
            K::TypeProjection => (ancestor(file, test, K::CallExpression), type_node(file, test)),
            _ => return false,
        };
        let is_named = |one: NodeId| {
            let name = match file.kind(one) {
                K::SimpleIdentifier | K::InterpolatedIdentifier => file.name_text(one),
                K::ThisExpression => THIS,
                _ => return false,
            };
            objects.iter().any(|object| object.contains(&name))
        };
        let (Some(holder), Some(ty)) = (holder, ty) else { return false };
        file.tree().subtree(holder).any(is_named)
            && match self.written_type(file, ty) {
                Type::Class(tested) => {
                    self.representative(tested.class) == self.representative(class)
                        || self.is_below(tested.class, class)
                }
                Type::Parameter(_) | Type::Unknown => true,
                _ => false,
            }
    }

    /// Whether a node may show one of the objects to be of a class that it does not write.
    fn may_tell_class(&self, file: &ProjectFile, node: NodeId, objects: &[ObjectPath]) -> bool {
        let is_object = |one: NodeId| is_one_of(file, one, objects);
        let is_own = |value: NodeId| !self.is_plain(&self.expression_type(file, value));
        match file.kind(node) {
            K::EqualityExpression => {
                let sides: Vec<NodeId> = file.children(node).collect();
                let (Some(left), Some(right)) = (sides.first(), sides.last()) else { return false };
                is_object(*left) && is_own(*right) || is_object(*right) && is_own(*left)
            }
            K::Assignment => {
                let Some((target, value)) = assigned(file, node) else { return false };
                names_one_of(&target, objects)
                    && (file.child(node, K::AssignToken).is_none() || !self.is_nothing_own(file, value))
                    && !is_object(value)
            }
            K::WhenExpression => {
                let subject = file.child(node, K::WhenSubject);
                let is_of_object = subject.is_some_and(|subject| {
                    let value = initializer(file, subject).or_else(|| file.children(subject).last());
                    value.is_some_and(is_object)
                });
                let conditions = file
                    .children(node)
                    .filter(|entry| file.kind(*entry) == K::WhenEntry)
                    .flat_map(|entry| file.children(entry))
                    .filter(|part| file.kind(*part) == K::WhenCondition)
                    .filter_map(|condition| file.children(condition).next());
                is_of_object
                    && conditions
                        .filter(|one| !matches!(file.kind(*one), K::TypeTest | K::RangeTest))
                        .any(is_own)
            }
            K::CallExpression => self.may_tell_by_call(file, node, objects),
            K::InfixExpression => {
                let parts: Vec<NodeId> = file.children(node).collect();
                let [left, name, right] = parts[..] else { return false };
                (is_object(left) || is_object(right)) && self.shows_types(file, file.name_text(name))
            }
            _ => false,
        }
    }

    /// Whether a call with one of the objects, or on one, is of a function that may tell its class: by its contract, which may be that of a
    /// library's function whose type argument the place of the call decides (`val task: Task = assertIs(call)`).
    fn may_tell_by_call(&self, file: &ProjectFile, call: NodeId, objects: &[ObjectPath]) -> bool {
        let (Some(callee), Some(suffix)) = (callee_of(file, call), file.child(call, K::CallSuffix)) else {
            return false;
        };
        let Some(name) = callee_name(file, callee).map(|name| file.name_text(name)) else { return false };
        let arguments = Arguments::of(file, suffix);
        let is_given = arguments.values.iter().any(|one| is_one_of(file, one.value, objects));
        let is_called_on = match file.kind(callee) {
            K::NavigationExpression => {
                file.children(callee).next().is_some_and(|before| is_one_of(file, before, objects))
            }
            _ => objects.iter().any(|object| object[..] == [THIS]),
        };
        if !is_given && !is_called_on {
            return false;
        }
        let is_outside = || match file.kind(callee) {
            K::SimpleIdentifier => {
                self.find_bare(file, callee, name, NameUse::Call(&arguments)).candidates.is_empty()
            }
            _ => file
                .children(callee)
                .last()
                .and_then(|suffix| self.named_by_suffix(file, suffix, NameUse::Call(&arguments)))
                .is_none_or(|found| found.candidates.is_empty()),
        };
        // What makes an object has no contract.
        let may_be_told = || {
            is_given
                && !name.starts_with(char::is_uppercase)
                && !is_statement(file, call)
                && !is_expected_nowhere(file, call)
                && is_outside()
                && !self.is_plain(&self.expected_type(file, call))
        };
        self.shows_types(file, name) || may_be_told()
    }
}

/// How `this` stands in a path.
const THIS: &str = "this";

fn ancestor(file: &SourceFile, node: NodeId, kind: K) -> Option<NodeId> {
    file.ancestors(node).find(|above| file.kind(*above) == kind)
}

/// Returns the outermost function around a node, the whole file outside of functions: what is shown before a function is called
/// tells nothing within it.
fn code_run_through(file: &SourceFile, node: NodeId) -> Option<NodeId> {
    let is_function = |above: &NodeId| file.kind(*above) == K::FunctionDeclaration;
    let function = file.ancestors(node).filter(is_function).last();
    // Statements of a script follow one another.
    function.or_else(|| file.ancestors(node).last())
}

/// Returns the objects that stand before a name, `this` where nothing does; `None` if it is one that a call gives.
fn paths_before(file: &SourceFile, name: NodeId) -> Option<Vec<ObjectPath<'_>>> {
    let this = || Some(vec![vec![THIS]]);
    let above = file.parent(name)?;
    if file.kind(above) == K::InfixExpression {
        let left = file.children(above).next().filter(|left| *left != name);
        return left.map_or_else(this, |left| paths_in(file, left));
    }
    if file.kind(above) != K::NavigationSuffix {
        return this();
    }
    let holder = file.parent(above)?;
    let mut before = file.children(holder).take_while(|part| *part < above);
    let mut paths = paths_in(file, before.next()?)?;
    // `a.b.c = …` is a row of suffixes.
    for suffix in before.filter(|part| file.text_of(*part) != "!!") {
        let name = file.child(suffix, K::SimpleIdentifier)?;
        paths.iter_mut().for_each(|path| extend(path, file.name_text(name)));
    }
    Some(paths)
}

/// Returns the objects that an expression may give; `None` if it begins with a call.
fn paths_in(file: &SourceFile, expression: NodeId) -> Option<Vec<ObjectPath<'_>>> {
    if let Some(path) = path_of(file, expression) {
        return Some(vec![path]);
    }
    let mut firsts = std::iter::successors(Some(expression), |node| file.children(*node).next());
    if firsts.any(|node| matches!(file.kind(node), K::CallExpression | K::IndexingExpression)) {
        return None;
    }
    Some(file.tree().subtree(expression).filter_map(|node| path_of(file, node)).collect())
}

/// Returns the path that an expression is.
fn path_of(file: &SourceFile, expression: NodeId) -> Option<ObjectPath<'_>> {
    let (mut node, mut names) = (expression, Vec::new());
    loop {
        match file.kind(node) {
            K::SimpleIdentifier | K::InterpolatedIdentifier => {
                names.push(file.name_text(node));
                break;
            }
            K::ThisExpression => {
                // `this.call` is `call`.
                if names.is_empty() {
                    names.push(THIS);
                }
                break;
            }
            K::NavigationExpression => {
                let last = file.children(node).last()?;
                names.push(file.name_text(file.child(last, K::SimpleIdentifier)?));
                node = file.children(node).next()?;
            }
            K::ParenthesizedExpression | K::PostfixExpression => node = file.children(node).next()?,
            _ => return None,
        }
    }
    names.reverse();
    Some(names)
}

fn extend<'f>(path: &mut ObjectPath<'f>, name: &'f str) {
    path.retain(|one| *one != THIS);
    path.push(name);
}

/// Whether an expression is one of the objects, or what holds it.
fn is_one_of(file: &SourceFile, expression: NodeId, objects: &[ObjectPath]) -> bool {
    path_of(file, expression).is_some_and(|path| names_one_of(&path, objects))
}

fn names_one_of(path: &[&str], objects: &[ObjectPath]) -> bool {
    objects.iter().any(|object| object.starts_with(path))
}

/// Adds the variables that hold one of the objects, and what those hold that are one: `val other = call`.
fn add_other_names<'f>(file: &'f SourceFile, around: NodeId, objects: &mut Vec<ObjectPath<'f>>) {
    let bindings: Vec<(ObjectPath, ObjectPath)> =
        file.tree().subtree(around).filter_map(|node| binding_of(file, node)).collect();
    let mut at = 0;
    while let Some(object) = objects.get(at).cloned() {
        for (name, value) in &bindings {
            let other = if *name == object { value } else { name };
            let is_bound = *name == object || *value == object;
            if is_bound && !objects.contains(other) && objects.len() < MAX_PATHS {
                objects.push(other.clone());
            }
        }
        at += 1;
    }
}

/// Returns the variable that a node gives a value to, with the path that the value is. What `?:` and branches give is no other name of it.
fn binding_of(file: &SourceFile, node: NodeId) -> Option<(ObjectPath<'_>, ObjectPath<'_>)> {
    let bound = match file.kind(node) {
        K::PropertyDeclaration | K::WhenSubject => {
            let name = file
                .child(node, K::VariableDeclaration)
                .and_then(|variable| file.child(variable, K::SimpleIdentifier));
            name.zip(initializer(file, node)).map(|(name, value)| (vec![file.name_text(name)], value))
        }
        K::Assignment => assigned(file, node).filter(|_| file.child(node, K::AssignToken).is_some()),
        _ => None,
    };
    let (name, value) = bound?;
    path_of(file, value).map(|value| (name, value))
}

/// Returns what an assignment assigns to, and the value; `None` where that is an element.
fn assigned(file: &SourceFile, assignment: NodeId) -> Option<(ObjectPath<'_>, NodeId)> {
    let target = file.children(assignment).next()?;
    let value = file.children(assignment).last()?;
    let mut parts = file.children(target);
    let mut path = match file.kind(target) {
        K::DirectlyAssignableExpression => path_of(file, parts.next()?)?,
        _ => return path_of(file, target).map(|path| (path, value)),
    };
    for suffix in parts.filter(|part| file.text_of(*part) != "!!") {
        extend(&mut path, file.name_text(file.child(suffix, K::SimpleIdentifier)?));
    }
    Some((path, value))
}

/// Whether what a call gives is given up.
fn is_statement(file: &SourceFile, call: NodeId) -> bool {
    file.parent(call).is_some_and(|above| {
        let is_of_function = || file.parent(above).is_some_and(|body| file.kind(body) == K::FunctionBody);
        file.kind(above) == K::Statements && (file.children(above).last() != Some(call) || is_of_function())
    })
}
