//! The codes of errors: those of JSON-RPC, those of LSP, and one of symd's own in the range that JSON-RPC leaves to
//! servers.

/// The text is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is not a valid request, or it is too long.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are invalid.
pub const INVALID_PARAMS: i64 = -32602;
/// Internal error.
pub const INTERNAL_ERROR: i64 = -32603;
/// A request came before `initialize` (LSP).
pub const SERVER_NOT_INITIALIZED: i64 = -32002;
/// A valid request could not be carried out (LSP).
pub const REQUEST_FAILED: i64 = -32803;
/// The client cancelled the request (LSP 3.17).
pub const REQUEST_CANCELLED: i64 = -32800;
/// LSP: the document changed, so the answer would be about another text.
pub const CONTENT_MODIFIED: i64 = -32801;
/// A limit is reached; retry when another request has been answered.
pub const BUSY: i64 = -32000;
