//! What labels mean: `this@Outer`, `return@forEach`, `super@Outer`. A label names a class, a function or the call
//! that a lambda is passed to; one that code writes itself (`outer@ for (…)`) names no declaration.

use super::declarations::DeclarationKind;
use super::resolve::NameResolution;
use super::source_file::SourceFile;
use super::universe::{DeclarationId, ProjectFile, Universe};
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// What a lambda's label is made from.
enum LambdaLabel {
    /// A label before the lambda: `next@{ … }`.
    Written(NodeId),
    /// The name of the function in the call that the lambda is passed to.
    Callee(NodeId),
}

impl Universe<'_> {
    /// Resolves a label, or the name in `this@name` and `super@name`.
    pub(super) fn resolve_label(&self, file: &ProjectFile, label: NodeId) -> NameResolution {
        let jump = file.parent(label).filter(|parent| file.kind(*parent) == K::JumpExpression);
        let leaves_loop = jump.is_some_and(|jump| !file.text_of(jump).starts_with("return@"));
        if is_written(file, label) || leaves_loop {
            return NameResolution::certain(Vec::new());
        }
        let name = label_name(file, label);
        for around in file.ancestors(label) {
            if file.kind(around) == K::LambdaLiteral {
                match lambda_label(file, around) {
                    Some(LambdaLabel::Written(own)) if label_name(file, own) == name => {
                        return NameResolution::certain(Vec::new());
                    }
                    Some(LambdaLabel::Callee(callee)) if file.name_text(callee) == name => {
                        return self.resolve_identifier(file, callee);
                    }
                    _ => {}
                }
            }
            if let Some(number) = file.declaration_of(around)
                && file.name_of(number) == name
                && may_be_named(file.declarations[number].kind, jump.is_some())
            {
                return NameResolution::certain(vec![DeclarationId { file: file.key, number }]);
            }
        }
        NameResolution::unknown()
    }

    /// Returns the name that a lambda's label has.
    pub(super) fn lambda_label(&self, file: &ProjectFile, lambda: NodeId) -> Option<String> {
        Some(match lambda_label(file, lambda)? {
            LambdaLabel::Written(label) => label_name(file, label).to_owned(),
            LambdaLabel::Callee(callee) => file.name_text(callee).to_owned(),
        })
    }
}

fn lambda_label(file: &SourceFile, lambda: NodeId) -> Option<LambdaLabel> {
    let holder = file.parent(lambda)?;
    if let Some(label) = file.child(holder, K::Label) {
        return Some(LambdaLabel::Written(label));
    }
    let call = file
        .ancestors(lambda)
        .find(|above| matches!(file.kind(*above), K::CallExpression | K::InfixExpression))?;
    let mut parts = file.children(call);
    let callee = match file.kind(call) {
        K::InfixExpression => parts.nth(1)?,
        _ => parts.next()?,
    };
    Some(LambdaLabel::Callee(match file.kind(callee) {
        K::SimpleIdentifier => callee,
        K::NavigationExpression => file.children(file.child(callee, K::NavigationSuffix)?).last()?,
        _ => return None,
    }))
}

/// Whether code gives something a label: `name@`, not `return@name`.
fn is_written(file: &SourceFile, label: NodeId) -> bool {
    file.text_of(label).ends_with('@')
}

fn label_name(file: &SourceFile, label: NodeId) -> &str {
    file.name_text(label).trim_end_matches('@')
}

/// Whether a label can name a declaration of such a kind around it.
fn may_be_named(kind: DeclarationKind, is_jump: bool) -> bool {
    match is_jump {
        true => kind == DeclarationKind::Function,
        false => kind.is_class() || matches!(kind, DeclarationKind::Function | DeclarationKind::Property),
    }
}
