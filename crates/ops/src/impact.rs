//! What a change of a symbol affects: its uses, the users of those, what is linked to it by overriding, and
//! mentions of it in texts. Which of these count depends on the kind of change. Invariant: all direct users
//! are searched; if the search for indirect ones was cut short, that is reported.

use std::time::Duration;

use super::Project;
use super::code_kind::CodeKind;
use super::explore::{SymbolLinks, links};
use super::overrides::override_links;
use super::question::QuestionError;
use super::relations::{ReachLimits, TransitiveUser, TransitiveUsers, reach};
use super::rename::{Mentioned, mentioned};
use super::target::{SymbolSelector, Target};
use symd_lsp::WaitPolicy;
use symd_resolve as resolve;

/// Maximum number of symbols whose users are searched, besides the symbol itself.
const MOST_FOLLOWED: usize = 300;

/// Time limit for the search of indirect users.
const TIME: Duration = Duration::from_secs(15);

/// Maximum number of members linked by overriding whose users are searched.
const MOST_LINKED: usize = 64;

/// The kind of change of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolChange {
    /// Parameters and return type change: uses, overridden and overriding members have to follow.
    Signature,
    /// Behaviour changes: callers, over any number of calls, behave differently.
    Behaviour,
    /// The symbol is removed: every mention of it, imports and texts included, has to be deleted first.
    Removal,
}

/// Parameters of `impact`.
#[derive(Clone, Debug)]
pub struct AskImpact {
    pub wanted: SymbolSelector,
    pub change: SymbolChange,
    /// Levels of users; at least one.
    pub depth: usize,
    /// How long to wait for a server that is not ready.
    pub waiting: WaitPolicy,
}

#[derive(Clone, Debug)]
pub struct Impact {
    pub target: Target,
    pub change: SymbolChange,
    /// The requested levels of users.
    pub depth: usize,
    /// The users of the symbol and, unless it is removed, of the members linked to it by overriding.
    pub reach: TransitiveUsers,
    pub links: SymbolLinks,
    /// Number of members linked by overriding whose users were not searched because there are too many.
    pub links_left_out: usize,
    /// Mentions of the symbol in texts.
    pub mentioned: Mentioned,
    /// The index revision that the answer reflects, at least.
    pub revision: u64,
}

impl Impact {
    /// Returns the direct users; those that only import the symbol are included only if it is removed.
    pub fn direct(&self) -> Vec<&TransitiveUser> {
        self.at(1)
    }

    /// Returns the users over `depth` uses, by part, then by file.
    pub fn at(&self, depth: usize) -> Vec<&TransitiveUser> {
        let counts = |one: &&TransitiveUser| self.change == SymbolChange::Removal || !one.user.only_imports();
        let mut all: Vec<&TransitiveUser> =
            self.reach.reached.iter().filter(|one| one.depth == depth).filter(counts).collect();
        all.sort_by_key(|one| one.part);
        all
    }

    /// Whether the users of the symbol are all that the change may affect: the behaviour of a type is that of
    /// its members, which have users of their own.
    pub fn has_all_behaviour(&self) -> bool {
        self.change != SymbolChange::Behaviour || !resolve::is_type(self.target.symbol.kind)
    }

    /// Returns the affected files with tests, each with the least number of uses on a path to it and whether
    /// any of its uses is certain; certain ones first, then by that number, then by path.
    pub fn test_files(&self) -> Vec<(String, usize, bool)> {
        let mut files: Vec<(String, usize, bool)> = Vec::new();
        for one in self.reach.reached.iter().filter(|one| one.part == CodeKind::Test) {
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

/// Finds what the change affects, for the symbol or for each overload of a name, in their order. Never
/// returns an empty list.
pub async fn impact(project: &Project, ask: &AskImpact) -> Result<Vec<Impact>, QuestionError> {
    project
        .by_need(|project| async move {
            let project = &project;
            let mut all = Vec::new();
            for declarations in project.entities(&ask.wanted).await? {
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

/// Returns the symbols whose users the change affects, the symbol itself first, and how many more there are.
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
        let is = |other: &resolve::IndexedDeclaration| other.file.path == one.at.path && other.row == one.row;
        links.in_base_classes.iter().chain(&links.in_subclasses).any(is)
    };
    let mut others: Vec<Target> = links.members.iter().filter(|one| is_linked(one)).cloned().collect();
    let left_out = others.len().saturating_sub(MOST_LINKED);
    others.truncate(MOST_LINKED);
    starts.extend(others);
    Ok((starts, left_out))
}
