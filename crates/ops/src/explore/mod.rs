//! The usual facts about one symbol: its source and documentation, what it calls, its users, what overrides
//! it, the tests that reach it. Each part is the answer of the question for that part alone. Invariant: each
//! part reports what it may lack.

mod declaration;
mod links;

use std::time::Duration;

pub use self::declaration::Declaration;
pub(crate) use self::links::links;
pub use self::links::{LinkedDeclaration, SymbolLinks};
use super::Project;
use super::code_kind::CodeKind;
use super::question::{QuestionError, Source};
use super::relations::{
    ReachLimits, RelatedSymbol, TransitiveUser, TransitiveUsers, callees, longest, reach,
};
use super::target::{SymbolSelector, Target};
use symd_lsp::WaitPolicy;
use symd_resolve as resolve;
use symd_syntax::SymbolKind;

/// Minimum levels of users that are searched, so that tests are found.
pub const TEST_DEPTH: usize = 3;

/// Maximum number of symbols whose users are searched.
const MOST_FOLLOWED: usize = 64;

/// Time limit for the search of users.
const TIME: Duration = Duration::from_secs(8);

/// Parameters of `explore`.
#[derive(Clone, Debug)]
pub struct Explore {
    pub wanted: SymbolSelector,
    /// Levels of users to report; at least one.
    pub depth: usize,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

/// The facts about one symbol.
#[derive(Clone, Debug)]
pub struct Explored {
    pub target: Target,
    pub declaration: Declaration,
    /// What it calls; `None` if it is not a function or property.
    pub callees: Option<Callees>,
    /// What overrides it and what it overrides; for a type, what extends it and what it extends.
    pub links: SymbolLinks,
    /// Its users to the requested depth, and at least to [`TEST_DEPTH`] levels.
    pub reach: TransitiveUsers,
    /// The requested levels of users.
    pub depth: usize,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// The callees of a function.
#[derive(Clone, Debug)]
pub struct Callees {
    /// The callees that could be resolved.
    pub branches: Vec<RelatedSymbol>,
    /// Names that are declared outside the project or could not be resolved, sorted.
    pub unresolved: Vec<String>,
    /// The source of the callees.
    pub source: Source,
}

impl Explored {
    /// Returns the users in production and generated code, to the requested depth: the certain ones first,
    /// then by depth.
    pub fn users(&self) -> Vec<&TransitiveUser> {
        let is_shown = |one: &&TransitiveUser| one.depth <= self.depth && one.part != CodeKind::Test;
        self.nearest_first(is_shown)
    }

    /// Returns the tests that reach it, and test helpers, in the same order.
    pub fn tests(&self) -> Vec<&TransitiveUser> {
        self.nearest_first(|one| one.part == CodeKind::Test)
    }

    fn nearest_first(&self, is_wanted: impl Fn(&&TransitiveUser) -> bool) -> Vec<&TransitiveUser> {
        let all = self.reach.reached.iter().filter(|one| !one.user.only_imports());
        let mut all: Vec<&TransitiveUser> = all.filter(is_wanted).collect();
        all.sort_by_key(|one| (!one.user.is_likely(), one.depth));
        all
    }
}

/// Collects the facts about the symbol, or about all overloads of a name, in their order. Never returns an
/// empty list.
pub async fn explore(project: &Project, ask: &Explore) -> Result<Vec<Explored>, QuestionError> {
    project
        .by_need(|project| async move {
            let project = &project;
            let mut all = Vec::new();
            for declarations in project.entities(&ask.wanted).await? {
                if let (Some(first), Some(longest)) = (declarations.first(), longest(&declarations)) {
                    all.push(once(project, first, longest, ask).await?);
                }
            }
            Ok(all)
        })
        .await
}

/// `longest` is the declaration of the same entity with the longest body, since a stub's body has nothing to
/// show.
async fn once(
    project: &Project,
    target: &Target,
    longest: &Target,
    ask: &Explore,
) -> Result<Explored, QuestionError> {
    let limits = ReachLimits { depth: ask.depth.max(TEST_DEPTH), symbols: MOST_FOLLOWED, time: TIME };
    let (declaration, callees, links, reach) = tokio::join!(
        declaration::read(project, longest),
        calls(project, longest, ask.waiting),
        links(project, target, ask.waiting),
        reach(project, std::slice::from_ref(target), limits, ask.waiting),
    );
    Ok(Explored {
        target: target.clone(),
        declaration: declaration?,
        callees: callees?,
        links: links?,
        reach: reach?,
        depth: ask.depth,
        revision: target.at.revision,
    })
}

async fn calls(
    project: &Project,
    of: &Target,
    waiting: WaitPolicy,
) -> Result<Option<Callees>, QuestionError> {
    use SymbolKind::{Constructor, Function, Method, Property};
    if resolve::is_type(of.symbol.kind)
        || !matches!(of.symbol.kind, Constructor | Function | Method | Property)
    {
        return Ok(None);
    }
    let level = callees(project, of, waiting).await?;
    let mut unresolved = level.omitted.unresolved;
    unresolved.sort();
    unresolved.dedup();
    Ok(Some(Callees { branches: level.branches, unresolved, source: level.source }))
}
