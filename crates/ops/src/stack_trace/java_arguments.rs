//! Which of the overloads of a Java class a call in Kotlin can mean, by the number of its arguments and by those that are literals.
//! Invariant: an overload is ruled out only by what no compiler takes for its parameter.

/// Types of numbers, each with its boxed form.
const WHOLE_NUMBERS: [&str; 8] = ["int", "Integer", "long", "Long", "short", "Short", "byte", "Byte"];
const FRACTIONS: [&str; 4] = ["double", "Double", "float", "Float"];
const BOOLEANS: [&str; 2] = ["boolean", "Boolean"];
const CHARACTERS: [&str; 2] = ["char", "Character"];
const TEXTS: [&str; 2] = ["String", "CharSequence"];

/// An argument, as far as its text tells what it is.
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

/// Returns the arguments of a call, whose name ends where `behind` begins; `None` where it has no list of arguments whose number is known.
pub(super) fn arguments(behind: &str) -> Option<Vec<ArgumentKind>> {
    let (parts, rest) = parts(behind)?;
    let list = &behind[..behind.len() - rest.len()];
    // With comparisons, templates and comments a comma may stand for something else.
    if parts.iter().any(|part| part.starts_with('*'))
        || ["<", "$", "//", "/*"].iter().any(|one| list.contains(one))
    {
        return None;
    }
    let mut all: Vec<ArgumentKind> = parts.into_iter().map(kind_of).collect();
    all.extend(rest.trim_start().starts_with('{').then_some(ArgumentKind::Lambda));
    Some(all)
}

/// Whether a Java method, whose name ends where `behind` begins, may take the arguments.
pub(super) fn may_take(behind: &str, arguments: &[ArgumentKind]) -> bool {
    let Some((parameters, _)) = parts(behind) else { return true };
    if parameters.last().is_some_and(|last| last.contains("...")) {
        return arguments.len() + 1 >= parameters.len();
    }
    parameters.len() == arguments.len()
        && parameters.iter().zip(arguments).all(|(parameter, argument)| takes(parameter, *argument))
}

/// `parameter` is its type and its name, `final int count`.
fn takes(parameter: &str, argument: ArgumentKind) -> bool {
    let words: Vec<&str> = parameter.split_whitespace().filter(|word| !word.starts_with('@')).collect();
    let [.., ty, name] = words.as_slice() else { return true };
    let is_array = ty.ends_with("[]") || name.ends_with("[]");
    let ty = ty.rsplit('.').next().unwrap_or(ty);
    let is_of = |types: &[&[&str]]| types.iter().any(|types| types.contains(&ty));
    let is_primitive =
        ty.starts_with(|c: char| c.is_ascii_lowercase()) && ty.chars().all(|c| c.is_ascii_lowercase());
    match argument {
        ArgumentKind::Unknown => true,
        ArgumentKind::Null => is_array || !is_primitive,
        _ if is_array => false,
        ArgumentKind::Text => !is_of(&[&WHOLE_NUMBERS, &FRACTIONS, &BOOLEANS, &CHARACTERS]),
        ArgumentKind::WholeNumber => !is_of(&[&TEXTS, &FRACTIONS, &BOOLEANS, &CHARACTERS]),
        ArgumentKind::Fraction => !is_of(&[&TEXTS, &WHOLE_NUMBERS, &BOOLEANS, &CHARACTERS]),
        ArgumentKind::Boolean => !is_of(&[&TEXTS, &WHOLE_NUMBERS, &FRACTIONS, &CHARACTERS]),
        ArgumentKind::Character => !is_of(&[&TEXTS, &WHOLE_NUMBERS, &FRACTIONS, &BOOLEANS]),
        ArgumentKind::Lambda => !is_of(&[&TEXTS, &WHOLE_NUMBERS, &FRACTIONS, &BOOLEANS, &CHARACTERS]),
    }
}

fn kind_of(argument: &str) -> ArgumentKind {
    let is_closed = |mark: &str| {
        let inner = argument.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        inner.is_some_and(|inner| !inner.contains(mark))
    };
    let number = argument.strip_prefix('-').unwrap_or(argument);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    match argument {
        "true" | "false" => ArgumentKind::Boolean,
        "null" => ArgumentKind::Null,
        // A range or a call, `1..3` and `1.plus(2)`, has other signs or two dots.
        _ if is_number && number.contains('.') => match number.split_once('.') {
            Some((_, rest)) if rest.starts_with(|c: char| c.is_ascii_digit()) => ArgumentKind::Fraction,
            _ => ArgumentKind::Unknown,
        },
        _ if is_number && (number.starts_with("0x") || !number.contains(['e', 'f', 'F', 'E', 'u', 'U'])) => {
            ArgumentKind::WholeNumber
        }
        _ if is_closed("\"") => ArgumentKind::Text,
        _ if is_closed("'") => ArgumentKind::Character,
        _ if argument.starts_with('{') && argument.ends_with('}') => ArgumentKind::Lambda,
        _ => ArgumentKind::Unknown,
    }
}

/// Returns the parts of the list in parentheses that a text begins with, and what follows it.
fn parts(text: &str) -> Option<(Vec<&str>, &str)> {
    let inner = text.trim_start_matches([' ', '\t']).strip_prefix('(')?;
    let (mut depth, mut angles, mut start) = (0_usize, 0_usize, 0);
    let mut quote = None;
    let mut was_escape = false;
    let mut all = Vec::new();
    for (at, c) in inner.char_indices() {
        let is_escaped = was_escape;
        was_escape = c == '\\' && !is_escaped && quote.is_some();
        match (quote, c) {
            (Some(mark), _) if c == mark && !is_escaped => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => {
                let last = inner[start..at].trim();
                all.extend((!last.is_empty()).then_some(last));
                return Some((all, &inner[at + 1..]));
            }
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, '<') => angles += 1,
            (None, '>') => angles = angles.saturating_sub(1),
            (None, ',') if depth == 0 && angles == 0 => {
                all.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_fits_by_the_number_of_its_arguments_and_by_literals() {
        let fits = |call: &str, method: &str| arguments(call).is_some_and(|given| may_take(method, &given));
        for (call, method, may_be) in [
            ("(0)", "(int count) {", true),
            ("(0)", "(long count) {", true),
            ("(0)", "(Object of) {", true),
            ("(0)", "(T of) {", true),
            ("(0)", "(String text) {", false),
            ("(0)", "(double rate) {", false),
            ("(0)", "(int[] all) {", false),
            ("(0)", "(int... all) {", true),
            ("(0, 1)", "(int count) {", false),
            ("()", "(int count) {", false),
            ("()", "() {", true),
            ("()", "(int... all) {", true),
            ("(\"a, (b\", c)", "(final CharSequence text, @Nullable Map<K, V> all) {", true),
            // What holds a quote may be several texts.
            ("(\"a\\\"\", 1)", "(int count, int more) {", true),
            ("(\"a\\\"\", 1)", "(int count) {", false),
            ("(1.5f)", "(float rate)", true),
            ("(1.5f)", "(int count)", false),
            ("(null)", "(int count)", false),
            ("(null)", "(Integer count)", true),
            ("(null)", "(int[] all)", true),
            ("(true)", "(java.lang.String text)", false),
            ("('c')", "(char c)", true),
            ("('c')", "(int c)", false),
            ("(1) { it }", "(int count, Function<A, B> then)", true),
            ("(1) { it }", "(int count)", false),
            ("({ it })", "(Runnable then)", true),
            ("({ it })", "(String then)", false),
            ("(a + \"b\")", "(int count)", true),
            ("(1..3)", "(String text)", true),
            ("(1 until 3)", "(IntRange all)", true),
        ] {
            assert_eq!(fits(call, method), may_be, "{call} {method}");
        }
        for unknown in [" = 1", "::of", "(*all)", "(a", "<Int>(0)", "({ a < b }, 1)", "(\"${f(\"\")}\", 1)"] {
            assert_eq!(arguments(unknown), None, "{unknown}");
        }
    }
}
