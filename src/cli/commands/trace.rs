//! `symd trace`, `symd investigate` and `symd build-errors`: give a tool the text that a person pastes or pipes.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::base::declared_encoding::DeclaredEncoding;
use crate::cli::commands::{ask, say};
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};

/// What a request has besides the text, in bytes.
const BESIDES: usize = 16 << 10;

pub(super) fn run(
    context: &Context,
    tool: &str,
    file: Option<&Path>,
    mut arguments: Value,
) -> Result<(), Failure> {
    let room = context.settings()?.limits.max_line_bytes.saturating_sub(BESIDES);
    // UTF-16 has two bytes where a request has one. One byte more tells whether there is more.
    let limit = room as u64 * 2 + 1;
    let mut bytes = Vec::new();
    let read = match file {
        None => std::io::stdin().take(limit).read_to_end(&mut bytes),
        // The user's own file, wherever it is.
        #[allow(
            clippy::disallowed_methods,
            reason = "named on the user's own command line, not by a project"
        )]
        Some(path) => std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
    };
    read.map_err(|error| Exit::Usage.because(format!("cannot read the text: {error}")))?;
    let text = decoded(&bytes);
    let part = fitting(&text, room);
    if part.len() < text.len() {
        say(&format!(
            "only the first {} lines were read, {} MiB: more does not fit in one question; cut out the part with the error, such as \
             `tail -c 10M FILE`",
            part.lines().count(),
            part.len() >> 20
        ));
    }
    arguments["text"] = part.into();
    ask::run(context, tool, arguments)
}

/// Returns a text that may be UTF-16, as the PowerShell of Windows writes what a command prints.
fn decoded(bytes: &[u8]) -> String {
    let encoding = match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => DeclaredEncoding::Utf16,
        _ => DeclaredEncoding::Utf8,
    };
    // A log may hold NUL characters.
    encoding.decode(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into_owned())
}

/// Returns as many whole lines as fit in `room` bytes of JSON; of a first line that does not fit, its start.
fn fitting(text: &str, room: usize) -> &str {
    let (mut used, mut lines) = (0, 0);
    for (at, c) in text.char_indices() {
        used += in_json(c);
        if used > room {
            return &text[..if lines > 0 { lines } else { at }];
        }
        if c == '\n' {
            lines = at + 1;
        }
    }
    text
}

/// Returns how many bytes a character takes in a JSON string.
fn in_json(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if u32::from(c) < 0x20 => 6,
        c => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_whole_lines_whose_json_is_no_longer_than_the_room() {
        let text = "a\t\"\n\u{1}ü\n\\\r\n".repeat(3);
        for room in 0..100 {
            let part = fitting(&text, room);
            let json = serde_json::to_string(part).unwrap().len() - 2;
            assert!(json <= room && text.starts_with(part), "{room}: {part:?}");
            assert!(part.ends_with('\n') || !part.contains('\n'), "{room}: {part:?}");
        }
        assert_eq!(fitting(&text, 100), text);
    }
}
