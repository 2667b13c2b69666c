//! Type parameters that only the body of a lambda tells, by what it gives the object that it builds: `sequence { yield(node) }`,
//! `buildMap { put("a", node) }`.

use super::applicability::pair_arguments;
use super::callables::{Arguments, CallForm};
use super::declarations::{DeclarationKind, is_class_node};
use super::inference::{is_function_value, mentions};
use super::lookup::NameUse;
use super::source_file::SourceFile;
use super::substitution::Substitution;
use super::subtyping::Fit;
use super::ty::{ClassType, Type};
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// What a lambda gives the object that it builds.
struct Building<'b> {
    /// The object's class, with the type parameters in question.
    object: &'b ClassType,
    /// These type parameters.
    open: &'b [DeclarationId],
    bound: Substitution,
    /// Those for which a value of an unknown type is given.
    undecided: Vec<DeclarationId>,
}

impl Universe<'_> {
    /// Binds those of `open` that stand in the type of the object of a lambda, by what the lambda's body gives members of that object.
    /// Binds nothing where the body does more with the object than call its members.
    pub(super) fn bind_by_body(
        &self,
        file: &ProjectFile,
        lambda: NodeId,
        object: &ClassType,
        open: &[DeclarationId],
        bound: &mut Substitution,
    ) {
        let mut building = Building { object, open, bound: Substitution::default(), undecided: Vec::new() };
        if self.read_body(file, lambda, &mut building).is_none() {
            return;
        }
        for parameter in open.iter().filter(|one| !building.undecided.contains(one)) {
            if let Some(ty) = building.bound.get(*parameter) {
                bound.bind_unknown(*parameter, ty.clone());
            }
        }
    }

    /// Reads the calls in a lambda; `None` where the object may get values in other ways.
    fn read_body(&self, file: &ProjectFile, lambda: NodeId, building: &mut Building) -> Option<()> {
        for node in file.tree().subtree(lambda) {
            match file.kind(node) {
                K::ThisExpression if file.child(node, K::TypeIdentifier).is_none() => {
                    if self.is_own(file, node, lambda, "")?
                        && let Some((name, arguments)) = self.use_of_this(file, node)?
                    {
                        self.read_call(file, (node, false), name, &arguments, building)?;
                    }
                }
                K::SimpleIdentifier if is_called(file, node) => {
                    let name = file.name_text(node);
                    match self.is_own(file, node, lambda, name) {
                        Some(false) => {}
                        Some(true) => {
                            let arguments = Arguments::of(file, suffix_of(file, file.parent(node)?));
                            self.read_call(file, (node, true), name, &arguments, building)?;
                        }
                        None if self.declares_function(building.object, name) => return None,
                        None => {}
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Whether a bare name, or `this`, in a lambda is of the lambda's own object and of none further in; `None` where that is not known.
    fn is_own(&self, file: &ProjectFile, node: NodeId, lambda: NodeId, name: &str) -> Option<bool> {
        for around in file.ancestors(node).take_while(|around| *around != lambda) {
            match file.kind(around) {
                K::LambdaLiteral => match self.expected_lambda(file, around) {
                    Type::Function(function) => match &function.receiver {
                        Some(Type::Class(inner))
                            if name.is_empty() || self.declares_function(inner, name) =>
                        {
                            return Some(false);
                        }
                        Some(Type::Class(_)) | None => {}
                        Some(_) => return None,
                    },
                    Type::Nothing => {}
                    _ => return None,
                },
                K::AnonymousFunction | K::FunctionDeclaration
                    if file.child(around, K::ReceiverType).is_some() =>
                {
                    return None;
                }
                _ if is_class_node(file, around) => return None,
                _ => {}
            }
        }
        Some(true)
    }

    fn declares_function(&self, class: &ClassType, name: &str) -> bool {
        let ty = Type::class(class.class, class.arguments.clone());
        !self.members(&ty, name, &DeclarationKind::is_function).found.is_empty()
    }

    /// Returns the call that a use of `this` makes: `this.add(x)`, `this[key] = value`; nothing for one that only reads, and `None` for a use
    /// that may do anything.
    #[expect(clippy::option_option, reason = "nothing, and not known, are two things")]
    fn use_of_this<'f>(&self, file: &'f ProjectFile, node: NodeId) -> Option<Option<(&'f str, Arguments)>> {
        let holder = file.parent(node)?;
        let first = file.children(holder).next() == Some(node);
        let behind = file.children(holder).nth(1).filter(|_| first);
        match (file.kind(holder), behind.map(|behind| file.kind(behind))) {
            (K::DirectlyAssignableExpression, Some(K::IndexingSuffix)) => {
                let assignment = file.parent(holder)?;
                let mut values: Vec<NodeId> = file.children(behind?).collect();
                values.extend(file.children(assignment).last());
                Some(Some(("set", Arguments::operands(&values, CallForm::Operator))))
            }
            (K::IndexingExpression, Some(_)) => Some(None),
            (K::NavigationExpression, Some(K::NavigationSuffix)) => {
                let name = file.child(behind?, K::SimpleIdentifier)?;
                let call = file.parent(holder).filter(|call| file.kind(*call) == K::CallExpression);
                Some(call.map(|call| (file.name_text(name), Arguments::of(file, suffix_of(file, call)))))
            }
            _ => None,
        }
    }

    /// Binds by the values of one call; `None` where it is an extension that may give the object anything.
    fn read_call(
        &self,
        file: &ProjectFile,
        (at, is_bare): (NodeId, bool),
        name: &str,
        arguments: &Arguments,
        building: &mut Building,
    ) -> Option<()> {
        let object = Type::class(building.object.class, building.object.arguments.clone());
        let found = match is_bare {
            true => self.find_bare(file, at, name, NameUse::Call(arguments)),
            false => self.find_member(file, at, &object, name, NameUse::Call(arguments)),
        };
        for member in &found.candidates {
            let id = member.declaration;
            let parameters = self.parameters(id);
            let seen = match (self.extension_receiver(id), self.class_of(id)) {
                (Some(extended), _) => {
                    let own = self.type_parameters(id);
                    if self.fits(&object, &extended, &own) == Fit::No {
                        continue;
                    }
                    // `MutableMap<K, V>.set(key, value)`
                    let Type::Class(extended) = &extended else { return None };
                    let of =
                        self.arguments_as(building.object.class, &building.object.arguments, extended.class)?;
                    let mut seen = Substitution::default();
                    for (pattern, actual) in extended.arguments.iter().zip(&of) {
                        match pattern {
                            Type::Parameter(parameter) if own.contains(parameter) => {
                                seen.bind(*parameter, actual.clone());
                            }
                            // `fun MutableList<Shape>.fill()` says what the object holds.
                            _ => return None,
                        }
                    }
                    seen
                }
                (None, Some(class)) => {
                    let Some(of) =
                        self.arguments_as(building.object.class, &building.object.arguments, class)
                    else {
                        continue;
                    };
                    Substitution::new(&self.type_parameters(class), &of)
                }
                (None, None) => continue,
            };
            let Some(pairs) = pair_arguments(&parameters, arguments) else { continue };
            for (number, value, is_array) in pairs {
                let wanted = seen.apply(&parameters[number].ty);
                if !mentions(&wanted, building.open) || is_function_value(file, value) {
                    continue;
                }
                let given = self.expression_type(file, value);
                let actual = if is_array { self.element_type(file, value, &given) } else { given };
                if actual.is_unknown() {
                    let named = building.open.iter().filter(|one| mentions(&wanted, &[**one]));
                    building.undecided.extend(named);
                }
                self.unify(&wanted, &actual, building.open, &mut building.bound);
                self.left_open(&wanted, &actual, building.open, &mut building.undecided);
            }
        }
        Some(())
    }
}

fn is_called(file: &SourceFile, node: NodeId) -> bool {
    file.parent(node).is_some_and(|call| {
        file.kind(call) == K::CallExpression
            && file.children(call).next() == Some(node)
            && file.child(call, K::CallSuffix).is_some()
    })
}

fn suffix_of(file: &SourceFile, call: NodeId) -> NodeId {
    file.child(call, K::CallSuffix).unwrap_or(call)
}
