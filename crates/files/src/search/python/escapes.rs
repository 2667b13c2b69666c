//! Escapes in Python's regular expressions: what follows a backslash.

use super::Translator;
use super::frame::{LastItem, Width};

/// The meaning of an escape that is the same inside a set and outside.
pub(super) enum Escaped {
    Char(char),
    /// A character class, such as `d` for `\d`.
    Class(char),
}

impl Translator {
    /// Translates the escape at the current position, outside a set.
    pub(super) fn escape(&mut self) -> Result<(), String> {
        let (start, c) = (self.at, self.behind_backslash()?);
        match c {
            'A' | 'b' | 'B' | 'Z' => {
                self.at += 2;
                self.push('\\');
                self.push(if c == 'Z' { 'z' } else { c });
                self.current.put(LastItem::Assertion);
            }
            '1'..='9' if !self.is_octal(c) => self.back_reference(c)?,
            _ => {
                match self.escaped(c, start)? {
                    Escaped::Class(class) => {
                        self.push('\\');
                        self.push(class);
                    }
                    Escaped::Char(c) => self.literal(c),
                }
                self.current.put(LastItem::Item(Width::ONE));
            }
        }
        Ok(())
    }

    pub(super) fn behind_backslash(&self) -> Result<char, String> {
        self.peek(1).ok_or_else(|| "it ends in a backslash".to_owned())
    }

    /// Whether the escape has three octal digits, as in `\101`: that is a character and not a back-reference.
    fn is_octal(&self, first: char) -> bool {
        [Some(first), self.peek(2), self.peek(3)]
            .into_iter()
            .all(|c| c.is_some_and(|c| ('0'..='7').contains(&c)))
    }

    /// Translates a back-reference, `\1` or `\12`; further digits are literal characters.
    fn back_reference(&mut self, first: char) -> Result<(), String> {
        let digits: String =
            [Some(first), self.peek(2).filter(char::is_ascii_digit)].into_iter().flatten().collect();
        let number = digits.parse().map_err(|_| format!("there is no group {digits} to refer to"))?;
        let width = self.groups.width_of_referred(number)?;
        self.out.needs_backtracking = true;
        self.push_str(&format!("(?:\\{number})"));
        self.at += 1 + digits.len();
        self.current.put(LastItem::Item(width));
        Ok(())
    }

    /// Parses the escape at `start`, whose first character behind the backslash is `c`, and moves past it.
    pub(super) fn escaped(&mut self, c: char, start: usize) -> Result<Escaped, String> {
        self.at = start + 2;
        let char = match c {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => return Ok(Escaped::Class(c)),
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => self.by_number(start, 2)?,
            'u' => self.by_number(start, 4)?,
            'U' => self.by_number(start, 8)?,
            'N' => return Err("'\\N{…}' is not supported; write the character itself".to_owned()),
            '0'..='7' => self.octal(c)?,
            '8' | '9' => return Err(format!("'\\{c}' at position {start} is not an octal escape")),
            c if c.is_ascii_alphabetic() => {
                return Err(format!("'\\{c}' at position {start} has no meaning here"));
            }
            other => other,
        };
        Ok(Escaped::Char(char))
    }

    /// Parses exactly `length` hexadecimal digits.
    fn by_number(&mut self, start: usize, length: usize) -> Result<char, String> {
        let digits: String =
            self.chars[self.at..].iter().take_while(|c| c.is_ascii_hexdigit()).take(length).collect();
        if digits.len() < length {
            return Err(format!("the escape at position {start} needs {length} hexadecimal digits"));
        }
        self.at += length;
        let char = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
        char.ok_or_else(|| format!("there is no character {digits}, as at position {start}"))
    }

    /// Parses up to two more octal digits.
    fn octal(&mut self, first: char) -> Result<char, String> {
        let mut value = first.to_digit(8).unwrap_or_default();
        for _ in 0..2 {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(8)) else { break };
            value = value * 8 + digit;
            self.at += 1;
        }
        let char = u8::try_from(value).map(char::from);
        char.map_err(|_| format!("the octal escape \\{value:o} is greater than \\377"))
    }

    /// Appends a literal character outside a set.
    fn literal(&mut self, c: char) {
        match c {
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
                self.push('\\');
                self.push(c);
            }
            _ => self.push_char(c),
        }
    }

    /// Appends a literal character; a control character as a hexadecimal escape.
    pub(super) fn push_char(&mut self, c: char) {
        self.out.mentions_cr |= c == '\r';
        match c.is_control() {
            true => self.push_str(&format!("\\x{{{:x}}}", u32::from(c))),
            false => self.push(c),
        }
    }
}
