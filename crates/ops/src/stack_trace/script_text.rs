//! The text of a build script, parted without its comments and outside of its strings.

use symd_base::RelPath;

/// The language of a script: Kotlin's comments hold others, and its strings of three quotes have no escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptLanguage {
    Kotlin,
    Groovy,
}

impl ScriptLanguage {
    pub(super) fn of(path: &RelPath) -> ScriptLanguage {
        if path.as_str().ends_with(".kts") { ScriptLanguage::Kotlin } else { ScriptLanguage::Groovy }
    }
}

/// A piece of a script.
pub(super) enum Piece<'s> {
    /// A block begins, behind this text.
    Opens(&'s str),
    Closes,
    Says(&'s str),
}

/// Returns a script with blanks in place of its comments.
pub(super) fn without_comments(script: &str, language: ScriptLanguage) -> String {
    let mut kept = String::with_capacity(script.len());
    let mut quote = Quote::of(language);
    let mut rest = script;
    while !rest.is_empty() {
        let comment = match quote.open {
            None if rest.starts_with("//") => Some(rest.find('\n').unwrap_or(rest.len())),
            None if rest.starts_with("/*") => Some(comment_end(rest, language)),
            _ => None,
        };
        let end = comment.unwrap_or_else(|| quote.next(rest));
        kept.push_str(if comment.is_some() { " " } else { &rest[..end] });
        rest = &rest[end..];
    }
    kept
}

/// Returns where the comment at the start of a text ends.
fn comment_end(text: &str, language: ScriptLanguage) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") && (depth == 0 || language == ScriptLanguage::Kotlin) {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// The quotes that strings begin with, longer ones first.
const QUOTES: [&str; 4] = ["\"\"\"", "'''", "\"", "'"];

/// The quotes of the string that the text read so far ends in.
struct Quote {
    language: ScriptLanguage,
    open: Option<&'static str>,
}

impl Quote {
    fn of(language: ScriptLanguage) -> Quote {
        Quote { language, open: None }
    }

    /// Reads the next character, or quotes, of a text that is not empty; returns the number of bytes.
    fn next(&mut self, text: &str) -> usize {
        let first = text.chars().next().map_or(1, char::len_utf8);
        let Some(open) = self.open else {
            self.open = QUOTES.into_iter().find(|quote| text.starts_with(quote));
            return self.open.map_or(first, str::len);
        };
        let is_long = open.len() == 3;
        if !is_long && text.starts_with('\n') {
            self.open = None;
        } else if text.starts_with('\\') && !(is_long && self.language == ScriptLanguage::Kotlin) {
            return first + text[first..].chars().next().map_or(0, char::len_utf8);
        } else if text.starts_with(open) && !(is_long && text[1..].starts_with(open)) {
            // Of more quotes than it takes, the last ones end a string.
            self.open = None;
            return open.len();
        }
        first
    }
}

/// Parts a script without comments at braces and ends of statements that are in no string.
pub(super) fn pieces(script: &str, language: ScriptLanguage) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut quote = Quote::of(language);
    let mut at = 0;
    while at < script.len() {
        let read = quote.next(&script[at..]);
        let c = script.as_bytes()[at];
        at += read;
        if quote.open.is_some() || !matches!(c, b'\n' | b';' | b'{' | b'}') {
            continue;
        }
        let text = script[start..at - 1].trim();
        start = at;
        match c {
            b'{' => all.push(Piece::Opens(text)),
            b'}' => all.extend([Piece::Says(text), Piece::Closes]),
            _ => all.push(Piece::Says(text)),
        }
    }
    all
}
