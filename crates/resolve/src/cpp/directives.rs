//! Macros: their parameters are locals of their bodies.

/// How far back the first line of a macro is searched, in bytes.
const MAX_BACK: usize = 16_000;

/// Whether the name at byte `at` is a parameter of the macro whose definition holds it.
pub(in super::super) fn is_macro_parameter(text: &str, at: usize, name: &str) -> bool {
    let Some(definition) = definition_around(text, at) else { return false };
    let rest = definition.trim_start().strip_prefix('#').map(str::trim_start);
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix("define")) else { return false };
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    // A space before the parenthesis begins the body.
    let Some(list) = rest[end..].strip_prefix('(') else { return false };
    let list = list.split(')').next().unwrap_or("");
    list.split(',').any(|one| one.trim() == name)
}

/// Returns the text of the directive that holds byte `at`, from the start of its first line; `None` outside of directives.
fn definition_around(text: &str, at: usize) -> Option<&str> {
    let mut start = line_start(text, at);
    // A backslash at its end continues a line.
    while start > 0 && at - start < MAX_BACK && text[..start - 1].trim_end_matches('\r').ends_with('\\') {
        start = line_start(text, start - 1);
    }
    let found = text.get(start..)?;
    found.trim_start().starts_with('#').then_some(found)
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_macros() {
        let check = |text: &str, expected: bool| {
            let at = text.rfind("x").expect("a name");
            assert_eq!(is_macro_parameter(text, at, "x"), expected, "{text}");
        };
        check("#define F(x, y) (x)", true);
        check("#  define F(y, x) \\\n  do { y; \\\r\n x } while (0)", true);
        check("#define F (x)", false);
        check("#define F(y) x", false);
        check("#define F(x) 1\nint x;", false);
        check("int x;", false);
    }
}
