//! Colours diffs for people at a terminal. Only examines the start of each line; the text is unchanged.

use std::fmt::Write;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

const PLAIN: Style = Style::new();
const BOLD: Style = Style::new().bold();
const GREEN: Style = AnsiColor::Green.on_default();
const RED: Style = AnsiColor::Red.on_default();
const CYAN: Style = AnsiColor::Cyan.on_default();

/// Whether stdout is a terminal whose user wants colours (<https://no-color.org>).
pub(super) fn is_wanted() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
}

/// Colours the unified diffs in a text.
pub(super) fn diff(text: &str) -> String {
    let mut coloured = String::with_capacity(text.len());
    // Remaining old and new lines of the hunk: within it, `---` is a removed line that begins with `--`.
    let mut hunk = (0, 0);
    for line in text.split_inclusive('\n') {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        let (old, new) = hunk;
        let style = match content.as_bytes().first() {
            Some(b'+') if new > 0 => {
                hunk.1 -= 1;
                GREEN
            }
            Some(b'-') if old > 0 => {
                hunk.0 -= 1;
                RED
            }
            Some(b' ') if old > 0 && new > 0 => {
                hunk = (old - 1, new - 1);
                PLAIN
            }
            Some(b'@') => {
                hunk = counts(content).unwrap_or_default();
                CYAN
            }
            _ if content.starts_with("--- ") || content.starts_with("+++ ") => BOLD,
            _ => PLAIN,
        };
        // Writing to a String cannot fail.
        let _ = write!(coloured, "{style}{content}{style:#}{end}");
    }
    coloured
}

/// Returns the numbers of old and new lines of a hunk, from its header: `@@ -1,3 +1,4 @@`.
fn counts(header: &str) -> Option<(usize, usize)> {
    let mut words = header.strip_prefix("@@ -")?.split(' ');
    let count = |word: &str| match word.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    let old = count(words.next()?)?;
    Some((old, count(words.next()?.strip_prefix('+')?)?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_hunk_holds_is_told_from_its_frame() {
        let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n[dry run]\n- no\n";
        assert_eq!(
            super::diff(text),
            "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n a\n\x1b[31m--- b\x1b[0m\n\
             \x1b[32m+++ c\x1b[0m\n[dry run]\n- no\n"
        );
    }
}
