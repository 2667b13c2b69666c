//! Functions and properties that read names of the class of whatever they are given: `fun columns(of: Any) = of::class.java.declaredFields`,
//! `val Any.tag get() = javaClass.simpleName`. A name counts as read where a value of its class is given to one.

use super::callables::Arguments;
use super::calls::{call_of_callee, callee_name, callee_of, suffix_given};
use super::declarations::{DeclarationKind, is_class_node};
use super::lookup::NameUse;
use super::names_in_texts::{NamesInTexts, imported_name};
use super::qualifiers::Qualifier;
use super::resolve::Certainty;
use super::scopes::{Level, property_of_detached};
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{DeclarationId, FileKey, ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// A place where names are read of a class that is not known there.
#[derive(Clone, Debug)]
pub struct ReflectionOfAny {
    pub range: TextRange,
    /// The function, the extended property or the variable with a lambda that is given the value, or the class that keeps what its
    /// constructor is given.
    pub reader: DeclarationId,
    /// Its name.
    pub reader_name: String,
    /// Whether it reads the class of the object that it extends.
    pub is_of_receiver: bool,
}

impl Universe<'_> {
    /// Returns where functions and extended properties of a file read such names of a class that is not known there.
    pub fn reflections_of_any(&self, key: FileKey, names: &NamesInTexts) -> Vec<ReflectionOfAny> {
        let Some(file) = self.file(key) else { return Vec::new() };
        let words = names.words_of_reflection();
        let is_word = |name: NodeId| words.contains(&imported_name(&file, name));
        let mut found = Vec::new();
        for node in file.tree().nodes() {
            self.steps.set(0);
            let (of, is_of_receiver) = match file.kind(node) {
                K::NavigationExpression => {
                    let last = file.children(node).last();
                    let last = last.and_then(|suffix| file.child(suffix, K::SimpleIdentifier));
                    let before = file.children(node).next();
                    let Some(before) = before.filter(|_| last.is_some_and(is_word)) else { continue };
                    if !self.is_of_any(&file, before, names) {
                        continue;
                    }
                    let text = file.text_of(before);
                    (before, text == "javaClass" || text.starts_with("this"))
                }
                // `fun KClass<*>.label() = simpleName`
                K::SimpleIdentifier if is_word(node) => {
                    let object = self.read_object(&file, node);
                    let of = object.as_ref().and_then(|object| self.class_reflected_by(object));
                    if !of.is_some_and(|of| self.may_have_names(of, names)) {
                        continue;
                    }
                    (node, true)
                }
                _ => continue,
            };
            for reader in self.readers_around(&file, node, of) {
                let reader_name = self.name(reader);
                if !reader_name.is_empty() {
                    found.push(ReflectionOfAny {
                        range: file.range(node),
                        reader,
                        reader_name,
                        is_of_receiver,
                    });
                }
            }
        }
        found
    }

    /// Whether an expression is the class of a value that may be an object of the class that has the names, as far as is known there.
    pub(super) fn is_of_any(&self, file: &ProjectFile, class: NodeId, names: &NamesInTexts) -> bool {
        match self.reflected_object(file, class) {
            Some(Qualifier::Value(ty)) => self.may_have_names(&ty, names),
            Some(Qualifier::Class(id)) => self.kind(id) == Some(DeclarationKind::TypeParameter),
            Some(_) => false,
            // A variable that holds the class: `val c = x::class`, `c: KClass<*>`.
            None => self
                .class_reflected_by(&self.expression_type(file, class))
                .is_some_and(|of| self.may_have_names(of, names)),
        }
    }

    /// Returns what gives the value of which names are read: the innermost function around the place or the extended property,
    /// variables that hold lambdas around it, and the class whose constructor keeps the value.
    fn readers_around(&self, file: &ProjectFile, node: NodeId, before: NodeId) -> Vec<DeclarationId> {
        let (function, holders) = functions_around(file, node);
        let names = file.tree().subtree(before).filter(|one| file.kind(*one) == K::SimpleIdentifier);
        let is_kept = names.into_iter().any(|name| {
            let found = self.find_bare(file, name, file.name_text(name), NameUse::Value);
            found.candidates.iter().any(|one| {
                matches!(
                    self.kind(one.declaration),
                    Some(DeclarationKind::Property | DeclarationKind::ConstructorProperty)
                )
            })
        });
        let class = file.class_around(node).filter(|_| is_kept || function.is_none());
        let declared = |number: usize| DeclarationId::new(file.key, number);
        function.map(declared).into_iter().chain(class).chain(holders.into_iter().map(declared)).collect()
    }

    /// Whether a file gives a value that is, or holds, an object of the class that has the names, or the class as a type argument, to what
    /// reads names so.
    pub fn gives_to(&self, key: FileKey, reflection: &ReflectionOfAny, names: &NamesInTexts) -> bool {
        let Some(file) = self.file(key) else { return false };
        let is_given = |node: NodeId| {
            self.steps.set(0);
            match file.kind(node) {
                K::SimpleIdentifier | K::InterpolatedIdentifier | K::TypeIdentifier => {
                    imported_name(&file, node) == reflection.reader_name
                        && self.may_mean(&file, node, reflection.reader)
                        && (self.is_given_at(&file, node, names)
                            || reflection.is_of_receiver && self.is_within(&file, node, names))
                }
                // What calls a constructor without its name.
                K::EnumEntry | K::ConstructorDelegationCall => {
                    self.made_by(&file, node) == Some(reflection.reader)
                        && self.are_given(&file, &Arguments::of(&file, node), names)
                }
                _ => false,
            }
        };
        file.tree().nodes().any(is_given)
    }

    /// Whether a name may mean what reads names: it is not certain that it means something else, which that does not override.
    fn may_mean(&self, file: &ProjectFile, name: NodeId, reader: DeclarationId) -> bool {
        let found = self.resolve_identifier(file, name);
        let class = self.class_of(reader);
        let is_it = |id: DeclarationId| {
            let of = self.class_of(id);
            id == reader
                || of == Some(reader)
                || self.kind(id) == Some(DeclarationKind::TypeAlias)
                || self.counterparts(reader).contains(&id)
                || class.zip(of).is_some_and(|(class, of)| {
                    class == of || self.ancestors(class).classes.iter().any(|(above, _)| *above == of)
                })
        };
        found.certainty != Certainty::Certain
            || found.may_be_other
            || found.declarations.is_empty()
            || found.declarations.iter().any(|id| is_it(*id))
    }

    /// Returns the class whose constructor an enum's entry or another constructor calls.
    fn made_by(&self, file: &ProjectFile, node: NodeId) -> Option<DeclarationId> {
        let class = file.class_around(node)?;
        match file.child(node, K::SuperToken) {
            None => Some(class),
            Some(_) => match self.superclass(class) {
                Type::Class(above) => Some(above.class),
                _ => None,
            },
        }
    }

    /// Whether a name stands behind such an object, is called with one, or with the class as a type argument, or is handed on where one is.
    fn is_given_at(&self, file: &ProjectFile, name: NodeId, names: &NamesInTexts) -> bool {
        let holds = |node: NodeId| self.holds_object(&self.expression_type(file, node), names);
        let Some(above) = file.parent(name) else { return false };
        let called = match file.kind(above) {
            K::InfixExpression => return file.children(above).any(|part| part != name && holds(part)),
            K::UserType => {
                let made = file.parent(above).filter(|made| file.kind(*made) == K::ConstructorInvocation);
                return made.is_some_and(|made| self.are_given(file, &Arguments::of(file, made), names));
            }
            _ if self.is_behind(file, name, names) => return true,
            K::CallableReference => above,
            K::NavigationSuffix => match file.parent(above) {
                Some(row) => row,
                None => return false,
            },
            _ => name,
        };
        let is_reference = |node: NodeId| {
            file.kind(node) == K::CallableReference || file.child(above, K::Reference).is_some()
        };
        let suffix = match call_of_callee(file, called) {
            Some(call) => file.child(call, K::CallSuffix),
            // `shops.map(::named)`
            None if is_reference(called) => suffix_given(file, called),
            None => None,
        };
        let Some(suffix) = suffix else { return false };
        let callee = file.parent(suffix).and_then(|call| callee_of(file, call));
        let handing = callee.and_then(|callee| callee_name(file, callee)).filter(|callee| *callee != name);
        self.are_given(file, &Arguments::of(file, suffix), names)
            || handing.is_some_and(|callee| self.is_behind(file, callee, names))
    }

    /// Whether a name stands behind such an object and a dot.
    fn is_behind(&self, file: &ProjectFile, name: NodeId, names: &NamesInTexts) -> bool {
        let receiver = suffix_of(file, name).and_then(|suffix| self.before_suffix(file, suffix));
        matches!(receiver, Some(Qualifier::Value(ty)) if self.holds_object(&ty, names))
    }

    fn are_given(&self, file: &ProjectFile, arguments: &Arguments, names: &NamesInTexts) -> bool {
        let types = arguments.types.map_or(Vec::new(), |types| self.type_arguments(file, types));
        let mut values = arguments.values.iter().map(|one| one.value).chain(arguments.lambda);
        types.iter().any(|ty| self.holds_object(ty, names))
            || values.any(|value| {
                let ty = match file.kind(value) {
                    K::LambdaLiteral => self.lambda_type(file, value, &Type::Unknown),
                    _ => self.expression_type(file, value),
                };
                self.holds_object(&ty, names)
            })
    }

    /// Whether a name stands behind no object, where such an object is in scope.
    fn is_within(&self, file: &ProjectFile, name: NodeId, names: &NamesInTexts) -> bool {
        let is_of_class =
            |level: &Level| matches!(level, Level::Receiver { ty, .. } if self.holds_object(ty, names));
        suffix_of(file, name).is_none() && self.levels(file, name).iter().any(is_of_class)
    }

    /// Whether a value of a type is such an object, or holds one by its type arguments.
    pub(super) fn holds_object(&self, ty: &Type, names: &NamesInTexts) -> bool {
        let any = |all: &[Type]| all.iter().any(|one| self.holds_object(one, names));
        self.is_kin(ty, names)
            || match ty {
                Type::Class(class) => any(&class.arguments),
                Type::External(class) => any(&class.arguments),
                Type::Both(both) => self.holds_object(&both.0, names) || self.holds_object(&both.1, names),
                // A constructor, or a lambda that makes one.
                Type::Function(function) => self.holds_object(&function.result, names),
                _ => false,
            }
    }
}

fn suffix_of(file: &SourceFile, name: NodeId) -> Option<NodeId> {
    file.parent(name).filter(|above| file.kind(*above) == K::NavigationSuffix)
}

/// Returns the innermost function around a node, or the extended property, and variables that hold a lambda around it within that function, each by
/// its number.
fn functions_around(file: &SourceFile, node: NodeId) -> (Option<usize>, Vec<usize>) {
    let within = file.ancestors(node).take_while(|above| {
        !matches!(file.kind(*above), K::AnonymousInitializer | K::SecondaryConstructor)
            && !is_named_class(file, *above)
    });
    let is_extended = |property: &NodeId| file.child(*property, K::ReceiverType).is_some();
    let (mut holders, mut is_in_lambda) = (Vec::new(), false);
    for above in within {
        let function = match file.kind(above) {
            K::LambdaLiteral | K::AnonymousFunction => {
                is_in_lambda = true;
                None
            }
            K::FunctionDeclaration => file.declaration_of(above),
            K::Getter => {
                let property = property_of_detached(file, above).filter(is_extended);
                property.and_then(|property| variable_of(file, property))
            }
            K::PropertyDeclaration if is_extended(&above) => variable_of(file, above),
            K::PropertyDeclaration if is_in_lambda => {
                holders.extend(variable_of(file, above));
                None
            }
            _ => None,
        };
        if function.is_some() {
            return (function, holders);
        }
    }
    (None, holders)
}

fn is_named_class(file: &SourceFile, node: NodeId) -> bool {
    let number = file.declaration_of(node).filter(|_| is_class_node(file, node));
    number.is_some_and(|number| !file.name_of(number).is_empty())
}

fn variable_of(file: &SourceFile, property: NodeId) -> Option<usize> {
    file.declaration_of(file.child(property, K::VariableDeclaration)?)
}
