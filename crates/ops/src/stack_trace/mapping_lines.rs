//! What single lines of a mapping say of a class, its file and the mapping itself.

use std::borrow::Cow;

use memchr::memchr;

/// Stands for a blank in the name of a method while the crate reads it: tests of Kotlin are called by sentences.
const BLANK_IN_NAME: &str = "\u{a0}";

/// Returns a member's line with one word for the name of its method.
pub(super) fn with_one_word(line: &[u8]) -> Cow<'_, [u8]> {
    let name = || {
        let open = memchr(b'(', line)?;
        let start = line.iter().position(|byte| !byte.is_ascii_whitespace())?;
        // The type and its lines.
        let start = start + memchr(b' ', line.get(start..open)?)? + 1;
        line[start..open].contains(&b' ').then_some(start..open)
    };
    let Some(name) = name() else { return Cow::Borrowed(line) };
    let words: Vec<&[u8]> = line[name.clone()].split(|byte| *byte == b' ').collect();
    Cow::Owned([&line[..name.start], &words.join(BLANK_IN_NAME.as_bytes()), &line[name.end..]].concat())
}

/// Returns the name of a method as it is in the source.
pub(super) fn name_in_source(name: &str) -> String {
    name.replace(BLANK_IN_NAME, " ")
}

/// Returns the name in `# {"id":"sourceFile","fileName":"Till.kt"}`.
pub(super) fn source_file(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?.trim_start().strip_prefix('#')?;
    let (_, after) = line.contains("\"sourceFile\"").then(|| line.split_once("\"fileName\":\""))??;
    let file = after.split('"').next()?;
    (file.ends_with(".kt") || file.ends_with(".java")).then_some(file)
}

/// Returns the names of `shop.app.Till -> a.b:`: its own, and the obfuscated one.
pub(super) fn class_line(line: &[u8]) -> Option<(&str, &str)> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let (original, obfuscated) = line.strip_suffix(':')?.split_once(" -> ")?;
    (!original.is_empty() && !obfuscated.is_empty()).then_some((original, obfuscated))
}

/// Returns the value of `# pg_map_id: abc` or `# pg_map_hash: SHA-256 abc`.
pub(super) fn map_id(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.trim_start_matches(['#', ' ']);
    let value = line.strip_prefix("pg_map_id:").or_else(|| line.strip_prefix("pg_map_hash:"))?;
    value.split_whitespace().next_back().map(str::to_owned)
}
