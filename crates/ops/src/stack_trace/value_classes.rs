//! Which functions of Kotlin may have the hash of value classes in their names, by what is written of their types: those of which
//! a parameter, the receiver or the result is of a value class. Only types that are known to be others rule a function out.

/// Kotlin's own types that are no value classes.
const PLAIN: [&str; 40] = [
    "Any",
    "Unit",
    "Nothing",
    "Boolean",
    "Byte",
    "Short",
    "Int",
    "Long",
    "Float",
    "Double",
    "Char",
    "String",
    "CharSequence",
    "Number",
    "Array",
    "BooleanArray",
    "ByteArray",
    "ShortArray",
    "IntArray",
    "LongArray",
    "FloatArray",
    "DoubleArray",
    "CharArray",
    "List",
    "MutableList",
    "Set",
    "MutableSet",
    "Map",
    "MutableMap",
    "Collection",
    "MutableCollection",
    "Iterable",
    "Iterator",
    "Sequence",
    "Pair",
    "Triple",
    "Throwable",
    "Exception",
    "Comparable",
    "Runnable",
];

/// Whether the name of a function may have the hash: `before` is what stands before its name, `head` what follows up to its body.
pub(super) fn may_have_hash(before: &str, head: &str) -> bool {
    let Some(parameters) = head.find('(') else { return true };
    let Some(end) = closing(&head[parameters..]) else { return true };
    let (inner, after) = (&head[parameters + 1..parameters + end], head[parameters + end + 1..].trim());
    let receiver = before.trim_end().strip_suffix('.').map(|before| {
        let start = before.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        &before[start..]
    });
    let result = match after.strip_prefix(':') {
        Some(result) => Some(result.trim_end_matches(['=', '{', ' '])),
        // The type of an expression is not written.
        None if after.starts_with('=') => return true,
        None => None,
    };
    let of_parameters = parts(inner).into_iter().filter_map(|one| one.split_once(':')).map(|(_, rest)| rest);
    let mut types = of_parameters.chain(receiver).chain(result);
    types.any(|one| !is_plain(one))
}

fn is_plain(written: &str) -> bool {
    let written = written.split('=').next().unwrap_or_default().trim();
    // A function's type: `(Int) -> Unit`, `suspend () -> Int`.
    if written.contains("(") {
        return true;
    }
    let name = written.split('<').next().unwrap_or_default().trim_end_matches('?');
    PLAIN.contains(&name.rsplit('.').next().unwrap_or(name))
}

/// Returns where the parenthesis closes with which `text` begins.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits parameters at the commas between them.
fn parts(text: &str) -> Vec<&str> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            // `->` closes nothing.
            '>' if before == '-' => {}
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    all.push(&text[start..]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_with_a_type_that_may_be_a_value_class() {
        for (text, expected) in [
            ("fun |pay(count: Int) {", false),
            ("fun |pay(count: Int, names: List<Code>): Map<Code, Int> {", false),
            ("fun |pay(run: (Code) -> Unit, count: Int = 3)", false),
            ("fun |pay(code: Code) {", true),
            ("fun |pay(count: Int, code: Code?) {", true),
            ("fun |pay(): Code {", true),
            ("fun |pay() = code()", true),
            ("fun Code.|pay() {", true),
            ("private suspend fun String.|pay(): Unit = go()", false),
            ("fun |pay(count: UInt) {", true),
        ] {
            let (before, head) = text.split_once('|').unwrap();
            assert_eq!(may_have_hash(before, head), expected, "{text}");
        }
    }
}
