//! Makes the places in an answer clickable for people at a terminal: `path:line` becomes a hyperlink (OSC 8,
//! <https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda>), the line that the answer is about is bold.
//! Invariant: without the control characters added here, the text is unchanged. The caller has escaped the text's own.

use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use crate::lsp::uri;

const PLACE: Style = AnsiColor::Cyan.on_default();
const LINE: Style = Style::new().bold();
const PLAIN: Style = Style::new();

/// How the terminal opens a file at a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkForm {
    /// A hyperlink to the file.
    File,
    /// A hyperlink that VS Code opens at the line.
    VsCode,
    /// None: the terminal finds `path:line` itself, as those of JetBrains' IDEs do.
    None,
}

impl LinkForm {
    /// Returns the form for the terminal that the environment names.
    pub(super) fn of_terminal() -> LinkForm {
        let is = |name: &str, value: &str| std::env::var_os(name).is_some_and(|it| it == value);
        if is("TERMINAL_EMULATOR", "JetBrains-JediTerm") || is("TERM", "dumb") || is("TERM", "linux") {
            LinkForm::None
        } else if is("TERM_PROGRAM", "vscode") {
            LinkForm::VsCode
        } else {
            LinkForm::File
        }
    }

    /// Returns the address of line `line`, 1-based, of a file; `None` for no link.
    fn address(self, file: &Path, line: &str) -> Option<String> {
        let address = uri::of_path(file);
        match self {
            LinkForm::File => Some(address),
            LinkForm::VsCode => Some(format!("vscode://file{}:{line}", address.strip_prefix("file://")?)),
            LinkForm::None => None,
        }
    }
}

/// Returns `text`, which has no control characters, with links to the places at the start of its lines that name files beneath `root`, and in colours.
pub(super) fn places(text: &str, root: &Path, form: LinkForm) -> String {
    let mut shown = String::with_capacity(text.len() + text.len() / 2);
    for line in text.split_inclusive('\n') {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        // Writing to a String cannot fail.
        let _ = match place(content, root) {
            Some(place) => {
                let (before, rest) = content.split_at(place.start);
                let (named, behind) = rest.split_at(place.length);
                let styled = format!("{PLACE}{named}{PLACE:#}");
                let linked = match form.address(&root.join(place.path), place.line) {
                    Some(address) => format!("\x1b]8;;{address}\x1b\\{styled}\x1b]8;;\x1b\\"),
                    None => styled,
                };
                write!(shown, "{before}{linked}{behind}{end}")
            }
            None => {
                let style = if content.trim_start().starts_with("> ") { LINE } else { PLAIN };
                write!(shown, "{style}{content}{style:#}{end}")
            }
        };
    }
    shown
}

/// A place at the start of a line, `path:line`: the byte where it begins, its length in bytes, and its parts.
struct NamedPlace<'t> {
    start: usize,
    length: usize,
    path: &'t str,
    line: &'t str,
}

fn place<'t>(content: &'t str, root: &Path) -> Option<NamedPlace<'t>> {
    let rest = content.trim_start();
    let rest = rest.strip_prefix("? ").unwrap_or(rest);
    let start = content.len() - rest.len();
    rest.match_indices(':').find_map(|(colon, _)| {
        let path = &rest[..colon];
        let digits = rest[colon + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let is_inside =
            Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let is_place = digits > 0 && !path.is_empty() && is_inside && root.join(path).is_file();
        is_place.then(|| NamedPlace {
            start,
            length: colon + 1 + digits,
            path,
            line: &rest[colon + 1..colon + 1 + digits],
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{LinkForm, places};

    #[test]
    #[allow(clippy::disallowed_methods, reason = "writes the files of the test's own project")]
    fn places_become_links_and_nothing_else_does() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        std::fs::create_dir_all(root.join("a b")).unwrap();
        std::fs::write(root.join("a b/Till.kt"), "").unwrap();
        let text =
            "shop: no 1\n? a b/Till.kt:30 in f\n  >  30  x\nno/File.kt:3 in g\n../a:1\n\ta b/Till.kt:x\n";
        let encoded = format!("{}/a%20b/Till.kt", root.to_str().unwrap());
        let expected = |link: &str| {
            format!(
                "shop: no 1\n? {link} in f\n\x1b[1m  >  30  x\x1b[0m\nno/File.kt:3 in g\n../a:1\n\ta b/Till.kt:x\n"
            )
        };
        let styled = "\x1b[36ma b/Till.kt:30\x1b[0m";
        let link = |address: String| format!("\x1b]8;;{address}\x1b\\{styled}\x1b]8;;\x1b\\");
        assert_eq!(places(text, root, LinkForm::None), expected(styled));
        assert_eq!(places(text, root, LinkForm::File), expected(&link(format!("file://{encoded}"))));
        assert_eq!(
            places(text, root, LinkForm::VsCode),
            expected(&link(format!("vscode://file{encoded}:30")))
        );
    }
}
