//! Groups in Python's regular expressions: everything that begins with a parenthesis.

use std::collections::HashMap;

use super::Translator;
use super::frame::{Frame, Kind, LastItem, Width};

/// The capturing groups of a pattern.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The widths of the groups, by number from 1 on; `None` while a group is open.
    widths: Vec<Option<Width>>,
    names: HashMap<String, usize>,
    /// The greatest group number that a conditional refers to.
    highest_condition: usize,
    /// The number of groups at the start of the outermost open look-behind.
    at_look_behind: Option<usize>,
}

impl Groups {
    /// Returns the width of group `number`; fails if it must not be referred to at this position.
    pub(super) fn width_of_referred(&self, number: usize) -> Result<Width, String> {
        let width = self.width(number)?;
        match self.at_look_behind {
            Some(before) if number > before => {
                Err(format!("group {number} cannot be referred to in the look-behind that it belongs to"))
            }
            _ => Ok(width),
        }
    }

    fn width(&self, number: usize) -> Result<Width, String> {
        let width = number.checked_sub(1).and_then(|index| self.widths.get(index));
        let width = width.ok_or_else(|| format!("there is no group {number} to refer to"))?;
        width.ok_or_else(|| format!("group {number} is still open where it is referred to"))
    }

    /// Fails if a conditional refers to a group that does not exist. It may refer to groups that come later.
    pub(super) fn check_asked(&self) -> Result<(), String> {
        match self.highest_condition > self.widths.len() {
            true => Err(format!("there is no group {} to refer to", self.highest_condition)),
            false => Ok(()),
        }
    }
}

impl Translator {
    pub(super) fn group(&mut self) -> Result<(), String> {
        if self.peek(1) != Some('?') {
            return self.capture(None, 1);
        }
        match (self.peek(2), self.peek(3)) {
            (Some('P'), _) => self.named(),
            (Some(':'), _) => {
                self.open(Kind::Plain, 3);
                Ok(())
            }
            (Some('#'), _) => {
                let start = self.at;
                self.at += 3;
                match self.skip_past(')') {
                    true => Ok(()),
                    false => Err(format!("the comment '(?#' at position {start} is never closed")),
                }
            }
            (Some('='), _) | (Some('!'), _) => {
                self.out.needs_backtracking = true;
                self.open(Kind::Ahead, 3);
                Ok(())
            }
            (Some('<'), Some('=' | '!')) => {
                self.out.needs_backtracking = true;
                self.groups.at_look_behind.get_or_insert(self.groups.widths.len());
                self.open(Kind::Behind, 4);
                Ok(())
            }
            (Some('>'), _) => {
                self.out.needs_backtracking = true;
                self.open(Kind::Plain, 3);
                Ok(())
            }
            (Some('('), _) => self.conditional(),
            (Some('-' | 'a'..='z' | 'A'..='Z'), _) => self.flags(),
            _ => Err(self.unknown()),
        }
    }

    fn unknown(&self) -> String {
        let kind: String = self.chars[self.at..].iter().take(4).collect();
        format!("the group '{kind}' at position {} is of an unknown kind", self.at)
    }

    /// Opens a group, and copies its first `length` characters to the output.
    fn open(&mut self, kind: Kind, length: usize) {
        let head: String = self.chars[self.at..self.at + length].iter().collect();
        self.enter(kind);
        self.push_str(&head);
        self.at += length;
    }

    fn enter(&mut self, kind: Kind) {
        let mut frame = Frame::new(kind, self.at, self.out.expression.len());
        frame.verbose = self.current.verbose;
        self.outer.push(std::mem::replace(&mut self.current, frame));
    }

    pub(super) fn close(&mut self) -> Result<(), String> {
        let outer = self.outer.pop();
        let outer = outer.ok_or_else(|| format!("the ')' at position {} has no matching '('", self.at))?;
        let frame = std::mem::replace(&mut self.current, outer);
        let mut width = frame.width();
        match frame.kind {
            Kind::Ahead => width = Width::NONE,
            Kind::Behind => {
                if width.least != width.most {
                    return Err(format!(
                        "the look-behind at position {} must match text of one fixed length",
                        frame.start
                    ));
                }
                width = Width::NONE;
                if !self.outer.iter().chain([&self.current]).any(|frame| frame.kind == Kind::Behind) {
                    self.groups.at_look_behind = None;
                }
            }
            Kind::Capture(number) => {
                if let Some(group) = self.groups.widths.get_mut(number - 1) {
                    *group = Some(width);
                }
            }
            Kind::Whole | Kind::Plain | Kind::Conditional => {}
        }
        self.push(')');
        self.at += 1;
        let is_look = match frame.kind {
            Kind::Ahead | Kind::Behind => true,
            Kind::Plain => width == Width::NONE,
            _ => false,
        };
        self.current.put(if is_look { LastItem::ZeroWidth(frame.written) } else { LastItem::Item(width) });
        Ok(())
    }

    fn capture(&mut self, name: Option<String>, length: usize) -> Result<(), String> {
        self.groups.widths.push(None);
        let number = self.groups.widths.len();
        if let Some(name) = name {
            let before = self.groups.names.insert(name.clone(), number);
            if let Some(before) = before {
                return Err(format!("group {number} has the name '{name}' of group {before}"));
            }
        }
        self.open(Kind::Capture(number), length);
        Ok(())
    }

    /// Translates `(?P<name>` or `(?P=name)`.
    fn named(&mut self) -> Result<(), String> {
        match self.peek(3) {
            Some('<') => {
                let (name, end) = self.name(4, '>')?;
                self.capture(Some(name), end + 1 - self.at)
            }
            Some('=') => {
                let (name, end) = self.name(4, ')')?;
                let number = self.number_of(&name)?;
                let width = self.groups.width_of_referred(number)?;
                self.out.needs_backtracking = true;
                self.push_str(&format!("(?:\\{number})"));
                self.at = end + 1;
                self.current.put(LastItem::Item(width));
                Ok(())
            }
            _ => Err(self.unknown()),
        }
    }

    /// Parses the name that begins `ahead` characters from here; returns it and the position of the `close`
    /// behind it.
    fn name(&self, ahead: usize, close: char) -> Result<(String, usize), String> {
        let start = self.at + ahead;
        let length = self.chars[start.min(self.chars.len())..].iter().position(|&c| c == close);
        let end = start
            + length.ok_or_else(|| {
                format!("the group's name at position {start} is never closed by '{close}'")
            })?;
        let name: String = self.chars[start..end].iter().collect();
        let mut chars = name.chars();
        let is_name = chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
            && chars.all(|c| c == '_' || c.is_alphanumeric());
        if !is_name {
            return Err(format!("'{name}' at position {start} cannot be the name of a group"));
        }
        Ok((name, end))
    }

    fn number_of(&self, name: &str) -> Result<usize, String> {
        self.groups.names.get(name).copied().ok_or_else(|| format!("there is no group named '{name}'"))
    }

    fn conditional(&mut self) -> Result<(), String> {
        let digits: String = self.chars[self.at + 3..].iter().take_while(|c| c.is_ascii_digit()).collect();
        let (number, end) = match self.peek(3 + digits.len()) {
            Some(')') if !digits.is_empty() => {
                let number = digits.parse().ok().filter(|number| *number > 0);
                let number = number.ok_or_else(|| format!("there is no group {digits} to refer to"))?;
                (number, self.at + 3 + digits.len())
            }
            _ => {
                let (name, end) = self.name(3, ')')?;
                (self.number_of(&name)?, end)
            }
        };
        let is_open = number <= self.groups.widths.len() && self.groups.width(number).is_err();
        if is_open || self.groups.at_look_behind.is_some() {
            // For a group that is still open, Python says that it has not matched, and the engine says that
            // it has.
            self.groups.width_of_referred(number)?;
        }
        self.groups.highest_condition = self.groups.highest_condition.max(number);
        self.out.needs_backtracking = true;
        self.enter(Kind::Conditional);
        // Has an empty group first: the engine treats a conditional with nothing behind its condition
        // differently.
        self.push_str(&format!("(?({number})(?:)"));
        self.at = end + 1;
        Ok(())
    }

    /// Translates flags: `(?i)` for the whole pattern, at its beginning, or `(?i-s:` for a group.
    fn flags(&mut self) -> Result<(), String> {
        let start = self.at;
        let head: String = self.chars[start + 2..].iter().take_while(|c| !matches!(c, ')' | ':')).collect();
        let end = start + 2 + head.chars().count();
        let (on, off) = match head.split_once('-') {
            Some((on, off)) => (on, Some(off)),
            None => (head.as_str(), None),
        };
        let all = on.chars().chain(off.unwrap_or_default().chars());
        if let Some(unknown) = all.clone().find(|flag| !"aiLmsux".contains(*flag)) {
            return Err(format!("'{unknown}' in the group at position {start} is not a flag"));
        }
        if all.clone().any(|flag| matches!(flag, 'a' | 'L')) {
            return Err("the inline flags 'a' and 'L' are not supported; \
                        write the characters out, as in [0-9A-Za-z_]"
                .to_owned());
        }
        let off_text = off.unwrap_or_default();
        let is_for_a_group = self.chars.get(end) == Some(&':');
        let is_wrong = self.chars.get(end).is_none()
            || off.is_some_and(str::is_empty)
            || off.is_some() && !is_for_a_group
            || off_text.contains('u')
            || on.chars().any(|flag| off_text.contains(flag));
        if is_wrong {
            return Err(format!("the flags '{head}' at position {start} cannot be set in this way"));
        }
        let is_verbose = (self.current.verbose || on.contains('x')) && !off_text.contains('x');
        if is_for_a_group {
            let flags = [engines_flags(on), engines_flags(off_text)];
            self.enter(Kind::Plain);
            self.push_str(&match flags {
                [on, off] if off.is_empty() => format!("(?{on}:"),
                [on, off] => format!("(?{on}-{off}:"),
            });
        } else {
            if !self.outer.is_empty() || !self.current.is_untouched() {
                return Err(format!(
                    "the flags at position {start} are for the whole expression and must be at its beginning; write \
                     (?{head}:…) for a part"
                ));
            }
            let flags = engines_flags(on);
            if !flags.is_empty() {
                self.push_str(&format!("(?{flags})"));
            }
        }
        self.current.verbose = is_verbose;
        self.at = end + 1;
        Ok(())
    }
}

/// Returns each flag once, without those that the engines need not know: everything is Unicode, and the
/// translation itself omits what verbose mode ignores.
fn engines_flags(flags: &str) -> String {
    ['i', 'm', 's'].into_iter().filter(|flag| flags.contains(*flag)).collect()
}
