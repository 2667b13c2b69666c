//! Python's regular expression syntax, rewritten for Rust's engines. Not a parser: it walks the pattern once,
//! passes on what both understand and rewrites where they differ. Invariant: a pattern means what Python means
//! by it, or is refused with a reason.

/// A rewritten pattern.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Translated {
    /// For either engine.
    pub(super) expression: String,
    /// Only the backtracking engine understands it.
    pub(super) needs_backtracking: bool,
    /// A carriage return is spelled in it.
    pub(super) mentions_cr: bool,
}

/// Rewrites `pattern`; the error says what cannot be had.
pub(super) fn translate(pattern: &str) -> Result<Translated, String> {
    let mut walk = Walk {
        chars: pattern.chars().collect(),
        at: 0,
        out: Translated {
            expression: String::with_capacity(pattern.len() + 8),
            needs_backtracking: false,
            mentions_cr: pattern.contains('\r'),
        },
    };
    walk.all()?;
    Ok(walk.out)
}

struct Walk {
    chars: Vec<char>,
    at: usize,
    out: Translated,
}

impl Walk {
    fn all(&mut self) -> Result<(), String> {
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                '\\' => self.escape()?,
                '[' => self.set()?,
                '(' => self.group()?,
                '{' => self.brace(),
                '*' | '+' | '?' => {
                    self.push(c);
                    self.at += 1;
                    self.after_quantifier();
                }
                _ => {
                    self.push(c);
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, c: char) {
        self.out.expression.push(c);
    }

    fn push_str(&mut self, text: &str) {
        self.out.expression.push_str(text);
    }

    fn rest_starts_with(&self, text: &str) -> bool {
        let mut rest = self.chars[self.at..].iter();
        text.chars().all(|c| rest.next() == Some(&c))
    }

    /// `a++` gives nothing back; Rust would read it as `(?:a+)+`.
    fn after_quantifier(&mut self) {
        match self.chars.get(self.at) {
            Some('+') => {
                self.out.needs_backtracking = true;
                self.push('+');
                self.at += 1;
            }
            Some('?') => {
                self.push('?');
                self.at += 1;
            }
            _ => {}
        }
    }

    /// A brace that does not form a quantifier is an ordinary character, as in `fn main() {`.
    fn brace(&mut self) {
        let digits = |from: usize| self.chars[from..].iter().take_while(|c| c.is_ascii_digit()).count();
        let low = digits(self.at + 1);
        let mut end = self.at + 1 + low;
        let mut has_comma = false;
        let mut high = 0;
        if self.chars.get(end) == Some(&',') {
            has_comma = true;
            high = digits(end + 1);
            end += 1 + high;
        }
        if self.chars.get(end) != Some(&'}') || (low == 0 && !has_comma) {
            self.push_str("\\{");
            self.at += 1;
            return;
        }
        if low == 0 && high == 0 {
            self.push('*');
        } else {
            // Written out, because older syntax has no `{,n}`.
            self.push('{');
            if low == 0 {
                self.push('0');
            }
            let text: String = self.chars[self.at + 1..=end].iter().collect();
            self.push_str(&text);
        }
        self.at = end + 1;
        self.after_quantifier();
    }

    fn group(&mut self) -> Result<(), String> {
        if self.rest_starts_with("(?#") {
            let close = self.chars[self.at..].iter().position(|&c| c == ')');
            self.at += close.ok_or("a comment '(?#' is never closed")? + 1;
            return Ok(());
        }
        if self.rest_starts_with("(?P=") {
            self.out.needs_backtracking = true;
            let close = self.chars[self.at..].iter().position(|&c| c == ')');
            let close = self.at + close.ok_or("a back-reference '(?P=' is never closed")?;
            let name: String = self.chars[self.at + 4..close].iter().collect();
            self.push_str(&format!("\\k<{name}>"));
            self.at = close + 1;
            return Ok(());
        }
        let look_around = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "(?("];
        if look_around.iter().any(|start| self.rest_starts_with(start)) {
            self.out.needs_backtracking = true;
        }
        if self.rest_starts_with("(?") {
            let flags: Vec<char> =
                self.chars[self.at + 2..].iter().copied().take_while(|c| c.is_ascii_alphabetic()).collect();
            let closed = matches!(self.chars.get(self.at + 2 + flags.len()), Some(')' | ':' | '-'));
            if closed && flags.iter().any(|flag| matches!(flag, 'a' | 'L')) {
                return Err("the inline flags 'a' and 'L' are not supported; \
                            write the characters out, as in [0-9A-Za-z_]"
                    .to_owned());
            }
            self.push_str("(?");
            self.at += 2;
        } else {
            self.push('(');
            self.at += 1;
        }
        Ok(())
    }

    /// What stands behind a backslash, outside a set.
    fn escape(&mut self) -> Result<(), String> {
        let c = *self.chars.get(self.at + 1).ok_or("it ends in a backslash")?;
        self.at += 2;
        match c {
            'Z' => self.push_str("\\z"),
            '1'..='9' if !self.is_octal() => {
                self.out.needs_backtracking = true;
                self.push('\\');
                self.push(c);
                // A second digit belongs to the group's number; further ones do not.
                if let Some(&next) = self.chars.get(self.at).filter(|next| next.is_ascii_digit()) {
                    self.push(next);
                    self.at += 1;
                    if self.chars.get(self.at).is_some_and(char::is_ascii_digit) {
                        self.push_str("(?:)");
                    }
                }
            }
            'b' | 'B' | 'A' => {
                self.push('\\');
                self.push(c);
                // `\b{start}` would be Rust's own; in Python the brace begins something new.
                if c == 'b' && self.chars.get(self.at) == Some(&'{') {
                    self.push_str("(?:)");
                }
            }
            _ => self.escaped_character(c)?,
        }
        Ok(())
    }

    /// Three octal digits, as in `\101`, are a character and no back-reference. `at` is behind the first.
    fn is_octal(&self) -> bool {
        let octal = |c: Option<&char>| c.is_some_and(|c| ('0'..='7').contains(c));
        matches!(self.chars[self.at - 1], '0'..='3')
            && octal(self.chars.get(self.at))
            && octal(self.chars.get(self.at + 1))
    }

    /// Escapes that mean the same inside a set and outside. `at` is behind `c`.
    fn escaped_character(&mut self, c: char) -> Result<(), String> {
        match c {
            'r' => {
                self.out.mentions_cr = true;
                self.push_str("\\r");
            }
            'x' => {
                if self.rest_starts_with("0d") || self.rest_starts_with("0D") {
                    self.out.mentions_cr = true;
                }
                self.push_str("\\x");
            }
            '0'..='7' => {
                let more = if c == '0' || self.is_octal() { 2 } else { 0 };
                let mut value = u32::from(c) - u32::from('0');
                for _ in 0..more {
                    let Some(digit) = self.chars.get(self.at).and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    self.at += 1;
                }
                self.out.mentions_cr |= value == u32::from('\r');
                self.push_str(&format!("\\x{{{value:x}}}"));
            }
            'N' => return Err("'\\N{…}' is not supported; write the character itself".to_owned()),
            // Python lets every character that is no ASCII letter or digit be escaped, Rust only ASCII; and
            // these two are word boundaries there.
            '<' | '>' => self.push(c),
            c if !c.is_ascii() => self.push(c),
            // White space behind a backslash counts in verbose mode too.
            c => {
                self.push('\\');
                self.push(c);
            }
        }
        Ok(())
    }

    /// A set. Python knows no nested sets and no set operations, so their characters are escaped.
    fn set(&mut self) -> Result<(), String> {
        self.push('[');
        self.at += 1;
        if self.chars.get(self.at) == Some(&'^') {
            self.push('^');
            self.at += 1;
        }
        if self.chars.get(self.at) == Some(&']') {
            self.push_str("\\]");
            self.at += 1;
        }
        loop {
            let c = *self.chars.get(self.at).ok_or("a '[' is never closed")?;
            match c {
                ']' => {
                    self.push(']');
                    self.at += 1;
                    return Ok(());
                }
                '[' => {
                    if let Some(length) = posix_class(&self.chars[self.at..]) {
                        let text: String = self.chars[self.at..self.at + length].iter().collect();
                        self.push_str(&text);
                        self.at += length;
                        continue;
                    }
                    self.push_str("\\[");
                    self.at += 1;
                }
                '&' | '~' => {
                    self.push('\\');
                    self.push(c);
                    self.at += 1;
                }
                '-' if self.chars.get(self.at - 1) == Some(&'-') => {
                    self.push_str("\\-");
                    self.at += 1;
                }
                '\\' => {
                    let escaped = *self.chars.get(self.at + 1).ok_or("it ends in a backslash")?;
                    self.at += 2;
                    match escaped {
                        'b' => self.push_str("\\x08"),
                        'A' | 'B' | 'Z' | 'z' => {
                            return Err(format!("'\\{escaped}' has no meaning inside a set"));
                        }
                        '8' | '9' => return Err(format!("'\\{escaped}' is no octal escape")),
                        '<' | '>' => self.push(escaped),
                        other => self.escaped_character(other)?,
                    }
                }
                other => {
                    self.push(other);
                    self.at += 1;
                }
            }
        }
    }
}

/// The length of a class such as `[:alpha:]`, which Python does not know but everybody means.
fn posix_class(rest: &[char]) -> Option<usize> {
    if rest.get(1) != Some(&':') {
        return None;
    }
    let name: String = rest[2..].iter().take_while(|c| c.is_ascii_lowercase()).collect();
    let known = [
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
        "upper", "word", "xdigit",
    ];
    let end = 2 + name.len();
    let closed = rest.get(end) == Some(&':') && rest.get(end + 1) == Some(&']');
    (closed && known.contains(&name.as_str())).then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewrites_where_the_syntaxes_differ() {
        let cases = [
            (r"a\Z", r"a\z"),
            (r"fn main() {", r"fn main() \{"),
            (r"a{2}b{2,}c{,3}d{,}e{}f{x}", r"a{2}b{2,}c{0,3}d*e\{}f\{x}"),
            (r"a{2}?", r"a{2}?"),
            (r"[[]", r"[\[]"),
            (r"[]a]", r"[\]a]"),
            (r"[^]a]", r"[^\]a]"),
            (r"[a&&b~~c]", r"[a\&\&b\~\~c]"),
            (r"[+--]", r"[+-\-]"),
            (r"[[:alpha:]_]", r"[[:alpha:]_]"),
            (r"[\b\Wx]", r"[\x08\Wx]"),
            (r"a(?#why)b", "ab"),
            (r"\<a\>\é", "<a>é"),
            (r"\0\101", r"\x{0}\x{41}"),
            (r"(?P<n>x)(?i:y)", r"(?P<n>x)(?i:y)"),
            (r"\(\[\{", r"\(\[\{"),
        ];
        for (python, rust) in cases {
            let translated = translate(python).expect(python);
            assert_eq!(translated.expression, rust, "{python}");
            assert!(!translated.needs_backtracking, "{python}");
        }
    }

    #[test]
    fn knows_what_needs_backtracking() {
        for pattern in [
            r"a(?=b)",
            r"(?<!a)b",
            r"(a)\1",
            r"(?P<q>')x(?P=q)",
            r"a++b",
            r"a{2}+",
            r"(?>a)",
            r"(a)?(?(1)b|c)",
        ] {
            assert!(translate(pattern).expect(pattern).needs_backtracking, "{pattern}");
        }
        assert_eq!(translate(r"(?P<q>')(?P=q)").expect("fine").expression, r"(?P<q>')\k<q>");
        for pattern in [r"a\r\n", "[\\r]", r"\x0d", "\r", r"\015"] {
            assert!(translate(pattern).expect(pattern).mentions_cr, "{pattern}");
        }
    }

    #[test]
    fn refuses_what_cannot_be_had() {
        for pattern in ["[a", "a\\", "(?a)b", "(?#x", r"\N{DASH}", r"[\Z]"] {
            assert!(translate(pattern).is_err(), "{pattern}");
        }
    }
}
