//! Whether a call may run: what the user and the project have settled, and what the user answers. Who is asked, and over
//! which wire, is the caller's affair ([`ask::ApprovalPrompt`]). Invariants: every decision is made from the files as they are at
//! that moment; an answer counts only over a connection that has shown that it is the user's own (see [`proof`]); a call
//! that nobody allowed does not run.

mod affected;
pub mod ask;
pub mod asking;
mod decide;
mod display;
mod files;
pub(crate) mod permit;
pub mod proof;
mod refusal;
mod signed;
#[cfg(test)]
mod stage;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::DaemonPaths;
use symd_base::state::{self, StateDirs, StateError};
use symd_config::approvals::{self, ApprovalsError, CallText, Policy, Rule, RulePattern, Timestamp};
use symd_toolsets::{Approved, Offered};

pub use ask::Question;
pub use decide::{Needs, Offer, by_default};
pub use files::{Layers, Settled};

use decide::Verdict;
use proof::Proof;
use signed::Signer;

/// Bytes of arguments about which is decided on the spot: rules search them, each from one end to the other.
const MAX_AT_HAND: usize = 64 << 10;

/// What decides about the calls of one daemon.
#[derive(Debug)]
pub struct Approvals {
    layers: Layers,
    /// Where connections show that they are the user's own.
    proofs: PathBuf,
    clients: Clients,
    signer: Signer,
    deadline: Duration,
}

/// Who the clients are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clients {
    /// Whoever reaches the socket; they show whose they are by themselves.
    OfSocket,
    /// The one that started this very process: it is in a sandbox if we are.
    OfProcess,
}

/// A call about which is decided.
#[derive(Clone, Debug)]
pub struct ApprovalRequest {
    /// Tool and contract.
    pub offered: Offered,
    /// Its arguments as they came.
    pub arguments: Map<String, Value>,
    /// The same as rules see them: compact JSON with sorted keys, defaults not filled in.
    pub json: String,
    /// The root of the project in which it is to run, as rules name it.
    pub project: String,
}

impl ApprovalRequest {
    /// The call of `offered` with these arguments, in the project at `root`.
    pub fn new(offered: Offered, arguments: Map<String, Value>, root: &Path) -> ApprovalRequest {
        // serde_json sorts keys unless its feature `preserve_order` is on; a test of ours would notice.
        let json = serde_json::to_string(&arguments).unwrap_or_default();
        ApprovalRequest { offered, arguments, json, project: root.display().to_string() }
    }
}

/// What becomes of a call.
#[derive(Debug)]
pub enum Decision {
    /// It runs.
    Run(Approved),
    /// The user is asked.
    Ask(Question),
    /// It does not run; why, and what to do about it.
    Refuse(String),
}

impl Approvals {
    /// What decides for the daemon of `place`. What connections of an earlier one have shown is void.
    pub fn open(place: &DaemonPaths, deadline: Duration) -> Result<Approvals, StateError> {
        let proofs = place.proofs();
        state::remove_tree(&proofs)?;
        state::private_dir(&proofs)?;
        Ok(Approvals {
            layers: Layers::new(&place.approvals, Some(&place.root)),
            proofs,
            clients: Clients::OfSocket,
            signer: Signer::new()?,
            deadline,
        })
    }

    /// What decides in a process outside any project, which serves the client that started it.
    pub fn outside(dirs: &StateDirs, deadline: Duration) -> Result<Approvals, StateError> {
        Ok(Approvals {
            layers: Layers::new(&approvals::user_file(&dirs.lasting.config), None),
            proofs: dirs.lasting.state.join("proofs"),
            clients: Clients::OfProcess,
            signer: Signer::new()?,
            deadline,
        })
    }

    /// How long an answer is waited for.
    pub fn deadline(&self) -> Duration {
        self.deadline
    }

    /// What a new connection may prove, or why none can.
    pub fn proof(&self) -> Result<Proof, StateError> {
        Proof::new(&self.proofs)
    }

    /// What is known of a connection that says no hello: nothing, unless it is that of our own client.
    pub fn own_proof(&self) -> Option<Proof> {
        if self.clients == Clients::OfSocket {
            return None;
        }
        // In a sandbox both fail.
        state::private_dir(&self.proofs).ok()?;
        let proof = Proof::new(&self.proofs).ok()?;
        proof::give(&self.proofs, proof.word()).ok().map(|()| proof)
    }

    /// Decides about a call. Where only the user's own word will do, `because` says why. Reads two small files.
    pub fn decide(&self, wanted: &ApprovalRequest, because: Option<&str>) -> Decision {
        self.decide_by(&self.layers.read(), wanted, because)
    }

    /// The same where nothing has to be waited for: of [`Approvals::decide`], handing the call to another thread and back was
    /// the largest part.
    pub fn decide_at_hand(&self, wanted: &ApprovalRequest, because: Option<&str>) -> Option<Decision> {
        let is_short = wanted.json.len() <= MAX_AT_HAND;
        let settled = is_short.then(|| self.layers.read_at_hand())??;
        Some(self.decide_by(&settled, wanted, because))
    }

    fn decide_by(&self, settled: &Settled, wanted: &ApprovalRequest, because: Option<&str>) -> Decision {
        let needs = because.map_or(Needs::Allowance, |_| Needs::UsersWord);
        match decide::decide(settled, wanted, needs, Timestamp::now()) {
            Verdict::Run(approved) => Decision::Run(approved),
            Verdict::Ask(offer) => Decision::Ask(Question {
                display: display::display(wanted.offered.tool, &wanted.arguments, because, offer),
                offer,
                because: because.map(str::to_owned),
            }),
            Verdict::Refuse(why) => Decision::Refuse(why),
        }
    }

    /// Stores that this very call always runs: of this tool of this toolset, in this project. Waits for the disk.
    pub fn remember(&self, wanted: &ApprovalRequest) -> Result<u64, ApprovalsError> {
        let Offered { toolset, tool } = wanted.offered;
        let wrong = |error: approvals::RulePatternError| ApprovalsError::Wrong {
            file: "the rule".to_owned(),
            line: 1,
            what: error.to_string(),
        };
        let rule = Rule {
            id: 0,
            tool: tool.name.to_owned(),
            pattern: RulePattern::new(&approvals::exact(&wanted.json)).map_err(wrong)?,
            toolset: Some(toolset.name.to_owned()),
            project: Some(wanted.project.clone()),
            expires: None,
            enabled: true,
            policy: Policy::Allow,
        };
        approvals::change(self.layers.user_file(), |approvals| Ok(approvals.add(rule)))
    }

    /// Signs that a question about this call was put on connection `session`.
    pub fn sign(&self, session: u64, nonce: u64, wanted: &ApprovalRequest) -> String {
        let expires = Timestamp::now().after(self.deadline);
        self.signer.sign(session, nonce, expires, wanted)
    }

    /// The nonce of a state that was signed for this call on this connection and is still valid.
    pub fn verify(
        &self,
        session: u64,
        state: &str,
        wanted: &ApprovalRequest,
    ) -> Result<u64, signed::Invalid> {
        self.signer.verify(session, state, wanted, Timestamp::now())
    }
}

fn call_text(wanted: &ApprovalRequest) -> CallText<'_> {
    let Offered { toolset, tool } = wanted.offered;
    CallText { toolset: toolset.name, tool: tool.name, project: &wanted.project, arguments: &wanted.json }
}

/// Whether the user's file lies in the project, where tools can write it.
fn is_inside(file: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = file.parent().map_or_else(|| file.to_owned(), real);
    directory.starts_with(real(root))
}
