//! A body read as it comes, up to a limit: what a server says of its length is not believed.

use reqwest::Response;

use super::FetchError;
use super::connect::failure;

/// Bytes of a body that are read, decompressed.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// What a server sent.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// [`MAX_BODY_BYTES`] at most.
    pub(super) bytes: Vec<u8>,
    /// Whether there was more.
    pub(super) is_cut: bool,
}

impl Body {
    /// Reads until the end or the limit. A connection that ends before the length that was announced is an error.
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
