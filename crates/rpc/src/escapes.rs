//! Parses a line as JSON, even if its strings contain unpaired surrogates. Not a JSON parser of its own.
//! Invariant: a line that serde_json accepts is taken as it is; only a rejected line is repaired and parsed
//! again.

use serde_json::Value;

/// Parses `line`.
pub fn json_of(line: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(line).or_else(|error| match whole_escapes(line) {
        Some(line) => serde_json::from_slice(&line),
        None => Err(error),
    })
}

/// Returns `line` with every escaped unpaired surrogate replaced by U+FFFD; `None` if there is none. JSON's
/// grammar allows them (RFC 8259, section 8.2), and Python writes them for bytes of a file name that are not
/// UTF-8, but they do not encode text.
fn whole_escapes(line: &[u8]) -> Option<Vec<u8>> {
    const LENGTH: usize = r"\u0000".len();
    let unit = |at: usize| -> Option<u16> {
        let digits = line.get(at..at + LENGTH)?.strip_prefix(br"\u")?;
        let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut mended = Vec::with_capacity(line.len());
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', &line[at..]) {
        at += found;
        at += match (unit(at), unit(at + LENGTH)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 2 * LENGTH,
            (Some(0xd800..=0xdfff), _) => {
                mended.extend_from_slice(&line[copied..at]);
                mended.extend_from_slice(br"\ufffd");
                copied = at + LENGTH;
                LENGTH
            }
            // The next character is escaped; it may be a backslash.
            _ => 2,
        };
        at = at.min(line.len());
    }
    mended.extend_from_slice(&line[copied..]);
    (copied > 0).then_some(mended)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_surrogate_pair_is_no_reason_to_leave_a_caller_waiting() {
        let asked = |text: &str| {
            let value = json_of(format!(r#"{{"id": 1, "text": "{text}"}}"#).as_bytes()).expect(text);
            assert_eq!(value["id"], 1);
            value["text"].as_str().expect("a string").to_owned()
        };
        assert_eq!(asked(r"b\udcffd"), "b\u{fffd}d");
        assert_eq!(asked(r"\ud800\ud83d\ude00\udbff"), "\u{fffd}\u{1f600}\u{fffd}");
        assert_eq!(asked(r"\\udcff\uDCFF\\"), "\\udcff\u{fffd}\\");
        assert_eq!(asked(r"\ud800\n\ud800\u0041"), "\u{fffd}\n\u{fffd}A");
        for text in [r#"{"id":"\ud800"#, r#"{"id":"\ud800\u12"}"#, r#"{"id":"\ud800\x"}"#] {
            assert!(json_of(text.as_bytes()).is_err(), "{text}");
        }
    }
}
