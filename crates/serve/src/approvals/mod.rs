//! Decides whether a call may run, from the settings of the user and the project and from the user's answers.
//! The caller determines who is asked and over which protocol ([`ask::ApprovalPrompt`]). Invariants: every
//! decision uses the files as they are at that moment; an answer counts only over a connection that has
//! proved to be the user's own (see [`proof`]); a call that was not allowed does not run.

mod affected;
pub mod ask;
pub mod connection_state;
mod decide;
pub mod deferred;
mod display;
mod files;
pub(crate) mod in_editors;
pub(crate) mod permit;
pub mod proof;
mod refusal;
mod signed;
#[cfg(test)]
mod test_tools;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::DaemonPaths;
use symd_base::Timestamp;
use symd_base::state::{self, StateDirs, StateError};
use symd_config::approvals::{self, ApprovalsError, CallText, Policy, Rule, RulePattern};
use symd_toolsets::{ApprovalSource, Offered, Outgoing};

pub use ask::Question;
pub use decide::{Offer, RequiredApproval, by_default};
pub use files::{ApprovalFiles, ApprovalSettings};

use decide::Verdict;
use proof::Proof;
use signed::Signer;

/// The longest arguments, in bytes, that are checked without another thread: each rule searches them from end
/// to end.
const MAX_AT_HAND: usize = 64 << 10;

/// The approval settings and state of one daemon.
#[derive(Debug)]
pub struct Approver {
    layers: ApprovalFiles,
    /// The directory in which connections prove that they are the user's own.
    proofs: PathBuf,
    clients: Clients,
    signer: Signer,
    deadline: Duration,
}

/// How clients are identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clients {
    /// Any process that reaches the socket; it must prove that it is the user's.
    OfSocket,
    /// The process that started this one. It runs in a sandbox if we do.
    OfProcess,
}

/// A call that needs a decision.
#[derive(Clone, Debug)]
pub struct ApprovalRequest {
    /// Tool and toolset.
    pub offered: Offered,
    /// The arguments as the client sent them.
    pub arguments: Map<String, Value>,
    /// The arguments as rules match them: compact JSON with sorted keys, defaults not filled in.
    pub json: String,
    /// What the call sends to others, if its tool sends anything: the user is asked about that, and rules match the
    /// receivers.
    pub outgoing: Option<Outgoing>,
    /// The root of the project in which the call is to run, as rules name it.
    pub project: String,
}

impl ApprovalRequest {
    /// Creates a request for a call of `offered` in the project at `root`.
    pub fn new(offered: Offered, arguments: Map<String, Value>, root: &Path) -> ApprovalRequest {
        // serde_json sorts keys unless its feature `preserve_order` is on; a test checks that.
        let json = serde_json::to_string(&arguments).unwrap_or_default();
        ApprovalRequest { offered, arguments, json, outgoing: None, project: root.display().to_string() }
    }

    /// Returns the texts that rules match: all must be allowed.
    fn texts(&self) -> Vec<String> {
        match &self.outgoing {
            None => vec![self.json.clone()],
            Some(outgoing) => {
                let json = |receiver| serde_json::to_string(receiver).unwrap_or_default();
                outgoing.receivers.iter().map(json).collect()
            }
        }
    }

    /// Returns what the question shows.
    fn shown(&self) -> &Map<String, Value> {
        self.outgoing.as_ref().map_or(&self.arguments, |outgoing| &outgoing.shown)
    }
}

/// The decision about a call.
#[derive(Debug)]
pub enum Decision {
    /// The call runs.
    Run(ApprovalSource),
    /// The user is asked.
    Ask(Question),
    /// The call does not run; the reason and the remedy.
    Refuse(String),
}

impl Approver {
    /// Creates the state for the daemon of `place`. Discards the proofs of an earlier daemon's connections.
    pub fn open(place: &DaemonPaths, deadline: Duration) -> Result<Approver, StateError> {
        let proofs = place.proofs();
        state::remove_tree(&proofs)?;
        state::private_dir(&proofs)?;
        Ok(Approver {
            layers: ApprovalFiles::new(&place.approvals, Some(&place.root)),
            proofs,
            clients: Clients::OfSocket,
            signer: Signer::new()?,
            deadline,
        })
    }

    /// Creates the state for a process outside any project, which serves the client that started it.
    pub fn outside(dirs: &StateDirs, deadline: Duration) -> Result<Approver, StateError> {
        Ok(Approver {
            layers: ApprovalFiles::new(&approvals::user_file(&dirs.persistent.config), None),
            proofs: dirs.persistent.state.join("proofs"),
            clients: Clients::OfProcess,
            signer: Signer::new()?,
            deadline,
        })
    }

    /// Returns how long to wait for an answer.
    pub fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Creates the proof of a new connection, or returns why it cannot be created.
    pub fn proof(&self) -> Result<Proof, StateError> {
        Proof::new(&self.proofs)
    }

    /// Returns the proof of a connection without a hello: `None`, unless its client is the process that
    /// started us.
    pub fn own_proof(&self) -> Option<Proof> {
        if self.clients == Clients::OfSocket {
            return None;
        }
        // In a sandbox both steps fail.
        state::private_dir(&self.proofs).ok()?;
        let proof = Proof::new(&self.proofs).ok()?;
        proof::prove(&self.proofs, proof.token()).ok().map(|()| proof)
    }

    /// Decides about a call. If only the user's own approval suffices, `because` says why. Reads two small
    /// files.
    pub fn decide(&self, wanted: &ApprovalRequest, because: Option<&str>) -> Decision {
        self.decide_by(&self.layers.read(), wanted, because)
    }

    /// Decides about a call as [`Approver::decide`] does if that does not block; otherwise `None`. Passing
    /// the call to another thread and back took most of the time of a decision.
    pub fn try_decide(&self, wanted: &ApprovalRequest, because: Option<&str>) -> Option<Decision> {
        let is_short = wanted.json.len() <= MAX_AT_HAND;
        let settled = is_short.then(|| self.layers.try_read_cached())??;
        Some(self.decide_by(&settled, wanted, because))
    }

    fn decide_by(
        &self,
        settled: &ApprovalSettings,
        wanted: &ApprovalRequest,
        because: Option<&str>,
    ) -> Decision {
        let needs = because.map_or(RequiredApproval::Any, |_| RequiredApproval::UserForThisCall);
        let now = Timestamp::now();
        let verdicts =
            wanted.texts().into_iter().map(|text| decide::decide(settled, wanted, &text, needs, now));
        match decide::all(verdicts) {
            Verdict::Run(approved) => Decision::Run(approved),
            Verdict::Ask(offer) => Decision::Ask(Question {
                number: None,
                display: display::display(wanted, because, offer),
                offer,
                because: because.map(str::to_owned),
            }),
            Verdict::Refuse(why) => Decision::Refuse(why),
        }
    }

    /// Stores rules that allow this very call, or what it sends to each receiver: this tool of this toolset, in this
    /// project. Blocks on the disk.
    pub fn remember(&self, wanted: &ApprovalRequest) -> Result<Vec<u64>, ApprovalsError> {
        let Offered { toolset, tool } = wanted.offered;
        let wrong = |error: approvals::RulePatternError| ApprovalsError::Wrong {
            file: "the rule".to_owned(),
            line: 1,
            what: error.to_string(),
        };
        let rule = |text: String| {
            Ok(Rule {
                id: 0,
                tool: tool.name.to_owned(),
                pattern: RulePattern::new(&approvals::exact(&text)).map_err(wrong)?,
                toolset: Some(toolset.name.to_owned()),
                project: Some(wanted.project.clone()),
                expires: None,
                enabled: true,
                policy: Policy::Allow,
            })
        };
        let rules: Vec<Rule> = wanted.texts().into_iter().map(rule).collect::<Result<_, ApprovalsError>>()?;
        approvals::change(self.layers.user_file(), |approvals| {
            Ok(rules.into_iter().map(|rule| approvals.add(rule)).collect())
        })
    }

    /// Returns a signed state for a question about this call on connection `session`.
    pub fn sign(&self, session: u64, nonce: u64, wanted: &ApprovalRequest) -> String {
        let expires = Timestamp::now().after(self.deadline);
        self.signer.sign(session, nonce, expires, wanted)
    }

    /// Returns the nonce of a state that was signed for this call on this connection and has not expired.
    pub fn verify(
        &self,
        session: u64,
        state: &str,
        wanted: &ApprovalRequest,
    ) -> Result<u64, signed::Invalid> {
        self.signer.verify(session, state, wanted, Timestamp::now())
    }
}

fn call_text<'a>(wanted: &'a ApprovalRequest, text: &'a str) -> CallText<'a> {
    let Offered { toolset, tool } = wanted.offered;
    CallText { toolset: toolset.name, tool: tool.name, project: &wanted.project, arguments: text }
}

/// Whether the user's file lies in the project, where tools can write it.
fn is_inside(file: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = file.parent().map_or_else(|| file.to_owned(), real);
    directory.starts_with(real(root))
}
