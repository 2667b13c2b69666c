//! Reads the messages that Android's Gradle plugin writes as JSON: `AGPBI: {"kind":"error","text":…,"sources":[…]}`.

use super::{BuildProblem, BuildSeverity, BuildTool, OutputPlace};
use serde_json::Value;

/// Reads a line that holds such a message of an error or a warning.
pub(super) fn message(line: &str) -> Option<BuildProblem> {
    let json = line.trim_start().strip_prefix("AGPBI:")?.trim_start();
    let message: Value = serde_json::from_str(json).ok()?;
    let severity = match message["kind"].as_str()? {
        "error" => BuildSeverity::Error,
        "warning" => BuildSeverity::Warning,
        _ => return None,
    };
    let text = message["text"].as_str()?;
    let tool = match message["tool"].as_str().unwrap_or_default() {
        "AAPT" => BuildTool::Aapt,
        "Manifest merger" => BuildTool::Manifest,
        "D8" | "R8" | "Dex" => BuildTool::R8,
        _ => BuildTool::Gradle,
    };
    let source = &message["sources"][0];
    let place = source["file"].as_str().map(|path| OutputPlace {
        path: path.to_owned(),
        // It counts from 0.
        line: number(&source["position"]["startLine"]),
        column: number(&source["position"]["startColumn"]),
    });
    Some(BuildProblem {
        tool,
        severity,
        place,
        message: text.trim_start_matches("error: ").trim().to_owned(),
        tasks: Vec::new(),
        times: 1,
    })
}

fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()?.checked_add(1)
}
