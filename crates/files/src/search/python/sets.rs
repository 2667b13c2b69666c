//! Sets in Python's regular expressions. Python has no nested sets and no set operations, so their characters
//! are escaped.

use super::Translator;
use super::escapes::Escaped;
use super::frame::{LastItem, Width};

impl Translator {
    pub(super) fn set(&mut self) -> Result<(), String> {
        let start = self.at;
        let unclosed = || format!("the '[' at position {start} is never closed");
        self.push('[');
        self.at += 1;
        if self.peek(0) == Some('^') {
            self.push('^');
            self.at += 1;
        }
        let mut is_first = true;
        loop {
            // A `]` that comes first is a literal character: the set would be empty.
            if self.peek(0).ok_or_else(unclosed)? == ']' && !is_first {
                break;
            }
            is_first = false;
            let place = self.at;
            let low = self.member()?;
            if self.peek(0) != Some('-') {
                self.push_member(&low);
                continue;
            }
            self.at += 1;
            if self.peek(0).ok_or_else(unclosed)? == ']' {
                self.push_member(&low);
                self.push_str("\\-");
                break;
            }
            match (low, self.member()?) {
                (Escaped::Char(low), Escaped::Char(high)) if low <= high => {
                    self.push_in_set(low);
                    self.push('-');
                    self.push_in_set(high);
                }
                _ => return Err(format!("the range at position {place} is invalid or out of order")),
            }
        }
        self.push(']');
        self.at += 1;
        self.current.put(LastItem::Item(Width::ONE));
        Ok(())
    }

    /// Parses one character or class of a set.
    fn member(&mut self) -> Result<Escaped, String> {
        let start = self.at;
        let c = self.chars[start];
        if c == '\\' {
            return match self.behind_backslash()? {
                'b' => {
                    self.at += 2;
                    Ok(Escaped::Char('\u{8}'))
                }
                escaped => self.escaped(escaped, start),
            };
        }
        if let Some(class) = posix_class(&self.chars[start..]) {
            return Err(format!(
                "{class} at position {start} is not supported; write the characters out, as in [A-Za-z]"
            ));
        }
        self.at += 1;
        Ok(Escaped::Char(c))
    }

    fn push_member(&mut self, member: &Escaped) {
        match *member {
            Escaped::Char(c) => self.push_in_set(c),
            Escaped::Class(class) => {
                self.push('\\');
                self.push(class);
            }
        }
    }

    fn push_in_set(&mut self, c: char) {
        if matches!(c, '[' | ']' | '\\' | '^' | '-' | '&' | '~') {
            self.push('\\');
        }
        self.push_char(c);
    }
}

/// Returns the POSIX class, such as `[:alpha:]`, at the start of `rest`. Python reads its letters one by one,
/// which is never intended.
fn posix_class(rest: &[char]) -> Option<String> {
    let text: String = rest.iter().take(10).collect();
    let name = text.strip_prefix("[:")?.split_once(":]")?.0;
    let known = [
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
        "upper", "word", "xdigit",
    ];
    known.contains(&name).then(|| format!("[:{name}:]"))
}
