//! What calls need to know of functions and constructors: their parameters and receivers.

use super::declarations::DeclarationKind;
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// A value parameter of a function or constructor.
#[derive(Clone, Debug)]
pub(super) struct ValueParameter {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) has_default: bool,
    pub(super) is_vararg: bool,
    pub(super) declaration: DeclarationId,
}

impl Universe<'_> {
    /// Returns the value parameters of a function or constructor, without context parameters.
    pub(super) fn parameters(&self, callable: DeclarationId) -> Vec<ValueParameter> {
        let mut found = self.own_parameters(callable);
        let Some((_, declaration)) = self.get(callable) else { return found };
        let of_actual = declaration.kind != DeclarationKind::Function
            && self
                .class_of(callable)
                .and_then(|class| self.get(class))
                .is_some_and(|(_, class)| class.modifiers.is_actual);
        if of_actual {
            found.iter_mut().for_each(|parameter| parameter.has_default = true);
        }
        let inherits = declaration.modifiers.is_override || declaration.modifiers.is_actual;
        if inherits && declaration.kind == DeclarationKind::Function {
            let inherited = self.inherited_defaults(callable, found.len());
            for (number, parameter) in found.iter_mut().enumerate() {
                parameter.has_default |= inherited.as_ref().is_none_or(|all| all.contains(&number));
            }
        }
        found
    }

    /// Returns the parameters with the defaults that the declaration itself states.
    pub(super) fn own_parameters(&self, callable: DeclarationId) -> Vec<ValueParameter> {
        let Some((file, declaration)) = self.get(callable) else { return Vec::new() };
        let (list, kind) = match declaration.kind {
            DeclarationKind::PrimaryConstructor => (Some(declaration.node), K::ClassParameter),
            _ => (file.child(declaration.node, K::FunctionValueParameters), K::Parameter),
        };
        let Some(list) = list else { return Vec::new() };
        let children: Vec<NodeId> = file.children(list).collect();
        let mut found: Vec<ValueParameter> = Vec::new();
        for (at, node) in children.iter().enumerate().filter(|(_, node)| file.kind(**node) == kind) {
            let Some(number) = file.declaration_of(*node) else { continue };
            let has_default = match kind {
                K::ClassParameter => file.child(*node, K::AssignToken).is_some(),
                _ => children.get(at + 1).is_some_and(|next| file.kind(*next) == K::AssignToken),
            };
            found.push(ValueParameter {
                name: file.name_of(number).to_owned(),
                ty: self.type_in(&file, *node).unwrap_or(Type::Unknown),
                has_default,
                is_vararg: file.declarations[number].modifiers.is_vararg,
                declaration: DeclarationId::new(callable.file, number),
            });
        }
        found
    }

    /// Returns which parameters have defaults in the functions that one overrides, or is the `actual` of; `None`
    /// if these are not all known. The language lets only these state defaults.
    fn inherited_defaults(&self, function: DeclarationId, count: usize) -> Option<Vec<usize>> {
        let name = self.name(function);
        let mut above: Vec<DeclarationId> = Vec::new();
        match self.class_of(function) {
            Some(class) => {
                let supertypes = self.ancestors(class);
                if !supertypes.is_complete {
                    return None;
                }
                above
                    .extend(supertypes.classes.iter().flat_map(|(class, _)| self.declared_in(*class, &name)));
                let counterparts = self.counterparts(class);
                let is_actual = self.get(class).is_some_and(|(_, class)| class.modifiers.is_actual);
                if is_actual && counterparts.is_empty() {
                    return None;
                }
                above.extend(counterparts.iter().flat_map(|class| self.declared_itself(*class, &name)));
            }
            None => {
                let (file, _) = self.get(function)?;
                above.extend(self.in_package(&file.package, &name));
            }
        }
        let mut defaults = Vec::new();
        for one in above {
            let Some((_, declaration)) = self.get(one).filter(|_| one != function) else { continue };
            // Those that state none themselves are not asked: it would not end where classes are their own bases.
            if declaration.modifiers.is_override || declaration.modifiers.is_actual {
                continue;
            }
            let parameters = self.parameters(one);
            if parameters.len() == count {
                let stated = parameters.iter().enumerate().filter(|(_, parameter)| parameter.has_default);
                defaults.extend(stated.map(|(number, _)| number));
            }
        }
        Some(defaults)
    }

    /// Returns the type that an extension function or property extends.
    pub(super) fn extension_receiver(&self, id: DeclarationId) -> Option<Type> {
        let (file, declaration) = self.get(id)?;
        let node = property_node(&file, declaration.node);
        match file.kind(node) {
            K::FunctionDeclaration | K::PropertyDeclaration => {
                let receiver = file.child(node, K::ReceiverType)?;
                Some(self.written_type(&file, receiver))
            }
            // `fun Receiver.(x: Int) = …`: a path of names before the list of parameters.
            K::AnonymousFunction => {
                let names: Vec<NodeId> = file
                    .children(node)
                    .take_while(|child| file.kind(*child) != K::FunctionValueParameters)
                    .filter(|child| file.kind(*child) == K::TypeIdentifier)
                    .collect();
                let classifier = self.classifier_of_path(&file, &names);
                (!names.is_empty()).then(|| self.type_of_classifier(&classifier, Vec::new()))
            }
            _ => None,
        }
    }

    /// Whether a function may be called in this form, as far as it is declared so. What overrides, and what is `actual`, inherits that.
    pub(super) fn has_form(&self, function: DeclarationId, form: CallForm) -> bool {
        let Some((_, declaration)) = self.get(function).filter(|_| form != CallForm::Plain) else {
            return true;
        };
        let modifiers = declaration.modifiers;
        let is_declared = if form == CallForm::Infix { modifiers.is_infix } else { modifiers.is_operator };
        is_declared || modifiers.is_override || modifiers.is_actual
    }

    /// Returns the constructors that are declared in a class, in each of its declarations.
    pub(super) fn constructors(&self, class: DeclarationId) -> Vec<DeclarationId> {
        let mut found = self.own_constructors(class);
        for other in self.counterparts(class).iter() {
            found.extend(self.own_constructors(*other));
        }
        found
    }

    fn own_constructors(&self, class: DeclarationId) -> Vec<DeclarationId> {
        let Some((file, declaration)) = self.get(class) else { return Vec::new() };
        let is_constructor = |number: &usize| {
            matches!(
                file.declarations[*number].kind,
                DeclarationKind::PrimaryConstructor | DeclarationKind::SecondaryConstructor
            )
        };
        let all = file.all_in_scope(declaration.node).filter(is_constructor);
        all.map(|number| DeclarationId::new(class.file, number)).collect()
    }

    /// Returns the class that a member or a constructor belongs to.
    pub(super) fn class_of(&self, member: DeclarationId) -> Option<DeclarationId> {
        let (file, declaration) = self.get(member)?;
        let number = file.declaration_of(declaration.scope)?;
        file.declarations[number].kind.is_class().then_some(DeclarationId::new(member.file, number))
    }
}

/// Returns the declaration of the property whose name and type a node holds; the node itself for others.
pub(super) fn property_node(file: &SourceFile, node: NodeId) -> NodeId {
    match (file.kind(node), file.parent(node)) {
        (K::VariableDeclaration, Some(parent)) if file.kind(parent) == K::PropertyDeclaration => parent,
        _ => node,
    }
}

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    /// In order; with a name, where one is given.
    pub(super) values: Vec<Argument>,
    /// A lambda behind the parentheses.
    pub(super) lambda: Option<NodeId>,
    /// The list of type arguments.
    pub(super) types: Option<NodeId>,
    pub(super) form: CallForm,
}

impl Arguments {
    /// Whether nothing is given.
    pub(super) fn are_none(&self) -> bool {
        self.values.is_empty() && self.lambda.is_none()
    }
}

/// How a call is written: as an operator or an infix call it means only functions that are declared so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum CallForm {
    #[default]
    Plain,
    /// `a name b`
    Infix,
    /// `a + b`
    Operator,
}

#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) name: Option<String>,
    pub(super) value: NodeId,
    pub(super) is_spread: bool,
}

impl Arguments {
    /// Reads the arguments of a node that holds a list of them: the suffix of a call, a supertype with a call
    /// of its constructor, a call of another constructor, an annotation, an entry of an enum.
    pub(super) fn of(file: &SourceFile, node: NodeId) -> Arguments {
        let mut arguments = Arguments { types: file.child(node, K::TypeArguments), ..Arguments::default() };
        if let Some(list) = file.child(node, K::ValueArguments) {
            for one in file.children(list).filter(|one| file.kind(*one) == K::ValueArgument) {
                arguments.values.extend(argument(file, one));
            }
        }
        let lambda = file.child(node, K::AnnotatedLambda);
        arguments.lambda = lambda.and_then(|lambda| file.child(lambda, K::LambdaLiteral));
        arguments
    }

    /// Returns how many are given, the lambda behind them included.
    pub(super) fn count(&self) -> usize {
        self.values.len() + usize::from(self.lambda.is_some())
    }

    /// The operands of a call in this form, behind the first.
    pub(super) fn operands(values: &[NodeId], form: CallForm) -> Arguments {
        let one = |value: &NodeId| Argument { name: None, value: *value, is_spread: false };
        Arguments { values: values.iter().map(one).collect(), form, ..Arguments::default() }
    }
}

fn argument(file: &SourceFile, node: NodeId) -> Option<Argument> {
    let parts: Vec<NodeId> = file.children(node).filter(|part| file.kind(*part) != K::Annotation).collect();
    let is_named = parts.len() > 2 && file.kind(parts[1]) == K::AssignToken;
    let name = is_named.then(|| file.name_text(parts[0]).to_owned());
    let mut is_spread = parts.iter().any(|part| file.kind(*part) == K::Times);
    let mut value = *parts.last()?;
    if file.kind(value) == K::SpreadExpression {
        is_spread = true;
        value = file.children(value).last()?;
    }
    // `name@{ … }`
    if file.kind(value) == K::PrefixExpression && file.child(value, K::Label).is_some() {
        value = file.children(value).last()?;
    }
    Some(Argument { name, value, is_spread })
}
