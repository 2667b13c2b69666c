//! One JSON-RPC message of a server, parsed no further than needed: results and parameters stay JSON text
//! until the caller's type decodes them. Invariant: nothing that a server sends makes symd fail; for an
//! invalid message the reason is returned.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::framing::SkippedMessage;

/// Bytes from which on an answer is read once, when it is decoded.
const LONG_ANSWER: usize = 4 << 10;

/// A part of a message: JSON text, not decoded yet.
#[derive(Clone, Debug)]
pub struct RawJson {
    message: String,
    piece: Range<usize>,
    /// Whether `piece` was located by the message's usual form, without parsing it.
    is_guess: bool,
}

impl RawJson {
    /// Returns a JSON `null`, in place of an absent result or absent parameters.
    pub fn null() -> RawJson {
        RawJson { message: "null".to_owned(), piece: 0..4, is_guess: false }
    }

    /// Returns the text. That of a long answer is unchecked, so use [`RawJson::decode`] for answers of other programs.
    pub fn as_str(&self) -> &str {
        self.message.get(self.piece.clone()).unwrap_or("null")
    }

    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        match serde_json::from_str(self.as_str()) {
            Err(error) if self.is_guess => match ServerMessage::read(self.message.clone()) {
                Ok(ServerMessage::Response { outcome: Ok(result), .. }) => result.decode(),
                // A result, and an error behind it.
                Ok(ServerMessage::Response { outcome: Err(refused), .. }) => {
                    Err(serde::de::Error::custom(refused.message))
                }
                _ => Err(error),
            },
            decoded => decoded,
        }
    }
}

/// The error object of a response (JSON-RPC 2.0).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ErrorObject {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub message: String,
}

/// A message of one of the three kinds.
#[derive(Debug)]
pub enum ServerMessage {
    /// A response to request `id`; `None`: the server could not tell to which request.
    Response { id: Option<u64>, outcome: Result<RawJson, ErrorObject> },
    /// A request; `id` is JSON text, to be sent back unchanged.
    Request { id: String, method: String, params: RawJson },
    /// A notification: a message without an id, to which no response is sent.
    Notification { method: String, params: RawJson },
}

/// An invalid message body.
#[derive(Debug)]
pub struct InvalidMessage {
    /// The id of the request to which it responds, if it can be guessed.
    pub id: Option<u64>,
    pub problem: String,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Distinguishes `null` from an absent member.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl ServerMessage {
    /// Parses a message body.
    pub fn parse(body: Vec<u8>) -> Result<ServerMessage, InvalidMessage> {
        let message = String::from_utf8(body).map_err(|error| {
            let bytes = error.as_bytes();
            InvalidMessage { id: guess_response_id(bytes, bytes), problem: error.utf8_error().to_string() }
        })?;
        if message.len() >= LONG_ANSWER
            && let Some((id, piece)) = usual_result(message.as_bytes())
        {
            let outcome = Ok(RawJson { message, piece, is_guess: true });
            return Ok(ServerMessage::Response { id: Some(id), outcome });
        }
        ServerMessage::read(message)
    }

    fn read(message: String) -> Result<ServerMessage, InvalidMessage> {
        let envelope: Envelope<'_> = serde_json::from_str(&message).map_err(|error| InvalidMessage {
            id: guess_response_id(message.as_bytes(), message.as_bytes()),
            problem: error.to_string(),
        })?;
        let piece = |part: Option<&RawValue>| part.map(|part| range_within(&message, part.get()));
        let id = envelope.id.map(RawValue::get).filter(|id| *id != "null");
        if let Some(method) = &envelope.method {
            let (id, method) = (id.map(str::to_owned), method.clone().into_owned());
            let params = piece(envelope.params);
            let params =
                params.map_or_else(RawJson::null, |piece| RawJson { message, piece, is_guess: false });
            return Ok(match id {
                Some(id) => ServerMessage::Request { id, method, params },
                None => ServerMessage::Notification { method, params },
            });
        }
        if envelope.id.is_none() && envelope.result.is_none() && envelope.error.is_none() {
            let problem = "neither a method nor an id".to_owned();
            return Err(InvalidMessage { id: None, problem });
        }
        let id = id.and_then(parse_own_id);
        if let Some(error) = envelope.error {
            return Ok(ServerMessage::Response { id, outcome: Err(error_object(error.get())) });
        }
        let result = piece(envelope.result);
        let result = result.map_or_else(RawJson::null, |piece| RawJson { message, piece, is_guess: false });
        Ok(ServerMessage::Response { id, outcome: Ok(result) })
    }
}

/// Returns the id and the place of the result of an answer that has the usual members in the usual order, and nothing between
/// them. Does not read the result, which must be a list or an object: a `null` may stand before a long error.
fn usual_result(body: &[u8]) -> Option<(u64, Range<usize>)> {
    const BEFORE_ID: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
    const BEFORE_RESULT: &[u8] = br#","result":"#;
    let behind = body.strip_prefix(BEFORE_ID)?;
    let digits = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let id = std::str::from_utf8(behind.get(..digits)?).ok()?.parse().ok()?;
    let result = behind[digits..].strip_prefix(BEFORE_RESULT)?.strip_suffix(b"}")?;
    if !matches!(result.first()?, b'[' | b'{') {
        return None;
    }
    Some((id, BEFORE_ID.len() + digits + BEFORE_RESULT.len()..body.len() - 1))
}

/// Returns the byte range of `part`, a slice of `whole`, in it.
fn range_within(whole: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    start..start + part.len()
}

fn error_object(error: &str) -> ErrorObject {
    serde_json::from_str(error).unwrap_or_else(|_| ErrorObject { code: 0, message: error.to_owned() })
}

/// Parses an id of symd's: a number. Some servers send it back as a string.
fn parse_own_id(json: &str) -> Option<u64> {
    json.trim().trim_matches('"').parse().ok()
}

impl SkippedMessage {
    /// Guesses the id of the request to which the skipped message responds.
    pub fn id(&self) -> Option<u64> {
        guess_response_id(&self.head, &self.tail)
    }
}

/// Guesses the id of a response of which only the first and last bytes are known: it comes before or after
/// the result.
fn guess_response_id(head: &[u8], tail: &[u8]) -> Option<u64> {
    id_in_head(head).or_else(|| id_in_tail(tail))
}

/// Reads the members before the first one that is not a scalar. A message with a method is not a response.
fn id_in_head(head: &[u8]) -> Option<u64> {
    let head = &head[..head.len().min(512)];
    let head = String::from_utf8_lossy(head);
    let mut rest = head.trim_start().strip_prefix('{')?;
    let mut found = None;
    loop {
        let (name, value) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        let value = value.trim_start().strip_prefix(':')?.trim_start();
        match name {
            "method" | "params" => return None,
            "result" | "error" => return found,
            _ => {}
        }
        let end = value.find([',', '}'])?;
        if name == "id" {
            found = parse_own_id(&value[..end]);
        }
        rest = &value[end + 1..];
        if value[end..].starts_with('}') {
            return found;
        }
    }
}

/// Reads the last member if it is the id of the outermost object.
fn id_in_tail(tail: &[u8]) -> Option<u64> {
    let tail = String::from_utf8_lossy(&tail[tail.len().saturating_sub(512)..]).into_owned();
    let members = tail.trim_end().strip_suffix('}')?;
    let (_, value) = members.rsplit_once("\"id\"")?;
    parse_own_id(value.trim_start().strip_prefix(':')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ServerMessage {
        ServerMessage::parse(text.as_bytes().to_vec()).expect("is a message")
    }

    fn response(text: &str) -> (Option<u64>, Result<String, ErrorObject>) {
        match parse(text) {
            ServerMessage::Response { id, outcome } => (id, outcome.map(|raw| raw.as_str().to_owned())),
            other => panic!("no response: {other:?}"),
        }
    }

    #[test]
    fn a_long_answer_is_read_as_a_short_one() {
        let long = "x".repeat(LONG_ANSWER);
        let decoded = |text: String| -> Result<serde_json::Value, String> {
            match ServerMessage::parse(text.into_bytes()) {
                Ok(ServerMessage::Response { id, outcome: Ok(raw) }) => {
                    assert_eq!(id, Some(17));
                    raw.decode().map_err(|error| error.to_string())
                }
                Ok(ServerMessage::Response { outcome: Err(error), .. }) => Err(error.message),
                other => Err(format!("{other:?}")),
            }
        };
        let result = format!(r#"[{{"a":"\"}},\"result\":{{}}"}},3,"{long}"]"#);
        let value: serde_json::Value = serde_json::from_str(&result).expect("is JSON");
        let written = String::from_utf8(crate::write::raw_result(17_u64, &result)).expect("is text");
        let Ok(ServerMessage::Response { outcome: Ok(raw), .. }) =
            ServerMessage::parse(written.clone().into_bytes())
        else {
            panic!("no answer")
        };
        assert!(raw.is_guess && raw.as_str() == result);
        for text in [
            written.clone(),
            format!(r#"{{"jsonrpc":"2.0","id":17,"result":{result},"more":[1]}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":17,"result": {result} }}"#),
            format!(r#"{{"id":17,"result":{result},"jsonrpc":"2.0"}}"#),
        ] {
            assert_eq!(decoded(text), Ok(value.clone()));
        }
        let refused = format!(r#"{{"jsonrpc":"2.0","id":17,"error":{{"code":1,"message":"{long}"}}}}"#);
        assert_eq!(decoded(refused), Err(long.clone()));
        let refused = format!(r#"{{"jsonrpc":"2.0","id":17,"result":null,"error":{{"message":"{long}"}}}}"#);
        assert_eq!(decoded(refused), Err(long.clone()));
        let refused = format!(r#"{{"jsonrpc":"2.0","id":17,"result":[],"error":{{"message":"{long}"}}}}"#);
        assert_eq!(decoded(refused), Err(long.clone()));
        assert!(decoded(format!(r#"{{"jsonrpc":"2.0","id":17,"result":["{long}"}}"#)).is_err());
        assert!(matches!(
            ServerMessage::parse(crate::write::request(17_u64, "m", Some([&long]))),
            Ok(ServerMessage::Request { .. })
        ));
    }

    #[test]
    fn responses_are_understood_in_every_form() {
        let null = || Ok("null".to_owned());
        assert_eq!(
            response(r#"{"jsonrpc":"2.0","id":1,"result": {"a":[1]} }"#),
            (Some(1), Ok(r#"{"a":[1]}"#.into()))
        );
        assert_eq!(response(r#"{"id":"7","result":null}"#), (Some(7), null()));
        assert_eq!(response(r#"{"id":7}"#), (Some(7), null()));
        assert_eq!(response(r#"{"id":7,"result":3,"error":null}"#), (Some(7), Ok("3".into())));
        assert_eq!(response(r#"{"id":-1,"result":3}"#).0, None);
        let error = |code, message: &str| Err(ErrorObject { code, message: message.into() });
        assert_eq!(
            response(r#"{"id":null,"error":{"code":-32700,"message":"x"}}"#),
            (None, error(-32700, "x"))
        );
        assert_eq!(response(r#"{"id":1,"error":"broken"}"#), (Some(1), error(0, "\"broken\"")));
        assert_eq!(response(r#"{"id":1,"error":{"code":5}}"#), (Some(1), error(5, "")));
    }

    #[test]
    fn requests_and_notifications_are_told_apart() {
        let ServerMessage::Request { id, method, params } =
            parse(r#"{"id":"a\"b","method":"m","params":[1]}"#)
        else {
            panic!("no request")
        };
        assert_eq!((id.as_str(), method.as_str(), params.as_str()), (r#""a\"b""#, "m", "[1]"));
        for text in [r#"{"method":"m"}"#, r#"{"id":null,"method":"m","params":null}"#] {
            let ServerMessage::Notification { params, .. } = parse(text) else {
                panic!("no notification: {text}")
            };
            assert_eq!(params.as_str(), "null");
        }
    }

    #[test]
    fn what_is_no_message_says_whose_answer_it_was() {
        for (text, id) in [
            (&b"HTTP/1.1 200 OK"[..], None),
            (b"[1,2]", None),
            (b"{}", None),
            (b"{\"id\":4,\"result\":[1,2", Some(4)),
            (b"{\"id\":4,\"result\":\"\xff\"}", Some(4)),
            (b"{\"result\":[oops],\"id\": \"12\" }", Some(12)),
            (b"{\"id\":4,\"method\":oops}", None),
        ] {
            assert_eq!(ServerMessage::parse(text.to_vec()).expect_err("no message").id, id, "{text:?}");
        }
    }

    #[test]
    fn an_inner_id_is_not_taken_for_the_answers() {
        assert_eq!(guess_response_id(br#"{"result":[{"id":3},"#, br#"{"id":3}]}"#), None);
        assert_eq!(guess_response_id(br#"{"result":[{"id":3},"#, br#"{"id":3}],"id":9}"#), Some(9));
        assert_eq!(
            guess_response_id(br#"{"jsonrpc":"2.0","id":8,"result":[{"id":3},"#, br#"{"id":3}]}"#),
            Some(8)
        );
    }
}
