//! Heads of traces in a log that a terminal wrapped: the rest has no prefix. Invariant: what does not make a head of a throwable with the
//! line before is left alone.

use super::throwables::{LINKS, message_of_head};

/// Maximum number of lines over which a terminal breaks a head.
const MAX_REST: usize = 12;

/// Heads that were broken before the name of the class.
const BEGINNINGS: [&str; 7] =
    ["Caused", "Caused by", "Caused by:", "Suppressed", "Suppressed:", "Wrapped by", "Wrapped by:"];

/// A line of a log that may be the first part of a head.
pub(super) struct WrappedHead<'l> {
    /// Without its prefix.
    pub(super) head: &'l str,
    /// As it is written.
    pub(super) line: &'l str,
    /// The length of the text's longest line, in characters.
    pub(super) longest: usize,
}

impl WrappedHead<'_> {
    /// Returns the whole head, and of how many of the lines behind it the rest consists; `None` if they are no rest.
    pub(super) fn joined(
        &self,
        behind: &[&str],
        is_prefixed: impl Fn(&str) -> bool,
    ) -> Option<(String, usize)> {
        let head = self.head.trim_end();
        let said = head.trim_start();
        let name = LINKS.iter().find_map(|begin| said.strip_prefix(begin));
        let is_open = BEGINNINGS.contains(&said)
            || name.is_some_and(is_part_of_name)
            || message_of_head(head.trim_end_matches('.')).is_some();
        if !is_open || !may_be_rest(behind.first()?) {
            return None;
        }
        // The log goes on behind it.
        let count = behind.iter().take(MAX_REST + 1).position(|line| is_prefixed(line));
        let count = match count {
            Some(count) => count,
            None if behind.len() <= MAX_REST && self.is_longest() && ends_type(behind[0]) => 1,
            None => return None,
        };
        let rest = behind.get(..count)?;
        if !rest.iter().all(|line| may_be_rest(line)) {
            return None;
        }
        let (mut whole, mut line) = (head.to_owned(), self.line);
        for next in rest {
            if self.breaks_no_name(&whole, line, next) {
                return None;
            }
            whole.push_str(self.glue(&whole, line, next));
            whole.push_str(next.trim());
            line = next;
        }
        message_of_head(&whole)?;
        Some((whole, count))
    }

    fn is_longest(&self) -> bool {
        self.line.chars().count() >= self.longest
    }

    /// Whether a line that ends in the name of a class was not broken there: the name is whole, or the line is shorter than others and the next
    /// one ends no name.
    fn breaks_no_name(&self, before: &str, line: &str, next: &str) -> bool {
        let is_in_name = !BEGINNINGS.contains(&before.trim_start())
            && message_of_head(before).is_none_or(|message| message.is_empty());
        let ends_throwable = |name: &str| name.ends_with("Exception") || name.ends_with("Error");
        let is_whole = || ends_throwable(before) && !next.split(':').next().is_some_and(ends_throwable);
        is_in_name
            && !next.starts_with(':')
            && (is_whole() || line.chars().count() < self.longest && !ends_type(next))
    }

    /// Returns what stood between two parts: a chat breaks lines at blanks, a terminal where they reach its width.
    fn glue(&self, before: &str, line: &str, next: &str) -> &'static str {
        if BEGINNINGS.contains(&before.trim_start()) {
            return if next.starts_with(':') { "" } else { " " };
        }
        let is_in_message = message_of_head(before).is_some_and(|message| !message.is_empty());
        let is_at_blank = line.ends_with(' ') || next.starts_with(' ') || line.chars().count() < self.longest;
        if is_in_message && is_at_blank { " " } else { "" }
    }
}

/// Returns the length of the longest line, in characters.
pub(super) fn longest_line(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Whether a line without a prefix may go on with the one before: what is indented is a line of its own.
fn may_be_rest(line: &str) -> bool {
    let rest = line.strip_prefix(' ').unwrap_or(line);
    let begins = ["Caused by", "Suppressed", "Wrapped by", "...", "-----", "[ "];
    // In a message, `at` stands before other words.
    let is_frame = rest.strip_prefix("at ").is_some_and(|name| {
        let name = name.split([' ', '(']).next().unwrap_or_default();
        name.starts_with(char::is_alphabetic) && name.contains('.')
    });
    !rest.is_empty()
        && !is_frame
        && !rest.starts_with(char::is_whitespace)
        && !begins.iter().any(|begin| rest.starts_with(begin))
}

/// Whether a line ends the name of a class: `ck: no 1`.
fn ends_type(line: &str) -> bool {
    let name = line.split_once(": ").map_or("", |(name, _)| name);
    !name.is_empty() && is_part_of_name(name)
}

fn is_part_of_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
}
