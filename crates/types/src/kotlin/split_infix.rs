//! `where { … }` on a line of its own: the grammar takes it for an infix call of what stands on the line before, though no name of an infix
//! call begins a line. It is a call of its own, in a statement of its own.

use super::callables::{Arguments, CallForm};
use super::lookup::{Lookup, NameUse};
use super::source_file::SourceFile;
use super::ty::Type;
use super::universe::{ProjectFile, Universe};
use symd_base::TextRange;
use symd_syntax::NodeId;
use symd_syntax::kotlin::KotlinNode as K;

/// Returns the name and the arguments of a call that the grammar took for an infix call of the line before.
pub(super) fn split_call(file: &SourceFile, infix: NodeId) -> Option<(NodeId, Arguments)> {
    if file.kind(infix) != K::InfixExpression {
        return None;
    }
    let parts: Vec<NodeId> = file.children(infix).collect();
    let [left, name, right] = parts[..] else { return None };
    let between = TextRange::new(file.range(left).end, file.range(name).start);
    if !file.slice(between).contains('\n') || is_in_brackets(file, infix) {
        return None;
    }
    let arguments = match file.kind(right) {
        K::LambdaLiteral => Arguments { lambda: Some(right), ..Arguments::default() },
        K::ParenthesizedExpression => {
            let values: Vec<NodeId> = file.children(right).collect();
            Arguments::operands(&values, CallForm::Plain)
        }
        _ => return None,
    };
    Some((name, arguments))
}

/// Whether line breaks around a node mean nothing, since it stands in parentheses or brackets.
fn is_in_brackets(file: &SourceFile, node: NodeId) -> bool {
    let of = |above: NodeId| match file.kind(above) {
        K::ParenthesizedExpression | K::ValueArguments | K::IndexingSuffix => Some(true),
        K::Statements | K::LambdaLiteral | K::ClassBody => Some(false),
        _ => None,
    };
    file.ancestors(node).find_map(of).unwrap_or(false)
}

impl Universe<'_> {
    /// Resolves the call that the grammar took for an infix call of the line before; `None` for other nodes.
    pub(super) fn resolve_split(&self, file: &ProjectFile, infix: NodeId) -> Option<(Lookup, Arguments)> {
        let (name, arguments) = split_call(file, infix)?;
        let found = self.find_bare(file, name, file.name_text(name), NameUse::Call(&arguments));
        Some((found, arguments))
    }

    /// Returns the type of what such a node stands for: of the call where it is a statement, else of what stands before it.
    pub(super) fn split_type(&self, file: &ProjectFile, infix: NodeId) -> Option<Type> {
        split_call(file, infix)?;
        let is_statement = file.parent(infix).is_some_and(|above| file.kind(above) == K::Statements);
        if !is_statement {
            return Some(self.expression_type(file, file.children(infix).next()?));
        }
        let (call, arguments) = self.resolve_split(file, infix)?;
        Some(self.result_type(file, &call, &arguments))
    }
}
