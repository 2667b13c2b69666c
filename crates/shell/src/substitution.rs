//! Detects from a command's text whether the shell would run another command inside it (contract gemini_cli,
//! ruling on run_shell_command). Not a sandbox: approvals decide what may run. Invariant: if it is unclear
//! where quotes end, they are treated as no protection.

use std::fmt;

/// A way to run a command inside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Substitution {
    /// `$(…)`
    Dollar,
    /// `` `…` ``
    Backticks,
    /// `<(…)`
    From,
    /// `>(…)`
    To,
}

impl Substitution {
    /// Returns the first substitution in `command`: `$(` anywhere, the others outside single quotes.
    pub fn in_command(command: &str) -> Option<Substitution> {
        if command.contains("$(") {
            return Some(Substitution::Dollar);
        }
        let text = if has_unclear_quotes(command) { command.to_owned() } else { outside_quotes(command) };
        let others = [("`", Substitution::Backticks), ("<(", Substitution::From), (">(", Substitution::To)];
        others.into_iter().find(|(sign, _)| text.contains(sign)).map(|(_, found)| found)
    }
}

impl fmt::Display for Substitution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Substitution::Dollar => "$()",
            Substitution::Backticks => "backticks",
            Substitution::From => "<()",
            Substitution::To => ">()",
        })
    }
}

/// Whether the command may contain a quote that quotes nothing: in a here-document, in a comment, or after
/// `$`, where `\'` does not end the quotation.
fn has_unclear_quotes(command: &str) -> bool {
    command.contains("<<") || command.contains('#') || command.contains("$'")
}

/// Returns the text without single-quoted parts. A single quote within double quotes, or after a backslash,
/// does not count.
fn outside_quotes(command: &str) -> String {
    let mut outside = String::new();
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') => quote = None,
            (Some('\''), _) => continue,
            (Some(_), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        outside.push(c);
        if c == '\\' {
            outside.extend(chars.next());
        }
    }
    // A quote that is never closed quotes nothing.
    if quote.is_some() { command.to_owned() } else { outside }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_shell_would_run_is_seen() {
        use Substitution::*;
        let cases = [
            ("echo $(date)", Some(Dollar)),
            ("echo '$(date)'", Some(Dollar)),
            ("echo $((1 + 1))", Some(Dollar)),
            ("echo `date`", Some(Backticks)),
            ("echo \"`date`\"", Some(Backticks)),
            ("echo '`date`'", None),
            ("echo \"it's `date`\"", Some(Backticks)),
            ("echo it\\'s `date` 'x'", Some(Backticks)),
            ("echo 'a'\\''`date`'", None),
            ("echo $'\\'' '`date`'", Some(Backticks)),
            ("echo 'a' `date` 'b'", Some(Backticks)),
            ("echo 'unfinished `date`", Some(Backticks)),
            ("# it's\n`date` # '", Some(Backticks)),
            ("cat <<EOF\nit's `date`'\nEOF", Some(Backticks)),
            ("diff <(a) b", Some(From)),
            ("a > >(b)", Some(To)),
            ("echo '<(a) >(b)'", None),
            ("echo \"<(a)\"", Some(From)),
            ("echo $HOME ${HOME} (a) < b > c", None),
            ("", None),
        ];
        for (command, expected) in cases {
            assert_eq!(Substitution::in_command(command), expected, "{command}");
        }
    }
}
