//! Reads solutions as JSON lines. Invariant: all lines or none; memory is bounded, whatever stdin is; an error names its line.

use std::io::{BufRead, Read};

use crate::cli::failure::{Exit, Failure};
use crate::knowledge::Solution;
use crate::ops::solutions::without_secrets;

/// The longest line in bytes: six texts of 64 KiB, each character escaped.
const MAX_LINE: usize = 4 << 20;

/// How much is imported at once, in bytes: until the last line is read, all are kept in memory.
const MAX_BYTES: usize = 256 << 20;

const UTF8_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// What was read.
#[derive(Debug, Default)]
pub(super) struct ReadSolutions {
    /// Without secrets.
    pub(super) list: Vec<Solution>,
    /// How many secrets and personal paths were taken out.
    pub(super) removed: usize,
}

/// Reads all solutions of `input`.
pub(super) fn read(mut input: impl BufRead) -> Result<ReadSolutions, Failure> {
    let mut read = ReadSolutions::default();
    let (mut line, mut bytes) = (Vec::new(), 0);
    for number in 1.. {
        let wrong = |why: String| Exit::Usage.because(format!("line {number}: {why}; nothing was imported"));
        line.clear();
        let part = (&mut input).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line);
        bytes += part.map_err(|error| wrong(format!("stdin cannot be read: {error}")))?;
        if line.is_empty() {
            break;
        }
        if line.len() > MAX_LINE {
            let limit = MAX_LINE >> 20;
            return Err(wrong(format!("it is longer than {limit} MiB, and one solution is one line")));
        }
        if bytes > MAX_BYTES {
            let limit = MAX_BYTES >> 20;
            return Err(wrong(format!(
                "more than {limit} MiB are too much at once; import the lines in parts"
            )));
        }
        let start = if number == 1 { line.strip_prefix(UTF8_MARK).unwrap_or(&line) } else { &line };
        let text = std::str::from_utf8(start).map_err(|error| wrong(not_utf8(start, error.valid_up_to())))?;
        if text.trim().is_empty() {
            continue;
        }
        let solution: Solution = serde_json::from_str(text.trim()).map_err(|error| wrong(no_json(&error)))?;
        solution.check().map_err(|error| wrong(error.to_string()))?;
        let (solution, removed) = without_secrets(solution);
        read.removed += removed;
        read.list.push(solution);
    }
    Ok(read)
}

fn not_utf8(line: &[u8], at: usize) -> String {
    let said = match line {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "the text is UTF-16".to_owned(),
        _ => format!("byte {} is not UTF-8", at + 1),
    };
    format!("{said}; save the file as UTF-8")
}

fn no_json(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    match error.is_eof() {
        true => format!("it ends in the middle of a solution ({said}), as in a file that was cut"),
        false => format!("{said} (column {})", error.column()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"errorDescription":"no till","rootCause":"c","solution":"f","language":"kotlin","errorType":"E","confidence":1}"#;

    fn count(bytes: &[u8]) -> Result<usize, String> {
        read(bytes).map(|read| read.list.len()).map_err(|failure| failure.text)
    }

    #[test]
    fn line_breaks_marks_and_blank_lines_are_no_part_of_a_solution() {
        for text in [
            format!("{ONE}\n{ONE}"),
            format!("{ONE}\r\n\r\n{ONE}\r\n"),
            format!("\u{feff}{ONE}\n \t\n{ONE}\n\n"),
            format!("\n{ONE}\n{ONE}\n"),
        ] {
            assert_eq!(count(text.as_bytes()), Ok(2), "{text:?}");
        }
        assert_eq!(count(b""), Ok(0));
    }

    #[test]
    fn a_file_that_is_cut_anywhere_imports_whole_lines_or_nothing() {
        let text = format!("{ONE}\n{ONE}\n");
        for end in 0..text.len() {
            match count(&text.as_bytes()[..end]) {
                Ok(read) => assert!(
                    [0, ONE.len(), ONE.len() + 1].contains(&end) || end == text.len() - 1,
                    "{end}: {read}"
                ),
                Err(said) => {
                    let line = if end <= ONE.len() { "line 1: " } else { "line 2: " };
                    assert!(
                        said.starts_with(line)
                            && said.contains("cut")
                            && said.contains("nothing was imported"),
                        "{said}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_utf8_is_named_with_its_line() {
        let latin = [format!("{ONE}\n").as_bytes(), b"{\"errorDescription\":\"\xE4\"}"].concat();
        assert_eq!(
            count(&latin),
            Err("line 2: byte 22 is not UTF-8; save the file as UTF-8; nothing was imported".to_owned())
        );
        let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(ONE.bytes().flat_map(|byte| [byte, 0])).collect();
        assert!(count(&wide).unwrap_err().starts_with("line 1: the text is UTF-16; save the file as UTF-8"));
    }
}
