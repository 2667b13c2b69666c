//! Types as Java and Kotlin write them: `Map<String, List<Book>>`, `? extends Book`, `Book[]`, `(Book) -> Unit`.

/// A written type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenType<'t> {
    /// The class, with dots; [`ARRAY`] and [`FUNCTION`] for these.
    pub(crate) path: &'t str,
    /// The type arguments; an array's element; a function's parameters, then its result.
    pub(crate) arguments: Vec<WrittenType<'t>>,
}

/// The path of an array type.
pub(crate) const ARRAY: &str = "[]";

/// The path of a Kotlin function type.
pub(crate) const FUNCTION: &str = "->";

/// How deep type arguments are read.
const MAX_DEPTH: usize = 8;

/// Words before a type.
const MODIFIERS: [&str; 8] = ["final", "out", "in", "vararg", "suspend", "extends", "super", "noinline"];

/// Reads the type that a text begins with; returns it with the rest. `None` where none stands.
pub(super) fn read(text: &str) -> Option<(WrittenType<'_>, &str)> {
    read_at_depth(text, MAX_DEPTH)
}

fn read_at_depth(text: &str, depth: usize) -> Option<(WrittenType<'_>, &str)> {
    let depth = depth.checked_sub(1)?;
    let mut rest = text.trim_start();
    loop {
        let word = &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())];
        if let Some(annotation) = rest.strip_prefix('@') {
            let end = annotation.find(|c: char| !(is_word(c) || c == '.')).unwrap_or(annotation.len());
            rest = annotation[end..].trim_start();
        } else if let Some(behind) = rest.strip_prefix('?') {
            rest = behind.trim_start();
        } else if MODIFIERS.contains(&word) {
            rest = rest[word.len()..].trim_start();
        } else {
            break;
        }
    }
    if let Some(inside) = rest.strip_prefix('(') {
        let (mut arguments, behind) = read_list(inside, ')', depth)?;
        let Some(result) = behind.trim_start().strip_prefix("->") else {
            // `(Book)`
            let only = arguments.pop().filter(|_| arguments.is_empty())?;
            return Some(suffixed(only, behind));
        };
        let (result, behind) = read_at_depth(result, depth)?;
        arguments.push(result);
        return Some((WrittenType { path: FUNCTION, arguments }, behind));
    }
    let end = rest.find(|c: char| !(is_word(c) || c == '.')).unwrap_or(rest.len());
    let path = rest[..end].trim_end_matches('.');
    if path.is_empty() || path.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    rest = &rest[path.len()..];
    let mut arguments = Vec::new();
    if let Some(inside) = rest.trim_start().strip_prefix('<') {
        (arguments, rest) = read_list(inside, '>', depth)?;
    }
    Some(suffixed(WrittenType { path, arguments }, rest))
}

/// Reads what may stand behind a type: `[]`, `...`, `?`.
fn suffixed<'t>(mut ty: WrittenType<'t>, mut rest: &'t str) -> (WrittenType<'t>, &'t str) {
    loop {
        let behind = rest.trim_start();
        if let Some(more) = behind.strip_prefix("[]").or_else(|| behind.strip_prefix("...")) {
            ty = WrittenType { path: ARRAY, arguments: vec![ty] };
            rest = more;
        } else if let Some(more) = behind.strip_prefix('?') {
            rest = more;
        } else {
            return (ty, rest);
        }
    }
}

/// Reads types up to a closing bracket; names of a function type's parameters are left out. A type that cannot be read
/// has no path.
fn read_list(text: &str, close: char, depth: usize) -> Option<(Vec<WrittenType<'_>>, &str)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    loop {
        if let Some(behind) = rest.strip_prefix(close) {
            return Some((found, behind));
        }
        let wildcard = rest.strip_prefix('?').filter(|behind| behind.trim_start().starts_with([',', close]));
        if let Some(behind) = rest.strip_prefix('*').or(wildcard) {
            found.push(WrittenType { path: "", arguments: Vec::new() });
            rest = behind.trim_start();
        } else {
            let (mut ty, mut behind) = read_at_depth(rest, depth)?;
            // `(book: Book) -> Unit`
            if let Some(named) = behind.trim_start().strip_prefix(':') {
                (ty, behind) = read_at_depth(named, depth)?;
            }
            // `T extends Book`, `?`
            if let Some(bound) = behind.trim_start().strip_prefix("extends ") {
                (_, behind) = read_at_depth(bound, depth)?;
            }
            found.push(ty);
            rest = behind.trim_start();
        }
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if rest.starts_with(close) => {}
            None => return None,
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ty: &WrittenType) -> String {
        match ty.arguments.is_empty() {
            true => ty.path.to_owned(),
            false => format!("{}<{}>", ty.path, ty.arguments.iter().map(shown).collect::<Vec<_>>().join(" ")),
        }
    }

    #[test]
    fn types_are_read_with_their_arguments() {
        let of = |text: &str| read(text).map(|(ty, rest)| format!("{} |{rest}", shown(&ty)));
        let is = |text: &str, expected: &str| assert_eq!(of(text).as_deref(), Some(expected), "{text}");
        is("Book book", "Book | book");
        is("java.util.Map<String, List<? extends p.Book>> all", "java.util.Map<String List<p.Book>> | all");
        is("final Book[] all", "[]<Book> | all");
        is("Book... all", "[]<Book> | all");
        is("List<Book>? = null", "List<Book> | = null");
        is("(Book, n: Int) -> List<T>)", "-><Book Int List<T>> |)");
        is("((Book) -> Unit)? = null", "-><Book Unit> | = null");
        is("Map<*, out Book>", "Map< Book> |");
        is("@Nullable Book", "Book |");
        is("Map<?, Class<? >> all", "Map< Class<>> | all");
        assert_eq!(of("1"), None);
        assert_eq!(of("List<Book"), None);
        assert_eq!(of(&"List<".repeat(100)), None);
    }
}
