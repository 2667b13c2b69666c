//! Calls an API from a thread that may block.

use symd_fetch::{ApiAnswer, ApiRequest, FetchError, call_api};

/// Sends a request and waits for the answer, no longer than the request's time limit.
pub(crate) fn call_and_wait(request: &ApiRequest) -> Result<ApiAnswer, FetchError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| FetchError::Connection(error.to_string()))?;
    let answer = runtime.block_on(call_api(request));
    // A name look-up may go on for long after the limit; dropping the runtime would wait for it.
    runtime.shutdown_background();
    answer
}
