//! Throwables whose frames are values of JSON, as services that collect crashes give them: Sentry's events, Bugsnag's reports, Rollbar's
//! items, Crashlytics' rows in BigQuery, Log4j's and Logback's layouts.

use std::fmt::Write as _;

use serde_json::{Map, Value};

const METHODS: [&str; 4] = ["function", "method", "methodName", "symbol"];
const CLASSES: [&str; 5] = ["module", "class", "className", "class_name", "declaringClass"];
const FILES: [&str; 3] = ["filename", "file", "fileName"];
const LINES: [&str; 4] = ["lineno", "lineNumber", "line", "line_number"];
const TYPES: [&str; 5] = ["errorClass", "className", "type", "class", "name"];
const MESSAGES: [&str; 3] = ["value", "message", "exception_message"];

/// Returns the throwables of a text of JSON, or of its lines, as Java prints them; `None` where no value is a frame.
pub(super) fn printed(text: &str) -> Option<String> {
    let start = text.trim_start();
    let has_frames = || LINES.iter().any(|key| text.contains(&format!("\"{key}\"")));
    if !start.starts_with(['{', '[']) || !has_frames() {
        return None;
    }
    let values: Vec<Value> = match serde_json::from_str(start) {
        Ok(whole) => vec![whole],
        Err(_) => text.lines().filter_map(|line| serde_json::from_str(line.trim()).ok()).collect(),
    };
    let mut printed = String::new();
    values.iter().for_each(|value| print_all(value, &mut printed));
    (!printed.is_empty()).then_some(printed)
}

/// Prints the throwables that a value holds, each chain from its outermost one.
fn print_all(value: &Value, printed: &mut String) {
    match value {
        Value::Array(all) => {
            let mut chain: Vec<ValueThrowable<'_>> = all.iter().filter_map(ValueThrowable::of).collect();
            if chain.is_empty() {
                all.iter().for_each(|one| print_all(one, printed));
                return;
            }
            if chain.iter().all(|one| one.is_after_its_cause) {
                chain.reverse();
            }
            chain.iter().enumerate().for_each(|(at, one)| one.print(at > 0, printed));
        }
        Value::Object(fields) => match ValueThrowable::of(value) {
            Some(throwable) => throwable.print(false, printed),
            None => fields.values().for_each(|one| print_all(one, printed)),
        },
        _ => {}
    }
}

/// A throwable whose frames are values.
struct ValueThrowable<'v> {
    fields: &'v Map<String, Value>,
    frames: Vec<&'v Map<String, Value>>,
    is_outermost_first: bool,
    /// Whether the list that it stands in begins with the cause.
    is_after_its_cause: bool,
}

impl<'v> ValueThrowable<'v> {
    fn of(value: &'v Value) -> Option<ValueThrowable<'v>> {
        let fields = value.as_object()?;
        if text(fields, &TYPES).is_none() {
            return ValueThrowable::of_rollbar(fields);
        }
        fields.values().find_map(|value| {
            // Sentry has the frames in an object of their own.
            let inner = value.get("frames").and_then(Value::as_array);
            let frames = frames_of(value.as_array().or(inner)?);
            // It gives the cause first, too, as it gives the outermost frame first.
            let is_sentry = inner.is_some();
            (!frames.is_empty()).then_some(ValueThrowable {
                fields,
                frames,
                is_outermost_first: is_sentry,
                is_after_its_cause: is_sentry,
            })
        })
    }

    /// Reads one of Rollbar's, whose type and message stand beside its frames: the outermost frame comes first, and the cause last.
    fn of_rollbar(trace: &'v Map<String, Value>) -> Option<ValueThrowable<'v>> {
        let fields = trace.get("exception")?.as_object().filter(|one| text(one, &TYPES).is_some())?;
        let frames = frames_of(trace.get("frames")?.as_array()?);
        (!frames.is_empty()).then_some(ValueThrowable {
            fields,
            frames,
            is_outermost_first: true,
            is_after_its_cause: false,
        })
    }

    fn print(&self, is_cause: bool, printed: &mut String) {
        let link = if is_cause { "Caused by: " } else { "" };
        let name = text(self.fields, &TYPES).unwrap_or_default();
        let package = self.fields.get("module").and_then(Value::as_str).filter(|_| !name.contains('.'));
        let package = package.map_or(String::new(), |package| format!("{package}."));
        let message = text(self.fields, &MESSAGES).map_or(String::new(), |said| format!(": {said}"));
        // Writing to a String cannot fail.
        let _ = writeln!(printed, "{link}{package}{name}{message}");
        let mut frames = self.frames.clone();
        if self.is_outermost_first {
            frames.reverse();
        }
        frames.into_iter().for_each(|frame| print_frame(frame, printed));
        if let Some(cause) = self.fields.get("cause").and_then(ValueThrowable::of) {
            cause.print(true, printed);
        }
    }
}

fn frames_of(all: &[Value]) -> Vec<&Map<String, Value>> {
    all.iter().filter_map(Value::as_object).filter(|one| is_frame(one)).collect()
}

fn is_frame(fields: &Map<String, Value>) -> bool {
    // -1 and -2 stand for no line, and for a native method.
    let is_line = |value: &Value| value.is_number() || number(value).is_some();
    let has_line = LINES.iter().any(|key| fields.get(*key).is_some_and(is_line));
    text(fields, &METHODS).is_some() && (has_line || text(fields, &FILES).is_some())
}

fn print_frame(fields: &Map<String, Value>, printed: &mut String) {
    let method = text(fields, &METHODS).unwrap_or_default();
    let class = text(fields, &CLASSES).map_or(String::new(), |class| format!("{class}."));
    let file = text(fields, &FILES).unwrap_or("Unknown Source");
    let line = LINES.iter().find_map(|key| number(fields.get(*key)?)).filter(|line| *line > 0);
    let line = line.map_or(String::new(), |line| format!(":{line}"));
    // Writing to a String cannot fail.
    let _ = writeln!(printed, "\tat {class}{method}({file}{line})");
}

/// Returns a whole number, which BigQuery writes as a text.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// Returns the text of the first key that has one.
fn text<'v>(fields: &'v Map<String, Value>, keys: &[&str]) -> Option<&'v str> {
    keys.iter().find_map(|key| fields.get(*key)?.as_str().filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "java.lang.IllegalStateException: closed\n\tat a.B.c(B.kt:3)\n\tat a.Main.main(Unknown Source)\nCaused by: a.Gone: x\n\tat \
                           a.D.e(D.kt:4)\n";

    // Forms: https://develop.sentry.dev/sdk/data-model/event-payloads/exception/, https://bugsnageventreportingapi.docs.apiary.io,
    // https://logging.apache.org/log4j/2.x/manual/json-layout.html, https://logback.qos.ch/manual/encoders.html#JsonEncoder,
    // https://docs.rollbar.com/reference/create-item, https://firebase.google.com/docs/crashlytics/bigquery-export
    #[test]
    fn the_frames_of_services() {
        for text in [
            r#"{"exception":{"values":[{"type":"Gone","module":"a","value":"x","stacktrace":{"frames":[{"function":"e","module":"a.D","filename":"D.kt","lineno":4}]}},
                {"type":"IllegalStateException","module":"java.lang","value":"closed","stacktrace":{"frames":[{"function":"main","module":"a.Main","lineno":0},
                {"function":"c","module":"a.B","filename":"B.kt","lineno":3,"in_app":true}]}}]}}"#,
            r#"{"exceptions":[{"type":"android","errorClass":"java.lang.IllegalStateException","message":"closed","stacktrace":[{"method":"a.B.c","file":"B.kt","lineNumber":3},
                {"method":"a.Main.main","lineNumber":null,"file":"Unknown Source"}]},{"errorClass":"a.Gone","message":"x","stacktrace":[{"method":"a.D.e","file":"D.kt","lineNumber":4}]}]}"#,
            r#"{"thrown":{"name":"java.lang.IllegalStateException","message":"closed","extendedStackTrace":[{"class":"a.B","method":"c","file":"B.kt","line":3},
                {"class":"a.Main","method":"main","line":0}],"cause":{"name":"a.Gone","message":"x","extendedStackTrace":[{"class":"a.D","method":"e","file":"D.kt","line":4}]}}}"#,
            r#"{"throwable":{"className":"java.lang.IllegalStateException","message":"closed","stepArray":[{"className":"a.B","methodName":"c","fileName":"B.kt","lineNumber":3},
                {"className":"a.Main","methodName":"main","lineNumber":-1}],"cause":{"className":"a.Gone","message":"x","stepArray":[{"className":"a.D","methodName":"e","fileName":"D.kt","lineNumber":4}]}}}"#,
            r#"{"data":{"body":{"trace_chain":[{"exception":{"class":"java.lang.IllegalStateException","message":"closed"},"frames":[{"class_name":"a.Main","method":"main"
                ,"lineno":0},{"class_name":"a.B","method":"c","filename":"B.kt","lineno":3}]},{"exception":{"class":"a.Gone","message":"x"},
                "frames":[{"class_name":"a.D","method":"e","filename":"D.kt","lineno":4}]}]}}}"#,
            r#"[{"exceptions":[{"type":"java.lang.IllegalStateException","exception_message":"closed","nested":false,"frames":[{"line":"3","file":"B.kt","symbol":"a.B.c"},
                {"line":"0","symbol":"a.Main.main"}]},{"type":"a.Gone","exception_message":"x","nested":true,"frames":[{"line":"4","file":"D.kt","symbol":"a.D.e"}]}]}]"#,
        ] {
            assert_eq!(printed(text).as_deref(), Some(PRINTED), "{text}");
            let lines = format!("{{\"level\":\"INFO\"}}\n{}\n", text.replace('\n', " "));
            assert_eq!(printed(&lines).as_deref(), Some(PRINTED), "{lines}");
        }
    }

    #[test]
    fn other_values_have_no_frames() {
        for text in [
            "",
            "{",
            "[1, 2]",
            r#"{"stack":"a.Gone: x\n\tat a.B.c(B.kt:1)","line":3}"#,
            r#"{"type":"menu","items":[{"name":"x","line":"red"}]}"#,
            r#"{"exception":{"class":"a.Gone"},"threads":[{"method":"c","lineno":3}]}"#,
            "a.Gone: x\n\tat a.B.c(B.kt:1)\n{\"line\": 1}",
        ] {
            assert_eq!(printed(text), None, "{text}");
        }
    }
}
