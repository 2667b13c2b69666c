//! The arguments that a call in Kotlin gives, read from the file's tree. Invariant: a list whose number of arguments the tree does not
//! show for sure is not given.

use symd_base::TextRange;
use symd_syntax::kotlin::KotlinNode as K;
use symd_syntax::{FlatTree, NodeId};

/// An argument, as far as its tree tells what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    Text,
    WholeNumber,
    Fraction,
    Boolean,
    Character,
    Null,
    Lambda,
    Unknown,
}

/// Returns the arguments of the call whose name is at `name`, in bytes; `None` where the name is not called, or it is not known with how many.
pub(super) fn given_arguments(tree: &FlatTree, text: &str, name: TextRange) -> Option<Vec<ArgumentKind>> {
    let kind = |node: NodeId| K::of(tree.kind(node));
    let call = std::iter::successors(tree.at(name.start, name.end), |node| tree.parent(*node))
        .take_while(|node| tree.range(*node).end >= name.end)
        .find(|node| matches!(kind(*node), K::CallExpression | K::ConstructorInvocation))?;
    let parts: Vec<NodeId> = tree.children(call).collect();
    let [called, suffix] = parts[..] else { return None };
    if tree.range(called).end != name.end {
        return None;
    }
    let suffix: Vec<NodeId> = match kind(suffix) {
        K::CallSuffix => tree.children(suffix).collect(),
        _ => vec![suffix],
    };
    let mut all = Vec::new();
    let mut has_lambda = false;
    for part in suffix {
        match kind(part) {
            K::TypeArguments => {}
            K::ValueArguments => {
                // A parenthesis that is missing is no node.
                let last = tree.children(part).last();
                if last.is_some_and(|last| tree.range(last).end == tree.range(part).end) {
                    return None;
                }
                for argument in tree.children(part) {
                    match kind(argument) {
                        K::ValueArgument => all.push(argument_kind(tree, argument)?),
                        K::LineComment | K::MultilineComment => {}
                        _ => return None,
                    }
                }
            }
            K::AnnotatedLambda => {
                has_lambda = true;
                all.push(ArgumentKind::Lambda);
            }
            _ => return None,
        }
    }
    // The grammar leaves some lambdas behind a call out of it, such as labelled ones.
    let behind = text.get(tree.range(call).end as usize..)?;
    (has_lambda || !may_begin_lambda(behind)).then_some(all)
}

/// Whether a text begins with what may be a lambda: `{`, a label, an annotation, or a comment, behind which one may stand.
fn may_begin_lambda(text: &str) -> bool {
    let text = text.trim_start();
    let label = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    text.starts_with(['{', '@', '`'])
        || text.starts_with("//")
        || text.starts_with("/*")
        || label.starts_with('@')
}

/// Returns `None` for an argument that may stand for several, or whose name tells its place.
fn argument_kind(tree: &FlatTree, argument: NodeId) -> Option<ArgumentKind> {
    let kind = |node: NodeId| K::of(tree.kind(node));
    let is_comment = |node: &NodeId| matches!(kind(*node), K::LineComment | K::MultilineComment);
    let parts: Vec<NodeId> = tree.children(argument).filter(|part| !is_comment(part)).collect();
    let [value] = parts[..] else { return None };
    Some(match kind(value) {
        K::SpreadExpression | K::ObjectLiteral | K::Other => return None,
        K::PrefixExpression => {
            let signed: Vec<NodeId> = tree.children(value).collect();
            let [sign, number] = signed[..] else { return Some(ArgumentKind::Unknown) };
            let number = literal_kind(kind(number));
            let is_number = matches!(number, ArgumentKind::WholeNumber | ArgumentKind::Fraction);
            if is_number && matches!(kind(sign), K::Minus | K::Plus) { number } else { ArgumentKind::Unknown }
        }
        other => literal_kind(other),
    })
}

fn literal_kind(kind: K) -> ArgumentKind {
    match kind {
        K::StringLiteral => ArgumentKind::Text,
        K::IntegerLiteral | K::HexLiteral | K::BinLiteral | K::LongLiteral => ArgumentKind::WholeNumber,
        K::RealLiteral => ArgumentKind::Fraction,
        K::BooleanLiteral => ArgumentKind::Boolean,
        K::CharacterLiteral => ArgumentKind::Character,
        K::NullLiteral => ArgumentKind::Null,
        K::LambdaLiteral | K::AnnotatedLambda => ArgumentKind::Lambda,
        _ => ArgumentKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ArgumentKind::{Boolean, Character, Fraction, Lambda, Null, Text, Unknown, WholeNumber};
    use symd_base::Cancel;
    use symd_syntax::{Grammar, flat_tree};

    /// The arguments of the call of `run` in a function.
    fn of(statement: &str) -> Option<Vec<ArgumentKind>> {
        let text = format!("package shop\n\nfun main() {{\n    {statement}\n}}\n");
        let tree = flat_tree(Grammar::named("kotlin").unwrap(), &text, &Cancel::new()).unwrap();
        let start = u32::try_from(text.find("run").unwrap()).unwrap();
        given_arguments(&tree, &text, TextRange::new(start, start + 3))
    }

    #[test]
    fn arguments_are_those_of_the_tree() {
        for (statement, expected) in [
            ("run()", Some(vec![])),
            ("run(0, -1, 0x1e, 0b1, 1L)", Some(vec![WholeNumber; 5])),
            ("it.run(1.5f, -2e3)", Some(vec![Fraction; 2])),
            ("it?.run(true, null, 'c')", Some(vec![Boolean, Null, Character])),
            ("a.run<Int, B>(0)", Some(vec![WholeNumber])),
            ("run(\"a, (b\", c)", Some(vec![Text, Unknown])),
            ("run(\"${f(\"\", \"\")}\", 1)", Some(vec![Text, WholeNumber])),
            ("run(\"\"\"\\\"\"\", 1)", Some(vec![Text, WholeNumber])),
            ("run(\"\"\"a\", 1, \"b\"\"\")", Some(vec![Text])),
            ("run(1..3, 1 until 3, a + \"b\", \"a\".length)", Some(vec![Unknown; 4])),
            ("run(1, /* two, or */ 2) // three, 3", None),
            ("run(1 /* one, */, 2).and(3)", Some(vec![WholeNumber; 2])),
            ("run({ a < b }, 1)", Some(vec![Lambda, WholeNumber])),
            ("run(1) { it }", Some(vec![WholeNumber, Lambda])),
            ("run { it }", Some(vec![Lambda])),
            ("if (run(1)) { 2 }", Some(vec![WholeNumber])),
            ("when (a) { run(1) -> { 2 } }", Some(vec![WholeNumber])),
        ] {
            assert_eq!(of(statement), expected, "{statement}");
        }
    }

    #[test]
    fn what_is_no_call_or_may_have_a_further_argument_is_not_given() {
        for statement in [
            "run = 1",
            "::run",
            "run(*all)",
            "run(count = 1)",
            "f(run)",
            "f(run, 1)",
            "run.f(1)",
            "object : I by a.run(0) {}",
            "run(0\n",
        ] {
            assert_eq!(of(statement), None, "{statement}");
        }
        let lambdas = ["run(1) tag@{ it }", "run(1) @Tag { it }", "run(1) /* then */ { it }"];
        for statement in lambdas {
            let given = of(statement);
            assert!(given.is_none() || given == Some(vec![WholeNumber, Lambda]), "{statement} {given:?}");
        }
    }
}
