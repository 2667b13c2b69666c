//! Reads the messages that Android's Gradle plugin writes as a whole: `AGPBI: {"kind":"error","text":…,"sources":[…]}`, and before
//! that as `Message{kind=ERROR, text=…, sources=[/p/a.xml:12], …}`.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::causes::is_summary;
use super::messages::{BegunProblem, begun};
use super::{BuildProblem, BuildSeverity, BuildTool, OutputPlace};

/// Reads a line that holds such a message of an error or a warning.
pub(super) fn message(line: &str) -> Option<BuildProblem> {
    of_json(line).or_else(|| of_fields(line))
}

fn of_json(line: &str) -> Option<BuildProblem> {
    let json = line.trim_start().strip_prefix("AGPBI:")?.trim_start();
    let message: Value = serde_json::from_str(json).ok()?;
    let severity = match message["kind"].as_str()? {
        "error" => BuildSeverity::Error,
        "warning" => BuildSeverity::Warning,
        _ => return None,
    };
    let text = message["text"].as_str()?;
    let source = &message["sources"][0];
    let place = source["file"].as_str().map(|path| OutputPlace {
        path: path.to_owned(),
        // It counts from 0.
        line: number(&source["position"]["startLine"]),
        column: number(&source["position"]["startColumn"]),
    });
    // Some texts only announce what the tool itself said.
    let original = message["original"].as_str().unwrap_or_default().trim();
    if is_summary(text)
        && let Some(BegunProblem { problem, .. }) = begun(original)
    {
        return Some(BuildProblem { place: problem.place.or(place), ..problem });
    }
    let tool = tool(message["tool"].as_str().unwrap_or_default());
    Some(BuildProblem::error(tool, without_mark(text)).of_severity(severity).at(place))
}

/// Form: <https://github.com/tommybuonomo/dotsindicator/issues/21>.
fn of_fields(line: &str) -> Option<BuildProblem> {
    static MESSAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"Message\{kind=(?P<s>ERROR|WARNING), text=(?P<m>.*?), sources=\[(?:\[[^\]]*\] )?(?P<path>[^\],]*?)(?::(?P<l>\d+)(?::(?P<c>\d+))?[\d:-]*)?(?:, [^\]]*)?\]").ok()
    });
    if !line.contains("Message{kind=") {
        return None;
    }
    let found = MESSAGE.as_ref()?.captures(line)?;
    let number = |name: &str| found.name(name).and_then(|number| number.as_str().parse().ok());
    let path = found["path"].to_owned();
    let place = OutputPlace { path, line: number("l"), column: number("c") };
    let severity = if &found["s"] == "ERROR" { BuildSeverity::Error } else { BuildSeverity::Warning };
    let name = line.split_once("tool name=Optional.of(").and_then(|(_, rest)| rest.split(')').next());
    let problem = BuildProblem::error(tool(name.unwrap_or_default()), without_mark(&found["m"]));
    Some(problem.of_severity(severity).at(Some(place).filter(is_known)))
}

/// Whether a message names a file.
fn is_known(place: &OutputPlace) -> bool {
    !place.path.is_empty() && place.path != "Unknown source file"
}

fn tool(name: &str) -> BuildTool {
    match name {
        "AAPT" => BuildTool::Aapt,
        "Manifest merger" => BuildTool::Manifest,
        "D8" | "R8" | "Dex" => BuildTool::R8,
        _ => BuildTool::Gradle,
    }
}

fn without_mark(text: &str) -> &str {
    text.trim_start_matches("error: ").trim()
}

fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()?.checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_messages() {
        let place = |sources: &str| {
            let line = format!(
                "Message{{kind=ERROR, text=no till, sources=[{sources}], tool name=Optional.of(AAPT)}}"
            );
            let place = message(&line).unwrap().place;
            place.map(|place| (place.path, place.line, place.column))
        };
        let at = |line: usize, column: Option<usize>| Some(("/p/a.xml".to_owned(), Some(line), column));
        assert_eq!(place("/p/a.xml:12:5-20"), at(12, Some(5)));
        assert_eq!(place("/p/a.xml:12:5-20, /p/b.xml:13"), at(12, Some(5)));
        assert_eq!(place("[com.x:lib:1] /p/a.xml:12"), at(12, None));
        assert_eq!(place("Unknown source file"), None);
        assert_eq!(place(""), None);
    }

    #[test]
    fn a_summary_keeps_the_place_of_its_source() {
        let line = r#"AGPBI: {"kind":"error","text":"Android resource linking failed","sources":[{"file":"/p/a.xml","position":{"startLine":4}}],"original":"ERROR: no till"}"#;
        let problem = message(line).unwrap();
        assert_eq!(problem.place.unwrap().path, "/p/a.xml");
    }
}
