//! Translates Python's regular expression syntax (that of `re` in 3.11) for Rust's engines. It walks the
//! pattern once, copies what both understand, rewrites where they differ, and rejects what Python rejects:
//! the engines' own syntaxes are wider. Not a matcher. Invariant: a pattern means what it means in Python, or
//! is rejected with a reason. Positions in reasons are counted in characters of the original pattern, from 0.

mod escapes;
mod frame;
mod groups;
mod sets;
#[cfg(test)]
mod tests;

use frame::{Frame, Kind, LastItem, Width};
use groups::Groups;

/// A translated pattern.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Translated {
    /// The expression, valid for either engine.
    pub(super) expression: String,
    /// Whether only the backtracking engine accepts the expression.
    pub(super) needs_backtracking: bool,
    /// Whether the pattern contains a carriage return.
    pub(super) mentions_cr: bool,
}

/// Translates `pattern`; the error says what is wrong with it, or not supported.
pub(super) fn translate(pattern: &str) -> Result<Translated, String> {
    let mut walk = Translator {
        chars: pattern.chars().collect(),
        at: 0,
        out: Translated {
            expression: String::with_capacity(pattern.len() + 8),
            needs_backtracking: false,
            mentions_cr: false,
        },
        current: Frame::new(Kind::Whole, 0, 0),
        outer: Vec::new(),
        groups: Groups::default(),
    };
    walk.all()?;
    Ok(walk.out)
}

struct Translator {
    chars: Vec<char>,
    at: usize,
    out: Translated,
    /// The group that is being parsed; outside all groups, the whole pattern.
    current: Frame,
    /// The groups around `whole`. A stack of its own and not the call stack, as a client determines the
    /// depth.
    outer: Vec<Frame>,
    groups: Groups,
}

impl Translator {
    fn all(&mut self) -> Result<(), String> {
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                '\\' => self.escape()?,
                '[' => self.set()?,
                '(' => self.group()?,
                ')' => self.close()?,
                '|' => self.alternative()?,
                '*' | '+' | '?' | '{' => self.quantifier()?,
                ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' if self.current.verbose => self.at += 1,
                '#' if self.current.verbose => {
                    self.skip_past('\n');
                }
                _ => {
                    self.at += 1;
                    self.push(c);
                    self.current.put(match c {
                        '^' | '$' => LastItem::Assertion,
                        _ => LastItem::Item(Width::ONE),
                    });
                }
            }
        }
        if !self.outer.is_empty() {
            return Err(format!("the '(' at position {} is never closed", self.current.start));
        }
        self.groups.check_asked()
    }

    fn push(&mut self, c: char) {
        self.out.mentions_cr |= c == '\r';
        self.out.expression.push(c);
    }

    fn push_str(&mut self, text: &str) {
        self.out.expression.push_str(text);
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Moves behind the next `end` that has no backslash before it; returns `false` if there is none.
    fn skip_past(&mut self, end: char) -> bool {
        while let Some(c) = self.peek(0) {
            self.at += if c == '\\' { 2 } else { 1 };
            if c == end {
                return true;
            }
        }
        false
    }

    fn alternative(&mut self) -> Result<(), String> {
        self.current.alternative(self.at)?;
        self.push('|');
        self.at += 1;
        Ok(())
    }

    /// Translates `*`, `+`, `?` or a brace. A brace that does not form a quantifier is a literal character,
    /// as in `fn main() {`.
    fn quantifier(&mut self) -> Result<(), String> {
        let (start, behind) = (self.at, self.out.expression.len());
        let times = match self.chars[start] {
            '{' => self.braces()?,
            c => {
                self.at += 1;
                self.push(c);
                Some((usize::from(c == '+'), if c == '?' { 1 } else { usize::MAX }))
            }
        };
        let Some((least, most)) = times else {
            self.push_str("\\{");
            self.at += 1;
            self.current.put(LastItem::Item(Width::ONE));
            return Ok(());
        };
        let last = self.current.last;
        self.current.repeat(start, least, most)?;
        let suffix = self.peek(0).filter(|c| matches!(c, '+' | '?'));
        self.at += usize::from(suffix.is_some());
        if let LastItem::ZeroWidth(written) = last {
            self.repeat_zero_width(written, behind, least, suffix);
            return Ok(());
        }
        // `a++` is possessive; Rust would read it as `(?:a+)+`.
        self.out.needs_backtracking |= suffix == Some('+');
        self.push_str(suffix.map_or("", |suffix| if suffix == '+' { "+" } else { "?" }));
        Ok(())
    }

    /// Translates the quantifier of a group that never consumes a character, at bytes `written` to `behind`
    /// of the output: the engine rejects a quantifier there, and none is needed, as a repeated assertion
    /// gives the same result.
    fn repeat_zero_width(&mut self, written: usize, behind: usize, least: usize, suffix: Option<char>) {
        self.out.expression.truncate(behind);
        if least > 0 {
            return;
        }
        let (head, tail) = match suffix {
            Some('?') => ("(?:|", ")"),
            Some(_) => ("(?>", "|)"),
            None => ("(?:", "|)"),
        };
        self.out.needs_backtracking |= suffix == Some('+');
        self.out.expression.insert_str(written, head);
        self.push_str(tail);
    }

    /// Parses a quantifier in braces into its minimum and maximum. Returns `None`, and moves past nothing, if
    /// the brace does not form a quantifier.
    fn braces(&mut self) -> Result<Option<(usize, usize)>, String> {
        let digits = |from: usize| -> String {
            self.chars[from..].iter().take_while(|c| c.is_ascii_digit()).collect()
        };
        let low = digits(self.at + 1);
        let mut end = self.at + 1 + low.len();
        let high = if self.chars.get(end) == Some(&',') {
            let high = digits(end + 1);
            end += 1 + high.len();
            high
        } else {
            low.clone()
        };
        let is_empty = end == self.at + 1;
        if self.chars.get(end) != Some(&'}') || is_empty {
            return Ok(None);
        }
        let number = |digits: &str| {
            let number: Option<u32> = digits.parse().ok().filter(|number| *number < u32::MAX);
            let number = number.and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| format!("the number of repetitions at position {} is too large", self.at))
        };
        let least = if low.is_empty() { 0 } else { number(&low)? };
        let most = if high.is_empty() { usize::MAX } else { number(&high)? };
        if most < least {
            return Err(format!(
                "the least number of repetitions at position {} is greater than the most",
                self.at
            ));
        }
        // Appended in full, because Rust has no `{,n}`.
        self.push_str(&match (least, most) {
            (0, usize::MAX) => "*".to_owned(),
            (least, usize::MAX) => format!("{{{least},}}"),
            (least, most) if least == most => format!("{{{least}}}"),
            (least, most) => format!("{{{least},{most}}}"),
        });
        self.at = end + 1;
        Ok(Some((least, most)))
    }
}
