//! Translates parameters in the messages of native tools to the command line: `force: true` is `--force`
//! here, and `find_referencing_symbols` is `symd refs`. Invariant: only text written by symd (the last line,
//! notes, refusals) is translated, never a line of the project.

use std::borrow::Cow;

/// Phrases of native tools and their translations; longer ones before their prefixes.
const WORDS: [(&str, &str); 34] = [
    ("references with show_unlisted lists", "`symd refs --unlisted` lists"),
    ("references lists", "`symd refs` lists"),
    ("show_unlisted lists", "--unlisted lists"),
    ("family: true lists", "--family lists"),
    (
        "; uses of such names are not followed, search finds",
        "; uses of such names are not followed, `symd search` finds",
    ),
    ("references with relation: callers", "`symd callers`"),
    ("references with relation: callees", "`symd callees`"),
    ("references with relation: implementations", "`symd impls`"),
    ("references with relation: subtypes", "`symd impls`"),
    ("find_symbol with body", "`symd find --body`"),
    ("find_symbol with depth: 1", "`symd overview`"),
    ("raise budget", "raise --budget"),
    ("impact with depth does", "`symd impact` with --depth does"),
    ("impact looks further", "`symd impact` looks further"),
    ("text can be searched", "text can be searched by `symd search`"),
    ("use find_symbol for a part", "use `symd find` for a part"),
    ("narrow with path, kinds or", "narrow with --in, --kind or"),
    ("narrow with kinds", "narrow with --kind"),
    ("narrow it with path or glob", "narrow it with --in"),
    ("(or file:line) as path", "(or file:line) with --in"),
    ("raise depth", "raise --depth"),
    ("give one by mapping", "give one by --mapping"),
    ("give a smaller depth, leave out bodies", "leave out --body"),
    ("give a smaller depth", "give a smaller --depth"),
    ("give a smaller count, or raise limit", "give a smaller --count"),
    ("give min_severity", "give --severity"),
    ("raise limit", "raise --limit"),
    ("wait: \"ready\" waits", "--wait waits"),
    ("give force: true", "give --force"),
    ("include: [\"comments\"]", "--include comments"),
    ("include: [\"docs\"]", "--include docs"),
    ("include: [\"strings\"]", "--include strings"),
    ("include: [\"other_languages\"]", "--include other_languages"),
    ("include: [\"unchecked\"]", "--include unchecked"),
];

/// Translates `text`, the answer of a native tool. `went_well` determines which of its lines symd has
/// written, and `has_remarks` whether there are remarks among the lines of its body.
pub(super) fn of_command_line(text: &str, went_well: bool, has_remarks: bool) -> Cow<'_, str> {
    let last = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let is_ours = |start: usize, line: &str| match went_well {
        true => {
            line.starts_with("note: ")
                || (start == last && line.starts_with('['))
                || has_remarks && is_remark(line)
        }
        false => !line.starts_with(' '),
    };
    let mut put = String::with_capacity(text.len());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if is_ours(start, line) {
            put.push_str(
                &WORDS.iter().fold(line.to_owned(), |line, (native, ours)| line.replace(native, ours)),
            );
        } else {
            put.push_str(line);
        }
        start += line.len();
    }
    if put == text { Cow::Borrowed(text) } else { Cow::Owned(put) }
}

/// Whether the whole line is a remark of an answer about a trace or a build, wherever it stands: lines of code and of messages
/// are indented.
fn is_remark(line: &str) -> bool {
    let line = line.trim_end();
    line == "… cut; raise limit for the rest"
        || line.starts_with("[frames of this project: ") && line.ends_with(']')
        || !line.starts_with(' ') && line.ends_with(" left out; raise limit")
        || line.starts_with("  … ") && line.ends_with(" more; raise limit")
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the sources are no project's files")]
mod tests {
    use std::path::Path;

    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::args::Arguments;

    /// Collects the texts of all sources below `directory`, without their test modules.
    fn sources(directory: &Path, all: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(directory).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                sources(&path, all);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
                // Joins strings that continue on the next line.
                let joined = text.replace("\\\n", "\u{0}").split('\u{0}').map(str::trim_start).collect();
                all.push((path.display().to_string(), joined));
            }
        }
    }

    fn all_sources() -> Vec<(String, String)> {
        let mut all = Vec::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        sources(&root.join("src"), &mut all);
        sources(&root.join("crates"), &mut all);
        all
    }

    #[test]
    fn the_words_are_said_and_the_flags_exist() {
        let texts: Vec<String> = all_sources()
            .into_iter()
            .filter(|(path, _)| !path.ends_with("cli/words.rs"))
            .map(|(_, text)| text)
            .collect();
        for (native, _) in WORDS.iter().filter(|(native, _)| !native.starts_with("include: ")) {
            let quoted = native.replace('"', "\\\"");
            assert!(texts.iter().any(|text| text.contains(&quoted)), "nothing says {native:?}");
        }
        let command = Arguments::command();
        let flags: Vec<String> = command
            .get_subcommands()
            .flat_map(|one| {
                one.get_arguments().filter_map(|argument| argument.get_long()).collect::<Vec<_>>()
            })
            .map(str::to_owned)
            .collect();
        for (_, ours) in WORDS {
            for flag in ours.split("--").skip(1) {
                let end = flag.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(flag.len());
                assert!(flags.iter().any(|known| known == &flag[..end]), "{ours:?}");
            }
        }
    }

    #[test]
    fn only_what_symd_says_is_put_in_other_words() {
        let native = "a.py:3: give force: true\n[1 reference; incomplete: cut; raise limit]";
        let ours = "a.py:3: give force: true\n[1 reference; incomplete: cut; raise --limit]";
        assert_eq!(of_command_line(native, true, true), ours);
        let native = "raise limit\n… cut; raise limit for the rest\n[3 frames]\n\ncallers:\n  … 3 more; raise limit\n\nask next: 2 left out; raise limit";
        let ours = "raise limit\n… cut; raise --limit for the rest\n[3 frames]\n\ncallers:\n  … 3 more; raise --limit\n\nask next: 2 left out; raise --limit";
        assert_eq!(of_command_line(native, true, true), ours);
        assert_eq!(of_command_line(native, true, false), native, "lines of a project");
        let refused = "it would break; correct the text, or give force: true\n  a.py:3: give force: true";
        assert_eq!(
            of_command_line(refused, false, false),
            "it would break; correct the text, or give --force\n  a.py:3: give force: true"
        );
    }

    /// Checks every `symd …` in backticks in a message, the table of languages or a document.
    #[test]
    fn commands_that_are_printed_run_as_printed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut texts = all_sources();
        let documents =
            ["README.md", "languages.toml", "docs/contracts.md", "docs/languages.md", "docs/SKILL.md"];
        for document in documents {
            texts.push((document.to_owned(), std::fs::read_to_string(root.join(document)).expect(document)));
        }
        let mut seen = 0;
        for (path, text) in &texts {
            for (at, _) in text.match_indices("`symd ") {
                let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
                // Comments are not messages.
                if text[line_start..at].trim_start().starts_with("//") {
                    continue;
                }
                let Some((command, _)) = text[at + 1..].split_once('`') else { continue };
                if command.contains('\n') || command.contains('…') {
                    continue;
                }
                // A pipe joins commands.
                command.split(" | ").for_each(|command| assert_is_known(command, path));
                seen += 1;
            }
        }
        assert!(seen > 50, "{seen} commands");
    }

    /// Fails unless the command exists, with its flags; its arguments may be missing.
    fn assert_is_known(command: &str, path: &str) {
        use clap::error::ErrorKind::{
            DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion, MissingRequiredArgument,
        };
        let filled = filled(command);
        let words = filled.split_whitespace().map(|word| word.trim_matches('\''));
        let Err(error) = Arguments::try_parse_from(words) else { return };
        // A command with subcommands shows their help; one without its arguments is only named.
        let is_named = matches!(
            error.kind(),
            DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand | MissingRequiredArgument
        );
        let is_hidden = HIDDEN.iter().any(|hidden| filled.starts_with(hidden));
        assert!(is_named || is_hidden, "{path}: `{command}`: {error}");
    }

    /// Commands that clap does not know: symd starts them itself.
    const HIDDEN: [&str; 2] = ["symd warden", "symd parse"];

    /// Replaces every `{…}` in a command by a value.
    fn filled(command: &str) -> String {
        let mut filled = String::new();
        let mut rest = command;
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            filled.push('7');
            rest = after.split_once('}').map_or("", |(_, rest)| rest);
        }
        filled.push_str(rest);
        filled
    }
}
