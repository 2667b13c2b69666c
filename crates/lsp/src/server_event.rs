//! Facts that a server reports about itself while it runs, in the order of arrival. Readiness is derived from
//! them.

/// Capacity of the queue of facts. When it is half full, progress reports are dropped; when it is full, any
/// fact is dropped and logged (the server then becomes ready by its time limit).
pub(crate) const FACTS: usize = 1024;

/// One reported fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerEvent {
    /// `$/progress` of kind `begin`; `token` as JSON text.
    ProgressBegun { token: String, title: String, message: Option<String>, percentage: Option<u32> },
    /// `$/progress` of kind `report`.
    ProgressReported { token: String, message: Option<String>, percentage: Option<u32> },
    /// `$/progress` of kind `end`.
    ProgressEnded { token: String, message: Option<String> },
    /// `experimental/serverStatus` (rust-analyzer, "Server Status").
    Status { quiescent: bool, health: Option<String>, message: Option<String> },
    /// `window/showMessage` of type error.
    ErrorShown { message: String },
    /// A `window/logMessage` that contains the text of the readiness rule.
    ReadyLogMessage,
    /// Any notification that LSP does not define: `intellij/ready-for-test`.
    Notified { method: String },
}
