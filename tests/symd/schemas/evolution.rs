//! The permitted changes between one published schema and the next: optional parameters may be added,
//! descriptions and defaults may change. Nothing may be removed, retyped or newly required, except for
//! parameters that have been deprecated for long enough.

use serde_json::{Map, Value};

/// The effect of a change of a tool's schema on its callers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Changes that may make valid calls fail.
    pub breaking: Vec<String>,
    /// Other changes.
    pub other: Vec<String>,
}

/// Compares `old` with `new`; `may_go` is whether a parameter has been deprecated for long enough.
pub fn change(old: &Value, new: &Value, may_go: &dyn Fn(&str) -> bool) -> Change {
    let mut change = Change::default();
    let (before, now) = (properties(old), properties(new));
    for (name, property) in before {
        match now.get(name) {
            None if may_go(name) => change.other.push(format!("{name} is removed after its deprecation")),
            None => change.breaking.push(format!("{name} is removed")),
            Some(new) if !still_takes(new, property) => {
                change.breaking.push(format!("{name} is retyped from {property} to {new}"));
            }
            Some(new) if new != property => change.other.push(format!("{name} says more, or takes more")),
            Some(_) => {}
        }
    }
    for name in now.keys().filter(|name| !before.contains_key(*name)) {
        change.other.push(format!("{name} is new"));
    }
    for name in required(new).iter().filter(|name| !required(old).contains(name)) {
        change.breaking.push(format!("{} is newly required", name.as_str().unwrap()));
    }
    if change == Change::default() && old != new {
        change.other.push("something else is different".to_owned());
    }
    if new["additionalProperties"] == false && old["additionalProperties"] != false {
        change.breaking.push("unknown parameters are newly refused".to_owned());
    }
    change
}

fn properties(schema: &Value) -> &Map<String, Value> {
    schema["properties"].as_object().unwrap()
}

fn required(schema: &Value) -> &Vec<Value> {
    schema["required"].as_array().unwrap()
}

/// Whether `new` accepts every value that `old` accepts.
fn still_takes(new: &Value, old: &Value) -> bool {
    alternatives(old).iter().all(|old| alternatives(new).iter().any(|new| covers(new, old)))
}

fn alternatives(schema: &Value) -> Vec<&Value> {
    match schema["anyOf"].as_array() {
        Some(one_of) => one_of.iter().collect(),
        None => vec![schema],
    }
}

/// Keywords whose change is judged, or has no effect on callers. Any other keyword must not change.
const UNDERSTOOD: [&str; 12] = [
    "type",
    "description",
    "title",
    "default",
    "enum",
    "items",
    "minimum",
    "minLength",
    "minItems",
    "maximum",
    "maxLength",
    "maxItems",
];

/// As `still_takes`, for schemas without `anyOf`.
fn covers(new: &Value, old: &Value) -> bool {
    let rest = |schema: &Value| {
        let mut rest = schema.as_object().unwrap().clone();
        rest.retain(|word, _| !UNDERSTOOD.contains(&word.as_str()));
        rest
    };
    // Only an existing bound can be too narrow.
    let wide_enough = |words: &[&str], fits: fn(f64, f64) -> bool| {
        words.iter().all(|word| {
            new[*word].as_f64().is_none_or(|new| old[*word].as_f64().is_some_and(|old| fits(new, old)))
        })
    };
    (new["type"] == old["type"] || new["type"] == "number" && old["type"] == "integer")
        && new["enum"].as_array().is_none_or(|new| {
            old["enum"].as_array().is_some_and(|old| old.iter().all(|value| new.contains(value)))
        })
        && (new["items"].is_null() || old["items"].is_object() && still_takes(&new["items"], &old["items"]))
        && wide_enough(&["minimum", "minLength", "minItems"], |new, old| new <= old)
        && wide_enough(&["maximum", "maxLength", "maxItems"], |new, old| new >= old)
        && rest(new) == rest(old)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(properties: Value, required: &[&str]) -> Value {
        json!({ "type": "object", "properties": properties, "required": required })
    }

    #[test]
    fn what_breaks_callers_is_told_from_what_does_not() {
        let old =
            of(json!({ "a": { "type": "string", "description": "x" }, "b": { "type": "integer" } }), &["a"]);
        let to = |new: Value| change(&old, &new, &|name| name == "b");
        let breaking = |new: Value| to(new).breaking.join("; ");
        let a = json!({ "type": "string", "description": "x" });
        let b = json!({ "type": "integer" });
        assert_eq!(to(old.clone()), Change::default());
        assert_eq!(breaking(of(json!({ "b": b }), &[])), "a is removed");
        let retyped = breaking(of(json!({ "a": a, "b": { "type": "string" } }), &["a"]));
        assert_eq!(retyped, "b is retyped from {\"type\":\"integer\"} to {\"type\":\"string\"}");
        assert_eq!(breaking(of(json!({ "a": a, "b": b }), &["a", "b"])), "b is newly required");
        assert_eq!(breaking(of(json!({ "a": a, "b": b, "c": b }), &["a", "c"])), "c is newly required");
        let mut strict = old.clone();
        strict["additionalProperties"] = json!(false);
        assert_eq!(breaking(strict), "unknown parameters are newly refused");

        let gone = to(of(json!({ "a": a }), &["a"]));
        assert_eq!(
            (gone.breaking.len(), gone.other),
            (0, vec!["b is removed after its deprecation".to_owned()])
        );
        let more = to(of(json!({ "a": { "type": "string", "description": "y" }, "b": b, "c": b }), &[]));
        assert_eq!(more.breaking, Vec::<String>::new());
        assert_eq!(more.other, ["a says more, or takes more", "c is new"]);
    }

    #[test]
    fn a_property_may_take_more_and_never_less() {
        let pairs = [
            (json!({ "type": "integer" }), json!({ "type": "number" })),
            (json!({ "type": "integer", "minimum": 1 }), json!({ "type": "integer", "minimum": 0 })),
            (json!({ "type": "integer", "maximum": 1 }), json!({ "type": "integer" })),
            (json!({ "type": "string", "enum": ["a"] }), json!({ "type": "string", "enum": ["a", "b"] })),
            (json!({ "type": "string" }), json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })),
            (
                json!({ "type": "array", "items": { "type": "integer" } }),
                json!({ "type": "array", "items": { "type": "number" } }),
            ),
        ];
        for (less, more) in pairs {
            assert!(still_takes(&more, &less), "{less} {more}");
            assert!(!still_takes(&less, &more), "{less} {more}");
            assert!(still_takes(&less, &less) && still_takes(&more, &more));
        }
        let pattern = json!({ "type": "string", "pattern": "a" });
        assert!(!still_takes(&pattern, &json!({ "type": "string" })));
    }
}
