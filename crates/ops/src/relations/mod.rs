//! The symbols related to one symbol, to a depth: callers, callees, supertypes, subtypes. Breadth first; each
//! symbol is expanded once. Invariant: the search terminates (cycles are cut, the number of symbols is
//! bounded), and the answer reports where a relation continues beyond what is shown.

mod callees;
mod callers;
mod chains;
mod level;
mod overloads;
mod reach;
mod types;
mod users;

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

pub(crate) use self::callees::callees;
pub use self::chains::{CallChain, CallChainError, CallChains, FindCallChains, call_chains, dotted};
use self::level::Level;
pub use self::level::{FileLocation, RelatedSymbol, SymbolKey, SymbolSummary};
pub(crate) use self::overloads::longest;
pub use self::overloads::related_to_overloads;
pub(crate) use self::reach::{ReachLimits, reach};
pub use self::reach::{TransitiveUser, TransitiveUsers};
pub(crate) use self::types::{ClassHeads, types};
pub use self::users::{UsePlace, User, UserGaps};
use super::Project;
use super::implementations::PossibleMatch;
use super::question::{QuestionError, Source};
use super::target::{SymbolSelector, Target};
use super::together::all_of;
use super::unsearched::{self, UnsearchedFiles};
use symd_base::cancel::Cancelled;
use symd_base::{Cancel, RelPath};
use symd_engine::View;
use symd_lsp::{Direction, WaitPolicy};
use symd_syntax::SymbolKind;

/// Maximum number of symbols expanded for one answer; the answer reports that those beyond were not examined.
const MAX_EXPANDED: usize = 64;
/// Types whose neighbours are requested concurrently.
const TYPES_AT_ONCE: usize = 16;

/// Time for expanding symbols in one answer if the client does not wait longer: a server takes a second or
/// more for each symbol of a large project, and clients time out after a minute. The answer reports that the
/// symbols beyond were not examined.
const TIME: Duration = Duration::from_secs(20);

/// Parameters of `related`.
#[derive(Clone, Debug)]
pub struct FindRelated {
    pub wanted: SymbolSelector,
    pub relation: Relation,
    /// Number of levels, at least one.
    pub depth: usize,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// How the symbols found are related to the requested one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They call the requested symbol.
    Callers,
    /// The requested symbol calls them.
    Callees,
    /// The requested symbol extends or implements them.
    Supertypes,
    /// They extend or implement the requested symbol.
    Subtypes,
}

/// Whether a chain continues where it is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// It does not, or its continuation is shown.
    No,
    /// It returns to a function above it.
    Cycle,
    /// The symbol is shown elsewhere in the answer.
    Shown,
    /// It continues beyond the requested depth.
    Yes,
    /// Not examined.
    Unknown,
}

/// One symbol of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    pub branch: RelatedSymbol,
    /// The depth in the tree, from 1.
    pub depth: usize,
    /// Whether the chain continues.
    pub more: Continuation,
    parent: Option<usize>,
}

/// What a tree omits, and where its sources disagree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Callers that are among the references but not in the server's call hierarchy (they are in the tree).
    pub only_in_references: usize,
    /// Callers that are in the server's call hierarchy but not among its references (they are in the tree).
    pub only_in_hierarchy: usize,
    /// Uses of the symbol itself that are not calls.
    pub other_uses: usize,
    /// Likely calls that the server does not report.
    pub missing: usize,
    /// Occurrences of the symbol's own name that the server does not report and syntax cannot judge.
    pub unchecked: usize,
    /// Names of callees or supertypes that could not be resolved, sorted.
    pub unresolved: Vec<String>,
    /// Types that may belong in the tree, which could not be determined; a type that a server lists is not
    /// among them.
    pub perhaps: Vec<PossibleMatch>,
    /// Files that import the symbol under another name, each with that name, in which no use of that name was
    /// found.
    pub renamed: Vec<(RelPath, String)>,
    /// Whether the limit on symbols or on time was reached.
    pub is_truncated: bool,
    /// What was not searched and may hold more.
    pub unread: UnsearchedFiles,
}

/// The related symbols, as a tree.
#[derive(Clone, Debug)]
pub struct Related {
    /// The requested symbol.
    pub target: Target,
    /// Nodes in depth-first order, a parent before its children; siblings by path, then by position.
    pub nodes: Vec<Node>,
    /// The source of the first level.
    pub source: Source,
    pub omitted: Omitted,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// Finds the symbols related to one symbol.
pub async fn related(project: &Project, ask: &FindRelated) -> Result<Related, QuestionError> {
    project
        .by_need(|project| async move {
            let project = &project;
            let target = project.target(&ask.wanted).await?;
            once(project, target, ask).await
        })
        .await
}

/// Returns the symbols that are directly related to one.
pub(crate) async fn one_level(
    project: &Project,
    target: &Target,
    relation: Relation,
    waiting: WaitPolicy,
) -> Result<Vec<RelatedSymbol>, QuestionError> {
    Ok(level(project, target, (relation, waiting), &ClassHeads::default()).await?.branches)
}

async fn once(project: &Project, target: Target, ask: &FindRelated) -> Result<Related, QuestionError> {
    let mut growing = TreeBuilder { seen: HashSet::from([SymbolKey::of(&target)]), ..TreeBuilder::default() };
    let mut waiting = VecDeque::from([(None, target.clone())]);
    let mut source = None;
    let mut leaves = Vec::new();
    let mut expanded = 0;
    let until = until(ask.waiting);
    let heads = ClassHeads::default();
    while let Some((parent, function)) = waiting.pop_front() {
        let is_over = expanded > 0 && Instant::now() >= until;
        if is_over || expanded == MAX_EXPANDED {
            growing.cut(parent);
            continue;
        }
        // The symbols next in the queue are requested with it: what is found for one does not change the
        // request for another.
        let more =
            (concurrent_expansions(ask.relation) - 1).min(MAX_EXPANDED - expanded - 1).min(waiting.len());
        let asked: Vec<_> = std::iter::once((parent, function)).chain(waiting.drain(..more)).collect();
        expanded += asked.len();
        let levels = all_of(
            asked.iter().map(|(_, function)| level(project, function, (ask.relation, ask.waiting), &heads)),
        )
        .await;
        for ((parent, _), level) in asked.into_iter().zip(levels) {
            let level = level?;
            growing.omit(level.omitted, parent);
            source.get_or_insert(level.source);
            for branch in level.branches {
                let next = branch.target.clone().filter(|next| is_followed(next, ask.relation));
                let Some(node) = growing.add(parent, branch) else { continue };
                let Some(next) = next else { continue };
                if growing.nodes[node].depth < ask.depth {
                    waiting.push_back((Some(node), next));
                } else {
                    leaves.push((node, next));
                }
            }
        }
    }
    growing.mark_leaves(project, leaves, ask.relation, &heads).await?;
    growing.note_unread(project, &target, ask.relation).await?;
    let revision = target.at.revision;
    let source =
        source.ok_or_else(|| QuestionError::Place("bug in symd: nothing was searched".to_owned()))?;
    Ok(Related { target, nodes: in_tree_order(growing.nodes), source, omitted: growing.omitted, revision })
}

/// Returns how many symbols are expanded concurrently. Callers and callees take several steps each, and every
/// step already queries many places.
fn concurrent_expansions(relation: Relation) -> usize {
    match relation {
        Relation::Callers | Relation::Callees => 1,
        Relation::Supertypes | Relation::Subtypes => TYPES_AT_ONCE,
    }
}

/// Returns the deadline for expanding symbols.
fn until(waiting: WaitPolicy) -> Instant {
    let own = Instant::now() + TIME;
    match waiting {
        WaitPolicy::DontWait | WaitPolicy::ForAnswer => own,
        WaitPolicy::Until(deadline) => deadline.max(own),
    }
}

/// Whether the callees of `next` are followed: calls in a class's body are not made by code that creates an
/// instance.
fn is_followed(next: &Target, relation: Relation) -> bool {
    use SymbolKind::{Constructor, Function, Method};
    relation != Relation::Callees || matches!(next.symbol.kind, Function | Method | Constructor)
}

async fn level(
    project: &Project,
    function: &Target,
    (relation, waiting): (Relation, WaitPolicy),
    heads: &ClassHeads,
) -> Result<Level, QuestionError> {
    match relation {
        Relation::Callers => callers::callers(project, function, waiting).await,
        Relation::Callees => callees(project, function, waiting).await,
        Relation::Supertypes => types::types(project, function, (Direction::Up, heads), waiting).await,
        Relation::Subtypes => types::types(project, function, (Direction::Down, heads), waiting).await,
    }
}

/// The tree while it grows, level by level.
#[derive(Default)]
struct TreeBuilder {
    nodes: Vec<Node>,
    seen: HashSet<SymbolKey>,
    omitted: Omitted,
}

impl TreeBuilder {
    /// Adds a symbol. Returns its node's index if it is to be followed.
    fn add(&mut self, parent: Option<usize>, branch: RelatedSymbol) -> Option<usize> {
        let key = branch.key.clone();
        let more = match () {
            () if self.is_above(parent, &key) => Continuation::Cycle,
            () if self.seen.contains(&key) => Continuation::Shown,
            () => Continuation::No,
        };
        let depth = parent.map_or(1, |parent| self.nodes[parent].depth + 1);
        self.nodes.push(Node { branch, depth, more, parent });
        self.seen.insert(key);
        (more == Continuation::No).then(|| self.nodes.len() - 1)
    }

    /// Whether `key` is the requested symbol or an ancestor of the new node. The requested symbol is in
    /// `seen` from the start and is not a node.
    fn is_above(&self, mut parent: Option<usize>, key: &SymbolKey) -> bool {
        while let Some(at) = parent {
            if self.nodes[at].branch.key == *key {
                return true;
            }
            parent = self.nodes[at].parent;
        }
        self.seen.contains(key) && self.nodes.iter().all(|node| node.branch.key != *key)
    }

    fn cut(&mut self, parent: Option<usize>) {
        self.omitted.is_truncated = true;
        if let Some(parent) = parent {
            self.nodes[parent].more = Continuation::Unknown;
        }
    }

    /// Adds the omissions of a level. Uses that are not calls, unchecked occurrences, doubtful types and
    /// imports under another name are kept for the requested symbol only.
    fn omit(&mut self, level: Omitted, parent: Option<usize>) {
        let all = &mut self.omitted;
        all.only_in_references += level.only_in_references;
        all.only_in_hierarchy += level.only_in_hierarchy;
        all.missing += level.missing;
        if parent.is_none() {
            all.other_uses = level.other_uses;
            all.unchecked = level.unchecked;
            all.perhaps = level.perhaps;
            all.renamed = level.renamed;
        }
        all.unread.join(level.unread);
        all.unresolved.extend(level.unresolved);
        all.unresolved.sort();
        all.unresolved.dedup();
    }

    /// Adds what was not searched: files that hold the name of a node, so that they may hold callers or
    /// subtypes of it, or the name of an unresolved callee or supertype, so that they may declare it.
    async fn note_unread(
        &mut self,
        project: &Project,
        target: &Target,
        relation: Relation,
    ) -> Result<(), QuestionError> {
        let names = match relation {
            Relation::Callers | Relation::Subtypes => {
                let name = |node: &Node| node.branch.target.as_ref().map(|target| target.name.clone());
                self.nodes.iter().filter_map(name).collect()
            }
            Relation::Callees | Relation::Supertypes => self.omitted.unresolved.clone(),
        };
        if names.is_empty() && matches!(relation, Relation::Callees | Relation::Supertypes) {
            return Ok(());
        }
        let of = target.clone();
        let work = move |view: &View, cancel: &Cancel| {
            let mut unread = unsearched::unsearched_for_target(view, &of, &names, cancel)?;
            if relation == Relation::Subtypes {
                unread.join(unsearched::unsearched_for_heirs(view, &of, (None, &names), cancel)?);
            }
            Ok::<_, Cancelled>(unread)
        };
        self.omitted.unread.join(project.with_view(work).await??);
        Ok(())
    }

    /// Determines whether the relation continues from the symbols of the last level.
    async fn mark_leaves(
        &mut self,
        project: &Project,
        mut leaves: Vec<(usize, Target)>,
        relation: Relation,
        heads: &ClassHeads,
    ) -> Result<(), QuestionError> {
        for (node, _) in leaves.drain(MAX_EXPANDED.min(leaves.len())..) {
            self.nodes[node].more = Continuation::Unknown;
        }
        let (nodes, targets): (Vec<usize>, Vec<Target>) = leaves.into_iter().unzip();
        let goes_on = match relation {
            Relation::Callers => callers::have_callers(project, targets).await?,
            Relation::Callees => callees::have_callees(project, targets).await?,
            Relation::Supertypes => types::have_types(project, &targets, (Direction::Up, heads)).await?,
            Relation::Subtypes => types::have_types(project, &targets, (Direction::Down, heads)).await?,
        };
        for (node, goes_on) in nodes.into_iter().zip(goes_on) {
            self.nodes[node].more = if goes_on { Continuation::Yes } else { Continuation::No };
        }
        Ok(())
    }
}

/// Reorders nodes from breadth-first to depth-first order.
fn in_tree_order(nodes: Vec<Node>) -> Vec<Node> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len() + 1];
    for (at, node) in nodes.iter().enumerate() {
        children[node.parent.map_or(0, |parent| parent + 1)].push(at);
    }
    let mut ordered = Vec::with_capacity(nodes.len());
    let mut open: Vec<usize> = children[0].iter().rev().copied().collect();
    while let Some(at) = open.pop() {
        ordered.push(at);
        open.extend(children[at + 1].iter().rev());
    }
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    ordered.into_iter().filter_map(|at| nodes[at].take()).collect()
}
