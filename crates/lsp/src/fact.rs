//! What a server tells about itself while it runs: what readiness is judged by. Told in the order it came.

/// Facts waiting for whoever drives the server. When half of it is full, reports of progress are left out; when all of
/// it is, facts are lost and the log says so (readiness then comes by its time limit).
pub(crate) const FACTS: usize = 1024;

/// One thing a server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// `$/progress` of kind `begin`; `token` as JSON text.
    ProgressBegun { token: String, title: String, message: Option<String>, percentage: Option<u32> },
    /// `$/progress` of kind `report`.
    ProgressReported { token: String, message: Option<String>, percentage: Option<u32> },
    /// `$/progress` of kind `end`.
    ProgressEnded { token: String, message: Option<String> },
    /// `experimental/serverStatus` (rust-analyzer, "Server Status").
    Status { quiescent: bool, health: Option<String>, message: Option<String> },
    /// `window/showMessage` of type error.
    Complained { message: String },
    /// A `window/logMessage` of which its readiness rule names a part.
    LoggedSign,
    /// Any other notification that LSP does not name: `intellij/ready-for-test`.
    Notified { method: String },
}
