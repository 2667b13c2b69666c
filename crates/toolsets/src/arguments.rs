//! Parses a tool's arguments. Nothing is guessed: "3" is no integer. Invariant: an error names the parameter,
//! the expected value and the given value; an optional argument that is null counts as absent.

use serde_json::{Map, Value};

/// The arguments of one call. Unknown ones are ignored.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(&'a Map<String, Value>);

/// A missing or invalid argument. Contracts put their own words before the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// A required argument is missing.
    #[error("Missing required parameter '{name}' (expected {expected})")]
    Missing {
        /// The parameter.
        name: String,
        /// With its article: "a string".
        expected: String,
    },
    /// An argument has the wrong type or value.
    #[error("Invalid parameter '{name}': expected {expected}, got: {got}")]
    Invalid {
        /// The parameter.
        name: String,
        /// With its article: "a string".
        expected: String,
        /// What came, as JSON, shortened.
        got: String,
    },
}

impl<'a> Arguments<'a> {
    pub fn new(arguments: &'a Map<String, Value>) -> Arguments<'a> {
        Arguments(arguments)
    }

    /// Returns a required string.
    pub fn string(&self, name: &str) -> Result<&'a str, ArgumentError> {
        self.required(name, "a string", Value::as_str)
    }

    /// Returns a string, or `default`.
    pub fn string_or(&self, name: &str, default: &'a str) -> Result<&'a str, ArgumentError> {
        Ok(self.optional(name, "a string", Value::as_str)?.unwrap_or(default))
    }

    /// Returns a string, if there is one.
    pub fn string_if(&self, name: &str) -> Result<Option<&'a str>, ArgumentError> {
        self.optional(name, "a string", Value::as_str)
    }

    /// Returns a required integer; 3.0 is one, as in JSON Schema.
    pub fn integer(&self, name: &str) -> Result<i64, ArgumentError> {
        self.required(name, "an integer", integer)
    }

    /// Returns an integer, or `default`.
    pub fn integer_or(&self, name: &str, default: i64) -> Result<i64, ArgumentError> {
        Ok(self.integer_if(name)?.unwrap_or(default))
    }

    /// Returns an integer, if there is one.
    pub fn integer_if(&self, name: &str) -> Result<Option<i64>, ArgumentError> {
        self.optional(name, "an integer", integer)
    }

    /// Returns an integer that counts something, or `default`. A negative one is an error; one beyond the
    /// platform's range becomes the maximum: no file has that many lines.
    pub fn count_or(&self, name: &str, default: usize) -> Result<usize, ArgumentError> {
        Ok(self.count_if(name)?.unwrap_or(default))
    }

    /// Returns an integer that counts something, if there is one; a negative one is an error.
    pub fn count_if(&self, name: &str) -> Result<Option<usize>, ArgumentError> {
        match self.integer_if(name)? {
            Some(value) if value < 0 => Err(self.invalid(name, "an integer that is not negative")),
            Some(value) => Ok(Some(usize::try_from(value).unwrap_or(usize::MAX))),
            None => Ok(None),
        }
    }

    /// Returns a number, or `default`.
    pub fn number_or(&self, name: &str, default: f64) -> Result<f64, ArgumentError> {
        Ok(self.optional(name, "a number", Value::as_f64)?.unwrap_or(default))
    }

    /// Returns a required boolean.
    pub fn boolean(&self, name: &str) -> Result<bool, ArgumentError> {
        self.required(name, "a boolean", Value::as_bool)
    }

    /// Returns a boolean, or `default`.
    pub fn boolean_or(&self, name: &str, default: bool) -> Result<bool, ArgumentError> {
        Ok(self.optional(name, "a boolean", Value::as_bool)?.unwrap_or(default))
    }

    /// Returns a list of integers, or `default`.
    pub fn integers_or(&self, name: &str, default: &[i64]) -> Result<Vec<i64>, ArgumentError> {
        let read = |value: &Value| value.as_array()?.iter().map(integer).collect::<Option<Vec<i64>>>();
        Ok(self.optional(name, "a list of integers", read)?.unwrap_or_else(|| default.to_vec()))
    }

    /// Returns a required list of strings.
    pub fn strings(&self, name: &str) -> Result<Vec<&'a str>, ArgumentError> {
        let read = |value: &'a Value| value.as_array()?.iter().map(Value::as_str).collect();
        self.required(name, "a list of strings", read)
    }

    /// Returns a list of strings, if there is one.
    pub fn strings_if(&self, name: &str) -> Result<Option<Vec<&'a str>>, ArgumentError> {
        let read = |value: &'a Value| value.as_array()?.iter().map(Value::as_str).collect();
        self.optional(name, "a list of strings", read)
    }

    /// Returns a list of strings; empty if there is none.
    pub fn strings_or_empty(&self, name: &str) -> Result<Vec<&'a str>, ArgumentError> {
        Ok(self.strings_if(name)?.unwrap_or_default())
    }

    /// Returns a required string that is one of `known`.
    pub fn one_of(&self, name: &str, known: &[&'static str]) -> Result<&'static str, ArgumentError> {
        let text = self.string(name)?;
        self.known(name, text, known)
    }

    /// Returns a string that is one of `known`, or `default`.
    pub fn one_of_or(
        &self,
        name: &str,
        known: &[&'static str],
        default: &'static str,
    ) -> Result<&'static str, ArgumentError> {
        match self.string_if(name)? {
            Some(text) => self.known(name, text, known),
            None => Ok(default),
        }
    }

    /// Formats an integer as the client sent it, for texts that quote it. [`Arguments::integer`] clamps
    /// values beyond 64 bits.
    pub fn as_sent(&self, name: &str) -> String {
        match self.0.get(name) {
            None => "nothing".to_owned(),
            Some(Value::Number(number)) if !number.is_f64() => number.to_string(),
            Some(value) => match (integer(value), value.as_f64()) {
                (Some(exact), _) if !is_shortened(exact) => exact.to_string(),
                (_, Some(number)) => format!("{number:e}"),
                _ => truncated_json(value),
            },
        }
    }

    /// Replaces the clamped integers in `text`, which quotes integers read from the arguments `names`, by the
    /// values that the client sent. Of several clamped ones with the same sign, the first is used.
    pub fn restore_clamped(&self, text: &str, names: &[&str]) -> String {
        [i64::MAX, i64::MIN].into_iter().fold(text.to_owned(), |text, end| {
            let given = names.iter().find(|name| self.0.get(**name).and_then(integer) == Some(end));
            given.map_or(text.clone(), |name| text.replace(&end.to_string(), &self.as_sent(name)))
        })
    }

    /// Returns the error that says what `name` should have been.
    pub fn invalid(&self, name: &str, expected: &str) -> ArgumentError {
        let got = self.0.get(name).map_or_else(|| "nothing".to_owned(), truncated_json);
        ArgumentError::Invalid { name: name.to_owned(), expected: expected.to_owned(), got }
    }

    fn known(&self, name: &str, text: &str, known: &[&'static str]) -> Result<&'static str, ArgumentError> {
        known.iter().find(|one| **one == text).copied().ok_or_else(|| {
            let list: Vec<String> = known.iter().map(|one| format!("'{one}'")).collect();
            self.invalid(name, &format!("one of {}", list.join(", ")))
        })
    }

    fn required<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<T, ArgumentError> {
        let value = self
            .0
            .get(name)
            .ok_or_else(|| ArgumentError::Missing { name: name.to_owned(), expected: expected.to_owned() })?;
        read(value).ok_or_else(|| self.invalid(name, expected))
    }

    fn optional<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, ArgumentError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.invalid(name, expected)),
        }
    }
}

fn integer(value: &Value) -> Option<i64> {
    if let Some(value) = value.as_i64() {
        return Some(value);
    }
    // A value beyond 64 bits, or 3.0. Whole numbers are exact up to 2^53; beyond that the exact value does
    // not matter.
    let value = value.as_f64().filter(|value| value.fract() == 0.0)?;
    if value >= 9.0e18 {
        return Some(i64::MAX);
    }
    if value <= -9.0e18 {
        return Some(i64::MIN);
    }
    format!("{value:.0}").parse().ok()
}

/// Whether [`integer`] may have clamped a greater value to this one.
fn is_shortened(value: i64) -> bool {
    matches!(value, i64::MIN | i64::MAX)
}

/// Formats a value as JSON, truncated to 60 characters.
fn truncated_json(value: &Value) -> String {
    const SHOWN: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_there_and_names_what_is_not() {
        let json = r#"{"s":"x","i":3,"f":3.0,"big":99999999999999999999,"n":null,"neg":-1,"b":true,"l":[1,2],"m":"regex"}"#;
        let map: Map<String, Value> = serde_json::from_str(json).expect("valid");
        let args = Arguments::new(&map);
        assert_eq!(args.string("s"), Ok("x"));
        assert_eq!(args.string_or("n", "d"), Ok("d"));
        assert_eq!((args.integer_or("i", 0), args.integer_or("f", 0)), (Ok(3), Ok(3)));
        assert_eq!(args.integer_or("big", 0), Ok(i64::MAX));
        assert_eq!(args.count_or("absent", 7), Ok(7));
        assert_eq!(args.boolean_or("b", false), Ok(true));
        assert_eq!(args.integers_or("l", &[]), Ok(vec![1, 2]));
        assert_eq!(args.one_of("m", &["literal", "regex"]), Ok("regex"));
        let text = |error: Option<ArgumentError>| error.expect("refused").to_string();
        assert_eq!(text(args.string("zz").err()), "Missing required parameter 'zz' (expected a string)");
        assert_eq!(
            text(args.integer_or("s", 0).err()),
            "Invalid parameter 's': expected an integer, got: \"x\""
        );
        assert_eq!(
            text(args.count_or("neg", 0).err()),
            "Invalid parameter 'neg': expected an integer that is not negative, got: -1"
        );
        assert_eq!(
            text(args.one_of("s", &["a", "b"]).err()),
            "Invalid parameter 's': expected one of 'a', 'b', got: \"x\""
        );
        assert!(args.string("n").is_err());
    }

    #[test]
    fn integers_are_quoted_as_they_came() {
        let json =
            r#"{"i":-3,"f":3.0,"big":1e30,"u":18446744073709551615,"low":-1e300,"max":9223372036854775807}"#;
        let map: Map<String, Value> = serde_json::from_str(json).expect("valid");
        let args = Arguments::new(&map);
        for (name, given) in [
            ("i", "-3"),
            ("f", "3"),
            ("big", "1e30"),
            ("u", "18446744073709551615"),
            ("low", "-1e300"),
            ("max", "9223372036854775807"),
            ("absent", "nothing"),
        ] {
            assert_eq!(args.as_sent(name), given);
        }
        let text = format!("{} to {}, -3", i64::MAX, i64::MIN);
        assert_eq!(args.restore_clamped(&text, &["i", "big", "max", "low"]), "1e30 to -1e300, -3");
        assert_eq!(args.restore_clamped(&text, &["i"]), text);
    }
}
