//! Names that mean nothing that a file sees, as while code is written: an import is missing, the package is not written out, or the line
//! before ends with a dot. What the project declares is possible then, so that no answer about it is said to be complete.

use super::declarations::DeclarationKind;
use super::lookup::NameUse;
use super::qualifiers::Qualifier;
use super::resolve::is_argument_name;
use super::scopes::Level;
use super::source_file::SourceFile;
use super::split_infix::split_call;
use super::subtyping::Fit;
use super::ty::Type;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

impl Universe<'_> {
    /// Returns the project's declarations that an identifier may mean for which nothing was found; none where a declaration from outside may be
    /// meant.
    pub(super) fn unbound(&self, file: &ProjectFile, node: NodeId) -> Vec<DeclarationId> {
        let name = file.name_text(node);
        match file.parent(node).map(|parent| (parent, file.kind(parent))) {
            Some((suffix, K::NavigationSuffix)) => match self.before_suffix(file, suffix) {
                Some(Qualifier::Class(class)) => {
                    let companion = self.value_of(Qualifier::Class(class));
                    self.extensions_elsewhere(file, &companion, name)
                }
                Some(Qualifier::Value(ty)) => self.extensions_elsewhere(file, &ty, name),
                _ => Vec::new(),
            },
            Some((infix, K::InfixExpression))
                if file.children(infix).nth(1) == Some(node) && split_call(file, infix).is_none() =>
            {
                let object = file.children(infix).next();
                object.map_or(Vec::new(), |object| {
                    self.extensions_elsewhere(file, &self.expression_type(file, object), name)
                })
            }
            Some((path, K::UserType)) => {
                let is_first =
                    file.children(path).find(|one| file.kind(*one) == K::TypeIdentifier) == Some(node);
                match is_first {
                    true => self.not_imported(file, node, name),
                    false => self.nested_elsewhere(file, path, node),
                }
            }
            Some((argument, K::ValueArgument)) if is_argument_name(file, argument, node) => Vec::new(),
            Some((_, K::Identifier | K::Parameter | K::ThisExpression | K::SuperExpression)) | None => {
                Vec::new()
            }
            Some(_) => match file.kind(node) {
                K::SimpleIdentifier | K::InterpolatedIdentifier => self.not_imported(file, node, name),
                _ => Vec::new(),
            },
        }
    }

    /// Returns what a name without a receiver may mean.
    fn not_imported(&self, file: &ProjectFile, node: NodeId, name: &str) -> Vec<DeclarationId> {
        let is_bound = || file.imports.iter().any(|import| import.bound() == Some(name));
        if name == "it" || self.is_kept_value(file, node, name) || is_bound() {
            return Vec::new();
        }
        // `val size = size` while the value is written.
        let own = file.ancestors(node).find_map(|above| variable_of(file, above, name));
        if let Some(number) = own {
            let local = DeclarationId::new(file.key, number);
            return std::iter::once(local).chain(self.elsewhere(file, name)).collect();
        }
        let found = self.elsewhere(file, name);
        if found.is_empty() || self.may_be_inherited(file, node, name) { Vec::new() } else { found }
    }

    /// Returns the classes that a name behind a dot of a written type may mean, where the name before the dot means nothing.
    fn nested_elsewhere(&self, file: &ProjectFile, path: NodeId, node: NodeId) -> Vec<DeclarationId> {
        let mut names = file.children(path).filter(|one| file.kind(*one) == K::TypeIdentifier);
        let Some(outer) = names.next().filter(|_| names.next() == Some(node)) else { return Vec::new() };
        let outer = self.not_imported(file, outer, file.name_text(outer));
        let nested = self.elsewhere(file, file.name_text(node));
        nested
            .into_iter()
            .filter(|id| self.class_of(*id).is_some_and(|class| outer.contains(&class)))
            .collect()
    }

    /// Whether an object around a node may have a member of the name from outside the project. Where the name of its class, or of a
    /// supertype, means nothing either, the project's may as well be meant.
    fn may_be_inherited(&self, file: &ProjectFile, node: NodeId, name: &str) -> bool {
        let of_class =
            |class: DeclarationId| !self.ancestors(class).is_complete && !self.lacks_supertype(class);
        let levels = self.levels(file, node);
        let is_open = |ty: &Type| *ty == Type::Unknown || ty.is_foreign();
        let open =
            levels.iter().filter(|level| matches!(level, Level::Receiver { ty, .. } if is_open(ty))).count();
        let may_be_member = |level: &Level| match level {
            Level::Receiver { ty: Type::Class(class), .. } => of_class(class.class),
            Level::Receiver { ty, .. } => !is_open(ty) && self.members(ty, name, &|_| true).may_be_more,
            Level::Statics { class } => of_class(*class),
            _ => false,
        };
        levels.iter().any(may_be_member) || open > self.unbound_objects(file, node)
    }

    /// Returns of how many objects around a node the type is not known because a name in the file means nothing: that of the class that a
    /// function extends, or of the function that a lambda is passed to.
    fn unbound_objects(&self, file: &ProjectFile, node: NodeId) -> usize {
        let is_unbound = |above: &NodeId| match file.kind(*above) {
            K::FunctionDeclaration | K::PropertyDeclaration => file
                .child(*above, K::ReceiverType)
                .is_some_and(|receiver| self.written_type(file, receiver) == Type::Unknown),
            K::LambdaLiteral => {
                let call = file.ancestors(*above).find(|one| file.kind(*one) == K::CallExpression);
                let callee = call.and_then(|call| file.children(call).next());
                callee.is_some_and(|callee| {
                    let name = file.name_text(callee);
                    file.kind(callee) == K::SimpleIdentifier
                        && !file.imports.iter().any(|import| import.bound() == Some(name))
                        && !self.elsewhere(file, name).is_empty()
                        && self.expected_lambda(file, *above) == Type::Unknown
                })
            }
            _ => false,
        };
        file.ancestors(node).filter(is_unbound).count()
    }

    /// Whether a supertype of a class has a name that means nothing.
    fn lacks_supertype(&self, class: DeclarationId) -> bool {
        let mut all = std::iter::once(class).chain(self.classes_above(class));
        self.ancestors(class).may_lack_own
            && all.any(|class| self.direct_supertypes(class).contains(&Type::Unknown))
    }

    /// Returns the extensions of a name that an import could bring and that take an object of a type, of which all members are known.
    pub(super) fn extensions_elsewhere(
        &self,
        file: &ProjectFile,
        ty: &Type,
        name: &str,
    ) -> Vec<DeclarationId> {
        if ty.is_unknown() || self.members(ty, name, &|_| true).may_be_more {
            return Vec::new();
        }
        let takes = |id: &DeclarationId| {
            let own = self.type_parameters(*id);
            self.extension_receiver(*id).is_some_and(|wanted| self.fits(ty, &wanted, &own) != Fit::No)
        };
        self.elsewhere(file, name).into_iter().filter(takes).collect()
    }

    /// Returns the project's declarations of a name that an import could bring: those outside of classes, members of objects, entries
    /// and nested classes.
    fn elsewhere(&self, file: &ProjectFile, name: &str) -> Vec<DeclarationId> {
        let is_importable = |id: &DeclarationId| {
            let is_of_object = |class| self.kind(class).is_some_and(DeclarationKind::is_object);
            self.kind(*id).is_some_and(|kind| kind.is_classifier() || kind == DeclarationKind::EnumEntry)
                || self.class_of(*id).is_some_and(is_of_object)
        };
        let members = self.members_called(name);
        let members = members.iter().flat_map(|all| all.iter()).filter(|id| is_importable(id));
        let all = self.top_level(name);
        let all = all.iter().filter(|id| !self.of_library(**id)).chain(members);
        all.copied().filter(|id| self.is_visible(file, *id)).collect()
    }

    /// Returns what a name would mean if it began a statement, where it stands on the line after the dot before it: the line before may
    /// be written still.
    pub(super) fn behind_open_dot(&self, file: &ProjectFile, node: NodeId) -> Vec<DeclarationId> {
        let suffix = file.parent(node).filter(|above| file.kind(*above) == K::NavigationSuffix);
        let Some(suffix) = suffix.filter(|suffix| ends_line(file, *suffix, node)) else { return Vec::new() };
        let mut found = Vec::new();
        for wanted in [NameUse::Value, NameUse::Reference] {
            let meant = self.find_bare(file, suffix, file.name_text(node), wanted).candidates;
            found.extend(meant.into_iter().map(|one| one.declaration));
        }
        found.retain(|id| !self.of_library(*id));
        found.dedup();
        found
    }
}

/// Whether the dot of a suffix ends its line, and the name follows on another one.
fn ends_line(file: &SourceFile, suffix: NodeId, name: NodeId) -> bool {
    let (suffix, name) = (file.text_of(suffix), file.text_of(name));
    suffix.strip_suffix(name).is_some_and(|dot| dot.contains('\n'))
}

/// Returns the local that a node declares, if it has the name.
fn variable_of(file: &SourceFile, node: NodeId, name: &str) -> Option<usize> {
    let variable =
        file.child(node, K::VariableDeclaration).filter(|_| file.kind(node) == K::PropertyDeclaration)?;
    let number = file.declaration_of(variable)?;
    (file.declarations[number].kind == DeclarationKind::Local && file.name_of(number) == name)
        .then_some(number)
}
