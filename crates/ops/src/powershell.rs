//! Undoes what Windows PowerShell does to what a program writes to its error output: it breaks all lines at the width of its window, in
//! files too, and writes a record of an error behind the first one. Build tools and programs that crash write their errors there.
//!
//! Form: a record begins with `.\gradlew : ` before the first line, goes on with `At line:1 char:1` in the user's language, the command, and
//! `+ CategoryInfo`, and ends behind `+ FullyQualifiedErrorId`. See build_errors.txt of
//! <https://github.com/Baran0ner/MusliApp>.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Maximum number of lines that are searched for a part of a record: narrow windows break a record into many.
const MAX_RECORD: usize = 24;

/// Maximum number of lines that a position is broken into.
const MAX_POSITION: usize = 4;

/// What programs that write to their error output have as the id of their records.
const ERROR_ID: &str = "NativeCommandError";

/// What a program writes at the start of a line, even if the line before it is as wide as the window.
const HEADS: [&str; 13] = [
    "> ",
    "* ",
    "FAILURE: ",
    "BUILD ",
    "e: file:",
    "w: file:",
    "e: /",
    "w: /",
    "e: [",
    "w: [",
    "\tat ",
    "Caused by: ",
    "[Incubating] ",
];

/// A record of an error, by lines.
struct ErrorRecord {
    /// The line with the program's name, and what the program wrote first.
    head: usize,
    /// What PowerShell adds behind what the program wrote.
    added: Range<usize>,
}

/// Returns a text without the records of PowerShell, its broken lines joined; a text without such records as it is.
pub(crate) fn without_records(text: &str) -> Cow<'_, str> {
    if !text.contains("+ CategoryInfo") {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    let records = records(&lines);
    let Some(first) = records.first().map(|record| record.head) else { return Cow::Borrowed(text) };
    let window = Window::of(&lines, &records);
    let mut joined = String::with_capacity(text.len());
    let mut ahead = records.iter().peekable();
    let mut before: Option<&str> = None;
    let mut at = 0;
    while at < lines.len() {
        let record = ahead.next_if(|record| record.head == at);
        let end = record.map_or(at + 1, |record| record.added.start);
        for (number, line) in (at..end).map(|number| (number, lines[number])) {
            let is_head = record.is_some_and(|record| record.head == number);
            let goes_on = !is_head && before.is_some_and(|before| window.breaks(before, line));
            let written = if is_head { without_program(line) } else { line };
            if number > 0 && !goes_on {
                joined.push('\n');
            }
            joined.push_str(written);
            // What is written to the other output is not broken.
            before = (number >= first && !line.starts_with("> Task ")).then_some(line);
        }
        at = record.map_or(end, |record| record.added.end);
        if record.is_some() {
            before = None;
        }
    }
    Cow::Owned(joined)
}

/// The window whose width lines were broken at, in characters.
struct Window {
    /// A line of this width was broken, if that is known.
    width: Option<usize>,
    /// The window is at least so wide.
    least: usize,
}

impl Window {
    fn of(lines: &[&str], records: &[ErrorRecord]) -> Window {
        let widest =
            |range: Range<usize>| lines[range].iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let is_broken = |record: &ErrorRecord| {
            let starts = |at: usize, start: &str| lines[at].trim_start().starts_with(start);
            let goes_on = |at: usize| {
                at + 1 < record.added.end && !starts(at + 1, "+ ") && !lines[at + 1].trim().is_empty()
            };
            record.added.start > record.head + 1
                || record
                    .added
                    .clone()
                    .any(|at| (starts(at, "+ ~") || starts(at, "+ CategoryInfo")) && goes_on(at))
        };
        let of_record = |record: &ErrorRecord| widest(record.head..record.added.end);
        let width = records.iter().filter(|record| is_broken(record)).map(of_record).max();
        let width = width.or_else(|| width_of_frames(lines));
        let why = lines.iter().enumerate().filter(|(_, line)| line.starts_with("* What went wrong:"));
        let whys = why.map(|(at, _)| {
            let end = lines[at + 1..]
                .iter()
                .position(|line| line.starts_with("* "))
                .map_or(at + 1, |end| at + 1 + end);
            widest(at..end.min(at + MAX_RECORD))
        });
        let least = width.into_iter().chain(records.iter().map(of_record)).chain(whys).max().unwrap_or(0);
        Window { width, least: width.unwrap_or(least) }
    }

    /// Whether `line` goes on in `next`: it fills the window, or its next word did not fit.
    fn breaks(&self, line: &str, next: &str) -> bool {
        let blanks = next.len() - next.trim_start_matches(' ').len();
        if next.trim().is_empty() || HEADS.iter().any(|head| next[blanks..].starts_with(head)) {
            return false;
        }
        let length = line.chars().count();
        let ends_in_blank = line.ends_with(' ');
        if self.width == Some(length) {
            return blanks < 2 || ends_in_blank;
        }
        let word = next.split_inclusive(' ').next().unwrap_or_default().chars().count();
        ends_in_blank && blanks == 0 && length <= self.least && length + word > self.least
    }
}

/// Returns the width at which frames of stack traces were broken: each of these lines has the window's width, if several have the same.
fn width_of_frames(lines: &[&str]) -> Option<usize> {
    let begun = lines.windows(2).filter(|pair| pair[0].starts_with("\tat ") && !pair[0].contains(')'));
    let mut widths = begun.filter(|pair| pair[1].ends_with(')')).map(|pair| pair[0].chars().count());
    let first = widths.next()?;
    let rest: Vec<usize> = widths.collect();
    (!rest.is_empty() && rest.iter().all(|width| *width == first)).then_some(first)
}

fn records(lines: &[&str]) -> Vec<ErrorRecord> {
    let mut found: Vec<ErrorRecord> = Vec::new();
    for (at, _) in
        lines.iter().enumerate().filter(|(_, line)| line.trim_start().starts_with("+ CategoryInfo"))
    {
        let from = found.last().map_or(0, |record| record.added.end);
        found.extend(record(lines, from, at));
    }
    found
}

/// Returns the record whose category is at line `category`, if it lies behind line `from`.
fn record(lines: &[&str], from: usize, category: usize) -> Option<ErrorRecord> {
    let before = from.max(category.saturating_sub(MAX_RECORD))..category;
    let position = position(lines, before.clone())?;
    let head = (before.start..=position).rev().find(|at| program(lines[*at]).is_some())?;
    let mut after = category + 1..lines.len().min(category + MAX_RECORD);
    let id = after.find(|at| lines[*at].trim_start_matches([' ', '+']).starts_with("Fully"))?;
    let behind = id_end(lines, id);
    // A line with one blank ends it.
    let is_end = lines.get(behind).is_some_and(|line| line.trim().is_empty());
    Some(ErrorRecord { head, added: position..behind + usize::from(is_end) })
}

/// Returns the line behind the id that begins at line `id`; a narrow window breaks it, too.
fn id_end(lines: &[&str], id: usize) -> usize {
    let mut written = without_blanks(lines[id]);
    let mut end = id + 1;
    while let Some(line) = lines.get(end).filter(|_| end < id + MAX_RECORD && !written.ends_with(ERROR_ID)) {
        let part = without_blanks(line);
        // Some editors join its parts with blanks between them.
        let is_part =
            line.starts_with(' ') || line.split_whitespace().count() == 1 || ERROR_ID.ends_with(&part);
        if part.is_empty() || !is_part {
            break;
        }
        written.push_str(&part);
        end += 1;
    }
    end
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the first line of `At line:1 char:1`, in any language: the command is beneath it, behind a `+`. A narrow window breaks it into several lines.
fn position(lines: &[&str], within: Range<usize>) -> Option<usize> {
    static POSITION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[^\s+][^:]*: ?\d+\s[^:]*: ?\d+ ?$").ok());
    let whole = POSITION.as_ref()?;
    within.clone().rev().filter(|at| lines[*at].starts_with("+ ")).find_map(|command| {
        let mut starts = (within.start..command).rev().take(MAX_POSITION);
        starts.find(|start| whole.is_match(&lines[*start..command].concat()))
    })
}

/// Returns what stands behind the name of a program: `.\gradlew : ` begins a record.
fn program(line: &str) -> Option<&str> {
    static PROGRAM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\S+ : ?").ok());
    let found = PROGRAM.as_ref()?.find(line)?;
    Some(&line[found.end()..])
}

fn without_program(line: &str) -> &str {
    program(line).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_narrow_window_is_whole_again() {
        let text = concat!(
            "> Task :shop:compileJava FAILED\r\n",
            ".\\gradlew : D:\\shop\\s\r\n",
            "rc\\Till.java:40: \r\n",
            "error: cannot find \r\n",
            "symbol\r\n",
            "At line:1 char:1\r\n",
            "+ .\\gradlew build > \r\n",
            "log.txt 2>&1\r\n",
            "+ ~~~~~~~~~~~~~~~~~~~\r\n",
            "~~~~\r\n",
            "    + CategoryInfo   \r\n",
            "          : NotSpe   \r\n",
            "  cified: (D:\\sho    \r\n",
            "p) [], RemoteExc\r\n",
            "eption\r\n",
            "    + FullyQualified \r\n",
            "  ErrorId : Native   \r\n",
            " CommandError\r\n",
            " \r\n",
            "        till.open();\r\n",
            "        ^\r\n",
            "\r\n",
            "FAILURE: Build \r\n",
            "failed with an \r\n",
            "exception.\r\n",
            "* What went wrong:\r\n",
            "Execution failed for \r\n",
            "task ':shop:compileJa\r\n",
            "va'.\r\n",
            "> Compilation failed.\r\n",
            "> Task :shop:x FAILED\r\n",
            "1 actionable task: 1 executed"
        );
        let whole = concat!(
            "> Task :shop:compileJava FAILED\n",
            "D:\\shop\\src\\Till.java:40: error: cannot find symbol\n",
            "        till.open();\n",
            "        ^\n",
            "\n",
            "FAILURE: Build failed with an exception.\n",
            "* What went wrong:\n",
            "Execution failed for task ':shop:compileJava'.\n",
            "> Compilation failed.\n",
            "> Task :shop:x FAILED\n",
            "1 actionable task: 1 executed"
        );
        assert_eq!(without_records(text), whole);
    }

    #[test]
    fn records_of_other_languages_and_wide_windows() {
        let record = |position: &str| {
            format!(
                "7 tasks\n./gradlew : \n{position}\n+ ./gradlew :shop:build > log.txt 2>&1\n+ ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n    + CategoryInfo          : \
                 NotSpecified: (:String) [], RemoteException\n    + FullyQualifiedErrorId : NativeCommandError\n \nFAILURE: Build failed with an exception.\n\n\
                 * What went wrong:\nExecution failed for task ':shop:build'.\n> A failure occurred while executing \norg.jetbrains.kotlin.gradle.internal.KaptWithoutKotlincTask$KaptExecutionWorkAction\n"
            )
        };
        let whole = "7 tasks\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':shop:build'.\n\
                     > A failure occurred while executing org.jetbrains.kotlin.gradle.internal.KaptWithoutKotlincTask$KaptExecutionWorkAction\n";
        for position in [
            "At line:1 char:13",
            "En línea: 1 Carácter: 1",
            "строка:1 знак:1",
            "No linha:1 \ncaractere:13",
            "En línea: 1 Carácter: \n1",
            "En línea: 1 \nCarácter: \n1",
            "Au caractère Ligne:1 : 1",
            "所在位置 行:1 字符: 1",
        ] {
            assert_eq!(without_records(&record(position)), whole, "{position}");
        }
    }

    // kapt_error.txt of <https://github.com/SathyaNeom/GIS_Project>.
    #[test]
    fn broken_frames_tell_the_width_of_a_record_that_is_whole() {
        let record = "./gradlew : \nAt line:1 char:1\n+ ./gradlew kapt\n+ ~~~~~~~~~~~~~~~\n    + CategoryInfo          : NotSpecified: (:String)\n    + FullyQualifiedErrorId : NativeCommandError\n \n";
        let broken = "Caused by: shop.TillException: Till a of shop b is on, \nand it is not yours.\n\tat shop.till.TillProcessor.processAllAnnotatedTillsOfSh\nop(TillProcessor.kt:12)\n\tat shop.till.TillProcessor.processAllAnnotatedTillsOfTo\nwn(TillProcessor.kt:34)\n";
        let whole = "Caused by: shop.TillException: Till a of shop b is on, and it is not yours.\n\tat shop.till.TillProcessor.processAllAnnotatedTillsOfShop(TillProcessor.kt:12)\n\tat shop.till.TillProcessor.processAllAnnotatedTillsOfTown(TillProcessor.kt:34)\n";
        let text = without_records(&format!("{record}{broken}")).into_owned();
        assert_eq!(text.trim_start(), whole);
        // Lines of different widths tell nothing.
        let uneven = broken.replace(
            "\tat shop.till.TillProcessor.processAllAnnotatedTillsOfTo\nwn",
            "\tat shop.till.TillProcessor.processAll\nOfTown",
        );
        let text = without_records(&format!("{record}{uneven}")).into_owned();
        assert!(text.contains("OfSh\nop("), "{text}");
    }

    // build_log_utf8.txt of <https://github.com/soumya07ad/ble-ring-app>.
    #[test]
    fn an_id_whose_parts_were_joined_with_blanks() {
        let record = "./gradlew : Till 'a' is now \nopen.\nAt line:1 char:1\n+ ./gradlew build\n+ ~~~~~~~~~~\n    + CategoryInfo       \n   : NotSpecified\n    + FullyQualifiedErrorId : \nNativeCommandErr    or\n \ne: Till 'b'\n";
        assert_eq!(without_records(record), "Till 'a' is now open.\ne: Till 'b'\n");
    }

    #[test]
    fn what_follows_the_id_at_once_is_kept() {
        let record = "./gradlew : FAILURE: Build failed with an exception.\r\r\nAt line:1 char:1\r\r\n+ ./gradlew build\r\r\n+ ~~~~~~~~~~\r\r\n    + CategoryInfo          : NotSpecified\r\r\n    + FullyQualifiedErrorId : NativeCommandErr\r\r\nor\r\r\n";
        // What is indented, and single words.
        let frames = "    at shop.Till.open(Till.java:3)\nTill\n";
        let whole = "FAILURE: Build failed with an exception.\n    at shop.Till.open(Till.java:3)\nTill\n";
        let record_of = |id: &str| record.replace("NativeCommandErr\r\r\nor", id);
        for id in ["NativeCommandError", "NativeCommandErr\nor", "\n  Native\nCommandError"] {
            assert_eq!(without_records(&format!("{}{frames}", record_of(id))), whole, "{id}");
        }
        // It is whole at the end of the text.
        assert_eq!(without_records(record.trim_end()), "FAILURE: Build failed with an exception.");
        let report = "* What went wrong:\r\r\nTill 'a' is open.\r\r\n\r\r\n";
        let whole = "FAILURE: Build failed with an exception.\n* What went wrong:\nTill 'a' is open.\n\n";
        assert_eq!(without_records(&format!("{record}{report}")), whole);
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            "a \nb\n",
            "x : y\n    + CategoryInfo : z\n",
            "    + CategoryInfo",
            "a:1 b:1\n+ c\n    + CategoryInfo\n    + FullyQ",
        ] {
            assert_eq!(without_records(text), text);
        }
    }
}
