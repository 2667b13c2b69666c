//! Macros: their parameters are locals of their bodies, their names no declarations.

use super::super::context::text_before;
use super::super::family::Family;

/// How far back the first line of a macro is searched, in bytes.
const MAX_BACK: usize = 16_000;

/// Whether the name at byte `at` is a parameter of the macro whose definition holds it.
pub(super) fn is_macro_parameter(text: &str, at: usize, name: &str) -> bool {
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

/// Whether the name at byte `at` names no declaration: a macro in a directive (`#define name`, `#ifdef name`), or an
/// attribute (`__attribute__((name))`, `[[name]]`).
pub(super) fn is_no_declaration(text: &str, at: usize) -> bool {
    let line = text.get(line_start(text, at)..at).unwrap_or("");
    if let Some(directive) = line.trim_start().strip_prefix('#') {
        let directive = directive.trim_start();
        let end = directive.find(|c: char| !c.is_alphanumeric()).unwrap_or(directive.len());
        let (word, rest) = directive.split_at(end);
        return match word {
            "define" => rest.trim().is_empty(),
            "ifdef" | "ifndef" | "undef" | "if" | "elif" | "elifdef" | "elifndef" => true,
            _ => false,
        };
    }
    let is_open =
        |mark: &str, close: &str| line.rfind(mark).is_some_and(|open| !line[open..].contains(close));
    let in_attribute = line.rfind("__attribute__").is_some_and(|open| {
        let rest = &line[open..];
        rest.matches('(').count() == rest.matches(')').count() + 2
    });
    in_attribute || is_open("[[", "]]")
}

/// Whether a directive is what precedes the name at byte `at`, on an earlier line, comments left out: no type precedes it.
pub(in super::super) fn follows_directive(text: &str, at: usize) -> bool {
    let left = text_before(text, at, Family::C);
    let is_first = text.get(left.len()..at).is_some_and(|between| between.contains('\n'));
    is_first && left.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'))
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
    fn names_of_macros_and_attributes() {
        let check = |text: &str, expected: bool| {
            assert_eq!(is_no_declaration(text, text.rfind("name").expect("a name")), expected, "{text}");
        };
        check("#define name(x) x", true);
        check("#define other name", false);
        check("# ifdef name", true);
        check("#if defined(name)", true);
        check("struct __attribute__((name)) S {", true);
        check("int x __attribute__((cleanup(name)));", false);
        check("[[name]] int f();", true);
        check("[[nodiscard]] int name();", false);
        check("a[b[name]]", false);
    }

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
