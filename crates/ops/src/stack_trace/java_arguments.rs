//! Which of the overloads of a Java class a call in Kotlin can mean, by the number of its arguments and by those that are literals.
//! Invariant: an overload is ruled out only by what no compiler takes for its parameter.

use super::given_arguments::ArgumentKind;

/// Types of numbers, each with its boxed form.
const WHOLE_NUMBERS: [&str; 8] = ["int", "Integer", "long", "Long", "short", "Short", "byte", "Byte"];
const FRACTIONS: [&str; 4] = ["double", "Double", "float", "Float"];
const BOOLEANS: [&str; 2] = ["boolean", "Boolean"];
const CHARACTERS: [&str; 2] = ["char", "Character"];
const TEXTS: [&str; 2] = ["String", "CharSequence"];

/// Whether a Java method, whose name ends where `behind` begins, may take the arguments.
pub(super) fn may_take(behind: &str, arguments: &[ArgumentKind]) -> bool {
    let Some(mut parameters) = parameters(behind) else { return true };
    // `Till this` names the object that the method is called on.
    parameters.retain(|parameter| !parameter.ends_with(" this"));
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

/// Returns the parameters of the list in parentheses that a text begins with; `None` where it has comments or no end.
fn parameters(text: &str) -> Option<Vec<&str>> {
    let inner = text.trim_start().strip_prefix('(')?;
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
            (None, '/') => return None,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => {
                let last = inner[start..at].trim();
                all.extend((!last.is_empty()).then_some(last));
                return Some(all);
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
    use ArgumentKind::{Boolean, Character, Fraction, Lambda, Null, Text, Unknown, WholeNumber};

    #[test]
    fn a_method_takes_a_call_by_the_number_of_its_arguments_and_by_literals() {
        for (given, method, may_be) in [
            (&[WholeNumber][..], "(int count) {", true),
            (&[WholeNumber], "(long count) {", true),
            (&[WholeNumber], "(Object of) {", true),
            (&[WholeNumber], "(T of) {", true),
            (&[WholeNumber], "(String text) {", false),
            (&[WholeNumber], "(double rate) {", false),
            (&[WholeNumber], "(int[] all) {", false),
            (&[WholeNumber], "(int... all) {", true),
            (&[WholeNumber; 2], "(int count) {", false),
            (&[], "(int count) {", false),
            (&[], "() {", true),
            (&[], "(Till this) {", true),
            (&[], "(int... all) {", true),
            (&[Text, Unknown], "(final CharSequence text, @Nullable Map<K, V> all) {", true),
            (&[Text, Unknown], "(@Named(\"a, b)\") String text,\n        int more) {", true),
            (&[Fraction], "(float rate)", true),
            (&[Fraction], "(int count)", false),
            (&[Null], "(int count)", false),
            (&[Null], "(Integer count)", true),
            (&[Null], "(int[] all)", true),
            (&[Boolean], "(java.lang.String text)", false),
            (&[Character], "(char c)", true),
            (&[Character], "(int c)", false),
            (&[WholeNumber, Lambda], "(int count, Function<A, B> then)", true),
            (&[WholeNumber, Lambda], "(int count)", false),
            (&[Lambda], "(Runnable then)", true),
            (&[Lambda], "(String then)", false),
            (&[Unknown], "(String text)", true),
            // What a comment holds is no parameter.
            (&[WholeNumber], "(/* String text, */ int count) {", true),
            (&[WholeNumber], "(int count // how many, at most\n    ) {", true),
        ] {
            assert_eq!(may_take(method, given), may_be, "{given:?} {method}");
        }
    }
}
