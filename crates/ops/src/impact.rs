//! What a change of a symbol reaches: its uses, what uses those, what is linked to it by overriding, where texts name it.
//! Which of that counts depends on what is changed. Invariant: direct users are all looked for; where the way further up was
//! cut, that is told.

use std::time::Duration;

use super::Project;
use super::explore::{SymbolLinks, links};
use super::overrides::override_links;
use super::part::Part;
use super::question::{QuestionError, unchanged};
use super::relations::{Reach, ReachLimits, Reached, reach};
use super::rename::{Mentioned, mentioned};
use super::target::{SymbolSelector, Target};
use symd_lsp::Waiting;
use symd_resolve as resolve;

/// Symbols whose users are looked for, beyond those of the symbol itself.
const MOST_FOLLOWED: usize = 300;

/// For how long.
const TIME: Duration = Duration::from_secs(15);

/// Members linked by overriding whose users are looked for.
const MOST_LINKED: usize = 64;

/// What is changed of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolChange {
    /// What it takes and gives: its uses, and what overrides it or is overridden by it, have to follow.
    Signature,
    /// What it does: its callers, over any number of calls, behave differently.
    Behaviour,
    /// The symbol is removed: every mention of it, imports and texts included, must go first.
    Removal,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct AskImpact {
    /// A change of which symbol.
    pub wanted: SymbolSelector,
    /// What is changed.
    pub change: SymbolChange,
    /// Levels of users; at least one.
    pub depth: usize,
    /// How long to wait for a server that is not ready.
    pub waiting: Waiting,
}

/// What a change reaches.
#[derive(Clone, Debug)]
pub struct Impact {
    /// The symbol.
    pub target: Target,
    /// What is changed of it.
    pub change: SymbolChange,
    /// Levels of users that were asked for.
    pub depth: usize,
    /// Who uses it, or, unless it is removed, what is linked to it by overriding.
    pub reach: Reach,
    /// What is linked to it.
    pub links: SymbolLinks,
    /// Members linked by overriding whose users were not looked for, being too many.
    pub links_left_out: usize,
    /// Where texts name it.
    pub mentioned: Mentioned,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

impl Impact {
    /// Those that use it themselves; what does nothing but import it where it is removed.
    pub fn direct(&self) -> Vec<&Reached> {
        self.at(1)
    }

    /// Those over so many uses, by part, then by file.
    pub fn at(&self, depth: usize) -> Vec<&Reached> {
        let counts = |one: &&Reached| self.change == SymbolChange::Removal || !one.user.only_imports();
        let mut all: Vec<&Reached> =
            self.reach.reached.iter().filter(|one| one.depth == depth).filter(counts).collect();
        all.sort_by_key(|one| one.part);
        all
    }

    /// Whether its users are all whom the change may reach: what a type does, its members do, and those have users of their own.
    pub fn has_all_behaviour(&self) -> bool {
        self.change != SymbolChange::Behaviour || !resolve::is_type(self.target.symbol.kind)
    }

    /// The files with tests that it reaches, each with over how many uses at least and whether any of that is sure; the
    /// nearest first, then by path.
    pub fn test_files(&self) -> Vec<(String, usize, bool)> {
        let mut files: Vec<(String, usize, bool)> = Vec::new();
        for one in self.reach.reached.iter().filter(|one| one.part == Part::Test) {
            if self.change != SymbolChange::Removal && one.user.only_imports() {
                continue;
            }
            let (file, is_likely) = (one.user.file(), one.user.is_likely());
            match files.iter_mut().find(|known| known.0 == file) {
                Some(known) => known.2 |= is_likely,
                None => files.push((file, one.depth, is_likely)),
            }
        }
        files.sort_by(|a, b| (!a.2, a.1, &a.0).cmp(&(!b.2, b.1, &b.0)));
        files
    }
}

/// Finds out what the change reaches: of the symbol, or of each overload of a name; in their order, never nothing.
pub async fn impact(project: &Project, ask: &AskImpact) -> Result<Vec<Impact>, QuestionError> {
    unchanged(|| async {
        let targets = project.targets(&ask.wanted).await?;
        let mut all = Vec::new();
        for declarations in project.things(targets).await? {
            if let Some(first) = declarations.into_iter().next() {
                all.push(once(project, first, ask).await?);
            }
        }
        Ok(all)
    })
    .await
}

async fn once(project: &Project, target: Target, ask: &AskImpact) -> Result<Impact, QuestionError> {
    let (starts, links_left_out) = starts(project, &target, ask).await?;
    let limits = ReachLimits { depth: ask.depth, symbols: MOST_FOLLOWED, time: TIME };
    let (reach, links, mentioned) = tokio::join!(
        reach(project, &starts, limits, ask.waiting),
        links(project, &target, ask.waiting),
        mentioned(project, &target),
    );
    let revision = target.at.revision;
    Ok(Impact {
        target,
        change: ask.change,
        depth: ask.depth,
        reach: reach?,
        links: links?,
        links_left_out,
        mentioned: mentioned?,
        revision,
    })
}

/// Whose users the change reaches, the symbol itself first, and how many more there are.
async fn starts(
    project: &Project,
    target: &Target,
    ask: &AskImpact,
) -> Result<(Vec<Target>, usize), QuestionError> {
    let mut starts = vec![target.clone()];
    let is_member = target.symbol.name_path.contains('/') && !resolve::is_type(target.symbol.kind);
    if ask.change == SymbolChange::Removal || !is_member {
        return Ok((starts, 0));
    }
    let links = override_links(project, target, ask.waiting).await?;
    let is_linked = |one: &Target| {
        let is = |other: &resolve::Target| other.file.path == one.at.path && other.row == one.row;
        links.above.iter().chain(&links.below).any(is)
    };
    let mut others: Vec<Target> = links.members.iter().filter(|one| is_linked(one)).cloned().collect();
    let left_out = others.len().saturating_sub(MOST_LINKED);
    others.truncate(MOST_LINKED);
    starts.extend(others);
    Ok((starts, left_out))
}
