//! JSON text as Python's `json.dumps(ensure_ascii=False)` writes it: separators `", "` and `": "`, non-ASCII
//! characters unescaped. Invariant: keys keep their given order, so answers are structs or lists of pairs.

use std::io::{self, Write};

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Formats JSON on one line, with Python's separators.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> String {
    write(value, Python)
}

/// Formats JSON like `json.dumps(…, indent=2)`.
pub fn to_string_indented<T: Serialize + ?Sized>(value: &T) -> String {
    write(value, PrettyFormatter::with_indent(b"  "))
}

fn write<T: Serialize + ?Sized>(value: &T, formatter: impl Formatter) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, formatter);
    // Fails only for map keys that are not strings, which no answer has. Then half an answer would be worse
    // than none.
    if value.serialize(&mut serializer).is_err() {
        debug_assert!(false, "an answer that is not JSON");
        return "null".to_owned();
    }
    String::from_utf8(text).unwrap_or_else(|_| "null".to_owned())
}

/// A JSON object whose keys have the order of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Object<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Returns the number of characters that `text` takes inside the quotes of a JSON string.
pub fn escaped_chars(text: &str) -> usize {
    let extra: usize = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 1,
            0..0x20 => 5,
            _ => 0,
        })
        .sum();
    text.chars().count() + extra
}

#[derive(Clone, Copy, Debug)]
struct Python;

impl Formatter for Python {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_spelled_as_python_spells_it() {
        let value =
            Object(vec![("b", serde_json::json!([1, "ä\u{7f}\u{1}\"\\\n/"])), ("a", serde_json::json!({}))]);
        assert_eq!(to_string(&value), "{\"b\": [1, \"ä\u{7f}\\u0001\\\"\\\\\\n/\"], \"a\": {}}");
        assert_eq!(to_string_indented(&vec![Object(vec![("k", 1)])]), "[\n  {\n    \"k\": 1\n  }\n]");
        assert_eq!(to_string::<[i32]>(&[]), "[]");
    }

    #[test]
    fn lengths_are_those_of_the_text() {
        let all: String = (0..0x300).filter_map(char::from_u32).chain("\u{2028}😀".chars()).collect();
        for c in all.chars() {
            let text = c.to_string();
            assert_eq!(escaped_chars(&text) + 2, to_string(&text).chars().count(), "{c:?}");
        }
    }
}
