//! Parts lines that were joined: Gradle's report pasted as one line, a message and the next one's place without a line break.

use std::sync::LazyLock;

use regex::Regex;

/// What begins a line of Gradle's, at the margin.
const HEADS: [&str; 8] = [
    "FAILURE: Build ",
    "* Where:",
    "* What went wrong:",
    "* Try:",
    "* Exception is:",
    "BUILD FAILED",
    "BUILD SUCCESSFUL",
    "> Task ",
];

/// Whether a line is one that Gradle begins at the margin.
pub(super) fn is_head(line: &str) -> bool {
    HEADS.iter().any(|head| line.starts_with(head))
}

/// Returns the lines that a line was made from; most are one. `is_indented`: the whole text is, so heads lose their indentation. In
/// another text an indented head is what a test or a task printed.
pub(super) fn parted(line: &str, is_indented: bool) -> Vec<&str> {
    if let Some((before, place)) = glued(line) {
        return vec![before, place];
    }
    let inner = line.trim_start();
    if !is_indented && inner.len() < line.len() && is_head(inner) {
        return vec![line];
    }
    if inner.contains("* What went wrong:") || inner.contains(" FAILURE: Build ") {
        return of_report(inner);
    }
    if is_head(inner) {
        return vec![inner];
    }
    match inner.starts_with("> ") || inner.starts_with("Execution failed for task ") {
        true => reasons(line),
        false => vec![line],
    }
}

/// Parts a report: <https://github.com/cinder92/react-native-get-music-files/issues/28>.
fn of_report(line: &str) -> Vec<&str> {
    let mut starts: Vec<usize> =
        HEADS.iter().flat_map(|head| line.match_indices(head).map(|(at, _)| at)).collect();
    // A task within the report is named by it, not begun.
    starts.retain(|start| *start == 0 || !line[*start..].starts_with("> "));
    starts.extend([0, line.len()]);
    starts.sort_unstable();
    let mut parts = Vec::new();
    for pair in starts.windows(2) {
        let part = line[pair[0]..pair[1]].trim();
        let says_why = ["* What went wrong:", "* Where:"].iter().find(|head| part.starts_with(**head));
        let (head, rest) = part.split_at(says_why.map_or(0, |head| head.len()));
        parts.extend([head].into_iter().chain(reasons(rest.trim_start())).filter(|part| !part.is_empty()));
    }
    parts
}

/// Parts reasons that stand in one line: `Execution failed for task ':a'. > No till is open`.
fn reasons(line: &str) -> Vec<&str> {
    static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r" > [A-Z0-9']").ok());
    let Some(mark) = MARK.as_ref().filter(|_| line.contains(" > ")) else { return vec![line] };
    let mut parts = Vec::new();
    let mut from = 0;
    for found in mark.find_iter(line).filter(|found| !line[..found.start()].trim().is_empty()) {
        parts.push(&line[from..found.start()]);
        from = found.start() + 1;
    }
    parts.push(&line[from..]);
    parts
}

/// Parts a line at a place that stands right behind something else: the mark beneath a line of source, or the end of a message.
/// Source: <https://github.com/arabamcom/android-assignment/issues/5>.
fn glued(line: &str) -> Option<(&str, &str)> {
    static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:\s*\^|.*[\w.])(?P<place>[A-Za-z]:\\[^:]*\.(?:java|kt):\d+: (?:error|warning): )")
            .ok()
    });
    static BENEATH: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^\s*\^(?P<place>/[^:]*\.(?:java|kt):\d+: (?:error|warning): )").ok());
    if !line.contains(": error: ") && !line.contains(": warning: ") {
        return None;
    }
    let place = PLACE.as_ref()?.captures(line).or_else(|| BENEATH.as_ref()?.captures(line))?.name("place")?;
    Some(line.split_at(place.start()))
}

#[cfg(test)]
mod tests {
    fn parted(line: &str) -> Vec<&str> {
        super::parted(line, true)
    }

    #[test]
    fn a_report_in_one_line() {
        let report = ":app:till FAILED FAILURE: Build failed with an exception. * What went wrong: Execution failed for task ':app:till'. \
                      > Till 'a' is open * Try: Run with --info. BUILD FAILED";
        let expected = [
            ":app:till FAILED",
            "FAILURE: Build failed with an exception.",
            "* What went wrong:",
            "Execution failed for task ':app:till'.",
            "> Till 'a' is open",
            "* Try: Run with --info.",
            "BUILD FAILED",
        ];
        assert_eq!(parted(report), expected);
        assert_eq!(parted("* What went wrong:"), ["* What went wrong:"]);
        assert_eq!(parted("  * Try:"), ["* Try:"]);
        assert_eq!(parted("  > Task :app:till FAILED"), ["> Task :app:till FAILED"]);
        assert_eq!(super::parted("  > Task :app:till FAILED", false), ["  > Task :app:till FAILED"]);
    }

    #[test]
    fn reasons_in_one_line() {
        let line = "> A failure occurred while executing shop.Till > Compilation error.";
        assert_eq!(parted(line), ["> A failure occurred while executing shop.Till", "> Compilation error."]);
        for whole in [
            "   > Could not find shop:till:1.",
            "    project :app > project :till",
            "TillTest > opens FAILED",
        ] {
            assert_eq!(parted(whole), [whole]);
        }
    }

    #[test]
    fn a_place_behind_something_else() {
        let place = r"C:\shop\Till.java:11: error: no till";
        for before in ["version 4.7.1", "       ^"] {
            assert_eq!(parted(&format!("{before}{place}")), [before, place]);
        }
        assert_eq!(parted("   ^/shop/Till.java:3: error: x"), ["   ^", "/shop/Till.java:3: error: x"]);
        for whole in [place, r"e: C:\shop\Till.java:11: error: x", "/shop/a^/Till.java:3: error: x"] {
            assert_eq!(parted(whole), [whole]);
        }
    }
}
