//! What single lines of a mapping say of a class, its file and the mapping itself.

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
