//! Signatures for languages without a grammar: the rest of the name's line.

/// Maximum number of characters shown.
const CHARS: usize = 48;

/// Returns the part of the first line of `rest` that belongs to the name, truncated for lists: up to a comma
/// or an unmatched closing bracket, without a trailing mark that opens a block.
pub(super) fn rest_of_line(rest: &str) -> String {
    let line = rest.split(['\n', '\r']).next().unwrap_or("").trim_end_matches('\u{FFFD}');
    let (own, open) = own_part(line);
    let own = own.trim_end().trim_end_matches(['{', ':', ';']).trim_end();
    match own.char_indices().nth(CHARS) {
        Some((cut, _)) => format!("{}…", &own[..cut]),
        None if open => format!("{own}…"),
        None => own.to_owned(),
    }
}

/// Returns the part of `line` before an unmatched closing bracket or a comma outside brackets, and whether a
/// bracket is still open at its end.
fn own_part(line: &str) -> (&str, bool) {
    let mut closers: Vec<char> = Vec::new();
    for (at, character) in line.char_indices() {
        match character {
            '(' => closers.push(')'),
            '[' => closers.push(']'),
            ')' | ']' if closers.pop().is_none() => return (&line[..at], false),
            ',' if closers.is_empty() => return (&line[..at], false),
            _ => {}
        }
    }
    (line, !closers.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_belongs_to_the_name() {
        let cases = [
            ("(self, x: int = f(1)) -> str:\n    pass", "(self, x: int = f(1)) -> str"),
            ("(\n    self,", "(…"),
            (": Int, private val tag", ": Int"),
            (") {", ""),
            ("\r\nnext", ""),
        ];
        for (rest, expected) in cases {
            assert_eq!(rest_of_line(rest), expected, "{rest:?}");
        }
        assert_eq!(rest_of_line(&"x".repeat(500)).chars().count(), CHARS + 1);
    }
}
