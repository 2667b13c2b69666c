//! The signed state that is sent to a client with a question and returned with the answer: `requestState` of
//! MCP 2026-07-28. Invariant: a state is valid only for the tool, arguments and project that it was signed
//! for, on the connection it was sent on, until it expires; it cannot be forged without the daemon's key.

use symd_base::Timestamp;
use symd_base::state::StateError;

use super::ApprovalRequest;

/// Signs and verifies states. The key is random and lives as long as the daemon.
#[derive(Debug)]
pub(super) struct Signer {
    key: [u8; blake3::KEY_LEN],
}

/// Why a state is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// The state belongs to another call, connection or daemon, or is forged.
    #[error("its requestState is not one that was given for this very call on this connection")]
    Foreign,
    /// The answer arrived too late.
    #[error("its requestState has expired")]
    Expired,
}

impl Signer {
    pub(super) fn new() -> Result<Signer, StateError> {
        Ok(Signer { key: random()? })
    }

    pub(super) fn sign(
        &self,
        session: u64,
        nonce: u64,
        expires: Timestamp,
        wanted: &ApprovalRequest,
    ) -> String {
        let mac = self.mac(session, nonce, expires, wanted);
        format!("{:x}.{nonce:x}.{}", expires.seconds(), mac.to_hex())
    }

    pub(super) fn verify(
        &self,
        session: u64,
        state: &str,
        wanted: &ApprovalRequest,
        now: Timestamp,
    ) -> Result<u64, Invalid> {
        let (expires, nonce, mac) = parts(state).ok_or(Invalid::Foreign)?;
        // blake3 compares hashes in constant time.
        if self.mac(session, nonce, expires, wanted) != mac {
            return Err(Invalid::Foreign);
        }
        if expires <= now {
            return Err(Invalid::Expired);
        }
        Ok(nonce)
    }

    fn mac(&self, session: u64, nonce: u64, expires: Timestamp, wanted: &ApprovalRequest) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        for number in [session, nonce, expires.seconds()] {
            hasher.update(&number.to_le_bytes());
        }
        let offered = wanted.offered;
        // What is sent is part of what the user was shown.
        let sent = wanted.outgoing.as_ref().map_or("", |outgoing| &outgoing.text);
        for text in [offered.toolset.name, offered.tool.name, &wanted.json, &wanted.project, sent] {
            // The length before each text prevents two texts from being confused with two others of the same
            // concatenation.
            hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize()
    }
}

fn parts(state: &str) -> Option<(Timestamp, u64, blake3::Hash)> {
    let (expires, rest) = state.split_once('.')?;
    let (nonce, mac) = rest.split_once('.')?;
    let expires = Timestamp::from_seconds(u64::from_str_radix(expires, 16).ok()?);
    Some((expires, u64::from_str_radix(nonce, 16).ok()?, blake3::Hash::from_hex(mac).ok()?))
}

/// Returns cryptographically secure random bytes.
pub(super) fn random() -> Result<[u8; 32], StateError> {
    let mut bytes = [0; 32];
    let read = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    let failed =
        |source| StateError::Io { what: "cannot get random bytes from", path: "the system".into(), source };
    match read {
        // getrandom(2) returns so few bytes completely.
        Ok(32) => Ok(bytes),
        Ok(_) => Err(failed(std::io::Error::other("too few bytes"))),
        Err(errno) => Err(failed(errno.into())),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use symd_toolsets::{Offered, native::NATIVE};

    fn wanted(tool: usize, json: &str) -> ApprovalRequest {
        let offered = Offered { toolset: &NATIVE, tool: &NATIVE.tools[tool] };
        ApprovalRequest::new(offered, serde_json::from_str(json).expect("an object"), Path::new("/p"))
    }

    #[test]
    fn a_state_counts_for_its_call_only() {
        let signer = Signer::new().expect("random bytes");
        let (then, now) = (Timestamp::from_seconds(1_000), Timestamp::from_seconds(999));
        let call = wanted(0, "{\"a\":1}");
        let state = signer.sign(7, 9, then, &call);
        assert_eq!(signer.verify(7, &state, &call, now), Ok(9));
        assert_eq!(signer.verify(7, &state, &call, then), Err(Invalid::Expired));
        let foreign = Err(Invalid::Foreign);
        assert_eq!(signer.verify(8, &state, &call, now), foreign, "another connection");
        assert_eq!(signer.verify(7, &state, &wanted(1, "{\"a\":1}"), now), foreign, "another tool");
        assert_eq!(signer.verify(7, &state, &wanted(0, "{\"a\":2}"), now), foreign, "other arguments");
        let elsewhere = ApprovalRequest { project: "/q".to_owned(), ..call.clone() };
        assert_eq!(signer.verify(7, &state, &elsewhere, now), foreign, "another project");
        assert_eq!(Signer::new().expect("random").verify(7, &state, &call, now), foreign, "another daemon");
        let (_, mac) = state.rsplit_once('.').expect("three parts");
        for forged in [
            format!("7d0.9.{mac}"),
            format!("3e8.a.{mac}"),
            format!("3e8.9.{}", "0".repeat(64)),
            format!("3e8.9.{}", &mac[1..]),
            String::new(),
            "..".to_owned(),
            "é.ü.ß".to_owned(),
            state.to_uppercase() + "0",
        ] {
            assert_eq!(signer.verify(7, &forged, &call, now), foreign, "{forged}");
        }
    }
}
