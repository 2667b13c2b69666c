//! Reads a response's body in chunks, up to a limit. Does not rely on the length that the server announces.

use reqwest::Response;

use super::FetchError;
use super::connect::failure;

/// The most bytes of a body that are read, after decompression.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// A response's body.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// At most [`MAX_BODY_BYTES`].
    pub(super) bytes: Vec<u8>,
    /// Whether the body was longer.
    pub(super) is_cut: bool,
}

impl Body {
    /// Reads until the end or the limit. A connection that closes before the announced length is an error.
    pub(super) async fn read(mut response: Response) -> Result<Body, FetchError> {
        let mut body = Body::default();
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
            let room = MAX_BODY_BYTES - body.bytes.len();
            body.bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                body.is_cut = true;
                break;
            }
        }
        Ok(body)
    }
}
