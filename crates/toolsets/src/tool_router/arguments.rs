//! The strict arguments of tool_router: unknown ones are rejected, missing ones take the schema's defaults
//! (the contract's schemas; ruling on tool_router). The published schema is the only list of names, types,
//! defaults and minima. Invariant: every value that a getter returns satisfies the schema.

use serde_json::{Map, Value};

pub(super) use super::answer::error;
use crate::Reply;
use crate::arguments::{ArgumentError, Arguments};

/// The arguments of one call, validated against the tool's schema and completed with its defaults.
#[derive(Debug)]
pub(super) struct Strict(Map<String, Value>);

impl Strict {
    /// Validates `arguments` against `schema`, the tool's own; the error is the tool's answer.
    pub(super) fn read(schema: &Value, arguments: &Map<String, Value>) -> Result<Strict, Reply> {
        Strict::validate(schema, arguments).map_err(error)
    }

    fn validate(schema: &Value, arguments: &Map<String, Value>) -> Result<Strict, String> {
        // The contract's schemas require every property, so this list has them all, in the contract's order.
        let names: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if let Some(name) = arguments.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("Unknown parameter '{name}'; the parameters are {}", names.join(", ")));
        }
        let mut whole = Map::new();
        for name in names {
            let property = &schema["properties"][name];
            let Some(value) = arguments.get(name).or_else(|| property.get("default")) else {
                let missing = ArgumentError::Missing { name: name.to_owned(), expected: expected(property) };
                return Err(missing.to_string());
            };
            if !satisfies(property, value) {
                let wrong = Arguments::new(arguments).invalid(name, &expected(property));
                return Err(wrong.to_string());
            }
            whole.insert(name.to_owned(), value.clone());
        }
        Ok(Strict(whole))
    }

    /// Returns a string.
    pub(super) fn string(&self, name: &str) -> Result<&str, Reply> {
        Arguments::new(&self.0).string(name).map_err(error)
    }

    /// Returns a string; `None` for null.
    pub(super) fn string_if(&self, name: &str) -> Result<Option<&str>, Reply> {
        Arguments::new(&self.0).string_if(name).map_err(error)
    }

    /// Returns a list of strings; `None` for null.
    pub(super) fn strings_if(&self, name: &str) -> Result<Option<Vec<&str>>, Reply> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => Arguments::new(&self.0).strings(name).map(Some).map_err(error),
        }
    }

    /// Returns an integer, not below the schema's minimum; one beyond the platform's range becomes the
    /// maximum.
    pub(super) fn count(&self, name: &str) -> Result<usize, Reply> {
        Arguments::new(&self.0).count_or(name, 0).map_err(error)
    }
}

/// Whether `value` satisfies the property's schema, as far as the contract's schemas need it.
fn satisfies(property: &Value, value: &Value) -> bool {
    if let Some(forms) = property["anyOf"].as_array() {
        return forms.iter().any(|form| satisfies(form, value));
    }
    match property["type"].as_str() {
        Some("string") => value.is_string(),
        Some("null") => value.is_null(),
        Some("array") => {
            value.as_array().is_some_and(|items| items.iter().all(|item| satisfies(&property["items"], item)))
        }
        Some("integer") => {
            // 3.0 is an integer in JSON Schema.
            let number = value.as_f64().filter(|number| number.fract() == 0.0);
            let minimum = property["minimum"].as_f64().unwrap_or(f64::MIN);
            number.is_some_and(|number| number >= minimum)
        }
        _ => true,
    }
}

/// Describes the values that the property's schema accepts, with an article.
fn expected(property: &Value) -> String {
    if let Some(forms) = property["anyOf"].as_array() {
        return forms.iter().map(expected).collect::<Vec<_>>().join(" or ");
    }
    match (property["type"].as_str(), property["minimum"].as_i64()) {
        (Some("integer"), Some(minimum)) => format!("an integer of at least {minimum}"),
        (Some("integer"), None) => "an integer".to_owned(),
        (Some("array"), _) => "a list of strings".to_owned(),
        (Some("null"), _) => "null".to_owned(),
        _ => "a string".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "properties": {
                "pattern": {"title": "Pattern", "type": "string"},
                "path": {"default": ".", "title": "Path", "type": "string"},
                "include": {
                    "anyOf": [{"items": {"type": "string"}, "type": "array"}, {"type": "null"}],
                    "default": null
                },
                "limit": {"default": 200, "minimum": 1, "type": "integer"}
            },
            "required": ["pattern", "path", "include", "limit"],
            "additionalProperties": false
        })
    }

    fn read(arguments: Value) -> Result<Strict, String> {
        Strict::validate(&schema(), arguments.as_object().expect("an object"))
    }

    #[test]
    fn what_is_missing_is_the_schemas() {
        let strict = read(json!({"pattern": "x"})).expect("fits");
        assert_eq!(strict.string("path"), Ok("."));
        assert_eq!(strict.count("limit"), Ok(200));
        assert_eq!(strict.strings_if("include"), Ok(None));
        let strict =
            read(json!({"pattern": "x", "limit": 3.0, "include": ["a", "b"], "path": "d"})).expect("fits");
        assert_eq!(strict.count("limit"), Ok(3));
        assert_eq!(strict.strings_if("include"), Ok(Some(vec!["a", "b"])));
        assert_eq!(strict.string_if("path"), Ok(Some("d")));
        let huge = read(json!({"pattern": "x", "limit": 1e30})).expect("fits");
        assert!(huge.count("limit").expect("an integer") > 1 << 60);
    }

    #[test]
    fn what_does_not_fit_the_schema_is_refused_by_name() {
        let cases = [
            (
                json!({"pattern": "x", "depth": 1}),
                "Unknown parameter 'depth'; the parameters are pattern, path, include, limit",
            ),
            (json!({}), "Missing required parameter 'pattern' (expected a string)"),
            (json!({"pattern": null}), "Invalid parameter 'pattern': expected a string, got: null"),
            (
                json!({"pattern": "x", "limit": 0}),
                "Invalid parameter 'limit': expected an integer of at least 1, got: 0",
            ),
            (
                json!({"pattern": "x", "limit": "3"}),
                "Invalid parameter 'limit': expected an integer of at least 1, got: \"3\"",
            ),
            (
                json!({"pattern": "x", "limit": null}),
                "Invalid parameter 'limit': expected an integer of at least 1, got: null",
            ),
            (
                json!({"pattern": "x", "limit": 1.5}),
                "Invalid parameter 'limit': expected an integer of at least 1, got: 1.5",
            ),
            (
                json!({"pattern": "x", "include": "*.py"}),
                "Invalid parameter 'include': expected a list of strings or null, got: \"*.py\"",
            ),
            (
                json!({"pattern": "x", "include": [1]}),
                "Invalid parameter 'include': expected a list of strings or null, got: [1]",
            ),
        ];
        for (arguments, expected) in cases {
            assert_eq!(read(arguments).expect_err(expected), expected);
        }
    }
}
