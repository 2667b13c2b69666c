//! Calls of functions that are neither the project's nor the known library's. The lambdas that these take may
//! have a receiver; it is an object of the project only where the call is given one, or a type argument.

use super::callables::Arguments;
use super::lookup::NameUse;
use super::qualifiers::Qualifier;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe, Work};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Whether a lambda is passed to a function from outside that cannot give it an object of the project as
    /// its receiver.
    pub(super) fn has_foreign_receiver(&self, file: &ProjectFile, lambda: NodeId) -> bool {
        let (memo, guard) = (&self.findings.foreign_lambdas, (Work::ForeignLambda, file.key, lambda));
        let find = || self.finds_foreign_receiver(file, lambda);
        let found = self.remembered_and_guarded(memo, (file.key, lambda), guard, find);
        found.unwrap_or(false)
    }

    fn finds_foreign_receiver(&self, file: &ProjectFile, lambda: NodeId) -> bool {
        let Some(suffix) = file.ancestors(lambda).find(|above| file.kind(*above) == K::CallSuffix) else {
            return false;
        };
        let is_argument = file.ancestors(lambda).take_while(|above| *above != suffix).all(|above| {
            matches!(file.kind(above), K::AnnotatedLambda | K::ValueArguments | K::ValueArgument)
        });
        let arguments = Arguments::of(file, suffix);
        let callee = file.parent(suffix).and_then(|call| file.children(call).next());
        let is_lambda = |value| file.kind(value) == K::LambdaLiteral;
        if !is_argument || arguments.types.is_some() {
            return false;
        }
        // What takes values has hardly ever a receiver beside them, and one of the project least of all.
        if file.child(lambda, K::LambdaParameters).is_some() {
            return callee.is_some_and(|callee| self.is_declared_outside(file, callee, &arguments));
        }
        callee.is_some_and(|callee| self.is_foreign_callee(file, callee, &arguments))
            && arguments
                .values
                .iter()
                .all(|one| is_lambda(one.value) || self.is_foreign_value(file, one.value))
    }

    /// Whether what is called has a name that nothing of the project or the known library has there.
    pub(super) fn is_declared_outside(
        &self,
        file: &ProjectFile,
        callee: NodeId,
        arguments: &Arguments,
    ) -> bool {
        let wanted = NameUse::Call(arguments);
        let found = match file.kind(callee) {
            K::SimpleIdentifier => Some(self.find_bare(file, callee, file.name_text(callee), wanted)),
            K::NavigationExpression => {
                file.children(callee).last().and_then(|suffix| self.named_by_suffix(file, suffix, wanted))
            }
            _ => None,
        };
        found.is_some_and(|found| found.candidates.is_empty() && !found.may_be_other)
            && !self.may_be_imported(file, callee)
    }

    /// Whether a name, or the last one of a path, may be that of a declaration of the project's own packages that
    /// is not known: generated, or in a part of the project that is not there.
    pub(super) fn may_be_imported(&self, file: &ProjectFile, callee: NodeId) -> bool {
        let name = match file.kind(callee) {
            K::SimpleIdentifier => Some(callee),
            _ => file.children(callee).last().and_then(|suffix| file.child(suffix, K::SimpleIdentifier)),
        };
        let Some(name) = name.map(|name| file.name_text(name)) else { return false };
        match file.imports.iter().find(|import| import.bound() == Some(name)) {
            Some(import) => self.may_declare(&import.path),
            None => file.imports.iter().filter(|import| import.is_star).any(|import| {
                !self.has_package(&import.path) && self.may_declare(&format!("{}.{name}", import.path))
            }),
        }
    }

    /// Whether what is called is declared outside, and is called on no object of the project.
    pub(super) fn is_foreign_callee(
        &self,
        file: &ProjectFile,
        callee: NodeId,
        arguments: &Arguments,
    ) -> bool {
        let wanted = NameUse::Call(arguments);
        match file.kind(callee) {
            K::SimpleIdentifier => {
                let found = self.find_bare(file, callee, file.name_text(callee), wanted);
                found.candidates.is_empty()
                    && !found.may_be_other
                    && !self.may_be_imported(file, callee)
                    && !self.has_foreign_generics(file, callee)
            }
            K::NavigationExpression => {
                let Some(suffix) = file.children(callee).last() else { return false };
                match self.before_suffix(file, suffix) {
                    Some(Qualifier::External(_)) => true,
                    Some(Qualifier::Value(Type::External(_))) => {
                        self.is_declared_outside(file, callee, arguments)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Whether a class extends one from outside that it gives type arguments: members that it inherits may be
    /// given objects of these.
    pub(super) fn extends_foreign_generics(&self, class: DeclarationId) -> bool {
        let above = self.ancestors(class);
        !above.is_complete
            && std::iter::once(class).chain(above.classes.iter().map(|(above, _)| *above)).any(|class| {
                let has_arguments =
                    |ty: &Type| matches!(ty, Type::External(above) if !above.arguments.is_empty());
                // By an alias, too.
                if self.direct_supertypes(class).iter().any(has_arguments) {
                    return true;
                }
                let Some((file, declaration)) = self.get(class) else { return true };
                let heads =
                    file.children(declaration.node).filter(|one| file.kind(*one) == K::DelegationSpecifier);
                heads
                    .into_iter()
                    .any(|head| file.tree().subtree(head).any(|node| file.kind(node) == K::TypeArguments))
            })
    }

    /// Whether a value is no object of the project, and holds none.
    fn is_foreign_value(&self, file: &ProjectFile, value: NodeId) -> bool {
        match file.kind(value) {
            K::NavigationExpression => {
                let root = file.children(value).next();
                root.is_some_and(|root| self.is_foreign_root(file, root))
            }
            K::CallExpression => {
                let mut parts = file.children(value);
                let (Some(callee), Some(suffix)) = (parts.next(), parts.last()) else { return false };
                let arguments = Arguments::of(file, suffix);
                let is_foreign = match file.kind(callee) {
                    K::NavigationExpression => self.is_foreign_value(file, callee),
                    _ => {
                        self.is_foreign_callee(file, callee, &arguments)
                            || self.is_plain(&self.expression_type(file, value))
                    }
                };
                is_foreign
                    && arguments.types.is_none()
                    && arguments.values.iter().all(|one| self.is_foreign_value(file, one.value))
            }
            _ => self.is_plain(&self.expression_type(file, value)),
        }
    }

    fn is_foreign_root(&self, file: &ProjectFile, root: NodeId) -> bool {
        matches!(self.qualifier(file, root), Some(Qualifier::External(_)))
            || self.is_foreign_value(file, root)
    }
}
