//! The usual bundle about one symbol: its source and documentation, what it calls, who uses it, what overrides it, which
//! tests reach it. Each part is the answer of the question that asks for it alone. Invariant: what a part is not sure to have
//! whole, it tells.

mod declaration;
mod links;

use std::time::Duration;

pub use self::declaration::Declaration;
pub(crate) use self::links::links;
pub use self::links::{LinkedDeclaration, SymbolLinks};
use super::Project;
use super::part::Part;
use super::question::{QuestionError, Source, unchanged};
use super::relations::{Branch, Reach, ReachLimits, Reached, callees, longest, reach};
use super::target::{SymbolSelector, Target};
use symd_lsp::Waiting;
use symd_resolve as resolve;
use symd_syntax::SymbolKind;

/// Over how many uses a test is looked for.
pub const TEST_DEPTH: usize = 3;

/// Symbols whose users are looked for.
const MOST_FOLLOWED: usize = 64;

/// For how long.
const TIME: Duration = Duration::from_secs(8);

/// What is asked.
#[derive(Clone, Debug)]
pub struct Explore {
    /// About which symbol.
    pub wanted: SymbolSelector,
    /// Levels of users to tell; at least one.
    pub depth: usize,
    /// How long to wait for a server that is not ready.
    pub waiting: Waiting,
}

/// What is known of one symbol.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The symbol.
    pub target: Target,
    /// What stands in its file.
    pub declaration: Declaration,
    /// What it calls, of a function.
    pub callees: Option<Callees>,
    /// What overrides it and what it overrides; of a type, what extends it and what it extends.
    pub links: SymbolLinks,
    /// Who uses it, as deep as was asked, and over [`TEST_DEPTH`] uses at least.
    pub reach: Reach,
    /// Levels of users that were asked for.
    pub depth: usize,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

/// What a function calls.
#[derive(Clone, Debug)]
pub struct Callees {
    /// Those that are known.
    pub branches: Vec<Branch>,
    /// Names of what is declared outside the project, or is not known, sorted.
    pub unresolved: Vec<String>,
    /// Where that comes from.
    pub source: Source,
}

impl Explored {
    /// Its users in what is shipped, generated code included, as deep as was asked: what is sure before the rest, the
    /// nearest first.
    pub fn users(&self) -> Vec<&Reached> {
        let is_shown = |one: &&Reached| one.depth <= self.depth && one.part != Part::Test;
        self.nearest_first(is_shown)
    }

    /// The tests that reach it, and what helps them, likewise.
    pub fn tests(&self) -> Vec<&Reached> {
        self.nearest_first(|one| one.part == Part::Test)
    }

    fn nearest_first(&self, is_wanted: impl Fn(&&Reached) -> bool) -> Vec<&Reached> {
        let all = self.reach.reached.iter().filter(|one| !one.user.only_imports());
        let mut all: Vec<&Reached> = all.filter(is_wanted).collect();
        all.sort_by_key(|one| (!one.user.is_likely(), one.depth));
        all
    }
}

/// Finds out about the symbol, or about all overloads of a name; in their order, never nothing.
pub async fn explore(project: &Project, ask: &Explore) -> Result<Vec<Explored>, QuestionError> {
    unchanged(|| async {
        let targets = project.targets(&ask.wanted).await?;
        let mut all = Vec::new();
        for declarations in project.things(targets).await? {
            if let (Some(first), Some(longest)) = (declarations.first(), longest(&declarations)) {
                all.push(once(project, first, longest, ask).await?);
            }
        }
        Ok(all)
    })
    .await
}

/// `longest` is the declaration of the same thing with the longest body: that of a stub says nothing.
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

async fn calls(project: &Project, of: &Target, waiting: Waiting) -> Result<Option<Callees>, QuestionError> {
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
