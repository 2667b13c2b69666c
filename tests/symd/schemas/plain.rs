//! Checks that the schema of a tool's arguments is plain JSON Schema: an object with `properties` and a
//! `required` array, everything inlined, only keywords that every client knows, and defaults that the schema
//! itself accepts.

use serde_json::{Map, Value, json};

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// Returns the faults of the schema of a tool's arguments.
pub fn faults(schema: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let Some(object) = schema.as_object().filter(|object| object.get("type") == Some(&json!("object")))
    else {
        return vec!["the schema is not of type object".to_owned()];
    };
    match (object.get("properties"), object.get("required")) {
        (Some(Value::Object(properties)), Some(Value::Array(_))) => {
            for (name, property) in properties {
                if property["description"].as_str().is_none_or(|text| text.trim().is_empty()) {
                    faults.push(format!("{name} has no description"));
                }
            }
        }
        _ => faults.push("properties or the required array is missing".to_owned()),
    }
    inspect(object, "schema", &mut faults);
    faults
}

fn inspect(schema: &Map<String, Value>, place: &str, faults: &mut Vec<String>) {
    for (word, value) in schema {
        let fits = match word.as_str() {
            "type" => value.as_str().is_some_and(|name| TYPES.contains(&name)),
            "description" | "title" | "pattern" => value.is_string(),
            "additionalProperties" => {
                value.is_boolean() || sub_schema(value, &format!("{place}.additionalProperties"), faults)
            }
            "minimum" | "maximum" => value.is_number(),
            "minLength" | "maxLength" | "minItems" | "maxItems" => value.is_u64(),
            "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
            "required" => is_required_list(value, schema),
            "default" => accepts(schema, value),
            "items" => sub_schema(value, &format!("{place}.items"), faults),
            "anyOf" => value.as_array().is_some_and(|one_of| {
                !one_of.is_empty()
                    && one_of.iter().all(|one| sub_schema(one, &format!("{place}.anyOf"), faults))
            }),
            "properties" => value.as_object().is_some_and(|properties| {
                properties
                    .iter()
                    .all(|(name, property)| sub_schema(property, &format!("{place}.{name}"), faults))
            }),
            _ => false,
        };
        if !fits {
            faults.push(format!("{place}: {word}: {value}"));
        }
    }
    if !schema.contains_key("type") && !schema.contains_key("anyOf") {
        faults.push(format!("{place} has neither type nor anyOf"));
    }
}

fn sub_schema(value: &Value, place: &str, faults: &mut Vec<String>) -> bool {
    let Some(schema) = value.as_object() else { return false };
    inspect(schema, place, faults);
    true
}

/// Whether the value is a list of names, each unique and the name of a property.
fn is_required_list(value: &Value, schema: &Map<String, Value>) -> bool {
    let Some(names) = value.as_array() else { return false };
    let is_known = |name: &Value| name.as_str().is_some_and(|name| schema["properties"].get(name).is_some());
    names.iter().enumerate().all(|(at, name)| is_known(name) && !names[..at].contains(name))
}

/// Whether `value` has the schema's type, is one of its values and within its bounds.
fn accepts(schema: &Map<String, Value>, value: &Value) -> bool {
    if let Some(one_of) = schema.get("anyOf").and_then(Value::as_array) {
        return one_of.iter().filter_map(Value::as_object).any(|one| accepts(one, value));
    }
    let of_type = match schema.get("type").and_then(Value::as_str) {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("object") => value.is_object(),
        Some("array") => value.as_array().is_some_and(|values| {
            let items = schema.get("items").and_then(Value::as_object);
            items.is_none_or(|items| values.iter().all(|value| accepts(items, value)))
        }),
        _ => false,
    };
    let bound = |word: &str| schema.get(word).and_then(Value::as_f64);
    let number = value.as_f64();
    let high_enough = bound("minimum").is_none_or(|least| number.is_none_or(|number| number >= least));
    let low_enough = bound("maximum").is_none_or(|most| number.is_none_or(|number| number <= most));
    let among = schema.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(value));
    of_type && high_enough && low_enough && among
}

#[test]
fn what_is_not_plain_is_found() {
    let with = |name: &str, property: Value| json!({ "type": "object", "properties": { name: property }, "required": [] });
    let fault = |schema: Value| faults(&schema).join("; ");
    assert_eq!(
        fault(with("a", json!({ "type": "integer", "description": "d", "default": 3, "minimum": 3 }))),
        ""
    );
    assert_eq!(fault(json!({ "type": "array" })), "the schema is not of type object");
    assert!(fault(json!({ "type": "object", "properties": {} })).contains("required"));
    assert!(
        fault(json!({ "type": "object", "properties": {}, "required": ["a"] })).contains("required: [\"a\"]")
    );
    assert_eq!(fault(with("a", json!({ "type": "string" }))), "a has no description");
    for (property, says) in [
        (json!({ "$ref": "#/$defs/A", "description": "d" }), "$ref"),
        (json!({ "type": ["string", "null"], "description": "d" }), "type"),
        (json!({ "type": "integer", "description": "d", "default": "3" }), "default"),
        (json!({ "type": "integer", "description": "d", "default": 2, "minimum": 3 }), "default"),
        (json!({ "type": "string", "description": "d", "default": "c", "enum": ["a", "b"] }), "default"),
        (json!({ "anyOf": [{ "type": "string" }, { "type": "nil" }], "description": "d" }), "nil"),
        (
            json!({ "type": "array", "items": { "type": "integer" }, "description": "d", "default": ["x"] }),
            "default",
        ),
    ] {
        assert!(fault(with("a", property.clone())).contains(says), "{property}");
    }
}
