//! Writes messages: the only place that knows how one looks. Each function returns a message's JSON text, in one
//! line without a line break; [`lines::line`](crate::lines::line) and [`framing::append`](crate::framing::append)
//! make it ready to be sent. Ids, parameters and results must be of types that always serialise.

use serde::Serialize;

/// A message with the members that are set, in this order.
#[derive(Serialize)]
struct WrittenMessage<'a, I, P, R> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<I>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<WrittenError<'a>>,
}

#[derive(Serialize)]
struct WrittenError<'a> {
    code: i64,
    message: &'a str,
}

/// Stands for the type of a member that a message lacks.
type Absent = ();

/// The parameters of a message that has none.
pub const NO_PARAMS: Option<Absent> = None;

impl<I: Serialize, P: Serialize, R: Serialize> WrittenMessage<'_, I, P, R> {
    const EMPTY: Self =
        WrittenMessage { jsonrpc: "2.0", id: None, method: None, params: None, result: None, error: None };

    fn text(&self) -> Vec<u8> {
        // The members' types always serialise.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Returns a request; without `params` it has no such member.
pub fn request(id: impl Serialize, method: &str, params: Option<impl Serialize>) -> Vec<u8> {
    WrittenMessage::<_, _, Absent> { id: Some(id), method: Some(method), params, ..WrittenMessage::EMPTY }
        .text()
}

/// Returns a notification; without `params` it has no such member.
pub fn notification(method: &str, params: Option<impl Serialize>) -> Vec<u8> {
    WrittenMessage::<Absent, _, Absent> { method: Some(method), params, ..WrittenMessage::EMPTY }.text()
}

/// Returns the result of request `id`.
pub fn result(id: impl Serialize, result: impl Serialize) -> Vec<u8> {
    WrittenMessage::<_, Absent, _> { id: Some(id), result: Some(result), ..WrittenMessage::EMPTY }.text()
}

/// Returns the result of request `id` from its JSON text, which must be valid and in one line.
pub fn raw_result(id: impl Serialize, result: &str) -> Vec<u8> {
    let id = serde_json::to_string(&id).unwrap_or_default();
    [r#"{"jsonrpc":"2.0","id":"#, &id, r#","result":"#, result, "}"].concat().into_bytes()
}

/// Returns an error response to request `id` (null if the id is unknown); `code` is one of [`codes`](crate::codes).
pub fn error(id: impl Serialize, code: i64, message: &str) -> Vec<u8> {
    let error = Some(WrittenError { code, message });
    WrittenMessage::<_, Absent, Absent> { id: Some(id), error, ..WrittenMessage::EMPTY }.text()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn members_have_one_order_and_absent_ones_are_left_out() {
        let params = json!({ "a": "é\n", "b": 1 });
        for (written, expected) in [
            (
                request(7_u64, "m/n", Some(&params)),
                r#"{"jsonrpc":"2.0","id":7,"method":"m/n","params":{"a":"é\n","b":1}}"#,
            ),
            (request("a", "m", NO_PARAMS), r#"{"jsonrpc":"2.0","id":"a","method":"m"}"#),
            (notification("m", Some(Value::Null)), r#"{"jsonrpc":"2.0","method":"m","params":null}"#),
            (notification("$/m", NO_PARAMS), r#"{"jsonrpc":"2.0","method":"$/m"}"#),
            (result(json!("a"), Value::Null), r#"{"jsonrpc":"2.0","id":"a","result":null}"#),
            (raw_result(json!("a"), "[1]"), r#"{"jsonrpc":"2.0","id":"a","result":[1]}"#),
            (
                error(Value::Null, -32000, "\"no\""),
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"\"no\""}}"#,
            ),
        ] {
            assert_eq!(String::from_utf8(written).unwrap(), expected);
        }
    }
}
