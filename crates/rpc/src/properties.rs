//! Properties of the readers of lines and of clients' messages that must hold for all input. See
//! `symd::properties`.

use serde_json::Value;

use super::client_message::{ClientMessage, RejectedRequest, RpcRequest, message, object};
use super::lines::{Line, LineBudget, Lines};
use super::write;

/// Bytes of an error's line beyond what it quotes.
const ERROR_BYTES: usize = 1_000;
/// The most bytes that one byte of a line takes when it is quoted.
const QUOTED_BYTES: usize = 6;

/// Checks the line reader. The first byte is the limit of a line's length.
pub fn lines(bytes: &[u8]) {
    let Some((limit, text)) = bytes.split_first() else { return };
    let limit = usize::from(*limit);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut lines = Lines::new(text, limit, LineBudget::new(1 << 20));
    let mut expected: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    // The text after the last line break is a line only if it is not empty.
    if expected.last().is_some_and(|last| last.is_empty()) {
        expected.pop();
    }
    for line in expected {
        let read = runtime.block_on(lines.next()).unwrap();
        let is_long = line.len() > limit;
        assert_eq!(read, if is_long { Line::TooLong } else { Line::Text(line.to_vec()) });
    }
    assert_eq!(runtime.block_on(lines.next()).unwrap(), Line::End);
}

/// Checks that a request that was read is the same when it is written and read again.
pub fn assert_reads_again(request: &RpcRequest) {
    assert!(request.id.is_string() || request.id.is_i64(), "{}", request.id);
    let RpcRequest { id, method, params } = request;
    let line = write::request(id, method, Some(params));
    match object(&line).map(|object| message(object.unwrap())) {
        // Numbers in the parameters may be rounded.
        Ok(Ok(ClientMessage::Request(again))) => {
            assert_eq!((&again.id, &again.method, again.params.len()), (id, method, params.len()));
        }
        other => panic!("{}: {other:?}", String::from_utf8_lossy(&line)),
    }
}

/// Checks the error that answers `line`: its length is bounded, and it is a response.
pub fn assert_answers(wrong: &RejectedRequest, line: &[u8]) {
    let answer = wrong.line();
    assert!(answer.len() <= ERROR_BYTES + QUOTED_BYTES * line.len(), "{} bytes", answer.len());
    let read: Value = serde_json::from_slice(&answer).unwrap();
    assert!(read["error"]["code"].is_i64() && read["jsonrpc"] == "2.0", "{read}");
}
