//! Escapes file names for display in lines of text: characters that would end a line, or control the program
//! that displays it, become escapes. JSON escapes by itself and gets names unchanged. Invariant:
//! [`unescaped`] inverts [`escaped`], unless the name itself is spelled like an escape.

use std::borrow::Cow;

/// Returns `name` on one line: control characters and Unicode's line and paragraph separators as `\n`, `\t`,
/// `\u{1b}`; where there are any, a backslash as `\\`. Any other name is returned unchanged.
pub fn escaped(name: &str) -> Cow<'_, str> {
    if !name.chars().any(is_escaped) {
        return Cow::Borrowed(name);
    }
    let shown =
        |c: char| if is_escaped(c) || c == '\\' { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(name.chars().map(shown).collect())
}

/// Returns the name of which `text` is the escaped form; `None` when `text` is not an escaped form.
pub fn unescaped(text: &str) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        name.push_str(&rest[..at]);
        let mut behind = rest[at + 1..].chars();
        let meant = match behind.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '\\' => '\\',
            'u' => {
                let (digits, after) = behind.as_str().strip_prefix('{')?.split_once('}')?;
                behind = after.chars();
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            _ => return None,
        };
        name.push(meant);
        rest = behind.as_str();
    }
    name.push_str(rest);
    name.chars().any(is_escaped).then_some(name)
}

fn is_escaped(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line_and_comes_back() {
        for (name, shown) in [
            ("a.py:1 function fake()\n[1 symbol; complete]", r"a.py:1 function fake()\n[1 symbol; complete]"),
            ("a\rb\tc\u{1b}[2J\u{85}\u{2028}\u{2029}\u{7f}", r"a\rb\tc\u{1b}[2J\u{85}\u{2028}\u{2029}\u{7f}"),
            ("a\\n\n", r"a\\n\n"),
        ] {
            assert_eq!(escaped(name), shown);
            assert_eq!(escaped(name).lines().count(), 1);
            assert_eq!(unescaped(shown).as_deref(), Some(name));
        }
        for plain in ["a\\nb", "ä 日本 \u{200f} e\u{301}", "a\\", "\\u{zz}", "\\x41"] {
            assert!(matches!(escaped(plain), Cow::Borrowed(same) if same == plain));
        }
        for none in ["a", "a\\", "\\u{zz}\n", "\\x41", "a\\\\b", "\\u{41}"] {
            assert_eq!(unescaped(none), None, "{none}");
        }
    }
}
